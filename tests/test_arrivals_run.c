/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whole runs with arrivals in bursts, steps and ramps, and with linear buckets, against sums done
   by hand and against their law. */

#include <stdlib.h>

#include "tests/claim.h"
#include "tests/whole_run.h"

#define RUN                                                                                    \
    "{\"server\": {\"service\": {\"constant\": \"%s\"}}, \"loads\": {\"l\": {\"open\": %s}}, " \
    "\"recorders\": {\"r\": {\"load\": \"l\", \"from\": \"due\", \"store\": %s}}, "            \
    "\"run\": %s, \"report\": {\"percentiles\": [50, 90, 100]}}"

struct sums {
    uint64_t count;
    ns_t p50_ns, p90_ns, max_ns, sum_ns;
};

/* p50, p90 and p100 as printed, count and sum. */
static struct sums sums_of(const char *service, const char *load, const char *store,
                           const char *run)
{
    char *text = must_format(RUN, service, load, store, run);
    struct plan *plan = whole_plan(text);
    struct result *result = whole_run(plan, NULL);
    const struct recorder_result *r = &result->recorders[0];
    struct sums sums = {r->count, r->cells[0].value.exact.ns, r->cells[1].value.exact.ns,
                        r->cells[2].value.exact.ns, (ns_t)r->sum.ns};
    assert_int_equal(result->holds, VERDICT_HOLDS);
    assert_int_equal(r->tally_check, CHECK_EXACT);
    result_free(result);
    plan_free(plan);
    free(text);
    return sums;
}

static void expect_sums(struct sums got, struct sums want)
{
    assert_int_equal(got.count, want.count);
    assert_int_equal(got.p50_ns, want.p50_ns);
    assert_int_equal(got.p90_ns, want.p90_ns);
    assert_int_equal(got.max_ns, want.max_ns);
    assert_int_equal(got.sum_ns, want.sum_ns);
}

#define MS NS_PER_MS

/* Ten at once each 200 ms take 8, 16, ... 80 ms; 1 ms apart they take 8, 15, ... 71 ms. */
static void a_burst_queues_behind_itself(void **state)
{
    (void)state;
    expect_sums(sums_of("8ms", "{\"rate\": 50, \"arrivals\": {\"bursts\": 10}}", "\"exact\"",
                        "{\"requests\": 500}"),
                (struct sums){500, 40 * MS, 72 * MS, 80 * MS, 50 * 440 * MS});
    expect_sums(sums_of("8ms",
                        "{\"rate\": 50, \"arrivals\": {\"bursts\": "
                        "{\"size\": 10, \"apart\": \"1ms\"}}}",
                        "\"exact\"", "{\"duration\": \"10s\"}"),
                (struct sums){500, 36 * MS, 64 * MS, 71 * MS, 50 * 395 * MS});
}

/* The same ten in 50 ms each 200 ms: 8, 11, ... 35 ms. */
static void an_on_off_load_queues_while_it_is_on(void **state)
{
    (void)state;
    expect_sums(sums_of("8ms",
                        "{\"rate\": 50, \"arrivals\": {\"on-off\": "
                        "{\"on\": \"50ms\", \"off\": \"150ms\"}}}",
                        "\"exact\"", "{\"duration\": \"10s\"}"),
                (struct sums){500, 20 * MS, 32 * MS, 35 * MS, 50 * 215 * MS});
}

/* 100 at 10 ms find nobody; 200 at 5 ms take 8, 11, ... 605 ms; then the load is over. */
static void a_step_above_capacity_builds_a_queue_and_ends(void **state)
{
    (void)state;
    expect_sums(sums_of("8ms",
                        "{\"arrivals\": {\"steps\": [{\"rate\": 100, \"for\": \"1s\"}, "
                        "{\"rate\": 200, \"for\": \"1s\"}]}}",
                        "\"exact\"", "{}"),
                (struct sums){300, 155 * MS, 515 * MS, 605 * MS, 62100 * MS});
}

