/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Percentiles of samples that are replayed are those of samples that are kept, to the ns. */

#include <stdlib.h>
#include <string.h>

#include "models/base/random.h"
#include "sim/replay.h"
#include "tests/claim.h"
#include "tests/whole_run.h"

static uint64_t draw(uint64_t scene, uint64_t i, uint64_t below)
{
    return stream_word(stream_open(scene, 0, 0, PURPOSE_SERVICE), i) % below;
}

/* ---- the store by itself ---- */

#define VALUES 3000

/* The same into any store: single values, many of one, and runs, of all sizes. */
static void add_all(const struct store_type *type, void *store, uint64_t scene)
{
    for (uint64_t i = 0; i < VALUES; i++) {
        ns_t value_ns = draw(scene, 2 * i, UINT64_MAX) >> (2 + draw(scene, 2 * i + 1, 60));
        switch (draw(scene, 100000 + i, 8)) {
        case 0: type->add_run(store, value_ns + 2000, value_ns / 40 + 1, 30); break;
        case 1:
            for (unsigned k = 0; k < 5; k++)
                type->add(store, &value_ns, 1, value_ns, value_ns);
            break;
        default: type->add(store, &value_ns, 1, value_ns, value_ns);
        }
    }
}

static uint64_t count_all(uint64_t scene)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < VALUES; i++) {
        uint64_t kind = draw(scene, 100000 + i, 8);
        n += kind == 0 ? 30 : kind == 1 ? 5 : 1;
    }
    return n;
}

/* Two threads' worth, brought together. */
static void *filled(const struct store_type *type, const void *params, uint64_t scene)
{
    void *store = type->open(params), *other = type->open(params);
    add_all(type, store, scene);
    add_all(type, other, scene + 1);
    type->merge(store, other);
    type->close(other);
    return store;
}

/* One more pass inside what was asked for; false: nothing was. */
static bool refine(void *store, uint64_t scene, size_t most)
{
    size_t count;
    struct replay_range *ranges = replay_wanted(store, most, &count);
    struct replay_params params = {ranges, count};
    if (count > 0) {
        void *inside = filled(&store_replayed, &params, scene);
        replay_refine(store, inside);
        store_replayed.close(inside);
    }
    free(ranges);
    return count > 0;
}

static void a_replayed_store_comes_to_answer_as_an_exact_one(void **state)
{
    (void)state;
    static const struct replay_params coarse = {NULL, 0};
    for (uint64_t scene = 1; scene <= 20; scene++) {
        void *store = filled(&store_replayed, &coarse, scene);
        void *exact = filled(&store_exact, NULL, scene);
        uint64_t n = count_all(scene) + count_all(scene + 1);
        unsigned passes = 0;
        do
            for (uint64_t i = 0; i < 60; i++)
                store_replayed.select(store, 1 + draw(scene, 500000 + i, n));
        while (refine(store, scene, scene % 2 ? (size_t)1 << 18 : 1) && ++passes < 400);
        assert_true(passes > 1 && passes < 400);
        for (uint64_t i = 0; i < 60; i++) {
            uint64_t rank = 1 + draw(scene, 500000 + i, n);
            struct stored a = store_replayed.select(store, rank);
            struct stored b = store_exact.select(exact, rank);
            assert_int_equal(a.low_ns, b.low_ns);
            assert_int_equal(a.high_ns, b.high_ns);
        }
        store_replayed.close(store);
        store_exact.close(exact);
    }
}

static void ten_thousand_million_equal_values_are_one_answer(void **state)
{
    (void)state;
    static const struct replay_params coarse = {NULL, 0};
    const uint64_t times = UINT64_C(10000000000);
    ns_t value_ns = (UINT64_C(1) << 40) + 12345, large_ns = UINT64_C(1) << 50;
    void *store = store_replayed.open(&coarse);
    store_replayed.add_times(store, value_ns, times);
    store_replayed.add(store, &large_ns, 1, large_ns, large_ns);
    for (unsigned pass = 0; store_replayed.select(store, times - 1).high_ns != value_ns; pass++) {
        size_t count;
        struct replay_range *wanted = replay_wanted(store, SIZE_MAX, &count);
        struct replay_params params = {wanted, count};
        assert_true(pass < 3 && count == 1);
        void *inside = store_replayed.open(&params);
        store_replayed.add_times(inside, value_ns, times);
        store_replayed.add(inside, &large_ns, 1, large_ns, large_ns);
        replay_refine(store, inside);
        store_replayed.close(inside);
        free(wanted);
    }
    assert_int_equal(store_replayed.select(store, times - 1).low_ns, value_ns);
    assert_int_equal(store_replayed.select(store, times + 1).high_ns, large_ns);
    store_replayed.close(store);
}

