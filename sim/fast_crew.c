/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "sim/fast_clients.h"
#include "sim/fast_parts.h"
#include "sim/fast_patience.h"
#include "sim/fast_workers.h"
#include "sim/queue_kernels.h"
#include "sim/row_kernels.h"

/* Several workers, first come first served: request i begins at the later of its send and the first
   instant at which one of them is free, and takes over from the service that ends then.  So with
   each request one service is over, and in the order in which requests leave the server: a later
   request ends no sooner than that, and of those that end at one instant the first sent is first.
   At the beginning nobody serves: one more worker is called whenever all who have been are busy, so
   until there is no further one, as many are in flight at most as have been called. */

#define BLOCK 256 /* rows of which a few columns stay in the first cache */

struct crew {
    struct fast fast;
    struct workers workers;
    ns_t latest_ns; /* end of a service so far */
    struct fast_clients clients;
    struct patience patience;
    size_t rows; /* that have left, in the columns below, and room for one that does not count */
    ns_t due_ns[BATCH_ROWS + 1], sent_ns[BATCH_ROWS + 1], started_ns[BATCH_ROWS + 1],
        done_ns[BATCH_ROWS + 1];
    uint64_t client[BATCH_ROWS + 1];
};

/* No more than the lag serve at once. */
static uint64_t crew_size(const struct engine_request *request, const struct senders *senders)
{
    uint64_t workers = request->plan->server.workers;
    return senders->lag > 0 && senders->lag < workers ? senders->lag : workers;
}

/* Connections in turn wait each for its own answer, not for the next of any; more initial jobs than
   a window lets in may serve at once; and clients that give up let no further ones in here. */
bool fast_crew_accepts(const struct engine_request *request)
{
    const struct server *server = &request->plan->server;
    struct senders senders;
    if (!senders_of(request, &senders) || (server->workers == 1 && !senders.returns))
        return false;
    if (senders.patience_ns > 0 && (senders.lag > 0 || request->initial.count > 0))
        return false;
    for (size_t i = 0; i < server->stall_count; i++)
        if (server->stalls[i].last_ns > 0 || server->stalls[i].up.type != NULL)
            return false;
    bool in_window = senders.lag == 0 || senders.lag >= request->initial.count;
    return in_window && (senders.closed || senders.clients == 1);
}

static void crew_open(struct crew *crew, const struct engine_request *request,
                      struct engine_totals *totals)
{
    fast_open(&crew->fast, request, totals);
    workers_open(&crew->workers, crew_size(request, &crew->fast.senders));
    clients_open(&crew->clients, &crew->fast);
}

static void crew_close(struct crew *crew)
{
    if (crew->fast.senders.patience_ns > 0)
        crew->fast.last_over_ns = crew->patience.last_over_ns;
    fast_close(&crew->fast);
    patience_close(&crew->patience);
    workers_close(&crew->workers);
    clients_close(&crew->clients);
    free(crew);
}

/* The service that ends first is over, then, and its row leaves: its slot. */
static inline size_t take_first(struct crew *crew, ns_t over_ns)
{
    size_t place = workers_take(&crew->workers), i = crew->rows;
    const struct slot *slot = &crew->workers.slots[place];
    crew->due_ns[i] = slot->due_ns;
    crew->sent_ns[i] = slot->sent_ns;
    crew->started_ns[i] = slot->started_ns;
    crew->done_ns[i] = over_ns;
    crew->client[i] = slot->client;
    crew->rows += slot->is_row;
    crew->fast.last_over_ns = over_ns;
    free_client(&crew->clients, slot->client);
    return place;
}

/* A request takes over from the service that is over first, at free_ns, or if it is sent before
   that has another worker called, if there is one: when it ends. */
