/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/mechanisms.h"

#include "models/laws/domain.h"
#include "models/policies/resend.h"
#include "models/queues/queue.h"
#include "models/stalls/stall.h"

/* ---- what has no effect ---- */

static bool is_constant(struct choice c, ns_t value_ns)
{
    return c.type == &distribution_constant.is &&
           ((const struct constant *)c.params)->value_ns == value_ns;
}

/* Whether further copies are ever sent. */
static bool sends_copies(const struct load_plan *load)
{
    const struct resend *resend = load->resend.params;
    bool none_allowed =
        load->resend.type != NULL && resend->budget.den != 0 && resend->budget.num == 0;
    return load->resend.type != NULL && load->idempotent && !none_allowed;
}

static void plain_load(struct load_plan *load, const struct server *server)
{
    if (!sends_copies(load))
        load->resend = (struct choice){NULL, NULL};
    if (load->wait_for >= load->fan_out)
        load->wait_for = 0;
    if (load->timeout_ns == 0)
        load->timeout_cancel = CANCEL_NONE;
    bool single = load->resend.type == NULL && load->fan_out <= 1;
    if (single || server->service.type == &distribution_constant.is)
        load->work = WORK_PER_ATTEMPT;
}

/* Whether at most as many are ever at a replica as it has workers. */
static bool never_queues(const struct server *server, const struct load_plan *load)
{
    if (server->workers == UNLIMITED)
        return true;
    return load->resend.type == NULL && load->fan_out <= 1 && load->timeout_ns == 0 &&
           domain_most_in_flight(load) <= server->workers;
}

/* Whether all that can run together never spends the budget before its period is over. */
static bool never_spent(const struct server *server, const struct load_plan *load)
{
    u128 runners = server->workers;
    if (server->workers == UNLIMITED)
        return false;
    if (server->quota.shared && load->generator.cost_ns > 0)
        runners += load->generator.threads;
    return (u128)server->quota.budget_ns >= runners * server->quota.period_ns;
}

static void plain_server(struct server *server, const struct load_plan *load)
{
    bool alike = server->service.type == &distribution_constant.is &&
                 server->load_dependence.num == 0; /* the shortest is then the first to come */
    bool shortest = server->queue.type != NULL && server->queue.type == &queue_shortest.is;
    if (never_queues(server, load) || (alike && shortest))
        server->queue = (struct choice){&queue_fifo.is, NULL};
    if (server->network.delay.type != NULL &&
        (server->network.probability.num == 0 || is_constant(server->network.delay, 0)))
        server->network.delay = (struct choice){NULL, NULL};
    if (server->quota.budget_ns != 0 && never_spent(server, load))
        server->quota.budget_ns = 0;
}

void plain_question(const struct law_question *q, struct plain_question *out)
{
    *out = (struct plain_question){.asked = *q, .server = *q->server, .load = *q->load};
    plain_load(&out->load, &out->server);
    plain_server(&out->server, &out->load);
    out->asked.server = &out->server;
    out->asked.load = &out->load;
}

/* ---- what is in use ---- */

/* Whether what it strikes is there at all. */
static bool strikes(const struct stall *stall, const struct law_question *q)
{
    switch (stall->target) {
    case TARGET_SERVER:
    case TARGET_REPLICA: return true;
    case TARGET_BEHIND: return q->server->behind.service.type != NULL;
    case TARGET_NETWORK: return q->server->network.delay.type != NULL;
    case TARGET_GENERATOR: return q->load->generator.cost_ns != 0;
    }
    BUG("a target outside its enum");
}

static uint64_t of_stall(const struct stall *stall, const struct law_question *q)
{
    const struct server *server = q->server;
    uint64_t used = 0;
    if ((stall->last_ns == 0 && stall->up.type == NULL) || !strikes(stall, q))
        return 0;
    bool whole = stall->target == TARGET_SERVER ||
                 (stall->target == TARGET_REPLICA && server->replicas <= 1);
    if (stall->mode->refuses)
        used |= KNOWS(REFUSES);
    if (stall->mode->slows)
        used |= KNOWS(SLOWS);
    return whole ? used : used | KNOWS(TARGETED);
}

static uint64_t of_server(const struct law_question *q)
{
    const struct server *server = q->server;
    uint64_t used = 0;
    const struct queue_type *queue = queue_kind(server->queue);
    if (queue != NULL && queue != &queue_fifo)
        used |= queue->shares ? KNOWS(SHARING) : KNOWS(ORDER);
    if (server->network.delay.type != NULL)
        used |= KNOWS(NETWORK);
    if (server->behind.service.type != NULL)
        used |= KNOWS(BEHIND);
    if (server->quota.budget_ns != 0)
        used |= KNOWS(QUOTA);
    if (server->load_dependence.num != 0)
        used |= KNOWS(LOAD_DEPENDENT);
    for (size_t i = 0; i < server->stall_count; i++)
        used |= of_stall(&server->stalls[i], q);
    return used;
}

