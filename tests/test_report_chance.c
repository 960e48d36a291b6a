/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What only a random run has to show: intervals, a length that was chosen, a start that settles. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/laws/law.h"
#include "tests/report_text.h"
#include "tools/report/figures.h"

static void a_percentile_shows_its_interval_under_it_where_there_is_one(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    m->cells[0][1].low = figure_of_ns(99000);
    m->cells[0][1].high = figure_of_ns(101500);
    m->cells[1][1].low = figure_of_ns(149000000);
    m->cells[1][1].interval_why = "values are known from below only";
    m->cells[2][1].high = figure_of_ns(80400000);
    char *text = report_as(m, FORMAT_MARKDOWN);
    assert_line(text, "| p90, 95 %",
                "| p90, 95 % | 99.0 .. 101.5 | at least 149000.0 | at most 80400.0 |");
    assert_int_equal(count_of(text, ", 95 %"), 1);
    free(text);
    text = report_as(m, FORMAT_TEXT);
    assert_int_equal(count_of(text, "99.0 .. 101.5"), 1);
    assert_int_equal(count_of(text, "\np90, 95 %"), 1);
    assert_contains(text, "95 %: where");
    free(text);
    text = report_as(m, FORMAT_CSV);
    assert_contains(text, "p90 low,ns,99000,,,,,,\n");
    assert_contains(text, "p90 high,ns,101500,,,,,,\n");
    assert_int_equal(count_of(text, " low,"), 2);
    free(text);
    text = report_as(m, FORMAT_JSON);
    assert_contains(text, "\"low_ns\": 99000, \"high_ns\": 101500, \"interval_why\": null");
    assert_contains(text, "\"low_ns\": 149000000, \"high_ns\": null, \"interval_why\": \"values");
    free(text);
    free(m);
}

static void three_recorders_with_intervals_still_stand_side_by_side(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    for (size_t i = 0; i < MADE_RECORDERS; i++) {
        m->cells[i][4].low = figure_of_ns(200000000);
        m->cells[i][4].high = figure_of_ns(200200000);
    }
    char *text = report_as(m, FORMAT_TEXT), *line = line_of(text, "max, 95 %");
    assert_int_equal(count_of(line, "200000.0 .. 200200.0"), 3);
    free(line);
    free(text);
    free(m);
}

static void a_run_without_intervals_has_no_row_for_them(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    char *text = report_as(m, FORMAT_TEXT);
    assert_null(strstr(text, "95 %"));
    assert_null(strstr(text, "wanders"));
    free(text);
    text = report_as(m, FORMAT_JSON);
    assert_contains(text, "\"low_ns\": null, \"high_ns\": null");
    assert_contains(text, "\"wander\": null");
    assert_contains(text, "\"detect\": null");
    free(text);
    free(m);
}

static void the_length_that_was_chosen_is_told_with_its_reason(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    m->plan.run.detect_p = (struct ratio){999, 1000};
    m->plan.run.detect_within = (struct ratio){1, 40};
    m->result.sizing = "50000 requests, as the pilot says";
    char *text = report_as(m, FORMAT_TEXT);
    assert_contains(text, "\nrun length: 50000 requests, as the pilot says\n");
    free(text);
    text = report_as(m, FORMAT_JSON);
    assert_contains(text, "\"detect\": {\"percentile\": 99.9, \"within\": 0.025, \"says\": "
                          "\"50000 requests, as the pilot says\"}");
    free(text);
    free(m);
}

static void copies_and_the_time_to_settle_are_told_where_there_are_any(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    m->load_results[1].attempts = 100123;
    m->load_results[1].settle_ns = 2500000000;
    m->recorder_results[1].law_note = "0.123 % more copies";
    char *text = report_as(m, FORMAT_MARKDOWN);
    assert_contains(text, "load \"one connection\": 100000 sent, 100000 answered");
    assert_contains(text, "load \"open\": 100000 sent in 100123 copies, 100000 answered");
    assert_int_equal(count_of(text, ", after 2.5s that is not recorded"), 1);
    assert_contains(text, "law of recorder \"open loop, from due\": 0.123 % more copies");
    free(text);
    text = report_as(m, FORMAT_JSON);
    assert_contains(text, "\"sent\": 100000, \"attempts\": 100123");
    assert_contains(text, "\"settle_ns\": 2500000000");
    free(text);
    text = report_as(m, FORMAT_CSV);
    assert_contains(text, "open,attempts,requests,100123,");
    free(text);
    free(m);
}

static void laws_without_a_run_say_what_they_are_and_how_far_a_percentile_wanders(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    m->result.law_only = true;
    m->recorder_results[0].law_name = law_list[0]->is.name;
    m->recorder_results[0].law_mean = figure_of_ns(140000);
    m->cells[0][2].wander = 0.0123456;
    char *text = report_as(m, FORMAT_MARKDOWN),
         *law = must_format("- law %s: ", law_list[0]->is.name);
    assert_int_equal(count_of(text, law), 1);
    assert_contains(text, "Formula: ");
    assert_contains(text, "Source: ");
    assert_line(text, "| p99 wanders", "| p99 wanders | 1.23 % |  |  |");
    assert_contains(text, "\n| mean | 140.0 ");
    free(text);
    free(law);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_percentile_shows_its_interval_under_it_where_there_is_one),
        cmocka_unit_test(three_recorders_with_intervals_still_stand_side_by_side),
        cmocka_unit_test(a_run_without_intervals_has_no_row_for_them),
        cmocka_unit_test(the_length_that_was_chosen_is_told_with_its_reason),
        cmocka_unit_test(copies_and_the_time_to_settle_are_told_where_there_are_any),
        cmocka_unit_test(laws_without_a_run_say_what_they_are_and_how_far_a_percentile_wanders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
