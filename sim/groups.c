/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/groups.h"

#include <stdlib.h>

void groups_open(struct groups *groups, const struct recorder_plan *plan)
{
    *groups = (struct groups){.plan = plan};
}

void groups_close(struct groups *groups)
{
    counts_free(&groups->counts);
    free(groups->tallies);
    *groups = (struct groups){0};
}

size_t groups_most(enum per per)
{
    switch (per) {
    case PER_RUN: return 1;
    case PER_WINDOW: return GROUP_WINDOWS_MOST;
    case PER_CLIENT: return GROUP_CLIENTS_MOST;
    case PER_REPLICA: return REPLICAS_MOST;
    }
    BUG("a per outside its enum");
}

/* Windows begin where recording could: at the start of the run, its settling apart. */
static uint64_t number_of(const struct recorder_plan *plan, const struct batch *batch, size_t row)
{
    switch (plan->per) {
    case PER_RUN: return 0;
    case PER_WINDOW: return (batch->due[row] - batch->record_from_ns) / plan->window_ns;
    case PER_CLIENT: return batch->client[row];
    case PER_REPLICA: return batch->replica[row];
    }
    BUG("a per outside its enum");
}

size_t groups_of(struct groups *groups, const struct batch *batch, size_t row)
{
    uint64_t number = number_of(groups->plan, batch, row);
    if (number < groups_most(groups->plan->per))
        return (size_t)number;
    groups->too_many = true;
    return SIZE_MAX;
}

static struct group_tally *tally_of(struct groups *g, size_t group)
{
    if (group >= g->tally_capacity) {
        g->tally_capacity = group < 8 ? 16 : 2 * group;
        g->tallies = must_grow(g->tallies, g->tally_capacity, sizeof *g->tallies);
    }
    for (; g->tally_count <= group; g->tally_count++)
        g->tallies[g->tally_count] =
            (struct group_tally){.censored_min_ns = UINT64_MAX, .min_ns = UINT64_MAX};
    return &g->tallies[group];
}

/* The least value of a cell falls into it, as one just above the range falls beyond it. */
static ns_t counted_ns(struct stored cell)
{
    return cell.beyond ? cell.low_ns + 1 : cell.low_ns;
}

static struct stored cell_of(const struct groups *g, ns_t value_ns)
{
    return store_kind(g->plan->store)->cell(g->plan->store.params, value_ns);
}

struct stored groups_cell(const struct groups *groups, ns_t counted)
{
    return cell_of(groups, counted);
}

/* What is too large will not be shown: its memory is better given back. */
static void give_up(struct groups *g)
{
    g->too_large = true;
    counts_free(&g->counts);
}

static bool has_room(struct groups *g)
{
    if (!g->too_large && counts_size(&g->counts) >= GROUP_CELLS_MOST)
        give_up(g);
    return !g->too_large;
}

static void count(struct groups *g, size_t group, ns_t counted, uint64_t times)
{
    if (has_room(g))
        counts_add(&g->counts, (uint32_t)group, counted, times);
}

static void note(struct group_tally *t, ns_t least_ns, ns_t most_ns, uint64_t count)
{
    t->samples += count;
    t->min_ns = least_ns < t->min_ns ? least_ns : t->min_ns;
    t->max_ns = most_ns > t->max_ns ? most_ns : t->max_ns;
}

void groups_add(struct groups *g, size_t group, ns_t value_ns, bool certain)
{
    struct group_tally *t = tally_of(g, group);
    note(t, value_ns, value_ns, 1);
    if (!certain && value_ns < t->censored_min_ns)
        t->censored_min_ns = value_ns;
    count(g, group, counted_ns(cell_of(g, value_ns)), 1);
}

void groups_add_infinite(struct groups *g, size_t group)
{
    tally_of(g, group)->infinite++;
}

/* Where every ns has a cell of its own, and so below it. */
static bool is_fine(struct stored cell)
{
    return !cell.beyond && cell.low_ns == cell.high_ns;
}

/* A long run stays one among cells as fine as its values.  Else cell by cell: as many as lie in the
   cell of its first. */
void groups_add_run(struct groups *g, size_t group, ns_t first_ns, ns_t step_ns, uint64_t times)
{
    if (times == 0)
        return;
    note(tally_of(g, group), first_ns - (times - 1) * step_ns, first_ns, times);
    while (times > 0 && !g->too_large) {
        struct stored cell = cell_of(g, first_ns);
        if (times >= COUNT_RUN_LEAST && is_fine(cell)) {
            if (has_room(g))
                counts_add_run(&g->counts,
                               (struct count_run){first_ns, step_ns, times, 1, (uint32_t)group});
            return;
        }
        ns_t lowest_ns = counted_ns(cell);
        uint64_t inside = (first_ns - lowest_ns) / step_ns + 1;
        inside = inside < times ? inside : times;
        count(g, group, lowest_ns, inside);
        times -= inside;
        first_ns -= times > 0 ? inside * step_ns : 0;
    }
}

void groups_merge(struct groups *into, const struct groups *from)
{
    into->too_many |= from->too_many;
    if (from->too_large || into->too_large ||
        !counts_merge(&into->counts, &from->counts, GROUP_CELLS_MOST))
        give_up(into);
    for (size_t i = 0; i < from->tally_count; i++) {
        const struct group_tally *other = &from->tallies[i];
        struct group_tally *t = tally_of(into, i);
        note(t, other->min_ns, other->max_ns, other->samples);
        t->infinite += other->infinite;
        if (other->censored_min_ns < t->censored_min_ns)
            t->censored_min_ns = other->censored_min_ns;
    }
}

const char *groups_fault(const struct groups *groups)
{
    if (groups->too_large)
        return "its groups would hold more than 2^26 different values: a store such as "
               "{\"hdr\": 3} needs few, or a shorter run";
    if (!groups->too_many)
        return NULL;
    switch (groups->plan->per) {
    case PER_WINDOW: return "the run has more than 4096 such windows: wider ones, or a shorter run";
    case PER_CLIENT: return "the run has more than 100000 clients, too many for a histogram each";
    case PER_RUN:
    case PER_REPLICA: break;
    }
    BUG("more groups than there can be");
}

/* "0ns to 1s" is what nobody says. */
static char *label_of_first(ns_t window_ns)
{
    char end[32];
    duration_format(window_ns, end);
    return must_format("0 to %s", end);
}

char *groups_label(const struct recorder_plan *plan, size_t group)
{
    char begin[32], end[32];
    switch (plan->per) {
    case PER_RUN: return must_copy("run");
    case PER_WINDOW:
        if (group == 0)
            return label_of_first(plan->window_ns);
        duration_format(group * plan->window_ns, begin);
        duration_format((group + 1) * plan->window_ns, end);
        return must_format("%s to %s", begin, end);
    case PER_CLIENT: return must_format("client %zu", group);
    case PER_REPLICA: return must_format("replica %zu", group);
    }
    BUG("a per outside its enum");
}
