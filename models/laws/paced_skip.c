/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Constant service under a paced load whose connections skip the slots they miss.

   Sends go in slot order, each at its due instant; the answer is known as soon as it is sent,

       start = first free instant from max(due, done of the send c before) on
       done  = the instant at which S of server time after start have passed

   and the connection's next send is the first of its slots due at done or later, found by a
   division.  Between stalls there are two ways not to walk send by send.  When all is idle and S
   fits into min(c, N) intervals, no request meets another until the pause.  Otherwise the state
   (next slots, workers' instants, the schedule's phase within a nanosecond) comes back, and whole
   periods are jumped over.  The state is compared with one kept from 1, 2, 4, ... sends before
   (Brent's method). */

#include <stdlib.h>

#include "models/laws/timeline.h"
#include "models/policies/late.h"

/* What the future of the load depends on, relative to the slot that is next. */
struct state {
    uint64_t slot, phase;
    uint64_t *next; /* owned: next slot of the connection of slot, slot + 1, ... less slot */
    ns_t *busy_ns;  /* owned: how long after the slot's due instant each worker is busy */
};

struct skipper {
    struct timeline time;
    struct pace pace;
    const struct law_question *asked;
    uint64_t connections, workers; /* workers at most as many as connections */
    uint64_t slots;                /* in the run */
    uint64_t *heap;                /* owned: each connection's next slot, the least on top */
    uint64_t *next;                /* owned: the same by connection, slot mod connections */
    u128 next_sum;
    ns_t *done_ns; /* owned: of the last `workers` sends, the oldest at `turn` */
    uint64_t turn;
    struct segment segment; /* where the last service started */
    struct answer last;
    uint64_t last_slot;
    struct state kept;
    uint64_t age, age_most; /* sends since it was kept, and when to keep a new one */
    struct multiset since;  /* values since then */
    ns_t longest_ns;
    struct multiset *out;
};

static uint64_t phase_of(const struct skipper *s, uint64_t slot)
{
    return (uint64_t)((u128)slot * s->pace.num % s->pace.den);
}

/* Puts a new slot on top of the heap in place of the old one. */
static void replace_top(struct skipper *s, uint64_t slot)
{
    uint64_t at = 0;
    for (;;) {
        uint64_t child = 2 * at + 1;
        if (child + 1 < s->connections && s->heap[child + 1] < s->heap[child])
            child++;
        if (child >= s->connections || s->heap[child] >= slot)
            break;
        s->heap[at] = s->heap[child];
        at = child;
    }
    s->heap[at] = slot;
}

static void forget(struct skipper *s)
{
    s->age_most = 0;
    s->age = 0;
}

static void keep_state(struct skipper *s)
{
    uint64_t slot = s->heap[0];
    ns_t due_ns = pace_due(s->pace, slot);
    s->kept.slot = slot;
    s->kept.phase = phase_of(s, slot);
    for (uint64_t i = 0; i < s->connections; i++)
        s->kept.next[i] = s->next[(slot + i) % s->connections] - slot;
    for (uint64_t i = 0; i < s->workers; i++) {
        ns_t done_ns = s->done_ns[(s->turn + i) % s->workers];
        s->kept.busy_ns[i] = done_ns > due_ns ? done_ns - due_ns : 0;
    }
    s->age_most = s->age_most == 0 ? 1 : s->age_most * 2;
    s->age = 0;
    multiset_free(&s->since);
    timeline_spend(&s->time, (s->connections + s->workers) / 8);
}

static bool is_kept_state(const struct skipper *s)
{
    uint64_t slot = s->heap[0];
    if (phase_of(s, slot) != s->kept.phase)
        return false;
    ns_t due_ns = pace_due(s->pace, slot);
    for (uint64_t i = 0; i < s->workers; i++) {
        ns_t done_ns = s->done_ns[(s->turn + i) % s->workers];
        if (s->kept.busy_ns[i] != (done_ns > due_ns ? done_ns - due_ns : 0))
            return false;
    }
    for (uint64_t i = 0; i < s->connections; i++)
        if (s->kept.next[i] != s->next[(slot + i) % s->connections] - slot)
            return false;
    return true;
}

static void record(struct skipper *s, struct answer a)
{
    if (a.finished_ns - a.sent_ns > s->longest_ns)
        s->longest_ns = a.finished_ns - a.sent_ns;
    ns_t value_ns = answer_instant(a, s->asked->to) - answer_instant(a, s->asked->from);
    struct progression p = {(i128)value_ns, 0, 1, 1};
    if (a.sent_ns >= s->asked->warmup_ns)
        multiset_add(s->out, p);
    multiset_add(&s->since, p);
}

/* Sends the next slot. */
static void step(struct skipper *s)
{
    uint64_t slot = s->heap[0];
    struct answer a = {.sent_ns = pace_due(s->pace, slot)};
    ns_t freed_ns = s->done_ns[s->turn];
    ns_t ready_ns = a.sent_ns > freed_ns ? a.sent_ns : freed_ns;
    struct segment segment = timeline_free(&s->time, ready_ns);
    a.started_ns = segment.from_ns;
    a.finished_ns = timeline_finish(&s->time, a.started_ns);
    bool plain = a.started_ns == ready_ns && a.finished_ns == ready_ns + s->time.service_ns;
    if (!plain || segment.until_ns != s->segment.until_ns)
        forget(s);
    s->segment = segment;
    s->done_ns[s->turn] = a.finished_ns;
    s->turn = (s->turn + 1) % s->workers;
    s->last = a;
    s->last_slot = slot;
    s->age++;
    record(s, a);

    u128 first = slots_before(s->pace, a.finished_ns);
    uint64_t next = slot + s->connections;
    uint64_t due_again = first < s->slots ? (uint64_t)first : s->slots;
    if (due_again > next)
        next += (due_again - next + s->connections - 1) / s->connections * s->connections;
    s->next_sum += next - slot;
    s->next[slot % s->connections] = next;
    replace_top(s, next);
    timeline_spend(&s->time, 1);
}

/* All connections and workers have moved on by so many slots and ns. */
static void shift(struct skipper *s, uint64_t slots, ns_t ns)
{
    for (uint64_t i = 0; i < s->connections; i++) {
        s->heap[i] += slots;
        s->next[s->heap[i] % s->connections] = s->heap[i];
    }
    for (uint64_t i = 0; i < s->workers; i++)
        s->done_ns[i] += ns;
    s->next_sum += (u128)s->connections * slots;
    timeline_spend(&s->time, (s->connections + s->workers) / 8);
}

/* In the state that was kept: jumps over as many periods as fit before the pause, the warm-up
   instant and the end, each like the sends since then. */
static void jump_periods(struct skipper *s)
{
    uint64_t slots = s->heap[0] - s->kept.slot;
    ns_t length_ns = (ns_t)((u128)slots * s->pace.num / s->pace.den);
    ns_t warmup_ns = s->asked->warmup_ns, reserve_ns = s->time.service_ns == 0;
    ns_t end_ns = s->segment.until_ns == NEVER ? NS_LIMIT : s->segment.until_ns - reserve_ns;
    uint64_t periods = 0;
    if (s->last_slot < s->slots && end_ns >= s->last.finished_ns)
        periods = (s->slots - 1 - s->last_slot) / slots;
    if (length_ns > 0 && periods > (end_ns - s->last.finished_ns) / length_ns)
        periods = (end_ns - s->last.finished_ns) / length_ns;
    bool warming = s->last.sent_ns < warmup_ns;
    if (warming && length_ns > 0 && periods > (warmup_ns - 1 - s->last.sent_ns) / length_ns)
        periods = (warmup_ns - 1 - s->last.sent_ns) / length_ns;
    if (periods > 0) {
        for (size_t i = 0; i < s->since.count && !warming; i++) {
            struct progression p = s->since.items[i];
            p.times *= periods;
            multiset_add(s->out, p);
        }
        shift(s, periods * slots, periods * length_ns);
    }
    forget(s);
}

/* With all idle and room for S in min(c, N) intervals, requests take S each until the pause. */
static bool jump_calm(struct skipper *s)
{
    uint64_t slot = s->heap[0], n = s->connections;
    ns_t due_ns = pace_due(s->pace, slot), service_ns = s->time.service_ns;
    if (s->next_sum != (u128)n * slot + (u128)n * (n - 1) / 2 ||
        s->done_ns[(s->turn + s->workers - 1) % s->workers] > due_ns ||
        (u128)service_ns * s->pace.den > (u128)s->workers * s->pace.num)
        return false;
    struct segment segment = timeline_free(&s->time, due_ns);
    ns_t reserve_ns = service_ns > 0 ? service_ns : 1;
    uint64_t end = s->slots;
    if (segment.from_ns > due_ns || segment.until_ns <= reserve_ns)
        return false;
    u128 by_pause =
        segment.until_ns == NEVER ? end : slots_before(s->pace, segment.until_ns - reserve_ns + 1);
    if (by_pause < end)
        end = (uint64_t)by_pause;
    if (end < slot || end - slot < n)
        return false;
    struct answer a = {0, 0, service_ns};
    ns_t value_ns = answer_instant(a, s->asked->to) - answer_instant(a, s->asked->from);
    u128 warm = slots_before(s->pace, s->asked->warmup_ns);
    uint64_t first = warm > slot ? (warm < end ? (uint64_t)warm : end) : slot;
    multiset_add(s->out, (struct progression){(i128)value_ns, 0, 1, end - first});
    if (service_ns > s->longest_ns)
        s->longest_ns = service_ns;
    shift(s, end - slot, 0);
    for (uint64_t i = 0; i < s->workers; i++)
        s->done_ns[(s->turn + i) % s->workers] =
            pace_due(s->pace, end - s->workers + i) + service_ns;
    forget(s);
    return true;
}

static void walk(struct skipper *s)
{
    while (s->heap[0] < s->slots && s->time.fault == NULL) {
        if (jump_calm(s))
            continue;
        if (s->age_most > 0 && s->age > 0 && is_kept_state(s))
            jump_periods(s);
        if (s->heap[0] >= s->slots)
            break;
        if (s->age >= s->age_most)
            keep_state(s);
        step(s);
    }
}

static void skipper_open(struct skipper *s)
{
    s->heap = must_alloc(s->connections, sizeof s->heap[0]);
    s->next = must_alloc(s->connections, sizeof s->next[0]);
    s->kept.next = must_alloc(s->connections, sizeof s->kept.next[0]);
    s->done_ns = must_alloc(s->workers, sizeof s->done_ns[0]);
    s->kept.busy_ns = must_alloc(s->workers, sizeof s->kept.busy_ns[0]);
    multiset_init(&s->since, 1);
    for (uint64_t i = 0; i < s->connections; i++) {
        s->heap[i] = s->next[i] = i;
        s->next_sum += i;
    }
    for (uint64_t i = 0; i < s->workers; i++)
        s->done_ns[i] = 0;
}

static void skipper_close(struct skipper *s)
{
    free(s->heap);
    free(s->next);
    free(s->kept.next);
    free(s->done_ns);
    free(s->kept.busy_ns);
    multiset_free(&s->since);
}

static bool answer(struct skipper *s, const struct law_question *q, char why[LAW_WHY_SIZE])
{
    uint64_t workers = q->server->workers;
    s->workers = workers < s->connections ? workers : s->connections;
    timeline_spend(&s->time, 4 * s->connections);
    if (s->time.fault != NULL)
        return law_refuses(why, s->time.fault);
    skipper_open(s);
    walk(s);
    skipper_close(s);
    if (s->time.fault != NULL)
        return law_refuses(why, s->time.fault);
    if (q->load->timeout_ns > 0 && s->longest_ns > q->load->timeout_ns)
        return law_refuses(why, "Some answers come after the client's timeout.");
    return true;
}

static bool exact(const struct law_question *q, struct multiset *out, char why[LAW_WHY_SIZE])
{
    if (q->load->kind.type != &load_paced.is)
        return law_refuses(why, LAW_ELSEWHERE "paced connections.");
    const struct paced_load *load = q->load->kind.params;
    if (load->late.type != &late_skip.is)
        return law_refuses(why, LAW_ELSEWHERE "connections that skip what they missed.");
    struct multiset values;
    struct skipper s = {.asked = q, .connections = load->connections, .out = &values};
    s.pace = pace_of(load->rate_per_s, load->every_ns);
    if (!slots_in_run(s.pace, q->run, &s.slots, why) || !timeline_open(&s.time, q, why))
        return false;
    multiset_init(&values, 1);
    bool known = answer(&s, q, why);
    timeline_close(&s.time);
    multiset_seal(&values);
    if (known)
        *out = values;
    else
        multiset_free(&values);
    return known;
}

const struct law_type law_paced_skip = {
    .is = {"paced-skip", "constant service, paced connections that skip missed slots: exact", NULL,
           0, 0, NULL},
    .formula = "sent = due; start = first free instant >= max(due, done of the send c before), "
               "done = H(A^-1(A(start) + S)); the connection's next slot is its first with due >= "
               "done",
    .symbols = "due(i) = floor(i tau) ns, tau slot interval (ns), slot i on connection i mod N, S "
               "service (ns), c workers, A(t) time up to t not suspended (ns), "
               "H(t) the end of the blackout that began before t and lasts beyond it, else t",
    .domain = "constant service; paced load with late: skip; suspend, gate and blackout stalls; "
              "first come, "
              "first served, no queue limit, no answer after a timeout, no cut",
    .source = "(max,+) recursion of a first come, first served queue: Baccelli et al., "
              "Synchronization and Linearity (1992), with the policy's own rule for the next slot",
    .check = "S = 100 us, tau = 200 us, stalls of 200 ms from 0.5 s each second, 100000 slots: "
             "each of 20 answers of L = 200100 us costs ceil(L / tau) - 1 = 1000 slots, so 80000 "
             "are sent",
    .exact = exact,
};
