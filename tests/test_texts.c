/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Servers and loads in the few words that tables have room for. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "sim/texts.h"
#include "tests/scenario_text.h"

static void a_server_is_one_line(void **state)
{
    (void)state;
    static const struct {
        const char *server, *text;
    } cases[] = {
        {"{\"service\": {\"constant\": \"1ms\"}}", "1 worker, constant 1ms, fifo"},
        {"{\"service\": {\"exponential\": \"5ms\"}, \"workers\": \"unlimited\"}",
         "unlimited workers, exponential of mean 5ms, fifo"},
        {"{\"service\": {\"uniform\": {\"low\": 0, \"high\": 10}}, \"workers\": 2, \"queue\": "
         "\"lifo\", "
         "\"queue_limit\": 7, \"load_dependence\": 0.5}",
         "2 workers, uniform of mean 5ns, lifo, 7 wait at most, slower by 0.5 for each other "
         "request"},
        {"{\"service\": {\"constant\": 5}, \"replicas\": 3, \"routing\": \"round-robin\", "
         "\"quota\": "
         "{\"budget\": \"20ms\"}}",
         "3 replicas (round-robin), each 1 worker, constant 5ns, fifo; quota 20ms in 100ms"},
        {"{\"service\": {\"constant\": 5}, \"behind\": {\"service\": {\"exponential\": 7}, "
         "\"workers\": "
         "4, \"keeps_worker\": true}, \"network\": {\"delay\": {\"constant\": 9}, \"probability\": "
         "0.25}}",
         "1 worker, constant 5ns, fifo; behind it 4 workers, exponential of mean 7ns, fifo, keeps "
         "the worker; network constant of mean 9ns with probability 0.25"},
        {"{\"service\": {\"constant\": 5}, \"replicas\": 2, \"stalls\": [{\"mode\": \"slowdown\", "
         "\"factor\": 0.25, \"first\": 1, \"every\": \"1s\", \"last\": \"200ms\"}, {\"mode\": "
         "\"neighbour\", \"share\": 0.25, \"first\": \"3s\", \"last\": \"1s\", \"target\": "
         "{\"replica\": "
         "1}}, {\"mode\": \"suspend\", \"up\": {\"exponential\": \"1s\"}, \"down\": {\"constant\": "
         "\"9ms\"}}, {\"mode\": \"gate\", \"first\": 1, \"last\": 1}]}",
         "2 replicas (random), each 1 worker, constant 5ns, fifo; slowdown to 0.25 200ms every 1s; "
         "neighbour of 0.25 of replica 1 1s at 3s; suspend at random, mean 9ms after 1s; 1 more"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *scenario = scenario_of((struct parts){.server = cases[i].server});
        struct plan *plan = plan_of(scenario);
        char *text = server_text(&plan->server);
        assert_string_equal(text, cases[i].text);
        free(text);
        plan_free(plan);
        free(scenario);
    }
}

static void a_load_says_what_its_client_does(void **state)
{
    (void)state;
    static const struct {
        const char *load, *text;
    } cases[] = {
        {"{\"closed\": 3}", "closed, 3 clients"},
        {"{\"closed\": 3, \"timeout\": \"5ms\"}", "closed, 3 clients, timeout 5ms"},
        {"{\"closed\": 3, \"timeout\": \"5ms\", \"timeout_cancel\": \"queued\"}",
         "closed, 3 clients, timeout 5ms cancels queued"},
        {"{\"closed\": 1, \"retry\": {\"after\": \"9ms\", \"copies\": 3, \"backoff\": 2, "
         "\"jitter\": 0.5, "
         "\"budget\": 0.1}}",
         "closed, 1 client, retry after 9ms, 3 copies, back-off 2, jitter 0.5, budget 0.1"},
        {"{\"closed\": 1, \"hedge\": {\"percentile\": 99.5}, \"work\": \"per-request\"}",
         "closed, 1 client, hedge after p99.5, 2 copies, cancels in-service, all of the same work"},
        {"{\"closed\": 1, \"tied\": 2}", "closed, 1 client, tied, 2 copies"},
        {"{\"closed\": 1, \"tied\": 2, \"idempotent\": false}",
         "closed, 1 client, not idempotent: no copies"},
        {"{\"closed\": 1, \"fan_out\": 3}", "closed, 1 client, 3 parts"},
        {"{\"closed\": 1, \"fan_out\": 3, \"wait_for\": 2, \"work\": \"per-request\"}",
         "closed, 1 client, 2 of 3 parts of the same work"},
        {"{\"closed\": 1, \"generator\": {\"cost\": \"3us\", \"threads\": 2}, \"overhead\": "
         "\"7us\"}",
         "closed, 1 client, 3us a send on 2 threads, 7us an answer"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *loads = must_format("{\"a\": %s}", cases[i].load);
        char *scenario = scenario_of((struct parts){
            .server = "{\"service\": {\"constant\": 1}, \"replicas\": 3}", .loads = loads});
        struct plan *plan = plan_of(scenario);
        char *text = load_text(&plan->loads[0]);
        assert_string_equal(text, cases[i].text);
        free(text);
        plan_free(plan);
        free(scenario);
        free(loads);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_is_one_line),
        cmocka_unit_test(a_load_says_what_its_client_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
