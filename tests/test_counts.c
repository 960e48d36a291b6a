/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of counts against counting by hand, and the cells of every store through it. */

#include <stdlib.h>
#include <string.h>

#include "models/base/random.h"
#include "sim/groups.h"
#include "tests/claim.h"
#include "tests/whole_run.h"

#define GROUPS 7
#define VALUES 50

static void a_table_holds_what_was_added_and_ranks_it(void **state)
{
    (void)state;
    uint64_t plain[GROUPS][VALUES] = {{0}}, all[VALUES] = {0}, total = 0;
    struct counts a = {0}, b = {0};
    struct stream stream = stream_open(7, 0, 0, PURPOSE_SERVICE);
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t word = stream_word(stream, i);
        uint32_t group = (uint32_t)(word % GROUPS);
        uint64_t value = word / 64 % VALUES, times = word / 65536 % 3;
        counts_add(i % 2 ? &a : &b, group, value, times);
        plain[group][value] += times;
        all[value] += times;
        total += times;
    }
    assert_true(counts_merge(&a, &b, SIZE_MAX));
    size_t length, at = 0;
    struct count_entry *sorted = counts_sorted(&a, true, &length);
    for (uint32_t group = 0; group < GROUPS; group++)
        for (uint64_t value = 0; value < VALUES; value++) {
            if (plain[group][value] == 0)
                continue;
            assert_true(at < length);
            assert_int_equal(sorted[at].group, group);
            assert_int_equal(sorted[at].value_ns, value);
            assert_int_equal(sorted[at].count, plain[group][value]);
            at++;
        }
    assert_int_equal(at, length);
    free(sorted);
    sorted = counts_sorted(&a, false, &length);
    uint64_t up_to = 0;
    for (uint64_t value = 0; value < VALUES; value++) {
        assert_int_equal(counts_select((struct counted){sorted, length, NULL, 0}, up_to + 1),
                         value);
        up_to += all[value];
        assert_int_equal(counts_select((struct counted){sorted, length, NULL, 0}, up_to), value);
    }
    assert_int_equal(up_to, total);
    free(sorted);
    counts_free(&a);
    counts_free(&b);
}

/* What a group counts for a value stands for the cell that the store would have put it into. */
static void every_store_s_cells_pass_through_the_table(void **state)
{
    (void)state;
    static const char *const stores[] = {
        "\"exact\"", "{\"hdr\": 1}", "{\"hdr\": {\"digits\": 3, \"highest\": \"1000us\"}}",
        "{\"hdr\": {\"digits\": 2, \"lowest\": \"1us\", \"highest\": \"3s\", \"clamp\": false}}",
        "{\"linear\": {\"width\": \"7us\", \"highest\": \"100ms\"}}"};
    for (size_t s = 0; s < sizeof stores / sizeof stores[0]; s++) {
        char *text = must_format("{\"server\": {\"service\": {\"constant\": \"1us\"}},"
                                 "\"loads\": {\"l\": {\"open\": {\"every\": \"1ms\"}}},"
                                 "\"recorders\": {\"r\": {\"load\": \"l\", \"from\": \"due\","
                                 "\"per\": \"replica\", \"store\": %s}},"
                                 "\"run\": {\"requests\": 10}}",
                                 stores[s]);
        struct plan *plan = whole_plan(text);
        const struct recorder_plan *recorder = &plan->recorders[0];
        struct stream stream = stream_open(s, 0, 0, PURPOSE_SERVICE);
        for (uint64_t i = 0; i < 4000; i++) {
            ns_t value_ns = stream_word(stream, i) >> (24 + i % 40);
            struct groups groups;
            groups_open(&groups, recorder, (struct correction_rule){1, 0, 0});
            groups_add(&groups, 0, value_ns, true);
            size_t length;
            struct count_entry *sorted = counts_sorted(&groups.counts, true, &length);
            struct stored got = groups_cell(&groups, sorted[0].value_ns);
            struct stored want =
                store_kind(recorder->store)->cell(recorder->store.params, value_ns);
            assert_int_equal(got.low_ns, want.low_ns);
            assert_int_equal(got.high_ns, want.high_ns);
            assert_int_equal(got.beyond, want.beyond);
            free(sorted);
            groups_close(&groups);
        }
        plan_free(plan);
        free(text);
    }
}

#define TABLES 3

