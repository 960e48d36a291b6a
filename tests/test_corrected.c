/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "models/base/random.h"
#include "models/registry.h"
#include "models/stores/store.h"
#include "sim/corrected.h"
#include "sim/recorder.h"
#include "tests/claim.h"

struct hdr_params {
    uint64_t digits;
    ns_t lowest_ns, highest_ns;
    bool clamp;
};

struct linear_params {
    ns_t width_ns, highest_ns;
    bool clamp;
};

/* ---- a store that keeps, of every sample, where its cell begins ---- */

struct count {
    ns_t low_ns;
    uint64_t samples;
};

struct kept {
    struct choice of; /* whose cells */
    struct count *counts;
    size_t count, capacity;
    uint64_t at_once; /* samples that came as so many of one value */
};

static void keep(struct kept *kept, ns_t value_ns, uint64_t times)
{
    struct stored cell = store_kind(kept->of)->cell(kept->of.params, value_ns);
    if (kept->count == kept->capacity) {
        kept->capacity = kept->capacity ? 2 * kept->capacity : 1024;
        kept->counts = must_grow(kept->counts, kept->capacity, sizeof *kept->counts);
    }
    kept->counts[kept->count++] = (struct count){cell.low_ns + (cell.beyond ? 1 : 0), times};
}

static void *kept_open(const void *params)
{
    struct kept *kept = must_alloc(1, sizeof *kept);
    *kept = (struct kept){.of = *(const struct choice *)params};
    return kept;
}

static void kept_close(void *store)
{
    struct kept *kept = store;
    free(kept->counts);
    free(kept);
}

static void kept_add(void *store, const ns_t *values_ns, size_t count, ns_t least_ns,
                     ns_t greatest_ns)
{
    struct span all = column_of(values_ns, count).all;
    assert_true(all.least_ns == least_ns && all.greatest_ns == greatest_ns);
    for (size_t i = 0; i < count; i++)
        keep(store, values_ns[i], 1);
}

static void kept_add_run(void *store, ns_t first_ns, ns_t step_ns, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        keep(store, first_ns - i * step_ns, 1);
}

static void kept_add_times(void *store, ns_t value_ns, uint64_t times)
{
    struct kept *kept = store;
    kept->at_once += times;
    keep(kept, value_ns, times);
}

static void kept_merge(void *into, void *from)
{
    struct kept *other = from;
    for (size_t i = 0; i < other->count; i++)
        keep(into, other->counts[i].low_ns, other->counts[i].samples);
}

static struct stored kept_cell(const void *params, ns_t value_ns)
{
    const struct choice *of = params;
    return store_kind(*of)->cell(of->params, value_ns);
}

static const struct store_type kept_type = {
    .is = {"kept", "for the test", NULL, 0, 0, NULL},
    .open = kept_open,
    .close = kept_close,
    .add = kept_add,
    .add_run = kept_add_run,
    .add_times = kept_add_times,
    .merge = kept_merge,
    .cell = kept_cell,
};

static int compare_counts(const void *a, const void *b)
{
    ns_t x = ((const struct count *)a)->low_ns, y = ((const struct count *)b)->low_ns;
    return (x > y) - (x < y);
}

/* In order of cells, each once. */
static void sum_up(struct kept *kept)
{
    size_t count = 0;
    if (kept->count > 0)
        qsort(kept->counts, kept->count, sizeof *kept->counts, compare_counts);
    for (size_t i = 0; i < kept->count; i++) {
        if (count > 0 && kept->counts[count - 1].low_ns == kept->counts[i].low_ns)
            kept->counts[count - 1].samples += kept->counts[i].samples;
        else
            kept->counts[count++] = kept->counts[i];
    }
    kept->count = count;
}

/* ---- one random case ---- */

#define THRESHOLDS 5

struct random_case {
    struct correction_rule rule;
    struct choice of;
    struct hdr_params hdr;
    struct linear_params linear;
    ns_t thresholds_ns[THRESHOLDS];
    ns_t certain_limit_ns;
    ns_t *values_ns;
    size_t count;
    bool merged; /* from two recorders */
};

