/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/fast_open.h"

#include <stdlib.h>

#include "models/loads/load.h"
#include "models/queues/queue.h"

bool fast_open_accepts(const struct engine_request *request)
{
    const struct server *server = &request->plan->server;
    const struct load_plan *load = &request->plan->loads[request->load];
    if (server->replicas != 1 || load->fan_out != 1 || load->resend.type != NULL)
        return false;
    if (server->queue.type != &queue_fifo.is || server->load_dependence.num != 0 ||
        server->quota.budget_ns != 0 || server->behind.service.type != NULL ||
        server->network.delay.type != NULL || load->generator.cost_ns != 0 ||
        load->overhead_ns != 0)
        return false;
    if (request->settle_ns != 0 || request->settle_requests != 0 ||
        load_kind(load->kind) != &load_open || load->timeout_ns != 0 || server->workers != 1 ||
        server->queue_limit != UNLIMITED || request->plan->run.cut_ns != 0)
        return false;
    for (size_t i = 0; i < server->stall_count; i++)
        if (server->stalls[i].last_ns > 0 || server->stalls[i].up.type != NULL)
            return false;
    const struct open_load *open = load->kind.params;
    return open->max_in_flight == UNLIMITED;
}

/* Answers to come, in order: the requests in flight. */
struct flight {
    ns_t *finish_ns; /* ring, capacity a power of two */
    size_t head, count, capacity;
    ns_t since_ns;
    u128 area;
    uint64_t most;
};

static void flight_grow(struct flight *f)
{
    size_t capacity = f->capacity ? 2 * f->capacity : 1024;
    ns_t *finish_ns = must_alloc(capacity, sizeof *finish_ns);
    for (size_t i = 0; i < f->count; i++)
        finish_ns[i] = f->finish_ns[(f->head + i) & (f->capacity - 1)];
    free(f->finish_ns);
    f->finish_ns = finish_ns;
    f->head = 0;
    f->capacity = capacity;
}

/* Answers up to and at the instant leave. */
static inline void flight_leave(struct flight *f, ns_t now_ns)
{
    while (f->count > 0 && f->finish_ns[f->head] <= now_ns) {
        ns_t at_ns = f->finish_ns[f->head];
        f->area += (u128)f->count * (at_ns - f->since_ns);
        f->since_ns = at_ns;
        f->head = (f->head + 1) & (f->capacity - 1);
        f->count--;
    }
}

/* Requests enter at due and leave at done, both in order.  A local copy keeps the ring in
 * registers. */
static void flight_take(struct flight *flight, const ns_t *due_ns, const ns_t *done_ns, size_t rows)
{
    struct flight f = *flight;
    for (size_t i = 0; i < rows; i++) {
        flight_leave(&f, due_ns[i]);
        if (f.count == f.capacity)
            flight_grow(&f);
        f.area += (u128)f.count * (due_ns[i] - f.since_ns);
        f.since_ns = due_ns[i];
        f.finish_ns[(f.head + f.count++) & (f.capacity - 1)] = done_ns[i];
        f.most = f.count > f.most ? f.count : f.most;
    }
    *flight = f;
}

struct fast {
    const struct engine_request *request;
    const struct open_load *open;
    struct engine_totals *totals;
    struct arrival_cursor cursor;
    struct stream service_stream;
    uint64_t number;
    ns_t finished_ns; /* of the request before */
    struct flight flight;
    ns_t due_ns[BATCH_ROWS], started_ns[BATCH_ROWS], done_ns[BATCH_ROWS], work_ns[BATCH_ROWS];
    uint8_t status[BATCH_ROWS]; /* all answered */
};

/* Columns that are all zeros here. */
static const uint64_t no_client[BATCH_ROWS];
static const uint32_t first_replica[BATCH_ROWS];
static const ns_t no_stall_ns[BATCH_ROWS];

/* In the engine's units of 2^-64 ns. */
static void count_work(struct engine_totals *t, u128 served_ns, u128 work_ns)
{
    t->busy_area += served_ns << 64;
    t->work_done += work_ns << 64;
    t->running_ns[STAGE_SERVER] += served_ns;
}

/* Jobs already there: they only push the first answers back. */
static void begin(struct fast *f)
{
    const struct initial_jobs *initial = &f->request->initial;
    for (size_t k = 0; k < initial->count; k++) {
        f->finished_ns += initial->work_ns[k];
        count_work(f->totals, initial->work_ns[k], initial->work_ns[k]);
        f->totals->initial_time_ns += f->finished_ns;
        if (f->flight.count == f->flight.capacity)
            flight_grow(&f->flight);
        f->flight.finish_ns[f->flight.count++] = f->finished_ns;
    }
    f->flight.most = f->flight.count;
}

