/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Every kind of check is made to fail: a check that cannot fail checks nothing. */

#include <stdlib.h>
#include <string.h>

#include "models/ranks/rank.h"
#include "models/registry.h"
#include "models/stores/store.h"
#include "sim/work.h"
#include "tests/claim.h"
#include "tests/whole_run.h"

#define STALLS                                                                                  \
    "{\"server\": {\"service\": {\"constant\": \"%s\"}, \"stalls\": [{\"mode\": \"%s\", "       \
    "\"first\": "                                                                               \
    "\"%s\", \"every\": \"10ms\", \"last\": \"%s\"}]}, \"loads\": {\"l\": {\"%s\": {\"rate\": " \
    "5000%s}}},"                                                                                \
    " \"recorders\": {\"r\": {\"load\": \"l\", \"from\": \"sent\", \"expected_interval\": "     \
    "\"200us\"}},"                                                                              \
    " \"run\": {\"requests\": 2000}}"

static void expect_exact(const char *service, const char *first, const char *last,
                         enum verdict want)
{
    static const char *const loads[2][2] = {{"open", ""}, {"paced", ", \"late\": \"skip\""}};
    for (size_t i = 0; i < 2; i++) {
        char *text =
            must_format(STALLS, "100us", "suspend", "5ms", "2ms", loads[i][0], loads[i][1]);
        char *law = must_format(STALLS, service, "suspend", first, last, loads[i][0], loads[i][1]);
        assert_int_equal(whole_verdict(text, law), want);
        free(text);
        free(law);
    }
}

static void the_exact_check_passes_a_true_law(void **state)
{
    (void)state;
    expect_exact("100us", "5ms", "2ms", VERDICT_HOLDS);
}

static void canary_a_service_off_by_1_ns_is_rejected(void **state)
{
    (void)state;
    expect_exact("100001ns", "5ms", "2ms", VERDICT_FAILS);
}

static void canary_a_stall_off_by_1_ns_is_rejected(void **state)
{
    (void)state;
    expect_exact("100us", "5ms", "2000001ns", VERDICT_FAILS);
    expect_exact("100us", "4999999ns", "2ms", VERDICT_FAILS);
}

#define QUEUE                                                                               \
    "{\"server\": {\"service\": {\"%s\": \"%s\"}}, \"loads\": {\"l\": %s}, \"recorders\": " \
    "{\"r\": "                                                                              \
    "{\"load\": \"l\", \"from\": \"%s\"%s}}, \"run\": {\"requests\": %s, \"seed\": 11}, "   \
    "\"report\": "                                                                          \
    "{\"percentiles\": [50, 90, 99]}}"

static const struct queue {
    const char *service, *load, *from, *correction, *requests;
} queues[] = {
    {"exponential", "{\"open\": {\"rate\": 50, \"arrivals\": \"poisson\"}}", "due", "", "60000"},
    {"constant", "{\"open\": {\"rate\": 50, \"arrivals\": \"poisson\"}}", "due", "", "60000"},
    {"exponential", "{\"open\": {\"rate\": 60}}", "due", "", "60000"},
    {"exponential", "{\"closed\": {\"clients\": 5}}", "sent", "", "60000"},
    {"exponential", "{\"closed\": {\"clients\": 1}}", "sent", ", \"expected_interval\": \"4ms\"",
     "60000"},
};

static enum verdict queue_verdict(const struct queue *q, const char *service)
{
    char *text =
        must_format(QUEUE, q->service, "10ms", q->load, q->from, q->correction, q->requests);
    char *law =
        must_format(QUEUE, q->service, service, q->load, q->from, q->correction, q->requests);
    enum verdict holds = whole_verdict(text, law);
    free(text);
    free(law);
    return holds;
}

/* False alarm below 1e-6 a report, by the design of the check. */
static void the_statistical_check_passes_true_laws(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof queues / sizeof queues[0]; i++)
        assert_int_equal(queue_verdict(&queues[i], "10ms"), VERDICT_HOLDS);
}

static void canary_a_law_wrong_by_4_percent_is_rejected(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof queues / sizeof queues[0]; i++) {
        assert_int_equal(queue_verdict(&queues[i], "10.4ms"), VERDICT_FAILS);
        assert_int_equal(queue_verdict(&queues[i], "9.6ms"), VERDICT_FAILS);
    }
}

