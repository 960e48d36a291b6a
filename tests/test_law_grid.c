/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Every kind of scenario that has a law, with every mechanism that it may not know: either no law
   answers, or one that the engine agrees with.  And the canary: the law of the same scenario
   without the mechanism, which is what a law would say that wrongly claims to know it, is caught.
 */

#include <stdlib.h>
#include <string.h>

#include "models/laws/mechanisms.h"
#include "tests/claim.h"
#include "tests/whole_run.h"

#define SCENE                                                                                 \
    "{\"server\": {%s%s}, \"loads\": {\"l\": {%s%s}}, \"recorders\": {"                       \
    "\"a\": {\"load\": \"l\", \"from\": \"due\", \"store\": {\"hdr\": 3}}, "                  \
    "\"b\": {\"load\": \"l\", \"from\": \"sent\", \"store\": {\"hdr\": 3}}, "                 \
    "\"c\": {\"load\": \"l\", \"from\": \"due\", \"to\": \"sent\"}, "                         \
    "\"d\": {\"load\": \"l\", \"from\": \"started\", \"store\": {\"hdr\": 3}}, "              \
    "\"e\": {\"load\": \"l\", \"part\": \"service\", \"store\": {\"hdr\": 3}}, "              \
    "\"f\": {\"load\": \"l\", \"part\": \"queue\", \"store\": {\"hdr\": 3}}, "                \
    "\"g\": {\"load\": \"l\", \"part\": \"stall\", \"store\": {\"hdr\": 3}}}, \"run\": {%s, " \
    "\"seed\": 11}, \"report\": {\"percentiles\": [50, 90]}}"
#define CONSTANT "\"service\": {\"constant\": \"3ms\"}"
#define EXPONENTIAL "\"service\": {\"exponential\": \"3ms\"}"
#define NO_LIMIT ", \"workers\": \"unlimited\""
#define POISSON ", \"arrivals\": \"poisson\""
#define COUNT "\"requests\": 1000"
#define TIME "\"duration\": \"6s\""

static const struct base {
    const char *server, *load, *run;
} bases[] = {
    {CONSTANT, "\"open\": {\"rate\": 200}", COUNT},
    {CONSTANT ", \"workers\": 2", "\"open\": {\"rate\": 600}", COUNT},
    {CONSTANT NO_LIMIT, "\"open\": {\"rate\": 600}", COUNT},
    {CONSTANT, "\"open\": {\"rate\": 300, \"max_in_flight\": 2}", COUNT},
    {CONSTANT, "\"paced\": {\"rate\": 300, \"connections\": 2}", COUNT},
    {CONSTANT, "\"paced\": {\"rate\": 300, \"connections\": 2, \"late\": \"skip\"}", COUNT},
    {CONSTANT, "\"closed\": {\"clients\": 5}", COUNT},
    {CONSTANT ", \"workers\": 2", "\"closed\": {\"clients\": 4}", TIME},
    {CONSTANT, "\"closed\": {\"clients\": 3, \"think\": {\"constant\": \"11ms\"}}", COUNT},
    {"\"service\": {\"samples\": [\"1ms\", \"2ms\", \"9ms\"]}" NO_LIMIT,
     "\"open\": {\"rate\": 200}", COUNT},
    {EXPONENTIAL, "\"open\": {\"rate\": 200" POISSON "}", TIME},
    {EXPONENTIAL ", \"workers\": 2", "\"open\": {\"rate\": 400" POISSON "}", TIME},
    {CONSTANT, "\"open\": {\"rate\": 200" POISSON "}", TIME},
    {EXPONENTIAL, "\"open\": {\"rate\": 200}", COUNT},
    {EXPONENTIAL NO_LIMIT, "\"open\": {\"rate\": 200" POISSON "}", TIME},
    {EXPONENTIAL ", \"queue_limit\": 3", "\"open\": {\"rate\": 300" POISSON "}", TIME},
    {EXPONENTIAL, "\"open\": {\"rate\": 200" POISSON ", \"max_in_flight\": 2}", TIME},
    {EXPONENTIAL, "\"closed\": {\"clients\": 5, \"think\": {\"exponential\": \"20ms\"}}", TIME},
    {EXPONENTIAL ", \"workers\": 2", "\"closed\": {\"clients\": 5}", COUNT},
    {EXPONENTIAL,
     "\"sessions\": {\"rate\": 40" POISSON ", \"requests\": 5, \"think\": {\"exponential\": "
     "\"100ms\"}}",
     TIME},
};

#define STALL(rest) ", \"stalls\": [{\"first\": \"500ms\", \"every\": \"2s\", " rest "}]"

