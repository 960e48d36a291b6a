/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/imports.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "sim/formats/text.h"
#include "tools/report/report.h"
#include "tools/report/utf8.h"

static const struct {
    struct ratio p;
    const char *text;
} asked[] = {
    {{1, 2}, "50"},        {{9, 10}, "90"},          {{99, 100}, "99"},
    {{999, 1000}, "99.9"}, {{9999, 10000}, "99.99"}, {{1, 1}, "100"},
};
#define ASKED (sizeof asked / sizeof asked[0])
#define MARGIN 8 /* width of the first column */
#define WHAT 36  /* and of the second */

static const char *kind_words(enum imported_kind kind)
{
    switch (kind) {
    case IMPORTED_LIST: return "list of times";
    case IMPORTED_HISTOGRAM: return "histogram";
    case IMPORTED_HGRM: return "percentile distribution of an HdrHistogram";
    case IMPORTED_HLOG: return "interval log of HdrHistograms";
    }
    BUG("a kind of file outside its enum");
}

/* "150ms", "in (100ms, 200ms]", "more than 200ms"; owned by the caller. */
static char *known_words(const struct known_percentile *k)
{
    char low[64], high[64];
    milli_format(k->low_milli, low);
    switch (k->known) {
    case KNOWN_NOT: return must_copy("not known");
    case KNOWN_EXACTLY: return must_copy(low);
    case KNOWN_FROM_BELOW: return must_format("%s %s", k->low_in ? "at least" : "more than", low);
    case KNOWN_WITHIN:
        return must_format("in %c%s, %s]", k->low_in ? '[' : '(', low,
                           milli_format(k->high_milli, high));
    }
    BUG("what is known is outside its enum");
}

static struct known_percentile percentile_of(const struct imported *m, size_t p, size_t rank)
{
    const struct rank_type *type = (const struct rank_type *)(const void *)set_ranks.variants[rank];
    return imported_percentile(m, asked[p].p, type);
}

/* Names of the rules whose words are the same as those of `first`; marks them. */
static char *rules_alike(char **words, size_t first, bool *done)
{
    char *names = must_copy("");
    size_t alike = 0;
    for (size_t i = first; i < set_ranks.count; i++) {
        if (done[i] || strcmp(words[i], words[first]) != 0)
            continue;
        char *longer =
            must_format("%s%s%s", names, alike > 0 ? ", " : "", set_ranks.variants[i]->name);
        free(names);
        names = longer;
        done[i] = true;
        alike++;
    }
    if (alike < set_ranks.count)
        return names;
    free(names);
    return must_copy("by every rank rule");
}

static void write_line(FILE *out, const char *name, const char *what, const char *rules,
                       size_t width)
{
    size_t indent = MARGIN + WHAT, room = width > indent + 20 ? width - indent : 20;
    const char *next;
    size_t length = utf8_wrap(rules, room, &next);
    fprintf(out, "%-*s%-*s %.*s\n", MARGIN, name, WHAT - 1, what, (int)length, rules);
    while (*next) {
        rules = next;
        length = utf8_wrap(rules, room, &next);
        fprintf(out, "%*s%.*s\n", (int)indent, "", (int)length, rules);
    }
}

static void write_percentile(FILE *out, const struct imported *m, size_t p, size_t width)
{
    char **words = must_alloc(set_ranks.count, sizeof *words);
    bool *done = must_alloc(set_ranks.count, sizeof *done);
    for (size_t i = 0; i < set_ranks.count; i++) {
        struct known_percentile k = percentile_of(m, p, i);
        words[i] = known_words(&k);
    }
    char *name = must_format("p%s", asked[p].text);
    for (size_t i = 0; i < set_ranks.count; i++) {
        if (done[i])
            continue;
        char *rules = rules_alike(words, i, done);
        write_line(out, name, words[i], rules, width);
        name[0] = '\0'; /* it stands in front of its first line alone */
        free(rules);
    }
    free(name);
    for (size_t i = 0; i < set_ranks.count; i++)
        free(words[i]);
    free(words);
    free(done);
}

static void write_told(FILE *out, const char *name, struct told told)
{
    char text[64];
    fprintf(out, "%-*s%s\n", MARGIN, name,
            told.known ? milli_format(told.milli, text) : "not known");
}

