/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/sim.h"

/* Which slots of a load's schedule the run takes, and when the load hears of them. */

/* Whether the slot belongs to what is sent before the run has settled. */
static bool is_settling(const struct sim *sim, uint64_t number, ns_t due_ns)
{
    return due_ns < sim->asked->settle_ns || number < sim->asked->settle_requests;
}

/* The slot counts by number and by due instant, both beginning when the run has settled. */
static bool is_within(const struct sim *sim, uint64_t number, ns_t due_ns)
{
    const struct run_plan *run = &sim->plan->run;
    if (is_settling(sim, number, due_ns))
        return true;
    return (run->requests == 0 || number - sim->settling < run->requests) &&
           (run->duration_ns == 0 || due_ns - sim->asked->settle_ns < run->duration_ns);
}

/* Nothing settles: the slots that are sent whatever else.  Else none is, and claim() decides. */
void claims_set(struct sim *sim)
{
    const struct run_plan *run = &sim->plan->run;
    struct claims *c = &sim->claims;
    if (sim->asked->settle_ns > 0 || sim->asked->settle_requests > 0)
        return;
    c->numbers = run->requests > 0 ? run->requests : UINT64_MAX;
    c->end_ns = run->duration_ns > 0 && run->duration_ns < NS_LIMIT ? run->duration_ns : NS_LIMIT;
    c->counted_from_ns = run->warmup_ns;
    c->counted_to_ns = run->cut_ns > 0 ? run->cut_ns : NS_LIMIT;
}

static bool claim(struct sim *sim, uint64_t number, ns_t due_ns)
{
    const struct run_plan *run = &sim->plan->run;
    struct engine_totals *t = sim->totals;
    bool within = is_within(sim, number, due_ns);
    if (due_ns >= NS_LIMIT && within)
        sim->overflow = true;
    if (within && !sim->overflow) {
        bool settling = is_settling(sim, number, due_ns);
        sim->settling += settling;
        if (!settling && t->record_from_ns == NEVER)
            t->record_from_ns = due_ns;
        t->due += !settling && due_ns >= t->record_from_ns + run->warmup_ns &&
                  (run->cut_ns == 0 || due_ns < run->cut_ns);
        t->last_due_ns = due_ns > t->last_due_ns ? due_ns : t->last_due_ns;
        return true;
    }
    if (run->duration_ns != 0 && due_ns > sim->asked->settle_ns + run->duration_ns)
        due_ns = sim->asked->settle_ns + run->duration_ns;
    if (!t->window_known || due_ns < t->window_end_ns)
        t->window_end_ns = due_ns;
    t->window_known = true;
    return false;
}

bool sim_claim(struct sim *sim, uint64_t number, ns_t due_ns)
{
    const struct claims *c = &sim->claims;
    struct engine_totals *t = sim->totals;
    if (number >= c->numbers || due_ns >= c->end_ns || sim->overflow)
        return claim(sim, number, due_ns);
    t->due += due_ns >= c->counted_from_ns && due_ns < c->counted_to_ns;
    t->last_due_ns = due_ns > t->last_due_ns ? due_ns : t->last_due_ns;
    return true;
}

void sim_wake(struct sim *sim, ns_t at_ns, uint64_t order, uint64_t client)
{
    sim->wakes++;
    sim_push(sim, LANE_SEND, at_ns, EVENT_SEND, order, client);
}

bool sim_plan(struct sim *sim, uint64_t number, ns_t due_ns, uint64_t client)
{
    if (!sim_claim(sim, number, due_ns))
        return false;
    sim_wake(sim, due_ns > sim->now_ns ? due_ns : sim->now_ns, number, client);
    return true;
}

/* Even slots first, first + stride, ...: so many of them. */
struct slots {
    struct pace pace;
    uint64_t first, stride, count;
};

static ns_t slot_due(const struct slots *s, uint64_t k)
{
    return pace_due(s->pace, s->first + k * s->stride);
}

/* How many of the slots are due before the instant. */
static uint64_t slots_before(const struct slots *s, ns_t instant_ns)
{
    uint64_t low = 0, high = s->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (slot_due(s, middle) < instant_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t slots_within(const struct sim *sim, const struct slots *s)
{
    uint64_t low = 0, high = s->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (is_within(sim, s->first + middle * s->stride, slot_due(s, middle)))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* By division, not one by one: a long stall misses as many slots as it likes. */
uint64_t sim_drop(struct sim *sim, struct pace pace, uint64_t first, uint64_t stride,
                  uint64_t slots)
{
    const struct run_plan *run = &sim->plan->run;
    struct engine_totals *t = sim->totals;
    ns_t settle_ns = sim->asked->settle_ns;
    struct slots s = {pace, first, stride, slots};
    s.count = slots_within(sim, &s);
    uint64_t counted = run->cut_ns != 0 ? slots_before(&s, run->cut_ns) : s.count;
    uint64_t warm = slots_before(&s, settle_ns + run->warmup_ns);
    t->due += counted > warm ? counted - warm : 0;
    t->dropped += s.count;
    sim->settling += slots_before(&s, settle_ns);
    if (s.count > 0 && slot_due(&s, s.count - 1) > t->last_due_ns)
        t->last_due_ns = slot_due(&s, s.count - 1);
    if (s.count < slots)
        sim_claim(sim, first + s.count * stride, slot_due(&s, s.count)); /* notes the end */
    return s.count;
}

/* Claims the next of the instants that the load knows ahead. */
void claims_next_ahead(struct sim *sim)
{
    struct arrivals_ahead *a = &sim->ahead;
    if (a->next == a->count) {
        size_t more = a->count < AHEAD_BLOCK ? 2 * a->count + AHEAD_LEAST : AHEAD_BLOCK;
        more = more < AHEAD_BLOCK ? more : AHEAD_BLOCK;
        a->count = sim->type->due(sim->load_state, sim->load_params, a->due_ns, more);
        a->next = 0;
    }
    a->next_ns = NEVER;
    if (a->count == 0 || !sim_claim(sim, a->number, a->due_ns[a->next]))
        return;
    a->next_ns = a->due_ns[a->next++];
    sim->wakes++;
}

void claims_open_ahead(struct sim *sim)
{
    sim->type->open(sim->load_state, sim->load_params, sim);
    claims_next_ahead(sim);
}
