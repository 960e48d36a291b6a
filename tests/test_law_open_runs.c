/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The laws of open exponential queues against the engine: true ones are never rejected, ones wrong
   by a few percent always. */

#include <stdlib.h>
#include <string.h>

#include "sim/run.h"
#include "sim/scenario/reader.h"
#include "tests/claim.h"

static struct plan *plan_of(const char *text)
{
    struct errors errors = {0};
    struct plan *plan = plan_read("open", text, strlen(text), NULL, 0, &errors);
    for (size_t i = 0; i < errors.count; i++)
        print_error("%s\n%s\n", errors.texts[i], text);
    assert_non_null(plan);
    errors_free(&errors);
    return plan;
}

#define POISSON(rate, more) "\"open\": {\"rate\": " #rate ", \"arrivals\": \"poisson\"" more "}"
#define WINDOW(width) ", \"max_in_flight\": " #width
#define TIMEOUT(after) ", \"timeout\": \"" after "\""
#define DUE "\"from\": \"due\""
#define SENT "\"from\": \"sent\""
#define LAG "\"from\": \"due\", \"to\": \"sent\""
#define REQUESTS "\"requests\": 10000"
#define SESSIONS                                                                           \
    "\"sessions\": {\"rate\": 20, \"arrivals\": \"poisson\", \"requests\": 3, \"think\": " \
    "{\"constant\": \"30ms\"}}"

/* Services of 10 ms. */
static const struct scene {
    const char *law, *server, *load, *recorder, *run;
} scenes[] = {
    {"mmc", ", \"workers\": 3", POISSON(210, ""), DUE, REQUESTS},
    {"mmc", ", \"workers\": \"unlimited\"", POISSON(120, WINDOW(2)), DUE, REQUESTS},
    {"mmck", ", \"queue_limit\": 4", POISSON(80, ""), DUE, REQUESTS},
    {"mmck", ", \"workers\": 3, \"queue_limit\": 6", POISSON(330, ""), DUE, REQUESTS},
    {"window", "", POISSON(70, WINDOW(4)), SENT, REQUESTS},
    {"window", ", \"workers\": 2", POISSON(150, WINDOW(5)), SENT, REQUESTS},
    {"send-lag", "", POISSON(70, WINDOW(2)), LAG, "\"requests\": 30000"},
    {"mm1-timeout", "", POISSON(60, "") TIMEOUT("50ms"), DUE, REQUESTS},
    {"mm1-timeout", "", POISSON(50, "") TIMEOUT("30ms"), DUE ", \"failures\": \"end\"", REQUESTS},
    {"mm1", ", \"replicas\": 3, \"routing\": \"random\"", POISSON(150, ""), DUE, REQUESTS},
    {"transient", "", POISSON(80, ""), DUE,
     "\"requests\": 60, \"start\": \"empty\", \"replications\": 6000"},
    {"transient", "", POISSON(120, ""), DUE, "\"duration\": \"1s\", \"replications\": 6000"},
    {"sessions", "", SESSIONS, SENT, "\"duration\": \"170s\""},
};

static char *text_of(const struct scene *s, const char *service, unsigned seed)
{
    return must_format("{\"server\": {\"service\": {\"exponential\": \"%s\"}%s}, \"loads\": "
                       "{\"l\": {%s}}, \"recorders\": {\"r\": {\"load\": \"l\", %s}}, \"run\": "
                       "{%s, \"seed\": %u}, \"report\": {\"percentiles\": [50, 75, 90, 95]}}",
                       service, s->server, s->load, s->recorder, s->run, seed);
}

static enum verdict verdict_of(const struct scene *s, const char *law_service, unsigned seed)
{
    char *text = text_of(s, "10ms", seed), *law_text = text_of(s, law_service, seed);
    struct plan *plan = plan_of(text), *law_plan = plan_of(law_text);
    struct errors errors = {0};
    struct run_options options = {.threads = 2, .law_plan = law_plan};
    struct result *result = run_scenario(plan, &options, &errors);
    assert_non_null(result);
    errors_free(&errors);
    assert_string_equal(result->recorders[0].law_name, s->law);
    enum verdict holds = result->holds;
    result_free(result);
    plan_free(plan);
    plan_free(law_plan);
    free(text);
    free(law_text);
    return holds;
}

/* False alarm below 1e-6 a report, by the design of the check. */
static void true_laws_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        if (verdict_of(&scenes[i], "10ms", 1) != VERDICT_HOLDS)
            fail_msg("%s, scene %zu", scenes[i].law, i);
}

static void canary_laws_of_a_service_wrong_by_4_percent_are_rejected(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        if (verdict_of(&scenes[i], "10.4ms", 3) != VERDICT_FAILS)
            fail_msg("%s, scene %zu", scenes[i].law, i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(true_laws_hold),
        cmocka_unit_test(canary_laws_of_a_service_wrong_by_4_percent_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
