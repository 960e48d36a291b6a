/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "sim/formats/imported.h"
#include "sim/formats/text.h"

/* upper,count or upper,cumulative; then a bucket a line, the last one +Inf where it is open, and
   perhaps lines count,N  sum,T  min,T  max,T. */

static bool is_bound_name(struct piece name)
{
    static const char *const names[] = {"upper", "le", "bound", "upper_bound"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (piece_ignoring_case(name, names[i]))
            return true;
    return false;
}

static bool is_infinite(struct piece text)
{
    return piece_ignoring_case(text, "+inf") || piece_ignoring_case(text, "inf") ||
           piece_ignoring_case(text, "+infinity") || piece_ignoring_case(text, "infinity");
}

static struct piece unquoted(struct piece text)
{
    text = piece_trim(text);
    if (text.length >= 2 && text.at[0] == '"' && text.at[text.length - 1] == '"')
        return (struct piece){text.at + 1, text.length - 2};
    return text;
}

/* Two columns of a line; false: there are not two. */
static bool two_columns(struct piece line, struct piece *first, struct piece *second)
{
    bool has, more;
    *first = unquoted(piece_cut(&line, ',', &has));
    *second = unquoted(piece_cut(&line, ',', &more));
    return has && !more;
}

static bool read_head(struct lines *lines, struct buckets *b, struct errors *errors)
{
    struct piece bound, count;
    bool good = two_columns(lines->line, &bound, &count) && is_bound_name(bound);
    b->cumulative = good && piece_ignoring_case(count, "cumulative");
    if (good && (b->cumulative || piece_ignoring_case(count, "count")))
        return true;
    lines_fault(lines, errors,
                "the first line of a histogram names its two columns: upper,count (of each bucket) "
                "or upper,cumulative (of all up to there)");
    return false;
}

/* A line that is no bucket but says something of all of them; false: it is a bucket. */
static bool read_told(struct piece name, struct piece value, ns_t unit_ns, struct buckets *b,
                      bool *good)
{
    struct told *told = piece_ignoring_case(name, "sum")   ? &b->sum
                        : piece_ignoring_case(name, "min") ? &b->min
                        : piece_ignoring_case(name, "max") ? &b->max
                                                           : NULL;
    if (piece_ignoring_case(name, "count")) {
        *good = !b->has_total && piece_count(value, &b->total);
        b->has_total = true;
        return true;
    }
    if (told == NULL)
        return false;
    *good = !told->known && milli_parse(value, unit_ns, &told->milli);
    told->known = true;
    return true;
}

static bool read_row(struct lines *lines, ns_t unit_ns, struct buckets *b, struct errors *errors)
{
    struct piece bound, count;
    bool good = true;
    i128 bound_milli = 0;
    uint64_t n = 0;
    if (!two_columns(lines->line, &bound, &count)) {
        lines_fault(lines, errors, "a line of a histogram has two columns");
        return false;
    }
    if (!read_told(bound, count, unit_ns, b, &good)) {
        bool open = is_infinite(bound);
        good = !b->open && (open || milli_parse(bound, unit_ns, &bound_milli)) &&
               piece_count(count, &n);
        b->open |= open;
        if (good)
            buckets_push(b, bound_milli, n);
    }
    if (!good) {
        char *shown = piece_shown(lines->line);
        lines_fault(lines, errors,
                    "found %s; allowed: an upper bound (a time, or +Inf for the last bucket) and "
                    "how many; or count, sum, min or max, once each",
                    shown);
        free(shown);
    }
    return good;
}

bool read_histogram_csv(const char *file, const char *text, size_t length, ns_t unit_ns,
                        struct imported *out, struct errors *errors)
{
    struct lines lines = {.file = file, .text = text, .length = length};
    struct buckets buckets = {0};
    bool good = true, headed = false;
    while (good && lines_next(&lines)) {
        struct piece line = piece_trim(lines.line);
        if (line.length == 0 || line.at[0] == '#')
            continue;
        good = headed ? read_row(&lines, unit_ns, &buckets, errors)
                      : read_head(&lines, &buckets, errors);
        headed = true;
    }
    char *why = good ? buckets_close(&buckets, out) : NULL;
    if (why != NULL) {
        errors_add(errors, (struct place){.file = file}, "%s", why);
        good = false;
    }
    free(why);
    buckets_free(&buckets);
    return good;
}
