/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "models/loads/load.h"
#include "models/plan.h"
#include "models/registry.h"

static const struct field fields[] = {
    {"rate", FIELD_RATIO, offsetof(struct open_load, rate_per_s), .above_min = true,
     .says = "requests due per second; or give every"},
    {"every", FIELD_DURATION, offsetof(struct open_load, every_ns), .min = 1,
     .says = "the mean interval between due instants; or give rate"},
    {"arrivals", FIELD_VARIANT, offsetof(struct open_load, arrivals), .absent = "\"even\"",
     .set = &set_arrivals, .says = "how due instants are spaced"},
    {"max_in_flight", FIELD_COUNT, offsetof(struct open_load, max_in_flight), .min = 1,
     .absent = "\"unlimited\"", .word = "unlimited", .word_value = UNLIMITED,
     .says = "requests in flight at most; later ones wait for a slot, first come first served"},
};

/* Why arrivals with instants or rates of their own take no pace. */
static const char *refuses_given_pace(const struct arrivals_type *type)
{
    if (type->mean_gap_ns == NULL)
        return "listed times take neither rate nor every";
    return type->describe == NULL ? "independent gaps take neither rate nor every"
                                  : "arrivals with rates of their own take neither rate nor every";
}

static const char *refuses(const void *params)
{
    const struct open_load *load = params;
    const struct arrivals_type *type = arrivals(load->arrivals);
    int given = (load->rate_per_s.num != 0) + (load->every_ns != 0);
    if (!type->paced)
        return given != 0 ? refuses_given_pace(type) : NULL;
    if (given != 1)
        return "give either rate or every";
    return arrivals_refuse_pace(load->arrivals, load->rate_per_s, load->every_ns);
}

#define DUE_LEAST 8 /* the first block: many runs are short */
#define DUE_AHEAD 64

struct state {
    struct arrival_cursor cursor;
    ns_t due_ns[DUE_AHEAD]; /* due instants drawn ahead */
    size_t next, known;
    uint64_t number; /* of the pending request */
    ns_t pending_due_ns;
    uint64_t in_flight;
    bool blocked; /* the pending request is due and waits for a slot */
};

static size_t state_size(const void *params)
{
    (void)params;
    return sizeof(struct state);
}

static bool is_random(const void *params)
{
    const struct open_load *load = params;
    return arrivals_random(load->arrivals);
}

static bool heedless(const void *params)
{
    const struct open_load *load = params;
    return load->max_in_flight == UNLIMITED;
}

static void open_schedule(void *state, const void *params, struct sim *sim)
{
    struct state *s = state;
    const struct open_load *load = params;
    s->cursor.pace = pace_of(load->rate_per_s, load->every_ns);
    s->cursor.stream = sim_stream(sim, PURPOSE_ARRIVALS);
}

static size_t due(void *state, const void *params, ns_t *out_ns, size_t count)
{
    struct state *s = state;
    const struct open_load *load = params;
    return arrivals(load->arrivals)->due(load->arrivals.params, &s->cursor, out_ns, count);
}

/* Claims the request at which the schedule stands and wakes when it is due, or now if that is
   past: send lag. */
static void claim_pending(struct state *s, const struct open_load *load, struct sim *sim)
{
    if (s->next == s->known) {
        s->known = due(s, load, s->due_ns, s->known < DUE_LEAST ? DUE_LEAST : DUE_AHEAD);
        s->next = 0;
        if (s->known == 0)
            return;
    }
    s->pending_due_ns = s->due_ns[s->next++];
    sim_plan(sim, s->number, s->pending_due_ns, 0);
}

static void start(void *state, const void *params, struct sim *sim, uint64_t initial)
{
    struct state *s = state;
    const struct open_load *load = params;
    s->in_flight = initial;
    open_schedule(s, load, sim);
    claim_pending(s, load, sim);
}

static void wake(void *state, const void *params, struct sim *sim, uint64_t client)
{
    struct state *s = state;
    const struct open_load *load = params;
    if (s->in_flight >= load->max_in_flight) {
        s->blocked = true;
        return;
    }
    s->in_flight++;
    sim_send(sim, s->number, s->pending_due_ns, sim_now(sim), client);
    s->number++;
    claim_pending(s, load, sim);
}

/* A slot is free: the pending request takes it, if it is due. */
static void leave(struct state *s, struct sim *sim)
{
    s->in_flight--;
    if (!s->blocked)
        return;
    s->blocked = false;
    sim_wake(sim, sim_now(sim), s->number, 0);
}

static void done(void *state, const void *params, struct sim *sim, uint64_t number, uint64_t client)
{
    (void)params;
    (void)number;
    (void)client;
    leave(state, sim);
}

static void initial_done(void *state, const void *params, struct sim *sim, uint64_t k)
{
    (void)params;
    (void)k;
    leave(state, sim);
}

static bool offers(const void *params, struct open_load *out)
{
    *out = *(const struct open_load *)params;
    out->max_in_flight = UNLIMITED;
    return true;
}

static uint64_t in_flight_limit(const void *params)
{
    const struct open_load *load = params;
    return load->max_in_flight == UNLIMITED ? 0 : load->max_in_flight;
}

static double interval_ns(const void *params, double service_ns, uint64_t workers)
{
    (void)service_ns;
    (void)workers;
    const struct open_load *load = params;
    const struct arrivals_type *type = arrivals(load->arrivals);
    if (!type->paced)
        return type->mean_gap_ns != NULL ? type->mean_gap_ns(load->arrivals.params) : 0.0;
    struct pace pace = pace_of(load->rate_per_s, load->every_ns);
    return (double)pace.num / (double)pace.den;
}

static char *describe(const void *params)
{
    const struct open_load *load = params;
    char *pace = arrivals_describe(load->arrivals, load->rate_per_s, load->every_ns);
    char *window = load->max_in_flight == UNLIMITED
                       ? must_copy("")
                       : must_format(", at most %" PRIu64 " in flight", load->max_in_flight);
    char *text = must_format("open %s, %s%s", pace, load->arrivals.type->name, window);
    free(pace);
    free(window);
    return text;
}

const struct load_type load_open = {
    .is = {"open", "sends when due, whether or not answers come", fields, FIELD_COUNT_OF(fields),
           sizeof(struct open_load), refuses},
    .state_size = state_size,
    .random = is_random,
    .start = start,
    .wake = wake,
    .done = done,
    .heedless = heedless,
    .open = open_schedule,
    .due = due,
    .initial_done = initial_done,
    .offers = offers,
    .in_flight_limit = in_flight_limit,
    .interval_ns = interval_ns,
    .describe = describe,
};
