/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What stands under a table: short, and once for all whom it is about. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tests/report_text.h"
#include "tools/report/figures.h"

static void outcomes_that_did_not_happen_are_not_told(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    m->load_results[0].stalls = 0;
    m->load_results[1].stalls = 1;
    m->load_results[1].timed_out = 3;
    m->load_results[1].in_flight_at_end = 2;
    char *text = report_as(m, FORMAT_MARKDOWN);
    assert_contains(text, "load \"one connection\": 100000 sent, 100000 answered, last answer at ");
    assert_contains(text,
                    "load \"open\": 100000 sent, 100000 answered, 3 timed out, 2 in flight at "
                    "the end, 1 stall, last answer at ");
    free(text);
    free(m);
}

static void a_gate_that_fails_for_several_recorders_is_told_once(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    m->gates[0] = (struct gate_result){"samples", NO_INDEX, 0, false, "too few"};
    m->gates[1] = (struct gate_result){"samples", NO_INDEX, 2, false, "too few"};
    char *text = report_as(m, FORMAT_MARKDOWN);
    assert_contains(text,
                    "gate samples FAILS, recorders \"closed loop, from send\", \"closed loop, "
                    "corrected\": too few");
    assert_int_equal(count_of(text, "gate samples FAILS"), 1);
    free(text);
    m->gates[1].reason = "none at all";
    text = report_as(m, FORMAT_MARKDOWN);
    assert_contains(text, "gate samples FAILS, recorder \"closed loop, from send\": too few");
    assert_contains(text, "gate samples FAILS, recorder \"closed loop, corrected\": none at all");
    free(text);
    free(m);
}

static void the_rule_of_a_gate_is_told_once(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    m->gates[0] = (struct gate_result){"samples", NO_INDEX, 0, false, "3 of them; 10 are wanted"};
    m->gates[1] = (struct gate_result){"samples", NO_INDEX, 2, false, "4 of them; 10 are wanted"};
    char *text = report_as(m, FORMAT_MARKDOWN);
    assert_contains(text, "\"closed loop, from send\": 3 of them; 10 are wanted\n");
    assert_contains(text, "\"closed loop, corrected\": 4 of them\n");
    free(text);
    free(m);
}

static void minima_are_in_the_unit_of_the_table(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    struct scale table = scale_of(&m->result);
    char shown[FIGURE_TEXT];
    m->recorder_results[0].min = figure_of_ns(17);
    struct scale minima = scale_of_minima(&m->result);
    assert_int_equal(minima.unit_ns, table.unit_ns);
    m->recorder_results[1].min = figure_of_ns(200269);
    minima = scale_of_minima(&m->result);
    double unit = (double)minima.unit_ns, shows = 0.0;
    scale_write(minima, figure_of_ns(17), shown);
    shows = strtod(shown, NULL) * unit;
    assert_true(shows > 16.9 && shows < 17.1);
    free(m);
}

static void a_gate_that_fails_for_all_recorders_says_every(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    struct gate_result gates[MADE_RECORDERS];
    for (size_t i = 0; i < MADE_RECORDERS; i++)
        gates[i] = (struct gate_result){"samples", NO_INDEX, i, false, "too few"};
    m->result.gates = gates;
    m->result.gate_count = MADE_RECORDERS;
    char *text = report_as(m, FORMAT_MARKDOWN);
    assert_contains(text, "gate samples FAILS, every recorder: too few");
    free(text);
    free(m);
}

static void a_reason_for_no_law_is_told_once(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    for (size_t i = 0; i < 2; i++) {
        m->recorder_results[i].law_name = NULL;
        m->recorder_results[i].law_why = "Nobody knows.";
    }
    char *text = report_as(m, FORMAT_MARKDOWN);
    assert_contains(text, "no law for recorders \"closed loop, from send\", \"open loop, from "
                          "due\": Nobody knows.");
    assert_int_equal(count_of(text, "Nobody knows."), 1);
    free(text);
    free(m);
}

static void a_row_of_words_that_no_recorder_beside_it_has_is_left_out(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    m->cells[2][4].low = figure_of_ns(200000000);
    m->cells[2][4].high = figure_of_ns(200200000);
    struct report_style narrow = {.format = FORMAT_TEXT, .width = 60, .first = true};
    char *text = report_written(m, narrow);
    assert_int_equal(count_of(text, "\nmax  "), 3); /* a block for each recorder */
    assert_int_equal(count_of(text, "\nmax, 95 %"), 1);
    free(text);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outcomes_that_did_not_happen_are_not_told),
        cmocka_unit_test(a_gate_that_fails_for_several_recorders_is_told_once),
        cmocka_unit_test(the_rule_of_a_gate_is_told_once),
        cmocka_unit_test(minima_are_in_the_unit_of_the_table),
        cmocka_unit_test(a_gate_that_fails_for_all_recorders_says_every),
        cmocka_unit_test(a_reason_for_no_law_is_told_once),
        cmocka_unit_test(a_row_of_words_that_no_recorder_beside_it_has_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
