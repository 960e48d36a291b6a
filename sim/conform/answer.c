/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a subject answers: one line of JSON, each oddity with a reason. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/conform/answer.h"

#define SHOWN_MOST 80

struct unit_exponent {
    const char *name;
    int exponent;
};
static const struct unit_exponent units[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}};
#define UNIT_TOTAL (sizeof units / sizeof units[0])

bool answer_absent(const struct answer *a, uint32_t value)
{
    return value == SCAN_NONE || type_of(&a->r, value) == SCAN_NULL;
}

/* The digits of a number, also of one in quotes: what a language cannot write else. */
static const char *number_text(const struct answer *a, uint32_t value, size_t *length)
{
    const struct scan_value *v = &a->r.scan.values[value];
    size_t quotes = v->type == SCAN_STRING ? 1 : 0;
    *length = v->end - v->start - 2 * quotes;
    return v->type == SCAN_STRING || v->type == SCAN_NUMBER ? a->r.scan.text + v->start + quotes
                                                            : NULL;
}

void answer_complain(struct answer *a, uint32_t value, const char *allowed)
{
    char *found = shown(&a->r, value);
    fault_at(&a->r, value, "found %s; allowed: %s", found, allowed);
    free(found);
}

/* A decimal times 10^exponent as a whole number, rounded half to even; false and a fault where it
   is none. */
bool answer_decimal(struct answer *a, uint32_t value, int exponent, const char *allowed,
                    struct decimal *out)
{
    if (a->r.scan.values[value].bad)
        return false;
    size_t length;
    const char *text = number_text(a, value, &length);
    if (text == NULL || !decimal_scaled(text, length, exponent, out)) {
        answer_complain(a, value, allowed);
        return false;
    }
    if (out->too_large) {
        answer_complain(a, value, "a number below 10^30 ns");
        return false;
    }
    return true;
}

bool answer_size(struct answer *a, uint32_t value, int exponent, const char *allowed,
                 struct decimal *out)
{
    if (!answer_decimal(a, value, exponent, allowed, out))
        return false;
    if (out->negative)
        answer_complain(a, value, "a number that is not below 0");
    return !out->negative;
}

static void read_time(struct answer *a, uint32_t value, struct said *out)
{
    struct decimal decimal;
    if (answer_absent(a, value) ||
        !answer_decimal(a, value, a->unit_exponent + THOUSANDTHS, "a number or null", &decimal))
        return;
    /* A time that has wrapped is negative: wrong, but an answer. */
    *out = (struct said){true, decimal.negative ? -decimal.whole : decimal.whole};
    a->says = true;
}

static void read_count(struct answer *a, uint32_t value)
{
    struct decimal decimal;
    if (answer_absent(a, value) ||
        !answer_size(a, value, 0, "a whole number of samples or null", &decimal))
        return;
    if (!decimal.exact || decimal.whole > (i128)UINT64_MAX) {
        answer_complain(a, value, "a whole number of samples or null");
        return;
    }
    a->report->has_count = true;
    a->report->count = (uint64_t)decimal.whole;
    a->says = true;
}

static void read_unit(struct answer *a, uint32_t value)
{
    if (answer_absent(a, value) || a->r.scan.values[value].bad)
        return;
    const char *word = type_of(&a->r, value) == SCAN_STRING ? text_of(&a->r, value) : "";
    size_t i = 0;
    while (i < UNIT_TOTAL && strcmp(word, units[i].name) != 0)
        i++;
    if (i == UNIT_TOTAL)
        answer_complain(a, value, "\"ns\", \"us\", \"ms\" or \"s\"");
    else
        a->unit_exponent = units[i].exponent;
}

/* Whether the text is that percentile, however it is written: 99.9, 99.90. */
static bool is_percentile(const char *text, const struct percentile *percentile)
{
    struct ratio percent;
    if (!ratio_parse(text, strlen(text), &percent))
        return false;
    uint64_t common = gcd_u64(percentile->p.den, 100);
    return (u128)percentile->p.num * (100 / common) == percent.num &&
           percentile->p.den / common == percent.den;
}

static void unknown_percentile(struct answer *a, uint32_t value, const char *key)
{
    struct names names = {0};
    for (size_t i = 0; i < a->asked->percentile_count; i++)
        names_add(&names, a->asked->percentiles[i].text);
    char *hint = names_hint(&names, key);
    fault_at_key(&a->r, value, "found \"%.60s\", which is no percentile that was asked for%s", key,
                 hint);
    free(hint);
}

static void read_percentiles(struct answer *a, uint32_t object)
{
    if (answer_absent(a, object) || a->r.scan.values[object].bad)
        return;
    if (type_of(&a->r, object) != SCAN_OBJECT) {
        answer_complain(a, object, "an object: {\"50\": 100, \"99\": 2300}");
        return;
    }
    size_t count = a->asked->percentile_count;
    bool *seen = must_alloc(count, sizeof *seen);
    for (uint32_t v = scan_first(&a->r.scan, object); v != SCAN_NONE;
         v = scan_beside(&a->r.scan, v)) {
        if (a->r.scan.values[v].bad_key)
            continue; /* told of already */
        const char *key = key_of(&a->r, v);
        size_t i = 0;
        while (i < count && !is_percentile(key, &a->asked->percentiles[i]))
            i++;
        if (i == count)
            unknown_percentile(a, v, key);
        else if (seen[i])
            fault_at_key(&a->r, v, "found \"%.60s\", a percentile that is there already", key);
        else
            read_time(a, v, &a->report->percentiles[i]);
        if (i < count)
            seen[i] = true;
    }
    free(seen);
}

