/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/gather.h"

#include <stdlib.h>
#include <string.h>

#include "sim/recorder.h"

/* Of the rows, in buckets that hold some of several quarters, at most; the edges of quarters alone
   make three buckets of at least 512. */
#define SPLIT_SHARE 64

/* So many rows a bucket that there is room for all and, if it can be, no quarter of the rows ends
   within one. */
static uint64_t rows_of_bucket(uint64_t rows)
{
    uint64_t least = (rows + GATHER_BUCKETS - 1) / GATHER_BUCKETS;
    for (uint64_t each = least > 0 ? least : 1; rows % 4 == 0 && each < 4 * least; each++)
        if (rows / 4 % each == 0)
            return each;
    return 1;
}

void gather_open(struct gather *g)
{
    g->crowd = (struct crowd){.lost = true};
}

void gather_close(struct gather *g)
{
    crowd_free(&g->crowd);
}

void gather_begin(struct gather *g, ns_t warmup_ns, uint64_t rows, bool exact)
{
    g->exact = exact;
    g->warmup_ns = warmup_ns;
    g->rows = rows;
    g->seen = 0;
    g->bucket_rows = rows_of_bucket(rows);
    g->bucket_count = g->batches = 0;
    g->answered = 0;
    g->unrecorded_ns = g->gone_ns = 0;
    crowd_begin(&g->crowd, rows);
}

/* Two of them in the room of one, and so everywhere. */
static void halve(struct gather *g)
{
    for (size_t i = 0; i < GATHER_BUCKETS / 2; i++) {
        struct gather_bucket a = g->buckets[2 * i], b = g->buckets[2 * i + 1];
        g->buckets[i] =
            (struct gather_bucket){a.least_ns < b.least_ns ? a.least_ns : b.least_ns,
                                   a.greatest_ns > b.greatest_ns ? a.greatest_ns : b.greatest_ns,
                                   a.count + b.count, a.sum_ns + b.sum_ns};
    }
    g->bucket_count = GATHER_BUCKETS / 2;
    g->bucket_rows *= 2;
}

/* The bucket that the next row belongs to. */
static struct gather_bucket *open_bucket(struct gather *g)
{
    if (g->bucket_count > 0 && g->buckets[g->bucket_count - 1].count < g->bucket_rows)
        return &g->buckets[g->bucket_count - 1];
    if (g->bucket_count == GATHER_BUCKETS)
        halve(g);
    g->buckets[g->bucket_count] = (struct gather_bucket){.least_ns = NS_LIMIT};
    return &g->buckets[g->bucket_count++];
}

static void widen(struct gather_bucket *bucket, ns_t least_ns, ns_t greatest_ns)
{
    bucket->least_ns = least_ns < bucket->least_ns ? least_ns : bucket->least_ns;
    bucket->greatest_ns = greatest_ns > bucket->greatest_ns ? greatest_ns : bucket->greatest_ns;
}

static void fill_buckets(struct gather *g, struct columns *columns)
{
    const struct batch *b = columns->batch;
    const struct column *times = columns_between(columns, b->finished, b->due);
    for (size_t i = 0, n; i < b->count; i += n) {
        struct gather_bucket *bucket = open_bucket(g);
        uint64_t room = g->bucket_rows - bucket->count;
        n = room < b->count - i ? (size_t)room : b->count - i;
        struct span due = {b->due[i], b->due[i + n - 1], 0};
        if (!b->in_order)
            due = column_of(b->due + i, n).all;
        widen(bucket, due.least_ns, due.greatest_ns);
        bucket->count += n;
        bucket->sum_ns += column_sum_ns(times, i, n);
    }
}

/* The answers among the rows that came at or after the window's beginning. */
static size_t take_rows(struct gather *g, const struct batch *b, ns_t begin_ns, ns_t *answers_ns)
{
    size_t answers = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (b->status[i] != STATUS_ANSWERED || b->finished[i] < begin_ns)
            continue;
        answers_ns[answers++] = b->finished[i];
        if (b->due[i] < begin_ns)
            continue;
        struct gather_bucket *bucket = open_bucket(g);
        widen(bucket, b->due[i], b->due[i]);
        bucket->count++;
        bucket->sum_ns += b->finished[i] - b->due[i];
    }
    return answers;
}

/* Returns how many answers there were at or after the window's beginning. */
static size_t take_batch(struct gather *g, struct columns *columns, ns_t begin_ns, ns_t *answers_ns)
{
    const struct batch *b = columns->batch;
    if (!recorder_takes_all(b, begin_ns))
        return take_rows(g, b, begin_ns, answers_ns);
    fill_buckets(g, columns);
    memcpy(answers_ns, b->finished, b->count * sizeof *answers_ns);
    return b->count;
}

/* So many rows are to come that these will not be among the recent ones. */
static bool is_far_from_end(const struct gather *g)
{
    return g->batches == 0 && g->seen + GATHER_RECENT * BATCH_ROWS < g->rows;
}

void gather_take(struct gather *g, struct columns *columns)
{
    const struct batch *b = columns->batch;
    ns_t begin_ns = batch_recorded_from_ns(b, g->warmup_ns);
    if (b->count == 0)
        return;
    if (begin_ns >= NS_LIMIT) {
        g->unrecorded_ns = b->ended[b->count - 1];
        return;
    }
    crowd_take(&g->crowd, columns, begin_ns);
    g->seen += b->count;
    if (is_far_from_end(g) && recorder_takes_all(b, begin_ns)) {
        fill_buckets(g, columns);
        g->answered += b->count;
        g->gone_ns = b->ended[b->count - 1];
        return;
    }
    size_t at = g->batches++ % GATHER_RECENT;
    if (g->batches > GATHER_RECENT)
        g->gone_ns = g->recent_until_ns[at];
    size_t answers = take_batch(g, columns, begin_ns, g->recent_ns[at]);
    g->recent_count[at] = answers;
    g->recent_until_ns[at] = b->ended[b->count - 1];
    g->answered += answers;
}

void gather_end(struct gather *g, struct load_watch *watch, struct load_watch *of_crowd)
{
    *of_crowd = *watch;
    of_crowd->known = g->unrecorded_ns == 0 && crowd_end(&g->crowd, of_crowd);
    bool reaches = g->gone_ns == 0 || g->gone_ns < watch->end_ns;
    watch->known = reaches && (g->unrecorded_ns == 0 || g->unrecorded_ns < watch->begin_ns);
    watch->answered_in_window = g->answered;
    for (size_t k = 0; k < GATHER_RECENT && k < g->batches; k++)
        watch->answered_in_window -=
            row_kernels()->within(g->recent_ns[k], g->recent_count[k], watch->end_ns, NS_LIMIT);
    uint64_t rows = 0, split = 0;
    struct watch_edges edges = watch_edges(watch);
    for (size_t i = 0; i < g->bucket_count; i++) {
        const struct gather_bucket *bucket = &g->buckets[i];
        size_t q = watch_quarter(&edges, bucket->least_ns);
        rows += bucket->count;
        split += watch_quarter(&edges, bucket->greatest_ns) == q ? 0 : bucket->count;
        watch->quarter_count[q] += bucket->count;
        watch->quarter_sum_ns[q] += bucket->sum_ns;
    }
    watch->known &= split <= (g->exact ? 0 : rows / SPLIT_SHARE);
}
