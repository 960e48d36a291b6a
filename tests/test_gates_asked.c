/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The gates that only some scenarios give a reason for: each passes, fails, and is silent where it
   should. */

#include <string.h>

#include "tests/claim.h"
#include "tests/whole_run.h"

enum seen { SILENT, PASSES, FAILS };

static enum seen see(const char *name, const char *text)
{
    struct plan *plan = whole_plan(text);
    struct result *result = whole_run(plan, NULL);
    enum seen seen = SILENT;
    for (size_t i = 0; i < result->gate_count; i++)
        if (strcmp(result->gates[i].name, name) == 0)
            seen = seen == FAILS || !result->gates[i].passes ? FAILS : PASSES;
    result_free(result);
    plan_free(plan);
    return seen;
}

#define SCENE(server, load, more, run)                  \
    "{\"server\": " server ", \"loads\": {\"l\": " load \
    "}, \"recorders\": {\"r\": {\"load\": \"l\"" more "}}, \"run\": " run "}"
#define DUE ", \"from\": \"due\""

/* S4-77 and S4-80: one thread can send 1,000/s and is asked for 3,000; four suffice, but leave less
   than half of their time. */
static void a_generator_needs_half_of_its_time_to_spare(void **state)
{
    (void)state;
#define SENDS(threads)                                                                            \
    SCENE("{\"service\": {\"constant\": \"1ms\"}, \"workers\": \"unlimited\"}",                   \
          "{\"open\": {\"rate\": 3000}, \"generator\": {\"cost\": \"1ms\", \"threads\": " threads \
          "}}",                                                                                   \
          DUE, "{\"duration\": \"20s\"}")
    assert_int_equal(see("generator", SENDS("1")), FAILS);
    assert_int_equal(see("rate", SENDS("1")), FAILS);
    assert_int_equal(see("send-lag", SENDS("1")), FAILS);
    assert_int_equal(see("generator", SENDS("4")), FAILS);
    assert_int_equal(see("rate", SENDS("4")), PASSES);
    assert_int_equal(see("generator", SENDS("6")), FAILS); /* exactly half */
    assert_int_equal(see("generator", SENDS("7")), PASSES);
}

static void a_client_that_is_most_of_the_response_is_told(void **state)
{
    (void)state;
#define OVERHEAD(own)                                                           \
    SCENE("{\"service\": {\"constant\": \"3ms\"}, \"workers\": \"unlimited\"}", \
          "{\"open\": {\"rate\": 100}" own "}", DUE, "{\"requests\": 1000}")
    assert_int_equal(see("overhead", OVERHEAD(", \"overhead\": \"3ms\"")), PASSES);
    assert_int_equal(see("overhead", OVERHEAD(", \"overhead\": \"3001us\"")), FAILS);
    assert_int_equal(see("overhead", OVERHEAD("")), SILENT);
    assert_int_equal(see("generator", OVERHEAD("")), SILENT);
}

/* S4-11 */
static void a_random_run_of_less_than_20_s_is_short(void **state)
{
    (void)state;
#define LASTS(arrivals, run)                        \
    SCENE("{\"service\": {\"constant\": \"1ms\"}}", \
          "{\"open\": {\"rate\": 100, \"arrivals\": \"" arrivals "\"}}", DUE, run)
    assert_int_equal(
        see("duration", LASTS("poisson", "{\"duration\": \"19s\", \"start\": \"empty\"}")), FAILS);
    assert_int_equal(
        see("duration", LASTS("poisson", "{\"duration\": \"20s\", \"start\": \"empty\"}")), PASSES);
    assert_int_equal(see("duration", LASTS("poisson", "{\"duration\": \"30s\", \"cut\": \"19s\", "
                                                      "\"start\": \"empty\"}")),
                     FAILS);
    assert_int_equal(see("duration", LASTS("even", "{\"duration\": \"1s\"}")), SILENT);
    assert_int_equal(see("duration", LASTS("poisson", "{\"requests\": 10}")), SILENT);
}

/* S1-12 and S1-38: one in a hundred times out, or two. */
static void failures_left_out_may_be_what_lies_beyond_the_percentile(void **state)
{
    (void)state;
#define ONE "\"1ms\", "
#define TEN ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE
#define FAIL(last, more)                                                                           \
    "{\"server\": {\"service\": {\"samples\": [" TEN TEN TEN TEN TEN TEN TEN TEN TEN ONE ONE ONE   \
        ONE ONE ONE ONE ONE last "]}, \"workers\": \"unlimited\"}, \"loads\": {\"l\": {\"open\": " \
    "{\"rate\": 100}, \"timeout\": \"1s\"}}, \"recorders\": {\"r\": {\"load\": \"l\", \"from\": "  \
    "\"due\"" more "}}, \"report\": {\"percentiles\": [50, 99]}, \"run\": {\"requests\": 1000}}"
    assert_int_equal(see("failures", FAIL("\"1ms\", \"1ms\"", "")), SILENT);
    assert_int_equal(see("failures", FAIL("\"1ms\", \"3s\"", "")), PASSES);
    assert_int_equal(see("failures", FAIL("\"3s\", \"3s\"", "")), FAILS);
    assert_int_equal(see("failures", FAIL("\"3s\", \"3s\"", ", \"failures\": \"timeout\"")),
                     SILENT);
}

