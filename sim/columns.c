/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/columns.h"

#include "models/base/error.h"

static struct span together(const struct span *blocks, size_t count)
{
    struct span all = SPAN_NONE;
    for (size_t k = 0; k < SPANS_OF(count); k++) {
        all.least_ns = blocks[k].least_ns < all.least_ns ? blocks[k].least_ns : all.least_ns;
        all.greatest_ns =
            blocks[k].greatest_ns > all.greatest_ns ? blocks[k].greatest_ns : all.greatest_ns;
        all.sum_ns += blocks[k].sum_ns;
    }
    return all;
}

struct column column_of(const ns_t *values_ns, size_t count)
{
    struct column column = {.count = count, .values_ns = values_ns};
    row_kernels()->spans(values_ns, count, column.blocks);
    column.all = together(column.blocks, count);
    return column;
}

/* Of values whose sum does not wrap: that of whole blocks is known. */
static uint64_t short_sum_ns(const struct column *column, size_t first, size_t count)
{
    uint64_t sum_ns = 0;
    for (size_t end = first + count, some; first < end; first += some) {
        size_t block = first / SPAN_ROWS, into = first % SPAN_ROWS;
        size_t rows = column_block_rows(column, block);
        some = end - first < rows - into ? end - first : rows - into;
        sum_ns += some == rows ? column->blocks[block].sum_ns
                               : row_kernels()->sum(column->values_ns + first, some);
    }
    return sum_ns;
}

u128 column_sum_ns(const struct column *column, size_t first, size_t count)
{
    u128 sum_ns = 0;
    if (column->all.least_ns < SPAN_SUM_BELOW && column->all.greatest_ns < SPAN_SUM_BELOW)
        return count == column->count ? column->all.sum_ns : short_sum_ns(column, first, count);
    for (size_t i = first; i < first + count; i++)
        sum_ns += column->values_ns[i];
    return sum_ns;
}

/* Whether a block may stand in one piece with the one that begins it. */
static bool are_alike(struct span begin, struct span next)
{
    return span_is_one_value(begin) == span_is_one_value(next) &&
           (!span_is_one_value(begin) || begin.least_ns == next.least_ns);
}

struct piece column_piece(const struct column *column, size_t first)
{
    const struct span *blocks = column->blocks + first / SPAN_ROWS;
    size_t left = column->count - first, count = 1;
    BUG_IF(first % SPAN_ROWS != 0);
    while (count < SPANS_OF(left) && are_alike(blocks[0], blocks[count]))
        count++;
    size_t rows = count * SPAN_ROWS < left ? count * SPAN_ROWS : left;
    return (struct piece){column->values_ns + first, rows, together(blocks, rows)};
}

uint64_t piece_within(const struct piece *piece, ns_t low_ns, ns_t high_ns)
{
    struct span span = piece->span;
    if (span.greatest_ns < low_ns || span.least_ns > high_ns)
        return 0;
    if (span.least_ns >= low_ns && span.greatest_ns <= high_ns)
        return piece->count;
    return row_kernels()->within(piece->values_ns, piece->count, low_ns, high_ns - low_ns + 1);
}

uint64_t column_above(const struct column *column, size_t first, size_t count, ns_t limit_ns)
{
    ns_t greatest_ns = 0;
    for (size_t k = first / SPAN_ROWS; k < SPANS_OF(first + count); k++)
        if (column->blocks[k].greatest_ns > greatest_ns)
            greatest_ns = column->blocks[k].greatest_ns;
    if (greatest_ns <= limit_ns)
        return 0;
    return row_kernels()->above(column->values_ns + first, count, limit_ns);
}

void columns_begin(struct columns *columns, const struct batch *batch)
{
    columns->batch = batch;
    columns->kept = 0;
    columns->windows.width_ns = 0;
}

const struct column *columns_between(struct columns *columns, const ns_t *to_ns,
                                     const ns_t *from_ns)
{
    struct kept_column *kept = columns->of;
    for (; kept < columns->of + columns->kept; kept++)
        if (kept->to_ns == to_ns && kept->from_ns == from_ns)
            return &kept->column;
    BUG_IF(columns->kept == COLUMNS_MOST);
    columns->kept++;
    kept->to_ns = to_ns;
    kept->from_ns = from_ns;
    struct column *column = &kept->column;
    column->count = columns->batch->count;
    column->values_ns = kept->values_ns;
    row_kernels()->differences(to_ns, from_ns, column->count, kept->values_ns, column->blocks);
    column->all = together(column->blocks, column->count);
    return column;
}

/* Windows that have so many rows are looked for by their ends, and else row by row. */
#define WINDOW_ROWS 8

static void add_window(struct due_windows *windows, uint64_t window, size_t end)
{
    windows->of[windows->count++] = (struct due_window){window, end};
}

static void find_ends(struct due_windows *windows, const struct batch *b, uint64_t first,
                      uint64_t last)
{
    size_t before = 0;
    for (uint64_t window = first; window < last; window++) {
        size_t end = rows_halved(b->due, b->count, (window + 1) * windows->width_ns);
        if (end > before)
            add_window(windows, window, end);
        before = end;
    }
    add_window(windows, last, b->count);
}

static void find_rows(struct due_windows *windows, const struct batch *b)
{
    uint64_t window = b->due[0] / windows->width_ns;
    for (size_t i = 0; i < b->count; i++) {
        if (b->due[i] < (window + 1) * windows->width_ns)
            continue;
        add_window(windows, window, i);
        window = b->due[i] / windows->width_ns;
    }
    add_window(windows, window, b->count);
}

const struct due_windows *columns_windows(struct columns *columns, ns_t width_ns)
{
    const struct batch *b = columns->batch;
    struct due_windows *windows = &columns->windows;
    if (windows->width_ns == width_ns)
        return windows;
    windows->width_ns = width_ns;
    windows->count = 0;
    uint64_t first = b->due[0] / width_ns, last = b->due[b->count - 1] / width_ns;
    if (last - first <= b->count / WINDOW_ROWS)
        find_ends(windows, b, first, last);
    else
        find_rows(windows, b);
    return windows;
}
