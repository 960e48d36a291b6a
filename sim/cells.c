/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "models/ranks/rank.h"
#include "sim/work.h"

#define REPLICATIONS_LEAST 32
#define AVERAGE_WHY "an average of percentiles is no percentile"

static struct ratio p_of(const struct work *work, size_t i)
{
    return work->plan->report.percentiles[i].p;
}

/* What the store prints for an order statistic: its cell's highest value, cut to the maximum. */
ns_t work_printed_ns(const struct recorder_plan *plan, struct stored stored, ns_t max_ns)
{
    bool cut = store_kind(plan->store)->clamps(plan->store.params) && stored.high_ns > max_ns;
    return cut ? max_ns : stored.high_ns;
}

static struct figure exact_figure(struct quantity q)
{
    return (struct figure){.kind = FIGURE_EXACT, .exact = q};
}

static struct figure real_figure(double ns)
{
    return (struct figure){.kind = isfinite(ns) ? FIGURE_REAL : FIGURE_UNKNOWN, .real = ns};
}

static double figure_double(struct figure f)
{
    switch (f.kind) {
    case FIGURE_UNKNOWN: return NAN;
    case FIGURE_EXACT: return (double)f.exact.ns + f.exact.thousandths * 1e-3;
    case FIGURE_REAL: return f.real;
    }
    BUG("a figure kind outside its enum");
}

/* Finds the order statistic and lists what its recount has to count. */
static struct order find_order(struct work *work, size_t recorder, uint64_t rank)
{
    const struct recorder_plan *plan = &work->plan->recorders[recorder];
    struct recorder_work *r = &work->recorders[recorder];
    void *store = work->first.recorders[recorder].found.store;
    struct order order = {rank, store_kind(plan->store)->select(store, rank), r->recount_count};
    r->recount_ns[r->recount_count++] = order.stored.low_ns > 0 ? order.stored.low_ns - 1 : 0;
    r->recount_ns[r->recount_count++] = order.stored.high_ns;
    return order;
}

void work_find_percentiles(struct work *work, size_t recorder)
{
    const struct recorder_plan *plan = &work->plan->recorders[recorder];
    struct recorder *found = &work->first.recorders[recorder].found;
    struct recorder_work *r = &work->recorders[recorder];
    uint64_t finite = found->tally.requests + found->tally.added;
    uint64_t n = finite + found->tally.infinite;
    size_t count = work->plan->report.percentile_count;
    r->recount_ns = must_alloc(4 * count, sizeof *r->recount_ns);
    for (size_t i = 0; i < count && n > 0; i++) {
        struct percentile_work *w = &r->percentiles[i];
        struct rank_at at = rank_rule(plan->rank)->at(p_of(work, i), n);
        uint64_t upper = at.num != 0 ? at.rank + 1 : at.rank;
        w->present = true;
        w->rank = at.rank;
        w->num = at.num;
        w->den = at.den;
        w->infinite = upper > finite;
        if (w->infinite)
            continue;
        w->lower = find_order(work, recorder, at.rank);
        w->upper = at.num != 0 ? find_order(work, recorder, upper) : w->lower;
    }
    struct rank_at tail = rank_nearest.at((struct ratio){99, 100}, n > 0 ? n : 1);
    r->has_tail = n > 0 && tail.rank <= finite;
    if (r->has_tail)
        r->tail_ns = work_printed_ns(plan, store_kind(plan->store)->select(found->store, tail.rank),
                                     found->tally.max_ns);
}

static struct evidence evidence_of(const struct work *work, const struct pass *pass,
                                   size_t recorder, size_t i, uint64_t *at_most)
{
    const struct pass_recorder *p = &pass->recorders[recorder];
    size_t replications = pass->loads[work->plan->recorders[recorder].load].replications;
    size_t column = work->plan->report.above_count + i;
    for (size_t k = 0; k < replications; k++)
        at_most[k] = p->samples[k] - p->above[k * p->threshold_count + column];
    return (struct evidence){.law = &work->recorders[recorder].law,
                             .p = p_of(work, i),
                             .threshold_ns =
                                 work->recorders[recorder].percentiles[i].law_threshold_ns,
                             .at_most = at_most,
                             .samples = p->samples,
                             .requests = p->requests,
                             .replications = replications};
}

static bool is_judged(const struct work *work, size_t recorder, size_t i)
{
    struct ratio p = p_of(work, i);
    size_t load = work->plan->recorders[recorder].load;
    return work->recorders[recorder].statistical && p.num < p.den &&
           !work_averages(work, recorder) && work->recorders[recorder].percentiles[i].present &&
           work->replications[load] >= REPLICATIONS_LEAST;
}

static size_t count_judged(const struct work *work)
{
    size_t m = 0;
    for (size_t r = 0; r < work->plan->recorder_count; r++)
        for (size_t i = 0; i < work->plan->report.percentile_count; i++)
            m += is_judged(work, r, i);
    return m;
}