/* Draws due instants and claims them: how many rows the next batch has.  0: the run is over. */
static size_t claim_rows(struct fast *f)
{
    const struct run_plan *run = &f->request->plan->run;
    struct engine_totals *t = f->totals;
    if (t->window_known)
        return 0;
    const struct choice *arrivals_choice = &f->open->arrivals;
    size_t drawn =
        arrivals(*arrivals_choice)->due(arrivals_choice->params, &f->cursor, f->due_ns, BATCH_ROWS);
    size_t rows = drawn;
    if (run->requests != 0 && run->requests - f->number < rows)
        rows = (size_t)(run->requests - f->number);
    ns_t end_ns = run->duration_ns != 0 ? run->duration_ns : NS_LIMIT;
    while (rows > 0 && f->due_ns[rows - 1] >= end_ns)
        rows--;
    if (rows < drawn) {
        t->window_known = true;
        t->window_end_ns = f->due_ns[rows] < end_ns ? f->due_ns[rows] : end_ns;
    }
    return rows;
}

/* Lindley's recursion over one batch; false when the clock would overflow. */
static bool serve_rows(struct fast *f, size_t rows)
{
    const struct server *server = &f->request->plan->server;
    distribution(server->service)
        ->draw(server->service.params, f->service_stream, f->number, f->work_ns, rows);
    ns_t finished_ns = f->finished_ns;
    for (size_t i = 0; i < rows; i++) {
        ns_t due_ns = f->due_ns[i];
        ns_t started_ns = due_ns > finished_ns ? due_ns : finished_ns;
        finished_ns = started_ns + f->work_ns[i];
        if (finished_ns >= NS_LIMIT)
            return false;
        f->started_ns[i] = started_ns;
        f->done_ns[i] = finished_ns;
    }
    f->finished_ns = finished_ns;
    if (!f->request->again)
        flight_take(&f->flight, f->due_ns, f->done_ns, rows);
    return true;
}

static void count_rows(struct fast *f, size_t rows)
{
    struct engine_totals *t = f->totals;
    ns_t warmup_ns = f->request->plan->run.warmup_ns;
    u128 served_ns = 0, work_ns = 0;
    if (f->number == 0)
        t->first_send_ns = f->due_ns[0];
    for (size_t i = 0; i < rows; i++) {
        t->due += f->due_ns[i] >= warmup_ns;
        served_ns += f->done_ns[i] - f->started_ns[i];
        work_ns += f->work_ns[i];
    }
    count_work(t, served_ns, work_ns);
    t->last_due_ns = f->due_ns[rows - 1];
    f->number += rows;
    t->sent = t->attempts = t->answered = f->number;
    t->last_answer_ns = f->finished_ns;
}

static enum engine_end run_batches(struct fast *f)
{
    for (;;) {
        size_t rows = claim_rows(f);
        if (rows == 0 && f->totals->window_known && f->totals->window_end_ns >= NS_LIMIT)
            return ENGINE_OVERFLOW;
        if (rows == 0)
            return ENGINE_DONE;
        if (!serve_rows(f, rows))
            return ENGINE_OVERFLOW;
        count_rows(f, rows);
        struct batch batch = {.count = rows,
                              .due = f->due_ns,
                              .acquired = f->due_ns,
                              .sent = f->due_ns,
                              .started = f->started_ns,
                              .finished = f->done_ns,
                              .ended = f->done_ns,
                              .status = f->status,
                              .client = no_client,
                              .replica = first_replica,
                              .waited_stalled = no_stall_ns,
                              .served_stalled = no_stall_ns,
                              .waited_behind = no_stall_ns};
        if (f->request->consumer.take != NULL)
            f->request->consumer.take(f->request->consumer.self, &batch);
        if (f->request->stop != NULL && *f->request->stop)
            return ENGINE_STOPPED;
    }
}

enum engine_end fast_open_run(const struct engine_request *request, struct engine_totals *totals)
{
    const struct plan *plan = request->plan;
    struct fast *f = must_alloc(1, sizeof *f);
    *totals = (struct engine_totals){0};
    f->request = request;
    f->open = plan->loads[request->load].kind.params;
    f->totals = totals;
    f->cursor.pace = pace_of(f->open->rate_per_s, f->open->every_ns);
    f->cursor.stream =
        stream_open(plan->run.seed, request->run, request->replication, PURPOSE_ARRIVALS);
    f->service_stream =
        stream_open(plan->run.seed, request->run, request->replication, PURPOSE_SERVICE);
    begin(f);
    enum engine_end end = run_batches(f);
    flight_leave(&f->flight, NS_LIMIT);
    totals->flight_area = f->flight.area;
    totals->in_flight_max = f->flight.most;
    totals->end_ns = f->flight.since_ns;
    free(f->flight.finish_ns);
    free(f);
    return end;
}
