/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/formats/imported.h"

#include <stdlib.h>

#include "sim/formats/text.h"

void imported_push(struct imported *m, struct bin bin)
{
    if (bin.count == 0)
        return;
    if (m->bin_count == m->capacity) {
        m->capacity = m->capacity ? 2 * m->capacity : 64;
        m->bins = must_grow(m->bins, m->capacity, sizeof *m->bins);
    }
    m->bins[m->bin_count++] = bin;
    m->count += bin.count;
}

void imported_free(struct imported *m)
{
    free(m->bins);
    free(m->bounds_milli);
    *m = (struct imported){0};
}

/* A log or a percentile distribution is known by its head, which may stand in the middle of a
   tool's output; a histogram by its first line, which has two columns or opens an object. */
static enum imported_kind kind_of(const char *text, size_t length)
{
    struct lines lines = {.text = text, .length = length};
    bool first = true, is_log = false, has = false, is_histogram = false;
    while (lines_next(&lines)) {
        struct piece line = piece_trim(lines.line), rest = line;
        if (piece_begins(line, "#[Histogram log") || piece_begins(line, "\"StartTimestamp\""))
            return IMPORTED_HLOG;
        if (piece_is(piece_word(&rest), "Value") && piece_is(piece_word(&rest), "Percentile"))
            return IMPORTED_HGRM;
        is_log |= first && piece_begins(line, "#[");
        if (line.length == 0 || line.at[0] == '#' || !first)
            continue;
        rest = line;
        piece_cut(&rest, ',', &has);
        is_histogram = line.at[0] == '{' || has;
        first = false;
    }
    return is_log ? IMPORTED_HLOG : is_histogram ? IMPORTED_HISTOGRAM : IMPORTED_LIST;
}

static bool is_object(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length &&
           (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r'))
        at++;
    return at < length && text[at] == '{';
}

static bool read_kind(enum imported_kind kind, const char *file, const char *text, size_t length,
                      ns_t unit_ns, struct imported *out, struct errors *errors)
{
    ns_t unit_or_ns = unit_ns > 0 ? unit_ns : 1;
    switch (kind) {
    case IMPORTED_LIST: return read_list(file, text, length, unit_or_ns, out, errors);
    case IMPORTED_HISTOGRAM:
        if (is_object(text, length))
            return read_histogram_json(file, text, length, unit_or_ns, out, errors);
        return read_histogram_csv(file, text, length, unit_or_ns, out, errors);
    case IMPORTED_HGRM:
        return read_hgrm(file, text, length, unit_ns > 0 ? unit_ns : NS_PER_MS, out, errors);
    case IMPORTED_HLOG: return read_hlog(file, text, length, unit_or_ns, out, errors);
    }
    BUG("a kind of file outside its enum");
}

bool imported_read(const char *file, const char *text, size_t length, ns_t unit_ns,
                   struct imported *out, struct errors *errors)
{
    *out = (struct imported){.kind = kind_of(text, length)};
    bool good = read_kind(out->kind, file, text, length, unit_ns, out, errors);
    if (good && out->count == 0) {
        errors_add(errors, (struct place){.file = file}, "there is no value in it");
        good = false;
    }
    if (!good)
        imported_free(out);
    return good;
}

static int by_low(const void *left, const void *right)
{
    const struct bin *a = left, *b = right;
    if (a->low_milli != b->low_milli)
        return a->low_milli < b->low_milli ? -1 : 1;
    if (a->low_in != b->low_in)
        return a->low_in ? -1 : 1;
    if (a->open != b->open)
        return a->open ? 1 : -1;
    return (a->high_milli > b->high_milli) - (a->high_milli < b->high_milli);
}

static bool overlap(const struct bin *a, const struct bin *b)
{
    return a->open || b->low_milli < a->high_milli || (b->low_milli == a->high_milli && b->low_in);
}

static bool same_range(const struct bin *a, const struct bin *b)
{
    return a->low_milli == b->low_milli && a->low_in == b->low_in && a->open == b->open &&
           (a->open || a->high_milli == b->high_milli);
}

/* Sorted bins, those that overlap made one. */
static size_t join(struct bin *bins, size_t count, size_t *joined)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct bin *last = kept > 0 ? &bins[kept - 1] : NULL;
        if (last == NULL || !(same_range(last, &bins[i]) || overlap(last, &bins[i]))) {
            bins[kept++] = bins[i];
            continue;
        }
        *joined += !same_range(last, &bins[i]);
        if (bins[i].open || (!last->open && bins[i].high_milli > last->high_milli)) {
            last->open = bins[i].open;
            last->high_milli = bins[i].high_milli;
        }
        last->count += bins[i].count;
        if (last->end_low_milli == bins[i].end_low_milli)
            last->in_end += bins[i].in_end;
    }
    return kept;
}