static uint64_t of_resend(struct choice policy)
{
    uint64_t used = 0;
    const struct resend_type *type = (const struct resend_type *)(const void *)policy.type;
    const struct resend *resend = policy.params;
    if (type == NULL)
        return 0;
    if (type->cancels_at_start)
        used |= KNOWS(TIED);
    if (resend->percentile.num != 0)
        used |= KNOWS(PERCENTILE);
    bool backs_off = resend->copies > 2 && resend->backoff.num > resend->backoff.den;
    bool waits = resend->after_ns > 0 || resend->percentile.num != 0;
    if (waits && (backs_off || resend->jitter.num != 0))
        used |= KNOWS(WAITS);
    u128 all = (u128)(resend->copies - 1) * resend->budget.den;
    if (resend->budget.den != 0 && resend->budget.num < all)
        used |= KNOWS(BUDGET);
    return used;
}

static uint64_t of_load(const struct load_plan *load)
{
    uint64_t used = of_resend(load->resend);
    if (load->generator.cost_ns != 0)
        used |= KNOWS(GENERATOR);
    if (load->overhead_ns != 0)
        used |= KNOWS(OVERHEAD);
    if (load->timeout_cancel != CANCEL_NONE)
        used |= KNOWS(TIMEOUT_CANCEL);
    if (load->work == WORK_PER_REQUEST)
        used |= KNOWS(SHARED_WORK);
    if (load->wait_for != 0)
        used |= KNOWS(FIRST_PARTS);
    return used;
}

uint64_t mechanisms_of(const struct law_question *q)
{
    uint64_t used = of_server(q) | of_load(q->load);
    if (q->part != PART_NONE)
        used |= KNOWS(PART);
    if (q->merge == MERGE_AVERAGE)
        used |= KNOWS(AVERAGE);
    return used;
}

static const char *const sentences[MECHANISM_COUNT] = {
    [MECHANISM_PART] = "This part of the response time has no law here: only its sum with the "
                       "others may.",
    [MECHANISM_AVERAGE] =
        "An average of percentiles is the percentile of nothing, and no law is about it.",
    [MECHANISM_GENERATOR] = "Sending costs the client time, and with that no law here fits.",
    [MECHANISM_NETWORK] = "Requests take time on their way to the server, and with that no law "
                          "here fits.",
    [MECHANISM_BEHIND] = "A second station stands behind the server, and no law here is about two "
                         "in a row.",
    [MECHANISM_SHARING] = "The server shares its workers among all that are there, and for this "
                          "load that has no law here.",
    [MECHANISM_ORDER] = "Requests are not served first come, first served, and for this load "
                        "their order has no law here.",
    [MECHANISM_QUOTA] = "The server has a quota of work a period, and what that makes of this "
                        "load has no law here.",
    [MECHANISM_LOAD_DEPENDENT] =
        "Services take longer the more requests are there, and no law here is about that.",
    [MECHANISM_REFUSES] = "A stall refuses what arrives, and no law here knows what that leaves.",
    [MECHANISM_SLOWS] = "A disturbance slows the server down, and no law here is about work at "
                        "another speed.",
    [MECHANISM_TARGETED] = "A disturbance strikes something else than the whole server, and no "
                           "law here is about that.",
    [MECHANISM_TIED] = "Copies are taken back when one of them begins, and for these queues that "
                       "has no law here.",
    [MECHANISM_PERCENTILE] = "When a copy leaves is measured by the run itself, and no law here "
                             "is about that.",
    [MECHANISM_WAITS] = "The waits between copies grow or are drawn, and no law here is about "
                        "that.",
    [MECHANISM_BUDGET] = "A budget withholds copies, and which ones it withholds has no law here.",
    [MECHANISM_TIMEOUT_CANCEL] = "Requests are taken back at their timeout, and no law here is "
                                 "about that.",
    [MECHANISM_SHARED_WORK] = "The copies or parts of a request take the same work, and for these "
                              "queues that has no law here.",
    [MECHANISM_FIRST_PARTS] = "Some of the parts are enough for an answer, and for these queues "
                              "that has no law here.",
    [MECHANISM_OVERHEAD] = "The client's own time for each answer changes when this load sends, "
                           "and that has no law here.",
};

const char *mechanism_says(enum mechanism m)
{
    return sentences[m];
}
