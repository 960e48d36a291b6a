/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/report/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct unit_name {
    enum unit unit;
    ns_t ns;
    const char *name;
};

static const struct unit_name units[] = {
    {UNIT_NS, 1, "ns"},      {UNIT_US, NS_PER_US, "us"},       {UNIT_MS, NS_PER_MS, "ms"},
    {UNIT_S, NS_PER_S, "s"}, {UNIT_MIN, 60 * NS_PER_S, "min"},
};
#define UNIT_TOTAL (sizeof units / sizeof units[0])

/* What a table's figures have in common: the least that is not 0, and whether all exact ones can be
   written in each unit with 1, 2, 3 decimals. */
struct survey {
    double least_ns; /* INFINITY: every figure is 0 or unknown */
    unsigned decimals[UNIT_TOTAL];
};

static struct survey survey_new(void)
{
    struct survey s = {.least_ns = INFINITY};
    for (size_t u = 0; u < UNIT_TOTAL; u++)
        s.decimals[u] = 1;
    return s;
}

static void survey_milli(struct survey *s, u128 milli)
{
    if (milli > 0)
        s->least_ns = fmin(s->least_ns, (double)milli / 1000);
    for (size_t u = 0; u < UNIT_TOTAL; u++) {
        u128 step = (u128)units[u].ns * 100; /* thousandths of a ns in 0.1 of the unit */
        for (unsigned d = 1; d < 3; d++, step /= 10)
            if (step == 0 || milli % step != 0)
                s->decimals[u] = s->decimals[u] > d + 1 ? s->decimals[u] : d + 1;
    }
}

static u128 milli_of(struct quantity q)
{
    return (u128)q.ns * 1000 + q.thousandths;
}

static void survey_add(struct survey *s, struct figure f)
{
    if (f.kind == FIGURE_EXACT)
        survey_milli(s, milli_of(f.exact));
    if (f.kind != FIGURE_REAL)
        return;
    if (f.real > 0)
        s->least_ns = fmin(s->least_ns, f.real);
    for (size_t u = 0; u < UNIT_TOTAL; u++)
        s->decimals[u] = 3;
}

static struct scale scale_from(const struct survey *s, enum unit wanted)
{
    size_t pick = isinf(s->least_ns) ? 1 : 0; /* nothing but zeros: us */
    for (size_t u = 0; u < UNIT_TOTAL; u++) {
        if (wanted == units[u].unit)
            pick = u;
        if (wanted == UNIT_AUTO && !isinf(s->least_ns) && s->least_ns >= (double)units[u].ns)
            pick = u;
    }
    return (struct scale){units[pick].ns, units[pick].name, s->decimals[pick]};
}

struct scale scale_of(const struct result *result)
{
    struct survey s = survey_new();
    const struct plan *plan = result->plan;
    for (size_t r = 0; r < plan->recorder_count; r++) {
        const struct recorder_result *rec = &result->recorders[r];
        for (size_t i = 0; i < plan->report.percentile_count; i++) {
            survey_add(&s, rec->cells[i].value);
            survey_add(&s, rec->cells[i].at_least);
            if (result->law_only) {
                survey_add(&s, rec->cells[i].law);
                survey_add(&s, rec->cells[i].truth);
            }
        }
        survey_add(&s, rec->max);
        /* A mean may need any number of decimals: it has a say in the unit only. */
        if (rec->mean.kind == FIGURE_REAL && rec->mean.real > 0 && !result->law_only)
            s.least_ns = fmin(s.least_ns, rec->mean.real);
    }
    return scale_from(&s, result->plan->report.unit);
}

struct scale scale_of_groups(const struct result *result, size_t recorder)
{
    struct survey s = survey_new();
    const struct recorder_result *rec = &result->recorders[recorder];
    for (size_t g = 0; g < rec->group_count; g++)
        for (size_t i = 0; i < result->plan->report.percentile_count; i++) {
            survey_add(&s, rec->groups[g].cells[i].value);
            survey_add(&s, rec->groups[g].cells[i].at_least);
        }
    return scale_from(&s, result->plan->report.unit);
}

/* In the unit of the table: three digits of the least of them, but none below the ns. */
struct scale scale_of_minima(const struct result *result)
{
    struct survey s = survey_new();
    for (size_t r = 0; r < result->plan->recorder_count; r++)
        survey_add(&s, result->recorders[r].min);
    struct scale table = scale_of(result);
    enum unit unit = UNIT_AUTO;
    for (size_t u = 0; u < UNIT_TOTAL; u++)
        if (units[u].ns == table.unit_ns)
            unit = units[u].unit;
    struct scale scale = scale_from(&s, unit);
    double tick_ns = (double)scale.unit_ns;
    for (unsigned d = 0; d < scale.decimals; d++)
        tick_ns /= 10.0;
    while (tick_ns > 1.0 && s.least_ns < 100.0 * tick_ns && fmod(s.least_ns, tick_ns) != 0.0) {
        tick_ns /= 10.0;
        scale.decimals++;
    }
    return scale;
}