struct expected {
    struct tally tally;
    uint64_t above[THRESHOLDS], certain;
    struct kept *kept;
};

/* As the rule says it, sample by sample. */
static void add_below(struct expected *e, const struct random_case *c, ns_t value_ns)
{
    uint64_t unit = c->rule.unit_ns, w = value_ns / unit;
    while (w >= c->rule.interval + c->rule.lowest) {
        w -= c->rule.interval;
        ns_t sample_ns = w * unit;
        e->tally.added++;
        e->tally.sum_ns += sample_ns;
        e->tally.min_ns = sample_ns < e->tally.min_ns ? sample_ns : e->tally.min_ns;
        for (size_t k = 0; k < THRESHOLDS; k++)
            e->above[k] += sample_ns > c->thresholds_ns[k];
        e->certain += sample_ns <= c->certain_limit_ns;
        keep(e->kept, sample_ns, 1);
    }
}

static void open_recorder(struct recorder *r, const struct recorder_plan *plan,
                          const struct random_case *c)
{
    recorder_open(r, plan, c->rule, true, c->thresholds_ns, THRESHOLDS);
    r->counts_certain = true;
    r->certain_limit_ns = c->certain_limit_ns;
}

static void take(struct recorder *r, const ns_t *values_ns, size_t count)
{
    struct column column = column_of(values_ns, count);
    corrected_take(r, &column);
}

static void take_in_pieces(struct recorder *r, const ns_t *values_ns, size_t count)
{
    for (size_t i = 0, n = 1; i < count; i += n, n = 1 + 7 * n % 1024) {
        n = n < count - i ? n : count - i;
        take(r, values_ns + i, n);
    }
}

static void expect_tallies(const struct recorder *r, const struct expected *e)
{
    assert_int_equal(r->tally.added, e->tally.added);
    assert_true(r->tally.sum_ns == e->tally.sum_ns);
    assert_int_equal(r->tally.min_ns, e->tally.min_ns);
    assert_false(r->tally.overflow);
    for (size_t k = 0; k < THRESHOLDS; k++)
        assert_int_equal(r->counter.above[k], e->above[k]);
    assert_int_equal(r->certain, e->certain);
}

/* How many samples the recorder counted at once. */
static uint64_t hold_against_one_by_one(struct random_case *c)
{
    struct recorder_plan plan = {.store = {&kept_type.is, &c->of}};
    struct recorder r, other;
    struct expected e = {.tally.min_ns = UINT64_MAX, .kept = kept_open(&c->of)};
    size_t first = c->merged ? c->count / 3 : c->count;
    open_recorder(&r, &plan, c);
    take_in_pieces(&r, c->values_ns, first);
    if (c->merged) {
        open_recorder(&other, &plan, c);
        take_in_pieces(&other, c->values_ns + first, c->count - first);
        recorder_merge(&r, &other);
        recorder_close(&other);
    }
    corrected_settle(&r);
    for (size_t i = 0; i < c->count; i++)
        add_below(&e, c, c->values_ns[i]);
    expect_tallies(&r, &e);
    struct kept *kept = r.store;
    uint64_t at_once = kept->at_once;
    sum_up(kept);
    sum_up(e.kept);
    assert_int_equal(kept->count, e.kept->count);
    for (size_t i = 0; i < kept->count; i++) {
        assert_int_equal(kept->counts[i].low_ns, e.kept->counts[i].low_ns);
        assert_int_equal(kept->counts[i].samples, e.kept->counts[i].samples);
    }
    recorder_close(&r);
    kept_close(e.kept);
    return at_once;
}

/* A number whose size itself is drawn: from 1 to 2^bits. */
static uint64_t of_any_size(struct stream s, uint64_t i, unsigned bits)
{
    return (stream_word(s, 2 * i) >> (63 - below(stream_word(s, 2 * i + 1), bits))) + 1;
}

