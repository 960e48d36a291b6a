/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_COLUMNS_H
#define DUETIME_COLUMNS_H

/* The times between two instants of a batch's rows, which several of those who watch a run ask for:
   each pair of columns is subtracted once. */

#include "models/base/batch.h"
#include "sim/row_kernels.h"

/* Values, and what of each block of them is known: where all are one value, or all far from some
   limit, nobody need look at them. */
struct column {
    size_t count; /* at most BATCH_ROWS */
    const ns_t *values_ns;
    struct span all;
    struct span blocks[SPANS_OF(BATCH_ROWS)]; /* of each SPAN_ROWS rows, the last of the rest */
};

/* How many rows a block has. */
static inline size_t column_block_rows(const struct column *column, size_t block)
{
    size_t left = column->count - block * SPAN_ROWS;
    return left < SPAN_ROWS ? left : SPAN_ROWS;
}

static inline bool span_is_one_value(struct span span)
{
    return span.least_ns == span.greatest_ns;
}

/* Some of its values that stand together, and their span: blocks that are one value, or blocks each
   of which has several. */
struct piece {
    const ns_t *values_ns; /* borrowed */
    size_t count;
    struct span span;
};

/* The longest piece that begins with this value, the first of a block. */
struct piece column_piece(const struct column *column, size_t first);

static inline bool piece_is_one_value(const struct piece *piece)
{
    return span_is_one_value(piece->span);
}

/* How many of a piece are in [low, high]; high < 2^62. */
uint64_t piece_within(const struct piece *piece, ns_t low_ns, ns_t high_ns);

/* Of values below 2^62, which are borrowed. */
struct column column_of(const ns_t *values_ns, size_t count);

/* The sum of so many values from the first on. */
u128 column_sum_ns(const struct column *column, size_t first, size_t count);

/* Of so many values from the first on, how many are above the limit. */
uint64_t column_above(const struct column *column, size_t first, size_t count, ns_t limit_ns);

/* Any two instants, the first before the second. */
#define COLUMNS_MOST 10

/* Windows of due instants, as wide as each other from 0 on: which of them rows are due in, and
   where the rows of each end. */
struct due_windows {
    ns_t width_ns; /* 0: not yet known */
    size_t count;
    struct due_window {
        uint64_t window;
        size_t end;
    } of[BATCH_ROWS];
};

struct columns {
    const struct batch *batch; /* borrowed */
    struct due_windows windows;
    size_t kept;
    struct kept_column {
        const ns_t *to_ns, *from_ns;
        struct column column;
        _Alignas(LINE_BYTES) ns_t values_ns[BATCH_ROWS]; /* on the heap: must_alloc_lines */
    } of[COLUMNS_MOST];
};

/* Forgets what was kept of another batch. */
void columns_begin(struct columns *columns, const struct batch *batch);

/* to - from of all rows, borrowed until the next batch; columns of the batch that never fall below
   each other. */
const struct column *columns_between(struct columns *columns, const ns_t *to_ns,
                                     const ns_t *from_ns);

/* Borrowed until the next batch or width; of a batch in order, of at least one row. */
const struct due_windows *columns_windows(struct columns *columns, ns_t width_ns);

#endif
