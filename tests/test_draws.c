/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The exponential draws, each by itself: their bound, their ends, and their bits at every width.
   test_draws_random.c has what they are together. */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/draw_kernels.h"
#include "models/base/maths.h"
#include "tests/claim.h"
#include "tests/draw_parts.h"
#include "tests/stream_with.h"

#define BOUND 1.4e-10L /* in means, of the time that the two draws of a word share */

static const struct draw_kernels *const tables[VECTOR_COUNT] = {
    &draw_kernels_plain, &draw_kernels_avx2, &draw_kernels_avx512};

struct both {
    ns_t ns[2];
};

static struct both draws_of(uint64_t word, double mean_ns)
{
    ns_t out_ns[9];
    exponential_draws(stream_with(0, word), 0, mean_ns, out_ns, 9);
    return (struct both){{out_ns[0], out_ns[8]}};
}

/* What a draw may be off beside its share of the bound: half a ns, by which it is rounded, and the
   last bit of the first draw before that, which the second lacks. */
static long double rounding_ns(long double whole, double mean_ns)
{
    return 0.5L + whole * (long double)mean_ns * 0x1p-53L;
}

/* How far the draws of a word and their sum are off beyond rounding, in means, each for a share of
   1. */
static void widen(long double worst[3], uint64_t word, double mean_ns)
{
    struct both got = draws_of(word, mean_ns);
    struct truth t = truth_of(word);
    long double mean = (long double)mean_ns, rounding = rounding_ns(t.whole, mean_ns);
    for (int i = 0; i < 2; i++) {
        long double off = fabsl((long double)got.ns[i] - t.share[i] * t.whole * mean) - rounding;
        worst[i] = fmaxl(worst[i], off / (t.share[i] * mean));
    }
    long double sum = (long double)(got.ns[0] + got.ns[1]);
    worst[2] = fmaxl(worst[2], (fabsl(sum - t.whole * mean) - 2.0L * rounding) / mean);
}

/* In octaves of p = u v, on 2^20 points and one each: v is all but constant, the first 32 bits of u
   go through an octave.  Between points the polynomial's error is another by less than 2e-12: its
   slope in m is below 3.1e-6 (twice the sum of |c_i - 1/(2i+1)| (2i+1) s^2i, i < 4, and of what is
   left out of the series, 6.23e-6, times ds/dm, at most 0.486), and the nearest point is within
   2^-21, 2^-29 more where v is least.  What is rounded differs by less than 1.2e-13.  In other
   octaves only a whole number of log 2 is added. */
static void a_draw_is_within_its_bound_of_the_logarithm(void **state)
{
    (void)state;
    static const struct {
        int octave;
        uint64_t low; /* bytes 3 to 0, of which v is: 2^-0, -8, -16 or -24 nearly */
    } passes[] = {{0, 0xffffffff},  {0, 0xffffff00}, {5, 0xffffff55},
                  {11, 0x00ffff80}, {3, 0x0000ff33}, {11, 0x000000ff}};
    long double worst[3] = {0};
    for (size_t k = 0; k < sizeof passes / sizeof passes[0]; k++)
        for (uint64_t i = 0; i <= 1 << 20; i++) {
            uint64_t high = ((UINT64_C(1) << 32) - 1 - (i << 11)) >> passes[k].octave;
            widen(worst, high << 32 | passes[k].low, EXPONENTIAL_FAST_MEAN_NS);
        }
    for (int i = 0; i < 3; i++) {
        assert_true(worst[i] <= BOUND - 2e-12L);
        assert_true(worst[i] > 1.3e-10L); /* the bound is no idle one */
    }
}

static void so_are_draws_of_any_stream_number_and_mean(void **state)
{
    (void)state;
    struct stream pick = stream_open(2, 0, 0, PURPOSE_ROUTING);
    bool swapped = false;
    for (uint64_t i = 0; i < 100000; i++) {
        struct stream s = stream_at(pick, i);
        uint64_t number = stream_word(s, UINT64_MAX) >> (i % 64);
        double mean_ns = i % 2 == 0
                             ? EXPONENTIAL_FAST_MEAN_NS
                             : ldexp(1.0 + unit_of(stream_word(s, UINT64_MAX - 1)), (int)(i % 45));
        ns_t got_ns;
        exponential_draws(s, number, mean_ns, &got_ns, 1);
        struct truth t = truth_of(stream_word(s, word_of_draw(number)));
        long double share = t.share[half_of_draw(number)];
        long double allowed = share * BOUND * (long double)mean_ns + rounding_ns(t.whole, mean_ns);
        assert_true(fabsl((long double)got_ns - draw_at(s, number, mean_ns)) <= allowed);
        swapped |= fabsl((long double)got_ns - draw_at(s, number ^ 8, mean_ns)) > allowed;
    }
    assert_true(swapped); /* canary */
}

