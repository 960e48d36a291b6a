/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What experiments are made of: exact decimals, spreads, shapes. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "models/experiments/rungs.h"
#include "models/experiments/spread.h"

static struct decimal of(const char *text)
{
    struct decimal d;
    if (!decimal_parse(text, &d))
        fail_msg("%s is no decimal", text);
    return d;
}

static void same_text(struct decimal d, const char *wanted)
{
    char *text = decimal_text(d);
    assert_string_equal(text, wanted);
    free(text);
}

static void a_decimal_is_written_as_it_was_read_without_needless_zeros(void **state)
{
    static const char *const pairs[][2] = {
        {"0", "0"},
        {"0.75", "0.75"},
        {"10", "10"},
        {"1.50", "1.5"},
        {"1.5e3", "1500"},
        {"25e-3", "0.025"},
        {"\"10ms\"", "\"10ms\""},
        {"\"1.50s\"", "\"1.5s\""},
        {"0.000000001", "0.000000001"},
        {"999999999999999999", "999999999999999999"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        same_text(of(pairs[i][0]), pairs[i][1]);
}

static void what_is_no_decimal_is_refused(void **state)
{
    static const char *const bad[] = {"",      "-1",    ".",    "1x",
                                      "1 ms",  "\"1ms", "null", "1e99",
                                      "\"x\"", "[1]",   "1..2", "1000000000000000000"};
    struct decimal d;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (decimal_parse(bad[i], &d))
            fail_msg("%s was taken", bad[i]);
}

static void steps_and_ratios_are_exact(void **state)
{
    (void)state;
    same_text(decimal_steps(of("\"10ms\""), 3, of("\"2.5ms\"")), "\"17.5ms\"");
    same_text(decimal_steps(of("0.1"), 1000000, of("0.0000001")), "0.2");
    same_text(decimal_of_ratio((struct ratio){1, 8}), "0.125");
    same_text(decimal_of_ratio((struct ratio){12345, 100}), "123.45");
    same_text(decimal_round(of("2.5")), "3");
    same_text(decimal_round(of("2.4999")), "2");
    assert_int_equal(decimal_count(of("0.5"), of("0.1"), of("1.04")), 5);
    assert_int_equal(decimal_count(of("0.5"), of("0.1"), of("1.1")), 6);
    assert_true(decimal_compare(of("1.10"), of("1.1")) == 0);
    assert_true(decimal_compare(of("0.9"), of("1")) < 0);
}

static void rates_are(struct value_list fractions, const char *capacity, bool whole,
                      const char *const *wanted)
{
    char **rates = fraction_rates(&fractions, of(capacity), whole);
    for (size_t i = 0; i < fractions.count; i++) {
        assert_string_equal(rates[i], wanted[i]);
        free(rates[i]);
    }
    free(rates);
}

static void fractions_of_a_capacity_are_those_of_integer_division_where_wanted(void **state)
{
    char *texts[] = {"0.5", "0.75", "0.7", "1.1"};
    struct value_list fractions = {texts, 4};
    (void)state;
    rates_are(fractions, "226", true, (const char *[]){"113", "169", "158", "248"});
    rates_are(fractions, "250", true, (const char *[]){"125", "187", "175", "275"});
    rates_are(fractions, "249.8", true, (const char *[]){"125", "187", "175", "275"});
    rates_are(fractions, "226", false, (const char *[]){"113", "169.5", "158.2", "248.6"});
    char *ladder[] = {"0.136", "0.272", "0.68"};
    rates_are((struct value_list){ladder, 3}, "44117.647", false,
              (const char *[]){"5999.999992", "11999.999984", "29999.99996"});
}

static void a_spread_is_that_of_its_definition(void **state)
{
    const double values[] = {4.0, NAN, 1.0, 3.0, 8.0};
    struct spread s = spread_of(values, 5);
    (void)state;
    assert_int_equal(s.count, 4);
    assert_true(s.min == 1.0 && s.max == 8.0 && s.range == 7.0 && s.median == 3.5);
    assert_true(s.mean == 4.0);
    assert_true(fabs(s.deviation - sqrt(26.0 / 3.0)) < 1e-15);
    assert_true(s.cv == s.deviation / 4.0);
    s = spread_of(values, 1);
    assert_true(s.count == 1 && s.median == 4.0 && isnan(s.cv));
    s = spread_of(values + 1, 1);
    assert_true(s.count == 0 && isnan(s.min) && isnan(s.mean));
}

static void runs_that_are_all_the_same_do_not_stray(void **state)
{
    const double values[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    struct spread s = spread_of(values, 7);
    (void)state;
    assert_true(s.cv == 0.0 && s.range == 0.0 && s.mean == 0.1);
}

static void students_t_is_that_of_gsl(void **state)
{
    (void)state;
    for (size_t n = 1; n < 3000; n = n < 60 ? n + 1 : n * 2)
        if (fabs(student_t_975(n) - gsl_cdf_tdist_Qinv(0.025, (double)n)) > 5e-6)
            fail_msg("%zu degrees of freedom: %.9g", n, student_t_975(n));
}

static void components_are_those_of_the_analysis_of_variance(void **state)
{
    const double values[] = {1.0, 3.0, 5.0, 7.0};
    struct components c = components_of(values, 2, 2, 10.0);
    (void)state;
    assert_true(c.mean == 4.0);
    assert_true(fabs(c.within - 2.0) < 1e-14 && fabs(c.between - 7.0) < 1e-14);
    assert_true(fabs(c.single - 3.0) < 1e-14);
    assert_true(fabs(c.longer - sqrt(7.2)) < 1e-14);
    assert_true(fabs(c.restarts - sqrt(0.9)) < 1e-14);
    /* One degree of freedom: 12.706205 times 1, and times 2. */
    assert_true(fabs(c.within_low - (2.0 - 12.706205)) < 1e-9);
    assert_true(fabs(c.between_high - (4.0 + 2.0 * 12.706205)) < 1e-9);
    const double alike[] = {1.0, 3.0, 3.0, 1.0};
    c = components_of(alike, 2, 2, 10.0);
    assert_true(c.between == 0.0 && c.longer == c.restarts);
}

static void shape_is(const double *low, const double *high, size_t count, enum ladder_shape wanted,
                     size_t falls_at)
{
    size_t at;
    assert_int_equal(ladder_shape(low, high, count, &at), wanted);
    assert_int_equal(at, falls_at);
}

static void a_ladder_has_a_shape_only_where_intervals_part(void **state)
{
    const double flat[] = {5, 5, 5}, up[] = {1, 2, 3}, down[] = {3, 2, 1};
    const double turn[] = {1, 9, 2}, low[] = {1, 2, 3}, high[] = {2.5, 3.5, 4}, gap[] = {1, NAN, 2};
    (void)state;
    shape_is(flat, flat, 3, LADDER_FLAT, 0);
    shape_is(up, up, 3, LADDER_RISES, 0);
    shape_is(down, down, 3, LADDER_FALLS, 1);
    shape_is(turn, turn, 3, LADDER_TURNS, 2);
    shape_is(low, high, 3, LADDER_FLAT, 0);
    shape_is(gap, gap, 3, LADDER_UNKNOWN, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_decimal_is_written_as_it_was_read_without_needless_zeros),
        cmocka_unit_test(what_is_no_decimal_is_refused),
        cmocka_unit_test(steps_and_ratios_are_exact),
        cmocka_unit_test(fractions_of_a_capacity_are_those_of_integer_division_where_wanted),
        cmocka_unit_test(a_spread_is_that_of_its_definition),
        cmocka_unit_test(runs_that_are_all_the_same_do_not_stray),
        cmocka_unit_test(students_t_is_that_of_gsl),
        cmocka_unit_test(components_are_those_of_the_analysis_of_variance),
        cmocka_unit_test(a_ladder_has_a_shape_only_where_intervals_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
