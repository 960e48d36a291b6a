/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Windows, clients and replicas by themselves; their exact merge, held against the recorder's own
   store; and the average of their percentiles, which is no percentile. */

#include <stdlib.h>

#include "models/ranks/rank.h"
#include "sim/work.h"

static struct figure exact_figure(struct quantity q)
{
    return (struct figure){.kind = FIGURE_EXACT, .exact = q};
}

/* Values below the least that is only known from below are certain, and so is their rank. */
static bool is_known(const struct group_tally *tally, struct stored cell)
{
    return !cell.beyond && cell.high_ns < tally->censored_min_ns;
}

static struct group_cell cell_of(const struct groups *groups, const struct group_tally *tally,
                                 struct counted own, struct ratio p)
{
    struct group_cell out = {0};
    struct rank_at at = rank_rule(groups->plan->rank)->at(p, tally->samples + tally->infinite);
    uint64_t upper_rank = at.num != 0 ? at.rank + 1 : at.rank;
    out.infinite = upper_rank > tally->samples;
    if (out.infinite)
        return out;
    struct stored lower = groups_cell(groups, counts_select(own, at.rank));
    struct stored upper = groups_cell(groups, counts_select(own, upper_rank));
    if (!is_known(tally, lower) || !is_known(tally, upper)) {
        out.at_least = exact_figure(rank_interpolate(at, lower.low_ns, upper.low_ns));
        return out;
    }
    out.value =
        exact_figure(rank_interpolate(at, work_printed_ns(groups->plan, lower, tally->max_ns),
                                      work_printed_ns(groups->plan, upper, tally->max_ns)));
    return out;
}

static char *text_of(const struct recorder_plan *plan)
{
    bool average = plan->merge == MERGE_AVERAGE;
    char window[32];
    switch (plan->per) {
    case PER_RUN: return NULL;
    case PER_WINDOW:
        duration_format(plan->window_ns, window);
        return must_format(average ? "average over windows of %s" : "per window of %s", window);
    case PER_CLIENT: return must_copy(average ? "average over clients" : "per client");
    case PER_REPLICA: return must_copy(average ? "average over replicas" : "per replica");
    }
    BUG("a per outside its enum");
}

static void fill_group(const struct work *work, const struct groups *groups, size_t group,
                       struct counted own, struct group_result *out)
{
    const struct group_tally *tally = &groups->tallies[group];
    const struct report_plan *report = &work->plan->report;
    *out = (struct group_result){.label = groups_label(groups->plan, group),
                                 .index = group,
                                 .count = tally->samples + tally->infinite,
                                 .cells = must_alloc(report->percentile_count, sizeof *out->cells)};
    for (size_t i = 0; i < report->percentile_count; i++)
        out->cells[i] = cell_of(groups, tally, own, report->percentiles[i].p);
}

void work_fill_groups(struct work *work, size_t recorder)
{
    struct groups *groups = work->first.recorders[recorder].found.groups;
    struct recorder_result *out = &work->result->recorders[recorder];
    out->group_text = text_of(&work->plan->recorders[recorder]);
    if (groups == NULL)
        return;
    size_t length, at = 0, run_at = 0;
    counts_join(&groups->counts);
    const struct count_run *runs = groups->counts.runs;
    struct count_entry *sorted = counts_sorted(&groups->counts, true, &length);
    out->groups = must_alloc(groups->tally_count, sizeof *out->groups);
    for (size_t group = 0; group < groups->tally_count; group++) {
        size_t end = at, run_end = run_at;
        while (end < length && sorted[end].group == group)
            end++;
        while (run_end < groups->counts.run_count && runs[run_end].group == group)
            run_end++;
        struct counted own = {sorted + at, end - at, runs + run_at, run_end - run_at};
        const struct group_tally *tally = &groups->tallies[group];
        if (tally->samples + tally->infinite > 0)
            fill_group(work, groups, group, own, &out->groups[out->group_count++]);
        at = end;
        run_at = run_end;
    }
    free(sorted);
}

bool work_averages(const struct work *work, size_t recorder)
{
    const struct recorder_plan *plan = &work->plan->recorders[recorder];
    return plan->per != PER_RUN && plan->merge == MERGE_AVERAGE;
}