static struct told mean_of(const struct imported *m)
{
    i128 n = (i128)m->count;
    return (struct told){m->sum.known, m->sum.known ? (m->sum.milli + n / 2) / n : 0};
}

/* More than half of all in one bucket: its width is the error of what is read off it. */
static void write_notes(FILE *out, const struct imported *m)
{
    char low[64], high[64];
    bool one_value = m->min.known && m->max.known && m->min.milli == m->max.milli;
    for (size_t i = 0; i < m->bin_count && !one_value; i++) {
        const struct bin *bin = &m->bins[i];
        if (2 * (u128)bin->count <= m->count || (!bin->open && bin->low_milli == bin->high_milli))
            continue;
        fprintf(out,
                "warning: %" PRIu64 " of %" PRIu64 " lie in one bucket, %s%s to %s: nothing in the "
                "file says where in it\n",
                bin->count, m->count, bin->low_in ? "" : "above ",
                milli_format(bin->low_milli, low),
                bin->open ? "no end" : milli_format(bin->high_milli, high));
    }
    if (m->step_milli > 0)
        fprintf(out, "note: values are printed to %s; a bound may lie half of that off\n",
                milli_format(m->step_milli, low));
    if (m->joined > 0)
        fprintf(out,
                "note: the files have unlike buckets; %zu were joined with those they reach into, "
                "so that every count is exact\n",
                m->joined);
}

void import_write_head(FILE *out, const char *files, const struct imported *m)
{
    char *clean = utf8_clean(files);
    fprintf(out, "%s: %s\n", clean, kind_words(m->kind));
    free(clean);
}

void import_write_text(FILE *out, const char *files, const struct imported *m, size_t width)
{
    import_write_head(out, files, m);
    fprintf(out, "\n%-*s%" PRIu64 "\n", MARGIN, "count", m->count);
    write_told(out, "min", m->min);
    write_told(out, "max", m->max);
    write_told(out, "mean", mean_of(m));
    write_told(out, "sum", m->sum);
    for (size_t p = 0; p < ASKED; p++)
        write_percentile(out, m, p, width);
    write_notes(out, m);
}

static void write_ns(FILE *out, i128 milli)
{
    char whole[48];
    bool large = milli / 1000 > (i128)1 << 53;
    unsigned rest = (unsigned)(milli % 1000);
    fputs(large ? "\"" : "", out);
    fputs(format_i128(milli / 1000, whole), out);
    if (rest != 0)
        fprintf(out, ".%03u", rest);
    fputs(large ? "\"" : "", out);
}

static void write_json_told(FILE *out, const char *key, struct told told)
{
    fprintf(out, ", \"%s\": ", key);
    if (told.known)
        write_ns(out, told.milli);
    else
        fputs("null", out);
}

static void write_json_known(FILE *out, const struct known_percentile *k)
{
    switch (k->known) {
    case KNOWN_NOT: fputs("null", out); return;
    case KNOWN_EXACTLY: fputs("{\"value_ns\": ", out); break;
    case KNOWN_WITHIN:
    case KNOWN_FROM_BELOW: fputs(k->low_in ? "{\"at_least_ns\": " : "{\"above_ns\": ", out); break;
    }
    write_ns(out, k->low_milli);
    if (k->known == KNOWN_WITHIN) {
        fputs(", \"at_most_ns\": ", out);
        write_ns(out, k->high_milli);
    }
    fputc('}', out);
}

void import_write_json(FILE *out, const char *files, const struct imported *m)
{
    fputs("{\"file\": ", out);
    json_write_string(out, files);
    fprintf(out, ", \"kind\": \"%s\", \"count\": %" PRIu64, kind_words(m->kind), m->count);
    write_json_told(out, "min_ns", m->min);
    write_json_told(out, "max_ns", m->max);
    write_json_told(out, "mean_ns", mean_of(m));
    write_json_told(out, "sum_ns", m->sum);
    fprintf(out, ", \"joined\": %zu, \"percentiles\": {", m->joined);
    for (size_t p = 0; p < ASKED; p++) {
        fprintf(out, "%s\"%s\": {", p > 0 ? ", " : "", asked[p].text);
        for (size_t i = 0; i < set_ranks.count; i++) {
            struct known_percentile k = percentile_of(m, p, i);
            fprintf(out, "%s\"%s\": ", i > 0 ? ", " : "", set_ranks.variants[i]->name);
            write_json_known(out, &k);
        }
        fputc('}', out);
    }
    fputs("}}\n", out);
}

