/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Many replications of a few requests each: where a run that starts in the wrong state, or records
   the wrong requests, cannot hide behind its length. */

#include <stdlib.h>

#include "tests/claim.h"
#include "tests/whole_run.h"

#define SCENE                                                                                      \
    "{\"server\": {%s}, \"loads\": {\"l\": {%s}}, \"recorders\": {\"r\": {\"load\": \"l\", %s}}, " \
    "\"run\": {%s}, \"report\": {\"percentiles\": [50, 90]}}"
#define EXPONENTIAL "\"service\": {\"exponential\": \"1s\"}"
#define POISSON(rate, more) "\"open\": {\"rate\": " rate ", \"arrivals\": \"poisson\"" more "}"
#define DUE "\"from\": \"due\""
#define COUNT "\"requests\": 10, \"replications\": 10000"
#define UP_DOWN                                                                             \
    EXPONENTIAL                                                                             \
    ", \"stalls\": [{\"mode\": \"suspend\", \"up\": {\"exponential\": \"20s\"}, \"down\": " \
    "{\"exponential\": \"2s\"}}]"

static const struct scene {
    const char *law, *server, *load, *recorder, *run;
} scenes[] = {
    {"mm1", EXPONENTIAL, POISSON("0.8", ""), DUE, COUNT},
    {"mm1", EXPONENTIAL, POISSON("0.8", ""), DUE, "\"duration\": \"12s\", \"replications\": 10000"},
    {"mm1", EXPONENTIAL ", \"replicas\": 2", POISSON("1.6", ""), DUE, COUNT},
    {"md1", "\"service\": {\"constant\": \"1s\"}", POISSON("0.8", ""), DUE, COUNT},
    {"mg1", "\"service\": {\"erlang\": {\"mean\": \"1s\", \"stages\": 3}}", POISSON("0.8", ""), DUE,
     COUNT},
    {"mmc", EXPONENTIAL ", \"workers\": 3", POISSON("2.4", ""), DUE, COUNT},
    {"mmck", EXPONENTIAL ", \"workers\": 2, \"queue_limit\": 4", POISSON("1.6", ""), DUE, COUNT},
    {"mm1-timeout", EXPONENTIAL, POISSON("0.6", "") ", \"timeout\": \"5s\"", DUE, COUNT},
    {"window", EXPONENTIAL, POISSON("0.8", ", \"max_in_flight\": 3"), "\"from\": \"sent\"", COUNT},
    {"send-lag", EXPONENTIAL, POISSON("0.8", ", \"max_in_flight\": 3"), DUE ", \"to\": \"sent\"",
     COUNT},
    {"dm1", EXPONENTIAL, "\"open\": {\"every\": \"1250ms\"}", DUE, COUNT},
    {"gim1", EXPONENTIAL, "\"open\": {\"arrivals\": {\"gaps\": {\"exponential\": \"1250ms\"}}}",
     DUE, "\"duration\": \"15s\", \"replications\": 10000"},
    {"both-and-cancel", EXPONENTIAL ", \"replicas\": 2",
     POISSON("1.2", "") ", \"hedge\": {\"after\": 0}", DUE, COUNT},
    {"updown-open", UP_DOWN, POISSON("0.6", ""), DUE, "\"requests\": 10, \"replications\": 5000"},
    {"closed-random-order", "\"service\": {\"constant\": \"1s\"}, \"queue\": \"random\"",
     "\"closed\": {\"clients\": 12}", DUE, "\"duration\": \"5s\", \"replications\": 3000"},
    {"closed-random-order",
     "\"service\": {\"constant\": \"1s\"}, \"workers\": 3, \"queue\": \"random\"",
     "\"closed\": {\"clients\": 16}", DUE,
     "\"duration\": \"9s\", \"warmup\": \"2s\", \"replications\": 3000"},
    {"mm1-order", EXPONENTIAL ", \"queue\": \"lifo\"", POISSON("0.3", ""), DUE,
     "\"requests\": 80, \"replications\": 2000"},
    {"mm1-order", EXPONENTIAL ", \"queue\": \"random\", \"replicas\": 2", POISSON("0.6", ""), DUE,
     "\"duration\": \"250s\", \"replications\": 500"},
    {"mm1-order", EXPONENTIAL ", \"queue\": \"processor-sharing\"", POISSON("0.3", ""), DUE,
     "\"duration\": \"260s\", \"warmup\": \"10s\", \"replications\": 500"},
};

/* False alarm below 1e-6 a report, by the design of the check. */
static void the_first_few_requests_see_what_the_law_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        const struct scene *s = &scenes[i];
        char *text = must_format(SCENE, s->server, s->load, s->recorder, s->run);
        struct plan *plan = whole_plan(text);
        struct result *result = whole_run(plan, NULL);
        assert_string_equal(result->recorders[0].law_name, s->law);
        for (size_t k = 0; k < 2; k++)
            if (result->recorders[0].cells[k].holds != VERDICT_HOLDS)
                fail_msg("%s, scene %zu: %s", s->law, i, result->recorders[0].cells[k].why);
        result_free(result);
        plan_free(plan);
        free(text);
    }
}

/* What arrives in the warm-up decides how many are recorded after it: such a run is not judged. */
static void a_warm_up_and_a_count_are_not_judged_together(void **state)
{
    (void)state;
    char *text = must_format(SCENE, EXPONENTIAL, POISSON("0.8", ""), DUE,
                             "\"requests\": 20, \"warmup\": \"3s\"");
    struct plan *plan = whole_plan(text);
    struct result *result = whole_run(plan, NULL);
    assert_int_equal(result->recorders[0].cells[0].check, CHECK_NONE);
    result_free(result);
    plan_free(plan);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_few_requests_see_what_the_law_says),
        cmocka_unit_test(a_warm_up_and_a_count_are_not_judged_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
