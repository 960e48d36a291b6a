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
    expect_gate("window", false, LEAF("20400ms"));
    expect_gate("window", false, LEAF("110s"));
    expect_gate("window", false, LEAF("118s"));
    /* rank 118,800 of 120,000 is the 1,201st largest: 3280 + 0.272 - 1200 (1 - 0.272) ms */
    struct ran ran = run(LEAF("20s"));
    assert_int_equal(ran.result->recorders[0].cells[2].value.exact.ns, 2406672000);
    end(ran);
    ran = run(LEAF("118s")); /* the same p99, the opposite verdict: 1,999 of 120,000 unanswered */
    assert_int_equal(ran.result->recorders[0].cells[2].value.exact.ns, 2406672000);
    double share = ran.result->loads[0].achieved_per_s / ran.result->loads[0].offered_per_s;
    assert_true(share > 0.983 && share < 0.984);
    end(ran);
}

/* The slowest 1 % of 60 s are 0.6 s, so no whole second is: here 0.3 s on either side of 21 s. */
static void a_short_hidden_stretch_may_lie_across_two_windows(void **state)
{
    (void)state;
    expect_gate("window", false,
                SCENE("{\"service\": {\"constant\": \"272us\"}, \"stalls\": [{\"mode\": "
                      "\"gate\", \"first\": \"20700ms\", \"last\": \"2s\"}]}",
                      "{\"open\": {\"rate\": 1000}}", "\"from\": \"due\"",
                      "{\"duration\": \"60s\"}"));
}

/* A stall each second is in every window: the whole run's p99 is that of each of them. */
static void a_stall_in_every_window_is_not_hidden(void **state)
{
    (void)state;
    expect_gate("window", true,
                SCENE("{\"service\": {\"constant\": \"100us\"}, \"stalls\": [{\"mode\": "
                      "\"suspend\", \"first\": \"500ms\", \"every\": \"1s\", \"last\": "
                      "\"200ms\"}]}",
                      "{\"open\": {\"rate\": 5000}}", "\"from\": \"due\"",
                      "{\"requests\": 100000}"));
}

/* S0-42: beyond capacity achieved / offered is 1/rho. */
static void the_rate_gate_lies_at_ninety_nine_percent(void **state)
{
    (void)state;
#define BEYOND(service)                                                                     \
    SCENE("{\"service\": {\"constant\": \"" service "\"}}", "{\"open\": {\"rate\": 1000}}", \
          "\"from\": \"due\"", "{\"duration\": \"1000s\"}")
    expect_gate("rate", true, BEYOND("1005us"));
    expect_gate("rate", true, BEYOND("1010100ns"));
    expect_gate("rate", false, BEYOND("1010200ns"));
    expect_gate("rate", false, BEYOND("1020us"));
}

/* S3-8: every second request waits for its slot, and the limit itself is not above it. */
static void send_lag_is_invalid_strictly_above_100_ms(void **state)
{
    (void)state;
#define PAIR(second)                                                                            \
    SCENE("{\"service\": {\"constant\": \"2s\"}, \"workers\": \"unlimited\"}",                  \
          "{\"open\": {\"max_in_flight\": 1, \"arrivals\": {\"times\": [0, \"" second "\"]}}}", \
          "\"from\": \"due\"", "{\"requests\": 2}")
    expect_gate("send-lag", true, PAIR("1900100us"));
    expect_gate("send-lag", true, PAIR("1900ms"));
    expect_gate("send-lag", false, PAIR("1899900us"));
}

static void a_clean_run_hides_no_window(void **state)
{
    (void)state;
    expect_gate("window", true,
                SCENE("{\"service\": {\"exponential\": \"1ms\"}}",
                      "{\"open\": {\"rate\": 500, \"arrivals\": \"poisson\"}}", "\"from\": \"due\"",
                      "{\"requests\": 20000}"));
}

/* S4-8, S4-9: 10,000 for p99.9. */
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

/* S0-12: last come, first served, 127 of 128 clients wait for ever, and what is recorded is the
   service time alone; first come, first served, all that is left at the end is one round. */
