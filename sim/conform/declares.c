/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a subject declares of itself. */

#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "sim/conform/answer.h"

#define RATIO_DECIMALS 18

static void read_relative(struct answer *a, uint32_t value)
{
    struct decimal decimal;
    const char *allowed = "a share above 0 and below 1: 0.01 is one percent";
    if (!answer_size(a, value, RATIO_DECIMALS, allowed, &decimal))
        return;
    i128 one = 1;
    for (int i = 0; i < RATIO_DECIMALS; i++)
        one *= 10;
    if (decimal.whole == 0 || decimal.whole >= one) {
        answer_complain(a, value, allowed);
        return;
    }
    a->declared->precision = PRECISION_RELATIVE;
    a->declared->relative = ratio_make((uint64_t)decimal.whole, (uint64_t)one);
}

static void read_digits(struct answer *a, uint32_t value)
{
    struct decimal decimal;
    const char *allowed = "significant digits, a whole number from 1 to 5";
    if (!answer_size(a, value, 0, allowed, &decimal))
        return;
    if (!decimal.exact || decimal.whole < 1 || decimal.whole > 5) {
        answer_complain(a, value, allowed);
        return;
    }
    a->declared->precision = PRECISION_DIGITS;
    a->declared->digits = (unsigned)decimal.whole;
}

/* Of a bound with a fraction of a ns the whole part is the same bound, for whole values. */
static void read_bounds(struct answer *a, uint32_t list)
{
    struct durations *bounds = &a->declared->bounds;
    const char *allowed = "upper bounds of buckets, each above the one before it";
    if (type_of(&a->r, list) != SCAN_ARRAY || scan_first(&a->r.scan, list) == SCAN_NONE) {
        answer_complain(a, list, allowed);
        return;
    }
    for (uint32_t v = scan_first(&a->r.scan, list); v != SCAN_NONE;
         v = scan_beside(&a->r.scan, v)) {
        struct decimal decimal;
        if (!answer_size(a, v, a->unit_exponent + THOUSANDTHS, allowed, &decimal))
            return;
        i128 ns = decimal.whole / 1000;
        if (ns >= (i128)NS_LIMIT ||
            (bounds->count > 0 && ns <= (i128)bounds->ns[bounds->count - 1])) {
            answer_complain(a, v, allowed);
            return;
        }
        bounds->ns = must_grow(bounds->ns, bounds->count + 1, sizeof *bounds->ns);
        bounds->ns[bounds->count++] = (ns_t)ns;
    }
    a->declared->precision = PRECISION_BOUNDS;
}

static void read_precision(struct answer *a, uint32_t value)
{
    static const struct {
        const char *key;
        void (*read)(struct answer *a, uint32_t value);
    } kinds[] = {{"relative", read_relative}, {"digits", read_digits}, {"bounds", read_bounds}};
    const char *allowed = "\"exact\", {\"relative\": 0.01}, {\"digits\": 3} or {\"bounds\": [...]}";
    if (answer_absent(a, value) || a->r.scan.values[value].bad)
        return;
    if (type_of(&a->r, value) == SCAN_STRING) {
        if (strcmp(text_of(&a->r, value), "exact") != 0)
            answer_complain(a, value, allowed);
        return;
    }
    size_t found = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        uint32_t inside = member(&a->r, value, kinds[i].key);
        if (inside == SCAN_NONE || found++ > 0)
            continue;
        kinds[i].read(a, inside);
    }
    if (found != 1 && !a->r.scan.values[value].bad)
        answer_complain(a, value, allowed);
}

static void read_rank(struct answer *a, uint32_t value)
{
    if (answer_absent(a, value) || a->r.scan.values[value].bad)
        return;
    const char *word = type_of(&a->r, value) == SCAN_STRING ? text_of(&a->r, value) : "";
    struct names names = {0};
    for (size_t i = 0; i < set_ranks.count; i++) {
        names_add(&names, set_ranks.variants[i]->name);
        if (strcmp(word, set_ranks.variants[i]->name) == 0)
            a->declared->rank = set_ranks.variants[i];
    }
    char *hint = names_hint(&names, word);
    if (a->declared->rank == NULL)
        fault_at(&a->r, value, "found \"%.60s\", which is no rank rule%s", word, hint);
    free(hint);
}

void answer_declares(struct answer *a, uint32_t object)
{
    static const char *const keys[] = {"precision", "interpolates", "rank"};
    if (answer_absent(a, object) || a->r.scan.values[object].bad)
        return;
    if (type_of(&a->r, object) != SCAN_OBJECT) {
        answer_complain(a, object, "an object: {\"precision\": {\"digits\": 3}}");
        return;
    }
    answer_keys(a, object, keys, sizeof keys / sizeof keys[0]);
    read_precision(a, member(&a->r, object, "precision"));
    read_rank(a, member(&a->r, object, "rank"));
    uint32_t interpolates = member(&a->r, object, "interpolates");
    if (answer_absent(a, interpolates) || a->r.scan.values[interpolates].bad)
        return;
    enum scan_type type = type_of(&a->r, interpolates);
    if (type != SCAN_TRUE && type != SCAN_FALSE)
        answer_complain(a, interpolates, "true or false");
    a->declared->interpolates = type == SCAN_TRUE;
}

char *wire_declares(const char *text, size_t length, struct declared *declared)
{
    *declared = (struct declared){.precision = PRECISION_EXACT};
    struct answer a = {.declared = declared};
    reading_open(&a.r, "--declares", text, length);
    if (a.r.scan.whole)
        answer_declares(&a, 0);
    return answer_fault(&a.r);
}

void declared_free(struct declared *declared)
{
    free(declared->bounds.ns);
    *declared = (struct declared){0};
}
