/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Groups, averages and loads' costs on paper: what is printed where, and what is not. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/policies/resend.h"
#include "tests/claim.h"
#include "tests/report_text.h"

#define MANY 25

/* The second recorder keeps 25 windows, the third averages them. */
struct grouped {
    struct made_result *made;
    struct group_result groups[MANY];
    struct group_cell cells[MANY][MADE_PERCENTILES];
    char labels[MANY][32];
};

static struct grouped *grouped(void)
{
    struct grouped *g = must_alloc(1, sizeof *g);
    g->made = made_result();
    for (size_t i = 0; i < MANY; i++) {
        snprintf(g->labels[i], sizeof g->labels[i], "%zus to %zus", i, i + 1);
        for (size_t k = 0; k < MADE_PERCENTILES; k++)
            g->cells[i][k].value =
                (struct figure){.kind = FIGURE_EXACT, .exact = {.ns = 1000000 * (i + 1)}};
        g->groups[i] = (struct group_result){
            .label = g->labels[i], .index = i, .count = 4000, .cells = g->cells[i]};
    }
    g->cells[7][3] = (struct group_cell){.infinite = true};
    g->cells[8][3] = (struct group_cell){.at_least = g->cells[8][2].value};
    struct recorder_result *rec = &g->made->recorder_results[1];
    rec->groups = g->groups;
    rec->group_count = MANY;
    rec->group_text = "per window of 1s";
    g->made->recorders[1].per = PER_WINDOW;
    g->made->recorders[2].per = PER_WINDOW;
    g->made->recorders[2].merge = MERGE_AVERAGE;
    g->made->recorder_results[2].group_text = "average over windows of 1s";
    for (size_t k = 0; k < MADE_PERCENTILES; k++) {
        struct cell *cell = &g->made->cells[2][k];
        cell->check = CHECK_NONE;
        cell->holds = VERDICT_UNKNOWN;
        cell->law = (struct figure){0};
        cell->why = "an average of percentiles is no percentile";
    }
    return g;
}

static void done(struct grouped *g, char *text)
{
    free(text);
    free(g->made);
    free(g);
}

static void twenty_groups_are_shown_and_the_others_counted(void **state)
{
    (void)state;
    for (int markdown = 0; markdown < 2; markdown++) {
        struct grouped *g = grouped();
        char *text = report_as(g->made, markdown ? FORMAT_MARKDOWN : FORMAT_TEXT);
        assert_contains(text, "recorder \"open loop, from due\", per window of 1s, times in ms");
        assert_int_equal(count_of(text, "s to "), 20);
        assert_contains(text, "19s to 20s");
        assert_contains(text, "... and 5 more");
        assert_contains(text, "inf");
        assert_contains(text, ">= 9.0");
        assert_contains(text, "25, per window of 1s");
        done(g, text);
    }
}

static void recorders_of_the_same_groups_share_a_table(void **state)
{
    (void)state;
    struct grouped *g = grouped();
    struct recorder_result *other = &g->made->recorder_results[0];
    struct group_result groups[MANY];
    memcpy(groups, g->groups, sizeof groups);
    other->groups = groups;
    other->group_count = MANY;
    other->group_text = g->made->recorder_results[1].group_text;
    char *text = report_as(g->made, FORMAT_MARKDOWN);
    assert_contains(text, "recorders \"closed loop, from send\", \"open loop, from due\", per "
                          "window of 1s, times in ms");
    assert_int_equal(count_of(text, "19s to 20s"), 1);
    free(text);
    groups[3].count--;
    text = report_as(g->made, FORMAT_MARKDOWN);
    assert_int_equal(count_of(text, "19s to 20s"), 2);
    done(g, text);
}

static void csv_and_json_have_every_group(void **state)
{
    (void)state;
    struct grouped *g = grouped();
    char *text = report_as(g->made, FORMAT_CSV);
    assert_int_equal(count_of(text, "\"count, "), MANY);
    assert_contains(text, "\"p99, 24s to 25s\",ns,25000000,");
    assert_contains(text, "\"p99.9, 7s to 8s\",ns,inf,");
    assert_contains(text, "\"p99.9 at least, 8s to 9s\",ns,9000000,");
    free(text);
    text = report_as(g->made, FORMAT_JSON);
    assert_int_equal(count_of(text, "\"group\": "), MANY);
    assert_contains(text, "{\"group\": \"24s to 25s\", \"index\": 24, \"count\": 4000, "
                          "\"percentiles\": {\"50\": {\"value_ns\": 25000000, \"at_least_ns\": "
                          "null, \"infinite\": false}");
    done(g, text);
}

