/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Confidence intervals of percentiles: from replications, or not at all. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/check_interval.h"
#include "sim/run.h"
#include "sim/scenario/reader.h"
#include "tests/claim.h"

#define QUEUE                                                                                   \
    "{\"server\": {\"service\": {\"%s\": \"10ms\"}}, \"loads\": {\"l\": {\"open\": {\"rate\": " \
    "%d, "                                                                                      \
    "\"arrivals\": \"%s\"}}}, \"recorders\": {\"r\": {\"load\": \"l\", \"from\": \"due\", "     \
    "\"store\": %s}}, \"run\": {\"requests\": %d, \"seed\": %d%s}, "                            \
    "\"report\": {\"percentiles\": [50, 90, 100]}}"

struct queue {
    const char *service, *arrivals, *store, *run;
    int rate, requests;
};

/* Runs the queue; the caller frees both. */
static struct result *run_queue(const struct queue *q, int seed, struct plan **plan)
{
    struct errors errors = {0};
    struct run_options options = {.threads = 1};
    char *text =
        must_format(QUEUE, q->service, q->rate, q->arrivals, q->store, q->requests, seed, q->run);
    *plan = plan_read("queue", text, strlen(text), NULL, 0, &errors);
    for (size_t i = 0; i < errors.count; i++)
        print_error("%s\n", errors.texts[i]);
    assert_non_null(*plan);
    struct result *result = run_scenario(*plan, &options, &errors);
    assert_non_null(result);
    errors_free(&errors);
    free(text);
    return result;
}

static bool holds_truth(const struct cell *cell, double true_ns)
{
    assert_int_equal(cell->low.kind, FIGURE_EXACT);
    assert_int_equal(cell->high.kind, FIGURE_EXACT);
    assert_null(cell->interval_why);
    assert_true(cell->low.exact.ns <= cell->value.exact.ns);
    assert_true(cell->high.exact.ns >= cell->value.exact.ns);
    return (double)cell->low.exact.ns <= true_ns && true_ns <= (double)cell->high.exact.ns;
}

/* Of how many seeds the intervals of p50 and p90 hold the law's values. */
static void count_hits(const struct queue *q, int seeds, int hits[2])
{
    hits[0] = hits[1] = 0;
    for (int seed = 1; seed <= seeds; seed++) {
        struct plan *plan;
        struct result *result = run_queue(q, seed, &plan);
        const struct cell *cells = result->recorders[0].cells;
        for (size_t i = 0; i < 2; i++)
            hits[i] += holds_truth(&cells[i], cells[i].law.real);
        result_free(result);
        plan_free(plan);
    }
}

/* Of 600 seeds an interval of 95 % misses 30, and, with a probability below 1e-6, more than 60 or
   fewer than 8 (binomial); the seeds are fixed.  As if independent, p90 of a queue at rho = 0.5,
   whose variance is inflated 7 times, would be missed by 46 % of them: 275. */
static void intervals_hold_the_true_percentile_in_95_percent_of_seeds(void **state)
{
    (void)state;
    const struct queue q = {"exponential", "poisson", "\"exact\"", "", 50, 1000};
    int hits[2];
    count_hits(&q, 600, hits);
    print_message("# p50 missed by %d, p90 by %d of 600\n", 600 - hits[0], 600 - hits[1]);
    for (size_t i = 0; i < 2; i++) {
        assert_in_range(hits[i], 600 - 60, 600 - 8);
    }
}

/* With 4 replications, t has 3 degrees of freedom; and since no interval is narrower than that of
   independent samples, fewer than 5 % may miss. */
static void few_replications_make_wide_intervals_that_hold_as_often(void **state)
{
    (void)state;
    const struct queue q = {"exponential",           "poisson", "\"exact\"",
                            ", \"replications\": 4", 50,        4000};
    int hits[2];
    count_hits(&q, 600, hits);
    print_message("# p50 missed by %d, p90 by %d of 600\n", 600 - hits[0], 600 - hits[1]);
    for (size_t i = 0; i < 2; i++)
        assert_in_range(hits[i], 600 - 60, 600 - 5);
}

static const char *why_of(const struct queue *q, size_t i, char *copy, size_t size)
{
    struct plan *plan;
    struct result *result = run_queue(q, 1, &plan);
    const struct cell *cell = &result->recorders[0].cells[i];
    assert_int_equal(cell->low.kind, FIGURE_UNKNOWN);
    assert_int_equal(cell->high.kind, FIGURE_UNKNOWN);
    assert_non_null(cell->interval_why);
    snprintf(copy, size, "%s", cell->interval_why);
    result_free(result);
    plan_free(plan);
    return copy;
}

static void one_random_run_has_no_interval_however_long(void **state)
{
    (void)state;
    char why[200];
    const struct queue q = {"exponential",           "poisson", "\"exact\"",
                            ", \"replications\": 1", 50,        100000};
    assert_non_null(strstr(why_of(&q, 0, why, sizeof why), "needs 2 replications"));
}

static void what_is_not_random_has_no_interval(void **state)
{
    (void)state;
    char why[200];
    const struct queue q = {"constant", "even", "\"exact\"", "", 50, 1000};
    assert_string_equal(why_of(&q, 1, why, sizeof why), "nothing in it is random");
}

static void the_maximum_has_no_interval(void **state)
{
    (void)state;
    char why[200];
    const struct queue q = {"exponential", "poisson", "\"exact\"", "", 50, 1000};
    assert_non_null(strstr(why_of(&q, 2, why, sizeof why), "largest sample"));
}

