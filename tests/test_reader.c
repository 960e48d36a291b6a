/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Good scenarios: what the plan says, and what is written back. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/loads/load.h"
#include "models/policies/late.h"
#include "models/policies/resend.h"
#include "models/ranks/rank.h"
#include "models/stalls/stall.h"
#include "tests/equal_plans.h"
#include "tests/scenario_text.h"

static void the_example_of_the_manual_is_read_as_it_says(void **state)
{
    (void)state;
    struct plan *plan = plan_of(
        "{\"title\": \"A \\u00fc\", \"about\": \"one\", \"claims\": [\"S2-1\", \"S2-2\"],\n"
        "\"recorders\": {\"sent\": {\"load\": \"one\", \"from\": \"sent\"},\n"
        "  \"due\": {\"load\": \"open\", \"from\": \"due\", \"truth\": \"one\", \"rank\": "
        "\"type7\"},\n"
        "  \"corrected\": {\"load\": \"one\", \"from\": \"sent\", \"expected_interval\": "
        "\"200us\"}},\n"
        "\"loads\": {\"one\": {\"paced\": {\"rate\": 5000, \"late\": {\"catch-up\": 1.5}}},\n"
        "  \"open\": {\"open\": {\"every\": \"200us\"}, \"timeout\": \"1s\"}},\n"
        "\"server\": {\"service\": {\"constant\": \"100us\"}, \"workers\": 2, \"queue_limit\": 0,\n"
        "  \"stalls\": [{\"mode\": \"gate\", \"first\": \"0.5s\", \"every\": 1e9, \"last\": "
        "\"200ms\"}]},\n"
        "\"run\": {\"requests\": 100000, \"warmup\": \"5ms\", \"seed\": "
        "\"18446744073709551615\"},\n"
        "\"report\": {\"percentiles\": [50, 99.90, 1e2], \"rank\": \"hdr\", \"above\": [\"1ms\", "
        "1000]}}");
    assert_string_equal(plan->title, "A \xc3\xbc");
    assert_int_equal(plan->about_count, 1);
    assert_string_equal(plan->claims[1], "S2-2");
    const struct server *server = &plan->server;
    assert_ptr_equal(server->service.type, &distribution_constant.is);
    assert_int_equal(((const struct constant *)server->service.params)->value_ns, 100000);
    assert_int_equal(server->workers, 2);
    assert_int_equal(server->queue_limit, 0);
    assert_int_equal(server->stall_count, 1);
    assert_ptr_equal(server->stalls[0].mode, &stall_gate);
    assert_int_equal(server->stalls[0].first_ns, 500000000);
    assert_int_equal(server->stalls[0].every_ns, 1000000000);
    assert_int_equal(server->stalls[0].last_ns, 200000000);
    assert_int_equal(plan->load_count, 2);
    assert_string_equal(plan->loads[0].name, "one");
    const struct paced_load *paced = plan->loads[0].kind.params;
    assert_int_equal(paced->rate_per_s.num, 5000);
    assert_int_equal(paced->connections, 1);
    assert_ptr_equal(paced->late.type, &late_catch_up.is);
    const struct catch_up *late = paced->late.params;
    assert_true(late->factor.num == 3 && late->factor.den == 2);
    const struct open_load *open = plan->loads[1].kind.params;
    assert_true(open->every_ns == 200000 && open->max_in_flight == UNLIMITED);
    assert_ptr_equal(open->arrivals.type, &arrivals_even.is);
    assert_int_equal(plan->loads[1].timeout_ns, 1000000000);
    assert_int_equal(plan->recorder_count, 3);
    const struct recorder_plan *due = &plan->recorders[1];
    assert_true(due->load == 1 && due->truth == 0 && plan->recorders[0].truth == NO_INDEX);
    assert_string_equal(due->rank.type->name, "type7");
    assert_string_equal(plan->recorders[0].rank.type->name, "hdr");
    assert_int_equal(due->warmup_ns, 5000000);
    assert_true(due->from == INSTANT_DUE && due->to == INSTANT_FINISHED);
    assert_string_equal(plan->recorders[2].correction.type->name, "hdr");
    assert_string_equal(plan->recorders[2].store.type->name, "exact");
    assert_true(plan->run.seed == UINT64_MAX && plan->run.replications == 1);
    assert_int_equal(plan->report.percentile_count, 3);
    assert_string_equal(plan->report.percentiles[1].text, "99.9");
    assert_true(plan->report.percentiles[1].p.num == 999 &&
                plan->report.percentiles[1].p.den == 1000);
    assert_string_equal(plan->report.percentiles[2].text, "100");
    assert_string_equal(plan->report.above[1].text, "1us");
    plan_free(plan);
}