/* A store that answers with the next order statistic: right samples, wrong rank. */
static struct stored one_rank_high(void *store, uint64_t rank)
{
    return store_exact.select(store, rank + 1);
}

static void canary_a_wrong_rank_is_caught_by_the_recount(void **state)
{
    (void)state;
    struct store_type lying = store_exact;
    lying.select = one_rank_high;
    char *text = must_format(QUEUE, "exponential", "10ms", queues[0].load, "due", "", "3000");
    struct plan *plan = whole_plan(text);
    plan->recorders[0].store.type = &lying.is;
    struct result *result = whole_run(plan, NULL);
    assert_int_equal(result->holds, VERDICT_FAILS);
    for (size_t i = 0; i < plan->report.percentile_count; i++) {
        assert_int_equal(result->recorders[0].cells[i].holds, VERDICT_FAILS);
        assert_non_null(strstr(result->recorders[0].cells[i].why, "recount"));
    }
    result_free(result);
    plan_free(plan);
    free(text);
}

/* A store whose cells are one ns off. */
static struct stored one_ns_high(void *store, uint64_t rank)
{
    struct stored s = store_exact.select(store, rank);
    return (struct stored){s.low_ns + 1, s.high_ns + 1, s.beyond};
}

static void canary_a_wrong_cell_is_caught_by_the_recount(void **state)
{
    (void)state;
    struct store_type lying = store_exact;
    lying.select = one_ns_high;
    char *text = must_format(QUEUE, "exponential", "10ms", queues[0].load, "due", "", "3000");
    struct plan *plan = whole_plan(text);
    plan->recorders[0].store.type = &lying.is;
    struct result *result = whole_run(plan, NULL);
    assert_int_equal(result->holds, VERDICT_FAILS);
    result_free(result);
    plan_free(plan);
    free(text);
}

static const struct store_type *hdr_store(void)
{
    return (const struct store_type *)(const void *)variant_find(&set_stores, "hdr");
}

/* The cell above the right one. */
static struct stored one_cell_high(void *store, uint64_t rank)
{
    struct stored s = hdr_store()->select(store, rank);
    ns_t width_ns = s.high_ns - s.low_ns + 1;
    return (struct stored){s.low_ns + width_ns, s.high_ns + width_ns, s.beyond};
}

static void adds_the_half(void *store, const ns_t *values_ns, size_t count, ns_t least_ns,
                          ns_t greatest_ns)
{
    assert_true(least_ns <= greatest_ns);
    for (size_t i = 0; i < count; i++) {
        ns_t half_ns = values_ns[i] / 2;
        hdr_store()->add(store, &half_ns, 1, half_ns, half_ns);
    }
}

static uint32_t number_of_half(const void *store, ns_t value_ns)
{
    return hdr_store()->number(store, value_ns / 2);
}

static bool halves_are_apart(const void *store, const ns_t *values_ns, size_t count, ns_t least_ns,
                             ns_t greatest_ns, const uint32_t *numbers, uint32_t apart)
{
    bool alike = least_ns <= greatest_ns;
    for (size_t i = 0; i < count; i++)
        alike &= number_of_half(store, values_ns[i]) - numbers[i] == apart;
    return alike;
}

/* Nothing is run again for it: the census of the first pass knows every cell of such a store, be it
   that of the recorder or of another that takes the same samples. */
static void expect_broken_store_caught(size_t follows)
{
    struct store_type high = *hdr_store(), halves = *hdr_store(), numbers = *hdr_store();
    high.select = one_cell_high;
    halves.add = numbers.add = adds_the_half;
    halves.number = NULL;
    numbers.number = number_of_half;
    numbers.are_apart = halves_are_apart;
    const struct store_type *lying[] = {hdr_store(), &high, &halves, &numbers};
    for (size_t i = 0; i < sizeof lying / sizeof lying[0]; i++) {
        char *text = must_format(QUEUE, "exponential", "10ms", queues[0].load, "due",
                                 ", \"store\": {\"hdr\": 3}}, \"true\": {\"load\": \"l\", "
                                 "\"from\": \"due\", \"store\": {\"hdr\": 3}",
                                 "3000");
        struct plan *plan = whole_plan(text);
        size_t liar = follows, other = 1 - liar;
        plan->recorders[liar].store.type = &lying[i]->is;
        struct result *result = whole_run(plan, NULL);
        for (size_t k = 0; k < plan->report.percentile_count; k++) {
            const struct cell *cell = &result->recorders[liar].cells[k];
            assert_true((cell->holds == VERDICT_FAILS) == (i > 0));
            assert_true(i == 0 || strstr(cell->why, "recount") != NULL);
            assert_true(result->recorders[other].cells[k].holds != VERDICT_FAILS);
        }
        result_free(result);
        plan_free(plan);
        free(text);
    }
}

