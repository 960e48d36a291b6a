/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/watch.h"

#include <stdlib.h>

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

#define LAG_BITS 14

static void take_lags(struct row_sums *sums, const struct batch *b)
{
    if (b->sent == b->due && b->record_from_ns == 0) {
        sums->without_lag += b->count;
        return;
    }
    for (size_t i = 0; i < b->count; i++) {
        ns_t lag_ns = b->sent[i] - b->due[i];
        if (b->due[i] < b->record_from_ns)
            continue;
        if (lag_ns == 0) {
            sums->without_lag++;
            continue;
        }
        int bits = 64 - __builtin_clzll(lag_ns);
        int shift = bits > LAG_BITS ? bits - LAG_BITS : 0;
        counts_add(&sums->lags, 0, lag_ns >> shift << shift, 1);
    }
}

void row_sums_take(struct row_sums *sums, const struct batch *batch)
{
    take_lags(sums, batch);
    if (sums->takes_parts)
        take_parts(sums, batch);
    u128 in_system_ns = 0;
    uint64_t by_status[STATUS_CUT + 1] = {0};
    for (size_t i = 0; i < batch->count; i++) {
        in_system_ns += batch->finished[i] - batch->sent[i];
        by_status[batch->status[i]]++;
    }
    sums->in_system_ns += in_system_ns;
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
    counts_merge(&into->lags, &from->lags, SIZE_MAX);
}

void row_sums_free(struct row_sums *sums)
{
    counts_free(&sums->lags);
}

/* The middle of a cell whose least value this is, to 3 digits. */
static ns_t to_digits(ns_t lag_ns)
{
    ns_t unit = 1, middle_ns = lag_ns + (lag_ns >> LAG_BITS);
    while (middle_ns / unit >= 1000)
        unit *= 10;
    return (middle_ns + unit / 2) / unit * unit;
}

ns_t row_sums_lag_ns(const struct row_sums *sums)
{
    size_t length;
    struct count_entry *sorted = counts_sorted(&sums->lags, false, &length);
    uint64_t n = sums->without_lag;
    for (size_t i = 0; i < length; i++)
        n += sorted[i].count;
    uint64_t rank = n - n / 100;
    struct counted lags = {.entries = sorted, .length = length};
    ns_t lag_ns = rank > sums->without_lag ? counts_select(lags, rank - sums->without_lag) : 0;
    free(sorted);
    return to_digits(lag_ns);
}

void load_watch_take(struct load_watch *watch, const struct batch *batch)
{
    ns_t length_ns = watch->end_ns > watch->begin_ns ? watch->end_ns - watch->begin_ns : 0;
    ns_t edge_ns[3];
    for (unsigned q = 0; q < 3; q++)
        edge_ns[q] = watch->begin_ns + (ns_t)((u128)length_ns * (q + 1) / WATCH_QUARTERS);
    for (size_t i = 0; i < batch->count; i++) {
        ns_t due_ns = batch->due[i];
        if (batch->status[i] != STATUS_ANSWERED)
            continue;
        watch->answered_in_window +=
            batch->finished[i] >= watch->begin_ns && batch->finished[i] < watch->end_ns;
        if (due_ns < watch->begin_ns)
            continue;
        size_t q = (size_t)(due_ns >= edge_ns[0]) + (size_t)(due_ns >= edge_ns[1]) +
                   (size_t)(due_ns >= edge_ns[2]);
        watch->quarter_count[q]++;
        watch->quarter_sum_ns[q] += batch->finished[i] - due_ns;
    }
}

void recorder_watch_take(struct recorder_watch *watch, const struct batch *batch)
{
    ns_t recorded_from_ns = batch_recorded_from_ns(batch, watch->plan->warmup_ns);
    size_t window = 0;
    ns_t window_begin_ns = 0, window_end_ns = 0; /* of the last row's window: rows come in order */
    for (size_t i = 0; i < batch->count; i++) {
        ns_t due_ns = batch->due[i];
        if (due_ns < recorded_from_ns)
            continue;
        watch->sends++;
        watch->late_sends += batch->sent[i] - due_ns > watch->lag_limit_ns;
        if (batch->status[i] != STATUS_ANSWERED)
            continue;
        if (due_ns < window_begin_ns || due_ns >= window_end_ns) {
            window = (size_t)(due_ns / watch->width_ns);
            window = window < WATCH_WINDOWS ? window : WATCH_WINDOWS - 1;
            window_begin_ns = window * watch->width_ns;
            window_end_ns = window_begin_ns + watch->width_ns;
        }
        ns_t value_ns = recorder_value_ns(watch->plan, batch, i);
        watch->window_count[window]++;
        watch->window_above[window] += value_ns > watch->tail_ns;
    }
}

void recorder_watch_merge(struct recorder_watch *into, const struct recorder_watch *from)
{
    into->late_sends += from->late_sends;
    into->sends += from->sends;
    for (size_t w = 0; w < WATCH_WINDOWS; w++) {
        into->window_count[w] += from->window_count[w];
        into->window_above[w] += from->window_above[w];
    }
}
