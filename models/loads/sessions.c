/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "models/distributions/ahead.h"
#include "models/loads/load.h"
#include "models/registry.h"

static const struct field fields[] = {
    {"rate", FIELD_RATIO, offsetof(struct sessions_load, rate_per_s), .above_min = true,
     .says = "sessions that begin per second; or give every"},
    {"every", FIELD_DURATION, offsetof(struct sessions_load, every_ns), .min = 1,
     .says = "the mean interval between two beginnings; or give rate"},
    {"arrivals", FIELD_VARIANT, offsetof(struct sessions_load, arrivals), .absent = "\"poisson\"",
     .set = &set_arrivals, .says = "how the beginnings are spaced"},
    {"requests", FIELD_COUNT, offsetof(struct sessions_load, requests), .required = true, .min = 1,
     .says = "requests of a session, one at a time"},
    {"think", FIELD_VARIANT, offsetof(struct sessions_load, think), .absent = "{\"constant\": 0}",
     .set = &set_distributions, .says = "time between an answer and the session's next send"},
};

static const char *refuses(const void *params)
{
    const struct sessions_load *load = params;
    int given = (load->rate_per_s.num != 0) + (load->every_ns != 0);
    if (!arrivals(load->arrivals)->paced)
        return given != 0 ? "these arrivals take neither rate nor every" : NULL;
    if (given != 1)
        return "give either rate or every";
    return arrivals_refuse_pace(load->arrivals, load->rate_per_s, load->every_ns);
}

#define ARRIVAL UINT64_MAX         /* the client that stands for the next session */
#define RESEND (UINT64_C(1) << 58) /* at equal instants sessions begin before others go on */

/* One session as a client. */
struct member {
    uint64_t left; /* requests it has still to send */
    ns_t think_ns; /* after its request that is on its way */
};

struct state {
    struct arrival_cursor cursor;
    struct drawn_ahead think;
    uint64_t number;        /* of the next send, over all sessions */
    struct member *members; /* by client; owned */
    uint64_t *free;         /* clients whose session is over; owned */
    uint64_t clients, free_count;
};

static size_t state_size(const void *params)
{
    (void)params;
    return sizeof(struct state);
}

static bool is_random(const void *params)
{
    const struct sessions_load *load = params;
    return arrivals_random(load->arrivals) || distribution(load->think)->random;
}

static void plan_arrival(struct state *s, const struct sessions_load *load, struct sim *sim)
{
    ns_t at_ns;
    uint64_t session = s->cursor.next;
    if (arrivals(load->arrivals)->due(load->arrivals.params, &s->cursor, &at_ns, 1) == 1)
        sim_wake(sim, at_ns, session, ARRIVAL);
}

static void start(void *state, const void *params, struct sim *sim, uint64_t initial)
{
    (void)initial;
    struct state *s = state;
    const struct sessions_load *load = params;
    if (arrivals(load->arrivals)->paced)
        s->cursor.pace = pace_of(load->rate_per_s, load->every_ns);
    s->cursor.stream = sim_stream(sim, PURPOSE_ARRIVALS);
    s->think.from = load->think;
    s->think.stream = sim_stream(sim, PURPOSE_THINK);
    plan_arrival(s, load, sim);
}

static uint64_t begin_session(struct state *s, const struct sessions_load *load)
{
    if (s->free_count == 0) {
        uint64_t more = s->clients ? s->clients : 16;
        s->members = must_grow(s->members, (size_t)(s->clients + more), sizeof *s->members);
        s->free = must_grow(s->free, (size_t)(s->clients + more), sizeof *s->free);
        for (uint64_t i = 0; i < more; i++)
            s->free[i] = s->clients + more - 1 - i;
        s->free_count = more;
        s->clients += more;
    }
    uint64_t client = s->free[--s->free_count];
    s->members[client].left = load->requests;
    return client;
}

/* No request was claimed: the run is over, and no session begins any more. */
static void wake(void *state, const void *params, struct sim *sim, uint64_t client)
{
    struct state *s = state;
    ns_t now_ns = sim_now(sim);
    if (!sim_claim(sim, s->number, now_ns))
        return;
    if (client == ARRIVAL) {
        client = begin_session(s, params);
        plan_arrival(s, params, sim);
    }
    s->members[client].left--;
    s->members[client].think_ns = ahead_ns(&s->think, s->number);
    sim_send(sim, s->number++, now_ns, now_ns, client);
}

static void done(void *state, const void *params, struct sim *sim, uint64_t number, uint64_t client)
{
    struct state *s = state;
    (void)params;
    if (s->members[client].left == 0) {
        s->free[s->free_count++] = client;
        return;
    }
    sim_wake(sim, sim_now(sim) + s->members[client].think_ns, RESEND + number, client);
}

static void initial_done(void *state, const void *params, struct sim *sim, uint64_t k)
{
    (void)state;
    (void)params;
    (void)sim;
    (void)k;
}

static void finish(void *state)
{
    struct state *s = state;
    free(s->members);
    free(s->free);
}

/* How often requests are due depends on how fast they are answered. */
static bool offers(const void *params, struct open_load *out)
{
    (void)params;
    (void)out;
    return false;
}

static uint64_t in_flight_limit(const void *params)
{
    (void)params;
    return 0;
}

static double interval_ns(const void *params, double service_ns, uint64_t workers)
{
    (void)service_ns;
    (void)workers;
    const struct sessions_load *load = params;
    if (!arrivals(load->arrivals)->paced)
        return 0.0;
    struct pace pace = pace_of(load->rate_per_s, load->every_ns);
    return (double)pace.num / (double)pace.den / (double)load->requests;
}

static char *describe(const void *params)
{
    const struct sessions_load *load = params;
    char *pace = arrivals_describe(load->arrivals, load->rate_per_s, load->every_ns);
    char *text =
        must_format("sessions %s, %s, of %" PRIu64 " request%s", pace, load->arrivals.type->name,
                    load->requests, load->requests == 1 ? "" : "s");
    free(pace);
    return text;
}

const struct load_type load_sessions = {
    .is = {"sessions", "sessions begin by themselves, each sends a number of times and leaves",
           fields, FIELD_COUNT_OF(fields), sizeof(struct sessions_load), refuses},
    .state_size = state_size,
    .random = is_random,
    .start = start,
    .wake = wake,
    .done = done,
    .initial_done = initial_done,
    .finish = finish,
    .offers = offers,
    .in_flight_limit = in_flight_limit,
    .interval_ns = interval_ns,
    .describe = describe,
};
