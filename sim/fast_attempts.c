/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/routing/routing.h"
#include "sim/fast_replicas.h"
#include "sim/fast_timers.h"

/* ---- what waits ---- */

/* Clients that give up do so in turn, so what is taken back is mostly at the front. */
static void drop_front(struct copies *c, struct replica *q)
{
    while (q->front != NOBODY && c->entries[q->front].copy.place == PLACE_TAKEN_BACK)
        forget_copy(c, pop_front(c, q));
}

static void list_replica(struct copies *c, uint32_t replica)
{
    if (c->replicas[replica].listed)
        return;
    c->replicas[replica].listed = true;
    c->listed[c->listed_count++] = replica;
}

/* What waits starts when no other service ends at that instant. */
static void move_on(struct copies *c)
{
    if (ends_next_ns(&c->services) == c->now_ns)
        return;
    while (c->listed_count > 0) {
        uint32_t replica = c->listed[--c->listed_count];
        c->replicas[replica].listed = false;
        serve_waiting(c, replica);
    }
}

/* ---- what a client does when it has sent ---- */

/* The next copy that is due to be sent, if there is one. */
static inline void plan_resend(struct copies *c, uint32_t request)
{
    if (c->entries[request].request.copies_sent < c->resend->copies)
        set_timer(c, &c->resends, c->resend->after_ns, request, TIMER_RESEND);
}

static inline void set_timers(struct copies *c, uint32_t request, uint32_t copy)
{
    ns_t timeout_ns = c->load->timeout_ns;
    if (timeout_ns != 0 && copy == 0)
        set_timer(c, &c->timeouts, timeout_ns, request, TIMER_TIMEOUT);
    if (timeout_ns != 0 && c->load->timeout_cancel != CANCEL_NONE)
        set_timer(c, &c->timeouts, timeout_ns, request, TIMER_ABANDON + copy);
    if (copy == 0 && c->resend != NULL && c->resend->after_ns > 0)
        plan_resend(c, request);
}

/* ---- copies ---- */

static uint32_t replica_of(const struct copies *c, const struct pending *r, uint64_t copy)
{
    struct choice rule = c->fast.server->routing;
    uint64_t replicas = c->fast.server->replicas;
    if (replicas == 1)
        return 0;
    if (copy > 0 && c->elsewhere)
        return (uint32_t)((r->first_replica + copy) % replicas);
    struct stream own =
        copy == 0 ? c->routing_stream : stream_at(c->routing_stream, UINT64_MAX - copy);
    return (uint32_t)routing(rule)->replica(rule.params, own, r->number, replicas, c->there);
}

static void refuse(struct copies *c, uint32_t i)
{
    struct pending *r = &c->entries[c->entries[i].copy.request].request;
    if (!r->done) {
        c->fast.totals->refused++;
        r->started_ns = c->now_ns;
        finish(c, r, STATUS_REFUSED);
    }
    c->entries[i].copy.place = PLACE_TAKEN_BACK;
    unlink_copy(c, i);
    forget_copy(c, i);
}

/* False: it is refused, and its request perhaps gone. */
static inline bool enter(struct copies *c, uint32_t i)
{
    uint32_t replica = c->entries[i].copy.replica;
    struct replica *q = &c->replicas[replica];
    bool waits = q->serving >= c->workers; /* else none does: they have moved on */
    if (waits && c->there[replica] >= c->room) {
        refuse(c, i);
        return false;
    }
    c->there[replica]++;
    if (waits)
        wait_behind(c, q, i);
    else
        begin_service(c, q, i);
    return true;
}

/* A copy of the request at entry i, before those that were sent so far. */
static inline void make_copy(struct copies *c, uint32_t request, uint32_t i, uint32_t copy,
                             ns_t work_ns)
{
    struct pending *r = &c->entries[request].request;
    struct attempt *a = &c->entries[i].copy;
    uint32_t replica = replica_of(c, r, copy);
    a->order = r->number << ORDER_BITS | copy;
    a->work_ns = work_ns;
    a->request = request;
    a->next = copy == 0 ? NOBODY : r->first;
    a->copy = (uint16_t)copy;
    a->replica = (uint16_t)replica;
    r->first = i;
    r->open = copy == 0 ? 1 : r->open + 1;
    r->copies_sent = copy + 1;
}

