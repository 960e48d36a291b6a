/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Texts, names, shares and the report's lists. */

#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "sim/scenario/objects.h"

bool read_text(struct reading *r, uint32_t value, char **out)
{
    if (type_of(r, value) != SCAN_STRING)
        return refuse_value(r, value, "a text");
    *out = must_copy(text_of(r, value));
    return true;
}

bool read_texts(struct reading *r, uint32_t value, char ***out, size_t *count)
{
    bool list = type_of(r, value) == SCAN_ARRAY, good = true;
    if (!list && type_of(r, value) != SCAN_STRING)
        return refuse_value(r, value, "a text or a list of texts");
    size_t capacity = list ? 0 : 1;
    for (uint32_t v = scan_first(&r->scan, value); v != SCAN_NONE; v = scan_beside(&r->scan, v))
        capacity++;
    if (capacity == 0)
        return true;
    *out = must_alloc(capacity, sizeof **out);
    if (!list) {
        *count = 1;
        return read_text(r, value, &(*out)[0]);
    }
    for (uint32_t v = scan_first(&r->scan, value); v != SCAN_NONE; v = scan_beside(&r->scan, v)) {
        bool read = !r->scan.values[v].bad && read_text(r, v, &(*out)[*count]);
        *count += read;
        good &= read;
    }
    return good;
}

bool read_load_name(struct reading *r, uint32_t value, size_t *out)
{
    *out = NO_INDEX;
    if (type_of(r, value) != SCAN_STRING)
        return refuse_value(r, value, "the name of a load");
    if (r->plan->load_count == 0)
        return false; /* that was said */
    const char *name = text_of(r, value);
    const struct plan *plan = r->plan;
    for (size_t i = 0; i < plan->load_count && *out == NO_INDEX; i++)
        if (strcmp(plan->loads[i].name, name) == 0)
            *out = i;
    if (*out == NO_INDEX) {
        struct names names = {0};
        for (size_t i = 0; i < plan->load_count; i++)
            names_add(&names, plan->loads[i].name);
        char *found = shown(r, value), *hint = names_hint(&names, name);
        fault_at(r, value, "found %s, which names no load%s", found, hint);
        free(found);
        free(hint);
    }
    return *out != NO_INDEX;
}

bool read_mode(struct reading *r, const struct key *key, uint32_t value, void *read)
{
    const struct variant *type = read_variant_name(r, key->field.set, value);
    memcpy((char *)read + key->field.offset, &type, sizeof type);
    return type != NULL;
}

bool read_interval(struct reading *r, const struct key *key, uint32_t value, struct choice *out)
{
    const struct variant *hdr = variant_find(&set_corrections, "hdr");
    BUG_IF(hdr == NULL);
    BUG_IF(key->field.kind != FIELD_DURATION);
    if (member(r, r->scan.values[value].parent, "correction") != SCAN_NONE) {
        fault_at_key(r, value, "stands beside \"correction\"; allowed: one of them");
        return false;
    }
    return read_params(r, hdr, value, out);
}

bool read_seed(struct reading *r, uint32_t value, uint64_t *out)
{
    static const char allowed[] = "a whole number below 2^64, or a text of its digits";
    if (type_of(r, value) != SCAN_STRING)
        return read_whole(r, value, out) || refuse_value(r, value, allowed);
    const char *text = text_of(r, value);
    uint64_t seed = 0;
    bool good = *text != '\0';
    for (const char *c = text; good && *c != '\0'; c++) {
        uint64_t digit = (uint64_t)(*c - '0');
        good = *c >= '0' && *c <= '9' && seed <= (UINT64_MAX - digit) / 10;
        seed = good ? seed * 10 + digit : 0;
    }
    *out = seed;
    return good || refuse_value(r, value, allowed);
}

void percentile_text(struct ratio p, char text[PERCENTILE_TEXT])
{
    size_t length = strlen(format_i128((i128)(p.num / p.den), text));
    uint64_t rest = p.num % p.den;
    for (bool point = false; rest != 0; point = true) {
        u128 scaled = (u128)rest * 10;
        if (!point)
            text[length++] = '.';
        BUG_IF(length + 1 == PERCENTILE_TEXT);
        text[length++] = (char)('0' + (unsigned)(scaled / p.den));
        rest = (uint64_t)(scaled % p.den);
    }
    text[length] = '\0';
}

