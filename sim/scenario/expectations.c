/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Figures that a scenario itself states. */

#include <stdlib.h>
#include <string.h>

#include "sim/scenario/objects.h"

/* Digits and decimals of a number: value = digits / 10^decimals, at most 24 digits. */
struct decimal {
    u128 digits;
    unsigned decimals;
    size_t used; /* characters read */
};

static bool decimal_parse(const char *text, struct decimal *out)
{
    *out = (struct decimal){0};
    bool point = false;
    unsigned count = 0;
    const char *c = text;
    for (; (*c >= '0' && *c <= '9') || (*c == '.' && !point && c > text); c++) {
        if (*c == '.') {
            point = true;
            continue;
        }
        out->digits = out->digits * 10 + (unsigned)(*c - '0');
        out->decimals += point;
        if (++count > 24)
            return false;
    }
    out->used = (size_t)(c - text);
    return count > 0 && c[-1] != '.';
}

/* The decimal times factor, if that is a whole number. */
static bool decimal_times(struct decimal decimal, u128 factor, i128 *out)
{
    u128 value = decimal.digits * factor;
    for (unsigned i = 0; i < decimal.decimals; i++) {
        if (value % 10 != 0)
            return false;
        value /= 10;
    }
    *out = (i128)value;
    return true;
}

/* A time in thousandths of a ns: with a unit, or a number of ns. */
static bool time_parse(const char *text, bool is_text, i128 *milli)
{
    struct decimal decimal;
    if (!decimal_parse(text, &decimal))
        return false;
    const char *unit = text + decimal.used;
    if (!is_text)
        return *unit == '\0' && decimal_times(decimal, 1000, milli);
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {
        {"ns", 1}, {"us", NS_PER_US}, {"ms", NS_PER_MS}, {"s", NS_PER_S}, {"min", 60 * NS_PER_S}};
    for (size_t i = 0; i < FIELD_COUNT_OF(units); i++)
        if (strcmp(unit, units[i].name) == 0)
            return decimal_times(decimal, (u128)units[i].ns * 1000, milli);
    return false;
}

static bool share_parse(const char *text, struct expectation *out)
{
    struct decimal decimal;
    if (!decimal_parse(text, &decimal) || strcmp(text + decimal.used, "%") != 0 ||
        decimal.decimals > 9)
        return false;
    u128 whole = 100;
    for (unsigned i = 0; i < decimal.decimals; i++)
        whole *= 10;
    if (decimal.digits > whole)
        return false;
    out->is_share = true;
    out->decimals = decimal.decimals;
    out->share = (uint64_t)decimal.digits;
    return true;
}

static const char *value_allows(enum figure_value kind)
{
    switch (kind) {
    case FIGURE_TIME:
        return "a duration with its unit, as \"1.5ms\", or a number of ns, both exact to "
               "thousandths of "
               "a ns; or null for unknown";
    case FIGURE_NUMBER: return "a whole number, or null for unknown";
    case FIGURE_SHARE:
        return "a whole number of samples, or a share of at most 9 decimals as \"39.82%\", or null "
               "for "
               "unknown";
    }
    BUG("kind of figure outside its enum");
}

static bool read_value(struct reading *r, uint32_t value, enum figure_value kind,
                       struct expectation *out)
{
    const struct scan_value *v = &r->scan.values[value];
    bool is_text = type_of(r, value) == SCAN_STRING;
    if (v->bad)
        return false;
    out->text = is_text ? must_copy(text_of(r, value))
                        : scan_excerpt(&r->scan, v->start, v->end, SCAN_NUMBER_MOST);
    out->is_null = type_of(r, value) == SCAN_NULL;
    uint64_t whole;
    bool good = out->is_null;
    if (kind == FIGURE_TIME && (is_text || type_of(r, value) == SCAN_NUMBER)) {
        out->is_duration = is_text;
        good = time_parse(out->text, is_text, &out->milli);
    } else if (kind == FIGURE_SHARE && is_text) {
        good = share_parse(out->text, out);
    }
    if (!good && !is_text && read_whole(r, value, &whole)) {
        out->milli = (i128)whole * 1000;
        good = true;
    }
    return good || refuse_value(r, value, value_allows(kind));
}

/* The percentile or threshold of the report that a figure's name means, as the report writes it;
   NULL when it has none.  Owned by the caller. */
static char *report_figure(const struct report_plan *report, const struct figure_name *figure,
                           const char *name)
{
    const char *rest = name + strlen(figure->name);
    struct ratio p;
    if (figure->value == FIGURE_SHARE) {
        ns_t ns;
        bool good = duration_parse(rest, strlen(rest), &ns) == DURATION_OK;
        for (size_t i = 0; good && i < report->above_count; i++)
            if (report->above[i].ns == ns)
                return must_format("above %s", report->above[i].text);
        return NULL;
    }
    if (!ratio_parse(rest, strlen(rest), &p))
        return NULL;
    char text[PERCENTILE_TEXT];
    percentile_text(p, text);
    for (size_t i = 0; i < report->percentile_count; i++)
        if (strcmp(report->percentiles[i].text, text) == 0)
            return must_format("p%s", text);
    return NULL;
}

static const struct figure_name *figure_find(const char *name)
{
    for (size_t i = 0; i < figure_name_count; i++) {
        const struct figure_name *figure = &figure_names[i];
        size_t length = strlen(figure->name);
        bool digit = figure->prefix && strncmp(name, figure->name, length) == 0 &&
                     name[length] >= '0' && name[length] <= '9';
        if (digit || (!figure->prefix && strcmp(name, figure->name) == 0))
            return figure;
    }
    return NULL;
}

/* Who an object of figures is about. */
struct subject {
    const char *name;
    size_t load, recorder; /* NO_INDEX: none of that name */
};

