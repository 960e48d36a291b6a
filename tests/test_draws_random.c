/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The words of the streams and the exponential draws that are made of them: their distribution
   against GSL's, and their independence. */

#include <gsl/gsl_cdf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/error.h"
#include "models/base/maths.h"
#include "tests/claim.h"
#include "tests/draw_parts.h"

#define MANY 4000000
#define MEAN_NS 1e9
#define SIGMAS 5.5 /* a normal value beyond it, either way, has probability 4e-8 */
#define LEVEL 1e-7
#define KOLMOGOROV 2.9 /* sqrt(n) D above it has probability 1e-7 */

static int by_size(const void *a, const void *b)
{
    ns_t x = *(const ns_t *)a, y = *(const ns_t *)b;
    return (x > y) - (x < y);
}

/* P(sum of so many draws <= x). */
static double law(double x_ns, int draws, double mean_ns)
{
    return draws == 1 ? gsl_cdf_exponential_P(x_ns, mean_ns) : gsl_cdf_gamma_P(x_ns, 2.0, mean_ns);
}

/* sqrt(n) D; rounding to whole ns is allowed for by half a ns a draw. */
static double kolmogorov(const ns_t *sorted_ns, size_t n, int draws, double mean_ns)
{
    double worst = 0.0, count = (double)n, rounding_ns = 0.5 * draws;
    for (size_t i = 0; i < n; i++) {
        double low = law((double)sorted_ns[i] - rounding_ns, draws, mean_ns);
        double high = law((double)sorted_ns[i] + rounding_ns, draws, mean_ns);
        worst = fmax(worst, fmax((double)i / count - high, low - (double)(i + 1) / count));
    }
    return worst * sqrt(count);
}

static bool fits(ns_t *x_ns, size_t n, int draws, double mean_ns)
{
    qsort(x_ns, n, sizeof *x_ns, by_size);
    return kolmogorov(x_ns, n, draws, mean_ns) < KOLMOGOROV;
}

/* E X^k = k!, Var X^k = (2k)! - k!^2 */
static void check_moments(const ns_t *x_ns, size_t n, double mean_ns)
{
    double power[5] = {0};
    for (size_t i = 0; i < n; i++) {
        double x = (double)x_ns[i] / mean_ns, y = 1.0;
        for (int k = 1; k <= 4; k++)
            power[k] += y *= x;
    }
    for (int k = 1; k <= 4; k++) {
        double spread = sqrt((tgamma(2.0 * k + 1) - pow(tgamma(k + 1.0), 2)) / (double)n);
        assert_true(fabs(power[k] / (double)n - tgamma(k + 1.0)) < SIGMAS * spread);
    }
}

static void draws_are_exponential_by_gsl(void **state)
{
    (void)state;
    double mean_ns = 12345678.0;
    ns_t *x = must_alloc(MANY, sizeof *x);
    exponential_draws(stream_open(1, 0, 0, PURPOSE_SERVICE), 0, mean_ns, x, MANY);
    check_moments(x, MANY, mean_ns);
    assert_true(fits(x, MANY, 1, mean_ns));
    assert_false(fits(x, MANY, 1, 1.005 * mean_ns)); /* canary */
    free(x);
}

/* One of the draws of each word, or their sum if half is 2. */
static size_t halves_of(const ns_t *draws_ns, size_t count, int half, ns_t *out_ns)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (half_of_draw(i) == 0)
            out_ns[n++] = half == 0   ? draws_ns[i]
                          : half == 1 ? draws_ns[i + 8]
                                      : draws_ns[i] + draws_ns[i + 8];
    return n;
}

static void so_are_first_and_second_draws_apart_and_the_sum_of_both_is_gamma(void **state)
{
    enum { SOME = MANY / 2 };
    (void)state;
    double mean_ns = 12345678.0;
    ns_t *x = must_alloc(SOME, sizeof *x), *part = must_alloc(SOME / 2, sizeof *part);
    exponential_draws(stream_open(2, 0, 0, PURPOSE_SERVICE), 0, mean_ns, x, SOME);
    for (int half = 0; half < 2; half++) {
        size_t n = halves_of(x, SOME, half, part);
        assert_int_equal(n, SOME / 2);
        check_moments(part, n, mean_ns);
        assert_true(fits(part, n, 1, mean_ns));
    }
    size_t n = halves_of(x, SOME, 2, part);
    assert_true(fits(part, n, 2, mean_ns));
    assert_false(fits(part, n, 2, 1.01 * mean_ns)); /* canaries */
    n = halves_of(x, SOME, 0, part);
    for (size_t i = 0; i < n; i++)
        part[i] *= 2;
    assert_false(fits(part, n, 2, mean_ns));
    free(x);
    free(part);
}

