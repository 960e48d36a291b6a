/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Variants and their fields as JSON again, by the tables that read them. */

#include "sim/scenario/write_fields.h"

#include "sim/scenario/objects.h"

static void write_items(struct emit *e, const struct item *item, const struct item_list *list);

void write_duration(struct emit *e, ns_t ns)
{
    char text[32];
    duration_format(ns, text);
    emit_text(e, text);
}

void write_ratio(struct emit *e, struct ratio ratio)
{
    char text[PERCENTILE_TEXT];
    percentile_text(ratio, text);
    emit_raw(e, text);
}

static void write_durations(struct emit *e, const struct durations *list)
{
    emit_open(e, '[');
    for (size_t i = 0; i < list->count; i++)
        write_duration(e, list->ns[i]);
    emit_close(e, ']');
}

static void write_values(struct emit *e, const struct value_list *list)
{
    emit_open(e, '[');
    for (size_t i = 0; i < list->count; i++)
        emit_raw(e, list->texts[i]);
    emit_close(e, ']');
}

bool field_is_empty(const struct field *field, const void *params)
{
    const void *at = (const char *)params + field->offset;
    if (field->required || field->absent != NULL)
        return false;
    switch (field->kind) {
    case FIELD_DURATION: return *(const ns_t *)at == 0;
    case FIELD_COUNT: return *(const uint64_t *)at == 0;
    case FIELD_RATIO: return ((const struct ratio *)at)->num == 0;
    case FIELD_BOOL: return !*(const bool *)at;
    case FIELD_VARIANT: return ((const struct choice *)at)->type == NULL;
    case FIELD_DURATIONS: return ((const struct durations *)at)->count == 0;
    case FIELD_LIST: return ((const struct item_list *)at)->count == 0;
    case FIELD_WORD: return false;
    case FIELD_VALUES: return ((const struct value_list *)at)->count == 0;
    }
    BUG("field kind outside its enum");
}

static bool is_word(const struct field *field, const void *at)
{
    if (field->word == NULL)
        return false;
    const struct ratio *ratio = at;
    if (field->kind == FIELD_RATIO && field->word_value == NO_RATIO)
        return ratio->den == 0;
    if (field->kind == FIELD_RATIO)
        return ratio->num == field->word_value && ratio->den == 1;
    return *(const uint64_t *)at == field->word_value;
}

void write_field(struct emit *e, const struct field *field, const void *params)
{
    const void *at = (const char *)params + field->offset;
    if (is_word(field, at)) {
        emit_text(e, field->word);
        return;
    }
    switch (field->kind) {
    case FIELD_DURATION: write_duration(e, *(const ns_t *)at); return;
    case FIELD_COUNT: emit_number(e, *(const uint64_t *)at); return;
    case FIELD_RATIO: write_ratio(e, *(const struct ratio *)at); return;
    case FIELD_BOOL: emit_raw(e, *(const bool *)at ? "true" : "false"); return;
    case FIELD_VARIANT: write_choice(e, *(const struct choice *)at); return;
    case FIELD_DURATIONS: write_durations(e, at); return;
    case FIELD_LIST: write_items(e, field->item, at); return;
    case FIELD_WORD: emit_text(e, field->words[*(const unsigned *)at]); return;
    case FIELD_VALUES: write_values(e, at); return;
    }
}

static void write_fields(struct emit *e, const struct field *fields, size_t count,
                         const void *params)
{
    emit_open(e, '{');
    for (size_t i = 0; i < count; i++) {
        if (field_is_empty(&fields[i], params))
            continue;
        emit_key(e, fields[i].key);
        write_field(e, &fields[i], params);
    }
    emit_close(e, '}');
}

static void write_items(struct emit *e, const struct item *item, const struct item_list *list)
{
    emit_open(e, '[');
    for (size_t i = 0; i < list->count; i++)
        write_fields(e, item->fields, item->field_count,
                     (const char *)list->items + i * item->size);
    emit_close(e, ']');
}

static size_t fields_to_write(struct choice choice)
{
    size_t count = 0;
    for (size_t i = 0; i < choice.type->field_count; i++)
        count += !field_is_empty(&choice.type->fields[i], choice.params);
    return count;
}

void write_params(struct emit *e, struct choice choice)
{
    const struct variant *type = choice.type;
    if (type->field_count == 1 && fields_to_write(choice) == 1) {
        write_field(e, &type->fields[0], choice.params);
        return;
    }
    write_fields(e, type->fields, type->field_count, choice.params);
}

void write_choice(struct emit *e, struct choice choice)
{
    if (fields_to_write(choice) == 0) {
        emit_text(e, choice.type->name);
        return;
    }
    emit_open(e, '{');
    emit_key(e, choice.type->name);
    write_params(e, choice);
    emit_close(e, '}');
}
