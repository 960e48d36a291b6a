/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/formats/histogram.h"
#include "sim/formats/imported.h"
#include "sim/formats/text.h"

/* Rows say how many samples lie at or below a value: a cumulative histogram.  The text may stand in
   the middle of a tool's output. */

#define ONE ((i128)NS_PER_S * 1000) /* as a share */

struct row {
    i128 value_milli;
    uint64_t up_to;
    i128 share;       /* in 10^-12 */
    i128 first_share; /* the largest that the first row of this value may say */
};

struct reading_hgrm {
    struct lines lines;
    struct errors *errors;
    ns_t unit_ns;
    struct row *rows; /* owned; values ascend */
    size_t count, capacity;
    unsigned decimals; /* of the values, as printed */
    i128 p_step;       /* of the shares, as printed */
    uint64_t sub_buckets;
    struct told max;
    bool good, ended;
};

static void refuse(struct reading_hgrm *r, const char *what)
{
    lines_fault(&r->lines, r->errors, "%s", what);
    r->good = false;
}

static unsigned decimals_of(struct piece text)
{
    const char *point = memchr(text.at, '.', text.length);
    return point != NULL ? (unsigned)(text.length - (size_t)(point - text.at) - 1) : 0;
}

/* The last decimal of a share. */
static i128 step_of(struct piece share)
{
    i128 step = ONE;
    for (unsigned i = decimals_of(share); i > 0; i--)
        step /= 10;
    return step;
}

/* A level ends in 0 where all its decimals are printed; else it may be a little more. */
static void take_row(struct reading_hgrm *r)
{
    struct piece rest = r->lines.line;
    struct piece value = piece_word(&rest), p = piece_word(&rest), up_to = piece_word(&rest);
    struct row row, *last = r->count > 0 ? &r->rows[r->count - 1] : NULL;
    if (!milli_parse(value, r->unit_ns, &row.value_milli) ||
        !milli_parse(p, NS_PER_S, &row.share) || row.share > ONE ||
        !piece_count(up_to, &row.up_to) || row.up_to > INT64_MAX) {
        refuse(r, "allowed: a value, a percentile from 0 to 1, a count, and 1/(1-percentile)");
        return;
    }
    if (last != NULL && (row.value_milli < last->value_milli || row.up_to < last->up_to ||
                         row.share < last->share)) {
        refuse(r, "value, percentile and count never fall from row to row");
        return;
    }
    r->decimals = decimals_of(value);
    r->p_step = step_of(p);
    row.first_share = row.share + (p.at[p.length - 1] == '0' || row.share == ONE ? 0 : step_of(p));
    if (last != NULL && row.value_milli == last->value_milli) {
        row.first_share = last->first_share;
        *last = row;
        return;
    }
    if (r->count == r->capacity) {
        r->capacity = r->capacity ? 2 * r->capacity : 128;
        r->rows = must_grow(r->rows, r->capacity, sizeof *r->rows);
    }
    r->rows[r->count++] = row;
}

/* The number behind "NAME" and "=" in a line of the foot; length 0: none. */
static struct piece foot_value(struct piece line, const char *name)
{
    bool has;
    while (line.length > 0) {
        struct piece part = piece_cut(&line, ',', &has);
        struct piece key = piece_trim(piece_cut(&part, '=', &has));
        if (piece_begins(key, "#["))
            key = (struct piece){key.at + 2, key.length - 2};
        part = piece_trim(part);
        if (part.length > 0 && part.at[part.length - 1] == ']')
            part.length--;
        if (has && piece_is(piece_trim(key), name))
            return piece_trim(part);
    }
    return (struct piece){line.at, 0};
}

static void take_foot(struct reading_hgrm *r, struct piece line)
{
    struct piece total = foot_value(line, "Total count"), max = foot_value(line, "Max");
    struct piece sub_buckets = foot_value(line, "SubBuckets");
    const struct row *last = r->count > 0 ? &r->rows[r->count - 1] : NULL;
    uint64_t count;
    if (sub_buckets.length > 0) {
        if (!piece_count(sub_buckets, &r->sub_buckets))
            refuse(r, "SubBuckets is a whole number");
        r->ended = true;
    }
    if (total.length > 0) {
        if (!piece_count(total, &count))
            refuse(r, "Total count is a whole number");
        else if (count != (last != NULL ? last->up_to : 0))
            refuse(r, "the total count is not that of the last row");
    }
    if (max.length > 0) {
        r->max.known = milli_parse(max, r->unit_ns, &r->max.milli);
        if (!r->max.known)
            refuse(r, "Max is a time");
        else if (last != NULL && r->max.milli != last->value_milli)
            refuse(r, "the maximum is not the value of the last row");
    }
}