/* By mpmath, with 50 digits.  FR-47: no draw is infinite, none below 0. */
static void draws_of_chosen_words_are_those_of_other_software(void **state)
{
    (void)state;
    static const struct {
        uint64_t word;
        ns_t first_ns, second_ns;
    } cases[] = {
        {0, 0, 66542129},   /* u = v = 2^-48, w = 0: 96 log 2, the longest second draw */
        {UINT64_MAX, 0, 0}, /* u = v = 1 - 2^-48 */
        {UINT64_C(0xff00000000), 49715548,
         194963}, /* the longest first one: were u less, then w too */
        {1, 3, 55451756},
        {UINT64_C(0x8000000000), 25299872, 25299872},
        {0xffff, 173284, 44188151},
        {0xff00, 172625, 44192708},
        {0xffffffff, 22180725, 0}, /* v next to 1 */
        {UINT64_C(0xffffffff00000000), 22180725, 0},
        {UINT64_C(0x8000000000000000), 180, 23566794},
        {UINT64_C(0x123456789abcdef), 4822877, 1213533},
        {UINT64_C(0xfedcba9876543210), 620127, 156037},
        {UINT64_C(0xff00000000ff00), 64760, 16578600},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (int v = VECTOR_PLAIN; v <= (int)vector_level(); v++) {
            ns_t got[16];
            tables[v]->exponential(stream_with(0, cases[k].word), 0, 1e6, got, 16);
            assert_int_equal(got[0], cases[k].first_ns);
            assert_int_equal(got[8], cases[k].second_ns);
        }
}

/* Bytes that make v and u least make w least too: the longest first draw has u = 255 * 2^-32 and w
   = 255/256.  Here are all words of which one fourth is not 0. */
static void no_first_draw_is_longer_than_50_means_and_no_second_than_66_55(void **state)
{
    (void)state;
    struct both longest = {{0}};
    for (uint64_t low = 0; low < 1 << 16; low++)
        for (int shift = 0; shift <= 48; shift += 16) {
            struct both got = draws_of(low << shift, 1e9);
            for (int i = 0; i < 2; i++)
                longest.ns[i] = got.ns[i] > longest.ns[i] ? got.ns[i] : longest.ns[i];
        }
    assert_int_equal(longest.ns[0], 49715547907);
    assert_int_equal(longest.ns[1], 66542129334);
}

/* Where p is 1, s is the end of its interval, the error 4e-14 and its slope 2e-8. */
static void next_to_1_a_draw_is_right_and_never_below_0(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 1 << 18; i++) {
        /* of v bytes 1 and 0 are any, or of u bytes 5 and 4 */
        uint64_t off = i & 0xffff, word = ~(i & 1 << 16 ? off << 32 : off);
        double mean_ns = i >> 17 ? EXPONENTIAL_FAST_MEAN_NS
                                 : ldexp(1.0 + (double)(off % 97) / 97.0, (int)(i % 45));
        struct both got = draws_of(word, mean_ns);
        struct truth t = truth_of(word);
        for (int k = 0; k < 2; k++) {
            long double want = t.share[k] * t.whole * (long double)mean_ns;
            long double allowed = 5e-14L * t.share[k] * (long double)mean_ns + 2.5e-8L * want;
            assert_true(fabsl((long double)got.ns[k] - want) <
                        allowed + rounding_ns(t.whole, mean_ns));
        }
    }
}

/* 53 bits there, of a word each. */
static void a_draw_of_a_long_mean_has_a_word_to_itself(void **state)
{
    (void)state;
    double slow_ns = 2.0 * EXPONENTIAL_FAST_MEAN_NS;
    ns_t least_ns, most_ns, some_ns[20];
    exponential_draws(stream_with(0, UINT64_MAX), 0, slow_ns, &least_ns, 1);
    exponential_draws(stream_with(0, 0), 0, slow_ns, &most_ns, 1);
    assert_int_equal(least_ns, 0);
    assert_true(fabs((double)most_ns / slow_ns - 53.0 * log(2.0)) < 1e-14);
    struct stream s = stream_open(3, 0, 0, PURPOSE_SERVICE);
    exponential_draws(s, 5, slow_ns, some_ns, 20);
    for (uint64_t i = 0; i < 20; i++) {
        long double u = (long double)unit_of(stream_word(s, 5 + i));
        long double off = (long double)some_ns[i] + (long double)slow_ns * logl(u);
        assert_true(fabsl(off) < 0x1p-50L * (long double)slow_ns + 0.5L);
    }
}

