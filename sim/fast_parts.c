/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/fast_parts.h"

#include <stdlib.h>
#include <string.h>

#include "models/policies/late.h"
#include "sim/queue_kernels.h"
#include "sim/row_kernels.h"

/* A longer lag needs as much memory here as the event engine's requests would. */
#define LAG_MOST (UINT64_C(1) << 20)

#define RECORD_NONE UINT64_MAX

#define FEW_IN_FLIGHT 16

const ns_t fast_zeros[BATCH_ROWS];
static const uint32_t first_replica[BATCH_ROWS];

/* A distribution that is the same for every number. */
static bool is_constant(struct choice c)
{
    return c.type == &distribution_constant.is;
}

/* Whether every draw is below QUEUE_LONG_NS: an exponential one is at most 66.6 means. */
static bool are_short(struct choice c)
{
    if (c.type == &distribution_exponential.is)
        return ((const struct exponential *)c.params)->mean_ns < QUEUE_LONG_NS / 128;
    return is_constant(c) && ((const struct constant *)c.params)->value_ns < QUEUE_LONG_NS;
}

static bool closed_of(const struct engine_request *request, const struct closed_load *load,
                      struct senders *out)
{
    *out = (struct senders){
        .closed = true, .lag = load->clients, .clients = load->clients, .think = load->think};
    struct choice service = request->plan->server.service;
    out->returns = load->clients > 1 && (load->stagger_ns > 0 || !is_constant(load->think));
    out->stagger_ns = load->stagger_ns;
    bool takes_time = distribution(load->think)->mean_ns(load->think.params) > 0.0 ||
                      distribution(service)->mean_ns(service.params) > 0.0;
    return takes_time && (request->initial.count == 0 || request->initial.count == load->clients);
}

static bool paced_of(const struct paced_load *load, struct senders *out)
{
    const struct catch_up *late = load->late.params;
    *out = (struct senders){.arrivals = {&arrivals_even.is, NULL},
                            .pace = pace_of(load->rate_per_s, load->every_ns),
                            .lag = load->connections,
                            .clients = load->connections};
    return load->late.type == &late_catch_up.is && late->factor.num == 0;
}

static void open_of(const struct open_load *load, struct senders *out)
{
    *out = (struct senders){.arrivals = load->arrivals,
                            .pace = pace_of(load->rate_per_s, load->every_ns),
                            .lag = load->max_in_flight == UNLIMITED ? 0 : load->max_in_flight,
                            .clients = 1};
}

bool senders_of(const struct engine_request *request, struct senders *out)
{
    const struct load_plan *load = &request->plan->loads[request->load];
    const struct load_type *type = load_kind(load->kind);
    if (type == &load_open)
        open_of(load->kind.params, out);
    else if (type == &load_closed && !closed_of(request, load->kind.params, out))
        return false;
    else if (type == &load_paced && !paced_of(load->kind.params, out))
        return false;
    else if (type != &load_closed && type != &load_paced)
        return false;
    out->patience_ns = load->timeout_ns;
    /* Initial jobs are never given up, so they may be over after requests behind them. */
    bool in_order = load->timeout_ns == 0 || request->initial.count == 0 || out->lag == 0;
    return in_order && out->lag <= LAG_MOST;
}

static void fill(ns_t *column_ns, ns_t value_ns)
{
    for (size_t i = 0; i < BATCH_ROWS; i++)
        column_ns[i] = value_ns;
}

static void open_columns(struct fast *f)
{
    ns_t **const columns[] = {&f->due_ns,
                              &f->work_ns,
                              &f->think_ns,
                              &f->sent_ns,
                              &f->started_ns,
                              &f->done_ns,
                              &f->worked_ns,
                              &f->begin_worked_ns,
                              &f->waited_stalled_ns,
                              &f->served_stalled_ns,
                              &f->client};
    size_t count = sizeof columns / sizeof columns[0];
    f->columns = must_alloc_lines((count + 1) * BATCH_ROWS, sizeof *f->columns);
    for (size_t i = 0; i < count; i++)
        *columns[i] = f->columns + i * BATCH_ROWS;
    f->status = (uint8_t *)(f->columns + count * BATCH_ROWS);
    memset(f->status, STATUS_ANSWERED, BATCH_ROWS);
    fill(f->think_ns, 0); /* nobody thinks until it is drawn */
}