static unsigned digits_of(uint64_t sub_buckets)
{
    struct hdr_layout layout;
    for (unsigned digits = 1; digits <= 5; digits++)
        if (hdr_layout_make(digits, 1, 4, &layout) && hdr_sub_buckets(&layout) == sub_buckets)
            return digits;
    return 0;
}

/* What a bound was before it was printed: where only one cell of the histogram ends so near. */
static bool unrounded(unsigned digits, i128 step_milli, i128 *milli)
{
    struct hdr_layout layout;
    ns_t ns = (ns_t)(*milli / 1000);
    if (digits == 0 || !hdr_layout_make(digits, 1, INT64_MAX, &layout))
        return false;
    for (int side = -1; side <= 1; side++) {
        i128 at = (i128)ns + side * (step_milli / 2000);
        if (at < 0)
            continue;
        uint32_t index = hdr_index(&layout, (ns_t)at);
        i128 high = (i128)hdr_high(&layout, index) * 1000;
        i128 width = high - (i128)hdr_low(&layout, index) * 1000 + 1000;
        i128 off = high > *milli ? high - *milli : *milli - high;
        if (2 * off <= step_milli && width > step_milli) {
            *milli = high;
            return true;
        }
    }
    return false;
}

/* A row stands where the counts reach its percentile, cell by cell: the samples from that rank on
   lie in the cell that its value ends. */
static void find_end(const struct reading_hgrm *r, size_t i, uint64_t below, unsigned digits,
                     struct bin *bin)
{
    struct hdr_layout layout;
    if (digits == 0 || bin->high_milli % 1000 != 0 ||
        !hdr_layout_make(digits, 1, INT64_MAX, &layout))
        return;
    uint32_t index = hdr_index(&layout, (ns_t)(bin->high_milli / 1000));
    i128 total = (i128)r->rows[r->count - 1].up_to;
    i128 reached = (r->rows[i].first_share * total + ONE - 1) / ONE;
    uint64_t before = reached > 0 ? (uint64_t)reached - 1 : 0;
    before = before > below ? before : below;
    if (hdr_high(&layout, index) != (ns_t)(bin->high_milli / 1000) || before >= r->rows[i].up_to)
        return;
    bin->in_end = r->rows[i].up_to - before;
    bin->end_low_milli = (i128)hdr_low(&layout, index) * 1000;
}

static void fill(struct reading_hgrm *r, struct imported *out)
{
    i128 step = (i128)r->unit_ns * 1000, low = 0;
    for (unsigned i = 0; i < r->decimals; i++)
        step /= 10;
    out->digits = digits_of(r->sub_buckets);
    out->bounds_milli = must_alloc(r->count, sizeof *out->bounds_milli);
    uint64_t below = 0;
    for (size_t i = 0; i < r->count; i++) {
        i128 high = r->rows[i].value_milli;
        if (step > 1000 && !unrounded(out->digits, step, &high))
            out->step_milli = step;
        high = high > low ? high : low;
        struct bin bin = {low, high, i == 0, false, r->rows[i].up_to - below, 0, 0};
        find_end(r, i, below, out->digits, &bin);
        imported_push(out, bin);
        out->bounds_milli[out->bound_count++] = low = high;
        below = r->rows[i].up_to;
    }
}

/* Each percentile must be that of a sample at or below the row's value, as far as it is printed. */
static void judge_shares(struct reading_hgrm *r)
{
    uint64_t total = r->count > 0 ? r->rows[r->count - 1].up_to : 0;
    bool good = r->count == 0 || r->rows[r->count - 1].share == ONE;
    if (!good)
        refuse(r, "the last row is that of percentile 1");
    for (size_t i = 0; i < r->count && good; i++) {
        const struct row *row = &r->rows[i];
        good = (row->share - r->p_step) * (i128)total <= ONE * (i128)row->up_to;
    }
    if (!good && r->good)
        refuse(r, "the counts are below what the percentiles beside them say");
}

bool read_hgrm(const char *file, const char *text, size_t length, ns_t unit_ns,
               struct imported *out, struct errors *errors)
{
    struct reading_hgrm r = {.lines = {.file = file, .text = text, .length = length},
                             .errors = errors,
                             .unit_ns = unit_ns,
                             .good = true};
    bool headed = false;
    while (r.good && !r.ended && lines_next(&r.lines)) {
        struct piece line = piece_trim(r.lines.line), rest = line;
        if (!headed)
            headed = piece_is(piece_word(&rest), "Value");
        else if (piece_begins(line, "#["))
            take_foot(&r, line);
        else if (line.length > 0)
            take_row(&r);
    }
    if (r.good)
        judge_shares(&r);
    if (r.good)
        fill(&r, out);
    free(r.rows);
    return r.good;
}
