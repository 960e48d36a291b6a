/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Faults are named for what they are: beside declared cells, in a few figures, two at a time, and
   by numbers that no table has. */

#include <stdlib.h>
#include <string.h>

#include "models/faults/lost.h"
#include "models/registry.h"
#include "tests/claim.h"
#include "tests/suite_trials.h"

static const struct declared exact = {.precision = PRECISION_EXACT};

static struct fault_use use_of(const char *name, uint64_t parameter)
{
    const struct variant *type = variant_find(&set_faults, name);
    if (type == NULL)
        fail_msg("no fault %s", name);
    return (struct fault_use){fault(type), parameter};
}

/* Reports of one recorder in all scenes. */
struct answers {
    struct report *reports;
    struct evidence *evidence;
    size_t count;
};

static struct answers answers_of(const struct scenes *scenes, const struct fault_use *uses,
                                 size_t use_count)
{
    struct answers a = {must_alloc(scenes->count, sizeof *a.reports),
                        must_alloc(scenes->count, sizeof *a.evidence), scenes->count};
    for (size_t s = 0; s < scenes->count; s++) {
        const struct trial *trial = &scenes->items[s].trial;
        assert_true(report_faulty(&trial->requests, &trial->asked, uses, use_count, &a.reports[s]));
        a.evidence[s] = (struct evidence){trial, &a.reports[s], &exact, NULL};
    }
    return a;
}

static void free_answers(struct answers *a)
{
    for (size_t s = 0; s < a->count; s++)
        report_free(&a->reports[s]);
    free(a->reports);
    free(a->evidence);
}

static const char *name_of(size_t index)
{
    return index == NO_INDEX ? "nothing" : set_faults.variants[index]->name;
}

/* The only explanation is that fault. */
static void assert_named(const struct answers *a, const char *name)
{
    struct suspects suspects;
    suite_suspects(a->evidence, a->count, &suspects);
    if (suspects.count != 1 || strcmp(name_of(suspects.items[0].fault), name) != 0)
        fail_msg("%s: %zu suspects, the first %s", name, suspects.count,
                 suspects.count > 0 ? suspects.items[0].text : "none");
    assert_int_equal(suspects.items[0].second, NO_INDEX);
    assert_non_null(strstr(suspects.items[0].text, name));
    suspects_free(&suspects);
}

static void a_true_recorder_has_no_suspects(void **state)
{
    struct answers a = answers_of(*state, NULL, 0);
    struct suspects suspects;
    suite_suspects(a.evidence, a.count, &suspects);
    assert_int_equal(suspects.count, 0);
    free_answers(&a);
}

static void limits_and_losses_that_no_table_has_are_told_from_the_answer(void **state)
{
    static const struct {
        const char *name;
        uint64_t parameter;
    } odd[] = {{"clamped", 7777777},
               {"clamped", 1234567890},
               {"dropped-beyond", 7777777},
               {"dropped-beyond", 3 * NS_PER_S + 1},
               {"first-lost", 2 * 7},
               {"first-lost", 2 * 3 + 1},
               {"last-lost", 2 * 13},
               {"first-lost", LOST_TIME | NS_PER_S},
               {"last-lost", LOST_TIME | LOST_DUE | 2 * NS_PER_S},
               {"first-lost", LOST_TIME | LOST_RECORDED | NS_PER_S},
               {"clamped", 7777777 | BEFORE_CORRECTION},
               {"clamped", NS_PER_S | BEFORE_CORRECTION},
               {"dropped-beyond", NS_PER_S | BEFORE_CORRECTION},
               {"wrapped-negative", 1 | BEFORE_CORRECTION},
               {"wrapped-negative", NS_PER_US | BEFORE_CORRECTION},
               {"last-not-max", 6}};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        struct fault_use use = use_of(odd[i].name, odd[i].parameter);
        struct answers a = answers_of(*state, &use, 1);
        assert_named(&a, odd[i].name);
        free_answers(&a);
    }
}