static const struct added {
    const char *name, *server, *load;
} mechanisms[] = {
    {"lifo", ", \"queue\": \"lifo\"", ""},
    {"random", ", \"queue\": \"random\"", ""},
    {"shortest", ", \"queue\": \"shortest\"", ""},
    {"sharing", ", \"queue\": \"processor-sharing\"", ""},
    {"load dependence", ", \"load_dependence\": 0.1", ""},
    {"quota", ", \"quota\": {\"budget\": \"25ms\", \"period\": \"50ms\"}", ""},
    {"behind", ", \"behind\": {\"service\": {\"constant\": \"2ms\"}}", ""},
    {"behind, kept",
     ", \"behind\": {\"service\": {\"constant\": \"1ms\"}, \"workers\": 3, \"keeps_worker\": true}",
     ""},
    {"network", ", \"network\": {\"delay\": {\"constant\": \"2ms\"}}", ""},
    {"network, some", ", \"network\": {\"delay\": {\"constant\": \"2ms\"}, \"probability\": 0.3}",
     ""},
    {"network, random", ", \"network\": {\"delay\": {\"exponential\": \"2ms\"}}", ""},
    {"reject", STALL("\"mode\": \"reject\", \"last\": \"400ms\""), ""},
    {"slowdown", STALL("\"mode\": \"slowdown\", \"last\": \"900ms\", \"factor\": 0.5"), ""},
    {"neighbour",
     STALL("\"mode\": \"neighbour\", \"last\": \"900ms\", \"share\": 0.5, \"halves\": \"300ms\""),
     ""},
    {"replica stall",
     STALL("\"mode\": \"suspend\", \"last\": \"400ms\", \"target\": {\"replica\": 0}"), ""},
    {"generator", "", ", \"generator\": {\"cost\": \"1ms\"}"},
    {"generator stall",
     STALL("\"mode\": \"suspend\", \"last\": \"400ms\", \"target\": \"generator\""),
     ", \"generator\": {\"cost\": \"1ms\", \"threads\": 2}"},
    {"overhead", "", ", \"overhead\": \"2ms\""},
    {"timeout cancel", "", ", \"timeout\": \"4ms\", \"timeout_cancel\": \"in-service\""},
    {"tied", ", \"replicas\": 2", ", \"tied\": {\"copies\": 2}"},
    {"hedge", ", \"replicas\": 2", ", \"hedge\": {\"percentile\": 50, \"copies\": 2}"},
    {"budget", ", \"replicas\": 2",
     ", \"retry\": {\"after\": \"1ms\", \"copies\": 3, \"backoff\": 2, \"jitter\": 0.5, "
     "\"budget\": 0.3}"},
    {"parts", ", \"replicas\": 4", ", \"fan_out\": 4, \"wait_for\": 2"},
};

enum {
    BASES = sizeof bases / sizeof bases[0],
    MECHANISMS = sizeof mechanisms / sizeof mechanisms[0]
};

static char *text_of(const struct base *base, const struct added *more)
{
    return must_format(SCENE, base->server, more->server, base->load, more->load, base->run);
}

/* Clients that are refused send again at the same instant, as long as the reject lasts. */
static bool never_ends(const struct base *base, const struct added *more)
{
    return strcmp(more->name, "reject") == 0 && strstr(base->load, "closed") != NULL &&
           strstr(base->load, "think") == NULL;
}

static bool says_something(const struct recorder_result *recorder)
{
    for (size_t k = 0; k < 2; k++)
        if (recorder->cells[k].check != CHECK_NONE)
            return true;
    return false;
}

/* False alarm below 1e-6 a report, by the design of the check. */
static void no_law_answers_wrongly_for_what_it_does_not_know(void **state)
{
    (void)state;
    size_t answered = 0;
    for (size_t i = 0; i < BASES; i++) {
        for (size_t m = 0; m < MECHANISMS; m++) {
            if (never_ends(&bases[i], &mechanisms[m]))
                continue;
            char *text = text_of(&bases[i], &mechanisms[m]);
            struct plan *plan = whole_plan(text);
            struct result *result = whole_run(plan, NULL);
            if (result->holds == VERDICT_FAILS)
                fail_msg("base %zu with %s fails:\n%s", i, mechanisms[m].name, text);
            for (size_t r = 0; r < plan->recorder_count; r++)
                answered += says_something(&result->recorders[r]);
            result_free(result);
            plan_free(plan);
            free(text);
        }
    }
    assert_true(answered > 500);
}

/* Where a law is exact or is checked, one that does not know of the mechanism must not pass. */
static void a_law_that_leaves_a_mechanism_out_is_caught(void **state)
{
    (void)state;
    static const size_t with[] = {0, 6, 10, 13, 14, 17};
    static const struct added none = {"none", "", ""};
    for (size_t m = 0; m < MECHANISMS; m++) {
        size_t caught = 0;
        for (size_t i = 0; i < sizeof with / sizeof with[0] && caught == 0; i++) {
            if (never_ends(&bases[with[i]], &mechanisms[m]))
                continue;
            char *text = text_of(&bases[with[i]], &mechanisms[m]);
            char *without = text_of(&bases[with[i]], &none);
            caught += whole_verdict(text, without) == VERDICT_FAILS;
            free(text);
            free(without);
        }
        if (caught == 0)
            fail_msg("%s is never missed", mechanisms[m].name);
    }
}

static void every_mechanism_has_its_sentence(void **state)
{
    (void)state;
    for (unsigned m = 0; m < MECHANISM_COUNT; m++) {
        const char *says = mechanism_says((enum mechanism)m);
        assert_non_null(says);
        assert_in_range(strlen(says), 20, LAW_WHY_SIZE - 1);
        assert_int_equal(says[strlen(says) - 1], '.');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_law_answers_wrongly_for_what_it_does_not_know),
        cmocka_unit_test(a_law_that_leaves_a_mechanism_out_is_caught),
        cmocka_unit_test(every_mechanism_has_its_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
