/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "sim/fast_clients.h"
#include "sim/fast_parts.h"
#include "sim/fast_patience.h"
#include "sim/queue_kernels.h"

/* Several workers, first come first served: request i begins at the later of its send and the first
   instant at which one of them is free, and takes over from the service that ends then.  So with
   each request one service is over, and in the order in which requests leave the server: a later
   request ends no sooner than that, and of those that end at one instant the first sent is first.
 */

/* From so many on, the place in their order is looked up by halves. */
#define MANY_WORKERS 12
#define WORKERS_MOST 512

#define BLOCK 256 /* rows of which a few columns stay in the first cache */

/* A service that goes on. */
struct busy {
    int64_t done_ns; /* before the first request a worker has been idle since before time 0 */
    size_t slot;     /* where its request stands */
};

/* What a worker does. */
enum service { SERVICE_NONE, SERVICE_INITIAL /* of a job that is no row */, SERVICE_ROW };

struct slot {
    enum service service;
    ns_t due_ns, sent_ns, started_ns;
    uint64_t client;
};

struct crew {
    struct fast fast;
    size_t workers;
    struct busy *busy; /* `workers` of them in order of their ends, from `first` on; owned */
    size_t first;
    struct slot *slots; /* owned */
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
    if (!senders_of(request, &senders) || (server->workers == 1 && !senders.returns) ||
        crew_size(request, &senders) > WORKERS_MOST)
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
    struct fast *f = &crew->fast;
    fast_open(f, request, totals);
    crew->workers = (size_t)crew_size(request, &f->senders);
    crew->busy = must_alloc(crew->workers + BATCH_ROWS, sizeof *crew->busy);
    crew->slots = must_alloc(crew->workers, sizeof *crew->slots);
    ns_t before_ns = f->history.over_ns[f->history.count - 1];
    for (size_t i = 0; i < crew->workers; i++)
        crew->busy[i] = (struct busy){(int64_t)before_ns, i};
    clients_open(&crew->clients, f);
}

static void crew_close(struct crew *crew)
{
    if (crew->fast.senders.patience_ns > 0)
        crew->fast.last_over_ns = crew->patience.last_over_ns;
    fast_close(&crew->fast);
    patience_close(&crew->patience);
    free(crew->busy);
    free(crew->slots);
    clients_close(&crew->clients);
    free(crew);
}

/* The window of busy workers moves on by one with each request: back to the front. */
static void rewind_busy(struct crew *crew)
{
    memmove(crew->busy, crew->busy + crew->first, crew->workers * sizeof *crew->busy);
    crew->first = 0;
}

/* The service that ends first is over, and its row leaves. */
static inline struct busy take_first(struct crew *crew)
{
    struct busy over = crew->busy[crew->first++];
    const struct slot *slot = &crew->slots[over.slot];
    size_t i = crew->rows;
    crew->due_ns[i] = slot->due_ns;
    crew->sent_ns[i] = slot->sent_ns;
    crew->started_ns[i] = slot->started_ns;
    crew->done_ns[i] = (ns_t)over.done_ns;
    crew->client[i] = slot->client;
    crew->rows += slot->service == SERVICE_ROW;
    if (slot->service != SERVICE_NONE) {
        crew->fast.last_over_ns = (ns_t)over.done_ns;
        free_client(&crew->clients, slot->client);
    }
    return over;
}

/* Puts a service behind those that end no later, among the others that go on. */
static inline void add(struct crew *crew, struct busy one)
{
    struct busy *busy = crew->busy + crew->first;
    size_t place = crew->workers - 1;
    if (place < MANY_WORKERS) {
        for (; place > 0 && busy[place - 1].done_ns > one.done_ns; place--)
            busy[place] = busy[place - 1];
        busy[place] = one;
        return;
    }
    size_t low = 0;
    for (size_t count = place; count > 0;) {
        size_t half = count / 2;
        bool behind = busy[low + half].done_ns <= one.done_ns;
        low = behind ? low + half + 1 : low;
        count = behind ? count - half - 1 : half;
    }
    if (low < place - low) { /* the place of the one that is over is free, too */
        memmove(busy - 1, busy, low * sizeof *busy);
        crew->first--;
        busy[low - 1] = one;
        return;
    }
    memmove(busy + low + 1, busy + low, (place - low) * sizeof *busy);
    busy[low] = one;
}

/* While fewer than the workers have been in flight: more than `most` are if the most-th of the last
   to end goes on at the send. */
static inline void count_few(struct crew *crew, ns_t sent_ns)
{
    const struct busy *others = crew->busy + crew->first;
    uint64_t most = crew->fast.totals->in_flight_max;
    most = most == 0 ? 1 : most;
    while (most < crew->workers && others[crew->workers - 1 - most].done_ns > (int64_t)sent_ns)
        most++;
    crew->fast.totals->in_flight_max = most;
}

