/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a pass has before it runs and leaves behind, and whose samples are whose: recorders of one
   load that take the same have one census, as what it counts again are the samples, whichever of
   their stores is held against it. */

#include <stdlib.h>

#include "sim/pass.h"

void pass_init(struct pass *pass, const struct plan *plan, const struct run_options *options,
               uint32_t run)
{
    *pass = (struct pass){.plan = plan, .options = options, .run = run, .progress_to = 1.0};
    pass->recorders = must_alloc(plan->recorder_count, sizeof *pass->recorders);
    pass->loads = must_alloc(plan->load_count, sizeof *pass->loads);
}

static void free_census(struct pass *pass, size_t recorder)
{
    struct pass_recorder *r = &pass->recorders[recorder];
    size_t replications = pass->loads[pass->plan->recorders[recorder].load].replications;
    if (r->census == NULL || r->leader != recorder)
        return;
    for (size_t k = 0; k < replications; k++)
        free(r->census[k].entries);
    free(r->census);
}

void pass_free(struct pass *pass)
{
    for (size_t i = 0; i < pass->plan->recorder_count; i++) {
        struct pass_recorder *r = &pass->recorders[i];
        recorder_close(&r->found);
        recorder_watch_free(r->watch);
        free(r->samples);
        free(r->counted_ns);
        free_census(pass, i);
    }
    for (size_t i = 0; i < pass->plan->load_count; i++) {
        row_sums_free(&pass->loads[i].sums);
        free(pass->loads[i].totals);
        free(pass->loads[i].ended_ns);
        free(pass->loads[i].watch);
        free(pass->loads[i].of_crowd);
    }
    free(pass->recorders);
    free(pass->loads);
    *pass = (struct pass){0};
}

static size_t leader_of(const struct pass *pass, size_t recorder)
{
    const struct pass_recorder *r = &pass->recorders[recorder];
    for (size_t i = 0; r->active && r->stores && i < recorder; i++) {
        const struct pass_recorder *other = &pass->recorders[i];
        if (other->active && other->stores &&
            recorder_samples_alike(&pass->plan->recorders[i], &pass->plan->recorders[recorder]))
            return i;
    }
    return recorder;
}

static bool counts_at(const struct pass_recorder *r, ns_t threshold_ns)
{
    size_t k = 0;
    while (k < r->counted_count && r->counted_ns[k] != threshold_ns)
        k++;
    return k < r->counted_count;
}

static void find_leaders(struct pass *pass)
{
    for (size_t i = 0; i < pass->plan->recorder_count; i++) {
        struct pass_recorder *r = &pass->recorders[i];
        struct pass_recorder *leader = &pass->recorders[r->leader = leader_of(pass, i)];
        leader->keeps_census |= r->keeps_census;
        size_t room = leader->counted_count + r->threshold_count;
        leader->counted_ns = must_grow(leader->counted_ns, room, sizeof *leader->counted_ns);
        for (size_t k = 0; k < r->threshold_count; k++)
            if (leader == r || !counts_at(leader, r->thresholds_ns[k]))
                leader->counted_ns[leader->counted_count++] = r->thresholds_ns[k];
    }
}

/* Space for what each replication of a load leaves behind. */
void pass_prepare(struct pass *pass)
{
    find_leaders(pass);
    for (size_t i = 0; i < pass->plan->load_count; i++) {
        struct pass_load *load = &pass->loads[i];
        if (!load->active)
            continue;
        if (load->totals == NULL)
            load->totals = must_alloc(load->replications, sizeof *load->totals);
        load->ended_ns = must_alloc(load->replications, sizeof *load->ended_ns);
        if (load->watches || load->gathers)
            load->watch = must_alloc(load->replications, sizeof *load->watch);
        if (load->gathers)
            load->of_crowd = must_alloc(load->replications, sizeof *load->of_crowd);
        for (size_t k = 0; load->watches && k < load->replications; k++) {
            load->watch[k].begin_ns = load->totals[k].record_from_ns + pass->plan->run.warmup_ns;
            load->watch[k].end_ns = load->totals[k].window_end_ns;
        }
    }
    for (size_t i = 0; i < pass->plan->recorder_count; i++) {
        struct pass_recorder *r = &pass->recorders[i];
        size_t replications = pass->loads[pass->plan->recorders[i].load].replications;
        r->samples = must_alloc(replications * (3 + r->threshold_count), sizeof *r->samples);
        r->requests = r->samples + replications;
        r->infinite = r->requests + replications;
        r->above = r->infinite + replications;
        if (r->leader == i && r->keeps_census)
            r->census = must_alloc(replications, sizeof *r->census);
        if (r->leader != i)
            r->census = pass->recorders[r->leader].census;
    }
}
