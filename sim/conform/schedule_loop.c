/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "sim/conform/schedule.h"

/* One of the independent senders. */
struct sender {
    struct connection is; /* as the policies of models/policies know one */
    uint64_t taken;       /* slots that are over, given up or sent */
    uint64_t sends;
    ns_t free_ns; /* since when it may send again */
    ns_t due_ns, send_ns;
    uint64_t drop_after;
    bool busy, planned, over;
};

struct loop {
    const struct manner *manner;
    struct sender *senders;
    uint64_t in_flight;
};

struct manner schedule_right(const struct offered *offered)
{
    return (struct manner){
        .tick_way = GRAIN_UP,
        .senders = offered->connections,
        .stride = offered->connections,
        .spread = 1,
        .pace = offered->pace,
        .listed_ns = offered->listed_ns,
        .waits = offered->paced,
        .late = offered->late,
        .window = offered->window,
        .requests = offered->listed_ns != NULL ? offered->slots : offered->requests,
        .duration_ns = offered->duration_ns,
    };
}

static ns_t to_grain(ns_t ns, ns_t grain_ns, enum grain_way way)
{
    if (grain_ns == 0)
        return ns;
    ns_t down_ns = ns - ns % grain_ns;
    switch (way) {
    case GRAIN_DOWN: return down_ns;
    case GRAIN_NEAREST: return 2 * (ns - down_ns) >= grain_ns ? down_ns + grain_ns : down_ns;
    case GRAIN_UP: return down_ns == ns ? ns : down_ns + grain_ns;
    }
    BUG("a rounding outside its enum");
}

/* By the schedule, or from the last send or answer. */
static struct late_step step_of(const struct manner *m, struct sender *s)
{
    ns_t interval_ns = manner_interval_ns(m);
    if (m->base != BASE_SCHEDULE && s->is.has_sent) {
        ns_t due_ns = (m->base == BASE_SENT ? s->is.sent_ns : s->free_ns) + interval_ns;
        due_ns = due_ns > s->free_ns ? due_ns : s->free_ns;
        return (struct late_step){.due_ns = due_ns, .send_ns = due_ns};
    }
    if (m->listed_ns != NULL) {
        ns_t due_ns = s->is.slot < m->requests ? m->listed_ns[s->is.slot] : NS_LIMIT;
        return (struct late_step){.due_ns = due_ns, .send_ns = due_ns};
    }
    if (m->waits && m->base == BASE_SCHEDULE)
        return late_policy(m->late)->next(m->late.params, &s->is, s->free_ns);
    ns_t due_ns = pace_due(s->is.pace, s->is.slot) + s->is.shift_ns;
    return (struct late_step){.due_ns = due_ns, .send_ns = due_ns};
}

static bool ends_before(const struct manner *m, uint64_t number, ns_t due_ns)
{
    if (m->requests != 0 && number >= m->requests)
        return true;
    return m->duration_ns != 0 &&
           (m->includes_end ? due_ns > m->duration_ns : due_ns >= m->duration_ns);
}

static void plan_next(const struct manner *m, struct sender *s, uint64_t j)
{
    struct late_step step = step_of(m, s);
    s->taken += step.drop_before;
    s->is.slot += step.drop_before * s->is.stride;
    s->drop_after = step.drop_after;
    s->over = step.due_ns >= NS_LIMIT || ends_before(m, j + s->taken * m->senders, step.due_ns);
    s->due_ns = to_grain(step.due_ns, m->grain_ns, m->way);
    ns_t send_ns = step.send_ns == step.due_ns ? s->due_ns : step.send_ns;
    s->send_ns = to_grain(send_ns, m->tick_ns, m->tick_way);
    s->over = s->over || (m->gives_up_ns != 0 && s->send_ns >= m->gives_up_ns);
    s->planned = true;
}

static void send(struct loop *l, uint64_t j, ns_t now_ns, struct schedule_turn *out)
{
    const struct manner *m = l->manner;
    struct sender *s = &l->senders[j];
    uint64_t which = m->renumbers ? s->sends : s->taken;
    schedule_turn_send(
        out, (struct schedule_send){j + which * m->senders, j, m->claims_now ? now_ns : s->due_ns});
    s->sends++;
    s->taken += 1 + s->drop_after;
    s->is.slot += (1 + s->drop_after) * s->is.stride;
    s->is.sent_ns = now_ns;
    s->is.has_sent = true;
    s->planned = false;
    s->busy = m->waits;
    s->free_ns = m->base == BASE_SENT && !m->waits ? now_ns : s->free_ns;
    l->in_flight++;
}

/* Sends what is due; the instant at which the sender has more to do, NS_LIMIT: not by itself. */
static ns_t move_on(struct loop *l, uint64_t j, ns_t now_ns, struct schedule_turn *out)
{
    const struct manner *m = l->manner;
    struct sender *s = &l->senders[j];
    while (!s->over && !s->busy) {
        if (!s->planned)
            plan_next(m, s, j);
        if (s->over)
            break;
        if (s->send_ns > now_ns)
            return s->send_ns;
        if (!m->waits && l->in_flight >= m->window)
            return NS_LIMIT;
        if (m->gives_up_ns != 0 && now_ns >= m->gives_up_ns)
            s->over = true;
        else
            send(l, j, now_ns, out);
    }
    return NS_LIMIT;
}

static bool turn(void *self, const struct schedule_event *event, struct schedule_turn *out)
{
    struct loop *l = self;
    const struct manner *m = l->manner;
    ns_t next_ns = NS_LIMIT;
    if (event->done) {
        l->in_flight--;
        struct sender *s = &l->senders[event->client];
        s->busy = false;
        s->free_ns = m->waits ? event->at_ns : s->free_ns;
    }
    bool all_over = true;
    for (uint64_t j = 0; j < m->senders; j++) {
        ns_t wants_ns = move_on(l, j, event->at_ns, out);
        next_ns = wants_ns < next_ns ? wants_ns : next_ns;
        all_over = all_over && l->senders[j].over;
    }
    out->rest = all_over ? REST_END : next_ns < NS_LIMIT ? REST_UNTIL : REST_DONE;
    out->until_ns = next_ns;
    return true;
}

void schedule_run_manner(const struct schedule_request *request, const struct manner *manner,
                         struct schedule_run *out)
{
    struct loop l = {.manner = manner};
    l.senders = must_alloc(manner->senders, sizeof *l.senders);
    for (uint64_t j = 0; j < manner->senders; j++)
        l.senders[j].is = (struct connection){.pace = manner->pace,
                                              .stride = manner->stride,
                                              .slot = manner->from + j * manner->spread};
    struct schedule_request with = *request;
    with.peer = (struct schedule_peer){&l, turn};
    schedule_drive(&with, out);
    free(l.senders);
}

size_t schedule_rounds(const struct offered *offered)
{
    const struct catch_up *policy = offered->late.params;
    if (!offered->paced)
        return 2;
    return offered->late.type == &late_catch_up.is && policy->factor.num == 0 ? 2 : 1;
}

/* An eighth of the mean interval: late enough to be seen, too little to fall behind. */
ns_t schedule_late_ns(const struct offered *offered, size_t round)
{
    if (round == 0)
        return 0;
    uint64_t mean_ns = 8 * NS_PER_MS;
    if (offered->pace.den != 0)
        mean_ns = offered->pace.num / offered->pace.den;
    else if (offered->slots > 1)
        mean_ns = offered->listed_ns[offered->slots - 1] / (offered->slots - 1);
    return mean_ns / 8 > 0 ? mean_ns / 8 : 1;
}