/* So many instants, or a few more. */
static size_t whole_lines(size_t count)
{
    return (count + 7) / 8 * 8;
}

/* Before the first request somebody was over when the first requests are sent, or long ago; as a
   signed number, 0 less a think time is long ago. */
static void begin_history(struct fast *f)
{
    const struct senders *s = &f->senders;
    struct history *h = &f->history;
    ns_t before_ns = s->closed && f->request->initial.count == 0 ? -f->think_ns[0] : 0;
    f->totals->in_flight_max = f->request->initial.count;
    h->count = whole_lines((size_t)(s->lag + f->request->initial.count + 1));
    h->capacity = h->count + 2 * BATCH_ROWS;
    h->over_ns = must_alloc_lines(h->capacity, sizeof *h->over_ns);
    for (size_t i = 0; i < h->count; i++)
        h->over_ns[i] = before_ns;
}

void fast_open(struct fast *f, const struct engine_request *request, struct engine_totals *totals)
{
    const struct plan *plan = request->plan;
    *totals = (struct engine_totals){0};
    totals->record_from_ns = request->settle_requests > 0 ? RECORD_NONE : request->settle_ns;
    f->request = request;
    f->plan = plan;
    f->server = &plan->server;
    f->totals = totals;
    open_columns(f);
    BUG_IF(!senders_of(request, &f->senders));
    f->cursor.pace = f->senders.pace;
    f->cursor.stream =
        stream_open(plan->run.seed, request->run, request->replication, PURPOSE_ARRIVALS);
    f->service_stream =
        stream_open(plan->run.seed, request->run, request->replication, PURPOSE_SERVICE);
    f->think_stream =
        stream_open(plan->run.seed, request->run, request->replication, PURPOSE_THINK);
    f->same_work = is_constant(f->server->service);
    if (f->same_work)
        fill(f->work_ns, ((const struct constant *)f->server->service.params)->value_ns);
    f->short_works = are_short(f->server->service);
    f->same_think = f->senders.think.type == NULL || is_constant(f->senders.think);
    if (f->senders.think.type != NULL && f->same_think)
        fill(f->think_ns, ((const struct constant *)f->senders.think.params)->value_ns);
    begin_history(f);
}

void fast_close(struct fast *f)
{
    f->totals->end_ns = f->last_over_ns;
    free(f->history.over_ns);
    free(f->columns);
}

/* A few at first: many runs are short, and of clients that wait some are served in vain. */
size_t fast_wanted(const struct fast *f)
{
    const struct run_plan *run = &f->plan->run;
    const struct engine_request *asked = f->request;
    uint64_t left = run->requests + asked->settle_requests - f->number, most = f->number + 32;
    if (run->requests != 0 && asked->settle_ns == 0 && left < most)
        most = left + 1;
    return most < BATCH_ROWS ? (size_t)most : BATCH_ROWS;
}

/* Of the next requests, those that come before the run has settled: the first ones. */
static size_t settling_of(const struct fast *f, const ns_t *due_ns, size_t count)
{
    uint64_t by_number = f->request->settle_requests;
    size_t settling = rows_below(due_ns, count, f->request->settle_ns);
    if (by_number > f->number && by_number - f->number > settling)
        settling = by_number - f->number < count ? (size_t)(by_number - f->number) : count;
    return settling;
}

