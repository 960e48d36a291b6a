/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What holds between the keys of a server and of its stalls. */

#include <stdlib.h>

#include "models/stalls/stall.h"
#include "sim/scenario/rules.h"

/* What a stall strikes must be there.  Who sends is read later: see rules_scenario. */
static void check_target(struct reading *r, uint32_t server_value, const struct server *server,
                         uint32_t value, const struct stall *stall)
{
    uint32_t target = member(r, value, "target");
    bool known = !has(r, server_value, "replicas") || has_good(r, server_value, "replicas");
    if (!has_good(r, value, "target"))
        return;
    switch (stall->target) {
    case TARGET_SERVER:
    case TARGET_GENERATOR: return;
    case TARGET_REPLICA:
        if (known && stall->replica >= server->replicas)
            fault_at(r, target,
                     "found replica %llu; allowed: from 0 to %llu, as there %s %llu of them",
                     (unsigned long long)stall->replica, (unsigned long long)(server->replicas - 1),
                     server->replicas == 1 ? "is" : "are", (unsigned long long)server->replicas);
        return;
    case TARGET_BEHIND:
        if (!has(r, server_value, "behind"))
            fault_at(r, target,
                     "found \"behind\", where the server has no such station; allowed: beside the "
                     "server's key \"behind\"");
        return;
    case TARGET_NETWORK:
        if (!has(r, server_value, "network"))
            fault_at(r, target,
                     "found \"network\", where the server has none; allowed: beside the server's "
                     "key \"network\"");
        return;
    }
}

static void check_quota(struct reading *r, uint32_t value, const struct server *server)
{
    uint32_t quota = member(r, value, "quota");
    if (quota == SCAN_NONE || !has_good(r, quota, "shared") || !server->quota.shared)
        return;
    if (has_good(r, value, "replicas") && server->replicas > 1)
        fault_at(r, member(r, quota, "shared"),
                 "found a quota shared by the client and %llu replicas; allowed: with one server",
                 (unsigned long long)server->replicas);
}

void rules_server(struct reading *r, uint32_t value, void *read)
{
    const struct server *server = read;
    bool alone = !has(r, value, "replicas") || has_good(r, value, "replicas");
    if (alone && server->replicas == 1 && has(r, value, "routing"))
        fault_at_key(r, member(r, value, "routing"),
                     "found a routing rule where there is one server; allowed: beside \"replicas\" "
                     "above 1");
    check_quota(r, value, server);
    uint32_t list = member(r, value, "stalls");
    uint32_t at = list == SCAN_NONE ? SCAN_NONE : scan_first(&r->scan, list);
    for (size_t i = 0; i < server->stall_count; i++, at = scan_beside(&r->scan, at))
        check_target(r, value, server, at, &server->stalls[i]);
}

/* Which keys a stall has: up and down, or first and last with or without every. */
static bool check_stall_keys(struct reading *r, uint32_t value)
{
    static const char *const planned[] = {"first", "every", "last"};
    bool up = has(r, value, "up"), down = has(r, value, "down"), good = true;
    if (!up && !down) {
        for (size_t i = 0; i < 3; i += 2) {
            if (has(r, value, planned[i]))
                continue;
            fault_at(r, value, "missing key \"%s\": %s; or give up and down, of random stalls",
                     planned[i], i == 0 ? "when the first one begins" : "how long each lasts");
            good = false;
        }
        return good;
    }
    for (size_t i = 0; i < 3; i++) {
        if (!has(r, value, planned[i]))
            continue;
        fault_at_key(r, member(r, value, planned[i]),
                     "\"%s\" stands beside \"%s\"; allowed: first, every and last for planned "
                     "stalls, or up and down for random ones",
                     planned[i], up ? "up" : "down");
        good = false;
    }
    if (!up || !down) {
        fault_at(r, value, "missing key \"%s\" beside \"%s\": random stalls need both",
                 up ? "down" : "up", up ? "up" : "down");
        good = false;
    }
    return good;
}

/* What only some modes take: factor, share, halves, targets. */
static void check_mode(struct reading *r, uint32_t value, const struct stall *stall)
{
    static const char *const lost[] = {"factor", "share"};
    const struct stall_type *mode = stall->mode;
    if (mode == NULL)
        return;
    for (size_t i = 0; i < 2; i++) {
        bool takes = mode->slows && mode->names_share == (i == 1);
        if (has(r, value, lost[i]) && !takes)
            fault_at_key(r, member(r, value, lost[i]),
                         "\"%s\" stands in a stall of mode \"%s\"; allowed: in one of mode \"%s\"",
                         lost[i], mode->is.name, i == 0 ? "slowdown" : "neighbour");
        if (!has(r, value, lost[i]) && takes)
            fault_at(r, value, "missing key \"%s\": %s", lost[i],
                     i == 0 ? "the part of full speed that is left" : "the share that it takes");
    }
    if (has(r, value, "halves") && !mode->slows)
        fault_at_key(r, member(r, value, "halves"),
                     "\"halves\" stands in a stall of mode \"%s\"; allowed: in one of mode "
                     "\"slowdown\" or \"neighbour\"",
                     mode->is.name);
    bool server = stall->target == TARGET_SERVER || stall->target == TARGET_REPLICA;
    if (mode->refuses && !server && has_good(r, value, "target"))
        fault_at(r, member(r, value, "target"),
                 "found a target that refuses nobody; allowed for mode \"%s\": \"server\" or one "
                 "replica",
                 mode->is.name);
}

void rules_stall(struct reading *r, uint32_t value, void *read)
{
    const struct stall *stall = read;
    check_mode(r, value, stall);
    if (!check_stall_keys(r, value))
        return;
    if (!has_good(r, value, "every") || !has_good(r, value, "last") ||
        stall->last_ns < stall->every_ns)
        return;
    uint32_t last = member(r, value, "last"), every = member(r, value, "every");
    char *found = shown(r, last), *limit = shown(r, every);
    fault_at(r, last, "found %s; allowed: less than every (%s), or the server never comes back",
             found, limit);
    free(found);
    free(limit);
}
