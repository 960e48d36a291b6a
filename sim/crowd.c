/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/crowd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/recorder.h"

/* The first sixteenth of the requests may be unlike the others; the first edge is foreseen when an
   eighth has been claimed. */
#define MARK_SHARE 16
#define FIRST_SHARE 8

/* So many in flight are a crowd, and so is such a share of all rows. */
#define CROWD_ENOUGH 4096
#define CROWD_SHARE 4096

/* Rows are kept on either side of an edge: so many times the square root of all.  Where sends are a
   Poisson process an edge misses by less than half of one such root, as a standard deviation. */
#define ROOTS_KEPT 4.0

/* So many rows are kept at most, and so many late answers. */
#define KEPT_MOST ((size_t)1 << 20)

/* With more rows in all too many would be near an edge: with so many it is 3/4 of KEPT_MOST. */
#define ROWS_MOST (UINT64_C(1) << 30)

void crowd_begin(struct crowd *c, uint64_t rows)
{
    *c = (struct crowd){.lost = rows == 0 || rows > ROWS_MOST,
                        .rows = rows,
                        .kept = c->kept,
                        .kept_room = c->kept_room,
                        .late_ns = c->late_ns,
                        .late_room = c->late_room};
    for (size_t e = 0; e < CROWD_EDGES; e++)
        c->edges[e] = (struct crowd_edge){NS_LIMIT, NS_LIMIT};
}

void crowd_free(struct crowd *c)
{
    free(c->kept);
    free(c->late_ns);
}

static bool is_crowd(const struct crowd *c, const struct batch *b)
{
    uint64_t in_flight = b->begun - c->seen;
    return in_flight >= CROWD_ENOUGH || in_flight >= c->rows / CROWD_SHARE;
}

/* An edge may move as long as no row is on its other side.  Wherever it is foreseen, what comes of
   it is right or not known. */
static void foresee(struct crowd *c, const struct batch *b)
{
    if (b->begun < c->rows / MARK_SHARE)
        return;
    if (c->marked == 0) {
        c->marked = b->begun;
        c->marked_ns = b->begun_until_ns;
    }
    if (b->begun < c->rows / FIRST_SHARE || b->begun == c->marked)
        return;
    double left = b->begun < c->rows ? (double)(c->rows - b->begun) : 0.0;
    double each_ns = (double)(b->begun_until_ns - c->marked_ns) / (double)(b->begun - c->marked);
    double length_ns = (double)(b->begun_until_ns - c->begin_ns) + left * each_ns;
    double half_ns = ROOTS_KEPT * sqrt((double)c->rows) * each_ns + 1.0;
    if (length_ns >= (double)(NS_LIMIT / 4) || half_ns >= length_ns / (2 * WATCH_QUARTERS))
        return;
    c->lost = c->edges[0].low_ns >= NS_LIMIT && !is_crowd(c, b);
    for (size_t e = 0; e < CROWD_EDGES; e++) {
        double at_ns = length_ns * (double)(e + 1) / WATCH_QUARTERS;
        struct crowd_edge edge = {c->begin_ns + (ns_t)(at_ns - half_ns),
                                  c->begin_ns + (ns_t)(at_ns + half_ns)};
        if (c->greatest_ns < edge.low_ns && c->greatest_ns < c->edges[e].low_ns)
            c->edges[e] = edge;
    }
}

/* Rows due before some instant. */
struct before {
    uint64_t count, sum_ns;
};

static struct before before_of(const struct batch *b, const struct column *times, struct span due,
                               ns_t at_ns)
{
    struct before found = {0, 0};
    if (due.greatest_ns < at_ns)
        return (struct before){b->count, times->all.sum_ns};
    if (due.least_ns < at_ns)
        found.count =
            row_kernels()->below(b->due, times->values_ns, b->count, at_ns, &found.sum_ns);
    return found;
}

static void count_part(struct crowd *c, size_t quarter, struct before from, struct before to)
{
    c->count[quarter] += to.count - from.count;
    c->sum_ns[quarter] += to.sum_ns - from.sum_ns;
}