static void canary_a_broken_hdr_store_is_caught_by_the_census(void **state)
{
    (void)state;
    expect_broken_store_caught(0);
    expect_broken_store_caught(1);
}

/* Totals of a true run, with one number changed, must break the identity that holds it. */
static void spoil_and_expect(const char *name, void (*spoil)(struct pass_load *))
{
    char *text = must_format(QUEUE, "exponential", "10ms", queues[3].load, "sent", "", "3000");
    struct plan *plan = whole_plan(text);
    struct run_options options = {.threads = 1};
    struct work work = {.plan = plan, .options = &options, .result = result_new(plan)};
    pass_init(&work.first, plan, &options, 0);
    work.first.loads[0].active = true;
    work.first.loads[0].replications = 1;
    assert_int_equal(pass_run(&work.first), ENGINE_DONE);
    work_fill_identities(&work);
    for (size_t i = 0; i < work.result->identity_count; i++)
        assert_true(work.result->identities[i].holds);
    spoil(&work.first.loads[0]);
    size_t before = work.result->identity_count;
    work_fill_identities(&work);
    for (size_t i = before; i < work.result->identity_count; i++)
        if (strcmp(work.result->identities[i].name, name) == 0)
            assert_false(work.result->identities[i].holds);
    pass_free(&work.first);
    result_free(work.result);
    plan_free(plan);
    free(text);
}

static void spoil_area(struct pass_load *load)
{
    load->totals[0].flight_area += 1;
}

static void spoil_work(struct pass_load *load)
{
    load->totals[0].busy_area -= 1;
}

static void spoil_sent(struct pass_load *load)
{
    load->totals[0].sent += 1;
}

static void spoil_outcome(struct pass_load *load)
{
    load->totals[0].answered -= 1;
    load->totals[0].timed_out += 1;
}

static void canary_each_identity_breaks_by_one(void **state)
{
    (void)state;
    spoil_and_expect("little", spoil_area);
    spoil_and_expect("work", spoil_work);
    spoil_and_expect("requests", spoil_sent);
    spoil_and_expect("outcomes", spoil_outcome);
}

static void canary_an_expectation_off_by_1_ns_fails(void **state)
{
    (void)state;
    static const char text[] = "{\"server\": {\"service\": {\"constant\": \"1ms\"}}, \"loads\": "
                               "{\"l\": {\"open\": {\"rate\": 10}}},"
                               " \"recorders\": {\"r\": {\"load\": \"l\", \"from\": \"due\"}}, "
                               "\"run\": {\"requests\": 10},"
                               " \"expect\": {\"r\": {\"p50\": %d}}}";
    for (int off = 0; off <= 1; off++) {
        char *given = must_format(text, 1000000 + off);
        struct plan *plan = whole_plan(given);
        struct result *result = whole_run(plan, NULL);
        assert_int_equal(result->holds, off ? VERDICT_FAILS : VERDICT_HOLDS);
        assert_int_equal(result->expects[0].holds, !off);
        result_free(result);
        plan_free(plan);
        free(given);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_check_passes_a_true_law),
        cmocka_unit_test(canary_a_service_off_by_1_ns_is_rejected),
        cmocka_unit_test(canary_a_stall_off_by_1_ns_is_rejected),
        cmocka_unit_test(the_statistical_check_passes_true_laws),
        cmocka_unit_test(canary_a_law_wrong_by_4_percent_is_rejected),
        cmocka_unit_test(canary_a_wrong_rank_is_caught_by_the_recount),
        cmocka_unit_test(canary_a_wrong_cell_is_caught_by_the_recount),
        cmocka_unit_test(canary_a_broken_hdr_store_is_caught_by_the_census),
        cmocka_unit_test(canary_each_identity_breaks_by_one),
        cmocka_unit_test(canary_an_expectation_off_by_1_ns_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