/* The groups' order statistics, by entries and runs and one by one, each in its cell. */
static void expect_same_ranks(struct groups *a, struct groups *b, uint64_t ranks)
{
    struct groups *both[2] = {a, b};
    size_t length[2], at[2] = {0, 0}, run_at[2] = {0, 0};
    struct count_entry *sorted[2];
    for (size_t k = 0; k < 2; k++) {
        counts_join(&both[k]->counts);
        sorted[k] = counts_sorted(&both[k]->counts, true, &length[k]);
    }
    for (size_t group = 0; group < TABLES; group++) {
        struct counted own[2];
        assert_memory_equal(&a->tallies[group], &b->tallies[group], sizeof a->tallies[group]);
        for (size_t k = 0; k < 2; k++) {
            size_t end = at[k], run_end = run_at[k];
            const struct counts *c = &both[k]->counts;
            while (end < length[k] && sorted[k][end].group == group)
                end++;
            while (run_end < c->run_count && c->runs[run_end].group == group)
                run_end++;
            own[k] = (struct counted){sorted[k] + at[k], end - at[k], c->runs + run_at[k],
                                      run_end - run_at[k]};
            at[k] = end;
            run_at[k] = run_end;
        }
        uint64_t samples = a->tallies[group].samples;
        for (uint64_t rank = 1; rank <= samples; rank += 1 + samples / ranks) {
            struct stored x = groups_cell(a, counts_select(own[0], rank));
            struct stored y = groups_cell(b, counts_select(own[1], rank));
            assert_true(x.low_ns == y.low_ns && x.high_ns == y.high_ns && x.beyond == y.beyond);
        }
    }
    free(sorted[0]);
    free(sorted[1]);
}

/* All that is added below a value. */
static void add_both_ways(struct groups *runs, struct groups *single, size_t group, ns_t value_ns)
{
    struct correction_rule rule = runs->rule;
    groups_add_run(runs, group, value_ns);
    for (uint64_t k = 1; k <= correction_adds(rule, value_ns); k++)
        groups_add(single, group, (value_ns / rule.unit_ns - k * rule.interval) * rule.unit_ns,
                   true);
}

/* settles: they are too many to be kept as they are. */
static void hold_runs_against_samples(const char *store, struct correction_rule rule, size_t count,
                                      bool settles)
{
    char *text = must_format("{\"server\": {\"service\": {\"constant\": \"1us\"}},"
                             "\"loads\": {\"l\": {\"open\": {\"every\": \"1ms\"}}},"
                             "\"recorders\": {\"r\": {\"load\": \"l\", \"from\": \"due\","
                             "\"per\": \"replica\", \"store\": %s}}, \"run\": {\"requests\": 10}}",
                             store);
    struct plan *plan = whole_plan(text);
    struct stream s = stream_open(count, 0, 0, PURPOSE_SERVICE);
    struct groups runs, single;
    groups_open(&runs, &plan->recorders[0], rule);
    groups_open(&single, &plan->recorders[0], rule);
    for (size_t i = 0; i < count; i++) {
        uint64_t w = rule.lowest + (i % 9 == 0 ? 10 : 64) * rule.interval;
        w += below(stream_word(s, i), 40 * rule.interval);
        add_both_ways(&runs, &single, i % 50 == 0 ? 0 : 1 + i % 2, w * rule.unit_ns);
    }
    if (settles)
        assert_true(runs.counts.run_count < count / 2);
    expect_same_ranks(&runs, &single, count > 1000 ? 50 : 5000);
    groups_close(&runs);
    groups_close(&single);
    plan_free(plan);
    free(text);
}

static void a_run_of_samples_is_the_samples_one_by_one(void **state)
{
    (void)state;
    static const char hdr[] = "{\"hdr\": {\"digits\": 2, \"highest\": \"400us\"}}";
    static const char linear[] = "{\"linear\": {\"width\": \"3us\", \"highest\": \"1ms\"}}";
    for (size_t count = 3; count < 1000; count *= 9) {
        hold_runs_against_samples("\"exact\"", (struct correction_rule){1, 7000, 7001}, count,
                                  false);
        hold_runs_against_samples(hdr, (struct correction_rule){1, 7000, 7001}, count, false);
        hold_runs_against_samples(linear, (struct correction_rule){1, 7000, 1}, count, false);
    }
    hold_runs_against_samples(hdr, (struct correction_rule){1, 7000, 7000}, 80000, true);
    hold_runs_against_samples("{\"hdr\": 3}", (struct correction_rule){1000, 3300, 1}, 80000, true);
    hold_runs_against_samples(linear, (struct correction_rule){1, 5000, 1}, 80000, true);
}

