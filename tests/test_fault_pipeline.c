/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The pipeline that faults are hooks of, without a fault, against what `run` prints of the same
   scenario by other code; and some faults against counting by hand. */

#include <stdlib.h>
#include <string.h>

#include "models/faults/pipeline.h"
#include "models/registry.h"
#include "tests/claim.h"
#include "tests/suite_trials.h"
#include "tests/whole_run.h"

static void assert_figure(const struct figure *figure, struct said said, const char *what)
{
    if (figure->kind == FIGURE_UNKNOWN)
        return;
    if (!said.known)
        fail_msg("%s is unknown to the pipeline", what);
    if (figure->kind == FIGURE_EXACT) {
        i128 milli = (i128)figure->exact.ns * 1000 + figure->exact.thousandths;
        if (milli != said.milli)
            fail_msg("%s: run says %.3f ns, the pipeline %.3f", what, (double)milli / 1000,
                     (double)said.milli / 1000);
        return;
    }
    double off = figure->real - (double)said.milli / 1000;
    if (off > 1e-9 * figure->real + 1e-3 || -off > 1e-9 * figure->real + 1e-3)
        fail_msg("%s: run says %.6f ns, the pipeline %.6f", what, figure->real,
                 (double)said.milli / 1000);
}

/* How many figures were known to both. */
static size_t assert_as_run(const struct plan *plan, size_t recorder, const struct result *result)
{
    struct trial trial;
    struct errors errors = {0};
    struct run_options options = {.threads = 1};
    struct report report;
    assert_true(trial_run(plan, recorder, &options, &trial, &errors));
    report_true(&trial.requests, &trial.asked, &report);
    const struct recorder_result *found = &result->recorders[recorder];
    assert_int_equal(report.count, found->count);
    assert_figure(&found->min, report.min, "min");
    assert_figure(&found->max, report.max, "max");
    assert_figure(&found->mean, report.mean, "mean");
    if (found->sum.known)
        assert_true(report.sum.milli == (i128)found->sum.ns * 1000);
    size_t known = 0;
    for (size_t k = 0; k < report.percentile_count; k++) {
        assert_figure(&found->cells[k].value, report.percentiles[k],
                      plan->report.percentiles[k].text);
        known += found->cells[k].value.kind == FIGURE_EXACT;
    }
    report_free(&report);
    trial_free(&trial);
    errors_free(&errors);
    return known;
}

static const char *const servers[] = {
    "{\"service\": {\"constant\": \"700us\"}, \"stalls\": [{\"mode\": \"suspend\", \"first\":"
    " \"50ms\", \"every\": \"400ms\", \"last\": \"61ms\"}]}",
    "{\"service\": {\"exponential\": \"1ms\"}, \"workers\": 3}",
    "{\"service\": {\"samples\": [\"1ms\", \"7ms\", \"2300us\"]}, \"workers\": 2,"
    " \"queue_limit\": 5}",
};

static const char *const loads[] = {
    "{\"open\": {\"rate\": 800, \"arrivals\": \"even\"}, \"timeout\": \"30ms\"}",
    "{\"open\": {\"rate\": 500, \"arrivals\": \"poisson\"}}",
    "{\"paced\": {\"every\": \"2ms\", \"connections\": 3, \"late\": \"catch-up\"}}",
    "{\"paced\": {\"every\": \"1ms\", \"connections\": 2, \"late\": \"skip\"}}",
    "{\"closed\": {\"clients\": 4, \"think\": {\"constant\": \"1ms\"}}}",
};

static const char *const recorders[] = {
    "\"from\": \"due\"",
    "\"from\": \"sent\", \"expected_interval\": \"6ms\"",
    "\"from\": \"acquired\", \"correction\": {\"hdr-py\": \"3ms\"}",
    "\"from\": \"sent\", \"correction\": {\"wrk\": {\"interval\": \"4ms\"}}",
    "\"from\": \"started\", \"warmup\": \"100ms\"",
    "\"from\": \"due\", \"failures\": \"timeout\", \"warmup\": \"70ms\"",
};

