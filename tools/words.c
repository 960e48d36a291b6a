/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/words.h"

#include <stdlib.h>
#include <string.h>

#include "tools/report/utf8.h"

/* Appends to a text, which is freed. */
static char *joined(char *text, const char *between, char *more)
{
    char *longer = must_format("%s%s%s", text, between, more);
    free(text);
    free(more);
    return longer;
}

char *ratio_words(struct ratio ratio)
{
    uint64_t whole = ratio.num / ratio.den, rest = ratio.num % ratio.den;
    char digits[24];
    size_t length = 0;
    while (rest != 0 && length < sizeof digits - 1) {
        u128 ten = (u128)rest * 10;
        digits[length++] = (char)('0' + (int)(ten / ratio.den));
        rest = (uint64_t)(ten % ratio.den);
    }
    digits[length] = '\0';
    if (rest != 0) /* no decimal: a ratio that a scenario did not write */
        return must_format("%llu/%llu", (unsigned long long)ratio.num,
                           (unsigned long long)ratio.den);
    return must_format("%llu%s%s", (unsigned long long)whole, length ? "." : "", digits);
}

static char *durations_words(const struct durations *list)
{
    enum { SHOWN = 4 };
    char *text = must_format("%zu value%s:", list->count, list->count == 1 ? "" : "s");
    for (size_t i = 0; i < list->count && i < SHOWN; i++) {
        char one[32];
        duration_format(list->ns[i], one);
        text = joined(text, " ", must_copy(one));
    }
    return list->count > SHOWN ? joined(text, " ", must_copy("...")) : text;
}

static char *fields_words(const struct field *fields, size_t count, const void *params);

/* "(probability 0.9, mean 1ms), (probability 0.1, mean 10ms)". */
static char *items_words(const struct item *item, const struct item_list *list)
{
    enum { SHOWN = 4 };
    char *text = must_copy("");
    for (size_t i = 0; i < list->count && i < SHOWN; i++) {
        char *one = fields_words(item->fields, item->field_count,
                                 (const char *)list->items + i * item->size);
        text = joined(text, i ? ", " : "", must_format("(%s)", one));
        free(one);
    }
    return list->count > SHOWN ? joined(text, ", ", must_copy("...")) : text;
}

static char *values_words(const struct value_list *list)
{
    char *text = must_copy("");
    for (size_t i = 0; i < list->count; i++)
        text = joined(text, i ? ", " : "", must_copy(list->texts[i]));
    return text;
}

static char *value_words(const struct field *field, const void *params)
{
    const void *at = (const char *)params + field->offset;
    char text[32];
    switch (field->kind) {
    case FIELD_DURATION:
        if (field->word && *(const ns_t *)at == field->word_value)
            return must_copy(field->word);
        duration_format(*(const ns_t *)at, text);
        return must_copy(text);
    case FIELD_COUNT:
        if (field->word && *(const uint64_t *)at == field->word_value)
            return must_copy(field->word);
        return must_format("%llu", (unsigned long long)*(const uint64_t *)at);
    case FIELD_RATIO:
        if (field->word && (((const struct ratio *)at)->num == field->word_value ||
                            ((const struct ratio *)at)->den == 0))
            return must_copy(field->word);
        return ratio_words(*(const struct ratio *)at);
    case FIELD_BOOL: return must_copy(*(const bool *)at ? "yes" : "no");
    case FIELD_VARIANT: return choice_words(*(const struct choice *)at);
    case FIELD_DURATIONS: return durations_words(at);
    case FIELD_LIST: return items_words(field->item, at);
    case FIELD_WORD: return must_copy(field->words[*(const unsigned *)at]);
    case FIELD_VALUES: return values_words(at);
    }
    BUG("kind of field outside its enum");
}

/* A field that was left out and has no default stands at zero bytes: nothing to say. */
static bool is_left_out(const struct field *field, const void *params)
{
    const void *at = (const char *)params + field->offset;
    if (field->required || field->absent)
        return false;
    switch (field->kind) {
    case FIELD_DURATION: return *(const ns_t *)at == 0;
    case FIELD_COUNT: return *(const uint64_t *)at == 0;
    case FIELD_RATIO: return ((const struct ratio *)at)->num == 0;
    case FIELD_BOOL: return false;
    case FIELD_VARIANT: return ((const struct choice *)at)->type == NULL;
    case FIELD_DURATIONS: return ((const struct durations *)at)->count == 0;
    case FIELD_LIST: return ((const struct item_list *)at)->count == 0;
    case FIELD_WORD: return false;
    case FIELD_VALUES: return ((const struct value_list *)at)->count == 0;
    }
    BUG("kind of field outside its enum");
}

