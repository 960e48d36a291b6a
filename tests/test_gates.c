/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Every gate passes on a run that deserves it and fails on one that does not; none changes a
   figure, what holds, or the exit status. */

#include <stdlib.h>
#include <string.h>

#include "tests/claim.h"
#include "tests/whole_run.h"

struct ran {
    struct plan *plan;
    struct result *result;
};

static struct ran run(const char *text)
{
    struct plan *plan = whole_plan(text);
    return (struct ran){plan, whole_run(plan, NULL)};
}

static void end(struct ran ran)
{
    result_free(ran.result);
    plan_free(ran.plan);
}

static bool passes(const struct result *result, const char *name)
{
    bool found = false, all = true;
    for (size_t i = 0; i < result->gate_count; i++)
        if (strcmp(result->gates[i].name, name) == 0) {
            found = true;
            all &= result->gates[i].passes;
            assert_true(strlen(result->gates[i].reason) > 20);
        }
    assert_true(found);
    return all;
}

static void expect_gate(const char *name, bool want, const char *text)
{
    struct ran ran = run(text);
    assert_int_equal(passes(ran.result, name), want);
    assert_int_not_equal(ran.result->holds, VERDICT_FAILS);
    end(ran);
}

#define SCENE(server, load, more, run)                  \
    "{\"server\": " server ", \"loads\": {\"l\": " load \
    "}, \"recorders\": {\"r\": {\"load\": \"l\", " more "}}, \"run\": " run "}"

/* S3-11: one at a time achieves 52 % of 2,000/s; S3-12: a window of two suffices. */
static void rate_and_send_lag_fail_one_at_a_time_and_pass_two(void **state)
{
    (void)state;
    static const char one[] =
        SCENE("{\"service\": {\"constant\": \"954198ns\"}, \"workers\": \"unlimited\"}",
              "{\"open\": {\"rate\": 2000, \"max_in_flight\": 1}}", "\"from\": \"due\"",
              "{\"requests\": 18534}");
    static const char two[] =
        SCENE("{\"service\": {\"constant\": \"954198ns\"}, \"workers\": \"unlimited\"}",
              "{\"open\": {\"rate\": 2000, \"max_in_flight\": 2}}", "\"from\": \"due\"",
              "{\"requests\": 18534}");
    expect_gate("rate", false, one);
    expect_gate("send-lag", false, one);
    expect_gate("growing", false, one);
    expect_gate("rate", true, two);
    expect_gate("send-lag", true, two);
    expect_gate("growing", true, two);
}

/* S0-43 and S0-44: a 3.28 s lock in 120 s; the rate is sustained unless it stands at the end, and
   either way one window is hidden. */
#define LEAF(first)                                                                                \
    SCENE("{\"service\": {\"constant\": \"272us\"}, \"stalls\": [{\"mode\": \"gate\", \"first\": " \
          "\"" first "\", \"last\": \"3280ms\"}]}",                                                \
          "{\"open\": {\"rate\": 1000}}", "\"from\": \"due\"", "{\"duration\": \"120s\"}")

static void a_leaf_that_sustains_its_rate_hides_a_window(void **state)
{
    (void)state;
    expect_gate("rate", true, LEAF("20s"));
    expect_gate("rate", true, LEAF("110s"));
    expect_gate("rate", false, LEAF("118s"));
    expect_gate("window", false, LEAF("20s"));
    /* rank 118,800 of 120,000 is the 1,201st largest: 3280 + 0.272 - 1200 (1 - 0.272) ms */
    struct ran ran = run(LEAF("20s"));
    assert_int_equal(ran.result->recorders[0].cells[2].value.exact.ns, 2406672000);
    end(ran);
}

static void a_clean_run_hides_no_window(void **state)
{
    (void)state;
    expect_gate("window", true,
                SCENE("{\"service\": {\"exponential\": \"1ms\"}}",
                      "{\"open\": {\"rate\": 500, \"arrivals\": \"poisson\"}}", "\"from\": \"due\"",
                      "{\"requests\": 20000}"));
}

static void fewer_than_ten_samples_beyond_a_percentile_are_too_few(void **state)
{
    (void)state;
    expect_gate("samples", false,
                SCENE("{\"service\": {\"constant\": \"1ms\"}}", "{\"open\": {\"rate\": 100}}",
                      "\"from\": \"due\"", "{\"requests\": 9999}"));
    expect_gate("samples", true,
                SCENE("{\"service\": {\"constant\": \"1ms\"}}", "{\"open\": {\"rate\": 100}}",
                      "\"from\": \"due\"", "{\"requests\": 10000}"));
}

/* S0-7: a corrected closed loop's mean exceeds what its clients and throughput allow. */
static void little_catches_a_mean_that_cannot_be(void **state)
{
    (void)state;
#define LOOP(more)                                                                         \
    SCENE("{\"service\": {\"constant\": \"100us\"}, \"stalls\": [{\"mode\": \"suspend\", " \
          "\"first\": \"1s\", \"last\": \"1s\"}]}",                                        \
          "{\"closed\": {\"clients\": 8}}", "\"from\": \"sent\"" more, "{\"duration\": \"5s\"}")
    expect_gate("little", true, LOOP(""));
    expect_gate("little", false, LOOP(", \"expected_interval\": \"800us\""));
}

/* S1-27: past capacity the response time grows with the run. */
static void response_times_grow_past_capacity_and_not_below(void **state)
{
    (void)state;
#define EVEN(rate)                                                                            \
    SCENE("{\"service\": {\"constant\": \"4098361ns\"}}", "{\"open\": {\"rate\": " rate "}}", \
          "\"from\": \"due\"", "{\"duration\": \"10s\"}")
    expect_gate("growing", false, EVEN("248"));
    expect_gate("growing", true, EVEN("240"));
    expect_gate("growing", true,
                SCENE("{\"service\": {\"exponential\": \"4ms\"}}",
                      "{\"open\": {\"rate\": 225, \"arrivals\": \"poisson\"}}", "\"from\": \"due\"",
                      "{\"requests\": 20000}"));
}

static void a_closed_loop_never_answers_for_a_rate(void **state)
{
    (void)state;
    expect_gate("closed", false,
                SCENE("{\"service\": {\"constant\": \"1ms\"}}", "{\"closed\": {\"clients\": 4}}",
                      "\"from\": \"sent\"", "{\"requests\": 100}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rate_and_send_lag_fail_one_at_a_time_and_pass_two),
        cmocka_unit_test(a_leaf_that_sustains_its_rate_hides_a_window),
        cmocka_unit_test(a_clean_run_hides_no_window),
        cmocka_unit_test(fewer_than_ten_samples_beyond_a_percentile_are_too_few),
        cmocka_unit_test(little_catches_a_mean_that_cannot_be),
        cmocka_unit_test(response_times_grow_past_capacity_and_not_below),
        cmocka_unit_test(a_closed_loop_never_answers_for_a_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