/* A key nobody asked for is told of where it is near one that was: a slip, that is. */
static void judge_key(struct answer *a, uint32_t value, const char *const *allowed, size_t count)
{
    const char *key = key_of(&a->r, value);
    struct names names = {0};
    bool known = false;
    for (size_t i = 0; i < count; i++) {
        known |= strcmp(key, allowed[i]) == 0;
        names_add(&names, allowed[i]);
    }
    char *hint = names_hint(&names, key);
    if (!known && strncmp(hint, "; nearest", 9) == 0)
        fault_at_key(&a->r, value, "found the key \"%.60s\"%s", key, hint);
    free(hint);
}

void answer_keys(struct answer *a, uint32_t object, const char *const *allowed, size_t count)
{
    for (uint32_t v = scan_first(&a->r.scan, object); v != SCAN_NONE;
         v = scan_beside(&a->r.scan, v))
        if (!a->r.scan.values[v].bad_key)
            judge_key(a, v, allowed, count);
}

static void read_answer(struct answer *a)
{
    static const char *const keys[] = {"count", "min",         "max",  "mean",
                                       "sum",   "percentiles", "unit", "declares"};
    if (type_of(&a->r, 0) != SCAN_OBJECT) {
        answer_complain(a, 0, "an object: {\"count\": 1000, \"percentiles\": {\"99\": 2300}}");
        return;
    }
    answer_keys(a, 0, keys, sizeof keys / sizeof keys[0]);
    read_unit(a, member(&a->r, 0, "unit"));
    read_count(a, member(&a->r, 0, "count"));
    read_time(a, member(&a->r, 0, "min"), &a->report->min);
    read_time(a, member(&a->r, 0, "max"), &a->report->max);
    read_time(a, member(&a->r, 0, "mean"), &a->report->mean);
    read_time(a, member(&a->r, 0, "sum"), &a->report->sum);
    read_percentiles(a, member(&a->r, 0, "percentiles"));
    answer_declares(a, member(&a->r, 0, "declares"));
}

/* The first fault, and how many there are.  Owned by the caller; NULL: none. */
char *answer_fault(struct reading *r)
{
    struct errors errors = {0};
    reading_close(r, &errors);
    size_t more = errors.count + errors.left_out - (errors.count > 0);
    char *why = errors.count == 0 ? NULL
                : more == 0       ? must_copy(errors.texts[0])
                                  : must_format("%s (and %zu more)", errors.texts[0], more);
    errors_free(&errors);
    return why;
}

/* NULL, or why the text cannot be one line of JSON at all. */
static char *judge_lines(const char *text, size_t length)
{
    size_t lines = 0, first_start = 0, first_end = 0;
    for (size_t start = 0; start < length;) {
        const char *newline = memchr(text + start, '\n', length - start);
        size_t end = newline != NULL ? (size_t)(newline - text) : length;
        size_t at = start;
        while (at < end && memchr(" \t\r", text[at], 3) != NULL)
            at++;
        if (at < end && lines++ == 0) {
            first_start = at;
            first_end = end;
        }
        start = end + 1;
    }
    if (lines == 1)
        return NULL;
    if (lines == 0)
        return must_copy("it printed no answer: nothing stands on its standard output");
    struct scan bytes = {.text = text, .length = length};
    char *first = scan_excerpt(&bytes, first_start, first_end, SHOWN_MOST);
    char *why = must_format("it printed %zu lines where the answer is one line of JSON; the first "
                            "is: %s",
                            lines, first);
    free(first);
    return why;
}

char *wire_answer(const char *text, size_t length, const struct trial *trial, struct report *report,
                  struct declared *declared)
{
    size_t count = trial->asked.percentile_count;
    *declared = (struct declared){.precision = PRECISION_EXACT};
    *report = (struct report){.percentiles = must_alloc(count, sizeof *report->percentiles),
                              .percentile_count = count};
    char *why = judge_lines(text, length);
    if (why != NULL)
        return why;
    struct answer a = {.asked = &trial->asked, .report = report, .declared = declared};
    reading_open(&a.r, "answer", text, length);
    bool whole = a.r.scan.whole, is_json = whole && a.r.scan.fault_count == 0;
    if (whole)
        read_answer(&a);
    why = answer_fault(&a.r);
    if (why != NULL && !is_json) {
        struct scan bytes = {.text = text, .length = length};
        char *line = scan_excerpt(&bytes, 0, length, SHOWN_MOST);
        char *longer = must_format("%s; it printed: %s", why, line);
        free(line);
        free(why);
        why = longer;
    }
    if (why == NULL && !a.says)
        why = must_copy("it answers none of what was asked: no count, no percentile, no figure");
    return why;
}