static void defaults_are_those_of_the_manual(void **state)
{
    (void)state;
    char *text = scenario_of((struct parts){.server = "{\"service\": {\"exponential\": \"1ms\"}}"});
    struct plan *plan = plan_of(text);
    static const char *const percentiles[] = {"50", "90", "99", "99.9", "100"};
    assert_int_equal(plan->report.percentile_count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(plan->report.percentiles[i].text, percentiles[i]);
    assert_ptr_equal(plan->report.rank.type, &rank_nearest.is);
    assert_ptr_equal(plan->recorders[0].rank.type, &rank_nearest.is);
    assert_int_equal(plan->report.unit, UNIT_AUTO);
    assert_int_equal(plan->run.replications, 32);
    assert_int_equal(plan->run.seed, 1);
    assert_int_equal(plan->run.start, START_DEFAULT);
    assert_int_equal(plan->recorders[0].failures, FAILURES_DROPPED);
    assert_true(plan->server.workers == 1 && plan->server.queue_limit == UNLIMITED);
    assert_null(plan->recorders[0].correction.type);
    assert_string_equal(plan->title, "");
    plan_free(plan);
    free(text);
}

static void stated_figures_are_read_exactly(void **state)
{
    (void)state;
    char *text = scenario_of((struct parts){
        .loads = "{\"r\": {\"open\": {\"rate\": 100}}, \"b\": {\"closed\": {\"clients\": 1}}}",
        .recorders = "{\"r\": {\"load\": \"r\", \"from\": \"due\"}}",
        .more = ", \"report\": {\"percentiles\": [99.9], \"above\": [\"1ms\", \"2ms\"]},\n"
                "\"expect\": {\"r\": {\"p99.90\": \"1.0005us\", \"above 1000us\": \"16.6028%\",\n"
                "\"sum\": 170141183460469231731, \"mean\": 0.125, \"above 2ms\": 19920, \"max\": "
                "null,\n"
                "\"sent\": 10, \"last_answer\": \"1min\"}, \"b\": {\"stalls\": 0}}"});
    struct plan *plan = plan_of(text);
    const struct expectation *e = plan->expectations;
    assert_int_equal(plan->expectation_count, 9);
    assert_string_equal(e[0].figure, "p99.9");
    assert_true(e[0].milli == 1000500 && e[0].is_duration && !e[0].of_load);
    assert_string_equal(e[1].figure, "above 1ms");
    assert_true(e[1].is_share && e[1].share == 166028 && e[1].decimals == 4);
    char sum[48];
    assert_string_equal(format_i128(e[2].milli, sum), "170141183460469231731000");
    assert_false(e[2].is_duration);
    assert_true(e[3].milli == 125 && e[4].milli == 19920000 && !e[4].is_share && e[5].is_null);
    assert_true(e[6].of_load && e[6].subject == 0 && e[6].milli == 10000);
    assert_true(e[7].milli == (i128)60000000000000 && e[7].is_duration);
    assert_true(e[8].of_load && e[8].subject == 1 && e[8].milli == 0 && !e[8].is_null);
    assert_string_equal(e[1].text, "16.6028%");
    plan_free(plan);
    free(text);
}

static void comes_back(const char *text)
{
    struct plan *plan = plan_of(text);
    char *json = written(plan);
    struct plan *again = plan_of(json);
    equal_plans(plan, again);
    char *twice = written(again);
    assert_string_equal(json, twice);
    free(twice);
    plan_free(again);
    free(json);
    plan_free(plan);
}

static void what_is_written_reads_back_as_the_same_plan(void **state)
{
    (void)state;
    comes_back(
        "{\"$schema\": \"x\", \"title\": \"q \\\"\\\\\\n\\u0001\\ud83d\\ude00\", \"about\": "
        "[\"a\", \"\"],"
        "\"server\": {\"service\": {\"two-point\": {\"usual\": 0, \"rare\": \"1min\", "
        "\"probability\": "
        "0.000000000000000001}}, \"workers\": \"unlimited\", \"queue\": \"fifo\", \"queue_limit\": "
        "7,"
        "\"stalls\": [{\"mode\": \"suspend\", \"first\": 1, \"last\": 0}, {\"mode\": \"gate\", "
        "\"first\": 0, \"last\": \"999.999999ms\", \"every\": \"1s\"}]},"
        "\"loads\": {\"a/b ~\\\"\": {\"open\": {\"arrivals\": {\"times\": [0, \"1us\", 1000, "
        "5000]}}},"
        "\"b\": {\"open\": {\"arrivals\": {\"times\": {\"at\": [0, \"1us\", 1000]}}}, \"timeout\": "
        "5},"
        "\"c\": {\"closed\": {\"clients\": 10000000, \"think\": {\"uniform\": {\"low\": 1, "
        "\"high\": "
        "\"2us\"}}, \"stagger\": 3}}, \"d\": {\"closed\": 4}, \"e\": {\"paced\": {\"every\": 7, "
        "\"late\": {\"catch-up\": {\"factor\": 1.25}}, \"connections\": 9}},"
        "\"f\": {\"paced\": {\"rate\": 0.3, \"late\": {\"skip\": {}}}},"
        "\"g\": {\"open\": {\"rate\": 1e3, \"arrivals\": \"poisson\", \"max_in_flight\": 64}}},"
        "\"recorders\": {\"1\": {\"load\": \"c\", \"from\": \"started\", \"warmup\": 0, \"rank\": "
        "{\"type7\": {}}}, \"2\": {\"load\": \"g\", \"from\": \"due\", \"to\": \"sent\", "
        "\"truth\": "
        "\"g\", \"failures\": \"infinite\", \"warmup\": \"3us\"}, \"3\": {\"load\": \"e\", "
        "\"from\": "
        "\"sent\", \"correction\": {\"wrk\": \"auto\"}, \"store\": {\"hdr\": {\"digits\": 5, "
        "\"lowest\": 3, \"highest\": \"1s\", \"clamp\": false}}}, \"4\": {\"load\": \"e\", "
        "\"from\": "
        "\"acquired\", \"correction\": {\"hdr-py\": {\"interval\": \"1.5us\"}}, \"store\": "
        "\"hdr\"},"
        "\"5\": {\"load\": \"f\", \"from\": \"sent\", \"expected_interval\": 1}},"
        "\"run\": {\"requests\": 18446744073709551615, \"duration\": 4611686018427387903, "
        "\"warmup\": "
        "\"1us\", \"replications\": 1000000, \"seed\": 9007199254740993, \"start\": "
        "\"stationary\", "
        "\"cut\": 5}, \"report\": {\"percentiles\": [0, 12.5, 99.9999999999], \"above\": "
        "[\"1.50ms\", "
        "3], \"unit\": \"min\", \"rank\": \"type4\"}, \"claims\": \"S1-1\","
        "\"expect\": {\"1\": {\"above 1.5ms\": \"0.020%\", \"sum\": 1e3, \"p12.50\": null}, \"g\": "
        "{\"sent\": 5}, \"2\": {\"mean\": \"1.5us\", \"min\": 7.125}}}");
    char *text = scenario_of((struct parts){0});
    comes_back(text);
    free(text);
}

/* Everything random, several servers, copies and parts, and a run that is sized. */
static const char replicated[] =
    "{\"server\": {\"service\": {\"hyperexponential\": {\"branches\": [{\"probability\": 0.9,"
    "\"mean\": \"1ms\"}, {\"mean\": 7, \"probability\": 0.1}]}}, \"replicas\": 4,"
    "\"routing\": \"round-robin\", \"stalls\": [{\"mode\": \"suspend\", \"up\": "
    "{\"exponential\": \"1s\"}, \"down\": {\"uniform\": {\"low\": 0, \"high\": 5}}}, "
    "{\"mode\": \"blackout\", \"first\": 0, \"last\": \"20ms\"}]},"
    "\"loads\": {\"h\": {\"open\": {\"arrivals\": {\"gaps\": {\"erlang\": {\"mean\": \"1ms\","
    "\"stages\": 3}}}}, \"hedge\": {\"after\": 0, \"copies\": 3, \"cancel\": \"queued\"}},"
    "\"r\": {\"retry\": \"5ms\", \"closed\": {\"clients\": 2, \"think\": {\"lognormal\": "
    "{\"mean\": \"1ms\", \"cv\": 1.5}}}, \"timeout\": \"1s\"},"
    "\"s\": {\"sessions\": {\"rate\": 0.5, \"requests\": 5, \"think\": {\"pareto\": "
    "{\"minimum\": 9, \"shape\": 1.5}}}, \"fan_out\": 4}},"
    "\"recorders\": {\"x\": {\"load\": \"h\", \"from\": \"due\"}},"
    "\"run\": {\"detect\": {\"percentile\": 99.90, \"within\": \"2.5%\"}}}";

static void replicas_copies_and_a_sized_run_are_read_as_they_say(void **state)
{
    (void)state;
    struct plan *plan = plan_of(replicated);
    const struct server *server = &plan->server;
    assert_true(server->replicas == 4 && server->stall_count == 2);
    assert_string_equal(server->routing.type->name, "round-robin");
    const struct item_list *branches = server->service.params;
    const struct branch *branch = branches->items;
    assert_int_equal(branches->count, 2);
    assert_true(branch[0].mean_ns == 1000000 && branch[1].mean_ns == 7);
    assert_true(branch[0].probability.num == 9 && branch[1].probability.den == 10);
    assert_string_equal(server->stalls[0].up.type->name, "exponential");
    assert_string_equal(server->stalls[0].down.type->name, "uniform");
    assert_null(server->stalls[1].up.type);
    const struct load_plan *loads = plan->loads;
    const struct resend *hedge = loads[0].resend.params, *retry = loads[1].resend.params;
    assert_ptr_equal(loads[0].resend.type, &resend_hedge.is);
    assert_ptr_equal(loads[1].resend.type, &resend_retry.is);
    assert_true(hedge->after_ns == 0 && hedge->copies == 3 && hedge->cancel == CANCEL_QUEUED);
    assert_true(retry->after_ns == 5000000 && retry->copies == 2 && retry->cancel == CANCEL_NONE);
    assert_null(loads[2].resend.type);
    assert_true(loads[0].fan_out == 1 && loads[2].fan_out == 4);
    const struct sessions_load *sessions = loads[2].kind.params;
    assert_true(sessions->requests == 5);
    assert_string_equal(sessions->arrivals.type->name, "poisson");
    const struct run_plan *run = &plan->run;
    assert_true(run->requests == 0 && run->duration_ns == 0 && run->replications == 32);
    assert_true(run->detect_p.num == 999 && run->detect_p.den == 1000);
    assert_true(run->detect_within.num == 1 && run->detect_within.den == 40);
    plan_free(plan);
    comes_back(replicated);
}

static void only_chance_needs_replications(void **state)
{
    static const struct {
        const char *server;
        uint64_t replications;
    } cases[] = {
        {"{\"service\": {\"constant\": 5}}", 1},
        {"{\"service\": {\"constant\": 5}, \"replicas\": 2}", 32},
        {"{\"service\": {\"constant\": 5}, \"replicas\": 2, \"routing\": \"round-robin\"}", 1},
        {"{\"service\": {\"constant\": 5}, \"stalls\": [{\"mode\": \"gate\", \"up\": "
         "{\"constant\": 9}, \"down\": {\"constant\": 3}}]}",
         1},
        {"{\"service\": {\"constant\": 5}, \"stalls\": [{\"mode\": \"gate\", \"up\": "
         "{\"constant\": 9}, \"down\": {\"exponential\": 3}}]}",
         32},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = scenario_of((struct parts){.server = cases[i].server});
        struct plan *plan = plan_of(text);
        assert_int_equal(plan->run.replications, cases[i].replications);
        plan_free(plan);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_manual_is_read_as_it_says),
        cmocka_unit_test(defaults_are_those_of_the_manual),
        cmocka_unit_test(stated_figures_are_read_exactly),
        cmocka_unit_test(what_is_written_reads_back_as_the_same_plan),
        cmocka_unit_test(replicas_copies_and_a_sized_run_are_read_as_they_say),
        cmocka_unit_test(only_chance_needs_replications),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
