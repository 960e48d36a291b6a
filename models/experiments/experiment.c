/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/experiments/experiment.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void seen_free(struct seen *seen)
{
    for (size_t i = 0; i < seen->recorder_count; i++) {
        free(seen->recorders[i].p_ns);
        free(seen->recorders[i].gates);
    }
    free(seen->recorders);
    free(seen->loads);
    *seen = (struct seen){0};
}

static char *formatted(const char *format, va_list arguments)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out != NULL) {
        vfprintf(out, format, arguments);
        fclose(out);
    }
    return text != NULL ? text : must_copy("");
}

void lab_find(const struct lab *lab, const char *name, const char *value, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *says = formatted(format, arguments);
    va_end(arguments);
    lab->find(lab->self, name, value, says);
    free(says);
}

void lab_refuse(const struct lab *lab, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *why = formatted(format, arguments);
    va_end(arguments);
    lab->refuse(lab->self, why);
    free(why);
}

/* Four hexadecimal digits; the scan has seen that they are there. */
static uint32_t hex4(const char *at)
{
    char digits[5] = {at[0], at[1], at[2], at[3], '\0'};
    return (uint32_t)strtoul(digits, NULL, 16);
}

static char *put_utf8(char *to, uint32_t point)
{
    unsigned more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static const unsigned char leads[] = {0x00, 0xc0, 0xe0, 0xf0};
    *to++ = (char)(leads[more] | point >> 6 * more);
    while (more-- > 0)
        *to++ = (char)(0x80 | (point >> 6 * more & 0x3f));
    return to;
}

/* What stands behind a backslash; *at moves to its last character. */
static char *put_escape(char *to, const char **at)
{
    static const char from[] = "bfnrt", into[] = "\b\f\n\r\t";
    const char *known = strchr(from, **at);
    if (**at != 'u') {
        *to++ = known != NULL ? into[known - from] : **at;
        return to;
    }
    uint32_t point = hex4(*at + 1);
    *at += 4;
    if (point >= 0xd800 && point < 0xdc00 && (*at)[1] == '\\' && (*at)[2] == 'u') {
        point = 0x10000 + ((point - 0xd800) << 10) + (hex4(*at + 3) - 0xdc00);
        *at += 6;
    }
    return put_utf8(to, point);
}

/* The text of a JSON string; of anything else its JSON.  Owned by the caller. */
static char *decoded(const char *json)
{
    char *text = must_copy(json), *to = text;
    if (json[0] != '"')
        return text;
    for (const char *at = json + 1; *at != '"' && *at != '\0'; at++) {
        if (*at != '\\') {
            *to++ = *at;
            continue;
        }
        at++;
        to = put_escape(to, &at);
    }
    *to = '\0';
    return text;
}

static bool is_name(const char *json, const char *name)
{
    char *text = decoded(json);
    bool same = strcmp(text, name) == 0;
    free(text);
    return same;
}

static bool plays(const struct load_plan *load, enum load_role role)
{
    bool closed = strcmp(load->kind.type->name, "closed") == 0;
    switch (role) {
    case ROLE_RATE: return !closed;
    case ROLE_CLOSED: return closed;
    case ROLE_ANY: return true;
    }
    BUG("role outside its enum");
}

void lab_ahead(const struct lab *lab, const char *const *values, size_t count)
{
    if (lab->ahead != NULL)
        lab->ahead(lab->self, values, count);
}

size_t lab_load(const struct lab *lab, const struct value_list *named, enum load_role role)
{
    const struct plan *plan = lab->plan;
    if (named->count > 1) {
        lab_refuse(lab, "names %zu loads where one is wanted", named->count);
        return NO_INDEX;
    }
    for (size_t i = 0; i < plan->load_count; i++)
        if (named->count == 0 ? plays(&plan->loads[i], role)
                              : is_name(named->texts[0], plan->loads[i].name)) {
            if (plays(&plan->loads[i], role))
                return i;
            lab_refuse(lab, "the load %s is %s; a load that %s is wanted", plan->loads[i].name,
                       plan->loads[i].kind.type->name,
                       role == ROLE_CLOSED ? "is closed" : "has a rate");
            return NO_INDEX;
        }
    if (named->count == 0)
        lab_refuse(lab, "the scenario has no load that %s",
                   role == ROLE_CLOSED ? "is closed" : "has a rate");
    else
        lab_refuse(lab, "there is no load %s", named->texts[0]);
    return NO_INDEX;
}

size_t lab_recorder(const struct lab *lab, size_t load, bool corrected)
{
    for (size_t i = 0; i < lab->plan->recorder_count; i++)
        if (lab->plan->recorders[i].load == load &&
            (lab->plan->recorders[i].correction.type != NULL) == corrected)
            return i;
    return NO_INDEX;
}

size_t lab_plain_recorder(const struct lab *lab, size_t load)
{
    size_t recorder = lab_recorder(lab, load, false);
    if (recorder == NO_INDEX)
        lab_refuse(lab, "no recorder without a correction watches the load %s",
                   lab->plan->loads[load].name);
    return recorder;
}

size_t lab_percentile(const struct lab *lab, struct ratio p)
{
    const struct report_plan *report = &lab->plan->report;
    for (size_t i = 0; i < report->percentile_count; i++) {
        struct ratio has = report->percentiles[i].p;
        if ((u128)has.num * 100 * p.den == (u128)p.num * has.den)
            return i;
    }
    lab_refuse(lab, "p%.15g is not among the percentiles of the report", ratio_double(p));
    return NO_INDEX;
}

char *percentile_name(const struct plan *plan, size_t percentile)
{
    return must_format("p%s", plan->report.percentiles[percentile].text);
}

char *path_text(const struct value_list *list)
{
    return list->count == 0 ? NULL : decoded(list->texts[0]);
}

char *load_path(const struct plan *plan, size_t load, const char *key)
{
    const char *name = plan->loads[load].name;
    char *escaped = must_alloc(2 * strlen(name) + 1, 1), *to = escaped;
    for (; *name != '\0'; name++) {
        bool escape = *name == '~' || *name == '/';
        if (escape)
            *to++ = '~';
        *to++ = !escape ? *name : *name == '~' ? '0' : '1';
    }
    char *path = must_format("/loads/%s/%s/%s", escaped, plan->loads[load].kind.type->name, key);
    free(escaped);
    return path;
}

char *number_text(double number)
{
    return isnan(number) ? must_copy("") : must_format("%.7g", number);
}

char *time_text(double ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}};
    if (isnan(ns))
        return must_copy("unknown");
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (fabs(ns) >= units[i].ns)
            return must_format("%.7g %s", ns / units[i].ns, units[i].name);
    return must_format("%.7g ns", ns);
}

char *seed_text(const struct plan *plan, uint64_t further)
{
    return must_format("\"%llu\"", (unsigned long long)(plan->run.seed + further));
}
