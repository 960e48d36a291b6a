/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Stations, disturbances, what clients do and how recorders group: what the plan says of them, what
   stands there where a scenario is silent, and that all of it is written back. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "models/distributions/distribution.h"
#include "models/policies/resend.h"
#include "models/queues/queue.h"
#include "models/stalls/stall.h"
#include "tests/equal_plans.h"
#include "tests/scenario_text.h"

static struct plan *plan_of_parts(struct parts parts)
{
    char *text = scenario_of(parts);
    struct plan *plan = plan_of(text);
    free(text);
    return plan;
}

static void equal_ratio(struct ratio ratio, uint64_t num, uint64_t den)
{
    assert_int_equal(ratio.num, num);
    assert_int_equal(ratio.den, den);
}

static void a_silent_scenario_has_one_plain_station(void **state)
{
    (void)state;
    struct plan *plan = plan_of_parts((struct parts){0});
    const struct server *server = &plan->server;
    const struct load_plan *load = &plan->loads[0];
    const struct recorder_plan *recorder = &plan->recorders[0];
    assert_ptr_equal(server->queue.type, &queue_fifo.is);
    assert_int_equal(server->quota.budget_ns, 0);
    assert_null(server->behind.service.type);
    assert_null(server->network.delay.type);
    assert_int_equal(server->load_dependence.num, 0);
    assert_true(load->idempotent);
    assert_int_equal(load->work, WORK_PER_ATTEMPT);
    assert_int_equal(load->timeout_cancel, CANCEL_NONE);
    assert_true(load->fan_out == 1 && load->wait_for == 0);
    assert_true(load->generator.cost_ns == 0 && load->generator.threads == 1);
    assert_int_equal(load->overhead_ns, 0);
    assert_true(recorder->part == PART_NONE && recorder->per == PER_RUN);
    assert_int_equal(recorder->merge, MERGE_COUNTS);
    assert_true(plan->sweep_count == 0 && plan->experiment.type == NULL);
    plan_free(plan);
}

static void stations_are_read_as_they_say(void **state)
{
    (void)state;
    struct plan *plan = plan_of_parts((struct parts){
        .server =
            "{\"service\": {\"constant\": 5}, \"queue\": \"processor-sharing\", "
            "\"load_dependence\": 0.25, \"quota\": {\"budget\": \"20ms\"}, \"behind\": "
            "{\"service\": {\"exponential\": 7}, \"workers\": \"unlimited\", \"queue\": "
            "\"lifo\", \"keeps_worker\": true}, \"network\": {\"delay\": {\"constant\": 3}}}"});
    const struct server *server = &plan->server;
    assert_ptr_equal(server->queue.type, &queue_processor_sharing.is);
    equal_ratio(server->load_dependence, 1, 4);
    assert_int_equal(server->quota.budget_ns, 20 * NS_PER_MS);
    assert_int_equal(server->quota.period_ns, 100 * NS_PER_MS);
    assert_false(server->quota.shared);
    assert_ptr_equal(server->behind.service.type, &distribution_exponential.is);
    assert_true(server->behind.workers == UNLIMITED && server->behind.keeps_worker);
    assert_string_equal(server->behind.queue.type->name, "lifo");
    assert_ptr_equal(server->network.delay.type, &distribution_constant.is);
    equal_ratio(server->network.probability, 1, 1);
    plan_free(plan);
}

