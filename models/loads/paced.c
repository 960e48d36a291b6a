/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "models/loads/load.h"
#include "models/plan.h"
#include "models/policies/late.h"
#include "models/registry.h"

static const struct field fields[] = {
    {"rate", FIELD_RATIO, offsetof(struct paced_load, rate_per_s), .above_min = true,
     .says = "slots per second over all connections; or give every"},
    {"every", FIELD_DURATION, offsetof(struct paced_load, every_ns), .min = 1,
     .says = "the interval between slots; or give rate"},
    {"connections", FIELD_COUNT, offsetof(struct paced_load, connections), .min = 1,
     .max = 10000000, .absent = "1",
     .says = "connections; slot i belongs to connection i mod this"},
    {"late", FIELD_VARIANT, offsetof(struct paced_load, late), .absent = "\"catch-up\"",
     .set = &set_late, .says = "what happens to slots missed while waiting for an answer"},
};

static const char *refuses(const void *params)
{
    const struct paced_load *load = params;
    return (load->rate_per_s.num != 0) + (load->every_ns != 0) != 1 ? "give either rate or every"
                                                                    : NULL;
}

/* One connection and the request it is about to send. */
struct line {
    struct connection is;
    uint64_t sending; /* the claimed slot it is about to send */
    ns_t due_ns, acquired_ns;
};

struct state {
    uint64_t initial; /* earlier requests at time 0: the last of them hold the connections */
    struct line lines[];
};

static size_t state_size(const void *params)
{
    const struct paced_load *load = params;
    return sizeof(struct state) + load->connections * sizeof(struct line);
}

static bool is_random(const void *params)
{
    (void)params;
    return false;
}

/* Gives up the line's next slots; false when the run ends among them. */
static bool drop_slots(struct line *line, struct sim *sim, uint64_t slots)
{
    uint64_t dropped =
        slots > 0 ? sim_drop(sim, line->is.pace, line->is.slot, line->is.stride, slots) : 0;
    line->is.slot += dropped * line->is.stride;
    return dropped == slots;
}

static void next_slot(struct line *line, const struct paced_load *load, struct sim *sim,
                      uint64_t client)
{
    struct late_step step =
        late_policy(load->late)->next(load->late.params, &line->is, sim_now(sim));
    if (!drop_slots(line, sim, step.drop_before) || !sim_claim(sim, line->is.slot, step.due_ns))
        return;
    line->sending = line->is.slot;
    line->due_ns = step.due_ns;
    line->acquired_ns = step.due_ns > sim_now(sim) ? step.due_ns : sim_now(sim);
    line->is.slot += line->is.stride;
    sim_wake(sim, step.send_ns, line->sending, client);
    drop_slots(line, sim, step.drop_after);
}

static void start(void *state, const void *params, struct sim *sim, uint64_t initial)
{
    const struct paced_load *load = params;
    struct state *s = state;
    s->initial = initial;
    for (uint64_t j = 0; j < load->connections; j++) {
        s->lines[j].is = (struct connection){.pace = pace_of(load->rate_per_s, load->every_ns),
                                             .stride = load->connections,
                                             .slot = j};
        if (j + initial < load->connections)
            next_slot(&s->lines[j], load, sim, j);
    }
}

/* Job k of n was slot k - n of the schedule, so it held that slot's connection. */
static void initial_done(void *state, const void *params, struct sim *sim, uint64_t k)
{
    struct state *s = state;
    const struct paced_load *load = params;
    if (k + load->connections < s->initial)
        return; /* a later job holds the same connection */
    uint64_t j = k + load->connections - s->initial;
    next_slot(&s->lines[j], load, sim, j);
}

static void wake(void *state, const void *params, struct sim *sim, uint64_t client)
{
    (void)params;
    struct line *line = &((struct state *)state)->lines[client];
    line->is.sent_ns = sim_now(sim);
    line->is.has_sent = true;
    sim_send(sim, line->sending, line->due_ns, line->acquired_ns, client);
}

static void done(void *state, const void *params, struct sim *sim, uint64_t number, uint64_t client)
{
    (void)number;
    next_slot(&((struct state *)state)->lines[client], params, sim, client);
}

static bool offers(const void *params, struct open_load *out)
{
    const struct paced_load *load = params;
    *out = (struct open_load){.rate_per_s = load->rate_per_s,
                              .every_ns = load->every_ns,
                              .arrivals = {&arrivals_even.is, NULL},
                              .max_in_flight = UNLIMITED};
    return true;
}

static uint64_t in_flight_limit(const void *params)
{
    const struct paced_load *load = params;
    return load->connections;
}

static double interval_ns(const void *params, double service_ns, uint64_t workers)
{
    (void)service_ns;
    (void)workers;
    const struct paced_load *load = params;
    struct pace pace = pace_of(load->rate_per_s, load->every_ns);
    return (double)pace.num / (double)pace.den;
}

static char *describe(const void *params)
{
    const struct paced_load *load = params;
    const struct catch_up *policy = load->late.params;
    bool limited = load->late.type == &late_catch_up.is && policy->factor.num != 0;
    char *pace = pace_describe(load->rate_per_s, load->every_ns);
    char *factor =
        limited ? must_format(" at most x%.15g", ratio_double(policy->factor)) : must_copy("");
    char *text = must_format("paced %s, %" PRIu64 " connection%s, %s%s", pace, load->connections,
                             load->connections == 1 ? "" : "s", load->late.type->name, factor);
    free(pace);
    free(factor);
    return text;
}

const struct load_type load_paced = {
    .is = {"paced", "connections on one schedule, each waiting for its answer", fields,
           FIELD_COUNT_OF(fields), sizeof(struct paced_load), refuses},
    .state_size = state_size,
    .random = is_random,
    .start = start,
    .wake = wake,
    .done = done,
    .initial_done = initial_done,
    .offers = offers,
    .in_flight_limit = in_flight_limit,
    .interval_ns = interval_ns,
    .describe = describe,
};
