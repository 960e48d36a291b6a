/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The words of the streams and the exponential draws that are made of them: their bound, their
   bits, and their distribution against GSL's. */

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/draw_kernels.h"
#include "models/base/error.h"
#include "models/base/maths.h"
#include "tests/claim.h"
#include "tests/stream_with.h"

#define MANY 4000000
#define SIGMAS 5.5 /* a normal value beyond it, either way, has probability 4e-8 */

static const struct draw_kernels *const tables[VECTOR_COUNT] = {
    &draw_kernels_plain, &draw_kernels_avx2, &draw_kernels_avx512};

static ns_t draw_of(uint64_t word, double mean_ns)
{
    struct stream s = stream_with(0, word);
    ns_t out_ns;
    exponential_draws(s, 0, mean_ns, &out_ns, 1);
    return out_ns;
}

/* On 2^20 points of an octave of u.  Off them the polynomial's error is another by less than 2e-12:
   its slope in m is below 3.1e-6 (the sum of |c_i - 1/(2i+1)| (2i+1) s^2i and of what is left out
   of the series, times 2 ds/dm), and the nearest is within 2^-21.  In other octaves only a whole
   number of log 2 is added. */
static void a_draw_is_within_its_bound_of_the_logarithm(void **state)
{
    (void)state;
    double mean_ns = EXPONENTIAL_FAST_MEAN_NS, worst = 0.0;
    for (uint64_t i = 0; i < 1 << 20; i++) {
        for (int octave = 0; octave < 52; octave += 17) {
            uint64_t u = (((UINT64_C(1) << 52) - 1 - (i << 31)) >> octave) | 1; /* in 2^-52 */
            uint64_t word = ((UINT64_C(1) << 52) - u) << 12;
            long double want = -(long double)mean_ns * logl((long double)u * 0x1p-52L);
            long double off = fabsl((long double)draw_of(word, mean_ns) - want);
            worst = (double)off > worst ? (double)off : worst;
        }
    }
    assert_true(worst <= 1.4e-10 * mean_ns - 2e-12 * mean_ns + 0.5);
    assert_true(worst > 1.3e-10 * mean_ns); /* the bound is no idle one */
}