/* Either tail of the Poisson law, which is wider than the binomial one; of many, of its limit. */
static bool is_likely(double hits, double expected)
{
    if (expected > 1e5)
        return fabs(hits - expected) < SIGMAS * sqrt(expected);
    return gsl_cdf_poisson_P((unsigned)hits, expected) > 1e-8 &&
           gsl_cdf_poisson_Q((unsigned)hits, expected) > 1e-8;
}

/* Of first and of second draws apart. */
static void both_tails_hold_as_many_draws_as_gsl_says(void **state)
{
    (void)state;
    static const double limits[] = {1e-6, 1e-4, 0.001, 0.01, 0.1, 2.30, 4.6, 6.91, 9.2, 11.5, 13.8};
    uint64_t above[sizeof limits / sizeof limits[0]][2] = {{0}};
    enum { COLUMN = 1024, COLUMNS = 40000 };
    ns_t x[COLUMN];
    struct stream s = stream_open(4, 0, 0, PURPOSE_ARRIVALS);
    for (uint64_t done = 0; done < COLUMNS; done++) {
        exponential_draws(s, done * COLUMN, MEAN_NS, x, COLUMN);
        for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
            ns_t limit_ns = (ns_t)(limits[k] * MEAN_NS);
            for (size_t i = 0; i < COLUMN; i += 8) {
                uint64_t hits = 0;
                for (size_t lane = 0; lane < 8; lane++)
                    hits += x[i + lane] > limit_ns;
                above[k][i / 8 % 2] += hits;
            }
        }
    }
    for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++)
        for (int half = 0; half < 2; half++) {
            double n = 0.5 * COLUMN * COLUMNS;
            double p = gsl_cdf_exponential_Q(limits[k] * MEAN_NS + 0.5, MEAN_NS);
            double hits = (double)above[k][half], rare = fmin(p, 1.0 - p);
            assert_true(is_likely(p < 0.5 ? hits : n - hits, rare * n));
            assert_false(is_likely(2.0 * rare * n + 30.0, rare * n)); /* canary */
        }
}

/* A table of so many sides squared, all cells alike: chi-square. */
static double p_of_table(const uint64_t *cells, size_t sides)
{
    double sum = 0.0, n = 0.0;
    for (size_t c = 0; c < sides * sides; c++)
        n += (double)cells[c];
    double each = n / (double)(sides * sides);
    for (size_t c = 0; c < sides * sides; c++)
        sum += ((double)cells[c] - each) * ((double)cells[c] - each) / each;
    return gsl_cdf_chisq_Q(sum, (double)(sides * sides - 1));
}

static void assert_independent(double p)
{
    assert_true(p > LEVEL && p < 1.0 - LEVEL);
}

#define SIDES 32
#define DRAWS (2 * MANY)

static uint8_t cell_of(double x)
{
    int cell = (int)(SIDES * -expm1(-x));
    return (uint8_t)(cell < SIDES ? cell : SIDES - 1);
}

/* In which 32nd of its law each draw is. */
static uint8_t *cells_of(struct stream s)
{
    enum { COLUMN = 1000 };
    uint8_t *cells = must_alloc(DRAWS + 64, 1);
    for (size_t done = 0; done < DRAWS; done += COLUMN) {
        ns_t x[COLUMN];
        exponential_draws(s, done, MEAN_NS, x, COLUMN);
        for (size_t i = 0; i < COLUMN; i++)
            cells[done + i] = cell_of((double)x[i] / MEAN_NS);
    }
    return cells;
}

/* Of each draw of a, or only of the first ones of words, and of that so far behind it in b. */
static double p_of_draws(const uint8_t *a, const uint8_t *b, size_t apart, bool firsts)
{
    uint64_t table[SIDES * SIDES] = {0};
    for (size_t i = 0; i + apart < DRAWS; i++)
        table[a[i] * SIDES + b[i + apart]] += !firsts || half_of_draw(i) == 0;
    return p_of_table(table, SIDES);
}

static void the_two_draws_of_a_word_are_independent(void **state)
{
    (void)state;
    struct stream s = stream_open(1, 0, 0, PURPOSE_SERVICE);
    uint8_t *cells = cells_of(s);
    assert_independent(p_of_draws(cells, cells, 8, true));
    assert_true(p_of_draws(cells, cells, 0, true) < LEVEL); /* canaries: a draw and itself */
    uint64_t table[SIDES * SIDES] = {0};                    /* and v for w */
    for (uint64_t i = 0; i < MANY / 16; i++) {
        uint64_t word = stream_word(s, i);
        double v = (double)part_of(word, 1) * 0x1p-48, whole = (double)truth_of(word).whole;
        table[cell_of(whole * v) * SIDES + cell_of(whole - whole * v)]++;
    }
    assert_true(p_of_table(table, SIDES) < LEVEL);
    free(cells);
}

