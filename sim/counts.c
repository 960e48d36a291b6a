/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/counts.h"

#include <stdlib.h>

#define CAPACITY_LEAST 256 /* a power of two, as all capacities */

void counts_free(struct counts *counts)
{
    free(counts->entries);
    free(counts->runs);
    *counts = (struct counts){0};
}

static size_t place_of(uint32_t group, ns_t value_ns)
{
    uint64_t x = (value_ns ^ ((uint64_t)group << 32 | group)) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (size_t)(x ^ (x >> 32));
}

/* Where the pair stands, or the free place where it would. */
static struct count_entry *find(const struct counts *c, uint32_t group, ns_t value_ns)
{
    size_t at = place_of(group, value_ns) & (c->capacity - 1);
    while (c->entries[at].count != 0 &&
           (c->entries[at].group != group || c->entries[at].value_ns != value_ns))
        at = (at + 1) & (c->capacity - 1);
    return &c->entries[at];
}

static void grow(struct counts *c)
{
    struct counts larger = {.capacity = c->capacity ? 2 * c->capacity : CAPACITY_LEAST};
    larger.entries = must_alloc(larger.capacity, sizeof *larger.entries);
    for (size_t i = 0; i < c->capacity; i++)
        if (c->entries[i].count != 0)
            *find(&larger, c->entries[i].group, c->entries[i].value_ns) = c->entries[i];
    free(c->entries);
    c->entries = larger.entries;
    c->capacity = larger.capacity;
}

void counts_add(struct counts *c, uint32_t group, ns_t value_ns, uint64_t count)
{
    if (count == 0)
        return;
    if (4 * (c->used + 1) > 3 * c->capacity)
        grow(c);
    struct count_entry *entry = find(c, group, value_ns);
    c->used += entry->count == 0;
    *entry = (struct count_entry){value_ns, entry->count + count, group};
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_runs(const void *a, const void *b)
{
    const struct count_run *x = a, *y = b;
    int by_group = compare(x->group, y->group), by_first = compare(x->first_ns, y->first_ns);
    int by_step = compare(x->step_ns, y->step_ns), by_values = compare(x->values, y->values);
    return by_group != 0 ? by_group : by_first != 0 ? by_first : by_step != 0 ? by_step : by_values;
}

void counts_join(struct counts *c)
{
    size_t joined = 0;
    if (c->run_count > 0)
        qsort(c->runs, c->run_count, sizeof *c->runs, compare_runs);
    for (size_t i = 0; i < c->run_count; i++) {
        if (joined > 0 && compare_runs(&c->runs[joined - 1], &c->runs[i]) == 0)
            c->runs[joined - 1].times += c->runs[i].times;
        else
            c->runs[joined++] = c->runs[i];
    }
    c->run_count = joined;
}

/* The room grows only where what is in it differs: where joining leaves half of it, joining is
   cheap. */
void counts_add_run(struct counts *c, struct count_run run)
{
    struct count_run *last = c->run_count > 0 ? &c->runs[c->run_count - 1] : NULL;
    if (last != NULL && compare_runs(last, &run) == 0) {
        last->times += run.times;
        return;
    }
    if (c->run_count == c->run_capacity) {
        counts_join(c);
        if (2 * c->run_count >= c->run_capacity) {
            c->run_capacity = c->run_capacity ? 2 * c->run_capacity : CAPACITY_LEAST;
            c->runs = must_grow(c->runs, c->run_capacity, sizeof *c->runs);
        }
    }
    c->runs[c->run_count++] = run;
}

size_t counts_size(const struct counts *c)
{
    return c->used + c->run_count;
}

bool counts_merge(struct counts *into, const struct counts *from, size_t most)
{
    for (size_t i = 0; i < from->capacity && counts_size(into) <= most; i++)
        counts_add(into, from->entries[i].group, from->entries[i].value_ns, from->entries[i].count);
    for (size_t i = 0; i < from->run_count && counts_size(into) <= most; i++)
        counts_add_run(into, from->runs[i]);
    return counts_size(into) <= most;
}

static int compare_values(const void *a, const void *b)
{
    const struct count_entry *x = a, *y = b;
    return compare(x->value_ns, y->value_ns);
}

static int compare_groups(const void *a, const void *b)
{
    const struct count_entry *x = a, *y = b;
    return x->group != y->group ? compare(x->group, y->group) : compare_values(a, b);
}

struct count_entry *counts_sorted(const struct counts *c, bool by_group, size_t *length)
{
    struct count_entry *sorted = must_alloc(c->used, sizeof *sorted);
    size_t count = 0;
    for (size_t i = 0; i < c->capacity; i++)
        if (c->entries[i].count != 0)
            sorted[count++] = c->entries[i];
    if (count > 0)
        qsort(sorted, count, sizeof *sorted, by_group ? compare_groups : compare_values);
    *length = count;
    return sorted;
}

static uint64_t run_at_most(const struct count_run *run, ns_t x_ns)
{
    uint64_t over = 0; /* values of the run above x */
    if (run->first_ns > x_ns)
        over = (run->first_ns - x_ns + run->step_ns - 1) / run->step_ns;
    return (run->values - (over < run->values ? over : run->values)) * run->times;
}

/* With runs it is the least value with `rank` at or below it.  Entries that lie below all that is
   still asked for are counted once. */
static ns_t select_among_runs(struct counted s, uint64_t rank)
{
    ns_t low_ns = 0, high_ns = s.length > 0 ? s.entries[s.length - 1].value_ns : 0;
    for (size_t i = 0; i < s.run_count; i++)
        high_ns = s.runs[i].first_ns > high_ns ? s.runs[i].first_ns : high_ns;
    size_t begin = 0;
    uint64_t before = 0; /* in the entries up to `begin` */
    while (low_ns < high_ns) {
        ns_t middle_ns = low_ns + (high_ns - low_ns) / 2;
        size_t i = begin;
        uint64_t within = before, of_runs = 0;
        for (; i < s.length && s.entries[i].value_ns <= middle_ns; i++)
            within += s.entries[i].count;
        for (size_t k = 0; k < s.run_count; k++)
            of_runs += run_at_most(&s.runs[k], middle_ns);
        if (within + of_runs >= rank) {
            high_ns = middle_ns;
            continue;
        }
        low_ns = middle_ns + 1;
        begin = i;
        before = within;
    }
    return low_ns;
}

ns_t counts_select(struct counted s, uint64_t rank)
{
    if (s.run_count > 0)
        return select_among_runs(s, rank);
    uint64_t up_to = 0;
    for (size_t i = 0; i < s.length; i++) {
        up_to += s.entries[i].count;
        if (up_to >= rank)
            return s.entries[i].value_ns;
    }
    BUG("a rank beyond the samples");
}
