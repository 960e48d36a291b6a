/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Multisets of progressions against the plain list of their values. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <time.h>

#include "models/base/random.h"
#include "models/laws/multiset.h"

#define VALUES_MOST 100000

struct list {
    ns_t *ns;
    size_t count;
};

static void list_add(struct list *list, ns_t value_ns)
{
    assert_true(list->count < VALUES_MOST);
    list->ns[list->count++] = value_ns;
}

static int by_value(const void *a, const void *b)
{
    ns_t x = *(const ns_t *)a, y = *(const ns_t *)b;
    return (x > y) - (x < y);
}

/* The correction, one added value after the other, as its definition says. */
static void correct(struct list *list, struct correction_rule rule)
{
    size_t real = list->count;
    for (size_t i = 0; i < real && rule.interval > 0; i++) {
        uint64_t w = list->ns[i] / rule.unit_ns;
        while (w >= rule.interval + rule.lowest) {
            w -= rule.interval;
            list_add(list, w * rule.unit_ns);
        }
    }
    qsort(list->ns, list->count, sizeof list->ns[0], by_value);
}

static size_t count_at_most(const struct list *list, ns_t x_ns)
{
    size_t n = 0;
    while (n < list->count && list->ns[n] <= x_ns)
        n++;
    return n;
}

static void assert_same(const struct multiset *set, struct correction_rule rule,
                        const struct list *sorted)
{
    u128 sum = 0;
    for (size_t i = 0; i < sorted->count; i++)
        sum += sorted->ns[i];
    assert_true(multiset_total(set, rule) == sorted->count);
    assert_true(multiset_sum(set, rule) == sum);
    if (sorted->count == 0)
        return;
    assert_int_equal(multiset_min(set, rule), sorted->ns[0]);
    assert_int_equal(multiset_max(set), sorted->ns[sorted->count - 1]);
    for (size_t i = 0; i < sorted->count; i++) {
        ns_t x_ns = sorted->ns[i];
        assert_int_equal(multiset_select(set, rule, i + 1), x_ns);
        if (i > 0 && x_ns == sorted->ns[i - 1])
            continue;
        assert_true(multiset_at_most(set, rule, x_ns) == count_at_most(sorted, x_ns));
        assert_true(multiset_at_most(set, rule, x_ns + 1) == count_at_most(sorted, x_ns + 1));
        if (x_ns > 0)
            assert_true(multiset_at_most(set, rule, x_ns - 1) == count_at_most(sorted, x_ns - 1));
    }
    assert_true(multiset_at_most(set, rule, NS_LIMIT) == sorted->count);
}

struct dice {
    struct stream stream;
    uint64_t next;
};

static uint64_t roll(struct dice *dice, uint64_t bound)
{
    return below(stream_word(dice->stream, dice->next++), bound);
}

/* A few progressions, rising, level and falling, and the same values one by one. */
static void draw_set(struct dice *dice, struct multiset *set, struct list *list, uint64_t den)
{
    uint64_t items = 1 + roll(dice, 4);
    for (uint64_t i = 0; i < items; i++) {
        struct progression p = {(i128)roll(dice, 40 * den) - (i128)den + 1,
                                (i128)roll(dice, 5 * den + 1), 1 + roll(dice, 9),
                                1 + roll(dice, 3)};
        if (roll(dice, 2) == 0) {
            p.first += p.step * (i128)(p.count - 1);
            p.step = -p.step;
        }
        multiset_add(set, p);
        for (uint64_t k = 0; k < p.count; k++)
            for (uint64_t j = 0; j < p.times; j++)
                list_add(list, (ns_t)ceil_div(p.first + (i128)k * p.step, (i128)den));
    }
    if (roll(dice, 4) > 0)
        multiset_seal(set);
}

static struct correction_rule draw_rule(struct dice *dice)
{
    struct correction_rule rule = {1, roll(dice, 12), 1};
    switch (roll(dice, 3)) {
    case 0: /* hdr */ rule.lowest = rule.interval > 0 ? rule.interval : 1; break;
    case 1: /* wrk, with a small unit */
        rule.unit_ns = 1 + roll(dice, 7);
        rule.lowest = rule.interval + 1;
        break;
    default: /* hdr-py */ break;
    }
    return rule;
}

