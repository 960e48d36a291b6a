/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The part of the JSON Schema that follows from the variants' tables of fields. */

#include <stdio.h>

#include "sim/scenario/fields.h"
#include "sim/scenario/schema.h"

#define ZERO_PATTERN "^[0.]+[a-z]+$"

static void emit_ref(struct emit *e, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "#/$defs/%s", name);
    emit_member(e, "$ref", path);
}

void schema_duration_forms(struct emit *e, const struct field *field)
{
    emit_open(e, '{');
    emit_member(e, "type", "integer");
    emit_member_number(e, field->above_min ? "exclusiveMinimum" : "minimum", field->min);
    if (field->max != 0)
        emit_member_number(e, "maximum", field->max);
    else
        emit_member_number(e, "exclusiveMaximum", NS_LIMIT);
    emit_close(e, '}');
    emit_open(e, '{');
    emit_member(e, "type", "string");
    emit_member(e, "pattern", DURATION_PATTERN);
    if (field->min > 0 || field->above_min) {
        emit_open_member(e, "not", '{');
        emit_member(e, "pattern", ZERO_PATTERN);
        emit_close(e, '}');
    }
    emit_close(e, '}');
}

static void number_limits(struct emit *e, const struct field *field)
{
    emit_member(e, "type", field->kind == FIELD_COUNT ? "integer" : "number");
    emit_member_number(e, field->above_min ? "exclusiveMinimum" : "minimum", field->min);
    if (field->max != 0 || field->kind == FIELD_COUNT)
        emit_member_number(e, field->below_max ? "exclusiveMaximum" : "maximum",
                           field->max != 0 ? field->max : UINT64_MAX);
}

static void words_enum(struct emit *e, const char *const *words)
{
    emit_open_member(e, "enum", '[');
    for (size_t i = 0; words[i] != NULL; i++)
        emit_text(e, words[i]);
    emit_close(e, ']');
}

static void fields_members(struct emit *e, const struct field *fields, size_t count);

static void items_type(struct emit *e, const struct field *field)
{
    emit_member(e, "type", "array");
    emit_member_number(e, "minItems", field->min > 0 ? field->min : 1);
    emit_member_number(e, "maxItems", field->max > 0 ? field->max : ITEMS_MOST);
    emit_open_member(e, "items", '{');
    fields_members(e, field->item->fields, field->item->field_count);
    emit_close(e, '}');
}

void schema_field_type(struct emit *e, const struct field *field)
{
    switch (field->kind) {
    case FIELD_DURATION:
        emit_open_member(e, "anyOf", '[');
        schema_duration_forms(e, field);
        break;
    case FIELD_COUNT:
    case FIELD_RATIO:
        if (field->word == NULL && !field->percent) {
            number_limits(e, field);
            return;
        }
        emit_open_member(e, "anyOf", '[');
        emit_open(e, '{');
        number_limits(e, field);
        emit_close(e, '}');
        if (field->percent) {
            emit_open(e, '{');
            emit_member(e, "type", "string");
            emit_member(e, "pattern", "^[0-9]+([.][0-9]+)?%$");
            emit_close(e, '}');
        }
        break;
    case FIELD_BOOL: emit_member(e, "type", "boolean"); return;
    case FIELD_VARIANT: emit_ref(e, field->set->name); return;
    case FIELD_DURATIONS: emit_ref(e, "durations"); return;
    case FIELD_LIST: items_type(e, field); return;
    case FIELD_WORD: words_enum(e, field->words); return;
    case FIELD_VALUES: emit_member_raw(e, "not", "{\"type\": \"array\", \"maxItems\": 0}"); return;
    }
    if (field->word != NULL) {
        emit_open(e, '{');
        emit_member(e, "const", field->word);
        emit_close(e, '}');
    }
    emit_close(e, ']');
}

static void field_schema(struct emit *e, const struct field *field)
{
    emit_open(e, '{');
    emit_member(e, "description", field->says);
    schema_field_type(e, field);
    if (field->absent != NULL)
        emit_member_raw(e, "default", field->absent);
    emit_close(e, '}');
}

static bool needs_any(const struct field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fields[i].required)
            return true;
    return false;
}

static bool needs_more(const struct variant *type, size_t first)
{
    return type->field_count > first && needs_any(type->fields + first, type->field_count - first);
}

static void fields_members(struct emit *e, const struct field *fields, size_t count)
{
    emit_member(e, "type", "object");
    emit_open_member(e, "properties", '{');
    for (size_t i = 0; i < count; i++) {
        emit_key(e, fields[i].key);
        field_schema(e, &fields[i]);
    }
    emit_close(e, '}');
    if (needs_any(fields, count)) {
        emit_open_member(e, "required", '[');
        for (size_t i = 0; i < count; i++)
            if (fields[i].required)
                emit_text(e, fields[i].key);
        emit_close(e, ']');
    }
    emit_member_raw(e, "additionalProperties", "false");
}

void schema_params(struct emit *e, const struct variant *type)
{
    emit_open(e, '{');
    emit_member(e, "description", type->says);
    emit_open_member(e, "anyOf", '[');
    emit_open(e, '{');
    fields_members(e, type->fields, type->field_count);
    emit_close(e, '}');
    if (type->field_count > 0 && !needs_more(type, 1)) {
        emit_open(e, '{');
        if (type->fields[0].kind == FIELD_VALUES) /* an object is always one of fields */
            emit_member_raw(e, "type",
                            "[\"string\", \"number\", \"array\", \"boolean\", \"null\"]");
        schema_field_type(e, &type->fields[0]);
        emit_close(e, '}');
    }
    emit_close(e, ']');
    emit_close(e, '}');
}

void schema_set(struct emit *e, const struct variant_set *set)
{
    emit_open_member(e, set->name, '{');
    emit_member(e, "description", set->says);
    emit_open_member(e, "anyOf", '[');
    size_t alone = 0;
    for (size_t i = 0; i < set->count; i++)
        alone += !needs_more(set->variants[i], 0);
    if (alone > 0) {
        emit_open(e, '{');
        emit_open_member(e, "enum", '[');
        for (size_t i = 0; i < set->count; i++)
            if (!needs_more(set->variants[i], 0))
                emit_text(e, set->variants[i]->name);
        emit_close(e, ']');
        emit_close(e, '}');
    }
    for (size_t i = 0; i < set->count; i++) {
        emit_open(e, '{');
        emit_member(e, "type", "object");
        emit_open_member(e, "properties", '{');
        emit_key(e, set->variants[i]->name);
        schema_params(e, set->variants[i]);
        emit_close(e, '}');
        emit_open_member(e, "required", '[');
        emit_text(e, set->variants[i]->name);
        emit_close(e, ']');
        emit_member_raw(e, "additionalProperties", "false");
        emit_close(e, '}');
    }
    emit_close(e, ']');
    emit_close(e, '}');
}
