/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/watch.h"

#include <stdlib.h>
#include <string.h>

#include "models/base/error.h"
#include "sim/recorder.h"

static void take_parts(struct row_sums *sums, const struct batch *b)
{
    for (size_t i = 0; i < b->count; i++) {
        if (b->status[i] != STATUS_ANSWERED)
            continue;
        sums->parts_ns += batch_without_ns(b->sent[i], b->due[i]);
        sums->parts_ns +=
            (u128)batch_queue_ns(b, i) + batch_stall_ns(b, i) + batch_service_ns(b, i);
        sums->response_ns += b->finished[i] - b->due[i];
    }
}

#define LAG_BITS 13 /* of the mantissa: with the leading one 14 */
#define LAG_CELLS LEADING_CELLS(LAG_BITS)

static void add_lag(struct row_sums *sums, size_t cell)
{
    sums->lags[cell]++;
    sums->lag_end = cell < sums->lag_end ? sums->lag_end : cell + 1;
}

/* Lags below 0, of an engine that is wrong, are the longest. */
static size_t lag_cell(ns_t lag_ns)
{
    return leading_cell(lag_ns < NS_LIMIT ? lag_ns : NS_LIMIT - 1, LAG_BITS);
}

static void add_lags(struct row_sums *sums, const struct batch *b, const struct column *lags)
{
    _Alignas(LINE_BYTES) uint32_t cells[BATCH_ROWS];
    if (sums->lags == NULL)
        sums->lags = must_alloc(LAG_CELLS, sizeof *sums->lags);
    if (lags->all.least_ns >= LEADING_BELOW || lags->all.greatest_ns >= LEADING_BELOW ||
        !recorder_takes_all(b, b->record_from_ns)) {
        for (size_t i = 0; i < b->count; i++)
            if (b->due[i] >= b->record_from_ns)
                add_lag(sums, lag_cell(lags->values_ns[i]));
        return;
    }
    row_kernels()->leading(lags->values_ns, b->count, LAG_BITS, lags->all.least_ns, cells);
    uint64_t *counts = sums->lags;
#pragma GCC unroll 8
    for (size_t i = 0; i < b->count; i++)
        counts[cells[i]]++;
    size_t end = lag_cell(lags->all.greatest_ns) + 1;
    sums->lag_end = end > sums->lag_end ? end : sums->lag_end;
}

static void take_lags(struct row_sums *sums, struct columns *columns)
{
    const struct batch *b = columns->batch;
    const struct column *lags = NULL;
    if (b->record_from_ns >= NS_LIMIT || b->count == 0)
        return;
    if (b->sent != b->due)
        lags = columns_between(columns, b->sent, b->due);
    bool none = lags == NULL || (lags->all.least_ns == 0 && lags->all.greatest_ns == 0);
    if (none && recorder_takes_all(b, b->record_from_ns)) {
        sums->without_lag += b->count;
        return;
    }
    if (lags == NULL)
        lags = columns_between(columns, b->sent, b->due);
    add_lags(sums, b, lags);
}

void row_sums_take(struct row_sums *sums, struct columns *columns)
{
    const struct batch *batch = columns->batch;
    take_lags(sums, columns);
    if (sums->takes_parts)
        take_parts(sums, batch);
    sums->in_system_ns +=
        column_sum_ns(columns_between(columns, batch->finished, batch->sent), 0, batch->count);
    if (batch->answered) {
        sums->answered += batch->count;
        return;
    }
    uint64_t by_status[STATUS_CUT + 1] = {0};
    for (size_t i = 0; i < batch->count; i++)
        by_status[batch->status[i]]++;
    sums->answered += by_status[STATUS_ANSWERED];
    sums->timed_out += by_status[STATUS_TIMED_OUT];
    sums->refused += by_status[STATUS_REFUSED];
    sums->cut += by_status[STATUS_CUT];
}

