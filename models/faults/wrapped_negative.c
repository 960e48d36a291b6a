/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "models/faults/pipeline.h"

static const uint64_t units_ns[] = {1, NS_PER_US, 1 | BEFORE_CORRECTION,
                                    NS_PER_US | BEFORE_CORRECTION};

static int by_size(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static struct said in_units(int64_t units, ns_t unit_ns)
{
    return (struct said){true, (i128)units * (i128)unit_ns * 1000};
}

static int64_t wrapped(ns_t ns, ns_t unit_ns)
{
    uint64_t low = ns / unit_ns & UINT32_MAX;
    return (int64_t)low - (low > INT32_MAX ? (INT64_C(1) << 32) : 0);
}

struct values {
    int64_t *units;
    size_t count, capacity;
};

static void put(struct values *v, int64_t value)
{
    if (v->count == v->capacity) {
        v->capacity = v->capacity == 0 ? 1024 : v->capacity * 2;
        v->units = must_grow(v->units, v->capacity, sizeof *v->units);
    }
    v->units[v->count++] = value;
}

/* All samples wrapped; or those that came, each with what the correction adds to what it is now. */
static void collect(const struct step *step, const struct population *sorted, ns_t unit_ns,
                    struct values *out)
{
    bool before = step->parameter & BEFORE_CORRECTION;
    struct correction_rule rule = asked_rule(step->asked);
    for (size_t i = 0; i < sorted->count; i++) {
        struct sample sample = sorted->items[i];
        if (before && sample.added)
            continue;
        int64_t value = wrapped(sample.ns, unit_ns);
        put(out, value);
        if (!before || value <= 0)
            continue;
        struct population one = {.items = &sample, .count = 1}, all = {0};
        sample.ns = (ns_t)value * unit_ns;
        samples_correct(&all, &one, rule);
        for (size_t k = 1; k < all.count; k++)
            put(out, (int64_t)(all.items[k].ns / unit_ns));
        samples_free(&all);
    }
}

static void reports(const struct step *step, const struct population *sorted, struct report *report)
{
    ns_t unit_ns = step->parameter & ~BEFORE_CORRECTION;
    struct values all = {0};
    collect(step, sorted, unit_ns, &all);
    size_t n = all.count;
    int64_t *units = all.units;
    if (n == 0)
        return;
    i128 sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += units[i];
    qsort(units, n, sizeof *units, by_size);
    report->count = n;
    report->min = in_units(units[0], unit_ns);
    report->max = in_units(units[n - 1], unit_ns);
    report->sum.milli = sum * (i128)unit_ns * 1000;
    report->mean.milli = report->sum.milli / (i128)n;
    for (size_t k = 0; k < report->percentile_count; k++) {
        struct rank_at at = rank_rule(step->asked->rank)->at(step->asked->percentiles[k].p, n);
        report->percentiles[k] = in_units(units[at.rank - 1], unit_ns);
    }
    free(units);
}

static char *tells(uint64_t parameter)
{
    return tell_duration("units of", parameter);
}

const struct fault_type fault_wrapped_negative = {
    .is = {"wrapped-negative",
           "keeps times in 32 bits with a sign, so that long ones turn negative", NULL, 0, 0, NULL},
    .item = "FR-39, FR-23",
    .does = {.reports = reports},
    .parameters = units_ns,
    .parameter_count = FIELD_COUNT_OF(units_ns),
    .tells = tells,
};