static void draw_store(struct random_case *c, struct stream s)
{
    bool linear = stream_word(s, 0) % 3 == 0;
    c->hdr = (struct hdr_params){1 + below(stream_word(s, 1), 4), of_any_size(s, 2, 8),
                                 (UINT64_C(1) << 24) + of_any_size(s, 4, 40), true};
    c->linear = (struct linear_params){of_any_size(s, 6, 20), of_any_size(s, 8, 28), true};
    c->of = linear ? (struct choice){variant_find(&set_stores, "linear"), &c->linear}
                   : (struct choice){variant_find(&set_stores, "hdr"), &c->hdr};
}

/* The three rules, with intervals from 1 ns on.  Values are long enough for so many samples. */
static void draw_case(struct random_case *c, uint64_t seed, uint64_t samples)
{
    struct stream s = stream_open(seed, 0, 0, PURPOSE_SERVICE);
    uint64_t unit = stream_word(s, 0) % 3 == 0 ? 1000 : 1;
    uint64_t interval = of_any_size(s, 1, unit > 1 ? 12 : 24);
    uint64_t lowest[3] = {interval, 1, interval + 1};
    c->rule = (struct correction_rule){unit, interval, lowest[stream_word(s, 5) % 3]};
    unsigned longest = (unsigned)below(stream_word(s, 6), 16);
    c->count = samples / (((uint64_t)1 << longest) / 4 + 2) + 1;
    c->merged = stream_word(s, 7) % 4 == 0;
    c->values_ns = must_alloc(c->count, sizeof *c->values_ns);
    struct stream values = stream_open(seed, 0, 1, PURPOSE_SERVICE);
    uint64_t most = unit * (interval << longest) + unit * c->rule.lowest;
    bool whole = stream_word(s, 8) % 4 == 0; /* multiples of the interval, and just beside */
    for (size_t i = 0; i < c->count; i++) {
        ns_t value_ns = below(stream_word(values, 2 * i), most);
        if (whole)
            value_ns = value_ns - value_ns % (unit * interval) + below(stream_word(s, i), 3) - 1;
        c->values_ns[i] = value_ns <= most ? value_ns : 0;
    }
    for (size_t k = 0; k < THRESHOLDS; k++)
        c->thresholds_ns[k] = below(stream_word(s, 20 + k), most + most / 8 + 1);
    c->certain_limit_ns = below(stream_word(s, 30), most + 1);
    draw_store(c, stream_open(seed, 0, 2, PURPOSE_SERVICE));
}

static uint64_t hold_cases(uint64_t first_seed, uint64_t cases, uint64_t samples)
{
    uint64_t at_once = 0;
    for (uint64_t i = 0; i < cases; i++) {
        struct random_case c;
        draw_case(&c, first_seed + i, samples);
        at_once += hold_against_one_by_one(&c);
        free(c.values_ns);
    }
    return at_once;
}

/* ---- claims ---- */

static void runs_are_counted_as_sample_by_sample(void **state)
{
    (void)state;
    hold_cases(1, 2000, 1000);
    assert_true(hold_cases(3001, 60, 300000) > 1000000); /* or nothing was counted at once */
}

/* More runs than are counted at once, in linear buckets and those of HdrHistogram. */
static void many_runs_are_counted_as_sample_by_sample(void **state)
{
    (void)state;
    struct random_case c = {.rule = {1, 1000, 1000}, .count = 45000};
    c.hdr = (struct hdr_params){2, 1, NS_PER_S, true};
    c.linear = (struct linear_params){317, 40000, true};
    c.values_ns = must_alloc(c.count, sizeof *c.values_ns);
    struct stream s = stream_open(7, 0, 0, PURPOSE_SERVICE);
    for (size_t i = 0; i < c.count; i++)
        c.values_ns[i] = 26000 + below(stream_word(s, i), UINT64_C(4000) << i * 5 / c.count);
    for (size_t k = 0; k < THRESHOLDS; k++)
        c.thresholds_ns[k] = 5000 * k;
    c.of = (struct choice){variant_find(&set_stores, "hdr"), &c.hdr};
    assert_true(hold_against_one_by_one(&c) > 40000 * 25);
    c.of = (struct choice){variant_find(&set_stores, "linear"), &c.linear};
    assert_true(hold_against_one_by_one(&c) > 40000 * 25);
    free(c.values_ns);
}

