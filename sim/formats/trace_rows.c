/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/formats/trace_rows.h"

#include <stdlib.h>
#include <string.h>

#include "sim/formats/text.h"

#define LOADS_MOST 1000

const char *const trace_column_names[TRACE_COLUMNS] = {
    [TRACE_NUMBER] = "number",        [TRACE_LOAD] = "load",
    [TRACE_CLIENT] = "client",        [TRACE_REPLICA] = "replica",
    [TRACE_DUE] = "due_ns",           [TRACE_ACQUIRED] = "acquired_ns",
    [TRACE_SENT] = "sent_ns",         [TRACE_STARTED] = "started_ns",
    [TRACE_FINISHED] = "finished_ns", [TRACE_ENDED] = "ended_ns",
    [TRACE_STATUS] = "status",        [TRACE_RECORDED] = "recorded",
    [TRACE_SEND_LAG] = "send_lag_ns", [TRACE_QUEUE] = "queue_ns",
    [TRACE_STALL] = "stall_ns",       [TRACE_SERVICE] = "service_ns",
    [TRACE_RESPONSE] = "response_ns",
};

const char *trace_status_name(enum status status)
{
    switch (status) {
    case STATUS_ANSWERED: return "answered";
    case STATUS_TIMED_OUT: return "timed out";
    case STATUS_REFUSED: return "refused";
    case STATUS_CUT: return "cut";
    }
    BUG("a status outside its enum");
}

size_t trace_find_column(const char *name, size_t length)
{
    size_t c = 0;
    while (c < TRACE_COLUMNS && !piece_is((struct piece){name, length}, trace_column_names[c]))
        c++;
    return c;
}

void trace_rows_free(struct trace_rows *trace)
{
    for (size_t i = 0; i < trace->load_count; i++)
        free(trace->loads[i]);
    free(trace->loads);
    free(trace->rows);
    *trace = (struct trace_rows){0};
}

/* The load's index; SIZE_MAX: there are too many. */
static size_t load_of(struct trace_rows *t, const struct trace_cell *cell)
{
    size_t length = cell->there ? cell->length : 0;
    struct piece name = {cell->at, length};
    for (size_t i = t->load_count; i-- > 0;)
        if (piece_is(name, t->loads[i]))
            return i;
    if (t->load_count == LOADS_MOST)
        return SIZE_MAX;
    t->loads = must_grow(t->loads, t->load_count + 1, sizeof *t->loads);
    char *copy = must_alloc(length + 1, 1);
    if (length > 0)
        memcpy(copy, cell->at, length);
    t->loads[t->load_count] = copy;
    return t->load_count++;
}

static bool read_status(const struct trace_cell *cell, enum status *status)
{
    struct piece text = {cell->at, cell->length};
    *status = STATUS_ANSWERED;
    if (!cell->there)
        return true;
    for (int s = STATUS_ANSWERED; s <= STATUS_CUT; s++)
        if (piece_is(text, trace_status_name((enum status)s))) {
            *status = (enum status)s;
            return true;
        }
    return false;
}

/* 1 and 0 in CSV, true and false in JSON. */
static bool read_flag(const struct trace_cell *cell, bool *flag)
{
    struct piece text = {cell->at, cell->length};
    *flag = !cell->there || piece_is(text, "1") || piece_is(text, "true");
    return *flag || piece_is(text, "0") || piece_is(text, "false");
}

/* A missing one is `otherwise`. */
static bool read_number(const struct trace_cell *cells, enum trace_column column,
                        uint64_t otherwise, uint64_t *value)
{
    const struct trace_cell *cell = &cells[column];
    *value = otherwise;
    return !cell->there || piece_count((struct piece){cell->at, cell->length}, value);
}

static char *read_instants(const struct trace_cell *cells, struct trace_row *row)
{
    bool good = cells[TRACE_DUE].there && cells[TRACE_SENT].there && cells[TRACE_FINISHED].there;
    if (!good)
        return must_copy("due_ns, sent_ns and finished_ns must be there");
    good = read_number(cells, TRACE_DUE, 0, &row->due) &&
           read_number(cells, TRACE_SENT, 0, &row->sent) &&
           read_number(cells, TRACE_FINISHED, 0, &row->finished) &&
           read_number(cells, TRACE_ACQUIRED, row->sent, &row->acquired) &&
           read_number(cells, TRACE_STARTED, row->sent, &row->started) &&
           read_number(cells, TRACE_ENDED, row->finished, &row->ended);
    if (!good || row->ended >= NS_LIMIT || row->finished >= NS_LIMIT)
        return must_copy("instants are whole ns from 0 on, below 2^62");
    if (row->due > row->acquired || row->acquired > row->sent || row->sent > row->finished ||
        row->finished > row->ended)
        return must_copy("due, acquired, sent, finished and ended are not in order");
    if (row->status == STATUS_ANSWERED &&
        (row->started < row->sent || row->started > row->finished))
        return must_copy("an answered request started between sent and finished");
    return NULL;
}

