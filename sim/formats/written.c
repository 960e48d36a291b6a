/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "sim/formats/histogram.h"

/* The two texts as the Java library writes them: to the byte, as long as values and counts are
   below 2^53. */

#define TICKS 5 /* a half distance */
#define DECIMALS_OF_P 12
#define MS_DECIMALS 3

/* num / den with so many decimals, halves up, right-aligned. */
static void write_quotient(FILE *out, u128 num, u128 den, unsigned decimals, int width)
{
    u128 power = 1;
    for (unsigned i = 0; i < decimals; i++)
        power *= 10;
    u128 scaled = (num * power * 2 + den) / (2 * den);
    char whole[48];
    int digits = (int)decimals, left = width > digits + 1 ? width - digits - 1 : 0;
    fprintf(out, "%*s.%0*" PRIu64, left, format_i128((i128)(scaled / power), whole), digits,
            (uint64_t)(scaled % power));
}

/* The level that stands next: p = 1 - (10 - step) / (10 halves), halves = 2^k, step 0..4. */
struct level {
    u128 halves;
    unsigned step;
    bool last; /* p = 1 */
};

static void advance(struct level *level)
{
    if (++level->step == TICKS) {
        level->step = 0;
        level->halves *= 2;
    }
}

/* Whether so many of all are at least the level. */
static bool reaches(const struct level *level, uint64_t up_to, uint64_t total)
{
    if (level->last)
        return up_to == total;
    /* (total - up_to) / total <= (10 - step) / (10 halves), where the left is 0 or at least 2^-63
     */
    return (u128)(total - up_to) * level->halves <= (u128)total * (10 - level->step) / 10;
}

static void write_row(FILE *out, const struct histogram *h, ns_t value, const struct level *level,
                      uint64_t up_to, ns_t unit_ns)
{
    u128 den = 10 * level->halves;
    write_quotient(out, value, unit_ns, h->layout.digits, 12);
    fputc(' ', out);
    write_quotient(out, level->last ? den : den - (10 - level->step), den, DECIMALS_OF_P, 2);
    fprintf(out, " %10" PRIu64, up_to);
    if (!level->last) { /* in doubles, whose rounding is part of the text */
        double percent = 100.0 - 10.0 * (10 - level->step) / (double)level->halves;
        fprintf(out, " %14.2f", 1.0 / (1.0 - percent / 100.0));
    }
    fputc('\n', out);
}

/* The middle of a cell stands for its values. */
static double middle(const struct histogram *h, uint32_t index)
{
    ns_t low = hdr_low(&h->layout, index), width = hdr_high(&h->layout, index) - low + 1;
    return (double)(low + (width >> 1));
}

static void write_foot(FILE *out, const struct histogram *h, ns_t unit_ns)
{
    int digits = (int)h->layout.digits;
    double sum = 0, squares = 0, n = (double)h->total, unit = (double)unit_ns;
    for (size_t i = 0; i < h->count; i++)
        sum += middle(h, h->counts[i].index) * (double)h->counts[i].count;
    double mean = h->total > 0 ? sum / n : 0;
    for (size_t i = 0; i < h->count; i++) {
        double off = middle(h, h->counts[i].index) - mean;
        squares += off * off * (double)h->counts[i].count;
    }
    double deviation = h->total > 0 ? sqrt(squares / n) : 0;
    ns_t max = h->count > 0 ? hdr_high(&h->layout, h->counts[h->count - 1].index) : 0;
    fprintf(out, "#[Mean    = %12.*f, StdDeviation   = %12.*f]\n#[Max     = ", digits, mean / unit,
            digits, deviation / unit);
    write_quotient(out, max, unit_ns, h->layout.digits, 12);
    fprintf(out, ", Total count    = %12" PRIu64 "]\n", h->total);
    fprintf(out, "#[Buckets = %12u, SubBuckets     = %12u]\n", hdr_buckets(&h->layout),
            hdr_sub_buckets(&h->layout));
}

void hgrm_write(const struct histogram *h, ns_t unit_ns, FILE *out)
{
    fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
            "1/(1-Percentile)");
    struct level level = {1, 0, false};
    uint64_t up_to = 0;
    for (size_t i = 0; i < h->count; i++) {
        ns_t high = hdr_high(&h->layout, h->counts[i].index);
        up_to += h->counts[i].count;
        while (reaches(&level, up_to, h->total)) {
            write_row(out, h, high, &level, up_to, unit_ns);
            if (level.last)
                break;
            advance(&level);
            level.last = up_to == h->total;
        }
    }
    write_foot(out, h, unit_ns);
}

void hlog_write_head(const char *comment, FILE *out)
{
    fprintf(out,
            "#[%s]\n#[Histogram log format version 1.3]\n"
            "#[StartTime: 0.000 (seconds since epoch), Thu Jan 01 00:00:00 UTC 1970]\n"
            "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
            "\"Interval_Compressed_Histogram\"\n",
            comment);
}

void hlog_write(const struct histogram *window, FILE *out)
{
    ns_t max =
        window->count > 0 ? hdr_high(&window->layout, window->counts[window->count - 1].index) : 0;
    write_quotient(out, window->begin_ns, NS_PER_S, MS_DECIMALS, 0);
    fputc(',', out);
    write_quotient(out, window->length_ns, NS_PER_S, MS_DECIMALS, 0);
    fputc(',', out);
    write_quotient(out, max, NS_PER_MS, MS_DECIMALS, 0);
    char *packed = histogram_pack(window);
    fprintf(out, ",%s\n", packed);
    free(packed);
}