/* FR-47: no draw is infinite, none below 0. */
static void the_ends_of_the_uniform_draw_nothing_and_36_means(void **state)
{
    (void)state;
    assert_int_equal(draw_of(0, 1e6), 0);                      /* u = 1 - 2^-52 */
    assert_int_equal(draw_of(0x1fff, 1e12), draw_of(0, 1e12)); /* the low bits do not count */
    for (uint64_t i = 0; i < 1 << 20; i++) {                   /* next to 1 it is right */
        double want = (double)(2 * i + 1) * 0x1p-52 * EXPONENTIAL_FAST_MEAN_NS;
        double off = fabs((double)draw_of(i << 13, EXPONENTIAL_FAST_MEAN_NS) - want);
        assert_true(off < 5e-14 * EXPONENTIAL_FAST_MEAN_NS + 2.5e-8 * want + 0.5);
    }
    assert_int_equal(draw_of(UINT64_MAX, 1e6), 36043653);         /* u = 2^-52: 52 log 2 */
    assert_int_equal(draw_of(UINT64_C(1) << 63, 1e9), 693147181); /* u = 1/2 - 2^-52 */
    double slow_ns = 2.0 * EXPONENTIAL_FAST_MEAN_NS; /* 53 bits there, of the whole word */
    ns_t least_ns, most_ns;
    exponential_draws(stream_with(0, UINT64_MAX), 0, slow_ns, &least_ns, 1);
    exponential_draws(stream_with(0, 0), 0, slow_ns, &most_ns, 1);
    assert_int_equal(least_ns, 0);
    assert_true(fabs((double)most_ns / slow_ns - 53.0 * log(2.0)) < 1e-14);
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

static int by_size(const void *a, const void *b)
{
    ns_t x = *(const ns_t *)a, y = *(const ns_t *)b;
    return (x > y) - (x < y);
}

/* sqrt(n) D; rounding to whole ns is allowed for by half a ns.  Above 2.9 has probability 1e-7. */
static double kolmogorov(const ns_t *sorted_ns, size_t n, double mean_ns)
{
    double worst = 0.0, count = (double)n;
    for (size_t i = 0; i < n; i++) {
        double low = gsl_cdf_exponential_P((double)sorted_ns[i] - 0.5, mean_ns);
        double high = gsl_cdf_exponential_P((double)sorted_ns[i] + 0.5, mean_ns);
        worst = fmax(worst, fmax((double)i / count - high, low - (double)(i + 1) / count));
    }
    return worst * sqrt(count);
}

static void draws_are_exponential_by_gsl(void **state)
{
    (void)state;
    double mean_ns = 12345678.0;
    ns_t *x = must_alloc(MANY, sizeof *x);
    for (uint32_t seed = 1; seed <= 2; seed++) {
        exponential_draws(stream_open(seed, 0, 0, PURPOSE_SERVICE), 0, mean_ns, x, MANY);
        double power[5] = {0};
        for (size_t i = 0; i < MANY; i++)
            for (int k = 1; k <= 4; k++)
                power[k] += pow((double)x[i] / mean_ns, k) / MANY;
        /* E X^k = k!, Var X^k = (2k)! - k!^2 */
        for (int k = 1; k <= 4; k++) {
            double spread = sqrt((tgamma(2.0 * k + 1) - pow(tgamma(k + 1.0), 2)) / MANY);
            assert_true(fabs(power[k] - tgamma(k + 1.0)) < SIGMAS * spread);
        }
        qsort(x, MANY, sizeof *x, by_size);
        assert_true(kolmogorov(x, MANY, mean_ns) < 2.9);
        assert_true(kolmogorov(x, MANY, 1.005 * mean_ns) > 2.9); /* canary */
    }
    free(x);
}

/* Draws above each limit are binomial. */
static void both_tails_hold_as_many_draws_as_gsl_says(void **state)
{
    (void)state;
    static const double limits[] = {1e-6, 1e-4, 0.001, 0.01, 0.1, 2.30, 4.6, 6.91, 9.2, 11.5, 13.8};
    uint64_t above[sizeof limits / sizeof limits[0]] = {0};
    double mean_ns = 1e9;
    ns_t x[1000];
    struct stream s = stream_open(4, 0, 0, PURPOSE_ARRIVALS);
    for (uint64_t done = 0; done < 10 * MANY; done += 1000) {
        exponential_draws(s, done, mean_ns, x, 1000);
        for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++)
            for (size_t i = 0; i < 1000; i++)
                above[k] += (double)x[i] > limits[k] * mean_ns;
    }
    for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
        double p = gsl_cdf_exponential_Q(limits[k] * mean_ns + 0.5, mean_ns), n = 10.0 * MANY;
        double rare = fmin(p, 1.0 - p);
        double hits = p < 0.5 ? (double)above[k] : n - (double)above[k];
        /* either tail of the Poisson law, which is wider than the binomial one */
        assert_true(gsl_cdf_poisson_P((unsigned)hits, rare * n) > 1e-8);
        assert_true(gsl_cdf_poisson_Q((unsigned)hits, rare * n) > 1e-8);
    }
}

/* What draw i is made of. */
static uint64_t drawn_at(struct stream s, uint64_t i)
{
    uint64_t word = stream_word(s, i / 2);
    return i % 2 == 0 ? word : word << 32 | word >> 32;
}

static void a_word_gives_two_draws_the_second_of_its_halves_swapped(void **state)
{
    (void)state;
    struct stream s = stream_open(3, 0, 0, PURPOSE_SERVICE);
    ns_t draws[1000];
    exponential_draws(s, 0, 1e12, draws, 1000);
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(draws[i], draw_of(drawn_at(s, i), 1e12));
}

static uint64_t word_at(struct stream s, uint64_t index)
{
    return stream_word(s, index);
}

typedef uint64_t of_stream(struct stream s, uint64_t index);