static void draws_are_independent_of_those_behind_them_and_of_other_streams(void **state)
{
    (void)state;
    static const size_t aparts[] = {1, 2, 7, 8, 9, 16};
    uint8_t *arrivals = cells_of(stream_open(1, 0, 0, PURPOSE_ARRIVALS));
    uint8_t *others[] = {cells_of(stream_open(1, 0, 0, PURPOSE_SERVICE)),
                         cells_of(stream_open(1, 0, 1, PURPOSE_ARRIVALS)),
                         cells_of(stream_open(2, 0, 0, PURPOSE_ARRIVALS))};
    for (size_t k = 0; k < sizeof aparts / sizeof aparts[0]; k++)
        assert_independent(p_of_draws(arrivals, arrivals, aparts[k], false));
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        assert_independent(p_of_draws(arrivals, others[k], 0, false));
        assert_independent(p_of_draws(arrivals, others[k], 1, false));
        assert_independent(p_of_draws(arrivals, others[k], 8, false));
        free(others[k]);
    }
    free(arrivals);
}

/* 16 x 16 cells of four bits of either: of words that are so far apart, or of parts of one. */
static double p_of_words(struct stream a, struct stream b, uint64_t apart, int shift)
{
    uint64_t cells[256] = {0};
    for (uint64_t i = 0; i < MANY; i++)
        cells[(stream_word(a, i) >> shift & 15) << 4 | (stream_word(b, i + apart) >> shift & 15)]++;
    return p_of_table(cells, 16);
}

static void words_are_independent_of_those_behind_them_and_of_other_streams(void **state)
{
    (void)state;
    static const int shifts[] = {60, 12, 0};
    struct stream arrivals = stream_open(1, 0, 0, PURPOSE_ARRIVALS);
    struct stream service = stream_open(1, 0, 0, PURPOSE_SERVICE);
    struct stream other = stream_open(1, 0, 1, PURPOSE_ARRIVALS);
    for (int k = 0; k < 3; k++) {
        assert_independent(p_of_words(arrivals, arrivals, 1, shifts[k]));
        assert_independent(p_of_words(arrivals, arrivals, 2, shifts[k]));
        assert_independent(p_of_words(service, service, 7, shifts[k]));
        assert_independent(p_of_words(arrivals, service, 0, shifts[k]));
        assert_independent(p_of_words(arrivals, service, 1, shifts[k]));
        assert_independent(p_of_words(arrivals, other, 0, shifts[k]));
        assert_true(p_of_words(arrivals, arrivals, 0, shifts[k]) < LEVEL); /* canary */
    }
}

/* Four bits of one part behind so many, and of another. */
static double p_of_parts(int one, int behind, int other, int other_behind)
{
    struct stream s = stream_open(3, 0, 0, PURPOSE_SERVICE);
    uint64_t cells[256] = {0};
    for (uint64_t i = 0; i < MANY; i++) {
        uint64_t word = stream_word(s, i);
        uint64_t a = part_of(word, one) >> (PART_BITS - 4 - behind) & 15;
        uint64_t b = part_of(word, other) >> (PART_BITS - 4 - other_behind) & 15;
        cells[a << 4 | b]++;
    }
    return p_of_table(cells, 16);
}

static void the_three_uniforms_of_a_word_are_independent_pairwise(void **state)
{
    (void)state;
    static const int behind[] = {0, 12, 20, 28};
    for (int one = 0; one < PARTS; one++)
        for (int other = one + 1; other < PARTS; other++)
            for (size_t k = 0; k < sizeof behind / sizeof behind[0]; k++)
                assert_independent(p_of_parts(one, behind[k], other, behind[k]));
    assert_true(p_of_parts(0, 32, 1, 0) < LEVEL); /* canary: byte 3, in u and in v */
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
        cmocka_unit_test(draws_are_exponential_by_gsl),
        cmocka_unit_test(so_are_first_and_second_draws_apart_and_the_sum_of_both_is_gamma),
        cmocka_unit_test(both_tails_hold_as_many_draws_as_gsl_says),
        cmocka_unit_test(the_two_draws_of_a_word_are_independent),
        cmocka_unit_test(draws_are_independent_of_those_behind_them_and_of_other_streams),
        cmocka_unit_test(words_are_independent_of_those_behind_them_and_of_other_streams),
        cmocka_unit_test(the_three_uniforms_of_a_word_are_independent_pairwise),
        cmocka_unit_test(one_bit_of_difference_changes_half_of_the_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