static inline ns_t serve(struct crew *crew, ns_t free_ns, struct slot slot, ns_t work_ns)
{
    struct workers *w = &crew->workers;
    bool calls = w->called < w->most && slot.sent_ns < free_ns;
    size_t place = calls ? workers_call(w) : take_first(crew, free_ns);
    slot.started_ns = calls || slot.sent_ns > free_ns ? slot.sent_ns : free_ns;
    ns_t ends_ns = slot.started_ns + work_ns;
    if (slot.is_row && crew->clients.size > 0)
        slot.client = (uint32_t)next_client(&crew->clients);
    w->slots[place] = slot;
    workers_add(w, ends_ns, place);
    crew->latest_ns = ends_ns > crew->latest_ns ? ends_ns : crew->latest_ns;
    return ends_ns;
}

/* Before anybody is called nobody is free. */
static inline ns_t first_free_ns(struct crew *crew)
{
    return crew->workers.called > 0 ? workers_first_ns(&crew->workers) : NS_LIMIT;
}

static bool serve_initial(struct crew *crew)
{
    struct fast *f = &crew->fast;
    const struct initial_jobs *initial = &f->request->initial;
    for (size_t k = 0; k < initial->count; k++) {
        if (k % BATCH_ROWS == 0)
            workers_rewind(&crew->workers);
        ns_t free_ns = first_free_ns(crew);
        size_t called = crew->workers.called;
        struct slot slot = {.client = f->senders.closed ? (uint32_t)k : 0};
        ns_t done_ns = serve(crew, free_ns, slot, initial->work_ns[k]);
        if (crew->workers.called == called)
            history_push(f, free_ns);
        if (done_ns >= NS_LIMIT)
            return false;
        if (f->senders.returns)
            wheel_push(&crew->clients.returns, (struct turn){done_ns + fast_think_ns(f, k), k});
        fast_count_initial(f, initial->work_ns[k], done_ns);
    }
    return true;
}

static bool hand_on(struct crew *crew)
{
    struct fast *f = &crew->fast;
    size_t rows = crew->rows;
    crew->rows = 0;
    if (rows == 0)
        return true;
    bool answered;
    if (f->senders.patience_ns > 0)
        patience_over(&crew->patience, f, crew->sent_ns, crew->done_ns, rows);
    const ns_t *finished_ns =
        patience_leave(&crew->patience, f, crew->sent_ns, crew->done_ns, rows, &answered);
    struct batch batch = {
        .count = rows,
        .answered = answered,
        .due = f->senders.closed || f->senders.lag == 0 ? crew->sent_ns : crew->due_ns,
        .acquired = crew->sent_ns,
        .sent = crew->sent_ns,
        .started = crew->started_ns,
        .finished = finished_ns,
        .ended = crew->done_ns,
        .status = f->status,
        .client = crew->client,
        .waited_stalled = fast_zeros,
        .served_stalled = fast_zeros,
    };
    return fast_hand_on(f, &batch);
}

/* Which of the next requests of a closed load the run takes: fast_claim's rule, one by one. */
struct taking {
    uint64_t left, settling;   /* numbers */
    ns_t settle_ns, before_ns; /* instants */
};

static struct taking taking_of(const struct fast *f)
{
    const struct run_plan *run = &f->plan->run;
    const struct engine_request *asked = f->request;
    return (struct taking){
        .left = run->requests != 0 ? run->requests - (f->number - f->settling) : UINT64_MAX,
        .settling = asked->settle_requests > f->number ? asked->settle_requests - f->number : 0,
        .settle_ns = asked->settle_ns,
        .before_ns = run->duration_ns != 0 ? asked->settle_ns + run->duration_ns : UINT64_MAX};
}

/* The i-th of them, sent then. */
static inline bool takes(struct taking *t, size_t i, ns_t sent_ns)
{
    if (i < t->settling || sent_ns < t->settle_ns)
        return true;
    return sent_ns < t->before_ns && t->left-- > 0;
}

/* Sends and serves *rows, of a closed load as many of them as the run takes, and says how many, and
   how many of these found that not all workers had been called.  False: beyond the clock. */