struct scale scale_of_sums(const struct result *result)
{
    struct survey s = survey_new();
    for (size_t r = 0; r < result->plan->recorder_count; r++)
        if (result->recorders[r].sum.known)
            survey_milli(&s, result->recorders[r].sum.ns * 1000);
    /* Nobody adds latencies up in minutes. */
    return scale_from(&s, s.least_ns >= (double)NS_PER_S ? UNIT_S : UNIT_AUTO);
}

/* milli thousandths of a ns in the scale's unit, rounded half to even. */
static void write_milli(struct scale scale, u128 milli, char out[FIGURE_TEXT])
{
    u128 power = 1;
    for (unsigned d = 0; d < scale.decimals; d++)
        power *= 10;
    u128 step = (u128)scale.unit_ns * 1000;
    u128 whole = milli / step;
    u128 scaled = milli % step * power;
    u128 part = scaled / step, twice = 2 * (scaled % step);
    if (twice > step || (twice == step && part % 2 == 1))
        part++;
    if (part == power) {
        whole++;
        part = 0;
    }
    char digits[48];
    snprintf(out, FIGURE_TEXT, "%s.%0*lu", format_i128((i128)whole, digits), (int)scale.decimals,
             (unsigned long)part);
}

void scale_write(struct scale scale, struct figure figure, char out[FIGURE_TEXT])
{
    switch (figure.kind) {
    case FIGURE_UNKNOWN: out[0] = '\0'; return;
    case FIGURE_EXACT: write_milli(scale, milli_of(figure.exact), out); return;
    case FIGURE_REAL:
        if (isnan(figure.real))
            out[0] = '\0';
        else if (isinf(figure.real))
            snprintf(out, FIGURE_TEXT, "inf");
        else
            snprintf(out, FIGURE_TEXT, fabs(figure.real) < 1e30 ? "%.*f" : "%.*e",
                     (int)scale.decimals, figure.real / (double)scale.unit_ns);
        return;
    }
}

void scale_write_sum(struct scale scale, struct sum_result sum, char out[FIGURE_TEXT])
{
    out[0] = '\0';
    if (sum.known)
        write_milli(scale, sum.ns * 1000, out);
}

void figure_write_ns(struct figure figure, int digits, char out[FIGURE_TEXT])
{
    out[0] = '\0';
    if (figure.kind == FIGURE_REAL)
        real_write(figure.real, digits, out);
    if (figure.kind != FIGURE_EXACT)
        return;
    if (figure.exact.thousandths == 0)
        snprintf(out, FIGURE_TEXT, "%llu", (unsigned long long)figure.exact.ns);
    else
        snprintf(out, FIGURE_TEXT, "%llu.%03u", (unsigned long long)figure.exact.ns,
                 (unsigned)figure.exact.thousandths);
}

void figure_write_words(struct figure figure, char out[FIGURE_TEXT])
{
    if (figure.kind == FIGURE_EXACT && figure.exact.thousandths == 0) {
        char text[32];
        duration_format(figure.exact.ns, text);
        snprintf(out, FIGURE_TEXT, "%s", text);
        return;
    }
    figure_write_ns(figure, 9, out);
    size_t length = strlen(out);
    snprintf(out + length, FIGURE_TEXT - length, "%s", length ? "ns" : "unknown");
}

void real_write(double value, int digits, char out[FIGURE_TEXT])
{
    if (isnan(value))
        out[0] = '\0';
    else if (isinf(value))
        snprintf(out, FIGURE_TEXT, value > 0 ? "inf" : "-inf");
    else
        snprintf(out, FIGURE_TEXT, "%.*g", digits, value);
}

void plain_write(double value, int digits, char out[FIGURE_TEXT])
{
    double size = fabs(value);
    if (!(size > 1e-12 && size < 1e15)) {
        real_write(value, digits, out);
        return;
    }
    int decimals = digits - 1 - (int)floor(log10(size));
    snprintf(out, FIGURE_TEXT, "%.*f", decimals > 0 ? decimals : 0, value);
}

void rate_write(double value, int decimals, char out[FIGURE_TEXT])
{
    if (!(fabs(value) < 1e15) || (value > 0 && value < 0.01)) {
        real_write(value, 4, out);
        return;
    }
    snprintf(out, FIGURE_TEXT, "%.*f", decimals, value);
    size_t length = strlen(out);
    while (strchr(out, '.') && (out[length - 1] == '0' || out[length - 1] == '.')) {
        bool point = out[length - 1] == '.';
        out[--length] = '\0';
        if (point)
            break;
    }
}

struct figure figure_of_ns(ns_t ns)
{
    return (struct figure){.kind = FIGURE_EXACT, .exact = {.ns = ns}};
}