/* A list of at least `least` values; false after a fault. */
static bool check_list(struct reading *r, uint32_t value, size_t least, const char *allowed,
                       size_t *count)
{
    *count = 0;
    if (type_of(r, value) != SCAN_ARRAY)
        return refuse_value(r, value, allowed);
    for (uint32_t v = scan_first(&r->scan, value); v != SCAN_NONE; v = scan_beside(&r->scan, v))
        ++*count;
    if (*count >= least && *count <= NAMES_MOST)
        return true;
    fault_at(r, value, "found a list of %zu; allowed: %s, at most %d of them", *count, allowed,
             NAMES_MOST);
    return false;
}

bool read_percentiles(struct reading *r, uint32_t value, struct report_plan *out)
{
    /* Divided by 100 the denominator must still fit. */
    static const struct field field = {.kind = FIELD_RATIO, .max = 100};
    size_t count;
    if (!check_list(r, value, 1, "a list of percentiles, at least one", &count))
        return false;
    out->percentiles = must_alloc(count, sizeof *out->percentiles);
    bool good = true;
    for (uint32_t v = scan_first(&r->scan, value); v != SCAN_NONE; v = scan_beside(&r->scan, v)) {
        struct ratio p;
        if (!read_field(r, &field, v, &p)) {
            good = false;
            continue;
        }
        if (p.den > UINT64_MAX / 100) {
            good = refuse_value(r, v, "percentiles of at most 17 decimals");
            continue;
        }
        struct percentile *own = &out->percentiles[out->percentile_count];
        own->p = ratio_make(p.num, p.den * 100);
        percentile_text(p, own->text);
        size_t i = 0;
        while (strcmp(out->percentiles[i].text, own->text) != 0)
            i++;
        if (i < out->percentile_count) {
            fault_at(r, v, "found %s again; allowed: each percentile once", own->text);
            good = false;
            continue;
        }
        out->percentile_count++;
    }
    return good;
}

bool read_percentile(struct reading *r, uint32_t value, struct ratio *out)
{
    static const struct field field = {.kind = FIELD_RATIO, .above_min = true, .max = 100};
    struct ratio p;
    if (!read_field(r, &field, value, &p))
        return false;
    if (p.num == (u128)p.den * 100 || p.den > UINT64_MAX / 100)
        return refuse_value(r, value, "a percentile above 0 and below 100, of at most 17 decimals");
    *out = ratio_make(p.num, p.den * 100);
    return true;
}

bool read_share(struct reading *r, uint32_t value, struct ratio *out)
{
    static const char allowed[] =
        "a percentage such as \"1%\", or a number, as 0.01: above 0 and below all of it";
    bool percents = type_of(r, value) == SCAN_STRING;
    const char *text = percents ? text_of(r, value) : NULL;
    size_t length = percents ? strlen(text) : 0;
    struct ratio share = {0, 1};
    bool good;
    if (percents) {
        good = length > 1 && text[length - 1] == '%' && ratio_parse(text, length - 1, &share) &&
               share.den <= UINT64_MAX / 100;
        share = good ? ratio_make(share.num, share.den * 100) : share;
    } else {
        const struct scan_value *v = &r->scan.values[value];
        good = v->type == SCAN_NUMBER &&
               ratio_parse(r->scan.text + v->start, v->end - v->start, &share);
    }
    if (!good || share.num == 0 || share.num >= share.den)
        return refuse_value(r, value, allowed);
    *out = share;
    return true;
}

bool read_factor(struct reading *r, uint32_t value, struct ratio *out)
{
    struct ratio left;
    if (!read_share(r, value, &left))
        return false;
    *out = (struct ratio){left.den - left.num, left.den};
    return true;
}

