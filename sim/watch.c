/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/watch.h"

void row_sums_take(struct row_sums *sums, const struct batch *batch)
{
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

static ns_t instant_of(const struct batch *batch, enum instant instant, size_t i)
{
    switch (instant) {
    case INSTANT_DUE: return batch->due[i];
    case INSTANT_ACQUIRED: return batch->acquired[i];
    case INSTANT_SENT: return batch->sent[i];
    case INSTANT_STARTED: return batch->started[i];
    case INSTANT_FINISHED: return batch->finished[i];
    }
    BUG("an instant outside its enum");
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
        ns_t value_ns =
            instant_of(batch, watch->plan->to, i) - instant_of(batch, watch->plan->from, i);
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
