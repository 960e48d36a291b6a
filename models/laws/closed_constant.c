/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Constant service and constant think time in a closed loop.

   Answers come in the order of sends, so each client sends again in that order too: with m clients
   that have joined, request k is sent by the client that got the answer to request k - m, and

       sent(k)  = done(k - m) + Z
       start(k) = first free instant from max(sent(k), done(k - c)) on
       done(k)  = the instant at which S of server time after start(k) have passed

   Away from stalls this settles into one of two rhythms.  If every one of the last m requests was
   done Z + S after its predecessor of m before, so is every later one: nobody waits.  If every one
   was done S after the one c before, so is every later one: the workers never rest, and latencies
   repeat every c requests.  (Each relation bounds what the other term of the maximum can become.)
   The walk goes request by request until a rhythm shows, which takes about c rounds of m requests,
   and then jumps over whole periods to the next stall, newcomer, warm-up instant or end. */

#include <stdlib.h>

#include "models/laws/timeline.h"
#include "models/laws/mechanisms.h"

struct loop {
    struct timeline time;
    const struct law_question *asked;
    const struct closed_load *load;
    ns_t think_ns;
    uint64_t requests; /* sends in all; UINT64_MAX: the duration alone ends the run */
    ns_t until_ns;     /* no send from here on */
    uint64_t joined, sent;
    uint64_t resting, working; /* how many requests in a row kept each rhythm */
    struct segment segment;    /* where the last service started */
    struct answer *ring;       /* owned: the last `clients` requests, by number */
    struct answer *shifted;    /* owned: room for as many */
    ns_t longest_ns;           /* from send */
    struct multiset *out;
};

static struct answer *nth(const struct loop *l, uint64_t number)
{
    return &l->ring[number % l->load->clients];
}

/* An answer, and as many like it; last_sent_ns says whether they are recorded. */
static void record(struct loop *l, struct answer a, uint64_t times, ns_t last_sent_ns)
{
    if (a.finished_ns - a.sent_ns > l->longest_ns)
        l->longest_ns = a.finished_ns - a.sent_ns;
    if (last_sent_ns < l->asked->warmup_ns)
        return;
    ns_t value_ns = answer_instant(a, l->asked->to) - answer_instant(a, l->asked->from);
    multiset_add(l->out, (struct progression){(i128)value_ns, 0, 1, times});
}

static bool newcomer_is_next(const struct loop *l, ns_t *at_ns)
{
    ns_t first_ns = l->joined < l->load->clients ? l->joined * l->load->stagger_ns : NEVER;
    ns_t again_ns = NEVER;
    if (l->joined > 0)
        again_ns = nth(l, l->sent - l->joined)->finished_ns + l->think_ns;
    *at_ns = first_ns <= again_ns ? first_ns : again_ns;
    return first_ns <= again_ns;
}

/* Sends one request; false when the run is over. */
static bool step(struct loop *l)
{
    struct answer a;
    bool newcomer = newcomer_is_next(l, &a.sent_ns);
    if (l->sent >= l->requests || a.sent_ns >= l->until_ns)
        return false;
    uint64_t workers = l->time.server->workers;
    ns_t ready_ns = a.sent_ns, freed_ns = NEVER, before_ns = NEVER;
    if (l->sent >= workers && workers < l->load->clients)
        freed_ns = nth(l, l->sent - workers)->finished_ns;
    if (freed_ns != NEVER && freed_ns > ready_ns)
        ready_ns = freed_ns;
    if (!newcomer)
        before_ns = nth(l, l->sent - l->joined)->finished_ns;
    l->segment = timeline_free(&l->time, ready_ns);
    a.started_ns = l->segment.from_ns;
    a.finished_ns = timeline_finish(&l->time, a.started_ns);
    ns_t service_ns = l->time.service_ns;
    bool rests = before_ns != NEVER && a.finished_ns == before_ns + l->think_ns + service_ns;
    bool works = freed_ns != NEVER && a.finished_ns == freed_ns + service_ns && !newcomer &&
                 workers < l->joined;
    l->resting = rests ? l->resting + 1 : 0;
    l->working = works ? l->working + 1 : 0;
    l->joined += newcomer;
    *nth(l, l->sent++) = a;
    record(l, a, 1, a.sent_ns);
    timeline_spend(&l->time, 1);
    return true;
}

/* How many whole periods of `length_ns` for `count` requests fit before anything changes. */
static uint64_t periods_that_fit(const struct loop *l, uint64_t count, ns_t length_ns)
{
    uint64_t most = (l->requests - l->sent) / count;
    if (length_ns == 0)
        return most;
    struct answer last = *nth(l, l->sent - 1);
    ns_t sends_end_ns = l->until_ns, newcomer_ns = NEVER;
    if (l->joined < l->load->clients)
        newcomer_ns = l->joined * l->load->stagger_ns;
    if (newcomer_ns < sends_end_ns)
        sends_end_ns = newcomer_ns;
    if (last.sent_ns < l->asked->warmup_ns && l->asked->warmup_ns < sends_end_ns)
        sends_end_ns = l->asked->warmup_ns;
    ns_t answers_end_ns = NS_LIMIT;
    if (l->segment.until_ns != NEVER) /* no service starts at a pause's begin */
        answers_end_ns = l->segment.until_ns - (l->time.service_ns == 0);
    if (sends_end_ns <= last.sent_ns || answers_end_ns < last.finished_ns)
        return 0;
    uint64_t by_sends = (sends_end_ns - 1 - last.sent_ns) / length_ns;
    uint64_t by_answers = (answers_end_ns - last.finished_ns) / length_ns;
    most = by_sends < most ? by_sends : most;
    return by_answers < most ? by_answers : most;
}

