/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "models/loads/load.h"
#include "sim/work.h"

/* One identity over all replications of a load: two sums kept by different code. */
struct sides {
    u128 left, right;
};

static void add(struct work *work, const char *name, size_t load, struct sides s)
{
    struct result *result = work->result;
    if (result->identity_count % 8 == 0)
        result->identities =
            must_grow(result->identities, result->identity_count + 8, sizeof *result->identities);
    struct identity_result *out = &result->identities[result->identity_count++];
    *out = (struct identity_result){.name = name, .load = load, .holds = s.left == s.right};
    char left[48], right[48];
    if (!out->holds)
        out->why = must_format("%s is not %s", format_i128((i128)s.left, left),
                               format_i128((i128)s.right, right));
}

/* The time integral of the number in flight, kept event by event, is the sum of the times in
   system, taken from the rows. */
static struct sides little(const struct pass_load *load)
{
    struct sides s = {0, load->sums.in_system_ns};
    for (size_t k = 0; k < load->replications; k++) {
        s.left += load->totals[k].flight_area;
        s.right += load->totals[k].initial_time_ns;
    }
    return s;
}

/* Work conservation: the integral of busy workers over available time is the work that was done. */
static struct sides work_conserved(const struct pass_load *load)
{
    struct sides s = {0, 0};
    for (size_t k = 0; k < load->replications; k++) {
        s.left += load->totals[k].busy_area;
        s.right += load->totals[k].work_done;
    }
    return s;
}

/* Sent is answered, failed, abandoned or in flight at the end, row by row. */
static struct sides requests(const struct pass_load *load)
{
    const struct row_sums *rows = &load->sums;
    struct sides s = {0, (u128)rows->answered + rows->timed_out + rows->refused + rows->cut};
    for (size_t k = 0; k < load->replications; k++)
        s.left += load->totals[k].sent;
    return s;
}

/* The engine's own counts by outcome are those of the rows. */
static struct sides outcomes(const struct pass_load *load)
{
    const struct row_sums *rows = &load->sums;
    struct sides s = {0, (u128)rows->answered * 3 + (u128)rows->timed_out * 5 +
                             (u128)rows->refused * 7 + (u128)rows->cut * 11};
    for (size_t k = 0; k < load->replications; k++) {
        const struct engine_totals *t = &load->totals[k];
        s.left += (u128)t->answered * 3 + (u128)t->timed_out * 5 + (u128)t->refused * 7 +
                  (u128)t->in_flight_at_end * 11;
    }
    return s;
}

/* A correction invents samples below the real ones: neither the maximum nor the number of real
   samples moves, nor does any value fall outside the added ones' own range. */
static struct sides real_samples(const struct work *work, size_t recorder)
{
    const struct recorder_watch *watch = work_recorder_watch(work, recorder);
    struct sides s = {0, 0};
    for (size_t k = 0; k < work_watched(work, recorder); k++)
        s.left += work->first.recorders[recorder].requests[k];
    for (size_t w = 0; w < watch->window_count; w++)
        s.right += watch->windows[w].count;
    return s;
}

static struct sides maximum(const struct work *work, size_t recorder)
{
    struct recorder *found = &work->first.recorders[recorder].found;
    const struct store_type *store = store_kind(found->plan->store);
    uint64_t finite = found->tally.requests + found->tally.added;
    struct stored top = store->select(found->store, finite);
    struct stored own = store->cell(found->plan->store.params, found->tally.max_ns);
    return (struct sides){top.high_ns, own.high_ns};
}

/* Send lag, queue, stalls and service make up the response time, request by request: none of them
   is less than no time. */
static struct sides parts(const struct pass_load *load)
{
    return (struct sides){load->sums.parts_ns, load->sums.response_ns};
}

/* The groups of a recorder, merged, answer as one histogram of everything does. */
static void add_merge(struct work *work, size_t recorder)
{
    struct result *result = work->result;
    char *why = work_merge_fault(work, recorder);
    add(work, "merge", work->plan->recorders[recorder].load, (struct sides){why != NULL, 0});
    struct identity_result *out = &result->identities[result->identity_count - 1];
    free(out->why);
    out->why = why;
}

void work_fill_identities(struct work *work)
{
    const struct plan *plan = work->plan;
    for (size_t i = 0; i < plan->load_count; i++) {
        const struct pass_load *load = &work->first.loads[i];
        add(work, "little", i, little(load));
        add(work, "work", i, work_conserved(load));
        add(work, "requests", i, requests(load));
        add(work, "outcomes", i, outcomes(load));
        if (load->sums.takes_parts)
            add(work, "parts", i, parts(load));
    }
    for (size_t r = 0; r < plan->recorder_count; r++) {
        const struct recorder_plan *recorder = &plan->recorders[r];
        const struct tally *tally = &work->first.recorders[r].found.tally;
        if (work->first.recorders[r].found.groups != NULL)
            add_merge(work, r);
        if (recorder->correction.type == NULL || tally->requests == 0)
            continue;
        if (recorder->failures == FAILURES_DROPPED && recorder->to == INSTANT_FINISHED)
            add(work, "correction-count", recorder->load, real_samples(work, r));
        add(work, "correction-max", recorder->load, maximum(work, r));
    }
}