/* S3-21 and S3-22: with the samples in turn 1 in `of` is slow, of 1,000 and 2,000 requests. */
static void a_tail_as_wide_as_the_percentile_is_decided_by_the_rule(void **state)
{
    (void)state;
#define SLOW(samples)                                                                           \
    "{\"server\": {\"service\": {\"samples\": [" samples "]}, \"workers\": \"unlimited\"}, "    \
    "\"loads\": {\"l\": {\"open\": {\"rate\": 100}}}, \"recorders\": {\"r\": {\"load\": "       \
    "\"l\", \"from\": \"due\"}}, \"report\": {\"percentiles\": [99]}, \"run\": {\"requests\": " \
    "1000}}"
#define NINETY TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define NINE ONE ONE ONE ONE ONE ONE ONE ONE ONE
    assert_int_equal(see("boundary", SLOW(NINETY NINE "\"100ms\"")), FAILS);
    assert_int_equal(see("boundary", SLOW(NINETY NINE "\"2ms\"")), SILENT); /* no jump */
    assert_int_equal(see("boundary", SLOW(NINETY NINE "\"2000001ns\"")), FAILS);
    assert_int_equal(see("boundary", SLOW(NINETY ONE ONE ONE ONE ONE ONE ONE ONE "\"1s\", \"1s\"")),
                     SILENT);
    assert_int_equal(see("boundary", SLOW(NINETY NINE "\"1ms\"")), SILENT);
}

static void a_stated_share_at_the_percentile_is_decided_by_chance(void **state)
{
    (void)state;
#define SHARE(probability)                                                            \
    SCENE("{\"service\": {\"two-point\": {\"usual\": \"1ms\", \"rare\": \"1100us\", " \
          "\"probability\": " probability "}}, \"workers\": \"unlimited\"}",          \
          "{\"open\": {\"rate\": 100}}", DUE, "{\"requests\": 1000, \"replications\": 32}")
    assert_int_equal(see("boundary", SHARE("0.01")), FAILS);
    assert_int_equal(see("boundary", SHARE("0.01003")), FAILS); /* within 1 of 32,000 */
    assert_int_equal(see("boundary", SHARE("0.0101")), SILENT);
    assert_int_equal(see("boundary", SHARE("0.03")), SILENT);
}

/* S3-23: half a minute with a cold cache. */
static void a_slow_start_is_to_be_left_out(void **state)
{
    (void)state;
#define COLD(warmup)                                                                               \
    SCENE(                                                                                         \
        "{\"service\": {\"constant\": \"1ms\"}, \"stalls\": [{\"mode\": \"slowdown\", \"first\": " \
        "0, \"last\": \"10s\", \"factor\": 0.5}]}",                                                \
        "{\"open\": {\"rate\": 100}}", DUE ", \"warmup\": \"" warmup "\"",                         \
        "{\"duration\": \"60s\"}")
    assert_int_equal(see("warmup", COLD("0s")), FAILS);
    assert_int_equal(see("warmup", COLD("9999ms")), FAILS);
    assert_int_equal(see("warmup", COLD("10s")), PASSES);
    assert_int_equal(see("warmup", SHARE("0.01")), SILENT);
}

/* S0-48: a neighbour that takes half of a server matters at 90 % load; one that takes a thousandth
   is flagged, no more. */
static void a_neighbour_is_flagged_and_quarantined_where_it_coincides(void **state)
{
    (void)state;
#define BESIDE(share)                                                                         \
    SCENE("{\"service\": {\"exponential\": \"1ms\"}, \"stalls\": [{\"mode\": \"neighbour\", " \
          "\"first\": \"20s\", \"last\": \"3s\", \"share\": " share "}]}",                    \
          "{\"open\": {\"rate\": 500, \"arrivals\": \"poisson\"}}", DUE,                      \
          "{\"duration\": \"60s\", \"start\": \"empty\"}")
    assert_int_equal(see("neighbour", BESIDE("0.001")), PASSES);
    assert_int_equal(see("neighbour", BESIDE("0.6")), FAILS);
    assert_int_equal(see("neighbour", SHARE("0.01")), SILENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_generator_needs_half_of_its_time_to_spare),
        cmocka_unit_test(a_client_that_is_most_of_the_response_is_told),
        cmocka_unit_test(a_random_run_of_less_than_20_s_is_short),
        cmocka_unit_test(failures_left_out_may_be_what_lies_beyond_the_percentile),
        cmocka_unit_test(a_tail_as_wide_as_the_percentile_is_decided_by_the_rule),
        cmocka_unit_test(a_stated_share_at_the_percentile_is_decided_by_chance),
        cmocka_unit_test(a_slow_start_is_to_be_left_out),
        cmocka_unit_test(a_neighbour_is_flagged_and_quarantined_where_it_coincides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