void row_sums_merge(struct row_sums *into, const struct row_sums *from)
{
    into->answered += from->answered;
    into->timed_out += from->timed_out;
    into->refused += from->refused;
    into->cut += from->cut;
    into->in_system_ns += from->in_system_ns;
    into->takes_parts |= from->takes_parts;
    into->parts_ns += from->parts_ns;
    into->response_ns += from->response_ns;
    into->without_lag += from->without_lag;
    if (from->lags == NULL)
        return;
    if (into->lags == NULL)
        into->lags = must_alloc(LAG_CELLS, sizeof *into->lags);
    for (size_t cell = 0; cell < from->lag_end; cell++)
        into->lags[cell] += from->lags[cell];
    into->lag_end = from->lag_end > into->lag_end ? from->lag_end : into->lag_end;
}

void row_sums_free(struct row_sums *sums)
{
    free(sums->lags);
}

/* The middle of a cell whose least value this is, to 3 digits. */
static ns_t to_digits(ns_t lag_ns)
{
    ns_t unit = 1, middle_ns = lag_ns + (lag_ns >> (LAG_BITS + 1));
    while (middle_ns / unit >= 1000)
        unit *= 10;
    return (middle_ns + unit / 2) / unit * unit;
}

ns_t row_sums_lag_ns(const struct row_sums *sums)
{
    uint64_t n = sums->without_lag, up_to = sums->without_lag;
    for (size_t cell = 0; cell < sums->lag_end; cell++)
        n += sums->lags[cell];
    uint64_t rank = n - n / 100;
    size_t cell = 0;
    for (; up_to < rank && cell < sums->lag_end; cell++)
        up_to += sums->lags[cell];
    return cell == 0 ? 0 : to_digits(leading_low_ns((uint32_t)cell - 1, LAG_BITS));
}

struct watch_edges watch_edges(const struct load_watch *watch)
{
    ns_t length_ns = watch->end_ns > watch->begin_ns ? watch->end_ns - watch->begin_ns : 0;
    struct watch_edges edges;
    for (unsigned q = 1; q < WATCH_QUARTERS; q++)
        edges.of_ns[q - 1] = watch->begin_ns + (ns_t)((u128)length_ns * q / WATCH_QUARTERS);
    return edges;
}

static void load_watch_row(struct load_watch *watch, const struct watch_edges *edges,
                           const struct batch *b, size_t i)
{
    if (b->status[i] != STATUS_ANSWERED)
        return;
    watch->answered_in_window +=
        b->finished[i] >= watch->begin_ns && b->finished[i] < watch->end_ns;
    if (b->due[i] < watch->begin_ns)
        return;
    size_t q = watch_quarter(edges, b->due[i]);
    watch->quarter_count[q]++;
    watch->quarter_sum_ns[q] += b->finished[i] - b->due[i];
}

void load_watch_take(struct load_watch *watch, struct columns *columns)
{
    const struct batch *b = columns->batch;
    if (b->count == 0)
        return;
    struct span due = {b->due[0], b->due[b->count - 1], 0};
    if (!b->in_order)
        due = column_of(b->due, b->count).all;
    struct watch_edges edges = watch_edges(watch);
    size_t q = watch_quarter(&edges, due.least_ns);
    bool whole = b->answered && due.least_ns >= watch->begin_ns &&
                 watch_quarter(&edges, due.greatest_ns) == q;
    for (size_t i = 0; i < b->count && !whole; i++)
        load_watch_row(watch, &edges, b, i);
    if (!whole)
        return;
    watch->answered_in_window +=
        b->ended[b->count - 1] < watch->end_ns
            ? b->count
            : row_kernels()->within(b->finished, b->count, 0, watch->end_ns);
    watch->quarter_count[q] += b->count;
    watch->quarter_sum_ns[q] +=
        column_sum_ns(columns_between(columns, b->finished, b->due), 0, b->count);
}

struct recorder_watch *recorder_watch_new(const struct recorder_watch *as)
{
    struct recorder_watch *watch = must_alloc(1, sizeof *watch);
    *watch = *as;
    BUG_IF(as->window_count > 0);
    return watch;
}

void recorder_watch_free(struct recorder_watch *watch)
{
    if (watch != NULL)
        free(watch->windows);
    free(watch);
}

