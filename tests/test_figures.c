/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "tests/made_result.h"
#include "tools/report/figures.h"
#include "tools/report/utf8.h"

static void the_unit_is_the_largest_in_which_no_figure_is_below_1(void **state)
{
    (void)state;
    static const struct {
        ns_t least_ns, other_ns;
        enum unit wanted;
        const char *unit, *text;
    } rows[] = {
        {1, 1000000, UNIT_AUTO, "ns", "1.0"},
        {999, 1000000, UNIT_AUTO, "ns", "999.0"},
        {1000, 1000000, UNIT_AUTO, "us", "1.0"},
        {1001, 1000000, UNIT_AUTO, "us", "1.001"},
        {1010, 1000000, UNIT_AUTO, "us", "1.01"},
        {1500000, 2000000, UNIT_AUTO, "ms", "1.5"},
        {1500001, 2000000, UNIT_AUTO, "ms", "1.500"},
        {1500500, 2000000, UNIT_AUTO, "ms", "1.500"}, /* half to even */
        {1501500, 2000000, UNIT_AUTO, "ms", "1.502"},
        {UINT64_C(1999999999), UINT64_C(2000000000), UNIT_AUTO, "s", "2.000"},
        {1, 1000000, UNIT_MS, "ms", "0.000"},
        {0, 2000000, UNIT_AUTO, "ms", "0.0"}, /* a zero asks for no unit */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct made_result *m = made_result();
        m->plan.recorder_count = 1;
        m->plan.report.percentile_count = 2;
        m->plan.report.unit = rows[i].wanted;
        m->cells[0][0].value = figure_of_ns(rows[i].least_ns);
        m->cells[0][1].value = figure_of_ns(rows[i].other_ns);
        struct recorder_result *rec = &m->recorder_results[0];
        rec->min = rec->max = rec->mean = (struct figure){0};
        struct scale scale = scale_of(&m->result);
        char text[FIGURE_TEXT];
        scale_write(scale, figure_of_ns(rows[i].least_ns), text);
        assert_string_equal(scale.name, rows[i].unit);
        assert_string_equal(text, rows[i].text);
        free(m);
    }
}

static void numbers_are_written_without_needless_digits_or_exponents(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *real, *plain, *rate;
    } rows[] = {
        {NAN, "", "", ""},
        {INFINITY, "inf", "inf", "inf"},
        {0, "0", "0", "0"},
        {5000, "5000", "5000", "5000"},
        {12500.0 / 3, "4166.66666667", "4167", "4166.667"},
        {0.0006662225, "0.0006662225", "0.000666", "0.0006662"},
        {9.999, "9.999", "10.00", "9.999"},
        {1e300, "1e+300", "1e+300", "1e+300"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[FIGURE_TEXT];
        real_write(rows[i].value, 12, text);
        assert_string_equal(text, rows[i].real);
        plain_write(rows[i].value, 3, text);
        assert_string_equal(text, rows[i].plain);
        rate_write(rows[i].value, 3, text);
        assert_string_equal(text, rows[i].rate);
    }
}

static void a_sum_of_2_to_the_90_is_written_whole(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    m->recorder_results[0].sum.ns = (u128)1 << 90;
    struct scale scale = {1, "ns", 1};
    char text[FIGURE_TEXT];
    scale_write_sum(scale, m->recorder_results[0].sum, text);
    assert_string_equal(text, "1237940039285380274899124224.0");
    free(m);
}

static void text_is_cut_between_words_and_by_columns_not_bytes(void **state)
{
    (void)state;
    const char *next;
    assert_int_equal(utf8_width("d\xc3\xa9j\xc3\xa0"), 4);
    assert_int_equal(utf8_width("\xe6\x97\xa5\xe6\x9c\xac"), 4);
    assert_int_equal(utf8_width("e\xcc\x81"), 1);
    assert_int_equal(utf8_wrap("one two", 4, &next), 3);
    assert_string_equal(next, "two");
    assert_int_equal(utf8_wrap("abcdef", 4, &next), 4);
    assert_string_equal(next, "ef");
    assert_int_equal(utf8_wrap("\xe6\x97\xa5\xe6\x9c\xac", 1, &next), 3);
    char *clean = utf8_clean("\x1b\xc0\xaf\xed\xa0\x80"
                             "A");
    assert_string_equal(clean, "\\u001b\\xc0\\xaf\\xed\\xa0\\x80"
                               "A");
    free(clean);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_unit_is_the_largest_in_which_no_figure_is_below_1),
        cmocka_unit_test(numbers_are_written_without_needless_digits_or_exponents),
        cmocka_unit_test(a_sum_of_2_to_the_90_is_written_whole),
        cmocka_unit_test(text_is_cut_between_words_and_by_columns_not_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
