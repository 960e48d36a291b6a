/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "sim/formats/histogram.h"
#include "sim/formats/imported.h"
#include "sim/formats/text.h"

static void fill(const struct histogram *h, ns_t unit_ns, struct imported *out)
{
    *out = (struct imported){.kind = IMPORTED_HLOG, .digits = h->layout.digits};
    i128 unit_milli = (i128)unit_ns * 1000;
    for (size_t i = 0; i < h->count; i++) {
        i128 low = (i128)hdr_low(&h->layout, h->counts[i].index) * unit_milli;
        i128 high = (i128)hdr_high(&h->layout, h->counts[i].index) * unit_milli;
        imported_push(out, (struct bin){.low_milli = low,
                                        .high_milli = high,
                                        .low_in = true,
                                        .count = h->counts[i].count});
    }
}

/* In that unit no value may lie beyond the clock. */
static bool fits(const struct histogram *h, ns_t unit_ns)
{
    return h->count == 0 ||
           hdr_high(&h->layout, h->counts[h->count - 1].index) < NS_LIMIT / unit_ns;
}

/* [Tag=NAME,] start, length, maximum, histogram. */
static bool read_line(struct lines *lines, ns_t unit_ns, struct imported *out,
                      struct errors *errors)
{
    struct piece rest = piece_trim(lines->line), columns[3];
    bool has = true;
    i128 number;
    if (piece_begins(rest, "Tag="))
        piece_cut(&rest, ',', &has);
    for (size_t i = 0; i < 3 && has; i++) {
        columns[i] = piece_trim(piece_cut(&rest, ',', &has));
        has = has && milli_parse(columns[i], NS_PER_S, &number);
    }
    if (!has) {
        lines_fault(lines, errors,
                    "allowed: start in s, length in s, maximum, and the histogram in base64");
        return false;
    }
    struct histogram histogram;
    struct imported window;
    char *why;
    rest = piece_trim(rest);
    bool good = histogram_unpack(rest.at, rest.length, &histogram, &why);
    if (!good)
        lines_fault(lines, errors, "the histogram cannot be read: %s", why);
    free(why);
    if (!good)
        return false;
    good = fits(&histogram, unit_ns);
    if (good) {
        fill(&histogram, unit_ns, &window);
        good = window.count == 0 || imported_merge(out, &window);
        imported_free(&window);
    }
    if (!good)
        lines_fault(lines, errors, "counts of 2^63 or more, or a value beyond 146 years");
    histogram_free(&histogram);
    return good;
}

bool read_hlog(const char *file, const char *text, size_t length, ns_t unit_ns,
               struct imported *out, struct errors *errors)
{
    struct lines lines = {.file = file, .text = text, .length = length};
    bool good = true;
    while (good && lines_next(&lines)) {
        struct piece line = piece_trim(lines.line);
        if (line.length == 0 || line.at[0] == '#' || piece_begins(line, "\"StartTimestamp\""))
            continue;
        good = read_line(&lines, unit_ns, out, errors);
    }
    return good;
}
