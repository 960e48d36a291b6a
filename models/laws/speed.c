/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/speed.h"

#include "models/laws/domain.h"
#include "models/laws/timeline.h"
#include "models/stalls/stall.h"

/* The engine rounds to 2^-64 ns; up to this the two never differ within days of work. */
#define FULL_MOST (UINT64_C(1) << 40)

enum { HALVINGS = 20 };

/* A stall's speed is (den - lost) / den, den as large as its last halving wants. */
static u128 den_of(const struct stall *stall)
{
    return (u128)stall->lost.den << (stall->halves_ns != 0 ? HALVINGS : 0);
}

static u128 lost_of(const struct stall *stall, ns_t since_ns)
{
    if (stall->halves_ns == 0)
        return stall->lost.num;
    uint64_t halved = since_ns / stall->halves_ns;
    return halved >= HALVINGS ? 0 : (u128)stall->lost.num << (HALVINGS - halved);
}

bool speed_of(const struct server *server, struct speed *out, char why[LAW_WHY_SIZE])
{
    *out = (struct speed){.server = server, .full = 1};
    u128 full = 1;
    for (size_t i = 0; i < server->stall_count; i++) {
        const struct stall *stall = &server->stalls[i];
        bool slows = stall->mode->slows, matters = slows || stall->mode->stops_work;
        if (!domain_strikes_server(stall) || !(matters || stall->mode->refuses))
            continue;
        if (stall->every_ns != 0 && stall->last_ns >= stall->every_ns)
            return law_refuses(why, "A disturbance begins again before it is over, and no law here "
                                    "is about that.");
        if (slows)
            full *= den_of(stall);
        out->slows = out->slows || slows;
        if (full > FULL_MOST)
            return law_refuses(why, "The slowdowns multiply to fractions too long to be exact.");
    }
    out->full = (uint64_t)full;
    return true;
}

/* Whether the stall is on, since when, and the next instant at which that changes or it halves. */
static bool is_on(const struct stall *stall, ns_t at_ns, ns_t *since_ns, ns_t *until_ns)
{
    *until_ns = stall->first_ns;
    if (at_ns < stall->first_ns)
        return false;
    ns_t since = at_ns - stall->first_ns;
    if (stall->every_ns != 0)
        since %= stall->every_ns;
    *since_ns = since;
    if (since >= stall->last_ns) {
        *until_ns = stall->every_ns != 0 ? at_ns - since + stall->every_ns : NEVER;
        return false;
    }
    ns_t change_ns = stall->last_ns;
    if (stall->mode->slows && stall->halves_ns != 0) {
        ns_t half_ns = (since / stall->halves_ns + 1) * stall->halves_ns;
        change_ns = half_ns < change_ns ? half_ns : change_ns;
    }
    *until_ns = at_ns - since + change_ns;
    return true;
}

uint64_t speed_at(const struct speed *speed, ns_t at_ns, ns_t *until_ns)
{
    u128 units = speed->full;
    *until_ns = NEVER;
    for (size_t i = 0; i < speed->server->stall_count; i++) {
        const struct stall *stall = &speed->server->stalls[i];
        ns_t since_ns = 0, change_ns = NEVER;
        if (!domain_strikes_server(stall) || !(stall->mode->slows || stall->mode->stops_work))
            continue;
        bool on = is_on(stall, at_ns, &since_ns, &change_ns);
        if (change_ns < *until_ns)
            *until_ns = change_ns;
        if (on && stall->mode->stops_work)
            units = 0;
        if (on && stall->mode->slows)
            units = units / den_of(stall) * (den_of(stall) - lost_of(stall, since_ns));
    }
    return (uint64_t)units;
}