static void percentiles_alone_are_enough_to_name_most(void **state)
{
    static const char *const names[] = {
        "from-send", "rank-low",     "rank-high",       "sorted-as-text", "percent-as-fraction",
        "unsorted",  "rank-half-up", "corrected-twice", "failures-kept",  "workers-averaged"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct fault_use use = use_of(names[i], 0);
        struct answers a = answers_of(*state, &use, 1);
        for (size_t s = 0; s < a.count; s++) {
            struct report *r = &a.reports[s];
            r->has_count = r->min.known = r->max.known = r->mean.known = r->sum.known = false;
        }
        assert_named(&a, names[i]);
        free_answers(&a);
    }
}

/* Many keep count, minimum, maximum and sum apart from a histogram that is wrong. */
static void a_fault_in_percentiles_is_named_beside_right_totals(void **state)
{
    const struct scenes *scenes = *state;
    static const struct {
        const char *name;
        uint64_t parameter;
    } some[] = {{"clamped", NS_PER_S},
                {"truncated", NS_PER_MS},
                {"wrapped", 0},
                {"distinct-values", 0},
                {"one-worker", 0}};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        struct fault_use use = use_of(some[i].name, some[i].parameter);
        struct answers a = answers_of(scenes, &use, 1), right = answers_of(scenes, NULL, 0);
        for (size_t s = 0; s < a.count; s++) {
            struct said *percentiles = a.reports[s].percentiles;
            a.reports[s].percentiles = right.reports[s].percentiles;
            right.reports[s].percentiles = percentiles;
            struct report swap = a.reports[s];
            a.reports[s] = right.reports[s];
            right.reports[s] = swap;
        }
        struct suspects suspects;
        suite_suspects(a.evidence, a.count, &suspects);
        if (suspects.count == 0 || strcmp(name_of(suspects.items[0].fault), some[i].name) != 0)
            fail_msg("%s is not named", some[i].name);
        assert_false(suspects.items[0].whole);
        suspects_free(&suspects);
        free_answers(&a);
        free_answers(&right);
    }
}

static void two_faults_at_once_are_named_together(void **state)
{
    static const struct {
        const char *first, *second;
        uint64_t first_parameter, second_parameter;
    } pairs[] = {{"truncated", "rank-low", NS_PER_MS, 0},
                 {"from-send", "rank-floor-plus-one", 0, 0},
                 {"failures-kept", "rank-high", 0, 0}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct fault_use uses[2] = {use_of(pairs[i].first, pairs[i].first_parameter),
                                    use_of(pairs[i].second, pairs[i].second_parameter)};
        struct answers a = answers_of(*state, uses, 2);
        struct suspects suspects;
        suite_suspects(a.evidence, a.count, &suspects);
        bool named = false;
        for (size_t k = 0; k < suspects.count; k++)
            named |= strcmp(name_of(suspects.items[k].fault), pairs[i].first) == 0 &&
                     strcmp(name_of(suspects.items[k].second), pairs[i].second) == 0;
        if (!named)
            fail_msg("%s with %s: %zu suspects", pairs[i].first, pairs[i].second, suspects.count);
        suspects_free(&suspects);
        free_answers(&a);
    }
}

/* The recorder rounds otherwise, or has another limit, in some of the scenarios. */
static void variants_of_one_fault_are_one_suspect(void **state)
{
    static const struct {
        const char *name;
        uint64_t mostly, once;
    } two[] = {
        {"rank-half-up", 0, 1}, {"clamped", 10 * NS_PER_MS, 7777777}, {"last-not-max", 2, 0}};
    for (size_t i = 0; i < sizeof two / sizeof two[0]; i++) {
        struct fault_use mostly = use_of(two[i].name, two[i].mostly),
                         once = use_of(two[i].name, two[i].once);
        struct answers a = answers_of(*state, &mostly, 1), b = answers_of(*state, &once, 1);
        struct report swap = a.reports[0];
        a.reports[0] = b.reports[0];
        b.reports[0] = swap;
        struct suspects suspects;
        suite_suspects(a.evidence, a.count, &suspects);
        if (suspects.count != 1 || strcmp(name_of(suspects.items[0].fault), two[i].name) != 0)
            fail_msg("%s: %zu suspects", two[i].name, suspects.count);
        assert_true(suspects.items[0].parameter == two[i].mostly);
        suspects_free(&suspects);
        free_answers(&a);
        free_answers(&b);
    }
}