/* An object of one key, or SCAN_NONE. */
static uint32_t only_member(const struct reading *r, uint32_t value, const char *key)
{
    uint32_t inner = member(r, value, key);
    return inner != SCAN_NONE && scan_first(&r->scan, value) == inner &&
                   scan_beside(&r->scan, inner) == SCAN_NONE
               ? inner
               : SCAN_NONE;
}

/* The index of a word, or -1.  Words may be missing where an object stands for them. */
static int word_index(struct reading *r, uint32_t value, const char *const *words, int count)
{
    int found = -1;
    const char *word = type_of(r, value) == SCAN_STRING ? text_of(r, value) : NULL;
    for (int i = 0; i < count && word != NULL; i++)
        if (words[i] != NULL && strcmp(words[i], word) == 0)
            found = i;
    return found;
}

/* Faults a value that is none of the words and no object of that key; returns false. */
static bool refuse_word(struct reading *r, uint32_t value, const char *const *words, int count,
                        const char *object)
{
    struct names names = {0};
    for (int i = 0; i < count; i++)
        if (words[i] != NULL)
            names_add(&names, words[i]);
    const char *word = type_of(r, value) == SCAN_STRING ? text_of(r, value) : "";
    char *found = shown(r, value), *hint = names_hint(&names, word);
    fault_at(r, value, "found %s%s, or %s", found, hint, object);
    free(found);
    free(hint);
    return false;
}

const char *const target_words[] = {
    [TARGET_SERVER] = "server",   [TARGET_REPLICA] = NULL,          [TARGET_BEHIND] = "behind",
    [TARGET_NETWORK] = "network", [TARGET_GENERATOR] = "generator",
};

bool read_target(struct reading *r, uint32_t value, struct stall *out)
{
    static const struct field number = {"replica", FIELD_COUNT, offsetof(struct stall, replica),
                                        .max = REPLICAS_MOST - 1};
    uint32_t replica = only_member(r, value, number.key);
    if (replica != SCAN_NONE) {
        out->target = TARGET_REPLICA;
        return read_field(r, &number, replica, out);
    }
    int word = word_index(r, value, target_words, TARGET_GENERATOR + 1);
    if (word < 0)
        return refuse_word(r, value, target_words, TARGET_GENERATOR + 1,
                           "{\"replica\": k}, from 0");
    out->target = (enum target)word;
    return true;
}

const char *const per_words[] = {
    [PER_RUN] = "run",
    [PER_WINDOW] = NULL,
    [PER_CLIENT] = "client",
    [PER_REPLICA] = "replica",
};

bool read_per(struct reading *r, uint32_t value, struct recorder_plan *out)
{
    static const struct field length = {"window", FIELD_DURATION,
                                        offsetof(struct recorder_plan, window_ns), .min = 1};
    uint32_t window = only_member(r, value, length.key);
    if (window != SCAN_NONE) {
        out->per = PER_WINDOW;
        return read_field(r, &length, window, out);
    }
    int word = word_index(r, value, per_words, PER_REPLICA + 1);
    if (word < 0)
        return refuse_word(r, value, per_words, PER_REPLICA + 1, "{\"window\": \"1s\"}");
    out->per = (enum per)word;
    return true;
}

bool read_thresholds(struct reading *r, uint32_t value, struct report_plan *out)
{
    static const struct field field = {.kind = FIELD_DURATION};
    size_t count;
    if (!check_list(r, value, 0, "a list of durations", &count))
        return false;
    out->above = count == 0 ? NULL : must_alloc(count, sizeof *out->above);
    bool good = true;
    for (uint32_t v = scan_first(&r->scan, value); v != SCAN_NONE; v = scan_beside(&r->scan, v)) {
        ns_t ns;
        if (!read_field(r, &field, v, &ns)) {
            good = false;
            continue;
        }
        char text[32];
        duration_format(ns, text);
        size_t i = 0;
        while (i < out->above_count && out->above[i].ns != ns)
            i++;
        if (i < out->above_count) {
            fault_at(r, v, "found %s again; allowed: each threshold once", text);
            good = false;
            continue;
        }
        bool written = type_of(r, v) == SCAN_STRING;
        out->above[out->above_count++] =
            (struct threshold){ns, must_copy(written ? text_of(r, v) : text)};
    }
    return good;
}
