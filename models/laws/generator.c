/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sending that costs the client: its threads are a server of constant service before the server,
   and how late requests leave is a response time of theirs. */
#include <stdlib.h>

#include "models/laws/another.h"
#include "models/laws/domain.h"
#include "models/laws/mechanisms.h"
#include "models/queues/queue.h"
#include "models/stalls/stall.h"

static bool in_domain(const struct law_question *q, char why[LAW_WHY_SIZE])
{
    const struct load_plan *load = q->load;
    if (load->generator.cost_ns == 0)
        return law_refuses(why, LAW_ELSEWHERE "sends that cost the client time.");
    if (load->resend.type != NULL || load->fan_out > 1)
        return law_refuses(why, "Copies and parts queue for the client's threads too, and that "
                                "has no law here.");
    if (load->kind.type != &load_open.is || !domain_sent_when_due(load))
        return law_refuses(why, "Where sends cost the client time only an open load without a "
                                "window has a law here.");
    if (q->server->quota.budget_ns != 0)
        return law_refuses(why, "The server has a quota, and a law of a client whose sends cost "
                                "time is of a server without one.");
    if (q->part != PART_NONE)
        return law_refuses(why, "A part of the response time has no law here where sends cost the "
                                "client time.");
    return true;
}

static bool strikes_generator(const struct stall *stall)
{
    return stall->target == TARGET_GENERATOR && (stall->last_ns > 0 || stall->up.type != NULL);
}

/* How late requests leave: the threads are the server. */
static struct another *lag_of(const struct law_question *q)
{
    const struct generator *generator = &q->load->generator;
    struct another *lag = another_of(q);
    lag->load =
        (struct load_plan){.name = q->load->name, .kind = q->load->kind, .idempotent = true};
    lag->service.value_ns = generator->cost_ns;
    lag->stalls = must_alloc(q->server->stall_count + 1, sizeof *lag->stalls);
    lag->server = (struct server){.service = {&distribution_constant.is, &lag->service},
                                  .workers = generator->threads,
                                  .queue = {&queue_fifo.is, NULL},
                                  .queue_limit = UNLIMITED,
                                  .replicas = 1,
                                  .stalls = lag->stalls};
    for (size_t i = 0; i < q->server->stall_count; i++) {
        struct stall stall = q->server->stalls[i];
        if (!strikes_generator(&stall))
            continue;
        stall.target = TARGET_SERVER;
        lag->stalls[lag->server.stall_count++] = stall;
    }
    lag->asked.from = INSTANT_DUE;
    lag->asked.to = INSTANT_FINISHED;
    return lag;
}

/* Whether every thread is free again, at least by the time its next request is due. */
static bool keeps_up(const struct law_question *q)
{
    const struct open_load *open = q->load->kind.params;
    if (open->arrivals.type != &arrivals_even.is)
        return false;
    for (size_t i = 0; i < q->server->stall_count; i++)
        if (strikes_generator(&q->server->stalls[i]))
            return false;
    struct pace pace = pace_of(open->rate_per_s, open->every_ns);
    u128 room = (u128)pace.num * q->load->generator.threads;
    return (u128)q->load->generator.cost_ns * pace.den <= room; /* so rounded instants do too */
}

/* Whether what happens after the send does not depend on when it was. */
static bool nobody_meets(const struct law_question *without)
{
    const struct server *server = without->server;
    return server->workers == UNLIMITED && mechanisms_of(without) == 0 && !domain_stalls(server);
}

/* The lag of those that are refused or given up is not recorded. */
static bool none_is_lost(const struct law_question *q, char why[LAW_WHY_SIZE])
{
    for (size_t i = 0; i < q->server->stall_count; i++)
        if (q->server->stalls[i].mode->refuses)
            return law_refuses(why, "A stall refuses what arrives, and no law here knows how late "
                                    "the rest left.");
    return domain_serves_all(q, why);
}

static bool strikes_elsewhere(const struct server *server)
{
    for (size_t i = 0; i < server->stall_count; i++)
        if ((server->stalls[i].last_ns > 0 || server->stalls[i].up.type != NULL) &&
            server->stalls[i].target != TARGET_GENERATOR)
            return true;
    return false;
}

static bool holds(const struct law_question *q, struct law *out, char why[LAW_WHY_SIZE])
{
    if (!in_domain(q, why))
        return false;
    bool from_due = q->from == INSTANT_DUE || q->from == INSTANT_ACQUIRED;
    if (from_due && q->to == INSTANT_SENT) {
        if (!none_is_lost(q, why) || !another_law(lag_of(q), 0, out, why))
            return false;
        another_later(out, 0); /* the state that is drawn is the server's */
        return true;
    }
    struct another *without = another_of(q);
    without->load.generator.cost_ns = 0;
    bool free = nobody_meets(&without->asked),
         on_time = keeps_up(q) && !strikes_elsewhere(q->server);
    if ((free && !from_due) || on_time) {
        ns_t more_ns = from_due && q->to != INSTANT_ACQUIRED ? q->load->generator.cost_ns : 0;
        if (!another_law(without, more_ns, out, why))
            return false;
        another_later(out, q->load->generator.cost_ns);
        return true;
    }
    another_free(without);
    if (!free || q->load->timeout_ns != 0 || q->server->service.type != &distribution_constant.is)
        return law_refuses(why, "The threads let requests go in another rhythm than they are due, "
                                "and the sum of that wait and what follows has no law here.");
    ns_t service_ns = ((const struct constant *)q->server->service.params)->value_ns;
    if (!another_law(lag_of(q), q->to == INSTANT_FINISHED ? service_ns : 0, out, why))
        return false;
    another_later(out, q->load->generator.cost_ns);
    return true;
}

const struct law_type law_generator = {
    .is = {.name = "generator",
           .says = "sends that cost the client: its threads are a server before the server"},
    .formula = "lag = the response time of g threads with constant service s; V = lag + S on "
               "unlimited workers; V = s + W where the threads keep up: s <= g tau",
    .symbols = "s the cost of a send, g the threads, S the service (ns), tau the even interval "
               "(ns), W the time of the same question without the cost",
    .domain = "generator cost; open load without a window; from due to sent, with stalls of the "
              "generator too; from the send on unlimited workers; from due, constant service on "
              "unlimited workers; or even arrivals with which the threads keep up, no other "
              "stalls; no copies, no parts, no quota",
    .source = "two queues in a row; D/D/c and M/D/1 are the laws underneath",
    .check =
        "3000/s even, s = 1 ms, one thread: request n leaves n (1 - 1/3) ms + 1 ms after it is "
        "due; the median of 60000 is 20.0003 s",
    .knows = KNOWS_ALL,
    .by_another = holds,
};