static void merge_told(struct imported *into, const struct imported *from)
{
    bool first = into->count == 0;
    into->min.known = from->min.known && (first || into->min.known);
    into->max.known = from->max.known && (first || into->max.known);
    into->sum.known = from->sum.known && (first || into->sum.known);
    if (first || from->min.milli < into->min.milli)
        into->min.milli = from->min.milli;
    if (first || from->max.milli > into->max.milli)
        into->max.milli = from->max.milli;
    into->sum.milli = (first ? 0 : into->sum.milli) + from->sum.milli;
    if (first || from->digits < into->digits)
        into->digits = from->digits;
    if (from->step_milli > into->step_milli)
        into->step_milli = from->step_milli;
    if (first || from->kind > into->kind)
        into->kind = from->kind;
}

bool imported_merge(struct imported *into, const struct imported *from)
{
    if (from->count > INT64_MAX - into->count)
        return false;
    merge_told(into, from);
    size_t count = into->bin_count + from->bin_count;
    into->bins = must_grow(into->bins, count, sizeof *into->bins);
    into->capacity = count;
    for (size_t i = 0; i < from->bin_count; i++)
        into->bins[into->bin_count + i] = from->bins[i];
    qsort(into->bins, count, sizeof *into->bins, by_low);
    into->joined += from->joined;
    into->bin_count = join(into->bins, count, &into->joined);
    into->count += from->count;
    size_t bounds = into->bound_count + from->bound_count;
    into->bounds_milli = must_grow(into->bounds_milli, bounds, sizeof *into->bounds_milli);
    for (size_t i = 0; i < from->bound_count; i++)
        into->bounds_milli[into->bound_count++] = from->bounds_milli[i];
    return true;
}

/* The bin of the rank-th smallest value, cut to what is known of the smallest and the largest. */
static struct known_percentile at_rank(const struct imported *m, uint64_t rank)
{
    uint64_t up_to = 0;
    const struct bin *bin = m->bins;
    while ((up_to += bin->count) < rank)
        bin++;
    struct known_percentile k = {KNOWN_WITHIN, bin->low_milli, bin->high_milli, bin->low_in};
    if (bin->open)
        k.known = KNOWN_FROM_BELOW;
    if (up_to - rank < bin->in_end && bin->end_low_milli > k.low_milli) {
        k.low_milli = bin->end_low_milli;
        k.low_in = true;
    }
    if (m->min.known && m->min.milli > k.low_milli) {
        k.low_milli = m->min.milli;
        k.low_in = true;
    }
    if (m->max.known && (bin->open || m->max.milli < k.high_milli)) {
        k.high_milli = m->max.milli;
        k.known = KNOWN_WITHIN;
    }
    if (m->min.known && rank == 1)
        k = (struct known_percentile){KNOWN_EXACTLY, m->min.milli, m->min.milli, true};
    if (m->max.known && rank == m->count)
        k = (struct known_percentile){KNOWN_EXACTLY, m->max.milli, m->max.milli, true};
    if (k.known == KNOWN_WITHIN && k.low_milli == k.high_milli)
        k.known = KNOWN_EXACTLY;
    return k;
}

/* a + num/den (b - a), rounded half to even to thousandths of a ns. */
static i128 between(i128 a, i128 b, struct rank_at at)
{
    /* In whole and odd thousandths, so that no product passes 128 bits. */
    u128 apart = (u128)(b - a), whole = apart / at.den * at.num;
    u128 rest = apart % at.den * at.num, quotient = rest / at.den, twice = rest % at.den * 2;
    quotient += twice > at.den || (twice == at.den && ((quotient + whole + (u128)a) & 1) != 0);
    return a + (i128)(whole + quotient);
}

struct known_percentile imported_percentile(const struct imported *m, struct ratio p,
                                            const struct rank_type *rank)
{
    if (m->count == 0)
        return (struct known_percentile){KNOWN_NOT, 0, 0, false};
    struct rank_at at = rank->at(p, m->count);
    struct known_percentile low = at_rank(m, at.rank);
    if (at.num == 0)
        return low;
    struct known_percentile high = at_rank(m, at.rank + 1);
    struct known_percentile k = {
        .low_milli = between(low.low_milli, high.low_milli, at),
        .high_milli = high.known == KNOWN_FROM_BELOW || low.known == KNOWN_FROM_BELOW
                          ? 0
                          : between(low.high_milli, high.high_milli, at),
        .low_in = low.low_in && high.low_in,
    };
    k.known = high.known == KNOWN_FROM_BELOW || low.known == KNOWN_FROM_BELOW ? KNOWN_FROM_BELOW
              : low.known == KNOWN_EXACTLY && high.known == KNOWN_EXACTLY     ? KNOWN_EXACTLY
                                                                              : KNOWN_WITHIN;
    return k;
}