static void keep_rows(struct crowd *c, const struct batch *b, const struct column *times,
                      struct crowd_edge edge)
{
    size_t most = c->kept_count + b->count;
    if (most > c->kept_room) {
        c->kept_room = 2 * most;
        c->kept = must_grow(c->kept, c->kept_room, sizeof *c->kept);
    }
    for (size_t i = 0; i < b->count; i++) {
        c->kept[c->kept_count] = (struct crowd_row){b->due[i], times->values_ns[i]};
        c->kept_count += b->due[i] >= edge.low_ns && b->due[i] < edge.high_ns;
    }
}

static void take_rows(struct crowd *c, struct columns *columns)
{
    const struct batch *b = columns->batch;
    const struct column *times = columns_between(columns, b->finished, b->due);
    struct span due = column_of(b->due, b->count).all;
    struct before done = {0, 0};
    for (size_t e = 0; e < CROWD_EDGES; e++) {
        struct before low = before_of(b, times, due, c->edges[e].low_ns);
        struct before high = before_of(b, times, due, c->edges[e].high_ns);
        count_part(c, e, done, low);
        if (high.count > low.count)
            keep_rows(c, b, times, c->edges[e]);
        done = high;
    }
    count_part(c, WATCH_QUARTERS - 1, done, (struct before){b->count, times->all.sum_ns});
    c->greatest_ns = due.greatest_ns > c->greatest_ns ? due.greatest_ns : c->greatest_ns;
    c->lost |= times->all.greatest_ns >= SPAN_SUM_BELOW || c->kept_count > KEPT_MOST;
}

/* Answers leave in order. */
static void take_answers(struct crowd *c, const struct batch *b)
{
    size_t sure = rows_below(b->finished, b->count, b->begun_until_ns), more = b->count - sure;
    size_t over = rows_below(c->late_ns, c->late_count, b->begun_until_ns);
    c->in_window += sure + over;
    c->late_count -= over;
    if (over > 0)
        memmove(c->late_ns, c->late_ns + over, c->late_count * sizeof *c->late_ns);
    if (c->late_count + more > c->late_room) {
        c->late_room = 2 * (c->late_count + more);
        c->late_ns = must_grow(c->late_ns, c->late_room, sizeof *c->late_ns);
    }
    if (more > 0)
        memcpy(c->late_ns + c->late_count, b->finished + sure, more * sizeof *c->late_ns);
    c->late_count += more;
    c->lost |= c->late_count > KEPT_MOST;
}

void crowd_take(struct crowd *c, struct columns *columns, ns_t begin_ns)
{
    const struct batch *b = columns->batch;
    if (c->lost || b->count == 0)
        return;
    c->lost = b->in_order || b->begun == 0 || b->finished != b->ended ||
              (c->seen > 0 && begin_ns != c->begin_ns) || !recorder_takes_all(b, begin_ns);
    if (c->lost)
        return;
    c->begin_ns = begin_ns;
    c->seen += b->count;
    c->due_until_ns = b->begun_until_ns;
    foresee(c, b);
    take_rows(c, columns);
    take_answers(c, b);
}

bool crowd_end(const struct crowd *c, struct load_watch *watch)
{
    struct watch_edges edges = watch_edges(watch);
    bool known = !c->lost && c->begin_ns == watch->begin_ns && c->due_until_ns <= watch->end_ns;
    ns_t from_ns = 0;
    for (size_t e = 0; e < CROWD_EDGES; e++) {
        known &= from_ns <= c->edges[e].low_ns && c->edges[e].low_ns <= edges.of_ns[e] &&
                 edges.of_ns[e] <= c->edges[e].high_ns;
        from_ns = c->edges[e].high_ns;
    }
    if (!known)
        return false;
    watch->answered_in_window = c->in_window + rows_below(c->late_ns, c->late_count, watch->end_ns);
    memcpy(watch->quarter_count, c->count, sizeof c->count);
    memcpy(watch->quarter_sum_ns, c->sum_ns, sizeof c->sum_ns);
    for (size_t i = 0; i < c->kept_count; i++) {
        size_t q = watch_quarter(&edges, c->kept[i].due_ns);
        watch->quarter_count[q]++;
        watch->quarter_sum_ns[q] += c->kept[i].time_ns;
    }
    return true;
}
