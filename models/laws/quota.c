/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A quota of work a period: workers that are never idle spend it at the same time in every period,
   after which all of them stand still as in a suspend; a light load never spends it. */
#include "models/laws/another.h"
#include "models/laws/domain.h"
#include "models/laws/mechanisms.h"
#include "models/stalls/stall.h"

static bool alone(const struct law_question *q, char why[LAW_WHY_SIZE])
{
    if (q->server->quota.shared && q->load->generator.cost_ns > 0)
        return law_refuses(why, "The client spends the server's quota too, and that has no law "
                                "here.");
    if (q->server->replicas > 1)
        return law_refuses(why, "Each of the replicas has a quota, and the law is that of a single "
                                "server.");
    for (size_t i = 0; i < q->server->stall_count; i++)
        if (q->server->stalls[i].last_ns > 0 || q->server->stalls[i].up.type != NULL)
            return law_refuses(why, "Disturbances change when the quota is spent, and the law is "
                                    "that of a server without.");
    return true;
}

/* Constant services of an even load that never wait, S <= c tau: at most so many in one period. */
static bool never_spent(const struct law_question *q)
{
    const struct open_load *open = q->load->kind.params;
    if (q->load->kind.type != &load_open.is || open->arrivals.type != &arrivals_even.is ||
        open->max_in_flight != UNLIMITED || q->load->resend.type != NULL || q->load->fan_out > 1 ||
        q->server->service.type != &distribution_constant.is || q->load->generator.cost_ns > 0 ||
        q->server->network.delay.type != NULL || q->server->load_dependence.num != 0)
        return false;
    struct pace pace = pace_of(open->rate_per_s, open->every_ns);
    ns_t service_ns = ((const struct constant *)q->server->service.params)->value_ns;
    bool waits = q->server->workers != UNLIMITED &&
                 (u128)service_ns * pace.den > (u128)pace.num * q->server->workers;
    if (waits || q->server->quota.period_ns >= NS_LIMIT)
        return false;
    /* A period holds floor(P / tau) intervals, each of S of work, and of the rest at most S. */
    u128 meets = (u128)q->server->quota.period_ns * pace.den / pace.num + 1 + (pace.den > 1);
    return meets < NS_LIMIT && meets * service_ns < q->server->quota.budget_ns;
}

/* Whether a request is ever anywhere but at the server, which may then have less to do. */
static bool goes_elsewhere(const struct law_question *q)
{
    return q->load->overhead_ns != 0 || q->load->generator.cost_ns != 0 ||
           q->server->network.delay.type != NULL || q->server->behind.service.type != NULL;
}

/* How many services go at every instant until no more is sent; 0 where it is not always as many. */
static uint64_t always_run(const struct law_question *q)
{
    const struct closed_load *closed = q->load->kind.params;
    if (q->load->kind.type != &load_closed.is || !domain_no_think(closed) ||
        closed->stagger_ns != 0 || q->load->resend.type != NULL || q->load->fan_out > 1 ||
        q->load->timeout_ns != 0 || goes_elsewhere(q))
        return 0;
    uint64_t run = closed->clients < q->server->workers ? closed->clients : q->server->workers;
    const struct run_plan *plan = q->run;
    if (plan->requests != 0 && plan->requests < run)
        return 0;
    if (run == 1)
        return 1;
    /* Services of one length begin and end together, so the last round is a whole one where the
       rounds come out even. */
    if (q->server->service.type != &distribution_constant.is ||
        q->server->load_dependence.num != 0 || (plan->requests != 0 && plan->duration_ns != 0))
        return 0;
    uint64_t all = plan->requests != 0 ? plan->requests : closed->clients;
    return all % run == 0 ? run : 0;
}

static bool holds(const struct law_question *q, struct law *out, char why[LAW_WHY_SIZE])
{
    const struct quota *quota = &q->server->quota;
    if (quota->budget_ns == 0)
        return law_refuses(why, LAW_ELSEWHERE "a server with a quota.");
    if (!alone(q, why))
        return false;
    struct another *other = another_of(q);
    other->server.quota.budget_ns = 0;
    if (never_spent(q))
        return another_law(other, 0, out, why);
    uint64_t run = always_run(q);
    if (run == 0) {
        another_free(other);
        return law_refuses(why, "When the quota is spent has a law here only where clients that "
                                "never think keep as many workers busy until the end, or where "
                                "the load never spends it.");
    }
    if (quota->budget_ns % run != 0) {
        another_free(other);
        return law_refuses(why, "The budget is spent between two whole ns, and the law reckons in "
                                "whole ones.");
    }
    ns_t spent_ns = quota->budget_ns / run;
    other->stalls = must_alloc(1, sizeof *other->stalls);
    other->stalls[0] = (struct stall){.mode = &stall_suspend,
                                      .first_ns = spent_ns,
                                      .every_ns = quota->period_ns,
                                      .last_ns = quota->period_ns - spent_ns};
    other->server.stalls = other->stalls;
    other->server.stall_count = spent_ns < quota->period_ns ? 1 : 0;
    return another_law(other, 0, out, why);
}

const struct law_type law_quota = {
    .is = {.name = "quota", .says = "a quota of work a period: a suspend each period, or nothing"},
    .formula = "k workers that never rest run for Q/k, then stand for P - Q/k: V is that of a "
               "suspend stall of that length every P from Q/k on",
    .symbols = "Q the budget, P the period, k the lesser of workers and clients",
    .domain = "quota; closed load without think time, stagger, timeout or copies, one worker, or "
              "constant service and whole rounds of k until the end, Q a multiple of k ns; or an "
              "even open load whose "
              "constant services never wait and never spend the budget; no stalls, one server",
    .source = "CFS bandwidth control (Linux, Documentation/scheduler/sched-bwc.rst): by definition",
    .check = "k = 16, Q = 400 ms, P = 100 ms: 25 ms of work, then 75 ms of stall",
    .knows = KNOWS_ALL,
    .by_another = holds,
};