static struct said said_of(struct told told)
{
    return (struct said){told.known, told.milli};
}

/* What a recorder with such buckets prints: the upper end, nothing where there is none.  Between
   the rows of a percentile distribution lies more than one cell, of which none is known. */
static struct said printed(const struct imported *m, const struct known_percentile *k)
{
    i128 power = 1;
    for (unsigned d = 0; d < m->digits; d++)
        power *= 10;
    if (m->kind == IMPORTED_HGRM && k->known == KNOWN_WITHIN &&
        (k->high_milli - k->low_milli) * power > k->high_milli + 1000 * power)
        return (struct said){false, 0};
    switch (k->known) {
    case KNOWN_NOT:
    case KNOWN_FROM_BELOW: return (struct said){false, 0};
    case KNOWN_EXACTLY:
    case KNOWN_WITHIN: return (struct said){true, k->high_milli};
    }
    BUG("what is known is outside its enum");
}

static int by_value(const void *left, const void *right)
{
    const ns_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void declare_bounds(const struct imported *m, struct declared *out)
{
    out->precision = PRECISION_BOUNDS;
    out->bounds.ns = must_alloc(m->bound_count, sizeof *out->bounds.ns);
    for (size_t i = 0; i < m->bound_count; i++)
        out->bounds.ns[i] = (ns_t)(m->bounds_milli[i] / 1000);
    qsort(out->bounds.ns, m->bound_count, sizeof *out->bounds.ns, by_value);
    for (size_t i = 0; i < m->bound_count; i++)
        if (i == 0 || out->bounds.ns[i] != out->bounds.ns[i - 1])
            out->bounds.ns[out->bounds.count++] = out->bounds.ns[i];
}

/* Digits, and half of what the printing rounded off, as a share of the least percentile. */
static void declare_rounded(const struct imported *m, const struct report *report,
                            struct declared *out)
{
    const uint64_t billion = 1000000000;
    uint64_t share = billion;
    for (unsigned d = 0; d < m->digits; d++)
        share /= 10;
    i128 least = 0;
    for (size_t i = 0; i < report->percentile_count; i++) {
        const struct said *said = &report->percentiles[i];
        if (said->known && (least == 0 || said->milli < least))
            least = said->milli;
    }
    i128 rounding = least > 0 ? m->step_milli * (i128)billion / (2 * least) + 1 : (i128)billion;
    share += rounding < (i128)billion ? (uint64_t)rounding : billion;
    out->precision = PRECISION_RELATIVE;
    out->relative = ratio_make(share < billion ? share : billion, billion);
}

void import_report(const struct imported *m, const struct trial *trial, struct report *report,
                   struct declared *declared)
{
    *report = (struct report){.has_count = true,
                              .count = m->count,
                              .min = said_of(m->min),
                              .max = said_of(m->max),
                              .mean = said_of(mean_of(m)),
                              .sum = said_of(m->sum),
                              .percentile_count = trial->asked.percentile_count};
    report->percentiles = must_alloc(report->percentile_count, sizeof *report->percentiles);
    for (size_t i = 0; i < report->percentile_count; i++) {
        struct known_percentile k =
            imported_percentile(m, trial->asked.percentiles[i].p, rank_rule(trial->asked.rank));
        report->percentiles[i] = printed(m, &k);
    }
    *declared = (struct declared){.precision = PRECISION_EXACT};
    switch (m->kind) {
    case IMPORTED_LIST: return;
    case IMPORTED_HISTOGRAM: declare_bounds(m, declared); return;
    case IMPORTED_HGRM:
    case IMPORTED_HLOG:
        if (m->step_milli > 0 || m->digits == 0) {
            declare_rounded(m, report, declared);
        } else {
            declared->precision = PRECISION_DIGITS;
            declared->digits = m->digits;
        }
    }
}