static void an_average_is_stamped_in_every_format(void **state)
{
    (void)state;
    static const struct {
        enum report_format format;
        const char *stamp, *not ;
    } cases[] = {
        {FORMAT_TEXT, "0.964 average", NULL},
        {FORMAT_MARKDOWN, "188100.0 (0.964; average)", "188100.0 (0.964; =)"},
        {FORMAT_CSV, "average of p99,ns,188100000,,none,", "corrected\",one connection,p99,"},
        {FORMAT_JSON, "\"merge\": \"average\"", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct grouped *g = grouped();
        char *text = report_as(g->made, cases[i].format);
        assert_contains(text, cases[i].stamp);
        if (cases[i].not )
            assert_null(strstr(text, cases[i].not ));
        done(g, text);
    }
    struct made_result *plain = made_result();
    char *text = report_as(plain, FORMAT_TEXT);
    assert_null(strstr(text, "average"));
    assert_null(strstr(text, "groups"));
    free(text);
    free(plain);
}

static void what_loads_cost_is_told_only_where_it_is_used(void **state)
{
    (void)state;
    static const enum report_format formats[] = {FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_CSV};
    static const char *const told[] = {"copies a request", "goodput", "generator busy",
                                       "server busy"};
    for (size_t i = 0; i < 3; i++) {
        struct made_result *m = made_result();
        char *text = report_as(m, formats[i]);
        for (size_t k = 0; k < 4; k++)
            assert_null(strstr(text, told[k]));
        free(text);
        m->loads[1].resend = (struct choice){&resend_retry.is, NULL};
        m->load_results[1].attempts = 250000;
        m->load_results[1].timed_out = 10;
        m->load_results[1].amplification = 2.5;
        m->load_results[1].goodput_per_s = 17.25;
        m->load_results[1].withheld = 12345;
        m->load_results[1].wasted = 54321;
        m->load_results[1].utilisation[STAGE_GENERATOR] = 0.125;
        m->load_results[1].utilisation[STAGE_SERVER] = 0.75;
        text = report_as(m, formats[i]);
        for (size_t k = 0; k < 4; k++)
            assert_contains(text, told[k]);
        assert_contains(text, "12345");
        assert_contains(text, "54321");
        assert_contains(text, "17.25");
        free(text);
        free(m);
    }
}

/* What rate, what else ran, how much of it did the recorder write itself. */
static void a_report_says_how_late_requests_left_and_how_many_samples_were_made_up(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    m->load_results[0].lag_p99_ns = 195000000;
    m->load_results[1].throttled = 3;
    m->load_results[1].periods = 40;
    m->result.server_text = "1 worker; suspend 200ms every 1s";
    char *text = report_as(m, FORMAT_TEXT);
    assert_contains(text, "send lag p99 195ms");
    assert_int_equal(count_of(text, "send lag p99"), 1);
    assert_contains(text, "3 of 40 quota periods throttled");
    assert_contains(text, "\"closed loop, corrected\": 16.65 % of its samples are added");
    assert_int_equal(count_of(text, "of its samples are added"), 1);
    assert_null(strstr(text, "suspend")); /* nothing disturbs it */
    free(text);
    m->plan.server.stall_count = 1;
    text = report_as(m, FORMAT_MARKDOWN);
    assert_contains(text, "- server: 1 worker; suspend 200ms every 1s");
    free(text);
    text = report_as(m, FORMAT_JSON);
    assert_contains(text, "\"server\": \"1 worker; suspend 200ms every 1s\"");
    free(text);
    free(m);
}

static void parts_are_named_as_what_is_timed(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    m->recorders[0].part = PART_QUEUE;
    m->recorders[1].part = PART_STALL;
    m->recorders[2].part = PART_SERVICE;
    char *text = report_as(m, FORMAT_MARKDOWN);
    assert_line(text, "| stopwatch ", "| stopwatch | in queue | in stalls | in service |");
    free(text);
    text = report_as(m, FORMAT_JSON);
    assert_contains(text, "\"from\": null, \"to\": null, \"part\": \"stall\"");
    free(text);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twenty_groups_are_shown_and_the_others_counted),
        cmocka_unit_test(recorders_of_the_same_groups_share_a_table),
        cmocka_unit_test(csv_and_json_have_every_group),
        cmocka_unit_test(an_average_is_stamped_in_every_format),
        cmocka_unit_test(what_loads_cost_is_told_only_where_it_is_used),
        cmocka_unit_test(a_report_says_how_late_requests_left_and_how_many_samples_were_made_up),
        cmocka_unit_test(parts_are_named_as_what_is_timed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