/* The name is no figure of the subject: says which are. */
static bool no_figure(struct reading *r, uint32_t value, const struct subject *subject,
                      const char *name)
{
    if (fault_only_counts(r, value))
        return false;
    const struct report_plan *report = &r->plan->report;
    size_t count = report->percentile_count + report->above_count, used = 0;
    char **own = must_alloc(count, sizeof *own);
    struct names names = {0};
    for (size_t i = 0; i < report->percentile_count; i++)
        own[used++] = must_format("p%s", report->percentiles[i].text);
    for (size_t i = 0; i < report->above_count; i++)
        own[used++] = must_format("above %s", report->above[i].text);
    for (size_t i = 0; subject->recorder != NO_INDEX && i < used; i++)
        names_add(&names, own[i]);
    for (size_t i = 0; i < figure_name_count; i++) {
        const struct figure_name *figure = &figure_names[i];
        size_t of = figure->of_load ? subject->load : subject->recorder;
        if (!figure->prefix && of != NO_INDEX)
            names_add(&names, figure->name);
    }
    char *hint = names_hint(&names, name);
    fault_at_key(r, value, "found \"%.60s\", no figure of this %s%s%s", name,
                 subject->recorder == NO_INDEX ? "load"
                 : subject->load == NO_INDEX   ? "recorder"
                                               : "name",
                 subject->recorder == NO_INDEX
                     ? ""
                     : " (percentiles and thresholds as the report lists them)",
                 hint);
    free(hint);
    for (size_t i = 0; i < used; i++)
        free(own[i]);
    free(own);
    return false;
}

static bool read_figure(struct reading *r, uint32_t value, const struct subject *subject,
                        struct expectation *out)
{
    if (r->scan.values[value].bad_key)
        return false;
    const char *name = key_of(r, value);
    const struct figure_name *figure = figure_find(name);
    size_t of = figure == NULL ? NO_INDEX : figure->of_load ? subject->load : subject->recorder;
    char *known = NULL;
    if (of != NO_INDEX)
        known = figure->prefix ? report_figure(&r->plan->report, figure, name) : must_copy(name);
    bool good = known != NULL ? true : no_figure(r, value, subject, name);
    if (!good)
        return false;
    out->of_load = figure->of_load;
    out->subject = of;
    out->figure = known;
    return read_value(r, value, figure->value, out);
}

static bool subject_find(struct reading *r, uint32_t value, struct subject *subject)
{
    const struct plan *plan = r->plan;
    subject->load = subject->recorder = NO_INDEX;
    for (size_t i = 0; i < plan->load_count; i++)
        if (strcmp(plan->loads[i].name, subject->name) == 0)
            subject->load = i;
    for (size_t i = 0; i < plan->recorder_count; i++)
        if (strcmp(plan->recorders[i].name, subject->name) == 0)
            subject->recorder = i;
    if (subject->load != NO_INDEX || subject->recorder != NO_INDEX)
        return true;
    if (fault_only_counts(r, value))
        return false;
    struct names names = {0};
    for (size_t i = 0; i < plan->recorder_count; i++)
        names_add(&names, plan->recorders[i].name);
    for (size_t i = 0; i < plan->load_count; i++)
        names_add(&names, plan->loads[i].name);
    char *hint = names_hint(&names, subject->name);
    fault_at_key(r, value, "found \"%.60s\", which names no recorder and no load%s", subject->name,
                 hint);
    free(hint);
    return false;
}

/* The last figure must not be one of those before it, differently written. */
static bool is_new(struct reading *r, uint32_t value, const struct plan *plan, size_t first)
{
    const struct expectation *last = &plan->expectations[plan->expectation_count - 1];
    for (size_t i = first; i + 1 < plan->expectation_count; i++) {
        const struct expectation *other = &plan->expectations[i];
        if (other->of_load != last->of_load || strcmp(other->figure, last->figure) != 0)
            continue;
        fault_at_key(r, value, "found \"%.60s\" again; allowed: each figure once", last->figure);
        return false;
    }
    return true;
}

static bool read_subject(struct reading *r, uint32_t value, struct plan *out, size_t *capacity)
{
    if (r->scan.values[value].bad_key)
        return false;
    if (type_of(r, value) != SCAN_OBJECT)
        return refuse_value(r, value, "an object of figures");
    struct subject subject = {.name = key_of(r, value)};
    bool good = subject_find(r, value, &subject), known = good;
    size_t first = out->expectation_count;
    for (uint32_t v = scan_first(&r->scan, value); known && v != SCAN_NONE;
         v = scan_beside(&r->scan, v)) {
        if (out->expectation_count == *capacity) {
            *capacity = *capacity == 0 ? 16 : *capacity * 2;
            out->expectations = must_grow(out->expectations, *capacity, sizeof *out->expectations);
        }
        struct expectation *now = &out->expectations[out->expectation_count++];
        *now = (struct expectation){0};
        bool read = read_figure(r, v, &subject, now) && is_new(r, v, out, first);
        if (!read) {
            free(now->figure);
            free(now->text);
            out->expectation_count--;
        }
        good &= read;
    }
    return good;
}

bool read_expectations(struct reading *r, uint32_t value, struct plan *out)
{
    size_t capacity = 0, count = 0;
    bool good = true;
    if (type_of(r, value) != SCAN_OBJECT)
        return refuse_value(r, value, "an object of recorders and loads, each with its figures");
    for (uint32_t v = scan_first(&r->scan, value); v != SCAN_NONE; v = scan_beside(&r->scan, v)) {
        if (++count > 2 * NAMES_MOST) {
            fault_at(r, value, "found more than %d names; allowed: at most that many",
                     2 * NAMES_MOST);
            return false;
        }
        good &= read_subject(r, v, out, &capacity);
    }
    return good;
}
