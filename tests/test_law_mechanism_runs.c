/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The laws of what stands before, beside and behind the server, against the engine: true ones are
   never rejected, ones of a service wrong by 5 % always; and where a mechanism is in use that a law
   does not know, that law does not answer. */

#include <stdlib.h>
#include <string.h>

#include "models/laws/law.h"
#include "tests/claim.h"
#include "tests/whole_run.h"

#define SCENE                                                                               \
    "{\"server\": {\"service\": {\"%s\": \"%s\"}%s%s}, \"loads\": {\"l\": {%s%s}}, "        \
    "\"recorders\": "                                                                       \
    "{\"r\": {\"load\": \"l\", %s, \"store\": {\"hdr\": 3}}}, \"run\": {%s, \"seed\": 5}, " \
    "\"report\": {\"percentiles\": [50, 90, 99]}}"
#define EVEN "\"open\": {\"rate\": 50}"
#define POISSON "\"open\": {\"rate\": 50, \"arrivals\": \"poisson\"}"
#define CLOSED "\"closed\": {\"clients\": 6}"
#define UNLIMITED_WORKERS ", \"workers\": \"unlimited\""
#define DUE "\"from\": \"due\""
#define EXACT "\"requests\": 3000"
#define LONG "\"duration\": \"400s\""

static const struct scene {
    const char *law, *service, *server, *more, *load, *extra, *recorder, *run;
} scenes[] = {
    /* exact */
    {"overhead", "constant", "", "", EVEN, ", \"overhead\": \"3ms\"", DUE, EXACT},
    {"overhead", "constant", "", "", CLOSED, ", \"overhead\": \"25ms\"", DUE, EXACT},
    {"generator", "constant", UNLIMITED_WORKERS, "", EVEN, ", \"generator\": {\"cost\": \"25ms\"}",
     DUE, EXACT},
    {"generator", "constant", "", "", EVEN, ", \"generator\": {\"cost\": \"30ms\", \"threads\": 2}",
     DUE, EXACT},
    {"on-the-way", "constant", "", ", \"network\": {\"delay\": {\"constant\": \"7ms\"}}", EVEN, "",
     DUE, EXACT},
    {"on-the-way", "constant", "", ", \"network\": {\"delay\": {\"constant\": \"25ms\"}}", CLOSED,
     "", DUE, EXACT},
    {"quota", "constant", ", \"workers\": 3",
     ", \"quota\": {\"budget\": \"66ms\", \"period\": \"50ms\"}", CLOSED, "", DUE, EXACT},
    {"quota", "constant", "", ", \"quota\": {\"budget\": \"50ms\", \"period\": \"70ms\"}", EVEN, "",
     DUE, EXACT},
    {"one-by-one", "constant", "",
     ", \"stalls\": [{\"mode\": \"slowdown\", \"first\": \"1s\", \"every\": \"3s\", \"last\": "
     "\"700ms\", \"factor\": 0.3}, {\"mode\": \"reject\", \"first\": \"5s\", \"last\": \"1s\"}]",
     EVEN, "", DUE, EXACT},
    {"one-by-one", "constant", "",
     ", \"stalls\": [{\"mode\": \"neighbour\", \"first\": \"1s\", \"last\": \"9s\", \"share\": "
     "0.8, "
     "\"halves\": \"1700ms\"}]",
     EVEN, "", DUE, EXACT},
    {"closed-last-first", "constant", ", \"queue\": \"lifo\"", "", CLOSED, "", DUE, EXACT},
    {"closed-sharing", "constant", ", \"queue\": \"processor-sharing\", \"workers\": 4", "", CLOSED,
     "", DUE, EXACT},
    {"part", "constant", "",
     ", \"stalls\": [{\"mode\": \"suspend\", \"first\": \"1s\", \"every\": \"3s\", \"last\": "
     "\"700ms\"}]",
     EVEN, "", "\"part\": \"service\"", EXACT},
    /* statistical */
    {"overhead", "exponential", "", "", POISSON, ", \"overhead\": \"3ms\"", DUE, LONG},
    {"generator", "exponential", UNLIMITED_WORKERS, "", POISSON,
     ", \"generator\": {\"cost\": \"15ms\"}", "\"from\": \"sent\"", LONG},
    {"on-the-way", "exponential", UNLIMITED_WORKERS,
     ", \"network\": {\"delay\": {\"constant\": \"7ms\"}}", POISSON, "", DUE, LONG},
    {"on-the-way", "exponential", "", ", \"network\": {\"delay\": {\"constant\": \"7ms\"}}",
     POISSON, "", DUE, LONG},
    {"on-the-way", "constant", "", ", \"network\": {\"delay\": {\"constant\": \"7ms\"}}", POISSON,
     "", DUE, LONG},
    {"network-delay", "exponential", UNLIMITED_WORKERS,
     ", \"network\": {\"delay\": {\"constant\": \"7ms\"}, \"probability\": 0.3}", POISSON, "", DUE,
     LONG},
    {"closed-random-order", "constant", ", \"queue\": \"random\"", "", CLOSED, "", DUE, LONG},
    {"mm1-order", "exponential", ", \"queue\": \"random\"", "", POISSON, "", DUE, LONG},
    {"mm1-order", "exponential", ", \"queue\": \"lifo\"", "", POISSON, "", DUE, LONG},
    {"mm1-order", "exponential", ", \"queue\": \"processor-sharing\"", "", POISSON, "", DUE, LONG},
    {"fan-out", "exponential", UNLIMITED_WORKERS ", \"replicas\": 5", "", POISSON,
     ", \"fan_out\": 5, \"wait_for\": 3", DUE, LONG},
    {"copies", "exponential", UNLIMITED_WORKERS ", \"replicas\": 2", "", POISSON,
     ", \"tied\": {\"copies\": 2}", DUE, LONG},
    {"shared-work", "exponential", UNLIMITED_WORKERS ", \"replicas\": 2", "", POISSON,
     ", \"hedge\": {\"after\": \"5ms\"}, \"work\": \"per-request\"", DUE, LONG},
    {"service", "exponential", UNLIMITED_WORKERS, "", POISSON,
     ", \"hedge\": {\"after\": \"5ms\"}, \"idempotent\": false", DUE, LONG},
};