/* A factor is what is left of the speed, a share what is lost: the plan keeps what is lost. */
static void disturbances_are_read_as_they_say(void **state)
{
    (void)state;
    struct plan *plan = plan_of_parts((struct parts){
        .server =
            "{\"service\": {\"constant\": 5}, \"replicas\": 3, \"network\": {\"delay\": "
            "{\"constant\": 3}}, \"behind\": {\"service\": {\"constant\": 1}}, \"stalls\": ["
            "{\"mode\": \"slowdown\", \"first\": 1, \"last\": 2, \"factor\": 0.3},"
            "{\"mode\": \"neighbour\", \"first\": 1, \"last\": 2, \"share\": \"37.5%\", "
            "\"halves\": \"4ms\", \"target\": {\"replica\": 2}},"
            "{\"mode\": \"reject\", \"up\": {\"constant\": 1}, \"down\": {\"constant\": 2}},"
            "{\"mode\": \"gate\", \"first\": 1, \"last\": 2, \"target\": \"behind\"},"
            "{\"mode\": \"suspend\", \"first\": 1, \"last\": 2, \"target\": \"network\"},"
            "{\"mode\": \"blackout\", \"first\": 1, \"last\": 2, \"target\": \"generator\"}]}",
        .loads = "{\"a\": {\"open\": {\"rate\": 5}, \"generator\": {\"cost\": \"3us\"}}}"});
    const struct stall *stalls = plan->server.stalls;
    equal_ratio(stalls[0].lost, 7, 10);
    assert_true(stalls[0].mode->slows && stalls[0].target == TARGET_SERVER);
    assert_int_equal(stalls[0].halves_ns, 0);
    equal_ratio(stalls[1].lost, 3, 8);
    assert_int_equal(stalls[1].halves_ns, 4 * NS_PER_MS);
    assert_true(stalls[1].target == TARGET_REPLICA && stalls[1].replica == 2);
    assert_ptr_equal(stalls[2].mode, &stall_reject);
    assert_non_null(stalls[2].up.type);
    assert_int_equal(stalls[3].target, TARGET_BEHIND);
    assert_int_equal(stalls[4].target, TARGET_NETWORK);
    assert_int_equal(stalls[5].target, TARGET_GENERATOR);
    assert_true(plan->loads[0].generator.cost_ns == 3000 && plan->loads[0].generator.threads == 1);
    plan_free(plan);
}

static void clients_are_read_as_they_say(void **state)
{
    (void)state;
    struct plan *plan = plan_of_parts((struct parts){
        .server = "{\"service\": {\"constant\": 5}, \"replicas\": 3}",
        .loads = "{\"a\": {\"open\": {\"rate\": 5}, \"timeout\": 9, \"timeout_cancel\": "
                 "\"in-service\", \"idempotent\": false, \"work\": \"per-request\", \"overhead\": "
                 "\"2us\", \"generator\": {\"cost\": 4, \"threads\": 2}, \"retry\": {\"after\": 5, "
                 "\"copies\": 3, \"backoff\": 1.5, \"jitter\": 0.5, \"budget\": 0.1, \"cancel\": "
                 "\"queued\"}},"
                 "\"b\": {\"closed\": 1, \"fan_out\": 3, \"wait_for\": 2},"
                 "\"c\": {\"closed\": 1, \"hedge\": {\"percentile\": 99.5}},"
                 "\"d\": {\"closed\": 1, \"hedge\": 0}, \"e\": {\"closed\": 1, \"tied\": 3},"
                 "\"f\": {\"closed\": 1, \"retry\": {\"after\": 1, \"budget\": 0}}}"});
    const struct load_plan *loads = plan->loads;
    const struct resend *resend[6] = {loads[0].resend.params, NULL,
                                      loads[2].resend.params, loads[3].resend.params,
                                      loads[4].resend.params, loads[5].resend.params};
    assert_true(loads[0].timeout_ns == 9 && loads[0].timeout_cancel == CANCEL_IN_SERVICE);
    assert_true(!loads[0].idempotent && loads[0].work == WORK_PER_REQUEST);
    assert_true(loads[0].overhead_ns == 2000 && loads[0].generator.threads == 2);
    assert_true(resend[0]->after_ns == 5 && resend[0]->copies == 3);
    equal_ratio(resend[0]->backoff, 3, 2);
    equal_ratio(resend[0]->jitter, 1, 2);
    equal_ratio(resend[0]->budget, 1, 10);
    assert_int_equal(resend[0]->cancel, CANCEL_QUEUED);
    assert_true(loads[1].fan_out == 3 && loads[1].wait_for == 2);
    equal_ratio(resend[2]->percentile, 199, 2);
    assert_int_equal(resend[2]->after_ns, AFTER_MEASURED);
    assert_true(resend[3]->after_ns == 0 && resend[3]->percentile.num == 0);
    assert_ptr_equal(loads[4].resend.type, &resend_tied.is);
    assert_int_equal(resend[4]->copies, 3);
    equal_ratio(resend[5]->budget, 0, 1);
    plan_free(plan);
}

