/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/groups.h"

#include <stdlib.h>

#include "sim/ladder.h"

/* Runs that are kept as they are, of all groups: some MB.  To rank values among them costs some us
   a run. */
#define RUNS_MOST ((size_t)1 << 16)

/* A group with fewer different runs keeps them: a ladder costs as much. */
#define RUNS_CLIMB 64

void groups_open(struct groups *groups, const struct recorder_plan *plan,
                 struct correction_rule rule)
{
    bool has_cells = store_kind(plan->store)->add_times != NULL;
    bool climbs = has_cells && rule.interval < LADDER_INTERVAL_MOST;
    *groups =
        (struct groups){.plan = plan, .rule = rule, .settle_at = climbs ? RUNS_MOST : SIZE_MAX};
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

/* What a ladder passes on goes to one group. */
struct climber {
    struct groups *groups;
    size_t group;
};

static void put(void *self, ns_t value_ns, uint64_t times)
{
    struct climber *c = self;
    count(c->groups, c->group, counted_ns(cell_of(c->groups, value_ns)), times);
}

/* Whether the ladder reaches all of a group's runs, and cells are wider than its values. */
static bool reaches(struct groups *g, struct ladder *ladder, const struct count_run *runs,
                    size_t length)
{
    ns_t most_ns = 0;
    for (size_t i = 0; i < length; i++)
        most_ns = runs[i].first_ns > most_ns ? runs[i].first_ns : most_ns;
    most_ns += g->rule.interval * g->rule.unit_ns;
    return length >= RUNS_CLIMB && most_ns <= LADDER_VALUE_MOST && !is_fine(cell_of(g, most_ns)) &&
           ladder_reaches(ladder, most_ns, SIZE_MAX);
}

/* One group's runs.  Equal ones are kept: they need no room. */
static void climb(struct groups *g, struct ladder *ladder, const struct count_run *runs,
                  size_t length)
{
    struct climber climber = {g, runs[0].group};
    bool reached = reaches(g, ladder, runs, length);
    for (size_t i = 0; i < length && !g->too_large; i++) {
        uint64_t above = runs[i].first_ns / g->rule.unit_ns - g->rule.lowest;
        uint64_t rest = above - (runs[i].values - 1) * g->rule.interval;
        if (!reached || runs[i].times > RUNS_CLIMB)
            counts_add_run(&g->counts, runs[i]);
        for (uint64_t k = 0; reached && runs[i].times <= RUNS_CLIMB && k < runs[i].times; k++)
            ladder_add(ladder, &runs[i].values, &rest, 1);
    }
    if (reached)
        ladder_empty(ladder, put, &climber);
}

/* Where there are too many runs, their samples are counted into cells. */
static void settle(struct groups *g)
{
    counts_join(&g->counts);
    struct ladder *ladder =
        ladder_open(store_kind(g->plan->store)->cell, g->plan->store.params, g->rule);
    struct count_run *runs = g->counts.runs;
    size_t count = g->counts.run_count;
    g->counts.runs = NULL;
    g->counts.run_count = g->counts.run_capacity = 0;
    for (size_t i = 0, n; i < count && !g->too_large; i += n) {
        for (n = 1; i + n < count && runs[i + n].group == runs[i].group;)
            n++;
        climb(g, ladder, runs + i, n);
    }
    free(runs);
    ladder_close(ladder);
    size_t twice = 2 * g->counts.run_count;
    g->settle_at = twice > RUNS_MOST ? twice : RUNS_MOST;
}

/* A long run stays one, as long as there are not too many.  A short one is counted cell by cell: as
   many as lie in the cell of its first. */
void groups_add_run(struct groups *g, size_t group, ns_t value_ns)
{
    uint64_t times = correction_adds(g->rule, value_ns), unit_ns = g->rule.unit_ns;
    ns_t step_ns = g->rule.interval * unit_ns;
    ns_t first_ns = (value_ns / unit_ns - g->rule.interval) * unit_ns;
    if (times == 0)
        return;
    note(tally_of(g, group), first_ns - (times - 1) * step_ns, first_ns, times);
    if (times >= COUNT_RUN_LEAST && has_room(g)) {
        counts_add_run(&g->counts,
                       (struct count_run){first_ns, step_ns, times, 1, (uint32_t)group});
        if (g->counts.run_count >= g->settle_at)
            settle(g);
        return;
    }
    while (times > 0 && !g->too_large) {
        ns_t lowest_ns = counted_ns(cell_of(g, first_ns));
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