/* 1000 digits' worth of cells hide small faults, not these. */
static i128 highest_of_three_digits(i128 milli)
{
    uint64_t ns = (uint64_t)(milli / 1000);
    unsigned length = ns == 0 ? 0 : 64 - (unsigned)__builtin_clzll(ns);
    unsigned shift = length > 11 ? length - 11 : 0;
    return (i128)((ns >> shift << shift) + ((UINT64_C(1) << shift) - 1)) * 1000;
}

static void a_fault_is_named_through_the_cells_that_a_recorder_declares(void **state)
{
    static const char *const names[] = {"from-send",       "rank-low",       "failures-kept",
                                        "corrected-twice", "sorted-as-text", "in-flight-lost"};
    struct declared digits = {.precision = PRECISION_DIGITS, .digits = 3};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct fault_use use = use_of(names[i], 0);
        struct answers a = answers_of(*state, &use, 1);
        for (size_t s = 0; s < a.count; s++) {
            a.evidence[s].declared = &digits;
            for (size_t k = 0; k < a.reports[s].percentile_count; k++)
                a.reports[s].percentiles[k].milli =
                    highest_of_three_digits(a.reports[s].percentiles[k].milli);
        }
        struct suspects suspects;
        suite_suspects(a.evidence, a.count, &suspects);
        if (suspects.count == 0 || strcmp(name_of(suspects.items[0].fault), names[i]) != 0)
            fail_msg("%s: %zu suspects, the first %s", names[i], suspects.count,
                     suspects.count > 0 ? suspects.items[0].text : "none");
        suspects_free(&suspects);
        free_answers(&a);
    }
}

static void what_several_explain_another_scenario_separates(void **state)
{
    const struct scenes *scenes = *state;
    const struct trial *one = scene_named(scenes, "connections");
    struct fault_use use = use_of("from-send", 0);
    struct report report;
    assert_true(report_faulty(&one->requests, &one->asked, &use, 1, &report));
    struct evidence evidence = {one, &report, &exact, NULL};
    struct suspects suspects;
    suite_suspects(&evidence, 1, &suspects);
    assert_true(suspects.count > 1);
    struct trial *trials = must_alloc(scenes->count, sizeof *trials);
    for (size_t s = 0; s < scenes->count; s++)
        trials[s] = scenes->items[s].trial;
    size_t kinds;
    size_t which = separating_trial(suspects.items, suspects.count, trials, scenes->count, &kinds);
    assert_int_not_equal(which, NO_INDEX);
    assert_int_equal(kinds, suspects.count);
    assert_int_equal(separating_trial(suspects.items, 1, trials, scenes->count, &kinds), NO_INDEX);
    free(trials);
    suspects_free(&suspects);
    report_free(&report);
}

static void canary_nonsense_has_no_suspects(void **state)
{
    struct answers a = answers_of(*state, NULL, 0);
    for (size_t s = 0; s < a.count; s++)
        for (size_t k = 0; k < a.reports[s].percentile_count; k++)
            a.reports[s].percentiles[k].milli += (i128)(k + 1) * 1234567;
    struct suspects suspects;
    suite_suspects(a.evidence, a.count, &suspects);
    assert_int_equal(suspects.count, 0);
    free_answers(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_true_recorder_has_no_suspects),
        cmocka_unit_test(limits_and_losses_that_no_table_has_are_told_from_the_answer),
        cmocka_unit_test(percentiles_alone_are_enough_to_name_most),
        cmocka_unit_test(a_fault_in_percentiles_is_named_beside_right_totals),
        cmocka_unit_test(two_faults_at_once_are_named_together),
        cmocka_unit_test(variants_of_one_fault_are_one_suspect),
        cmocka_unit_test(a_fault_is_named_through_the_cells_that_a_recorder_declares),
        cmocka_unit_test(what_several_explain_another_scenario_separates),
        cmocka_unit_test(canary_nonsense_has_no_suspects),
    };
    return cmocka_run_group_tests(tests, scenes_set_up, scenes_tear_down);
}