static void requests_that_are_never_answered_are_missed(void **state)
{
    (void)state;
#define ORDER(queue)                                                              \
    SCENE("{\"service\": {\"constant\": \"17544ns\"}, \"queue\": \"" queue "\"}", \
          "{\"closed\": {\"clients\": 128}}", "\"from\": \"sent\"",               \
          "{\"duration\": \"3s\", \"cut\": \"3s\"}")
    expect_gate("unanswered", true, ORDER("fifo"));
    expect_gate("unanswered", false, ORDER("lifo"));
    expect_gate("little", true, ORDER("lifo"));
    struct ran ran = run(ORDER("lifo"));
    assert_int_equal(ran.result->recorders[0].max.exact.ns, 17544);
    assert_int_equal(ran.result->loads[0].in_flight_at_end, 128);
    end(ran);
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

static void expect_reason(const char *gate, const char *text, const char *law_text,
                          const char *want)
{
    struct plan *plan = whole_plan(text), *law = whole_plan(law_text);
    struct result *result = whole_run(plan, law);
    const char *reason = NULL;
    for (size_t i = 0; i < result->gate_count; i++)
        if (strcmp(result->gates[i].name, gate) == 0)
            reason = result->gates[i].reason;
    assert_non_null(reason);
    if (strstr(reason, want) == NULL)
        print_error("%s\n", reason);
    assert_non_null(strstr(reason, want));
    result_free(result);
    plan_free(plan);
    plan_free(law);
}

/* The reason tells the limit, a tenth of the p99 that was watched for, and where it was.  M/M/1 of
   mean 2 ms: p99 is 2 ms log 100, whose cell ends at 9.215999 ms, in all replications.  Where p99
   is not printed, nothing holds the law's against the run, whose own is watched for instead, in the
   first. */
static void a_random_run_watches_for_the_p99_of_its_law(void **state)
{
    (void)state;
#define PRINTS(percentiles)                                         \
    SCENE("{\"service\": {\"exponential\": \"1ms\"}}",              \
          "{\"open\": {\"rate\": 500, \"arrivals\": \"poisson\"}}", \
          "\"from\": \"due\", \"store\": {\"hdr\": 3}",             \
          "{\"requests\": 2000}, \"report\": {\"percentiles\": [" percentiles "]}")
    static const char middle[] = PRINTS("50, 99, 99.9"), none[] = PRINTS("50, 99.9");
    expect_reason("send-lag", middle, middle, "of requests left more than 921.599us late");
    expect_reason("send-lag", none, none, "of requests of the first replication left more than 9");
}

/* What a wrong law foresees is not the run's: it is looked for again. */
static void canary_a_wrong_laws_p99_is_not_what_is_watched_for(void **state)
{
    (void)state;
#define TAKES(service)                                                                      \
    SCENE("{\"service\": {\"constant\": \"" service "\"}}", "{\"open\": {\"rate\": 1000}}", \
          "\"from\": \"due\"", "{\"requests\": 1000}")
    expect_reason("send-lag", TAKES("100us"), TAKES("100us"), "left more than 10us late");
    expect_reason("send-lag", TAKES("100us"), TAKES("200us"), "left more than 10us late");
}

/* Far beyond capacity most answers come after the window, and too many to be kept until its end is
   known. */
static void answers_after_the_window_are_not_counted_however_many_they_are(void **state)
{
    (void)state;
    static const char text[] =
        SCENE("{\"service\": {\"constant\": \"1ms\"}}", "{\"open\": {\"rate\": 100000}}",
              "\"from\": \"due\"", "{\"requests\": 50000}");
    expect_reason("rate", text, text, "achieved 1.0 %");
}

/* A run that may be cut goes through the event engine, which tells nothing of what is to come, and
   so twice; the reason tells the means of the quarters.  A thousand are in flight, of 60,000. */
static void a_crowd_is_as_it_would_be_seen_in_a_second_pass(void **state)
{
    (void)state;
#define CROWDED(more)                                                                 \
    SCENE("{\"service\": {\"exponential\": \"10ms\"}, \"workers\": \"unlimited\"}",   \
          "{\"closed\": {\"clients\": 1000, \"think\": {\"exponential\": \"1ms\"}}}", \
          "\"from\": \"sent\", \"store\": {\"hdr\": 3}",                              \
          "{\"requests\": 60000, \"replications\": 2" more "}")
    struct ran once = run(CROWDED("")), twice = run(CROWDED(", \"cut\": \"1000s\""));
    size_t quarters = 0;
    for (size_t i = 0; i < once.result->gate_count; i++)
        if (strcmp(once.result->gates[i].name, "growing") == 0)
            for (size_t k = 0; k < twice.result->gate_count; k++)
                if (strcmp(twice.result->gates[k].name, "growing") == 0) {
                    quarters++;
                    assert_string_equal(once.result->gates[i].reason,
                                        twice.result->gates[k].reason);
                }
    assert_int_equal(quarters, 1);
    assert_true(once.result->loads[0].achieved_per_s == twice.result->loads[0].achieved_per_s);
    end(once);
    end(twice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rate_and_send_lag_fail_one_at_a_time_and_pass_two),
        cmocka_unit_test(a_leaf_that_sustains_its_rate_hides_a_window),
        cmocka_unit_test(a_short_hidden_stretch_may_lie_across_two_windows),
        cmocka_unit_test(a_stall_in_every_window_is_not_hidden),
        cmocka_unit_test(the_rate_gate_lies_at_ninety_nine_percent),
        cmocka_unit_test(send_lag_is_invalid_strictly_above_100_ms),
        cmocka_unit_test(requests_that_are_never_answered_are_missed),
        cmocka_unit_test(a_clean_run_hides_no_window),
        cmocka_unit_test(fewer_than_ten_samples_beyond_a_percentile_are_too_few),
        cmocka_unit_test(little_catches_a_mean_that_cannot_be),
        cmocka_unit_test(response_times_grow_past_capacity_and_not_below),
        cmocka_unit_test(a_closed_loop_never_answers_for_a_rate),
        cmocka_unit_test(a_random_run_watches_for_the_p99_of_its_law),
        cmocka_unit_test(canary_a_wrong_laws_p99_is_not_what_is_watched_for),
        cmocka_unit_test(a_crowd_is_as_it_would_be_seen_in_a_second_pass),
        cmocka_unit_test(answers_after_the_window_are_not_counted_however_many_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
