/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/pauses.h"

#include <stdlib.h>

#include "models/base/error.h"
#include "models/distributions/distribution.h"
#include "models/stalls/stall.h"
#include "sim/queue_kernels.h"
#include "sim/row_kernels.h"

/* Of the server's time, at most this share may be stalls: so that there is an end to every pause.
   More, and the event engine says that it is stuck. */
#define STALLED_MOST 0.99

/* And a service meets at most so many of one stall: where there are 2^24 without anything else, the
   engine says so, too. */
#define PAUSES_MOST 0x1p16

static bool is_plain(const struct stall *stall)
{
    const struct stall_type *mode = stall->mode;
    return stall->up.type == NULL && stall->halves_ns == 0 &&
           (stall->target == TARGET_SERVER || stall->target == TARGET_REPLICA) &&
           (mode == &stall_suspend || mode == &stall_gate || mode == &stall_blackout);
}

static bool strikes(const struct stall *stall)
{
    return stall->up.type != NULL || stall->last_ns > 0;
}

bool pauses_can(const struct server *server)
{
    const struct stall_type *mode = NULL;
    double share = 0.0;
    double service_ns = distribution(server->service)->mean_ns(server->service.params);
    for (size_t i = 0; i < server->stall_count; i++) {
        const struct stall *stall = &server->stalls[i];
        if (!strikes(stall))
            continue;
        if (!is_plain(stall) || (mode != NULL && mode != stall->mode))
            return false;
        mode = stall->mode;
        if (stall->every_ns == 0)
            continue;
        share += (double)stall->last_ns / (double)stall->every_ns;
        if (service_ns > PAUSES_MOST * (double)stall->every_ns)
            return false;
    }
    return share <= STALLED_MOST;
}

/* The stall that begins first; count: none does any more. */
static size_t first_of(const struct pauses *p)
{
    size_t first = 0;
    for (size_t i = 1; i < p->count; i++)
        if (p->next_ns[i] < p->next_ns[first])
            first = i;
    return p->count == 0 || p->next_ns[first] >= PAUSE_NEVER ? p->count : first;
}

/* Takes the stall's next turn out of those to come: when it ends. */
static ns_t take(struct pauses *p, size_t stall)
{
    const struct stall *s = &p->stalls[stall];
    ns_t begin_ns = p->next_ns[stall];
    p->next_ns[stall] = s->every_ns != 0 && begin_ns + s->every_ns < NS_LIMIT
                            ? begin_ns + s->every_ns
                            : PAUSE_NEVER;
    return begin_ns + s->last_ns;
}

/* Moves to the pause that is made of the next stall and all that overlap or touch it. */
static void find(struct pauses *p)
{
    size_t i = first_of(p);
    if (i == p->count) {
        p->begin_ns = p->end_ns = PAUSE_NEVER;
        return;
    }
    p->begin_ns = p->next_ns[i];
    p->end_ns = take(p, i);
    for (i = first_of(p); i < p->count && p->next_ns[i] + p->apart <= p->end_ns; i = first_of(p)) {
        ns_t end_ns = take(p, i);
        p->end_ns = end_ns > p->end_ns ? end_ns : p->end_ns;
    }
}

void pauses_open(struct pauses *pauses, const struct server *server, bool apart)
{
    *pauses =
        (struct pauses){.stalls = server->stalls, .count = server->stall_count, .apart = apart};
    if (server->stall_count > 0) /* most servers never stall */
        pauses->next_ns = must_alloc(server->stall_count, sizeof *pauses->next_ns);
    for (size_t i = 0; i < server->stall_count; i++)
        pauses->next_ns[i] =
            server->stalls[i].last_ns > 0 ? server->stalls[i].first_ns : PAUSE_NEVER;
    find(pauses);
}

void pauses_close(struct pauses *pauses)
{
    free(pauses->next_ns);
    pauses->next_ns = NULL;
}

void pauses_next(struct pauses *pauses)
{
    pauses->lost_ns += pauses->end_ns - pauses->begin_ns;
    find(pauses);
}

uint64_t pauses_before(const struct server *server, ns_t instant_ns)
{
    struct pauses walk;
    uint64_t before = 0;
    pauses_open(&walk, server, false);
    for (; walk.begin_ns < instant_ns; pauses_next(&walk))
        before++;
    pauses_close(&walk);
    return before;
}

void pauses_worked(struct pauses *p, const ns_t *at_ns, ns_t *worked_ns, size_t count)
{
    for (size_t i = 0; i < count;) {
        size_t before = rows_below(at_ns + i, count - i, p->begin_ns);
        queue_kernels()->moved(at_ns + i, -p->lost_ns, worked_ns + i, before);
        i += before;
        size_t inside = rows_below(at_ns + i, count - i, p->end_ns);
        for (size_t k = 0; k < inside; k++)
            worked_ns[i + k] = p->begin_ns - p->lost_ns;
        i += inside;
        if (i < count)
            pauses_next(p);
    }
}

void pauses_starts(struct pauses *p, const ns_t *worked_ns, ns_t *at_ns, size_t count)
{
    for (size_t i = 0; i < count;) {
        size_t before = rows_below(worked_ns + i, count - i, p->begin_ns - p->lost_ns);
        queue_kernels()->moved(worked_ns + i, p->lost_ns, at_ns + i, before);
        i += before;
        if (i < count)
            pauses_next(p);
    }
}

/* Of those that end as the pause begins, the ones that take no time wait for its end. */
void pauses_ends(struct pauses *p, const ns_t *worked_ns, const ns_t *work_ns, ns_t *at_ns,
                 size_t count)
{
    for (size_t i = 0; i < count;) {
        ns_t edge_ns = p->begin_ns - p->lost_ns;
        size_t until = i + rows_below(worked_ns + i, count - i, edge_ns + 1);
        queue_kernels()->moved(worked_ns + i, p->lost_ns, at_ns + i, until - i);
        for (size_t k = until; k > i && worked_ns[k - 1] == edge_ns; k--)
            if (work_ns[k - 1] == 0)
                at_ns[k - 1] = p->end_ns;
        i = until;
        if (i < count)
            pauses_next(p);
    }
}