/* Whoever sends copies divides by none of it: no budget is den 0, every wait has its factor. */
static void copies_have_plain_waits_where_nothing_is_said(void **state)
{
    (void)state;
    static const char *const resends[] = {"\"retry\": 5", "\"hedge\": 5", "\"tied\": 2"};
    for (size_t i = 0; i < sizeof resends / sizeof resends[0]; i++) {
        char *loads = must_format("{\"a\": {\"closed\": 1, %s}}", resends[i]);
        struct plan *plan = plan_of_parts((struct parts){.loads = loads});
        const struct resend *resend = plan->loads[0].resend.params;
        equal_ratio(resend->backoff, 1, 1);
        equal_ratio(resend->jitter, 0, 1);
        assert_int_equal(resend->budget.den, 0);
        assert_int_equal(resend->percentile.num, 0);
        assert_int_equal(resend->copies, 2);
        plan_free(plan);
        free(loads);
    }
}

static void groups_and_parts_are_read_as_they_say(void **state)
{
    (void)state;
    struct plan *plan = plan_of_parts((struct parts){
        .loads = "{\"a\": {\"closed\": 2}}",
        .recorders =
            "{\"q\": {\"load\": \"a\", \"part\": \"queue\"}, \"s\": {\"load\": \"a\", "
            "\"part\": \"stall\", \"per\": \"client\"}, \"v\": {\"load\": \"a\", \"part\": "
            "\"service\", \"per\": \"replica\", \"merge\": \"average\"}, \"w\": {\"load\": "
            "\"a\", \"from\": \"sent\", \"per\": {\"window\": \"1s\"}, "
            "\"expected_interval\": 5, \"merge\": \"average\"}}"});
    const struct recorder_plan *r = plan->recorders;
    assert_true(r[0].part == PART_QUEUE && r[0].per == PER_RUN);
    assert_true(r[1].part == PART_STALL && r[1].per == PER_CLIENT);
    assert_true(r[2].part == PART_SERVICE && r[2].per == PER_REPLICA);
    assert_int_equal(r[2].merge, MERGE_AVERAGE);
    assert_true(r[3].per == PER_WINDOW && r[3].window_ns == NS_PER_S && r[3].part == PART_NONE);
    plan_free(plan);
}

static void comes_back(struct parts parts)
{
    struct plan *plan = plan_of_parts(parts);
    char *text = written(plan);
    struct plan *again = plan_of(text);
    equal_plans(plan, again);
    char *text_again = written(again);
    assert_string_equal(text, text_again);
    free(text_again);
    free(text);
    plan_free(again);
    plan_free(plan);
}

static void whatever_is_read_is_written_and_reads_the_same(void **state)
{
    (void)state;
#define CONSTANT "{\"service\": {\"constant\": 1}"
    static const char *const servers[] = {
        CONSTANT ", \"queue\": \"random\", \"load_dependence\": 0.125}",
        CONSTANT ", \"quota\": {\"budget\": 5, \"period\": 7}}",
        CONSTANT ", \"behind\": {\"service\": {\"exponential\": 1}, \"queue\": \"shortest\"}}",
        CONSTANT ", \"network\": {\"delay\": {\"exponential\": 1}, \"probability\": 0.01}}",
        CONSTANT ", \"replicas\": 2, \"stalls\": [{\"mode\": \"slowdown\", \"factor\": 0.3, "
                 "\"first\": 0, \"last\": 5, \"halves\": 2, \"target\": {\"replica\": 1}}]}",
        CONSTANT ", \"stalls\": [{\"mode\": \"neighbour\", \"share\": \"0.1%\", \"up\": "
                 "{\"exponential\": 1}, \"down\": {\"constant\": 1}}]}",
        CONSTANT ", \"network\": {\"delay\": {\"constant\": 1}}, \"stalls\": [{\"mode\": "
                 "\"suspend\", \"first\": 0, \"last\": 1, \"target\": \"network\"}]}",
    };
    static const char *const loads[] = {
        "{\"a\": {\"closed\": 1, \"hedge\": {\"percentile\": 99.9, \"cancel\": \"none\"}}}",
        "{\"a\": {\"closed\": 1, \"hedge\": 0, \"work\": \"per-request\"}}",
        "{\"a\": {\"closed\": 1, \"retry\": {\"after\": 5, \"backoff\": 1.25, \"jitter\": 0.1}}}",
        "{\"a\": {\"closed\": 1, \"retry\": {\"after\": 5, \"budget\": 0}, \"idempotent\": false}}",
        "{\"a\": {\"closed\": 1, \"tied\": {\"copies\": 3, \"cancel\": \"queued\"}}}",
        "{\"a\": {\"closed\": 1, \"timeout\": 5, \"timeout_cancel\": \"queued\", \"overhead\": 7}}",
        "{\"a\": {\"closed\": 1, \"generator\": {\"cost\": 5, \"threads\": 4}}}",
    };
    static const char *const recorders[] = {
        "{\"r\": {\"load\": \"a\", \"part\": \"stall\"}}",
        "{\"r\": {\"load\": \"a\", \"part\": \"queue\", \"per\": {\"window\": 5}}}",
        ("{\"r\": {\"load\": \"a\", \"from\": \"due\", \"per\": \"replica\", \"merge\": "
         "\"average\"}}"),
    };
    for (size_t i = 0; i < sizeof servers / sizeof servers[0]; i++)
        comes_back((struct parts){.server = servers[i]});
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++)
        comes_back((struct parts){.loads = loads[i]});
    for (size_t i = 0; i < sizeof recorders / sizeof recorders[0]; i++)
        comes_back((struct parts){.recorders = recorders[i]});
    comes_back((struct parts){
        .server = CONSTANT ", \"replicas\": 3, \"stalls\": [{\"mode\": \"gate\", \"first\": 0, "
                           "\"last\": 1, \"target\": \"generator\"}]}",
        .loads = "{\"a\": {\"closed\": 1, \"fan_out\": 3, \"wait_for\": 2, \"generator\": "
                 "{\"cost\": 1}}}"});
    comes_back((struct parts){.server = CONSTANT ", \"quota\": {\"budget\": 5, \"shared\": true}}",
                              .loads = "{\"a\": {\"closed\": 1, \"generator\": {\"cost\": 1}}}"});
    comes_back((struct parts){.server = CONSTANT
                              ", \"behind\": {\"service\": {\"constant\": 1}, \"keeps_worker\": "
                              "true}, \"stalls\": [{\"mode\": \"gate\", \"first\": 0, \"last\": "
                              "1, \"target\": \"behind\"}]}"});
}