static void small_sets_answer_every_question_as_their_plain_lists_do(void **state)
{
    (void)state;
    struct dice dice = {stream_open(7, 0, 0, PURPOSE_SERVICE), 0};
    struct list list = {malloc(VALUES_MOST * sizeof(ns_t)), 0};
    for (int round = 0; round < 4000; round++) {
        uint64_t den = roll(&dice, 3) == 0 ? 1 : 1 + roll(&dice, 20);
        struct multiset set;
        multiset_init(&set, den);
        list.count = 0;
        draw_set(&dice, &set, &list, den);
        struct correction_rule rule = draw_rule(&dice);
        correct(&list, rule);
        assert_same(&set, rule, &list);
        multiset_free(&set);
    }
    free(list.ns);
}

/* Real values stay whole ns where added ones are whole us. */
static void one_value_of_147_7_ms_gets_64_samples_from_wrk(void **state)
{
    (void)state;
    struct correction_rule wrk = {1000, 2250, 2251};
    struct multiset set;
    multiset_init(&set, 1);
    multiset_add(&set, (struct progression){147700001, 0, 1, 1});
    assert_true(multiset_total(&set, wrk) == 65);
    assert_int_equal(multiset_select(&set, wrk, 65), 147700001);
    assert_int_equal(multiset_select(&set, wrk, 64), 147700000 - 2250000);
    assert_int_equal(multiset_min(&set, wrk), 147700000 - 64 * 2250000);
    multiset_free(&set);
}

/* 2^40 values 0, 1, 2, ...: sum n (n - 1) / 2. */
static void a_million_million_values_answer_at_once(void **state)
{
    (void)state;
    clock_t begin = clock();
    uint64_t n = UINT64_C(1) << 40;
    struct multiset set;
    multiset_init(&set, 113);
    multiset_add(&set, (struct progression){0, 113, n, 1});
    struct correction_rule raw = {1, 0, 1}, hdr = {1, 1000, 1000};
    assert_true(multiset_total(&set, raw) == n);
    assert_true(multiset_sum(&set, raw) == (u128)n * (n - 1) / 2);
    assert_int_equal(multiset_select(&set, raw, n / 2), n / 2 - 1);
    /* floor(v / 1000) - 1 are added to v >= 2000: with n = 1000 q + r, the sum over all v of
       floor(v / 1000) is 1000 q (q - 1) / 2 + r q, and each v >= 1000 adds one less. */
    u128 q = n / 1000, r = n % 1000;
    u128 added = 1000 * (q * (q - 1) / 2) + r * q - (n - 1000);
    assert_true(multiset_total(&set, hdr) == n + added);
    assert_int_equal(multiset_select(&set, hdr, n + added), n - 1);
    multiset_free(&set);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 1.0);
}

/* One value v = 10^12 with an interval of 1 ns gains v - 1, v - 2, ... 1. */
static void a_correction_that_adds_a_million_million_samples_answers_at_once(void **state)
{
    (void)state;
    clock_t begin = clock();
    struct correction_rule hdr = {1, 1, 1};
    uint64_t v = UINT64_C(1000000000000);
    struct multiset set;
    multiset_init(&set, 1);
    multiset_add(&set, (struct progression){(i128)v, 0, 1, 1});
    assert_true(multiset_total(&set, hdr) == v);
    assert_true(multiset_sum(&set, hdr) == (u128)v * (v + 1) / 2);
    assert_int_equal(multiset_select(&set, hdr, 12345), 12345);
    assert_int_equal(multiset_min(&set, hdr), 1);
    multiset_free(&set);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 1.0);
}

static void equal_progressions_fold_into_one(void **state)
{
    (void)state;
    struct multiset set;
    multiset_init(&set, 1);
    for (int i = 0; i < 100000; i++) {
        multiset_add(&set, (struct progression){100, -10, 5, 1});
        multiset_add(&set, (struct progression){7, 0, 3, 1});
    }
    multiset_seal(&set);
    assert_int_equal(set.count, 2);
    assert_true(set.capacity <= 64);
    struct correction_rule raw = {1, 0, 1};
    assert_true(multiset_total(&set, raw) == 800000);
    multiset_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_sets_answer_every_question_as_their_plain_lists_do),
        cmocka_unit_test(one_value_of_147_7_ms_gets_64_samples_from_wrk),
        cmocka_unit_test(a_million_million_values_answer_at_once),
        cmocka_unit_test(a_correction_that_adds_a_million_million_samples_answers_at_once),
        cmocka_unit_test(equal_progressions_fold_into_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
