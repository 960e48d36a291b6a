/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/oracle_number.h"

#include "models/base/error.h"
#include "models/base/time.h"

static void trim(struct number *a)
{
    while (a->used > 0 && a->limb[a->used - 1] == 0)
        a->used--;
}

struct number number_of(uint64_t value)
{
    return (struct number){.limb = {value}, .used = value > 0};
}

int number_compare(const struct number *a, const struct number *b)
{
    if (a->used != b->used)
        return a->used > b->used ? 1 : -1;
    for (size_t i = a->used; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] > b->limb[i] ? 1 : -1;
    return 0;
}

void number_add(struct number *a, const struct number *b)
{
    size_t most = a->used > b->used ? a->used : b->used;
    u128 carry = 0;
    BUG_IF(most + 1 > NUMBER_LIMBS);
    for (size_t i = 0; i <= most; i++) {
        carry += i < a->used ? a->limb[i] : 0;
        carry += i < b->used ? b->limb[i] : 0;
        a->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    a->used = most + 1;
    trim(a);
}

void number_subtract(struct number *a, const struct number *b)
{
    uint64_t borrow = 0;
    BUG_IF(number_compare(a, b) < 0);
    size_t limbs = b->used; /* they may be one number */
    for (size_t i = 0; i < a->used; i++) {
        u128 take = (u128)borrow + (i < limbs ? b->limb[i] : 0);
        borrow = a->limb[i] < take;
        a->limb[i] -= (uint64_t)take;
    }
    trim(a);
}

struct number number_times(const struct number *a, uint64_t factor)
{
    struct number out = *a;
    u128 carry = 0;
    for (size_t i = 0; i < a->used; i++) {
        carry += (u128)a->limb[i] * factor;
        out.limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    if (carry > 0) {
        BUG_IF(a->used == NUMBER_LIMBS);
        out.limb[out.used++] = (uint64_t)carry;
    }
    trim(&out);
    return out;
}

uint64_t number_divide(struct number *a, uint64_t by)
{
    u128 rest = 0;
    for (size_t i = a->used; i-- > 0;) {
        rest = (rest << 64) + a->limb[i];
        a->limb[i] = (uint64_t)(rest / by);
        rest %= by;
    }
    trim(a);
    return (uint64_t)rest;
}

uint64_t number_floor(const struct number *a, const struct number *b)
{
    uint64_t k = 0;
    BUG_IF(b->used == 0);
    if (a->used == 0)
        return 0;
    if (a->used == 1 && b->used == 1)
        return a->limb[0] / b->limb[0];
    for (uint64_t bit = UINT64_C(1) << 62; bit > 0; bit >>= 1) {
        struct number product = number_times(b, k + bit);
        if (number_compare(&product, a) <= 0)
            k += bit;
    }
    return k;
}

uint64_t number_ceil(const struct number *a, const struct number *b)
{
    uint64_t k = number_floor(a, b);
    struct number product = number_times(b, k);
    return k + (number_compare(&product, a) < 0);
}