static char *fields_words(const struct field *fields, size_t count, const void *params)
{
    char *text = must_copy("");
    for (size_t i = 0; i < count && params; i++) {
        if (is_left_out(&fields[i], params))
            continue;
        char *value = value_words(&fields[i], params);
        char *one = must_format("%s %s", fields[i].key, value);
        free(value);
        text = joined(text, text[0] ? ", " : "", one);
    }
    return text;
}

char *choice_words(struct choice choice)
{
    if (!choice.type)
        return must_copy("none");
    char *fields = fields_words(choice.type->fields, choice.type->field_count, choice.params);
    char *text = fields[0] ? must_format("%s (%s)", choice.type->name, fields)
                           : must_copy(choice.type->name);
    free(fields);
    return text;
}

void paragraph_write(FILE *out, const char *text, size_t indent, size_t width)
{
    char *clean = utf8_clean(text);
    const char *at = clean;
    while (*at) {
        const char *next;
        size_t length = utf8_wrap(at, width > indent + 20 ? width - indent : 20, &next);
        fprintf(out, "%*s%.*s\n", (int)indent, "", (int)length, at);
        at = next;
    }
    free(clean);
}

static const char *kind_words(enum field_kind kind)
{
    switch (kind) {
    case FIELD_DURATION: return "a duration";
    case FIELD_COUNT: return "a whole number";
    case FIELD_RATIO: return "an exact decimal";
    case FIELD_BOOL: return "true or false";
    case FIELD_VARIANT: return "one of";
    case FIELD_DURATIONS: return "a list of durations, or the name of a file of them, one a line";
    case FIELD_LIST: return "a list of objects";
    case FIELD_WORD: return "one of";
    case FIELD_VALUES: return "a value, or a list of values";
    }
    BUG("kind of field outside its enum");
}

static char *bound_words(const struct field *field, uint64_t bound)
{
    char text[32];
    if (field->kind != FIELD_DURATION)
        return must_format("%llu", (unsigned long long)bound);
    duration_format(bound, text);
    return must_copy(text);
}

/* "of probability (of this branch; an exact decimal; required), ...". */
static char *item_words(const struct item *item)
{
    char *text = must_copy("of ");
    for (size_t i = 0; i < item->field_count; i++) {
        char *words = field_words(&item->fields[i]);
        text = joined(text, i ? ", " : "",
                      must_format("%s (%s: %s)", item->fields[i].key,
                                  item->fields[i].says ? item->fields[i].says : "", words));
        free(words);
    }
    return text;
}

char *need_words(const struct field *field)
{
    if (field->required)
        return must_copy("required");
    bool bare = field->kind == FIELD_DURATION && field->absent && field->absent[0] != '"';
    if (field->absent)
        return must_format("default %s%s", field->absent, bare ? "ns" : "");
    return must_copy("may be left out");
}

char *field_words(const struct field *field)
{
    char *text = must_copy(kind_words(field->kind));
    bool bounded =
        field->kind == FIELD_DURATION || field->kind == FIELD_COUNT || field->kind == FIELD_RATIO;
    if (field->kind == FIELD_VARIANT)
        text = joined(text, " the ", must_copy(field->set->name));
    for (size_t i = 0; field->kind == FIELD_WORD && field->words[i]; i++)
        text = joined(text, i ? ", " : " ", must_copy(field->words[i]));
    if (field->kind == FIELD_LIST)
        text = joined(text, ", each ", item_words(field->item));
    if (field->percent)
        text = joined(text, ", or a percentage", must_copy(""));
    if (bounded && (field->min > 0 || field->above_min))
        text = joined(text, field->above_min ? " above " : ", at least ",
                      bound_words(field, field->min));
    if (bounded && field->max > 0)
        text = joined(text, field->below_max ? ", below " : ", at most ",
                      bound_words(field, field->max));
    if (field->word)
        text = joined(text, ", or ", must_format("\"%s\"", field->word));
    return joined(text, "; ", need_words(field));
}
