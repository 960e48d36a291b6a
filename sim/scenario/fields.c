/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/scenario/fields.h"

#include <stdlib.h>
#include <string.h>

#include "models/registry.h"

static void *at_offset(void *params, const struct field *field)
{
    return (char *)params + field->offset;
}

bool in_range(const struct field *field, uint64_t v)
{
    return v >= field->min && !(field->above_min && v == field->min) &&
           (field->max == 0 || v <= field->max);
}

static bool ratio_in_range(const struct field *field, struct ratio v)
{
    u128 low = (u128)field->min * v.den, high = (u128)field->max * v.den;
    return v.num >= low && !(field->above_min && v.num == low) &&
           (field->max == 0 || v.num <= high);
}

const char *duration_why(enum duration_fault fault)
{
    switch (fault) {
    case DURATION_OK: return "";
    case DURATION_SYNTAX: return " (no decimal digits)";
    case DURATION_UNIT: return " (no known unit after the digits)";
    case DURATION_FRACTION: return " (no whole number of ns)";
    case DURATION_TOO_LONG: return " (146 years or more)";
    }
    BUG("duration fault outside its enum");
}

static const char *kind_allows(enum field_kind kind)
{
    switch (kind) {
    case FIELD_DURATION:
        return "a duration, as \"1.5ms\": decimal digits and one of ns us ms s min, or a whole "
               "number of ns";
    case FIELD_COUNT: return "a whole number";
    case FIELD_RATIO: return "a number of at most 18 digits";
    case FIELD_BOOL: return "true or false";
    case FIELD_VARIANT: return "a name, or an object of one name and its parameters";
    case FIELD_DURATIONS: return "a list of durations, or the name of a file of them, one a line";
    }
    BUG("field kind outside its enum");
}

static char *limit_text(const struct field *field, uint64_t limit)
{
    char text[32];
    if (field->kind != FIELD_DURATION && field->kind != FIELD_DURATIONS)
        return must_format("%llu", (unsigned long long)limit);
    duration_format(limit, text);
    return must_copy(text);
}

char *field_allows(const struct field *field)
{
    char *low = limit_text(field, field->min), *high = limit_text(field, field->max);
    bool floor = field->min > 0 || field->above_min || field->kind == FIELD_RATIO;
    char *text =
        must_format("%s%s%s%s%s%s%s%s", kind_allows(field->kind),
                    !floor             ? ""
                    : field->above_min ? ", above "
                                       : ", at least ",
                    floor ? low : "", field->max != 0 ? ", at most " : "",
                    field->max != 0 ? high : "", field->word != NULL ? ", or \"" : "",
                    field->word != NULL ? field->word : "", field->word != NULL ? "\"" : "");
    free(low);
    free(high);
    return text;
}

static bool refuse(struct reading *r, const struct field *field, uint32_t value, const char *why)
{
    char *found = shown(r, value), *allows = field_allows(field);
    fault_at(r, value, "found %s%s; allowed: %s", found, why, allows);
    free(found);
    free(allows);
    return false;
}

