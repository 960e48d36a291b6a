/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/plain_server.h"

#include <string.h>

#include "models/loads/load.h"
#include "models/policies/late.h"
#include "models/stalls/stall.h"

static void mark_stalls(const struct law_question *q, struct plain_run *run)
{
    memset(run->paused, 0, sizeof run->paused);
    memset(run->suspended, 0, sizeof run->suspended);
    for (size_t i = 0; i < q->server->stall_count; i++) {
        const struct stall *stall = &q->server->stalls[i];
        for (ns_t begin = stall->first_ns; begin < PLAIN_HORIZON; begin += stall->every_ns) {
            for (ns_t t = begin; t < begin + stall->last_ns && t < PLAIN_HORIZON; t++) {
                run->paused[t] = true;
                run->suspended[t] |= stall->mode == &stall_suspend;
            }
            if (stall->every_ns == 0)
                break;
        }
    }
}

/* An answer inside a blackout that began before it leaves at the blackout's end, unless another one
   has begun before that. */
static ns_t held_until(const struct law_question *q, ns_t answered_ns)
{
    for (size_t i = 0; i < q->server->stall_count; i++) {
        const struct stall *stall = &q->server->stalls[i];
        if (stall->mode != &stall_blackout || stall->first_ns >= answered_ns)
            continue;
        ns_t begin_ns = stall->first_ns;
        while (stall->every_ns > 0 && begin_ns + stall->every_ns < answered_ns)
            begin_ns += stall->every_ns;
        if (answered_ns < begin_ns + stall->last_ns)
            return held_until(q, begin_ns + stall->last_ns);
    }
    return answered_ns;
}

/* Serves one request sent after all earlier ones: on the worker that is free first. */
static void serve(const struct law_question *q, struct plain_run *run, ns_t due_ns, ns_t sent_ns)
{
    if (run->count == PLAIN_MOST) {
        run->too_long = true;
        return;
    }
    uint64_t worker = 0;
    for (uint64_t k = 1; k < q->server->workers && k < WORKERS_MOST; k++)
        if (run->worker_free_ns[k] < run->worker_free_ns[worker])
            worker = k;
    ns_t start_ns = sent_ns;
    if (q->server->workers != UNLIMITED && run->worker_free_ns[worker] > start_ns)
        start_ns = run->worker_free_ns[worker];
    while (start_ns < PLAIN_HORIZON && run->paused[start_ns])
        start_ns++;
    ns_t left_ns = ((const struct constant *)q->server->service.params)->value_ns;
    ns_t now_ns = start_ns;
    for (; left_ns > 0 && now_ns < PLAIN_HORIZON; now_ns++)
        left_ns -= !run->suspended[now_ns];
    now_ns = held_until(q, now_ns);
    run->too_long |= now_ns >= PLAIN_HORIZON;
    run->worker_free_ns[worker] = now_ns;
    run->requests[run->count++] = (struct plain_request){due_ns, sent_ns, start_ns, now_ns};
}

static bool within(const struct law_question *q, uint64_t number, ns_t due_ns)
{
    return (q->run->requests == 0 || number < q->run->requests) &&
           (q->run->duration_ns == 0 || due_ns < q->run->duration_ns);
}

static ns_t due_of(struct ratio rate, ns_t every_ns, uint64_t i)
{
    return rate.num > 0 ? (ns_t)((u128)i * 1000000000 * rate.den / rate.num) : i * every_ns;
}

static void run_open(const struct law_question *q, struct plain_run *run)
{
    const struct open_load *load = q->load->kind.params;
    ns_t now_ns = 0;
    for (uint64_t i = 0; !run->too_long; i++) {
        ns_t due_ns = due_of(load->rate_per_s, load->every_ns, i);
        if (!within(q, i, due_ns))
            return;
        if (due_ns > now_ns)
            now_ns = due_ns;
        for (;; now_ns++) {
            uint64_t in_flight = 0;
            for (size_t j = 0; j < run->count; j++)
                in_flight += run->requests[j].finished_ns > now_ns;
            if (in_flight < load->max_in_flight || now_ns >= PLAIN_HORIZON)
                break;
        }
        serve(q, run, due_ns, now_ns);
    }
}

#define CLIENTS_MOST 64

static void run_catching_up(const struct law_question *q, struct plain_run *run)
{
    const struct paced_load *load = q->load->kind.params;
    ns_t free_ns[CLIENTS_MOST] = {0};
    for (uint64_t i = 0; !run->too_long; i++) {
        ns_t due_ns = due_of(load->rate_per_s, load->every_ns, i);
        if (!within(q, i, due_ns))
            return;
        ns_t *mine_ns = &free_ns[i % load->connections];
        serve(q, run, due_ns, due_ns > *mine_ns ? due_ns : *mine_ns);
        if (run->count > 0)
            *mine_ns = run->requests[run->count - 1].finished_ns;
    }
}

/* Slot after slot: a connection that still waits for its answer lets it go by. */
static void run_skipping(const struct law_question *q, struct plain_run *run)
{
    const struct paced_load *load = q->load->kind.params;
    ns_t free_ns[CLIENTS_MOST] = {0};
    for (uint64_t i = 0; !run->too_long; i++) {
        ns_t due_ns = due_of(load->rate_per_s, load->every_ns, i);
        if (!within(q, i, due_ns))
            return;
        ns_t *mine_ns = &free_ns[i % load->connections];
        if (due_ns < *mine_ns)
            continue;
        serve(q, run, due_ns, due_ns);
        *mine_ns = run->requests[run->count - 1].finished_ns;
    }
}

static void run_closed(const struct law_question *q, struct plain_run *run)
{
    const struct closed_load *load = q->load->kind.params;
    ns_t think_ns = ((const struct constant *)load->think.params)->value_ns;
    ns_t next_ns[CLIENTS_MOST];
    for (uint64_t k = 0; k < load->clients; k++)
        next_ns[k] = k * load->stagger_ns;
    for (uint64_t i = 0; !run->too_long; i++) {
        uint64_t who = 0;
        for (uint64_t k = 1; k < load->clients; k++)
            if (next_ns[k] < next_ns[who])
                who = k;
        if (!within(q, i, next_ns[who]))
            return;
        serve(q, run, next_ns[who], next_ns[who]);
        next_ns[who] = run->requests[run->count - 1].finished_ns + think_ns;
    }
}

void plain_run(const struct law_question *q, struct plain_run *run)
{
    run->count = 0;
    memset(run->worker_free_ns, 0, sizeof run->worker_free_ns);
    run->too_long = false;
    mark_stalls(q, run);
    if (q->load->kind.type == &load_open.is)
        run_open(q, run);
    else if (q->load->kind.type == &load_closed.is)
        run_closed(q, run);
    else if (((const struct paced_load *)q->load->kind.params)->late.type == &late_skip.is)
        run_skipping(q, run);
    else
        run_catching_up(q, run);
}

ns_t plain_instant(const struct plain_request *r, enum instant which)
{
    switch (which) {
    case INSTANT_DUE: return r->due_ns;
    case INSTANT_ACQUIRED:
    case INSTANT_SENT: return r->sent_ns;
    case INSTANT_STARTED: return r->started_ns;
    case INSTANT_FINISHED: break;
    }
    return r->finished_ns;
}