static void without_a_fault_it_says_what_run_prints(void **state)
{
    (void)state;
    size_t known = 0, scenarios = 0;
    for (size_t s = 0; s < 3; s++)
        for (size_t l = 0; l < 5; l++)
            for (size_t r = 0; r < 6; r++) {
                const char *rank = set_ranks.variants[(5 * s + 3 * l + r) % set_ranks.count]->name;
                char *text = must_format(
                    "{\"title\": \"t\", \"server\": %s, \"loads\": {\"l\": %s}, \"recorders\": "
                    "{\"r\": {\"load\": \"l\", %s, \"rank\": \"%s\"}}, \"run\": {\"requests\": 701,"
                    " \"replications\": 1, \"start\": \"empty\"}, \"report\": {\"percentiles\": "
                    "[0, 0.1, 33.3, 50, 90, 99, 99.9, 100]}}",
                    servers[s], loads[l], recorders[r], rank);
                struct plan *plan = whole_plan(text);
                struct result *result = whole_run(plan, NULL);
                known += assert_as_run(plan, 0, result);
                scenarios++;
                result_free(result);
                plan_free(plan);
                free(text);
            }
    assert_int_equal(scenarios, 90);
    assert_true(known > 90 * 7); /* of 8 each; timeouts hide some */
}

static void the_suite_s_truth_is_what_run_prints(void **state)
{
    (void)state;
    struct scenes scenes;
    scenes_open(&scenes);
    for (size_t s = 0; s < scenes.count; s++) {
        struct result *result = whole_run(scenes.items[s].plan, NULL);
        assert_true(assert_as_run(scenes.items[s].plan, 0, result) > 3);
        result_free(result);
    }
    scenes_close(&scenes);
}

/* Ten answers of 10, 20 .. 100 ns, the slowest first; two clients in turn. */
static const ns_t zeros[10] = {0};
static const ns_t slow_first[10] = {100, 90, 80, 70, 60, 50, 40, 30, 20, 10};
static const uint8_t answered[10] = {0};
static const uint64_t in_turn[10] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
static const struct requests ten = {10, zeros, zeros, zeros, zeros, slow_first, answered, in_turn};
static const struct percentile asked_for[] = {
    {{1, 2}, ""}, {{9, 10}, ""}, {{99, 100}, ""}, {{1, 1}, ""}};

static struct asked plainly(void)
{
    return (struct asked){.from = INSTANT_DUE,
                          .rank = {.type = &rank_nearest.is},
                          .percentiles = asked_for,
                          .percentile_count = 4};
}

struct by_hand {
    const char *fault;
    uint64_t parameter, count;
    i128 percentiles[4]; /* of p50, p90, p99, p100 in ns */
};

static const struct by_hand by_hand[] = {
    {"rank-high", 0, 10, {60, 100, 100, 100}},
    {"rank-low", 0, 10, {40, 80, 90, 90}},
    {"rank-floor", 0, 10, {50, 90, 90, 100}},
    {"rank-floor-plus-one", 0, 10, {60, 100, 100, 100}},
    {"percent-as-fraction", 0, 10, {10, 10, 10, 10}},
    {"fraction-as-percent", 0, 10, {100, 100, 100, 100}},
    {"sorted-downwards", 0, 10, {60, 20, 10, 10}},
    {"sorted-as-text", 0, 10, {40, 80, 90, 90}},
    {"unsorted", 0, 10, {60, 20, 10, 10}},
    {"clamped", 55, 10, {50, 55, 55, 55}},
    {"dropped-beyond", 55, 5, {30, 50, 50, 50}},
    {"first-lost", 2 * 4, 6, {30, 60, 60, 60}},
    {"last-lost", 2 * 4, 6, {70, 100, 100, 100}},
    {"one-worker", 0, 5, {60, 100, 100, 100}},
    {"one-worker", 1, 5, {50, 90, 90, 90}},
    {"workers-averaged", 0, 10, {55, 95, 95, 95}},
    {"workers-averaged", 2, 10, {60, 100, 100, 100}},
    {"merged-unlike", 0, 10, {50, 90, 100, 100}},
    {"last-not-max", 0, 10, {50, 90, 100, 90}},
    {"sampled", 4, 5, {60, 100, 100, 100}},
    {"same-seed", 0, 10, {60, 100, 100, 100}},
};

