/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Other people's files that contradict themselves, and their numbers. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "sim/formats/imported.h"
#include "sim/formats/text.h"

static void refuses(const char *text, const char *because)
{
    struct errors errors = {0};
    struct imported m;
    assert_false(imported_read("f", text, strlen(text), 0, &m, &errors));
    assert_int_not_equal(errors.count, 0);
    if (strstr(errors.texts[0], because) == NULL)
        print_message("# %s, not %s\n", errors.texts[0], because);
    assert_non_null(strstr(errors.texts[0], because));
    errors_free(&errors);
}

static void what_contradicts_itself_is_refused(void **unused)
{
    (void)unused;
    static const char *const cases[][2] = {
        {"", "no value"},
        {"# nothing\n", "no value"},
        {"12\nlatency\n", "f:2:1"},
        {"-5\n", "0 or more"},
        {"1e30\n", "below 146 years"},
        {"nan\n", "found nan"},
        {"upper,cumulative\n1,5\n2,4\n", "do not fall"},
        {"upper,count\n2,5\n1,4\n", "do not ascend"},
        {"upper,count\n2,5\n2,4\n", "do not ascend"},
        {"upper,count\n2,5\ncount,6\n", "hold 5"},
        {"upper,count\n2,5\n+Inf,1\n3,1\n", "f:4:1"},
        {"upper,count\n2,5\nmin,3\n", "smallest"},
        {"upper,count\n2,5\n4,1\nmax,2\n", "largest"},
        {"upper,count\n2,5\nsum,11\n", "sum"},
        {"upper,count\n2,-5\n", "f:2:1"},
        {"upper,count\n2,18446744073709551615\n", "2^63"},
        {"upper,number\n2,5\n", "names its two columns"},
        {"upper,count\n+Inf,0\n", "no value"},
        {"{\"upper\": [1, 2], \"counts\": [1]}", "no count for this bound"},
        {"{\"upper\": [1], \"counts\": [1, 2, 3]}", "behind that of the open bucket"},
        {"{\"upper\": [1], \"counts\": [1.5]}", "whole number"},
        {"{\"upper\": [1], \"counts\": [1], \"total\": 1}", "unknown key"},
        {"{\"upper\": [2, 1], \"counts\": [1, 1]}", "do not ascend"},
        {"{\"upper\": [1], \"counts\": [1], \"unit\": \"h\"}", "\"ms\""},
        {"{\"upper\": [1], \"counts\": [1]", "f:1"},
        {"Value Percentile TotalCount 1/(1-Percentile)\n\n1.0 0.0 1 1.0\n0.5 1.0 2\n",
         "never fall"},
        {"Value Percentile TotalCount 1/(1-Percentile)\n\n1.0 0.0 2 1.0\n2.0 1.0 1\n",
         "never fall"},
        {"Value Percentile TotalCount 1/(1-Percentile)\n\n1.0 0.5 2 1.0\n", "percentile 1"},
        {"Value Percentile TotalCount 1/(1-Percentile)\n\n1.0 0.900000 5 10\n2.0 1.0 10\n",
         "percentiles beside them"},
        {"Value Percentile TotalCount 1/(1-Percentile)\n\n1.0 1.0 2\n#[Max = 1.0, Total count = "
         "3]\n",
         "total count"},
        {"Value Percentile TotalCount 1/(1-Percentile)\n\n1.0 1.0 2\n#[Max = 9.0, Total count = "
         "2]\n",
         "maximum"},
        {"#[Histogram log format version 1.3]\n0.0,1.0,1.0,HISTFAAA\n", "f:2:1"},
        {"#[Histogram log format version 1.3]\n0.0,1.0,HISTFAAA\n", "start in s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        refuses(cases[i][0], cases[i][1]);
}

static void numbers_are_read_to_the_thousandth_of_a_ns(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        ns_t unit_ns;
        long long milli; /* -1: none */
    } cases[] = {
        {"0", 1, 0},
        {"1", 1, 1000},
        {"1.5", NS_PER_US, 1500000},
        {"1.5ms", 1, 1500000000},
        {"1e-05", NS_PER_S, 10000000},
        {"0.00012345678901234567", NS_PER_S, 123456789},
        {"0.0004", 1, 0},
        {"0.0005", 1, 0},
        {"0.0015", 1, 2},
        {"0.00050000001", 1, 1},
        {"2.5E3", 1, 2500000},
        {"1e-400", 1, 0},
        {"", 1, -1},
        {".", 1, -1},
        {"1e", 1, -1},
        {"1h", 1, -1},
        {"0x10", 1, -1},
        {"inf", 1, -1},
        {"1e400", 1, -1},
        {"4611686018427387904", 1, -1},
        {"9999999999999999999999999999999999", 1, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        i128 milli = -1;
        struct piece text = {cases[i].text, strlen(cases[i].text)};
        bool good = milli_parse(text, cases[i].unit_ns, &milli);
        assert_int_equal(good, cases[i].milli >= 0);
        if (good)
            assert_true(milli == cases[i].milli);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_contradicts_itself_is_refused),
        cmocka_unit_test(numbers_are_read_to_the_thousandth_of_a_ns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