/* In a rhythm: jumps over as many periods as fit, each like the one just walked. */
static void jump(struct loop *l)
{
    bool resting = l->resting >= l->joined, working = l->working >= l->joined;
    if (l->joined == 0 || !(resting || working))
        return;
    ns_t length_ns = l->time.service_ns + (resting ? l->think_ns : 0);
    uint64_t count = resting ? l->joined : l->time.server->workers;
    uint64_t periods = periods_that_fit(l, count, length_ns);
    if (periods == 0)
        return;
    ns_t last_sent_ns = nth(l, l->sent - 1)->sent_ns;
    for (uint64_t i = 1; i <= count; i++)
        record(l, *nth(l, l->sent - i), periods, last_sent_ns);
    ns_t shift_ns = periods * length_ns;
    for (uint64_t i = 1; i <= l->joined; i++) {
        struct answer a = *nth(l, l->sent - i);
        l->shifted[i - 1] = (struct answer){a.sent_ns + shift_ns, a.started_ns + shift_ns,
                                            a.finished_ns + shift_ns};
    }
    l->sent += periods * count;
    for (uint64_t i = 1; i <= l->joined; i++)
        *nth(l, l->sent - i) = l->shifted[i - 1];
    timeline_spend(&l->time, l->joined);
}

static bool walk(struct loop *l, const struct law_question *q, char why[LAW_WHY_SIZE])
{
    uint64_t clients = l->load->clients;
    timeline_spend(&l->time, clients);
    if (l->time.fault != NULL)
        return law_refuses(why, l->time.fault);
    l->ring = must_alloc(clients, sizeof l->ring[0]);
    l->shifted = must_alloc(clients, sizeof l->shifted[0]);
    while (l->time.fault == NULL && step(l))
        jump(l);
    free(l->ring);
    free(l->shifted);
    if (l->time.fault != NULL)
        return law_refuses(why, l->time.fault);
    if (q->load->timeout_ns > 0 && l->longest_ns > q->load->timeout_ns)
        return law_refuses(why, "Some answers come after the client's timeout.");
    return true;
}

static bool exact(const struct law_question *q, struct multiset *out, char why[LAW_WHY_SIZE])
{
    if (q->load->kind.type != &load_closed.is)
        return law_refuses(why, LAW_ELSEWHERE "a closed loop.");
    struct multiset values;
    struct loop l = {.asked = q, .load = q->load->kind.params, .out = &values};
    if (l.load->think.type != &distribution_constant.is)
        return law_refuses(why, "The think time is not constant.");
    l.think_ns = ((const struct constant *)l.load->think.params)->value_ns;
    l.requests = q->run->requests > 0 ? q->run->requests : UINT64_MAX;
    l.until_ns = q->run->duration_ns > 0 ? q->run->duration_ns : NEVER;
    if (!timeline_open(&l.time, q, why))
        return false;
    bool known = false;
    multiset_init(&values, 1);
    if (l.time.service_ns + l.think_ns == 0 && q->run->requests == 0)
        law_refuses(why,
                    "With neither service nor think time the loop never gets past an instant.");
    else
        known = walk(&l, q, why);
    timeline_close(&l.time);
    multiset_seal(&values);
    if (known)
        *out = values;
    else
        multiset_free(&values);
    return known;
}

const struct law_type law_closed_constant = {
    .is = {"closed-constant", "constant service in a closed loop, with stalls: exact", NULL, 0, 0,
           NULL},
    .formula = "sent(k) = done(k - N) + Z, start(k) = first free instant >= max(sent(k), "
               "done(k - c)), done(k) = H(A^-1(A(start(k)) + S)); one worker, Z = 0: S, 2S .. NS, "
               "then N S, and each stall adds its length to N answers",
    .symbols = "N clients, Z think time (ns), S service (ns), c workers, A(t) time up to t not "
               "suspended (ns), H(t) the end of the blackout that began before t and lasts beyond "
               "it, else t",
    .domain = "constant service and think time; any stagger; suspend, gate and blackout stalls; "
              "first come, "
              "first served, no queue limit, no answer after a timeout, no cut",
    .source = "(max,+) recursion of a closed cyclic queue: Baccelli et al., Synchronization and "
              "Linearity (1992)",
    .check = "Little's law: 3 clients, 1 worker, S = 1 ms, Z = 0: throughput 1000/s, so the mean "
             "is 3 / 1000/s = 3 ms, which is N S",
    .knows = KNOWS(TIMEOUT_CANCEL),
    .exact = exact,
};
