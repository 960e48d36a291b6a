/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "models/distributions/ahead.h"
#include "models/loads/load.h"
#include "models/registry.h"

static const struct field fields[] = {
    {"clients", FIELD_COUNT, offsetof(struct closed_load, clients), .required = true, .min = 1,
     .max = 10000000, .says = "clients, each with one request at a time"},
    {"think", FIELD_VARIANT, offsetof(struct closed_load, think), .absent = "{\"constant\": 0}",
     .set = &set_distributions, .says = "time between an answer and the client's next send"},
    {"stagger", FIELD_DURATION, offsetof(struct closed_load, stagger_ns),
     .says = "client k sends first at k times this"},
};

static const char *refuses(const void *params)
{
    const struct closed_load *load = params;
    return (u128)(load->clients - 1) * load->stagger_ns >= NS_LIMIT
               ? "the last client would start after more than 146 years"
               : NULL;
}

/* Think times are drawn as requests are sent, which is in the order of their numbers, and kept
   until they are answered, in whatever order. */
struct state {
    uint64_t number; /* of the next send, over all clients */
    struct drawn_ahead think;
    ns_t think_ns[]; /* by client: after its request that is on its way */
};

static size_t state_size(const void *params)
{
    const struct closed_load *load = params;
    return sizeof(struct state) + load->clients * sizeof(ns_t);
}

static bool is_random(const void *params)
{
    const struct closed_load *load = params;
    return distribution(load->think)->random;
}

static void start(void *state, const void *params, struct sim *sim, uint64_t initial)
{
    struct state *s = state;
    const struct closed_load *load = params;
    s->think.from = load->think;
    s->think.stream = sim_stream(sim, PURPOSE_THINK);
    for (uint64_t k = 0; k < load->clients && initial == 0; k++)
        sim_wake(sim, k * load->stagger_ns, k, k);
}

static void wake(void *state, const void *params, struct sim *sim, uint64_t client)
{
    (void)params;
    struct state *s = state;
    ns_t now_ns = sim_now(sim);
    if (!sim_claim(sim, s->number, now_ns))
        return;
    s->think_ns[client] = ahead_ns(&s->think, s->number);
    sim_send(sim, s->number, now_ns, now_ns, client);
    s->number++;
}

/* At equal instants first sends go before repeated ones, and these in the order of the requests
   that were answered; those that were there at time 0 are the first of them. */
static void done(void *state, const void *params, struct sim *sim, uint64_t number, uint64_t client)
{
    const struct state *s = state;
    const struct closed_load *load = params;
    sim_wake(sim, sim_now(sim) + s->think_ns[client], load->clients + number, client);
}

/* Thinks as after request k. */
static void initial_done(void *state, const void *params, struct sim *sim, uint64_t k)
{
    struct state *s = state;
    (void)params;
    sim_wake(sim, sim_now(sim) + ahead_ns(&s->think, k), k, k);
}

static bool offers(const void *params, struct open_load *out)
{
    (void)params;
    (void)out;
    return false;
}

static uint64_t in_flight_limit(const void *params)
{
    const struct closed_load *load = params;
    return load->clients;
}

/* A client's round, or the server's pace where that is slower. */
static double interval_ns(const void *params, double service_ns, uint64_t workers)
{
    const struct closed_load *load = params;
    double round_ns = service_ns + distribution(load->think)->mean_ns(load->think.params);
    double by_clients_ns = round_ns / (double)load->clients;
    double by_workers_ns = service_ns / (double)workers;
    return by_clients_ns > by_workers_ns ? by_clients_ns : by_workers_ns;
}

static char *describe(const void *params)
{
    const struct closed_load *load = params;
    bool thinks = distribution(load->think)->mean_ns(load->think.params) > 0.0;
    char stagger[32];
    duration_format(load->stagger_ns, stagger);
    return must_format(
        "closed, %" PRIu64 " client%s%s%s%s%s", load->clients, load->clients == 1 ? "" : "s",
        thinks ? ", think time " : "", thinks ? load->think.type->name : "",
        load->stagger_ns != 0 ? ", stagger " : "", load->stagger_ns != 0 ? stagger : "");
}

const struct load_type load_closed = {
    .is = {"closed", "clients that wait for an answer, think and send again", fields,
           FIELD_COUNT_OF(fields), sizeof(struct closed_load), refuses},
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