static bool serve_rows(struct crew *crew, size_t *rows, size_t *calling)
{
    struct fast *f = &crew->fast;
    struct workers *w = &crew->workers;
    const struct senders *s = &f->senders;
    struct history *h = &f->history;
    struct wheel *returns = &crew->clients.returns;
    struct taking taking = taking_of(f);
    size_t i;
    history_room(f);
    workers_rewind(w);
    for (i = 0; i < *rows; i++) {
        ns_t free_ns = first_free_ns(crew);
        h->over_ns[h->count] = free_ns; /* whoever is the next to be over */
        ns_t sent_ns = s->closed ? 0 : f->due_ns[i];
        if (s->lag > 0 && !s->returns) {
            ns_t after_ns = h->over_ns[h->count + w->called - s->lag] + f->think_ns[i];
            sent_ns = (int64_t)after_ns > (int64_t)sent_ns ? after_ns : sent_ns;
        }
        if (s->returns)
            sent_ns = wheel_first(returns)->at;
        f->sent_ns[i] = sent_ns;
        if (s->closed && !takes(&taking, i, sent_ns))
            break;
        uint32_t client = s->returns ? (uint32_t)wheel_pop(returns).payload : 0;
        struct slot slot = {f->due_ns[i], sent_ns, 0, client, true};
        size_t called = w->called;
        *calling += called < w->most;
        f->done_ns[i] = serve(crew, free_ns, slot, f->work_ns[i]);
        h->count += w->called == called;
        ns_t back_at_ns = f->done_ns[i] + (s->returns ? f->think_ns[i] : 0);
        if (back_at_ns >= NS_LIMIT)
            return false;
        if (s->returns)
            wheel_push(returns, (struct turn){back_at_ns, client});
    }
    if (s->closed)
        BUG_IF(fast_claim(f, f->sent_ns, i + (i < *rows)) != i);
    *rows = i;
    return true;
}

/* The row of a slot leaves, and the next request takes it. */
static inline void change_slot(struct crew *crew, struct slot *slot, ns_t sent_ns, ns_t begun_ns,
                               ns_t over_ns)
{
    size_t row = crew->rows;
    crew->sent_ns[row] = slot->sent_ns;
    crew->started_ns[row] = slot->started_ns;
    crew->done_ns[row] = over_ns;
    crew->rows += slot->is_row;
    slot->is_row = true;
    slot->sent_ns = slot->due_ns = sent_ns;
    slot->started_ns = begun_ns;
}

/* The same for rows that are sent when they are due, where all of a few workers have been called.
 */
static bool serve_columns(struct crew *crew, size_t rows)
{
    struct fast *f = &crew->fast;
    struct workers *w = &crew->workers;
    ns_t *over_ns = history_room(f);
    int64_t at_ns[CREW_LARGE];
    uint32_t slot[CREW_LARGE], over_slot[BLOCK];
    ns_t begun_ns[BLOCK];
    workers_rewind(w);
    for (size_t k = 0; k < CREW_LARGE; k++) {
        at_ns[k] = k < w->most ? (int64_t)w->few[k].at : INT64_MAX;
        slot[k] = k < w->most ? (uint32_t)w->few[k].payload : 0;
    }
    for (size_t done = 0; done < rows; done += BLOCK) {
        size_t block = rows - done < BLOCK ? rows - done : BLOCK;
        queue_kernels()->take_over(f->due_ns + done, f->work_ns + done, at_ns, slot,
                                   crew_kernel_size(w->most), over_ns + done, over_slot, begun_ns,
                                   f->done_ns + done, block);
        for (size_t i = 0; i < block; i++)
            change_slot(crew, &w->slots[over_slot[i]], f->due_ns[done + i], begun_ns[i],
                        over_ns[done + i]);
    }
    for (size_t k = 0; k < w->most; k++)
        w->few[k] = (struct turn){(ns_t)at_ns[k], slot[k]};
    crew->latest_ns = (ns_t)at_ns[w->most - 1];
    f->history.count += rows;
    f->last_over_ns = over_ns[rows - 1];
    return crew->latest_ns < NS_LIMIT;
}