/* The second run decides: a cell fails only if it is rejected again, to the same side. */
static void judge_again(struct percentile_work *w, const struct evidence *e, double level)
{
    struct judgement again;
    if (!w->judgement.rejects)
        return;
    check_statistical(e, level, &again);
    w->judgement.rejects =
        again.check == CHECK_STATISTICAL && again.rejects && again.sign == w->judgement.sign;
}

void work_judge(struct work *work, struct pass *pass, bool again)
{
    size_t m = count_judged(work);
    for (size_t r = 0; r < work->plan->recorder_count; r++) {
        for (size_t i = 0; i < work->plan->report.percentile_count; i++) {
            struct percentile_work *w = &work->recorders[r].percentiles[i];
            if (!is_judged(work, r, i) || !pass->recorders[r].active)
                continue;
            size_t load = work->plan->recorders[r].load;
            uint64_t *at_most = must_alloc(work->replications[load], sizeof *at_most);
            struct evidence e = evidence_of(work, pass, r, i, at_most);
            if (again)
                judge_again(w, &e, 1e-3 / (double)m);
            else
                check_statistical(&e, 1e-3 / (double)m, &w->judgement);
            w->judged = true;
            free(at_most);
        }
    }
}

static bool is_beyond(struct stored lower, struct stored upper)
{
    return lower.beyond || upper.beyond;
}

/* What a percentile comes to from its order statistics' cells: their printed values; or, where they
   are only known from below, their lowest. */
static struct figure printed(const struct recorder_plan *plan, struct rank_at at,
                             struct stored lower, struct stored upper, ns_t max_ns, bool certain)
{
    if (!certain)
        return exact_figure(rank_interpolate(at, lower.low_ns, upper.low_ns));
    return exact_figure(rank_interpolate(at, work_printed_ns(plan, lower, max_ns),
                                         work_printed_ns(plan, upper, max_ns)));
}

static void fill_value(const struct work *work, size_t recorder, size_t i, struct cell *cell)
{
    const struct recorder_plan *plan = &work->plan->recorders[recorder];
    const struct percentile_work *w = &work->recorders[recorder].percentiles[i];
    const struct tally *tally = &work->first.recorders[recorder].found.tally;
    const struct recorder *again = &work->second.recorders[recorder].found;
    cell->infinite = w->infinite;
    if (!w->present || w->infinite)
        return;
    bool certain = (tally->censored == 0 || w->upper.rank <= again->certain) &&
                   !is_beyond(w->lower.stored, w->upper.stored);
    struct rank_at at = {w->rank, w->num, w->den};
    struct figure value =
        printed(plan, at, w->lower.stored, w->upper.stored, tally->max_ns, certain);
    if (certain)
        cell->value = value;
    else
        cell->at_least = value;
}

/* The exact law's value, through the same rank rule and the same cells. */
static struct figure law_exact_figure(const struct work *work, const struct law *law,
                                      const struct recorder_plan *plan, size_t i, bool cells)
{
    u128 total = multiset_total(&law->values, law->rule);
    if (total == 0 || total > UINT64_MAX)
        return (struct figure){.kind = FIGURE_UNKNOWN};
    struct rank_at at = rank_rule(plan->rank)->at(p_of(work, i), (uint64_t)total);
    ns_t lower_ns = multiset_select(&law->values, law->rule, at.rank);
    ns_t upper_ns =
        at.num != 0 ? multiset_select(&law->values, law->rule, (u128)at.rank + 1) : lower_ns;
    if (!cells)
        return exact_figure(rank_interpolate(at, lower_ns, upper_ns));
    const struct store_type *store = store_kind(plan->store);
    struct stored lower = store->cell(plan->store.params, lower_ns);
    struct stored upper = store->cell(plan->store.params, upper_ns);
    return printed(plan, at, lower, upper, multiset_max(&law->values), !is_beyond(lower, upper));
}

bool work_law_tail(const struct work *work, size_t recorder, ns_t *tail_ns)
{
    const struct recorder_plan *plan = &work->plan->recorders[recorder];
    const struct law *law = &work->recorders[recorder].law;
    u128 total = law->shape == LAW_EXACT ? multiset_total(&law->values, law->rule) : 0;
    if (total == 0 || total > UINT64_MAX)
        return false;
    uint64_t rank = rank_nearest.at((struct ratio){99, 100}, (uint64_t)total).rank;
    ns_t value_ns = multiset_select(&law->values, law->rule, rank);
    struct stored cell = store_kind(plan->store)->cell(plan->store.params, value_ns);
    *tail_ns = work_printed_ns(plan, cell, multiset_max(&law->values));
    return true;
}

static struct figure law_figure(const struct work *work, const struct law *law,
                                const struct recorder_plan *plan, size_t i, bool cells)
{
    struct ratio p = p_of(work, i);
    switch (law->shape) {
    case LAW_NONE: break;
    case LAW_EXACT: return law_exact_figure(work, law, plan, i, cells);
    case LAW_RANDOM:
        if (p.num < p.den)
            return real_figure(law_quantile(law, p));
        break;
    }
    return (struct figure){.kind = FIGURE_UNKNOWN};
}

