/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/maths.h"
#include "models/distributions/distribution.h"
#include "models/registry.h"
#include "tests/claim.h"

static struct ratio ratio_of(const char *text)
{
    struct ratio r = {0, 0};
    assert_true(ratio_parse(text, strlen(text), &r));
    return r;
}

static void a_decimal_is_read_exactly(void **state)
{
    (void)state;
    assert_int_equal(ratio_of("99.9").num, 999);
    assert_int_equal(ratio_of("99.9").den, 10);
    assert_int_equal(ratio_of("0.001").den, 1000);
    assert_int_equal(ratio_of("1.50").num, 3);
    assert_int_equal(ratio_of("1.5e3").num, 1500);
    assert_int_equal(ratio_of("25e-1").den, 2);
    assert_int_equal(ratio_of("0").den, 1);
    assert_int_equal(ratio_of("18446744073709551615").num, UINT64_MAX);
}

static void what_is_no_decimal_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", ".5", "5.", "1e", "1e+", "-1", "1..2", "1x", "1e999", "18446744073709551616", "1e-40"};
    struct ratio r;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(ratio_parse(bad[i], strlen(bad[i]), &r));
}

static void a_duration_is_exact_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum duration_fault fault;
        ns_t ns;
    } cases[] = {
        {"1.5ms", DURATION_OK, 1500000},
        {"0.1us", DURATION_OK, 100},
        {"2min", DURATION_OK, 120000000000},
        {"0s", DURATION_OK, 0},
        {"1.5ns", DURATION_FRACTION, 0},
        {"5", DURATION_UNIT, 0},
        {"5 ms", DURATION_UNIT, 0},
        {"5h", DURATION_UNIT, 0},
        {"-5ms", DURATION_SYNTAX, 0},
        {"", DURATION_SYNTAX, 0},
        {"4611686018427387903ns", DURATION_OK, NS_LIMIT - 1},
        {"4611686018427387904ns", DURATION_TOO_LONG, 0},
        {"9999999999999s", DURATION_TOO_LONG, 0},
        {"18446744073709551616ns", DURATION_DIGITS, 0},
        {"0.1234567890123456789s", DURATION_DIGITS, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ns_t ns = 0;
        assert_int_equal(duration_parse(cases[i].text, strlen(cases[i].text), &ns), cases[i].fault);
        assert_int_equal(ns, cases[i].ns);
    }
}

static void a_formatted_duration_reads_back_the_same(void **state)
{
    (void)state;
    struct stream s = stream_open(7, 0, 0, PURPOSE_SERVICE);
    for (uint64_t i = 0; i < 20000; i++) {
        ns_t ns = stream_word(s, i) >> (2 + i % 60), back = 0;
        if (i % 3 == 0)
            ns = ns / 1000000 * 1000000;
        char text[32];
        duration_format(ns, text);
        assert_int_equal(duration_parse(text, strlen(text), &back), DURATION_OK);
        assert_int_equal(back, ns);
    }
}

/* FR-47: u is never 0 and never above 1, so no gap is infinite or negative. */
static void a_uniform_is_above_0_and_at_most_1(void **state)
{
    (void)state;
    assert_true(unit_of(0) == 0x1p-53);
    assert_true(unit_of(UINT64_MAX) == 1.0);
    assert_true(portable_log(1.0) == 0.0);
    assert_true(fabs(portable_log(0x1p-53) + 36.7368005696771) < 1e-12);
    assert_int_equal(round_ns(1e6 * -portable_log(unit_of(UINT64_MAX))), 0);
    assert_int_equal(round_ns(1e6 * -portable_log(unit_of(0))), 36736801);
}

/* Against the C library in long double: the error stays below one unit in the last place. */
static void the_portable_logarithm_is_right_to_the_last_place(void **state)
{
    (void)state;
    struct stream s = stream_open(1, 0, 0, PURPOSE_ARRIVALS);
    for (uint64_t i = 0; i < 2000000; i++) {
        double x = unit_of(stream_word(s, i));
        if (i % 2)
            x = ldexp(0.5 + x / 2, -(int)(stream_word(s, i) % 53));
        long double want = logl((long double)x);
        double got = portable_log(x);
        double place = nextafter(fabs(got), INFINITY) - fabs(got);
        assert_true(fabsl(want - (long double)got) <= (long double)place);
    }
}

