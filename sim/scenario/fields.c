/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/scenario/fields.h"

#include <stdlib.h>
#include <string.h>

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
           (field->max == 0 || v.num < high || (v.num == high && !field->below_max));
}

const char *duration_why(enum duration_fault fault)
{
    switch (fault) {
    case DURATION_OK: return "";
    case DURATION_SYNTAX: return " (no decimal digits)";
    case DURATION_DIGITS: return " (too many digits)";
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
    case FIELD_LIST: return "a list of objects";
    case FIELD_WORD: return "a word of its list";
    case FIELD_VALUES: return "a value, or a list of at least one value";
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
        must_format("%s%s%s%s%s%s%s%s%s", kind_allows(field->kind),
                    field->percent ? ", or a percentage, as \"10%\"" : "",
                    !floor             ? ""
                    : field->above_min ? ", above "
                                       : ", at least ",
                    floor ? low : "",
                    field->max == 0    ? ""
                    : field->below_max ? ", below "
                                       : ", at most ",
                    field->max != 0 ? high : "", field->word != NULL ? ", or \"" : "",
                    field->word != NULL ? field->word : "", field->word != NULL ? "\"" : "");
    free(low);
    free(high);
    return text;
}

bool refuse_field(struct reading *r, const struct field *field, uint32_t value, const char *why)
{
    if (fault_only_counts(r, value))
        return false;
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
static bool is_word(struct reading *r, const struct field *field, uint32_t value)
{
    return field->word != NULL && type_of(r, value) == SCAN_STRING &&
           strcmp(text_of(r, value), field->word) == 0;
}

/* Texts without escapes, which are nearly all, are read where they stand: lists are long. */
static enum duration_fault text_duration(struct reading *r, uint32_t value, ns_t *out)
{
    const struct scan_value *v = &r->scan.values[value];
    const char *inside = r->scan.text + v->start + 1;
    size_t length = v->end - v->start - 2;
    if (memchr(inside, '\\', length) == NULL)
        return duration_parse(inside, length, out);
    const char *text = text_of(r, value);
    return duration_parse(text, strlen(text), out);
}

/* A number that is too large for us. */
static bool is_huge(const struct reading *r, uint32_t value)
{
    return type_of(r, value) == SCAN_NUMBER && scan_number(&r->scan, value) >= 0x1p64;
}

static bool read_duration(struct reading *r, const struct field *field, uint32_t value, ns_t *out)
{
    ns_t ns = 0;
    if (type_of(r, value) == SCAN_STRING) {
        enum duration_fault fault = text_duration(r, value, &ns);
        if (fault != DURATION_OK)
            return refuse_field(r, field, value, duration_why(fault));
    } else if (!read_whole(r, value, &ns)) {
        enum duration_fault fault = is_huge(r, value) ? DURATION_TOO_LONG : DURATION_OK;
        return refuse_field(r, field, value, duration_why(fault));
    } else if (ns >= NS_LIMIT) {
        return refuse_field(r, field, value, duration_why(DURATION_TOO_LONG));
    }
    if (!in_range(field, ns))
        return refuse_field(r, field, value, "");
    *out = ns;
    return true;
}

/* "10%". */
static bool read_percent(struct reading *r, uint32_t value, struct ratio *out)
{
    const char *text = text_of(r, value);
    size_t length = strlen(text);
    bool good = length > 1 && text[length - 1] == '%' && ratio_parse(text, length - 1, out) &&
                out->den <= UINT64_MAX / 100;
    if (good)
        *out = ratio_make(out->num, out->den * 100);
    return good;
}

static bool read_ratio(struct reading *r, const struct field *field, uint32_t value,
                       struct ratio *out)
{
    const struct scan_value *v = &r->scan.values[value];
    struct ratio ratio;
    bool good =
        v->type == SCAN_NUMBER && ratio_parse(r->scan.text + v->start, v->end - v->start, &ratio);
    if (v->type == SCAN_STRING && field->percent)
        good = read_percent(r, value, &ratio);
    if (!good || !ratio_in_range(field, ratio))
        return refuse_field(r, field, value, "");
    *out = ratio;
    return true;
}

bool read_named(struct reading *r, const char *const *words, uint32_t value, unsigned *out)
{
    const char *word = type_of(r, value) == SCAN_STRING ? text_of(r, value) : NULL;
    unsigned index = 0;
    while (word != NULL && words[index] != NULL && strcmp(words[index], word) != 0)
        index++;
    bool good = word != NULL && words[index] != NULL;
    if (good) {
        *out = index;
    } else {
        struct names names = {0};
        for (size_t i = 0; words[i] != NULL; i++)
            names_add(&names, words[i]);
        char *found = shown(r, value), *hint = names_hint(&names, word == NULL ? "" : word);
        fault_at(r, value, "found %s%s", found, hint);
        free(found);
        free(hint);
    }
    return good;
}

/* A value's own text, on one line.  Owned by the caller. */
static char *one_line(const struct reading *r, uint32_t value)
{
    const struct scan_value *v = &r->scan.values[value];
    char *text = must_format("%.*s", (int)(v->end - v->start), r->scan.text + v->start);
    for (char *c = text; *c != '\0'; c++)
        if (*c == '\n' || *c == '\r' || *c == '\t')
            *c = ' ';
    return text;
}

static bool read_values(struct reading *r, const struct field *field, uint32_t value,
                        struct value_list *out)
{
    bool list = type_of(r, value) == SCAN_ARRAY;
    size_t count = 0;
    for (uint32_t v = list ? scan_first(&r->scan, value) : SCAN_NONE; v != SCAN_NONE;
         v = scan_beside(&r->scan, v))
        count++;
    if (list && count == 0) {
        char *allows = field_allows(field);
        fault_at(r, value, "found an empty list; allowed: %s", allows);
        free(allows);
        return false;
    }
    *out = (struct value_list){must_alloc(list ? count : 1, sizeof *out->texts), list ? count : 1};
    if (!list)
        out->texts[0] = one_line(r, value);
    size_t done = 0;
    for (uint32_t v = list ? scan_first(&r->scan, value) : SCAN_NONE; v != SCAN_NONE;
         v = scan_beside(&r->scan, v))
        out->texts[done++] = one_line(r, v);
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
            return refuse_field(r, field, value, is_huge(r, value) ? " (2^64 or more)" : "");
        return true;
    case FIELD_RATIO:
        if (word)
            *(struct ratio *)out = field->word_value == NO_RATIO
                                       ? (struct ratio){0, 0}
                                       : (struct ratio){field->word_value, 1};
        return word || read_ratio(r, field, value, out);
    case FIELD_BOOL:
        if (type_of(r, value) != SCAN_TRUE && type_of(r, value) != SCAN_FALSE)
            return refuse_field(r, field, value, "");
        *(bool *)out = type_of(r, value) == SCAN_TRUE;
        return true;
    case FIELD_VARIANT: return read_variant(r, field->set, value, out);
    case FIELD_DURATIONS: return read_durations(r, field, value, out);
    case FIELD_LIST: return read_items(r, field, value, out);
    case FIELD_WORD: return read_named(r, field->words, value, out);
    case FIELD_VALUES: return read_values(r, field, value, out);
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