/* ---- whole runs ---- */

static const char *const services[] = {
    "{\"exponential\": \"1ms\"}",
    "{\"exponential\": \"3s\"}",
    "{\"constant\": \"100us\"}",
    "{\"constant\": \"20s\"}",
    "{\"lognormal\": {\"mean\": \"40ms\", \"cv\": 2}}",
    "{\"two-point\": {\"usual\": \"1ms\", \"rare\": \"900ms\", \"probability\": 0.01}}",
};
static const char *const loads[] = {
    "{\"open\": {\"every\": \"2ms\", \"arrivals\": \"poisson\"}}",
    "{\"open\": {\"every\": \"300us\"}}",
    "{\"closed\": {\"clients\": 4}}",
    "{\"paced\": {\"every\": \"1ms\", \"connections\": 3}}",
    "{\"open\": {\"every\": \"50ms\", \"arrivals\": \"poisson\"}, \"timeout\": \"70ms\"}",
};
static const char *const recorders[] = {
    "\"from\": \"due\"",
    "\"from\": \"sent\"",
    "\"from\": \"sent\", \"expected_interval\": \"500ms\"",
    "\"from\": \"due\", \"failures\": \"timeout\"",
    "\"from\": \"due\", \"failures\": \"infinite\"",
    "\"from\": \"due\", \"rank\": \"type7\"",
    "\"from\": \"due\", \"to\": \"sent\"",
    "\"from\": \"sent\", \"warmup\": \"20ms\"",
};

/* The gates want p99 where nobody prints it, too. */
static const char *const reports[] = {"", ", \"report\": {\"percentiles\": [20, 99.9]}"};

#define PICK(list, scene, i) list[draw(scene, i, sizeof(list) / sizeof(list)[0])]

/* A scenario without chance has one replication. */
static const char *replications_of(uint64_t scene)
{
    static const char *const some[] = {", \"replications\": 1", ", \"replications\": 3",
                                       ", \"replications\": 34"};
    bool constant = strstr(PICK(services, scene, 0), "constant") != NULL;
    bool even = strstr(PICK(loads, scene, 3), "poisson") == NULL;
    return constant && even ? "" : PICK(some, scene, 9);
}

static char *scenario_of(uint64_t scene)
{
    static const char *const stalls[] = {
        "",
        ", \"stalls\": [{\"mode\": \"suspend\", \"first\": \"5ms\", \"every\": \"1s\", \"last\": "
        "\"300ms\"}]",
    };
    return must_format("{\"server\": {\"service\": %s, \"workers\": %llu%s}, \"loads\": {\"l\": "
                       "%s}, \"recorders\": {\"a\": {\"load\": \"l\", %s}, \"b\": {\"load\": "
                       "\"l\", %s, \"store\": {\"hdr\": 3}}, \"c\": {\"load\": \"l\", %s}}, "
                       "\"run\": {\"requests\": %llu%s, \"start\": \"empty\"}%s}",
                       PICK(services, scene, 0), (unsigned long long)(1 + draw(scene, 1, 2)),
                       PICK(stalls, scene, 2), PICK(loads, scene, 3), PICK(recorders, scene, 4),
                       PICK(recorders, scene, 5), PICK(recorders, scene, 6),
                       (unsigned long long)(1 + draw(scene, 7, draw(scene, 8, 2) ? 20 : 1000)),
                       replications_of(scene), PICK(reports, scene, 10));
}

static struct result *run_with(const struct plan *plan, uint64_t exact_limit, unsigned threads)
{
    struct errors errors = {0};
    struct run_options options = {.threads = threads, .exact_limit = exact_limit};
    struct result *result = run_scenario(plan, &options, &errors);
    assert_non_null(result);
    errors_free(&errors);
    return result;
}

static bool same_figure(struct figure a, struct figure b)
{
    return a.kind == b.kind &&
           (a.kind != FIGURE_EXACT ||
            (a.exact.ns == b.exact.ns && a.exact.thousandths == b.exact.thousandths));
}

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
    return same_figure(a->value, b->value) && same_figure(a->at_least, b->at_least) &&
           same_figure(a->low, b->low) && same_figure(a->high, b->high) &&
           a->infinite == b->infinite && a->holds == b->holds && a->check == b->check &&
           same_text(a->why, b->why) && same_text(a->interval_why, b->interval_why);
}

