/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a load cost beside its answers: copies, work for nothing, busy workers, rates. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/claim.h"
#include "tests/whole_run.h"

#define SERVED "{\"server\": {\"service\": {\"constant\": \"10ms\"}"
#define WATCHED ", \"recorders\": {\"r\": {\"load\": \"l\", \"from\": \"due\"}}"

static struct result *run(const char *text, struct plan **plan)
{
    *plan = whole_plan(text);
    return whole_run(*plan, NULL);
}

static void end(struct result *result, struct plan *plan)
{
    result_free(result);
    plan_free(plan);
}

static bool near(double found, double wanted)
{
    return fabs(found - wanted) <= 1e-12 * fabs(wanted);
}

/* Two requests at 0, a copy of each at 2 ms, given up at 15 ms: the first is answered at 10 ms, its
   second copy and both of the other are served until 40 ms for nobody. */
static void copies_that_nobody_waits_for_are_wasted_and_keep_the_server_busy(void **state)
{
    (void)state;
    struct plan *plan;
    struct result *result =
        run(SERVED "}, \"loads\": {\"l\": {\"open\": {\"arrivals\": {\"times\": [\"0ms\", "
                   "\"0ms\"]}}, \"timeout\": \"15ms\", \"retry\": {\"after\": \"2ms\", "
                   "\"copies\": 2}}}" WATCHED ", \"run\": {\"requests\": 2},"
                   "\"expect\": {\"l\": {\"attempts\": 4, \"wasted\": 3, \"withheld\": 0,"
                   "\"cancelled\": 0, \"timed_out\": 1, \"refused\": 0, \"throttled\": 0,"
                   "\"periods\": 0}}}",
            &plan);
    const struct load_result *l = &result->loads[0];
    for (size_t i = 0; i < result->expect_count; i++)
        assert_true(result->expects[i].holds);
    assert_int_equal(result->expect_count, 8);
    assert_true(near(l->amplification, 2.0));
    assert_true(near(l->utilisation[STAGE_SERVER], 1.0)); /* 40 of 40 ms */
    assert_true(isnan(l->utilisation[STAGE_GENERATOR]) && isnan(l->utilisation[STAGE_BEHIND]));
    assert_true(near(l->answered_per_s, 100.0)); /* one in 10 ms */
    end(result, plan);
}

/* 100 a second for one second at a server that does 50: 100 answers, the last of them at 2 s. */
static void three_rates_say_three_things(void **state)
{
    (void)state;
    struct plan *plan;
    struct result *result = run("{\"server\": {\"service\": {\"constant\": \"20ms\"}},"
                                "\"loads\": {\"l\": {\"open\": {\"every\": \"10ms\"}}}" WATCHED
                                ", \"run\": {\"duration\": \"1s\"}}",
                                &plan);
    const struct load_result *l = &result->loads[0];
    assert_true(near(l->offered_per_s, 100.0));
    assert_true(near(l->achieved_per_s, 49.0)); /* answers before 1 s */
    assert_true(near(l->answered_per_s, 50.0)); /* all of them by 2 s */
    assert_true(near(l->goodput_per_s, 100.0)); /* all that were due in the second, in the end */
    assert_true(near(l->utilisation[STAGE_SERVER], 1.0));
    end(result, plan);
}

/* One a second from 0 on, cut at 5 s: the one of 5 s is sent and cut, and of the window no more. */
static void what_is_due_as_the_run_is_cut_is_not_offered_in_it(void **state)
{
    (void)state;
    struct plan *plan;
    struct result *result =
        run(SERVED "}, \"loads\": {\"l\": {\"open\": {\"every\": \"1s\"}}}" WATCHED
                   ", \"run\": {\"duration\": \"10s\", \"cut\": \"5s\"}}",
            &plan);
    const struct load_result *l = &result->loads[0];
    assert_int_equal(l->sent, 6);
    assert_int_equal(l->answered, 5);
    assert_true(near(l->offered_per_s, 1.0));
    assert_true(near(l->achieved_per_s, 1.0));
    end(result, plan);
}

static void requests_that_wait_for_the_window_have_send_lag(void **state)
{
    (void)state;
    struct plan *plan;
    struct result *result =
        run("{\"server\": {\"service\": {\"constant\": \"20ms\"}},"
            "\"loads\": {\"l\": {\"open\": {\"every\": \"10ms\", \"max_in_flight\": 1}},"
            "\"free\": {\"open\": {\"every\": \"10ms\"}}}, \"recorders\": {"
            "\"lag\": {\"load\": \"l\", \"from\": \"due\", \"to\": \"sent\"},"
            "\"none\": {\"load\": \"free\", \"from\": \"due\", \"to\": \"sent\"}},"
            "\"run\": {\"requests\": 1000}, \"report\": {\"percentiles\": [99]}}",
            &plan);
    double exact_ns = (double)result->recorders[0].cells[0].value.exact.ns;
    double found_ns = (double)result->loads[0].lag_p99_ns;
    assert_int_equal(exact_ns, 9890 * NS_PER_MS); /* the k-th leaves 10 k ms late */
    assert_true(fabs(found_ns / exact_ns - 1.0) < 0.005);
    assert_int_equal(result->loads[1].lag_p99_ns, 0);
    end(result, plan);
}

/* 0.4 of each second for a server that needs 0.5 s of work a second: each of its periods, from the
   second on at the latest, ends throttled. */
static void a_quota_that_is_too_small_is_counted(void **state)
{
    (void)state;
    struct plan *plan;
    struct result *result = run(
        "{\"server\": {\"service\": {\"constant\": \"10ms\"}, \"quota\": {\"budget\": \"40ms\", "
        "\"period\": \"100ms\"}},"
        "\"loads\": {\"l\": {\"open\": {\"every\": \"20ms\"}}}" WATCHED
        ", \"run\": {\"requests\": 500}}",
        &plan);
    const struct load_result *l = &result->loads[0];
    /* 5 s of work at 40 ms a period: 125 periods, the last of which ends with the last answer */
    assert_int_equal(l->periods, 125);
    assert_in_range(l->throttled, 123, 125);
    assert_true(near(l->utilisation[STAGE_SERVER], 5000.0 / 12440.0));
    end(result, plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_that_nobody_waits_for_are_wasted_and_keep_the_server_busy),
        cmocka_unit_test(three_rates_say_three_things),
        cmocka_unit_test(what_is_due_as_the_run_is_cut_is_not_offered_in_it),
        cmocka_unit_test(requests_that_wait_for_the_window_have_send_lag),
        cmocka_unit_test(a_quota_that_is_too_small_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
