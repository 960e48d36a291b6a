/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Each bit of the three uniforms that two exponential draws are made of is a sum, modulo 2, of bits
   of a word: what of them is independent can be counted. */

#include <stdbool.h>

#include "tests/claim.h"
#include "tests/draw_parts.h"

/* Which bits of the word a bit of a part is the sum of, modulo 2; 0 for the last, which is set. */
static uint64_t summed_by(int part, int bit)
{
    uint64_t sum = 0;
    for (int k = 0; k < 64; k++) {
        uint64_t turned = part_of(UINT64_C(1) << k, part) ^ part_of(0, part);
        sum |= (turned >> (PART_BITS - 1 - bit) & 1) << k;
    }
    return sum;
}

/* How many of such sums say nothing about one another. */
static int rank_of(uint64_t *sums, int count)
{
    int rank = 0;
    for (int k = 0; k < 64; k++)
        for (int i = rank; i < count; i++)
            if (sums[i] >> k & 1) {
                uint64_t found = sums[i];
                sums[i] = sums[rank];
                for (int j = rank + 1; j < count; j++)
                    sums[j] ^= sums[j] >> k & 1 ? found : 0;
                sums[rank++] = found;
                break;
            }
    return rank;
}

/* Of the first bits of each part. */
static int rank_of_parts(int u, int v, int w)
{
    const int bits[PARTS] = {u, v, w};
    uint64_t sums[PARTS * PART_BITS];
    int count = 0;
    for (int part = 0; part < PARTS; part++)
        for (int i = 0; i < bits[part]; i++)
            sums[count++] = summed_by(part, i);
    return rank_of(sums, count);
}

/* So the first 32 bits of two parts together are as uniform as the word. */
static void any_two_uniforms_of_a_word_have_64_independent_bits_in_front(void **state)
{
    (void)state;
    assert_int_equal(rank_of_parts(32, 32, 0), 64);
    assert_int_equal(rank_of_parts(32, 0, 32), 64);
    assert_int_equal(rank_of_parts(0, 32, 32), 64);
    assert_true(rank_of_parts(33, 32, 0) < 65); /* canary */
}

/* So every box whose sides are halved 33 times in all holds its share of the words; a w of a word
   of its own would come to as many, as u and v share bytes too. */
static void any_33_bits_in_front_of_the_three_are_independent(void **state)
{
    (void)state;
    bool more = true;
    for (int u = 0; u <= 34; u++)
        for (int v = 0; u + v <= 34; v++) {
            assert_true(u + v == 34 || rank_of_parts(u, v, 33 - u - v) == 33);
            more &= rank_of_parts(u, v, 34 - u - v) == 34;
        }
    assert_false(more); /* canary */
}

/* Bits of a word are fair and independent, so two sums of them are too, unless they are of the same
   bits: covariance is the sum over pairs of those, of the products of what they count.  Of u and w
   it is that of bytes 5 and 4, which w has last; of u and v that of bytes 7, 6, 3 and 2, without
   the last bits of both: as a correlation 2^-31 (1 - 2^-30) / (1 - 4^-47). */
static void
the_place_of_the_first_draw_has_a_correlation_below_2_to_minus_47_with_either_uniform(void **state)
{
    (void)state;
    double products[PARTS] = {0}; /* by the part that is left out */
    for (int one = 0; one < PARTS; one++)
        for (int other = one + 1; other < PARTS; other++)
            for (int i = 0; i < PART_BITS * PART_BITS; i++) {
                uint64_t sum = summed_by(one, i / PART_BITS);
                if (sum != 0 && sum == summed_by(other, i % PART_BITS))
                    products[PARTS - one - other] += ldexp(1.0, -2 - i / PART_BITS - i % PART_BITS);
            }
    assert_true(products[0] == 0.0 && 3.0 * products[1] < 0x1p-47);
    assert_true(3.0 * products[2] == 0x1p-31 - 0x1p-61);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_two_uniforms_of_a_word_have_64_independent_bits_in_front),
        cmocka_unit_test(any_33_bits_in_front_of_the_three_are_independent),
        cmocka_unit_test(
            the_place_of_the_first_draw_has_a_correlation_below_2_to_minus_47_with_either_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