void work_fill_laws(struct work *work, size_t recorder)
{
    const struct recorder_plan *plan = &work->plan->recorders[recorder];
    const struct recorder_work *r = &work->recorders[recorder];
    for (size_t i = 0; i < work->plan->report.percentile_count; i++) {
        struct cell *cell = &work->result->recorders[recorder].cells[i];
        cell->law = law_figure(work, &r->law, plan, i, true);
        cell->truth = law_figure(work, &r->truth, plan, i, false);
    }
    work_fill_wander(work, recorder);
    if (r->law.shape == LAW_RANDOM && r->law.distribution.note[0] != '\0')
        work->result->recorders[recorder].law_note = must_copy(r->law.distribution.note);
}

static void check_exact(const struct work *work, size_t recorder, size_t i, struct cell *cell)
{
    bool chain = work_chain_holds(work, recorder, i);
    struct figure found = cell->value.kind != FIGURE_UNKNOWN ? cell->value : cell->at_least;
    bool equal = found.kind == FIGURE_EXACT && found.exact.ns == cell->law.exact.ns &&
                 found.exact.thousandths == cell->law.exact.thousandths;
    cell->check = CHECK_EXACT;
    cell->holds = chain && equal ? VERDICT_HOLDS : VERDICT_FAILS;
    if (!equal)
        cell->why = must_copy("the law says otherwise");
}

static void check_random(const struct work *work, size_t recorder, size_t i, struct cell *cell)
{
    const struct percentile_work *w = &work->recorders[recorder].percentiles[i];
    struct ratio p = p_of(work, i);
    if (p.num == p.den) {
        cell->why = must_copy("The maximum of a random run has no law here");
        return;
    }
    if (!w->judged) {
        cell->check = CHECK_TOO_FEW;
        cell->why = must_format("a statistical check needs %d replications", REPLICATIONS_LEAST);
        return;
    }
    const struct judgement *j = &w->judgement;
    cell->check = j->check;
    cell->clusters = j->clusters;
    cell->p_value = j->check == CHECK_STATISTICAL ? j->p_value : NAN;
    cell->detectable = j->detectable;
    if (j->check == CHECK_TOO_FEW)
        cell->why = must_copy(j->why);
    else
        cell->holds = j->rejects ? VERDICT_FAILS : VERDICT_HOLDS;
    if (cell->holds == VERDICT_FAILS)
        cell->why = must_format("rejected twice, p = %.3g: %s samples at or below the law's "
                                "percentile than it says",
                                j->p_value, j->sign > 0 ? "more" : "fewer");
}

static void fill_check(const struct work *work, size_t recorder, size_t i, struct cell *cell)
{
    const struct recorder_work *r = &work->recorders[recorder];
    const char *law_why = work->result->recorders[recorder].law_why;
    if (!r->percentiles[i].present) {
        cell->why = must_copy("no samples");
        return;
    }
    if (r->law.shape == LAW_EXACT && cell->law.kind != FIGURE_UNKNOWN)
        check_exact(work, recorder, i, cell);
    else if (r->statistical)
        check_random(work, recorder, i, cell);
    else
        cell->why = must_copy(law_why != NULL ? law_why : "no law");
    if (!r->percentiles[i].infinite && !work_chain_holds(work, recorder, i)) {
        free(cell->why);
        cell->why = must_copy("the recount of the samples disagrees with the stored percentile");
        cell->holds = VERDICT_FAILS;
    }
}

/* Nothing that is known of a percentile is known of an average of them. */
static void replace_by_average(struct work *work, size_t recorder, size_t i, struct cell *cell)
{
    free(cell->why);
    free(cell->interval_found);
    *cell = (struct cell){.truth = cell->truth,
                          .detectable = NAN,
                          .clusters = NAN,
                          .p_value = NAN,
                          .wander = NAN,
                          .why = must_copy(AVERAGE_WHY),
                          .interval_why = AVERAGE_WHY};
    work_fill_average(work, recorder, i, cell);
}

void work_fill_cells(struct work *work, size_t recorder)
{
    work_fill_laws(work, recorder);
    work_fill_intervals(work, recorder);
    work_fill_groups(work, recorder);
    bool averages = work_averages(work, recorder);
    for (size_t i = 0; i < work->plan->report.percentile_count; i++) {
        struct cell *cell = &work->result->recorders[recorder].cells[i];
        fill_value(work, recorder, i, cell);
        if (!averages)
            fill_check(work, recorder, i, cell);
    }
    if (averages)
        work_warn_of_average(work, recorder);
    for (size_t i = 0; i < work->plan->report.percentile_count; i++) {
        struct cell *cell = &work->result->recorders[recorder].cells[i];
        if (averages)
            replace_by_average(work, recorder, i, cell);
        cell->ratio = figure_double(cell->value) / figure_double(cell->truth);
        if (!isfinite(cell->ratio))
            cell->ratio = NAN;
    }
}
