/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/station.h"

/* One server's queue, first come first served, and its workers; each request one copy that is
   followed to its end, whether or not its client waits for it; no stalls.  A copy is then no more
   than its request, and most of what the stations and paths of the other files keep apart is the
   same: what waits starts as soon as no other service ends at that instant. */

bool plain_is(const struct sim *sim)
{
    const struct load_plan *load = sim->load;
    return sim->alone && sim->steady && sim->station_count == 1 && !sim->has_lost &&
           sim->stations[0].discipline == &queue_fifo && sim->server->load_dependence.num == 0 &&
           (load->timeout_ns == 0 || load->timeout_cancel == CANCEL_NONE) &&
           sim->plan->run.cut_ns == 0;
}

static inline void begin_service(struct sim *sim, struct station *station, size_t request,
                                 ns_t work_ns)
{
    struct request *r = &sim->requests[request];
    uint64_t place = r->number + (r->initial ? 0 : sim->asked->initial.count);
    r->started_ns = sim->now_ns;
    station->serving++;
    station->work_done_ns += work_ns;
    heap_push(&sim->services,
              (struct node){sim->now_ns + work_ns, place << COPY_ORDER_BITS, request});
}

static inline void begin_waiting(struct sim *sim, struct station *station)
{
    struct waiting *w = &station->waiting;
    ns_t work_ns = w->items[w->head].work_ns;
    begin_service(sim, station, waiting_pop_front(w, 0), work_ns);
}

void plain_begin(struct sim *sim, size_t request, ns_t work_ns)
{
    struct station *station = &sim->stations[0];
    count_in_flight(sim, true);
    count_most(sim);
    sim->copies_there++;
    if (station->serving < station->workers)
        begin_service(sim, station, request, work_ns);
    else
        waiting_push(&station->waiting, request, work_ns);
}

static inline void advance(const struct sim *sim, struct station *station)
{
    station->served_ns += (u128)station->serving * (sim->now_ns - station->at_ns);
    station->at_ns = sim->now_ns;
}

static void forget(struct sim *sim, size_t request)
{
    sim->copies_there--;
    sim->requests[request].number = NEVER;
    entry_give(sim, request);
}

static void refuse(struct sim *sim, size_t request)
{
    sim->totals->refused++;
    sim->requests[request].started_ns = sim->now_ns;
    client_done(sim, request, STATUS_REFUSED);
    request_row(sim, request);
    forget(sim, request);
}

static bool is_full(const struct station *station)
{
    return station->queue_limit != UNLIMITED && station->workers != UNLIMITED &&
           (u128)station->waiting.count + station->serving >=
               (u128)station->workers + station->queue_limit;
}

void plain_send(struct sim *sim, size_t request)
{
    struct station *station = &sim->stations[0];
    struct request *r = &sim->requests[request];
    struct engine_totals *t = sim->totals;
    r->sent = true;
    r->sent_ns = sim->now_ns;
    if (t->sent++ == 0)
        t->first_send_ns = sim->now_ns;
    t->attempts++;
    count_in_flight(sim, true);
    sim->copies_there++;
    if (sim->load->timeout_ns != 0)
        timers_set(sim, request, 0);
    ns_t work_ns = ahead_ns(&sim->service, r->number);
    if (station->serving < station->workers) {
        advance(sim, station);
        begin_service(sim, station, request, work_ns);
    } else if (is_full(station)) {
        refuse(sim, request);
    } else {
        waiting_push(&station->waiting, request, work_ns);
    }
}

static inline void complete(struct sim *sim, struct station *station)
{
    advance(sim, station);
    size_t request = (size_t)heap_pop(&sim->services).payload;
    if (sim->services.count > 0) /* the next to leave may have to come from memory */
        __builtin_prefetch(&sim->requests[sim->services.items[0].payload]);
    struct request *r = &sim->requests[request];
    station->serving--;
    if (sim->services.count == 0 || sim->services.items[0].high > sim->now_ns)
        while (station->waiting.count > 0 && station->serving < station->workers)
            begin_waiting(sim, station);
    if (r->done) {
        sim->totals->wasted++;
    } else {
        if (!r->initial) {
            sim->totals->answered++;
            sim->totals->last_answer_ns = sim->now_ns;
        }
        client_done(sim, request, STATUS_ANSWERED);
    }
    if (!sim->requests[request].initial)
        request_row(sim, request);
    forget(sim, request);
}

static bool move_to(struct sim *sim, ns_t next_ns)
{
    BUG_IF(next_ns == NEVER);
    sim->events_at_now = next_ns == sim->now_ns ? sim->events_at_now + 1 : 0;
    sim->now_ns = next_ns;
    sim->overflow |= next_ns >= NS_LIMIT;
    return !sim->overflow;
}

/* What comes next: at one instant a completion, then a timer, then a send. */
bool plain_step(struct sim *sim)
{
    struct station *station = &sim->stations[0];
    const struct node *top = &sim->agenda.next;
    ns_t completion_ns = sim->services.count > 0 ? sim->services.items[0].high : NEVER;
    ns_t due_ns = sim->ahead.next_ns;
    if (completion_ns <= due_ns && completion_ns <= top->high) {
        if (sim->copies_there == 0 && sim->wakes == 0) /* all three never */
            return false;
        if (!move_to(sim, completion_ns))
            return false;
        complete(sim, station);
    } else if (due_ns < top->high || (due_ns == top->high && event_class_of(top) == EVENT_SEND)) {
        if (!move_to(sim, due_ns))
            return false;
        sim_arrive(sim);
    } else {
        if (sim->copies_there == 0 && sim->wakes == 0)
            return false; /* timers of requests that are over */
        if (!move_to(sim, top->high))
            return false;
        sim_handle_next(sim);
    }
    return !sim->overflow;
}
