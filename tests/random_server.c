/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/random_text.h"

#define STALL_MECHANISMS                                                 \
    (UINT32_C(1) << MECHANISM_SLOWS | UINT32_C(1) << MECHANISM_REJECTS | \
     UINT32_C(1) << MECHANISM_TARGETS)

/* What a server of that scenario has: what stalls may strike. */
struct shape {
    unsigned replicas;
    bool behind, network;
};

/* How long the server is there and away in turn, away for a third of the time at most. */
static void put_random_stall(struct writer *w)
{
    unsigned up = roll(w, 5, 40);
    put(w, "\"up\": ");
    switch (roll(w, 0, 3)) {
    case 0: put(w, "{\"constant\": %u}", up); break;
    case 1: put(w, "{\"exponential\": %u}", up); break;
    case 2: put(w, "{\"uniform\": {\"low\": %u, \"high\": %u}}", up / 2, up + up / 2); break;
    default: put(w, "{\"samples\": [%u, 0, %u]}", up, 2 * up);
    }
    put(w, ", \"down\": ");
    put_distribution(w, 1 + up / 10);
}

static void put_planned_stall(struct writer *w, unsigned first, unsigned last)
{
    put(w, "\"first\": %u, \"last\": %u", first, last);
    if (one_in(w, 2))
        put(w, ", \"every\": %u", 1 + last * 10 / 3 + roll(w, 0, 30));
}

/* Mode and what belongs to it; rejecting alone is true of one that refuses. */
static bool put_mode(struct writer *w)
{
    static const char *const pauses[] = {"suspend", "gate", "blackout"};
    if (wants(w, MECHANISM_REJECTS) && one_in(w, 2)) {
        put(w, "{\"mode\": \"reject\", ");
        return true;
    }
    if (wants(w, MECHANISM_SLOWS) && !one_in(w, 4)) {
        if (one_in(w, 2))
            put(w, "{\"mode\": \"slowdown\", \"factor\": 0.%u, ", roll(w, 1, 9));
        else
            put(w, "{\"mode\": \"neighbour\", \"share\": 0.%u, ", roll(w, 1, 99));
        if (wants(w, MECHANISM_HALVES))
            put(w, "\"halves\": %u, ", roll(w, 1, 5));
        return false;
    }
    put(w, "{\"mode\": \"%s\", ", pauses[roll(w, 0, 2)]);
    return false;
}

static void put_target(struct writer *w, struct shape shape, bool server_only)
{
    unsigned which = roll(w, 0, server_only ? 1 : 4);
    if (which == 1)
        put(w, ", \"target\": {\"replica\": %u}", roll(w, 0, shape.replicas - 1));
    if (which == 2 && shape.behind)
        put(w, ", \"target\": \"behind\"");
    if (which == 3 && shape.network)
        put(w, ", \"target\": \"network\"");
    if (which == 4 && (w->mechanisms >> MECHANISM_GENERATOR & 1) != 0)
        put(w, ", \"target\": \"generator\"");
}

/* Three stalls at most, each at most about 30 % of the time, so the server always comes back.  The
   next one often begins where the last one ended, or inside it. */
static void put_stalls(struct writer *w, struct shape shape)
{
    unsigned count = roll(w, 0, 3), end = 0, begin = 0;
    put(w, ", \"stalls\": [");
    for (unsigned i = 0; i < count; i++) {
        unsigned last = one_in(w, 6) ? 0 : roll(w, 1, 14);
        if (i > 0 && one_in(w, 2))
            begin = one_in(w, 2) ? end : roll(w, begin, end);
        else
            begin = roll(w, 0, 40);
        end = begin + last;
        put(w, "%s", i > 0 ? ", " : "");
        bool refuses = put_mode(w);
        if (one_in(w, 4))
            put_random_stall(w);
        else
            put_planned_stall(w, begin, last);
        if (wants(w, MECHANISM_TARGETS))
            put_target(w, shape, refuses);
        put(w, "}");
    }
    put(w, "]");
}

/* So many servers like the one; returns how many. */
static unsigned put_replicas(struct writer *w)
{
    static const char *const rules[] = {"random", "round-robin"};
    unsigned replicas = roll(w, 2, 4);
    put(w, ", \"replicas\": %u", replicas);
    if (wants(w, MECHANISM_LEAST))
        put(w, ", \"routing\": \"least-in-flight\"");
    else if (one_in(w, 2))
        put(w, ", \"routing\": \"%s\"", rules[roll(w, 0, 1)]);
    return replicas;
}

static void put_queue(struct writer *w)
{
    static const char *const rules[] = {"fifo", "lifo", "shortest", "random", "processor-sharing"};
    if (wants(w, MECHANISM_QUEUE))
        put(w, ", \"queue\": \"%s\"", rules[roll(w, 0, 4)]);
}

static void put_behind(struct writer *w)
{
    put(w, ", \"behind\": {\"service\": ");
    put_distribution(w, roll(w, 1, 6));
    if (one_in(w, 4))
        put(w, ", \"workers\": \"unlimited\"");
    else if (one_in(w, 2))
        put(w, ", \"workers\": %u", roll(w, 2, 3));
    put_queue(w);
    if (one_in(w, 2))
        put(w, ", \"keeps_worker\": true");
    put(w, "}");
}

static void put_network(struct writer *w)
{
    put(w, ", \"network\": {\"delay\": ");
    put_distribution(w, roll(w, 1, 7));
    if (one_in(w, 2))
        put(w, ", \"probability\": 0.%u", roll(w, 1, 9));
    put(w, "}");
}

static void put_quota(struct writer *w, unsigned replicas)
{
    unsigned period = roll(w, 2, 25);
    put(w, ", \"quota\": {\"budget\": %u, \"period\": %u", roll(w, 1, period), period);
    if (replicas == 1 && (w->mechanisms >> MECHANISM_GENERATOR & 1) != 0 && one_in(w, 2))
        put(w, ", \"shared\": true");
    put(w, "}");
}

/* Some processor sharing needs workers that are fewer than those they serve. */
static void put_workers(struct writer *w)
{
    if (one_in(w, 6)) {
        put(w, ", \"workers\": \"unlimited\"");
        return;
    }
    if (one_in(w, 2))
        put(w, ", \"workers\": %u", roll(w, 2, 4));
    if (one_in(w, 3))
        put(w, ", \"queue_limit\": %u", roll(w, 0, 4));
}

unsigned put_server(struct writer *w, bool plain)
{
    struct shape shape = {.replicas = 1};
    put(w, "\"server\": {\"service\": ");
    put_distribution(w, roll(w, 1, 9));
    if (plain) {
        put(w, "}");
        return shape.replicas;
    }
    if (!w->bare)
        put_workers(w);
    put_queue(w);
    if ((!w->bare && one_in(w, 2)) || (w->mechanisms >> MECHANISM_LEAST & 1) != 0)
        shape.replicas = put_replicas(w);
    if (wants(w, MECHANISM_DEPENDENCE))
        put(w, ", \"load_dependence\": %u.%u", roll(w, 0, 1), roll(w, 0, 99));
    if (wants(w, MECHANISM_QUOTA))
        put_quota(w, shape.replicas);
    shape.behind = wants(w, MECHANISM_BEHIND);
    if (shape.behind)
        put_behind(w);
    shape.network = wants(w, MECHANISM_NETWORK);
    if (shape.network)
        put_network(w);
    if (w->bare ? (w->mechanisms & STALL_MECHANISMS) != 0 : !one_in(w, 3))
        put_stalls(w, shape);
    put(w, "}");
    return shape.replicas;
}