/* Two windows in the room of one, and so everywhere. */
static void widen(struct recorder_watch *watch)
{
    struct watch_window *w = watch->windows;
    size_t half = watch->window_count / 2;
    for (size_t i = 0; i < half; i++)
        w[i] = (struct watch_window){w[2 * i].count + w[2 * i + 1].count,
                                     w[2 * i].above + w[2 * i + 1].above};
    for (size_t i = half; i < watch->window_count; i++)
        w[i] = (struct watch_window){0, 0};
    watch->width_ns *= 2;
}

#define WINDOWS_FIRST 16 /* even: they are taken in pairs; doubled, it comes to WATCH_WINDOWS */

/* A short run has few windows: as many as it reaches, or up to twice as many. */
static void make_windows(struct recorder_watch *watch, size_t wanted)
{
    size_t had = watch->window_count, count = had > 0 ? had : WINDOWS_FIRST;
    while (count < wanted)
        count *= 2;
    if (count == had)
        return;
    watch->windows = must_grow(watch->windows, count, sizeof *watch->windows);
    memset(watch->windows + had, 0, (count - had) * sizeof *watch->windows);
    watch->window_count = count;
}

/* Makes windows that reach there; the one that it is in. */
static struct watch_window *window_of(struct recorder_watch *watch, ns_t due_ns)
{
    while (due_ns / watch->width_ns >= WATCH_WINDOWS)
        widen(watch);
    size_t window = (size_t)(due_ns / watch->width_ns);
    if (window >= watch->window_count)
        make_windows(watch, window + 1);
    return &watch->windows[window];
}

static void recorder_watch_row(struct recorder_watch *watch, const struct batch *b, size_t i)
{
    watch->sends++;
    watch->late_sends += b->sent[i] - b->due[i] > watch->lag_limit_ns;
    if (b->status[i] != STATUS_ANSWERED)
        return;
    struct watch_window *window = window_of(watch, b->due[i]);
    window->count++;
    window->above += recorder_value_ns(watch->plan, b, i) > watch->tail_ns;
}

/* Rows that were all answered and are recorded, in the order in which they were due: window by
   window. */
static void recorder_watch_rows(struct recorder_watch *watch, struct columns *columns)
{
    const struct batch *b = columns->batch;
    const struct column *values = columns_between(columns, recorder_column(b, watch->plan->to),
                                                  recorder_column(b, watch->plan->from));
    window_of(watch, b->due[b->count - 1]);
    watch->sends += b->count;
    if (b->sent != b->due)
        watch->late_sends += column_above(columns_between(columns, b->sent, b->due), 0, b->count,
                                          watch->lag_limit_ns);
    const struct due_windows *windows = columns_windows(columns, watch->width_ns);
    for (size_t k = 0, first = 0; k < windows->count; first = windows->of[k++].end) {
        struct watch_window *window = &watch->windows[windows->of[k].window];
        size_t count = windows->of[k].end - first;
        window->count += count;
        window->above += column_above(values, first, count, watch->tail_ns);
    }
}

void recorder_watch_take(struct recorder_watch *watch, struct columns *columns)
{
    const struct batch *batch = columns->batch;
    ns_t recorded_from_ns = batch_recorded_from_ns(batch, watch->plan->warmup_ns);
    if (watch->plan->part == PART_NONE && batch->count > 0 && batch->in_order &&
        recorder_takes_all(batch, recorded_from_ns)) {
        recorder_watch_rows(watch, columns);
        return;
    }
    for (size_t i = 0; i < batch->count; i++)
        if (batch->due[i] >= recorded_from_ns)
            recorder_watch_row(watch, batch, i);
}

void recorder_watch_merge(struct recorder_watch *into, struct recorder_watch *from)
{
    while (into->width_ns < from->width_ns)
        widen(into);
    while (from->width_ns < into->width_ns)
        widen(from);
    into->late_sends += from->late_sends;
    into->sends += from->sends;
    make_windows(into, from->window_count);
    for (size_t w = 0; w < from->window_count; w++) {
        into->windows[w].count += from->windows[w].count;
        into->windows[w].above += from->windows[w].above;
    }
}