bool read_whole(const struct reading *r, uint32_t value, uint64_t *out)
{
    const struct scan_value *v = &r->scan.values[value];
    const char *text = r->scan.text + v->start;
    size_t length = v->end - v->start;
    if (v->type != SCAN_NUMBER)
        return false;
    uint64_t sum = 0;
    size_t i = 0;
    for (; i < length && text[i] >= '0' && text[i] <= '9'; i++) {
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (sum > (UINT64_MAX - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    struct ratio exact = {sum, 1};
    if (i < length && (!ratio_parse(text, length, &exact) || exact.den != 1))
        return false;
    *out = exact.num;
    return true;
}

/* True where the value is the field's word. */
static bool is_word(const struct reading *r, const struct field *field, uint32_t value)
{
    if (field->word == NULL || type_of(r, value) != SCAN_STRING)
        return false;
    char *text = text_of(r, value);
    bool same = strcmp(text, field->word) == 0;
    free(text);
    return same;
}

/* Texts without escapes, which are nearly all, are read where they stand: lists are long. */
static enum duration_fault text_duration(const struct reading *r, uint32_t value, ns_t *out)
{
    const struct scan_value *v = &r->scan.values[value];
    const char *inside = r->scan.text + v->start + 1;
    size_t length = v->end - v->start - 2;
    if (memchr(inside, '\\', length) == NULL)
        return duration_parse(inside, length, out);
    char *text = text_of(r, value);
    enum duration_fault fault = duration_parse(text, strlen(text), out);
    free(text);
    return fault;
}

static bool read_duration(struct reading *r, const struct field *field, uint32_t value, ns_t *out)
{
    ns_t ns = 0;
    if (type_of(r, value) == SCAN_STRING) {
        enum duration_fault fault = text_duration(r, value, &ns);
        if (fault != DURATION_OK)
            return refuse(r, field, value, duration_why(fault));
    } else if (!read_whole(r, value, &ns)) {
        return refuse(r, field, value, "");
    } else if (ns >= NS_LIMIT) {
        return refuse(r, field, value, duration_why(DURATION_TOO_LONG));
    }
    if (!in_range(field, ns))
        return refuse(r, field, value, "");
    *out = ns;
    return true;
}

static bool read_ratio(struct reading *r, const struct field *field, uint32_t value,
                       struct ratio *out)
{
    const struct scan_value *v = &r->scan.values[value];
    struct ratio ratio;
    if (v->type != SCAN_NUMBER ||
        !ratio_parse(r->scan.text + v->start, v->end - v->start, &ratio) ||
        !ratio_in_range(field, ratio))
        return refuse(r, field, value, "");
    *out = ratio;
    return true;
}

bool read_field(struct reading *r, const struct field *field, uint32_t value, void *params)
{
    void *out = at_offset(params, field);
    if (r->scan.values[value].bad)
        return false;
    bool word = is_word(r, field, value);
    switch (field->kind) {
    case FIELD_DURATION:
        if (word)
            *(ns_t *)out = field->word_value;
        return word || read_duration(r, field, value, out);
    case FIELD_COUNT:
        if (word)
            *(uint64_t *)out = field->word_value;
        else if (!read_whole(r, value, out) || !in_range(field, *(uint64_t *)out))
            return refuse(r, field, value, "");
        return true;
    case FIELD_RATIO:
        if (word)
            *(struct ratio *)out = (struct ratio){field->word_value, 1};
        return word || read_ratio(r, field, value, out);
    case FIELD_BOOL:
        if (type_of(r, value) != SCAN_TRUE && type_of(r, value) != SCAN_FALSE)
            return refuse(r, field, value, "");
        *(bool *)out = type_of(r, value) == SCAN_TRUE;
        return true;
    case FIELD_VARIANT: return read_variant(r, field->set, value, out);
    case FIELD_DURATIONS: return read_durations(r, field, value, out);
    }
    BUG("field kind outside its enum");
}

void read_default(const struct field *field, void *params)
{
    if (field->absent == NULL) {
        if (field->kind == FIELD_RATIO)
            *(struct ratio *)at_offset(params, field) = (struct ratio){0, 1};
        return;
    }
    struct reading r;
    reading_open(&r, "default", field->absent, strlen(field->absent));
    BUG_IF(r.failed);
    bool good = read_field(&r, field, 0, params);
    BUG_IF(!good);
    struct errors none = {0};
    reading_close(&r, &none);
}

static const struct field *field_find(const struct variant *type, const char *key)
{
    for (size_t i = 0; i < type->field_count; i++)
        if (strcmp(type->fields[i].key, key) == 0)
            return &type->fields[i];
    return NULL;
}

static bool check_keys(struct reading *r, const struct variant *type, uint32_t object)
{
    bool good = true;
    for (uint32_t v = scan_first(&r->scan, object); v != SCAN_NONE; v = scan_beside(&r->scan, v)) {
        if (r->scan.values[v].bad_key) {
            good = false;
            continue;
        }
        char *key = key_of(r, v);
        if (field_find(type, key) == NULL) {
            struct names names = {0};
            for (size_t i = 0; i < type->field_count; i++)
                names_add(&names, type->fields[i].key);
            char *hint = names_hint(&names, key);
            fault_at_key(r, v, "unknown key \"%.60s\"%s", key, hint);
            free(hint);
            good = false;
        }
        free(key);
    }
    return good;
}

/* The fields from `first` on, out of an object, or (SCAN_NONE) all by default. */
static bool read_fields(struct reading *r, const struct variant *type, size_t first,
                        uint32_t object, uint32_t at, void *params)
{
    bool good = true;
    for (size_t i = first; i < type->field_count; i++) {
        const struct field *field = &type->fields[i];
        uint32_t value = object == SCAN_NONE ? SCAN_NONE : member(r, object, field->key);
        if (value != SCAN_NONE) {
            good &= read_field(r, field, value, params);
        } else if (field->required) {
            char *allows = field_allows(field);
            fault_at(r, at, "missing key \"%s\" (%s); allowed: %s", field->key, field->says,
                     allows);
            free(allows);
            good = false;
        } else {
            read_default(field, params);
        }
    }
    return good;
}

/* True where an object is the first field itself, not an object of fields. */
static bool stands_alone(const struct reading *r, const struct variant *type, uint32_t value)
{
    if (type_of(r, value) != SCAN_OBJECT)
        return true;
    if (type->fields[0].kind != FIELD_VARIANT || scan_first(&r->scan, value) == SCAN_NONE)
        return false;
    for (size_t i = 0; i < type->field_count; i++)
        if (member(r, value, type->fields[i].key) != SCAN_NONE)
            return false;
    return true;
}

static bool check_params(struct reading *r, uint32_t value, const struct choice *choice)
{
    const char *why = choice->type->refuses == NULL ? NULL : choice->type->refuses(choice->params);
    if (why == NULL)
        return true;
    fault_at(r, value, "impossible \"%s\": %s", choice->type->name, why);
    return false;
}

static void choice_open(const struct variant *type, struct choice *out)
{
    void *params = type->params_size == 0 ? NULL : must_alloc(1, type->params_size);
    *out = (struct choice){type, params};
}

bool read_params(struct reading *r, const struct variant *type, uint32_t value, struct choice *out)
{
    choice_open(type, out);
    if (r->scan.values[value].bad)
        return false;
    if (type->field_count == 0) {
        if (type_of(r, value) == SCAN_OBJECT)
            return check_keys(r, type, value);
        char *found = shown(r, value);
        fault_at(r, value, "found %s; allowed: {}, as \"%s\" takes no parameters", found,
                 type->name);
        free(found);
        return false;
    }
    bool good;
    if (stands_alone(r, type, value)) {
        good = read_field(r, &type->fields[0], value, out->params);
        good &= read_fields(r, type, 1, SCAN_NONE, value, out->params);
    } else {
        good = check_keys(r, type, value);
        good &= read_fields(r, type, 0, value, value, out->params);
    }
    return good && check_params(r, value, out);
}

static void names_of_set(struct names *names, const struct variant_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        names_add(names, set->variants[i]->name);
}

const struct variant *read_variant_name(struct reading *r, const struct variant_set *set,
                                        uint32_t value)
{
    if (r->scan.values[value].bad)
        return NULL;
    char *name = type_of(r, value) == SCAN_STRING ? text_of(r, value) : NULL;
    const struct variant *type = name == NULL ? NULL : variant_find(set, name);
    if (type == NULL) {
        struct names names = {0};
        names_of_set(&names, set);
        char *found = shown(r, value), *hint = names_hint(&names, name == NULL ? "" : name);
        fault_at(r, value, "found %s%s", found, hint);
        free(found);
        free(hint);
    }
    free(name);
    return type;
}

bool read_variant(struct reading *r, const struct variant_set *set, uint32_t value,
                  struct choice *out)
{
    if (r->scan.values[value].bad)
        return false;
    uint32_t body = scan_first(&r->scan, value);
    if (type_of(r, value) != SCAN_OBJECT) {
        const struct variant *type = read_variant_name(r, set, value);
        if (type == NULL)
            return false;
        choice_open(type, out);
        return read_fields(r, type, 0, SCAN_NONE, value, out->params) &&
               check_params(r, value, out);
    }
    if (body == SCAN_NONE || scan_beside(&r->scan, body) != SCAN_NONE) {
        struct names names = {0};
        names_of_set(&names, set);
        char *hint = names_hint(&names, "");
        fault_at(r, value, "found %s instead of exactly one name%s",
                 body == SCAN_NONE ? "an empty object" : "an object of several keys", hint);
        free(hint);
        return false;
    }
    if (r->scan.values[body].bad_key)
        return false;
    char *name = key_of(r, body);
    const struct variant *type = variant_find(set, name);
    if (type == NULL) {
        struct names names = {0};
        names_of_set(&names, set);
        char *hint = names_hint(&names, name);
        fault_at_key(r, body, "found \"%.60s\"%s", name, hint);
        free(hint);
    }
    free(name);
    return type != NULL && read_params(r, type, body, out);
}