/* Entries and runs that overlap, some of them twice, against all their values one by one. */
static void runs_are_ranked_like_their_values_one_by_one(void **state)
{
    (void)state;
    struct stream stream = stream_open(11, 0, 0, PURPOSE_SERVICE);
    uint64_t plain[4000] = {0}, up_to = 0;
    struct counts runs = {0}, other = {0};
    for (uint64_t i = 0; i < 3000; i++) {
        uint64_t word = stream_word(stream, i);
        struct counts *into = i % 3 == 0 ? &other : &runs;
        ns_t step_ns = 1 + word % 4, first_ns = 3000 + word / 64 % 10 * 100;
        uint64_t values = 500 + word / 65536 % 2;
        counts_add_run(into, (struct count_run){first_ns, step_ns, values, 1, 0});
        for (uint64_t k = 0; k < values; k++)
            plain[first_ns - k * step_ns]++;
        counts_add(into, 0, word / 1024 % 4000, 2);
        plain[word / 1024 % 4000] += 2;
    }
    assert_true(counts_merge(&runs, &other, SIZE_MAX));
    counts_join(&runs);
    assert_true(runs.run_count <= 4 * 10 * 2);
    size_t length;
    struct count_entry *sorted = counts_sorted(&runs, false, &length);
    struct counted all = {sorted, length, runs.runs, runs.run_count};
    for (uint64_t value = 0; value < 4000; value++) {
        if (plain[value] == 0)
            continue;
        assert_int_equal(counts_select(all, up_to + 1), value);
        up_to += plain[value];
        assert_int_equal(counts_select(all, up_to), value);
    }
    free(sorted);
    counts_free(&runs);
    counts_free(&other);
}

static void a_merge_ends_where_it_would_be_too_large(void **state)
{
    (void)state;
    struct counts into = {0}, from = {0};
    for (ns_t value_ns = 0; value_ns < 1000; value_ns++)
        counts_add(&from, 0, value_ns, 1);
    counts_add_run(&from, (struct count_run){5000, 1, 2000, 1, 0});
    assert_false(counts_merge(&into, &from, 500));
    assert_int_equal(counts_size(&into), 501);
    counts_free(&into);
    assert_false(counts_merge(&into, &from, 1000));
    counts_free(&into);
    assert_true(counts_merge(&into, &from, 1001));
    counts_free(&into);
    counts_free(&from);
}

/* 60 ms at an expected interval of 1 ns: sixty million samples a request. */
static void a_long_run_costs_a_group_of_an_exact_store_one_place(void **state)
{
    (void)state;
    struct plan *plan = whole_plan("{\"server\": {\"service\": {\"constant\": \"1us\"}},"
                                   "\"loads\": {\"l\": {\"open\": {\"every\": \"1ms\"}}},"
                                   "\"recorders\": {\"r\": {\"load\": \"l\", \"from\": \"due\","
                                   "\"per\": \"replica\"}}, \"run\": {\"requests\": 10}}");
    struct groups groups;
    groups_open(&groups, &plan->recorders[0], (struct correction_rule){1, 1, 1});
    for (unsigned i = 0; i < 1000; i++)
        groups_add_run(&groups, i % 2, 60000001);
    counts_join(&groups.counts);
    assert_int_equal(counts_size(&groups.counts), 2);
    assert_int_equal(groups.counts.runs[1].times, 500);
    assert_int_equal(groups.tallies[1].samples, UINT64_C(30000000000));
    assert_null(groups_fault(&groups));
    groups_close(&groups);
    plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_holds_what_was_added_and_ranks_it),
        cmocka_unit_test(every_store_s_cells_pass_through_the_table),
        cmocka_unit_test(a_run_of_samples_is_the_samples_one_by_one),
        cmocka_unit_test(runs_are_ranked_like_their_values_one_by_one),
        cmocka_unit_test(a_merge_ends_where_it_would_be_too_large),
        cmocka_unit_test(a_long_run_costs_a_group_of_an_exact_store_one_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