/* 2^51 ns over 2 ns: the sums are those of Gauss, exactly. */
static void the_longest_runs_are_summed_exactly(void **state)
{
    (void)state;
    struct choice of = {variant_find(&set_stores, "hdr"),
                        &(struct hdr_params){3, 1, NS_LIMIT - 1, true}};
    struct recorder_plan plan = {.store = of};
    for (unsigned bits = 51; bits <= 60; bits += 9) {
        struct recorder r;
        uint64_t value = UINT64_C(1) << bits, n = value / 2 - 1;
        ns_t values_ns[3] = {value, value, 1};
        recorder_open(&r, &plan, (struct correction_rule){1, 2, 2}, true, NULL, 0);
        take(&r, values_ns, 3);
        corrected_settle(&r);
        assert_int_equal(r.tally.added, 2 * n);
        assert_true(r.tally.sum_ns == (u128)2 * n * (n + 1));
        assert_int_equal(r.tally.min_ns, 2);
        assert_int_equal(store_kind(of)->select(r.store, 2 * n).high_ns,
                         store_kind(of)->cell(of.params, value - 2).high_ns);
        recorder_close(&r);
    }
}

/* Past SAMPLES_MOST a value's samples are left out, and that is told. */
static void too_many_samples_are_left_out_and_told(void **state)
{
    (void)state;
    struct recorder_plan plan = {.store = {&store_exact.is, NULL}};
    struct recorder r;
    ns_t values_ns[] = {SAMPLES_MOST - 5, 100, 6, 1};
    recorder_open(&r, &plan, (struct correction_rule){1, 1, 1}, true, NULL, 0);
    take(&r, values_ns, 4);
    assert_true(r.tally.overflow);
    assert_int_equal(r.tally.added, SAMPLES_MOST - 6 + 5);
    recorder_close(&r);
}

/* Of v - 1, v - 2, ..., 1 there are v - 1 - t above t, whatever fits a double. */
static void samples_above_are_counted_at_any_size(void **state)
{
    (void)state;
    ns_t values_ns[] = {NS_PER_S, (UINT64_C(1) << 53) + 7, UINT64_C(3) << 56};
    ns_t two_52 = UINT64_C(1) << 52;
    ns_t thresholds_ns[] = {0, 5, two_52 - 1, 2 * two_52 - 2, 32 * two_52, NS_LIMIT, UINT64_MAX};
    struct recorder_plan plan = {.store = {&store_exact.is, NULL}};
    struct recorder r;
    recorder_open(&r, &plan, (struct correction_rule){1, 1, 1}, false, thresholds_ns, 7);
    take(&r, values_ns, 3);
    for (size_t k = 0; k < 7; k++) {
        uint64_t above = 0;
        for (size_t i = 0; i < 3; i++)
            above += values_ns[i] - 1 > thresholds_ns[k] ? values_ns[i] - 1 - thresholds_ns[k] : 0;
        assert_int_equal(r.counter.above[k], above);
    }
    recorder_close(&r);
}

static void nothing_is_added_once_stopped(void **state)
{
    (void)state;
    struct recorder_plan plan = {.store = {&store_exact.is, NULL}};
    struct recorder r;
    volatile sig_atomic_t stop = 1;
    recorder_open(&r, &plan, (struct correction_rule){1, 1, 1}, true, NULL, 0);
    r.stop = &stop;
    take(&r, &(ns_t){1000}, 1);
    assert_int_equal(r.tally.added, 0);
    stop = 0;
    take(&r, &(ns_t){1000}, 1);
    assert_int_equal(r.tally.added, 999);
    recorder_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_counted_as_sample_by_sample),
        cmocka_unit_test(many_runs_are_counted_as_sample_by_sample),
        cmocka_unit_test(the_longest_runs_are_summed_exactly),
        cmocka_unit_test(too_many_samples_are_left_out_and_told),
        cmocka_unit_test(samples_above_are_counted_at_any_size),
        cmocka_unit_test(nothing_is_added_once_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