/* As long as workers are called, as many are in flight at most as have been. */
static void count_flight(struct crew *crew, const ns_t *sent_ns, ns_t latest_ns, size_t calling,
                         size_t rows)
{
    struct fast *f = &crew->fast;
    const ns_t *history_ns = f->history.over_ns + f->history.count + crew->workers.called - rows;
    if (crew->workers.called > f->totals->in_flight_max)
        f->totals->in_flight_max = crew->workers.called;
    if (calling > 0)
        fast_count_time(f, sent_ns, f->done_ns, latest_ns, NULL, calling);
    if (calling == rows)
        return;
    fast_count_time(f, sent_ns + calling, f->done_ns + calling, latest_ns, NULL, rows - calling);
    fast_count_most(f, sent_ns + calling, history_ns + calling, rows - calling);
}

static void count_served(struct crew *crew, bool short_works, size_t calling, size_t rows)
{
    struct fast *f = &crew->fast;
    u128 work_ns = 0;
    for (size_t i = 0; i < rows && !short_works; i++)
        work_ns += f->work_ns[i];
    if (short_works)
        work_ns = row_kernels()->sum(f->work_ns, rows);
    fast_count_work(f, work_ns);
    const ns_t *sent_ns = f->senders.lag == 0 ? f->due_ns : f->sent_ns;
    fast_count_sent(f, sent_ns, rows);
    if (f->senders.patience_ns > 0)
        patience_sent(&crew->patience, sent_ns, f->done_ns, rows);
    else
        count_flight(crew, sent_ns, short_works ? crew->latest_ns : NS_LIMIT, calling, rows);
    f->number += rows;
}

/* Until the schedule or the run is over, ENGINE_DONE with *more false. */
static enum engine_end next_batch(struct crew *crew, bool *more)
{
    struct fast *f = &crew->fast;
    const struct workers *w = &crew->workers;
    const struct senders *s = &f->senders;
    size_t wanted = fast_wanted(f), rows = wanted, calling = 0;
    if (!s->closed) {
        wanted = arrivals(s->arrivals)->due(s->arrivals.params, &f->cursor, f->due_ns, wanted);
        rows = fast_claim(f, f->due_ns, wanted);
    }
    *more = false;
    if (rows == 0)
        return ENGINE_DONE;
    bool short_works = fast_draw(f, rows);
    bool columns = short_works && s->lag == 0 && w->called == w->most && w->few != NULL;
    if (columns ? !serve_columns(crew, rows) : !serve_rows(crew, &rows, &calling))
        return ENGINE_OVERFLOW;
    if (s->patience_ns > 0 && f->due_ns[rows - 1] + s->patience_ns >= NS_LIMIT)
        return ENGINE_OVERFLOW;
    *more = rows == wanted;
    if (rows > 0)
        count_served(crew, short_works, calling, rows);
    return hand_on(crew) ? ENGINE_DONE : ENGINE_STOPPED;
}

/* What goes on when nothing more is sent. */
static bool serve_out(struct crew *crew)
{
    struct workers *w = &crew->workers;
    bool goes_on = true;
    workers_rewind(w);
    for (size_t i = 0; i < w->called && goes_on; i++) {
        take_first(crew, workers_first_ns(w));
        if (crew->rows == BATCH_ROWS)
            goes_on = hand_on(crew);
    }
    return goes_on && hand_on(crew);
}

enum engine_end fast_crew_run(const struct engine_request *request, struct engine_totals *totals)
{
    struct crew *crew = must_alloc(1, sizeof *crew);
    crew_open(crew, request, totals);
    bool more = true;
    enum engine_end end = serve_initial(crew) ? ENGINE_DONE : ENGINE_OVERFLOW;
    while (end == ENGINE_DONE && more)
        end = next_batch(crew, &more);
    if (end == ENGINE_DONE)
        end = serve_out(crew) ? ENGINE_DONE : ENGINE_STOPPED;
    crew_close(crew);
    return end;
}