/* ", p99 195.1ms"; owned by the caller. */
static char *value_words(const char *percentile, const struct cell *cell)
{
    char text[32];
    bool known = cell->value.kind == FIGURE_EXACT;
    struct quantity q = known ? cell->value.exact : cell->at_least.exact;
    if (cell->infinite)
        return must_format(", p%s infinite", percentile);
    if (!known && cell->at_least.kind != FIGURE_EXACT)
        return must_format(", p%s unknown", percentile);
    duration_format(q.ns, text);
    const char *bound = known ? "" : "at least ";
    if (q.thousandths == 0)
        return must_format(", p%s %s%s", percentile, bound, text);
    return must_format(", p%s %s%llu.%03uns", percentile, bound, (unsigned long long)q.ns,
                       (unsigned)q.thousandths);
}

void work_warn_of_average(struct work *work, size_t recorder)
{
    struct recorder_result *out = &work->result->recorders[recorder];
    const struct report_plan *report = &work->plan->report;
    char *text = must_format("these are averages of the percentiles of %zu groups, which are no "
                             "percentiles; those of all samples together:",
                             out->group_count);
    for (size_t i = 0; i < report->percentile_count; i++) {
        char *value = value_words(report->percentiles[i].text, &out->cells[i]);
        char *longer = must_format("%s%s", text, i == 0 ? value + 1 : value);
        free(value);
        free(text);
        text = longer;
    }
    out->warnings = must_grow(out->warnings, out->warning_count + 1, sizeof *out->warnings);
    out->warnings[out->warning_count++] = text;
}

/* Half to even, to thousandths of a ns. */
static struct figure mean_of(u128 milli, uint64_t count)
{
    u128 mean = milli / count, rest = milli % count * 2;
    mean += rest > count || (rest == count && (mean & 1));
    return exact_figure(
        (struct quantity){.ns = (ns_t)(mean / 1000), .thousandths = (unsigned)(mean % 1000)});
}

void work_fill_average(struct work *work, size_t recorder, size_t i, struct cell *cell)
{
    const struct recorder_result *r = &work->result->recorders[recorder];
    u128 milli = 0;
    bool certain = true;
    for (size_t g = 0; g < r->group_count; g++) {
        const struct group_cell *own = &r->groups[g].cells[i];
        cell->infinite |= own->infinite;
        bool known = own->value.kind == FIGURE_EXACT;
        certain &= known;
        struct quantity q = known ? own->value.exact : own->at_least.exact;
        milli += (u128)q.ns * 1000 + q.thousandths;
    }
    if (r->group_count == 0 || cell->infinite)
        return;
    struct figure mean = mean_of(milli, r->group_count);
    cell->value = certain ? mean : (struct figure){.kind = FIGURE_UNKNOWN};
    cell->at_least = certain ? (struct figure){.kind = FIGURE_UNKNOWN} : mean;
}

static bool same_cell(struct stored a, struct stored b)
{
    return a.low_ns == b.low_ns && a.high_ns == b.high_ns && a.beyond == b.beyond;
}

/* The groups' counts together against one order statistic of the recorder's own store. */
static bool merges_to(const struct groups *groups, struct counted all, const struct order *own)
{
    struct stored merged = groups_cell(groups, counts_select(all, own->rank));
    return same_cell(merged, own->stored);
}

char *work_merge_fault(const struct work *work, size_t recorder)
{
    const struct recorder *found = &work->first.recorders[recorder].found;
    const struct groups *groups = found->groups;
    struct group_tally all = {.min_ns = UINT64_MAX};
    for (size_t g = 0; g < groups->tally_count; g++) {
        const struct group_tally *t = &groups->tallies[g];
        all.samples += t->samples;
        all.infinite += t->infinite;
        all.min_ns = t->min_ns < all.min_ns ? t->min_ns : all.min_ns;
        all.max_ns = t->max_ns > all.max_ns ? t->max_ns : all.max_ns;
    }
    if (all.samples != found->tally.requests + found->tally.added ||
        all.infinite != found->tally.infinite)
        return must_copy("the groups together have another number of samples than the whole");
    if (all.min_ns != found->tally.min_ns || all.max_ns != found->tally.max_ns)
        return must_copy("the groups together have another minimum or maximum than the whole");
    size_t length;
    struct count_entry *sorted = counts_sorted(&groups->counts, false, &length);
    struct counted together = {sorted, length, groups->counts.runs, groups->counts.run_count};
    char *why = NULL;
    for (size_t i = 0; i < work->plan->report.percentile_count && why == NULL; i++) {
        const struct percentile_work *w = &work->recorders[recorder].percentiles[i];
        if (!w->present || w->infinite)
            continue;
        if (!merges_to(groups, together, &w->lower) || !merges_to(groups, together, &w->upper))
            why = must_format("p%s of the merged groups is not that of the whole",
                              work->plan->report.percentiles[i].text);
    }
    free(sorted);
    return why;
}