enum { SCENES = sizeof scenes / sizeof scenes[0] };

static char *text_of(const struct scene *s, const char *mean)
{
    return must_format(SCENE, s->service, mean, s->server, s->more, s->load, s->extra, s->recorder,
                       s->run);
}

/* False alarm below 1e-6 a report, by the design of the check. */
static void true_laws_of_mechanisms_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < SCENES; i++) {
        char *text = text_of(&scenes[i], "10ms");
        struct plan *plan = whole_plan(text);
        struct result *result = whole_run(plan, NULL);
        const char *name = result->recorders[0].law_name;
        if (name == NULL || strcmp(name, scenes[i].law) != 0)
            fail_msg("scene %zu: %s, not %s", i, name != NULL ? name : result->recorders[0].law_why,
                     scenes[i].law);
        for (size_t k = 0; k < 3; k++) {
            enum check check = result->recorders[0].cells[k].check;
            if (check != CHECK_STATISTICAL && check != CHECK_EXACT)
                fail_msg("scene %zu, %s, cell %zu: %s", i, scenes[i].law, k,
                         result->recorders[0].cells[k].why);
        }
        if (result->holds != VERDICT_HOLDS)
            fail_msg("scene %zu, %s: does not hold", i, scenes[i].law);
        result_free(result);
        plan_free(plan);
        free(text);
    }
}

static void laws_of_a_service_5_percent_off_are_rejected(void **state)
{
    (void)state;
    for (size_t i = 0; i < SCENES; i++) {
        char *text = text_of(&scenes[i], "10ms"), *wrong = text_of(&scenes[i], "10500us");
        if (whole_verdict(text, wrong) != VERDICT_FAILS)
            fail_msg("scene %zu, %s: the wrong law passes", i, scenes[i].law);
        free(text);
        free(wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(true_laws_of_mechanisms_hold),
        cmocka_unit_test(laws_of_a_service_5_percent_off_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
