/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Recorders that take the same samples share a census, and what is counted at thresholds: each
   finds what it finds alone. */

#include <stdlib.h>

#include "models/base/error.h"
#include "tests/claim.h"
#include "tests/whole_run.h"

/* Alike but for the store and the rank, and some that are not. */
static const char *const recorders[] = {
    "\"from\": \"due\", \"store\": {\"hdr\": 3}",
    "\"from\": \"due\"",
    "\"from\": \"due\", \"store\": {\"hdr\": 2}",
    "\"from\": \"due\", \"store\": {\"linear\": {\"width\": \"1ms\", \"highest\": \"10s\"}}, "
    "\"rank\": \"hdr\"",
    "\"from\": \"due\", \"store\": {\"hdr\": 3}, \"rank\": \"hdr\"",
    "\"from\": \"sent\", \"store\": {\"hdr\": 3}",
    "\"from\": \"due\", \"store\": {\"hdr\": 3}, \"warmup\": \"2s\"",
    "\"from\": \"due\", \"store\": {\"hdr\": 3}, \"expected_interval\": \"5ms\"",
    "\"from\": \"due\", \"store\": {\"hdr\": 3}, \"per\": \"replica\"",
    "\"from\": \"due\", \"store\": {\"hdr\": 3}, \"failures\": \"timeout\"",
    "\"from\": \"due\", \"store\": {\"linear\": {\"width\": \"2ms\", \"highest\": \"70ms\"}}, "
    "\"failures\": \"timeout\"",
    "\"part\": \"queue\", \"store\": {\"hdr\": 3}",
    "\"part\": \"queue\"",
};
#define RECORDERS (sizeof recorders / sizeof recorders[0])

static const char *const loads[] = {
    "\"open\": {\"rate\": 75, \"arrivals\": \"poisson\"}",
    "\"open\": {\"rate\": 75, \"arrivals\": \"poisson\"}, \"timeout\": \"40ms\"",
    "\"closed\": {\"clients\": 3}",
    "\"paced\": {\"rate\": 90}",
};
#define LOADS (sizeof loads / sizeof loads[0])

/* only: this one of them, or NONE. */
#define NONE RECORDERS
static struct result *run(const char *load, size_t only, struct plan **plan)
{
    char *all = must_copy("");
    for (size_t i = 0; i < RECORDERS; i++) {
        char *more = only == NONE || only == i
                         ? must_format("%s%s\"r%02zu\": {\"load\": \"l\", %s}", all,
                                       all[0] == '\0' ? "" : ", ", i, recorders[i])
                         : must_copy(all);
        free(all);
        all = more;
    }
    char *text =
        must_format("{\"server\": {\"service\": {\"exponential\": \"10ms\"}}, \"loads\": "
                    "{\"l\": {%s}}, \"recorders\": {%s}, \"run\": {\"requests\": 1500, "
                    "\"replications\": 5}, \"report\": {\"above\": [\"7ms\", \"10001us\"]}}",
                    load, all);
    *plan = whole_plan(text);
    struct result *result = whole_run(*plan, NULL);
    free(text);
    free(all);
    return result;
}

static void assert_same_quantity(const struct figure *a, const struct figure *b)
{
    assert_int_equal(a->kind, b->kind);
    if (a->kind == FIGURE_EXACT) {
        assert_int_equal(a->exact.ns, b->exact.ns);
        assert_int_equal(a->exact.thousandths, b->exact.thousandths);
    }
    if (a->kind == FIGURE_REAL)
        assert_memory_equal(&a->real, &b->real, sizeof a->real);
}

static void assert_same(const struct plan *plan, const struct recorder_result *a,
                        const struct recorder_result *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->added, b->added);
    assert_int_equal(a->excluded, b->excluded);
    assert_int_equal(a->from_below, b->from_below);
    assert_same_quantity(&a->min, &b->min);
    assert_same_quantity(&a->max, &b->max);
    assert_same_quantity(&a->mean, &b->mean);
    for (size_t i = 0; i < plan->report.above_count; i++)
        assert_int_equal(a->above[i].count, b->above[i].count);
    for (size_t i = 0; i < plan->report.percentile_count; i++) {
        const struct cell *x = &a->cells[i], *y = &b->cells[i];
        assert_same_quantity(&x->value, &y->value);
        assert_same_quantity(&x->at_least, &y->at_least);
        assert_int_equal(x->holds, y->holds);
        assert_int_not_equal(x->holds, VERDICT_FAILS);
    }
}

static void each_finds_what_it_finds_alone(void **state)
{
    (void)state;
    for (size_t l = 0; l < LOADS; l++) {
        struct plan *plan, *own_plan;
        struct result *together = run(loads[l], NONE, &plan);
        for (size_t i = 0; i < RECORDERS; i++) {
            struct result *own = run(loads[l], i, &own_plan);
            assert_same(plan, &together->recorders[i], &own->recorders[0]);
            result_free(own);
            plan_free(own_plan);
        }
        result_free(together);
        plan_free(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_finds_what_it_finds_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