static void all_widths_of_vectors_draw_the_same_bits(void **state)
{
    (void)state;
    struct stream pick = stream_open(1, 0, 0, PURPOSE_ROUTING);
    ns_t want[700], got[700];
    for (uint64_t i = 0; i < 3000; i++) {
        struct stream s = stream_at(pick, i);
        uint64_t first = stream_word(s, 1) >> (i % 60);
        size_t count = (size_t)below(stream_word(s, 2), 700);
        double mean_ns =
            i % 7 == 0 ? EXPONENTIAL_FAST_MEAN_NS : ldexp(1.0 + (double)i, (int)(i % 30));
        tables[VECTOR_PLAIN]->exponential(s, first, mean_ns, want, count);
        for (int v = VECTOR_AVX2; v <= (int)vector_level(); v++) {
            memset(got, 0, sizeof got);
            tables[v]->exponential(s, first, mean_ns, got, count);
            assert_memory_equal(got, want, count * sizeof *got);
        }
        for (size_t k = 0; k < count; k += 97) { /* each by itself */
            tables[VECTOR_PLAIN]->exponential(s, first + k, mean_ns, got, 1);
            assert_int_equal(got[0], want[k]);
        }
    }
}

/* Three groups of 16 and the whole block of 128, with what stands around them; nothing is written
   beside what is asked for. */
static void from_any_draw_on_any_number_of_them_is_part_of_one_column(void **state)
{
    enum { ALL = 400, LONGEST = 290 };
    (void)state;
    struct stream s = stream_open(6, 0, 0, PURPOSE_SERVICE);
    ns_t all[ALL], got[LONGEST + 1];
    for (int v = VECTOR_PLAIN; v <= (int)vector_level(); v++) {
        tables[v]->exponential(s, 0, 1e12, all, ALL);
        for (uint64_t first = 0; first < 48; first++)
            for (size_t count = 0; count <= LONGEST; count += count < 50 ? 1 : 7) {
                got[count] = 1;
                tables[v]->exponential(s, first, 1e12, got, count);
                assert_memory_equal(got, all + first, count * sizeof *got);
                assert_int_equal(got[count], 1);
            }
        for (uint64_t i = 0; i < ALL; i++) { /* and of one word alone */
            struct both own = draws_of(stream_word(s, word_of_draw(i)), 1e12);
            assert_int_equal(all[i], own.ns[half_of_draw(i)]);
        }
    }
}

static void sums_are_those_one_by_one_at_every_width(void **state)
{
    (void)state;
    struct stream s = stream_open(7, 0, 0, PURPOSE_ROUTING);
    ns_t got[40];
    for (int v = VECTOR_PLAIN; v <= (int)vector_level(); v++)
        for (size_t count = 0; count <= 40; count++) {
            ns_t from_ns = stream_word(s, 1000 + count), sum_ns = from_ns;
            for (size_t i = 0; i < count; i++)
                got[i] = stream_word(s, i);
            ns_t last_ns = tables[v]->sums(from_ns, got, count);
            for (size_t i = 0; i < count; i++) {
                sum_ns += stream_word(s, i);
                assert_int_equal(got[i], sum_ns);
            }
            assert_int_equal(last_ns, sum_ns);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_draw_is_within_its_bound_of_the_logarithm),
        cmocka_unit_test(so_are_draws_of_any_stream_number_and_mean),
        cmocka_unit_test(draws_of_chosen_words_are_those_of_other_software),
        cmocka_unit_test(no_first_draw_is_longer_than_50_means_and_no_second_than_66_55),
        cmocka_unit_test(next_to_1_a_draw_is_right_and_never_below_0),
        cmocka_unit_test(a_draw_of_a_long_mean_has_a_word_to_itself),
        cmocka_unit_test(all_widths_of_vectors_draw_the_same_bits),
        cmocka_unit_test(from_any_draw_on_any_number_of_them_is_part_of_one_column),
        cmocka_unit_test(sums_are_those_one_by_one_at_every_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
