/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run_kernels.h"

#include "models/base/bits.h"

/* floor(a / b), both whole.  A quotient that is no whole number lies below the next one by more
   than 2^-53 of it, so it is not rounded up to it.  Adding 2^52 rounds to the nearest whole number:
   one too many where what is left is below 0. */
static inline uint64_t divide(double a, double b)
{
    double quotient = a / b, near = quotient + 0x1p52;
    return (to_bits(near) & RUN_VALUE_MOST) - (to_bits(quotient - (near - 0x1p52)) >> 63);
}

static void to_units(const ns_t *values_ns, size_t count, double unit_ns, uint64_t *restrict units)
{
    for (size_t i = 0; i < count; i++)
        units[i] = divide(whole(values_ns[i] & RUN_VALUE_MOST), unit_ns);
}

static void split_units(const uint64_t *units, size_t count, double lowest, double interval,
                        uint64_t *restrict times, uint64_t *restrict rests)
{
    for (size_t i = 0; i < count; i++) {
        double above = whole(units[i] & RUN_VALUE_MOST) - lowest, x = above > 0.0 ? above : 0.0;
        times[i] = divide(x, interval);
        rests[i] = to_bits(x - whole(times[i]) * interval + 0x1p52) & RUN_VALUE_MOST;
    }
}

static struct run_block split(struct correction_rule rule, const ns_t *values_ns, size_t count,
                              uint64_t *times, uint64_t *rests)
{
    _Alignas(LINE_BYTES) uint64_t units[RUN_BLOCK];
    bool in_ns = rule.unit_ns == 1;
    if (!in_ns)
        to_units(values_ns, count, (double)rule.unit_ns, units);
    split_units(in_ns ? values_ns : units, count, (double)rule.lowest, (double)rule.interval, times,
                rests);
    int64_t least = INT64_MAX;
    uint64_t all = 0, rests_sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t n = times[i], rest = rests[i];
        int64_t some = n > 0 ? (int64_t)rest : INT64_MAX;
        least = some < least ? some : least;
        all += n;
        rests_sum += n * rest; /* each at most the value */
        squares += n * n;
    }
    return (struct run_block){all, least == INT64_MAX ? UINT64_MAX : (uint64_t)least, rests_sum,
                              squares};
}

/* Of a run of n, those below level b and its first t units: min(n, b + 1) where the rest is below
   t, else min(n, b).  All is below 2^63, so a < b exactly when a - b wraps. */
static uint64_t below(const uint64_t *times, const uint64_t *rests, size_t count, uint64_t level,
                      uint64_t within)
{
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t most = (int64_t)(level + ((rests[i] - within) >> 63)), n = (int64_t)times[i];
        all += (uint64_t)(n < most ? n : most);
    }
    return all;
}

const struct run_kernels VECTOR_NAME(run_kernels) = {split, below};