static void rounding_is_half_to_even(void **state)
{
    (void)state;
    assert_int_equal(round_ns(0.5), 0);
    assert_int_equal(round_ns(1.5), 2);
    assert_int_equal(round_ns(2.5), 2);
    assert_int_equal(round_ns(2.5000001), 3);
    assert_int_equal(round_ns(0x1p52 + 1), (UINT64_C(1) << 52) + 1);
    assert_int_equal(round_ns(1e30), NS_LIMIT);
}

/* The first words of a stream, held so that no change of compiler or code moves a result. */
static void the_streams_are_what_they_were(void **state)
{
    (void)state;
    struct stream s = stream_open(1, 0, 0, PURPOSE_ARRIVALS);
    assert_int_equal(stream_word(s, 0), UINT64_C(0x9bf4f41214eef3ae));
    assert_int_equal(stream_word(s, 1000000007), UINT64_C(0x2c109f73bfaf4cf7));
}

static void streams_of_another_seed_run_replication_or_purpose_differ(void **state)
{
    (void)state;
    uint64_t first = stream_word(stream_open(1, 0, 0, PURPOSE_SERVICE), 0);
    assert_int_not_equal(first, stream_word(stream_open(2, 0, 0, PURPOSE_SERVICE), 0));
    assert_int_not_equal(first, stream_word(stream_open(1, 1, 0, PURPOSE_SERVICE), 0));
    assert_int_not_equal(first, stream_word(stream_open(1, 0, 1, PURPOSE_SERVICE), 0));
    assert_int_not_equal(first, stream_word(stream_open(1, 0, 0, PURPOSE_THINK), 0));
    assert_int_not_equal(
        first, stream_word(stream_open(1 + (UINT64_C(7) << 32), 0, 0, PURPOSE_SERVICE), 0));
}

/* Kolmogorov and Smirnov against the distribution's own tail: sqrt(n) D above 2.71 has probability
   below 1e-6.  Rounding to whole ns moves D by at most one ns over the mean. */
static double kolmogorov(const struct distribution_type *type, const void *params, size_t n)
{
    ns_t *x = must_alloc(n, sizeof *x);
    uint64_t cells[1000] = {0}, below = 0;
    type->draw(params, stream_open(3, 0, 0, PURPOSE_SERVICE), 0, x, n);
    double top_ns = 40.0 * type->mean_ns(params), worst = 0.0;
    for (size_t i = 0; i < n; i++) {
        size_t cell = (size_t)((double)x[i] / top_ns * 1000.0 * 8.0);
        if (cell < 1000)
            cells[cell]++;
    }
    for (size_t c = 0; c < 1000; c++) {
        below += cells[c];
        double edge_ns = top_ns / 8000.0 * (double)(c + 1);
        double off = fabs((double)below / (double)n - (1.0 - type->tail(params, edge_ns - 0.5)));
        worst = off > worst ? off : worst;
    }
    free(x);
    return worst * sqrt((double)n);
}

static void exponential_draws_pass_kolmogorov_and_smirnov(void **state)
{
    (void)state;
    struct exponential params = {.mean_ns = 12345678};
    assert_true(kolmogorov(&distribution_exponential, &params, 1000000) < 2.71);
}

static void canary_draws_two_percent_off_fail_kolmogorov_and_smirnov(void **state)
{
    (void)state;
    struct exponential drawn = {.mean_ns = 10000000};
    struct exponential claimed = {.mean_ns = 10200000};
    size_t n = 400000;
    uint64_t below = 0;
    ns_t *x = must_alloc(n, sizeof *x);
    distribution_exponential.draw(&drawn, stream_open(3, 0, 0, PURPOSE_SERVICE), 0, x, n);
    for (size_t i = 0; i < n; i++)
        below += x[i] <= claimed.mean_ns;
    free(x);
    double off = fabs((double)below / (double)n -
                      (1.0 - distribution_exponential.tail(&claimed, 10200000.5)));
    assert_true(off * sqrt((double)n) > 2.71);
}

/* Mean and square of a million draws, and of the residuals, within five standard errors: each
   comparison false with probability below 6e-7. */