static void faults_say_what_is_found_by_hand(void **state)
{
    (void)state;
    struct asked asked = plainly();
    for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; i++) {
        const struct by_hand *hand = &by_hand[i];
        struct fault_use use = {fault(variant_find(&set_faults, hand->fault)), hand->parameter};
        struct report report;
        assert_non_null(use.fault);
        assert_true(report_faulty(&ten, &asked, &use, 1, &report));
        if (report.count != hand->count)
            fail_msg("%s: count %zu", hand->fault, (size_t)report.count);
        for (size_t k = 0; k < 4; k++)
            if (report.percentiles[k].milli != hand->percentiles[k] * 1000)
                fail_msg("%s: percentile %zu is %.3f", hand->fault, k,
                         (double)report.percentiles[k].milli / 1000);
        report_free(&report);
    }
}

static void faults_of_a_correction_say_what_is_found_by_hand(void **state)
{
    (void)state;
    struct asked asked = plainly();
    asked.correction = correction_named("hdr");
    asked.interval_ns = 25;
    /* 100: 75 50 25; 90: 65 40; 80: 55 30; 70: 45; 60: 35; 50: 25. */
    static const struct {
        const char *fault;
        uint64_t parameter, count, sum_ns;
    } right[] = {
        {"correction-missing", 0, 10, 550},
        {"correction-strict", 0, 18, 550 + 75 + 50 + 65 + 40 + 55 + 30 + 45 + 35},
        {"correction-once", 0, 16, 550 + 75 + 65 + 55 + 45 + 35 + 25},
        {"correction-instead", 0, 14, 550 - 450 + 150 + 105 + 85 + 45 + 35 + 25},
        {"correction-repeats", 0, 20, 550 + 300 + 180 + 160 + 70 + 60 + 50},
        {"corrected-twice", 0, 35, 550 + 445 + 445 + 75 + 25 + 40 + 30},
    };
    struct report truth;
    report_true(&ten, &asked, &truth);
    assert_int_equal(truth.count, 20);
    assert_true(truth.sum.milli == (550 + 445) * 1000);
    report_free(&truth);
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        struct fault_use use = {fault(variant_find(&set_faults, right[i].fault)),
                                right[i].parameter};
        struct report report;
        assert_non_null(use.fault);
        assert_true(report_faulty(&ten, &asked, &use, 1, &report));
        if (report.count != right[i].count || report.sum.milli != (i128)right[i].sum_ns * 1000)
            fail_msg("%s: %zu samples, sum %.0f", right[i].fault, (size_t)report.count,
                     (double)report.sum.milli / 1000);
        report_free(&report);
    }
}

static void nothing_answered_is_unknown_not_zero(void **state)
{
    (void)state;
    struct asked asked = plainly();
    struct requests none = ten;
    struct report report;
    none.count = 0;
    report_true(&none, &asked, &report);
    assert_true(report.has_count && report.count == 0);
    assert_false(report.min.known || report.max.known || report.mean.known);
    for (size_t k = 0; k < 4; k++)
        assert_false(report.percentiles[k].known);
    report_free(&report);
    for (size_t i = 0; i < set_faults.count; i++) {
        struct fault_use use = {fault(set_faults.variants[i]), 0};
        if (use.fault->parameters != NULL)
            use.parameter = use.fault->parameters[0];
        if (report_faulty(&none, &asked, &use, 1, &report))
            report_free(&report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_fault_it_says_what_run_prints),
        cmocka_unit_test(the_suite_s_truth_is_what_run_prints),
        cmocka_unit_test(faults_say_what_is_found_by_hand),
        cmocka_unit_test(faults_of_a_correction_say_what_is_found_by_hand),
        cmocka_unit_test(nothing_answered_is_unknown_not_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