static void few_clusters_beyond_a_percentile_make_no_interval(void **state)
{
    (void)state;
    char why[200];
    const struct queue q = {"exponential", "poisson", "\"exact\"", ", \"replications\": 2", 50, 40};
    assert_non_null(strstr(why_of(&q, 1, why, sizeof why), "clusters"));
}

static void cells_widen_an_interval_to_their_edges(void **state)
{
    (void)state;
    const struct queue exact = {"exponential", "poisson", "\"exact\"", "", 50, 1000};
    const struct queue cells = {"exponential", "poisson", "{\"hdr\": 1}", "", 50, 1000};
    struct plan *plans[2];
    struct result *a = run_queue(&exact, 3, &plans[0]), *b = run_queue(&cells, 3, &plans[1]);
    for (size_t i = 0; i < 2; i++) {
        const struct cell *fine = &a->recorders[0].cells[i], *coarse = &b->recorders[0].cells[i];
        assert_true(coarse->low.exact.ns <= fine->low.exact.ns);
        assert_true(coarse->high.exact.ns >= fine->high.exact.ns);
        assert_true((double)coarse->low.exact.ns > 0.85 * (double)fine->low.exact.ns);
        assert_true((double)coarse->high.exact.ns < 1.15 * (double)fine->high.exact.ns);
    }
    result_free(a);
    result_free(b);
    for (size_t i = 0; i < 2; i++)
        plan_free(plans[i]);
}

/* M/D/1 at rho = 0.5: half of the requests take exactly 10 ms, so p25 certainly does. */
static void at_an_atom_the_interval_is_the_atom(void **state)
{
    (void)state;
    uint64_t below[32] = {0}, up_to[32], samples[32];
    for (size_t r = 0; r < 32; r++) {
        samples[r] = 1000;
        up_to[r] = 490 + r % 21;
    }
    struct interval_evidence e = {{1, 4}, {below, up_to}, samples, 32};
    struct interval_ranks ranks;
    check_interval(&e, &ranks);
    assert_in_range(ranks.low, 7000, 8000);
    assert_in_range(ranks.high, 8001, 9000);
    struct plan *plan;
    struct queue q = {"constant", "poisson", "\"exact\"", "", 60, 2000};
    struct result *result = run_queue(&q, 1, &plan); /* p40 is not asked, p50 lies above the atom */
    assert_true(result->recorders[0].cells[0].low.exact.ns >= 10000000);
    result_free(result);
    plan_free(plan);
}

/* The half width in ranks, for counts whose spread is set by hand: t(31) sd sqrt(32). */
static void the_width_follows_from_the_spread_of_the_replications(void **state)
{
    (void)state;
    uint64_t at[32], samples[32];
    double squares = 0.0;
    for (size_t r = 0; r < 32; r++) {
        samples[r] = 10000;
        at[r] = r % 2 ? 5300 : 4700;
        squares += 300.0 * 300.0;
    }
    struct interval_evidence e = {{1, 2}, {at, at}, samples, 32};
    struct interval_ranks ranks;
    check_interval(&e, &ranks);
    double half = 2.0395134463964 * sqrt(squares / 31.0) * sqrt(32.0);
    assert_true(fabs((double)ranks.high - 160000.0 - half) <= 1.0);
    assert_true(fabs(160000.0 - (double)ranks.low - half) <= 1.0);
    assert_true(fabs(ranks.inflation - squares / 31.0 / 2500.0) < 1e-9 * ranks.inflation);
    for (size_t r = 0; r < 32; r++)
        at[r] = 5000; /* no spread at all: never narrower than independent samples */
    check_interval(&e, &ranks);
    half = 2.0395134463964 * sqrt(320000.0 / 4.0);
    assert_true(fabs((double)ranks.high - 160000.0 - half) <= 1.0);
}

static void a_percentile_says_how_far_it_wanders(void **state)
{
    (void)state;
    struct plan *plan;
    const struct queue q = {"exponential", "poisson", "\"exact\"", "", 50, 12500};
    struct result *result = run_queue(&q, 1, &plan);
    /* p90 of 400000: sqrt(9 * 6.953257695 / 400000) / ln 10 */
    double wanted = sqrt(9.0 * 6.953257695116404 / 400000.0) / log(10.0);
    assert_true(fabs(result->recorders[0].cells[1].wander - wanted) < 1e-6 * wanted);
    assert_true(isnan(result->recorders[0].cells[2].wander));
    struct result *law = run_laws(plan, NULL);
    assert_true(fabs(law->recorders[0].cells[1].wander - wanted) < 1e-6 * wanted);
    result_free(law);
    result_free(result);
    plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_hold_the_true_percentile_in_95_percent_of_seeds),
        cmocka_unit_test(few_replications_make_wide_intervals_that_hold_as_often),
        cmocka_unit_test(one_random_run_has_no_interval_however_long),
        cmocka_unit_test(what_is_not_random_has_no_interval),
        cmocka_unit_test(the_maximum_has_no_interval),
        cmocka_unit_test(few_clusters_beyond_a_percentile_make_no_interval),
        cmocka_unit_test(cells_widen_an_interval_to_their_edges),
        cmocka_unit_test(at_an_atom_the_interval_is_the_atom),
        cmocka_unit_test(the_width_follows_from_the_spread_of_the_replications),
        cmocka_unit_test(a_percentile_says_how_far_it_wanders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