size_t fast_claim(struct fast *f, const ns_t *due_ns, size_t count)
{
    const struct run_plan *run = &f->plan->run;
    struct engine_totals *t = f->totals;
    size_t settling = settling_of(f, due_ns, count), rows = count;
    uint64_t counted = f->number - f->settling;
    if (run->requests != 0 && run->requests - counted < rows - settling)
        rows = settling + (size_t)(run->requests - counted);
    ns_t end_ns = run->duration_ns != 0 ? f->request->settle_ns + run->duration_ns : RECORD_NONE;
    rows = settling + rows_below(due_ns + settling, rows - settling, end_ns);
    if (rows < count) {
        t->window_known = true;
        t->window_end_ns = due_ns[rows] < end_ns ? due_ns[rows] : end_ns;
    }
    if (rows == 0)
        return 0;
    if (settling < rows && t->record_from_ns == RECORD_NONE)
        t->record_from_ns = due_ns[settling];
    if (settling < rows)
        t->due +=
            rows - settling -
            rows_below(due_ns + settling, rows - settling, t->record_from_ns + run->warmup_ns);
    f->settling += settling;
    t->last_due_ns = due_ns[rows - 1];
    return rows;
}

/* Think times are drawn by the number of the request before; before the first of all nobody thinks
   unless somebody was served. */
static void draw_think(struct fast *f, size_t count)
{
    struct choice think = f->senders.think;
    size_t first = f->number == 0;
    if (f->senders.returns) {
        distribution(think)->draw(think.params, f->think_stream, f->number, f->think_ns, count);
        return;
    }
    if (first)
        f->think_ns[0] = 0;
    if (first && f->request->initial.count > 0)
        distribution(think)->draw(think.params, f->think_stream, 0, f->think_ns, 1);
    distribution(think)->draw(think.params, f->think_stream, f->number + first - 1,
                              f->think_ns + first, count - first);
}

ns_t fast_think_ns(const struct fast *f, uint64_t k)
{
    struct choice think = f->senders.think;
    ns_t think_ns;
    distribution(think)->draw(think.params, f->think_stream, k, &think_ns, 1);
    return think_ns;
}

bool fast_draw(struct fast *f, size_t count)
{
    struct choice service = f->server->service;
    if (!f->same_work)
        distribution(service)->draw(service.params, f->service_stream, f->number, f->work_ns,
                                    count);
    if (!f->same_think)
        draw_think(f, count);
    uint64_t any = f->same_think ? f->think_ns[0] : queue_kernels()->bits(f->think_ns, count);
    any |= f->short_works ? 0 : queue_kernels()->bits(f->work_ns, count);
    return any < QUEUE_LONG_NS;
}

/* As far back as a lag goes, or as many as were in flight at once.  Of these a place may stand for
   an older request than its own if both have been over for so long that nobody minds. */
ns_t *history_room(struct fast *f)
{
    struct history *h = &f->history;
    size_t lag = (size_t)f->senders.lag, most = (size_t)f->totals->in_flight_max;
    size_t whole = whole_lines((most > lag ? most : lag) + 1);
    size_t keep = whole < h->count ? whole : h->count;
    if (h->count + BATCH_ROWS <= h->capacity)
        return h->over_ns + h->count;
    const ns_t *old_ns = h->over_ns + h->count - keep;
    size_t passed = rows_below(old_ns, keep - lag - 1, h->seen_ns);
    memmove(h->over_ns + passed, old_ns + passed, (keep - passed) * sizeof *h->over_ns);
    h->count = keep;
    size_t spare = keep > BATCH_ROWS ? keep : 0; /* else it is no work to move it each time */
    if (h->capacity < keep + spare + BATCH_ROWS) {
        h->capacity = 2 * (keep + spare) + BATCH_ROWS;
        ns_t *longer_ns = must_alloc_lines(h->capacity, sizeof *longer_ns);
        memcpy(longer_ns, h->over_ns, keep * sizeof *longer_ns);
        free(h->over_ns);
        h->over_ns = longer_ns;
    }
    return h->over_ns + h->count;
}

void history_push(struct fast *f, ns_t over_ns)
{
    *history_room(f) = over_ns;
    f->history.count++;
}