/* Parts of the response time, where the trace has them, must make it up. */
static char *read_parts(const struct trace_cell *cells, struct trace_row *row)
{
    uint64_t lag = row->sent - row->due, response = row->finished - row->due, said;
    bool answered = row->status == STATUS_ANSWERED;
    if (!read_number(cells, TRACE_SEND_LAG, lag, &said) || said != lag)
        return must_copy("send_lag_ns is sent_ns - due_ns");
    if (!read_number(cells, TRACE_RESPONSE, response, &said) || said != response)
        return must_copy("response_ns is finished_ns - due_ns");
    if (!read_number(cells, TRACE_QUEUE, 0, &row->queue) ||
        !read_number(cells, TRACE_STALL, 0, &row->stall) ||
        !read_number(cells, TRACE_SERVICE, 0, &row->service))
        return must_copy("parts of a response time are whole ns");
    bool all = cells[TRACE_QUEUE].there && cells[TRACE_STALL].there && cells[TRACE_SERVICE].there;
    if (all && answered && (u128)lag + row->queue + row->stall + row->service != (u128)response)
        return must_copy("send lag, queue, stall and service do not make up the response time");
    if (!answered && (cells[TRACE_QUEUE].there || cells[TRACE_STALL].there ||
                      cells[TRACE_SERVICE].there || cells[TRACE_RESPONSE].there))
        return must_copy("what was not answered has no response time and no parts of one");
    return NULL;
}

char *trace_push(struct trace_rows *t, const struct trace_cell cells[TRACE_COLUMNS])
{
    struct trace_row row = {0};
    if (!read_status(&cells[TRACE_STATUS], &row.status))
        return must_copy("status is answered, timed out, refused or cut");
    if (!read_flag(&cells[TRACE_RECORDED], &row.recorded))
        return must_copy("recorded is 1 or 0, true or false");
    if (!read_number(cells, TRACE_NUMBER, t->count, &row.number) ||
        !read_number(cells, TRACE_CLIENT, 0, &row.client) ||
        !read_number(cells, TRACE_REPLICA, 0, &row.replica))
        return must_copy("number, client and replica are whole numbers");
    char *why = read_instants(cells, &row);
    if (why == NULL)
        why = read_parts(cells, &row);
    if (why != NULL)
        return why;
    row.load = load_of(t, &cells[TRACE_LOAD]);
    if (row.load == SIZE_MAX)
        return must_copy("more than 1000 loads");
    if (t->count == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 1024;
        t->rows = must_grow(t->rows, t->capacity, sizeof *t->rows);
    }
    t->rows[t->count++] = row;
    return NULL;
}

/* A row and where it stood, to sort by. */
struct finish {
    ns_t finished;
    size_t row;
};

static int by_finish(const void *left, const void *right)
{
    const struct finish *a = left, *b = right;
    if (a->finished != b->finished)
        return a->finished < b->finished ? -1 : 1;
    return a->row < b->row ? -1 : 1;
}

void trace_requests(const struct trace_rows *t, size_t load, bool at_end, struct requests *out)
{
    struct finish *order = must_alloc(t->count, sizeof *order);
    size_t n = 0;
    for (size_t i = 0; i < t->count; i++)
        if (t->rows[i].load == load && t->rows[i].recorded)
            order[n++] = (struct finish){at_end ? t->rows[i].ended : t->rows[i].finished, i};
    qsort(order, n, sizeof *order, by_finish);
    ns_t *due = must_alloc(n, sizeof *due), *acquired = must_alloc(n, sizeof *acquired);
    ns_t *sent = must_alloc(n, sizeof *sent), *started = must_alloc(n, sizeof *started);
    ns_t *finished = must_alloc(n, sizeof *finished);
    uint64_t *client = must_alloc(n, sizeof *client);
    uint8_t *status = must_alloc(n, sizeof *status);
    for (size_t i = 0; i < n; i++) {
        const struct trace_row *row = &t->rows[order[i].row];
        due[i] = row->due;
        acquired[i] = row->acquired;
        sent[i] = row->sent;
        started[i] = row->started;
        finished[i] = order[i].finished;
        client[i] = row->client;
        status[i] = (uint8_t)row->status;
    }
    *out = (struct requests){n, due, acquired, sent, started, finished, status, client};
    free(order);
}

void trace_requests_free(struct requests *r)
{
    const void *columns[] = {r->due,      r->acquired, r->sent,  r->started,
                             r->finished, r->status,   r->client};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        free((void *)(uintptr_t)columns[i]);
    *r = (struct requests){0};
}