/* Five in all, due at 0 and at 10 s - sqrt(20 (5 - i)) s: 1.0557, 2.2540, 3.6754 and 5.5278 s, each
   alone. */
static void a_ramp_down_to_nothing_ends(void **state)
{
    (void)state;
    expect_sums(sums_of("1s",
                        "{\"arrivals\": {\"ramp\": {\"from\": 1, \"to\": 0, \"over\": \"10s\"}}}",
                        "\"exact\"", "{}"),
                (struct sums){5, 1000 * MS, 1000 * MS, 1000 * MS, 5000 * MS});
}

/* FR-41 and S4-57: one wide bucket tells 104 ns as 199 and 5 ms as nearly 10, unless the exact
   maximum is known. */
static void linear_buckets_are_cut_to_the_maximum_unless_told_not_to(void **state)
{
    (void)state;
    const char *load = "{\"every\": \"20ms\"}", *run = "{\"requests\": 80}";
    expect_sums(sums_of("104ns", load, "{\"linear\": {\"width\": 100, \"highest\": 1000}}", run),
                (struct sums){80, 104, 104, 104, 80 * 104});
    expect_sums(sums_of("104ns", load,
                        "{\"linear\": {\"width\": 100, \"highest\": 1000, \"clamp\": false}}", run),
                (struct sums){80, 199, 199, 199, 80 * 104});
    expect_sums(
        sums_of("5ms", load,
                "{\"linear\": {\"width\": \"10ms\", \"highest\": \"1s\", \"clamp\": false}}", run),
        (struct sums){80, 9999999, 9999999, 9999999, 80 * 5 * MS});
}

static enum verdict verdict_of(const char *load, const char *law_load)
{
    char *text = must_format(RUN, "8ms", load, "\"exact\"", "{\"duration\": \"30s\"}");
    char *law = must_format(RUN, "8ms", law_load, "\"exact\"", "{\"duration\": \"30s\"}");
    enum verdict verdict = whole_verdict(text, law);
    free(text);
    free(law);
    return verdict;
}

static void canary_a_schedule_one_ns_off_is_rejected(void **state)
{
    (void)state;
    static const struct {
        const char *load, *off;
    } cases[] = {
        {"{\"rate\": 50, \"arrivals\": {\"bursts\": {\"size\": 9, \"apart\": \"1ms\"}}}",
         "{\"rate\": 50, \"arrivals\": {\"bursts\": {\"size\": 9, \"apart\": 1000001}}}"},
        {"{\"rate\": 50, \"arrivals\": {\"on-off\": {\"on\": \"50ms\", \"off\": \"150ms\"}}}",
         "{\"rate\": 50, \"arrivals\": {\"on-off\": {\"on\": \"50ms\", \"off\": 150000001}}}"},
        {"{\"arrivals\": {\"ramp\": {\"from\": 10, \"to\": 150, \"over\": \"20s\"}}}",
         "{\"arrivals\": {\"ramp\": {\"from\": 10, \"to\": 150, \"over\": 20000000001}}}"},
        {"{\"arrivals\": {\"steps\": [{\"rate\": 150, \"for\": \"5s\"}, "
         "{\"rate\": 130, \"for\": \"5s\"}]}}",
         "{\"arrivals\": {\"steps\": [{\"rate\": 150, \"for\": \"5s\"}, "
         "{\"rate\": 130.000001, \"for\": \"5s\"}]}}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(verdict_of(cases[i].load, cases[i].load), VERDICT_HOLDS);
        assert_int_equal(verdict_of(cases[i].load, cases[i].off), VERDICT_FAILS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_burst_queues_behind_itself),
        cmocka_unit_test(an_on_off_load_queues_while_it_is_on),
        cmocka_unit_test(a_step_above_capacity_builds_a_queue_and_ends),
        cmocka_unit_test(a_ramp_down_to_nothing_ends),
        cmocka_unit_test(linear_buckets_are_cut_to_the_maximum_unless_told_not_to),
        cmocka_unit_test(canary_a_schedule_one_ns_off_is_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