/* In the engine's units of 2^-64 ns. */
void fast_count_work(struct fast *f, u128 work_ns)
{
    struct engine_totals *t = f->totals;
    t->busy_area += work_ns << 64;
    t->work_done += work_ns << 64;
    t->running_ns[STAGE_SERVER] += work_ns;
}

/* More than `most` are in flight as a request is sent exactly if the one that was over so many
   places before it is over only after that.  Where more than a few have been in flight, this is
   seldom near: then the last of these ends before the first of some sends says that it is none of
   them. */
void fast_count_most(struct fast *f, const ns_t *sent_ns, const ns_t *history_ns, size_t rows)
{
    uint64_t most = f->totals->in_flight_max > 0 ? f->totals->in_flight_max : 1;
    size_t step = most >= FEW_IN_FLIGHT && most / 2 < rows ? (size_t)most / 2 : rows;
    if (f->request->again)
        return;
    for (size_t at = 0; at < rows; at += step) {
        size_t end = rows - at < step ? rows : at + step;
        if ((int64_t) * (history_ns + end - 1 - most) <= (int64_t)sent_ns[at] ||
            !queue_kernels()->any_after(history_ns + at - most, sent_ns + at, end - at))
            continue;
        for (size_t i = at; i < end; i++)
            most += (int64_t) * (history_ns + i - most) > (int64_t)sent_ns[i];
    }
    f->totals->in_flight_max = most;
}

void fast_count_time(struct fast *f, const ns_t *sent_ns, const ns_t *over_ns, ns_t latest_ns,
                     const uint64_t *sum_ns, size_t rows)
{
    u128 all_ns = 0;
    if (f->request->again)
        return;
    if (latest_ns - sent_ns[0] < UINT64_C(1) << 53) /* so no sum of a batch wraps */
        all_ns = sum_ns != NULL ? *sum_ns : queue_kernels()->between(over_ns, sent_ns, rows);
    else
        for (size_t i = 0; i < rows; i++)
            all_ns += over_ns[i] - sent_ns[i];
    f->totals->flight_area += all_ns;
}

void fast_count_alone(struct fast *f, ns_t each_ns, size_t rows)
{
    struct engine_totals *t = f->totals;
    if (f->request->again)
        return;
    t->flight_area += (u128)each_ns * rows;
    t->in_flight_max = t->in_flight_max > 0 ? t->in_flight_max : 1;
}

void fast_count_sent(struct fast *f, const ns_t *sent_ns, size_t rows)
{
    struct engine_totals *t = f->totals;
    if (t->sent == 0)
        t->first_send_ns = sent_ns[0];
    t->sent = t->attempts += rows;
}

void fast_count_initial(struct fast *f, ns_t work_ns, ns_t over_ns)
{
    f->totals->initial_time_ns += over_ns;
    f->totals->flight_area += over_ns;
    fast_count_work(f, work_ns);
}

static void number_clients(struct fast *f, uint64_t first, size_t rows)
{
    uint64_t client = first % f->senders.clients;
    for (size_t i = 0; i < rows; i++) {
        f->client[i] = client++;
        client = client == f->senders.clients ? 0 : client;
    }
}

bool fast_hand_on(struct fast *f, struct batch *batch)
{
    const struct engine_request *asked = f->request;
    bool turns = f->senders.clients > 1 && (asked->wants & WANTS_CLIENT) != 0;
    if (batch->client == NULL && turns)
        number_clients(f, f->number - batch->count, batch->count);
    if (batch->client == NULL)
        batch->client = turns ? f->client : fast_zeros;
    if (batch->replica == NULL)
        batch->replica = first_replica;
    batch->waited_behind = fast_zeros;
    batch->record_from_ns = f->totals->record_from_ns;
    batch->begun = f->number;
    batch->begun_until_ns = f->totals->last_due_ns;
    if (asked->consumer.take != NULL)
        asked->consumer.take(asked->consumer.self, batch);
    return asked->stop == NULL || !*asked->stop;
}