static void check_moments(const char *name, const void *params, double mean_ns, double square_ns2,
                          double fourth)
{
    const struct distribution_type *type = (const void *)variant_find(&set_distributions, name);
    size_t n = 1000000;
    ns_t *x = must_alloc(n, sizeof *x);
    type->draw(params, stream_open(5, 0, 0, PURPOSE_SERVICE), 0, x, n);
    double sum = 0.0, squares = 0.0, residuals = 0.0;
    struct stream s = stream_open(5, 0, 0, PURPOSE_START);
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i];
        squares += (double)x[i] * (double)x[i];
        residuals += (double)type->residual(params, s, i);
    }
    double count = (double)n;
    free(x);
    assert_true(fabs(type->mean_ns(params) - mean_ns) < 1e-9 * mean_ns);
    assert_true(fabs(sum / count - mean_ns) <=
                5.0 * sqrt((square_ns2 - mean_ns * mean_ns) / count) + 1.0);
    assert_true(fabs(squares / count - square_ns2) <=
                5.0 * sqrt((fourth - square_ns2 * square_ns2) / count) + 2.0 * mean_ns);
    /* renewal theory: the residual's mean is E[S^2] / (2 E[S]); its own spread is at most 2 of it
     */
    double residual_ns = square_ns2 / (2.0 * mean_ns);
    assert_true(fabs(residuals / count - residual_ns) <=
                5.0 * 2.0 * residual_ns / sqrt(count) + 1.0);
}

static void draws_have_the_moments_of_their_distribution(void **state)
{
    (void)state;
    ns_t constant = 1000003, exponential = 5000000, uniform[2] = {1000000, 4000000};
    struct {
        ns_t usual_ns, rare_ns;
        struct ratio probability;
    } two_point = {5000000, 100000000, {3, 100}};
    double m = 5e6, u4 = (pow(4e6, 5) - pow(1e6, 5)) / (5.0 * 3e6);
    double u2 = (pow(4e6, 3) - pow(1e6, 3)) / (3.0 * 3e6);
    check_moments("constant", &constant, 1000003.0, 1000003.0 * 1000003.0, pow(1000003.0, 4));
    check_moments("exponential", &exponential, m, 2.0 * m * m, 24.0 * pow(m, 4));
    check_moments("uniform", uniform, 2.5e6, u2, u4);
    check_moments("two-point", &two_point, 0.97 * 5e6 + 0.03 * 1e8, 0.97 * 25e12 + 0.03 * 1e16,
                  0.97 * pow(5e6, 4) + 0.03 * pow(1e8, 4));
}

static void samples_are_taken_in_turn_from_any_index(void **state)
{
    (void)state;
    const struct distribution_type *type =
        (const void *)variant_find(&set_distributions, "samples");
    ns_t list[3] = {7, 8, 9}, out[5];
    struct durations values = {list, 3};
    type->draw(&values, (struct stream){0, 0}, 4, out, 5);
    ns_t want[5] = {8, 9, 7, 8, 9};
    assert_memory_equal(out, want, sizeof want);
}

/* Draw i is draw i, however the draws before it were fetched. */
static void a_draw_depends_on_its_index_alone(void **state)
{
    (void)state;
    struct exponential params = {.mean_ns = 777777};
    struct stream s = stream_open(9, 0, 3, PURPOSE_SERVICE);
    ns_t all[1000], one;
    distribution_exponential.draw(&params, s, 0, all, 1000);
    for (uint64_t i = 0; i < 1000; i += 7) {
        distribution_exponential.draw(&params, s, i, &one, 1);
        assert_int_equal(one, all[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_decimal_is_read_exactly),
        cmocka_unit_test(what_is_no_decimal_is_refused),
        cmocka_unit_test(a_duration_is_exact_or_refused),
        cmocka_unit_test(a_formatted_duration_reads_back_the_same),
        cmocka_unit_test(a_uniform_is_above_0_and_at_most_1),
        cmocka_unit_test(the_portable_logarithm_is_right_to_the_last_place),
        cmocka_unit_test(rounding_is_half_to_even),
        cmocka_unit_test(the_streams_are_what_they_were),
        cmocka_unit_test(streams_of_another_seed_run_replication_or_purpose_differ),
        cmocka_unit_test(exponential_draws_pass_kolmogorov_and_smirnov),
        cmocka_unit_test(canary_draws_two_percent_off_fail_kolmogorov_and_smirnov),
        cmocka_unit_test(draws_have_the_moments_of_their_distribution),
        cmocka_unit_test(samples_are_taken_in_turn_from_any_index),
        cmocka_unit_test(a_draw_depends_on_its_index_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