/* A request takes over from the service that is over: when it ends. */
static inline ns_t serve(struct crew *crew, struct busy over, struct slot slot, ns_t work_ns)
{
    int64_t begins = (int64_t)slot.sent_ns > over.done_ns ? (int64_t)slot.sent_ns : over.done_ns;
    int64_t ends = begins + (int64_t)work_ns;
    slot.started_ns = (ns_t)begins;
    crew->slots[over.slot] = slot;
    add(crew, (struct busy){ends, over.slot});
    return (ns_t)ends;
}

static bool serve_initial(struct crew *crew)
{
    struct fast *f = &crew->fast;
    const struct initial_jobs *initial = &f->request->initial;
    for (size_t k = 0; k < initial->count; k++) {
        if (k % BATCH_ROWS == 0)
            rewind_busy(crew);
        struct busy over = take_first(crew);
        history_push(f, (ns_t)over.done_ns);
        struct slot slot = {.service = SERVICE_INITIAL, .client = f->senders.closed ? k : 0};
        ns_t done_ns = serve(crew, over, slot, initial->work_ns[k]);
        if (done_ns >= NS_LIMIT)
            return false;
        if (f->senders.returns) {
            ns_t think_ns = fast_think_ns(f, k);
            heap_push(&crew->clients.returns, (struct node){done_ns + think_ns, k, k});
        }
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

/* Sends and serves as many as are claimed of the rows in the columns; *served says how many.  With
   clients that wait, each is claimed as it is sent; the worker that had become free for one that is
   not stays idle.  False: beyond the clock. */
static bool serve_rows(struct crew *crew, size_t rows, size_t *served)
{
    struct fast *f = &crew->fast;
    const struct senders *s = &f->senders;
    ns_t *over_ns = history_room(f);
    const ns_t *back_ns = s->lag > 0 ? over_ns - (s->lag - crew->workers) : fast_zeros;
    const ns_t *due_ns = s->closed ? fast_zeros : f->due_ns;
    struct heap *returns = &crew->clients.returns;
    rewind_busy(crew);
    for (*served = 0; *served < rows; ++*served) {
        size_t i = *served;
        struct busy over = take_first(crew);
        over_ns[i] = (ns_t)over.done_ns;
        int64_t after = (int64_t)(back_ns[i] + f->think_ns[i]);
        ns_t sent_ns = (int64_t)due_ns[i] > after ? due_ns[i] : (ns_t)after;
        sent_ns = s->returns ? returns->items[0].high : sent_ns;
        if (s->closed && fast_claim(f, &sent_ns, 1) == 0) {
            crew->slots[over.slot].service = SERVICE_NONE;
            add(crew, (struct busy){INT64_MAX, over.slot});
            return true;
        }
        if (f->totals->in_flight_max < crew->workers && s->patience_ns == 0)
            count_few(crew, sent_ns);
        uint64_t client = s->returns ? returns->items[0].payload : next_client(&crew->clients);
        struct slot slot = {SERVICE_ROW, due_ns[i], sent_ns, 0, client};
        f->sent_ns[i] = sent_ns;
        f->done_ns[i] = serve(crew, over, slot, f->work_ns[i]);
        ns_t back_at_ns = f->done_ns[i] + (s->returns ? f->think_ns[i] : 0);
        if (back_at_ns >= NS_LIMIT)
            return false;
        if (s->returns)
            heap_sink(returns, 0, (struct node){back_at_ns, s->lag + f->number, client});
        f->number += s->closed;
    }
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
    crew->rows += slot->service == SERVICE_ROW;
    slot->service = SERVICE_ROW;
    slot->sent_ns = slot->due_ns = sent_ns;
    slot->started_ns = begun_ns;
}

/* The same for rows that are sent when they are due, where nobody counts the workers that have had
   nothing to do. */
static bool serve_columns(struct crew *crew, size_t rows)
{
    struct fast *f = &crew->fast;
    ns_t *over_ns = history_room(f);
    int64_t at_ns[CREW_LARGE];
    uint32_t slot[CREW_LARGE], over_slot[BLOCK];
    ns_t begun_ns[BLOCK];
    rewind_busy(crew);
    for (size_t k = 0; k < CREW_LARGE; k++) {
        at_ns[k] = k < crew->workers ? crew->busy[k].done_ns : INT64_MAX;
        slot[k] = k < crew->workers ? (uint32_t)crew->busy[k].slot : 0;
    }
    for (size_t done = 0; done < rows; done += BLOCK) {
        size_t block = rows - done < BLOCK ? rows - done : BLOCK;
        queue_kernels()->take_over(f->due_ns + done, f->work_ns + done, at_ns, slot,
                                   crew_kernel_size(crew->workers), over_ns + done, over_slot,
                                   begun_ns, f->done_ns + done, block);
        for (size_t i = 0; i < block; i++)
            change_slot(crew, &crew->slots[over_slot[i]], f->due_ns[done + i], begun_ns[i],
                        over_ns[done + i]);
    }
    for (size_t k = 0; k < crew->workers; k++)
        crew->busy[k] = (struct busy){at_ns[k], slot[k]};
    if (at_ns[crew->workers - 1] >= (int64_t)NS_LIMIT)
        return false;
    f->last_over_ns = over_ns[rows - 1];
    return true;
}

static void count_patient(struct crew *crew, ns_t latest_ns, size_t rows)
{
    struct fast *f = &crew->fast;
    struct patience *p = &crew->patience;
    ns_t patience_ns = f->senders.patience_ns;
    patience_room(&p->answers, crew->rows + crew->workers);
    for (size_t i = 0; i < crew->rows; i++)
        patience_answer(p, patience_ns, crew->sent_ns[i], crew->done_ns[i]);
    size_t left = p->answers.end;
    for (size_t k = 0; k < crew->workers; k++) {
        struct busy one = crew->busy[crew->first + k];
        if (crew->slots[one.slot].service == SERVICE_ROW)
            patience_answer(p, patience_ns, crew->slots[one.slot].sent_ns, (ns_t)one.done_ns);
    }
    patience_count(p, f, f->due_ns, f->done_ns, latest_ns, rows);
    p->answers.end = left; /* those that go on leave later, and first of all */
}

static void count_served(struct crew *crew, bool short_works, size_t rows)
{
    struct fast *f = &crew->fast;
    ns_t latest_ns = NS_LIMIT;
    u128 work_ns = 0;
    for (size_t i = 0; i < rows && !short_works; i++)
        work_ns += f->work_ns[i];
    if (short_works) {
        work_ns = queue_kernels()->sum(f->work_ns, rows);
        latest_ns = (ns_t)crew->busy[crew->first + crew->workers - 1].done_ns;
    }
    fast_count_work(f, work_ns);
    const ns_t *sent_ns = f->senders.lag == 0 ? f->due_ns : f->sent_ns;
    fast_count_sent(f, sent_ns, rows);
    const ns_t *history_ns = f->history.over_ns + f->history.count + crew->workers;
    bool few = f->totals->in_flight_max < crew->workers; /* count_few has counted them */
    if (f->senders.patience_ns > 0)
        count_patient(crew, latest_ns, rows);
    else
        fast_count_flight(f, sent_ns, f->done_ns, latest_ns,
                          few ? sent_ns + f->totals->in_flight_max : history_ns, rows);
    f->history.count += rows;
    f->number += f->senders.closed ? 0 : rows;
}

/* Until the schedule or the run is over, ENGINE_DONE with *more false. */
static enum engine_end next_batch(struct crew *crew, bool *more)
{
    struct fast *f = &crew->fast;
    const struct senders *s = &f->senders;
    size_t wanted = fast_wanted(f), rows = wanted, served;
    if (!s->closed) {
        wanted = arrivals(s->arrivals)->due(s->arrivals.params, &f->cursor, f->due_ns, wanted);
        rows = fast_claim(f, f->due_ns, wanted);
    }
    *more = false;
    if (rows == 0)
        return ENGINE_DONE;
    bool short_works = fast_draw(f, rows);
    bool counts_few = s->patience_ns == 0 && f->totals->in_flight_max < crew->workers;
    bool columns = short_works && s->lag == 0 && !counts_few && crew_kernel_size(crew->workers) > 0;
    served = rows;
    if (columns ? !serve_columns(crew, rows) : !serve_rows(crew, rows, &served))
        return ENGINE_OVERFLOW;
    if (s->patience_ns > 0 && f->due_ns[rows - 1] + s->patience_ns >= NS_LIMIT)
        return ENGINE_OVERFLOW;
    *more = served == wanted;
    if (served > 0)
        count_served(crew, short_works, served);
    return hand_on(crew) ? ENGINE_DONE : ENGINE_STOPPED;
}

enum engine_end fast_crew_run(const struct engine_request *request, struct engine_totals *totals)
{
    struct crew *crew = must_alloc(1, sizeof *crew);
    crew_open(crew, request, totals);
    bool more = true;
    enum engine_end end = serve_initial(crew) ? ENGINE_DONE : ENGINE_OVERFLOW;
    while (end == ENGINE_DONE && more)
        end = next_batch(crew, &more);
    if (end == ENGINE_DONE) {
        rewind_busy(crew);
        for (size_t i = 0; i < crew->workers; i++)
            take_first(crew);
        end = hand_on(crew) ? ENGINE_DONE : ENGINE_STOPPED;
    }
    crew_close(crew);
    return end;
}