static void assert_same(const struct result *a, const struct result *b, const char *text)
{
    bool same = a->holds == b->holds && a->gate_count == b->gate_count &&
                a->identity_count == b->identity_count;
    for (size_t r = 0; r < a->plan->recorder_count; r++)
        for (size_t i = 0; i < a->plan->report.percentile_count; i++)
            same &= same_cell(&a->recorders[r].cells[i], &b->recorders[r].cells[i]);
    for (size_t i = 0; i < a->gate_count && same; i++)
        same &= same_text(a->gates[i].reason, b->gates[i].reason);
    for (size_t i = 0; i < a->identity_count && same; i++)
        same &= a->identities[i].holds && b->identities[i].holds;
    if (!same)
        print_error("%s\n", text);
    assert_true(same);
}

static void a_replayed_run_reports_what_a_stored_one_does(void **state)
{
    (void)state;
    unsigned replayed = 0;
    for (uint64_t scene = 1; scene <= 40; scene++) {
        char *text = scenario_of(scene);
        struct plan *plan = whole_plan(text);
        struct result *stored = run_with(plan, UINT64_MAX, 1);
        struct result *again = run_with(plan, 1, 1 + (unsigned)(scene % 2));
        assert_same(stored, again, text);
        assert_string_equal(stored->recorders[0].store_text, "exact");
        replayed += strstr(again->recorders[0].store_text, "exact, replayed in ") != NULL;
        assert_string_equal(again->recorders[1].store_text, "hdr");
        result_free(stored);
        result_free(again);
        plan_free(plan);
        free(text);
    }
    assert_true(replayed > 30);
}

/* The jump beside p90 lies at a rank that no percentile asks for: the gate tells its two sides. */
static void what_a_gate_asks_of_its_neighbours_is_known_to_the_ns(void **state)
{
    (void)state;
#define FIVE "\"1000001ns\", \"1000001ns\", \"1000001ns\", \"1000001ns\", \"1000001ns\", "
    static const char text[] =
        "{\"server\": {\"service\": {\"samples\": [" FIVE FIVE FIVE
        "\"1000001ns\", \"1000001ns\", \"1000001ns\", \"900000001ns\", \"990000001ns\"]}, "
        "\"workers\": \"unlimited\"}, \"loads\": {\"l\": {\"open\": {\"rate\": 100}}}, "
        "\"recorders\": {\"r\": {\"load\": \"l\", \"from\": \"due\"}}, \"report\": {"
        "\"percentiles\": [90]}, \"run\": {\"requests\": 1000}}";
    struct plan *plan = whole_plan(text);
    struct result *stored = run_with(plan, UINT64_MAX, 1), *again = run_with(plan, 1, 1);
    bool told = false;
    for (size_t i = 0; i < stored->gate_count; i++)
        told |= strcmp(stored->gates[i].name, "boundary") == 0 &&
                strstr(stored->gates[i].reason, "900.000001ms") != NULL;
    assert_true(told);
    assert_same(stored, again, text);
    /* One into cells, one to count again, then 2^17 ns in places of 2 ns, and these. */
    assert_string_equal(again->recorders[0].store_text, "exact, replayed in 4 passes");
    result_free(stored);
    result_free(again);
    plan_free(plan);
}

/* So many samples of one run inside a place that nobody could loop over them. */
static void a_run_of_any_length_is_counted_at_once(void **state)
{
    (void)state;
    static const char text[] =
        "{\"server\": {\"service\": {\"samples\": [\"500000s\", \"70s\", \"90000s\"]}}, "
        "\"loads\": {\"l\": {\"closed\": {\"clients\": 1}}}, \"recorders\": {\"r\": {\"load\": "
        "\"l\", \"from\": \"sent\", \"expected_interval\": 1}}, \"run\": {\"requests\": 9}}";
    struct plan *plan = whole_plan(text);
    struct result *stored = run_with(plan, UINT64_MAX, 1), *again = run_with(plan, 1, 1);
    assert_same(stored, again, text);
    assert_non_null(strstr(again->recorders[0].store_text, "replayed"));
    result_free(stored);
    result_free(again);
    plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_replayed_store_comes_to_answer_as_an_exact_one),
        cmocka_unit_test(ten_thousand_million_equal_values_are_one_answer),
        cmocka_unit_test(a_replayed_run_reports_what_a_stored_one_does),
        cmocka_unit_test(what_a_gate_asks_of_its_neighbours_is_known_to_the_ns),
        cmocka_unit_test(a_run_of_any_length_is_counted_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