/* 16 x 16 cells of four bits of either: chi-square with 255 degrees of freedom. */
static double chi_square(of_stream *of, struct stream a, struct stream b, uint64_t apart, int shift)
{
    uint64_t cells[256] = {0};
    double sum = 0.0, each = MANY / 256.0;
    for (uint64_t i = 0; i < MANY; i++)
        cells[(of(a, i) >> shift & 15) << 4 | (of(b, i + apart) >> shift & 15)]++;
    for (int c = 0; c < 256; c++)
        sum += ((double)cells[c] - each) * ((double)cells[c] - each) / each;
    return gsl_cdf_chisq_Q(sum, 255.0);
}

static void pairs_are_independent(of_stream *of, int shift)
{
    struct stream arrivals = stream_open(1, 0, 0, PURPOSE_ARRIVALS);
    struct stream service = stream_open(1, 0, 0, PURPOSE_SERVICE);
    struct stream other = stream_open(1, 0, 1, PURPOSE_ARRIVALS);
    double p[] = {
        chi_square(of, arrivals, arrivals, 1, shift), chi_square(of, arrivals, arrivals, 2, shift),
        chi_square(of, service, service, 7, shift),   chi_square(of, arrivals, service, 0, shift),
        chi_square(of, arrivals, service, 1, shift),  chi_square(of, arrivals, other, 0, shift)};
    for (size_t i = 0; i < sizeof p / sizeof p[0]; i++)
        assert_true(p[i] > 1e-7 && p[i] < 1.0 - 1e-7);
    assert_true(chi_square(of, arrivals, arrivals, 0, shift) < 1e-7); /* canary */
}

static void words_are_independent_of_those_behind_them_and_of_other_streams(void **state)
{
    (void)state;
    static const int shifts[] = {60, 12, 0};
    for (int k = 0; k < 3; k++)
        pairs_are_independent(word_at, shifts[k]);
}

/* Of a word's two draws each has 32 bits in front of its own. */
static void so_are_draws_in_the_32_bits_in_front(void **state)
{
    (void)state;
    static const int shifts[] = {60, 46, 32};
    for (int k = 0; k < 3; k++)
        pairs_are_independent(drawn_at, shifts[k]);
}

/* Each bit of the index, of the seed and of the replication turns over each bit of the word half of
   the time. */
static void one_bit_of_difference_changes_half_of_the_word(void **state)
{
    enum { TIMES = 20000 };
    (void)state;
    for (int flip = 0; flip < 96; flip++) {
        uint64_t turned[64] = {0};
        for (uint64_t i = 0; i < TIMES; i++) {
            uint64_t bit = UINT64_C(1) << (flip % 32);
            struct stream s = stream_open(i, 0, 5, PURPOSE_ARRIVALS);
            struct stream t = flip < 32   ? s
                              : flip < 64 ? stream_open(i ^ bit, 0, 5, PURPOSE_ARRIVALS)
                                          : stream_open(i, 0, 5 ^ (uint32_t)bit, PURPOSE_ARRIVALS);
            uint64_t index = i * 3, other = flip < 32 ? index ^ bit : index;
            uint64_t changed = stream_word(s, index) ^ stream_word(t, other);
            for (int b = 0; b < 64; b++)
                turned[b] += changed >> b & 1;
        }
        for (int b = 0; b < 64; b++)
            assert_true(fabs((double)turned[b] - TIMES / 2.0) < SIGMAS * sqrt(TIMES / 4.0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_draw_is_within_its_bound_of_the_logarithm),
        cmocka_unit_test(the_ends_of_the_uniform_draw_nothing_and_36_means),
        cmocka_unit_test(all_widths_of_vectors_draw_the_same_bits),
        cmocka_unit_test(sums_are_those_one_by_one_at_every_width),
        cmocka_unit_test(draws_are_exponential_by_gsl),
        cmocka_unit_test(both_tails_hold_as_many_draws_as_gsl_says),
        cmocka_unit_test(words_are_independent_of_those_behind_them_and_of_other_streams),
        cmocka_unit_test(so_are_draws_in_the_32_bits_in_front),
        cmocka_unit_test(a_word_gives_two_draws_the_second_of_its_halves_swapped),
        cmocka_unit_test(one_bit_of_difference_changes_half_of_the_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