static bool send_further(struct copies *c, uint32_t request)
{
    const struct distribution_type *service = distribution(c->fast.server->service);
    uint32_t i = take(c), copy = c->entries[request].request.copies_sent;
    uint64_t number = c->entries[request].request.number;
    ns_t work_ns = c->entries[request].copy.work_ns;
    if (c->load->work == WORK_PER_ATTEMPT)
        service->draw(c->fast.server->service.params,
                      stream_at(c->fast.service_stream, UINT64_MAX - copy),
                      service->random ? number : number + copy, &work_ns, 1);
    c->further++;
    make_copy(c, request, i, copy, work_ns);
    set_timers(c, request, copy);
    return enter(c, i);
}

static inline void send_request(struct copies *c, ns_t work_ns)
{
    uint32_t i = take(c);
    struct engine_totals *t = c->fast.totals;
    struct pending *r = &c->entries[i].request;
    r->number = c->sent++;
    r->sent_ns = c->now_ns;
    r->status = STATUS_ANSWERED;
    r->done = false;
    make_copy(c, i, i, 0, work_ns);
    r->replica = r->first_replica = c->entries[i].copy.replica;
    c->in_flight++;
    set_timers(c, i, 0);
    bool more = enter(c, i);
    if (c->resend != NULL && c->resend->after_ns == 0)
        while (more && c->entries[i].request.copies_sent < c->resend->copies)
            more = send_further(c, i);
    t->in_flight_max = c->in_flight > t->in_flight_max ? c->in_flight : t->in_flight_max;
}

void attempts_begin(struct copies *c, uint32_t replica, ns_t work_ns)
{
    uint32_t i = take(c);
    c->entries[i] = (struct entry){
        .request = {.number = INITIAL_JOB, .first = i, .open = 1, .copies_sent = 1},
        .copy = {.work_ns = work_ns, .request = i, .next = NOBODY, .replica = (uint16_t)replica},
    };
    c->there[replica]++;
    c->in_flight++;
    wait_behind(c, &c->replicas[replica], i);
    list_replica(c, replica);
}

static void withdraw(struct copies *c, uint32_t i)
{
    struct attempt *a = &c->entries[i].copy;
    struct pending *r = &c->entries[a->request].request;
    struct replica *q = &c->replicas[a->replica];
    c->fast.totals->cancelled++;
    c->there[a->replica]--;
    if (a->place == PLACE_SERVICE) {
        if (r->status == STATUS_TIMED_OUT)
            r->started_ns = a->begun_ns;
        c->work_ns += c->now_ns - a->begun_ns;
        q->serving--;
        c->broken_off++;
        list_replica(c, a->replica);
    }
    a->place = PLACE_TAKEN_BACK;
    unlink_copy(c, i);
    drop_front(c, q);
}

/* Takes back the other copies of a request: those that have not begun, or all. */
static void withdraw_others(struct copies *c, uint32_t request)
{
    uint32_t next;
    for (uint32_t i = c->entries[request].request.first; i != NOBODY; i = next) {
        next = c->entries[i].copy.next;
        if (c->resend->cancel == CANCEL_IN_SERVICE || c->entries[i].copy.place != PLACE_SERVICE)
            withdraw(c, i);
    }
    copies_forget_broken_off(c);
}

static void answer(struct copies *c, uint32_t i)
{
    const struct attempt *a = &c->entries[i].copy;
    uint32_t request = a->request;
    struct pending *r = &c->entries[request].request;
    bool ends = !r->done, others = r->open > 1;
    if (ends || r->status == STATUS_TIMED_OUT)
        r->started_ns = a->begun_ns;
    if (ends) {
        r->replica = a->replica;
        if (r->number != INITIAL_JOB) {
            c->fast.totals->answered++;
            c->fast.totals->last_answer_ns = c->now_ns;
        }
        finish(c, r, STATUS_ANSWERED);
    } else {
        c->fast.totals->wasted++;
    }
    unlink_copy(c, i);
    forget_copy(c, i);
    if (ends && others && c->resend->cancel != CANCEL_NONE)
        withdraw_others(c, request);
}

/* The answer of a request's only copy, in time: most are of this kind. */
static inline void answer_only(struct copies *c, uint32_t i)
{
    struct entry *e = &c->entries[i];
    c->fast.totals->answered++;
    c->fast.totals->last_answer_ns = c->fast.last_over_ns = c->now_ns;
    c->in_flight--;
    e->request.started_ns = e->copy.begun_ns;
    e->request.finished_ns = c->now_ns;
    put_row(c, &e->request);
    e->request.number = NO_REQUEST;
    e->copy.place = PLACE_NONE;
    give(c, i);
}