/* 32 replications are run where anything is drawn, and one where nothing is. */
static void every_mechanism_that_draws_makes_a_scenario_random(void **state)
{
    (void)state;
    static const struct parts random[] = {
        {.server = CONSTANT ", \"queue\": \"random\"}"},
        {.server = CONSTANT ", \"behind\": {\"service\": {\"exponential\": 1}}}"},
        {.server = CONSTANT ", \"behind\": {\"service\": {\"constant\": 1}, \"queue\": "
                            "\"random\"}}"},
        {.server = CONSTANT ", \"network\": {\"delay\": {\"exponential\": 1}}}"},
        {.server = CONSTANT ", \"network\": {\"delay\": {\"constant\": 1}, \"probability\": 0.5}}"},
        {.server = CONSTANT ", \"stalls\": [{\"mode\": \"reject\", \"up\": {\"exponential\": 1}, "
                            "\"down\": {\"constant\": 1}}]}"},
        {.loads = "{\"a\": {\"closed\": 1, \"retry\": {\"after\": 1, \"jitter\": 0.5}}}"},
    };
    static const struct parts planned[] = {
        {.server = CONSTANT ", \"queue\": \"shortest\", \"behind\": {\"service\": {\"constant\": "
                            "1}}, \"network\": {\"delay\": {\"constant\": 1}}}"},
        {.loads = "{\"a\": {\"closed\": 1, \"retry\": {\"after\": 1, \"backoff\": 2}}}"},
        {.loads = "{\"a\": {\"closed\": 1, \"idempotent\": false, \"retry\": {\"after\": 1, "
                  "\"jitter\": 0.5}}}"},
    };
#undef CONSTANT
    for (size_t i = 0; i < sizeof random / sizeof random[0]; i++) {
        struct plan *plan = plan_of_parts(random[i]);
        assert_int_equal(plan->run.replications, 32);
        plan_free(plan);
    }
    for (size_t i = 0; i < sizeof planned / sizeof planned[0]; i++) {
        struct plan *plan = plan_of_parts(planned[i]);
        assert_int_equal(plan->run.replications, 1);
        plan_free(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_silent_scenario_has_one_plain_station),
        cmocka_unit_test(stations_are_read_as_they_say),
        cmocka_unit_test(disturbances_are_read_as_they_say),
        cmocka_unit_test(clients_are_read_as_they_say),
        cmocka_unit_test(copies_have_plain_waits_where_nothing_is_said),
        cmocka_unit_test(groups_and_parts_are_read_as_they_say),
        cmocka_unit_test(whatever_is_read_is_written_and_reads_the_same),
        cmocka_unit_test(every_mechanism_that_draws_makes_a_scenario_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