/* The service that is over next; what waits moves on. */
static inline void complete(struct copies *c)
{
    struct node over = ends_pop(&c->services);
    uint32_t i = (uint32_t)over.payload;
    const struct entry *e = &c->entries[i];
    c->now_ns = over.high;
    if (e->copy.place == PLACE_TAKEN_BACK) {
        c->broken_off--;
        forget_copy(c, i);
        move_on(c);
        return;
    }
    uint32_t replica = e->copy.replica;
    c->overflow |= over.high >= NS_LIMIT;
    c->work_ns += e->copy.work_ns;
    c->replicas[replica].serving--;
    c->there[replica]--;
    if (e->copy.request == i && e->request.open == 1 && !e->request.done &&
        e->request.number != INITIAL_JOB)
        answer_only(c, i);
    else
        answer(c, i);
    if (c->listed_count == 0 && ends_next_ns(&c->services) != c->now_ns) {
        serve_waiting(c, replica); /* move_on(), of this one */
        return;
    }
    list_replica(c, replica);
    move_on(c);
}

/* ---- what a client does without an answer ---- */

/* Further copies may be no more than the budget's share of the requests. */
static bool may_resend(const struct copies *c)
{
    struct ratio budget = c->resend->budget;
    return budget.den == 0 ||
           (u128)c->fast.totals->resent + 1 <= (u128)c->sent * budget.num / budget.den;
}

static void resend(struct copies *c, uint32_t request)
{
    if (!may_resend(c)) {
        c->fast.totals->withheld++;
        return;
    }
    c->fast.totals->resent++;
    if (send_further(c, request))
        plan_resend(c, request);
}

/* A copy that is still there so long after it was sent. */
static void abandon(struct copies *c, uint32_t request, uint64_t copy)
{
    uint32_t i = c->entries[request].request.first;
    while (i != NOBODY && c->entries[i].copy.copy != copy)
        i = c->entries[i].copy.next;
    if (i == NOBODY)
        return;
    if (c->load->timeout_cancel == CANCEL_IN_SERVICE || c->entries[i].copy.place != PLACE_SERVICE)
        withdraw(c, i);
    copies_forget_broken_off(c);
}

/* The first timer of all. */
static void fire(struct copies *c)
{
    struct timers *t = c->timeouts.first_ns < c->resends.first_ns ? &c->timeouts : &c->resends;
    if (c->timeouts.first_ns == c->resends.first_ns &&
        timer_at(&c->timeouts, 0)->order < timer_at(&c->resends, 0)->order)
        t = &c->timeouts;
    struct timer timer = pop_timer(t);
    if (is_dead(c, &timer))
        return;
    uint64_t what = timer.order & ((1 << ORDER_BITS) - 1);
    c->now_ns = timer.at_ns;
    if (what >= TIMER_ABANDON) {
        abandon(c, timer.request, what - TIMER_ABANDON);
    } else if (what == TIMER_TIMEOUT) {
        c->fast.totals->timed_out++;
        c->entries[timer.request].request.started_ns = c->now_ns;
        finish(c, &c->entries[timer.request].request, STATUS_TIMED_OUT);
    } else {
        resend(c, timer.request);
    }
    move_on(c);
}

/* What comes next: at one instant a completion, then a timer, then a send. */
void attempts_run(struct copies *c)
{
    move_on(c);
    while (!c->overflow && !c->stopped) {
        ns_t over_ns = ends_next_ns(&c->services), due_ns = c->due_ns;
        ns_t timer_ns =
            c->timeouts.first_ns < c->resends.first_ns ? c->timeouts.first_ns : c->resends.first_ns;
        if (over_ns <= due_ns && over_ns <= timer_ns) {
            if (over_ns == NEVER)
                return;
            complete(c);
        } else if (timer_ns <= due_ns) {
            fire(c);
        } else {
            c->now_ns = due_ns;
            c->overflow |= due_ns >= NS_LIMIT;
            send_request(c, c->fast.work_ns[c->next++]);
            if (c->next == c->known)
                copies_draw(c);
            else
                c->due_ns = c->fast.due_ns[c->next];
        }
    }
}
