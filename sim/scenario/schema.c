/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The JSON Schema of scenarios, from the tables that read them.  It says less than the reader: what
   holds between keys stays with sim/scenario/rules.c and the variants themselves. */

#include "models/registry.h"
#include "sim/scenario/emit.h"
#include "sim/scenario/reader.h"
#include "sim/scenario/tables.h"

#define DURATION_PATTERN "^[0-9]+([.][0-9]+)?(ns|us|ms|s|min)$"
#define ZERO_PATTERN "^[0.]+[a-z]+$"

static const struct variant_set *const sets[] = {
    &set_distributions, &set_arrivals, &set_late, &set_corrections, &set_stores, &set_ranks,
};

static void open_keyed(struct emit *e, const char *key, char bracket)
{
    emit_key(e, key);
    emit_open(e, bracket);
}

static void emit_ref(struct emit *e, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "#/$defs/%s", name);
    emit_member(e, "$ref", path);
}

static void emit_limit(struct emit *e, const char *key, uint64_t limit)
{
    emit_key(e, key);
    emit_number(e, limit);
}

/* A duration in both of its forms; of the text form only zero can be told. */
static void duration_forms(struct emit *e, const struct field *field)
{
    emit_open(e, '{');
    emit_member(e, "type", "integer");
    emit_limit(e, field->above_min ? "exclusiveMinimum" : "minimum", field->min);
    if (field->max != 0)
        emit_limit(e, "maximum", field->max);
    else
        emit_limit(e, "exclusiveMaximum", NS_LIMIT);
    emit_close(e, '}');
    emit_open(e, '{');
    emit_member(e, "type", "string");
    emit_member(e, "pattern", DURATION_PATTERN);
    if (field->min > 0 || field->above_min) {
        open_keyed(e, "not", '{');
        emit_member(e, "pattern", ZERO_PATTERN);
        emit_close(e, '}');
    }
    emit_close(e, '}');
}

static void number_limits(struct emit *e, const struct field *field)
{
    emit_member(e, "type", field->kind == FIELD_COUNT ? "integer" : "number");
    emit_limit(e, field->above_min ? "exclusiveMinimum" : "minimum", field->min);
    if (field->max != 0 || field->kind == FIELD_COUNT)
        emit_limit(e, "maximum", field->max != 0 ? field->max : UINT64_MAX);
}

/* The members that say what a field may be. */
static void field_type(struct emit *e, const struct field *field)
{
    switch (field->kind) {
    case FIELD_DURATION:
        open_keyed(e, "anyOf", '[');
        duration_forms(e, field);
        break;
    case FIELD_COUNT:
    case FIELD_RATIO:
        if (field->word == NULL) {
            number_limits(e, field);
            return;
        }
        open_keyed(e, "anyOf", '[');
        emit_open(e, '{');
        number_limits(e, field);
        emit_close(e, '}');
        break;
    case FIELD_BOOL: emit_member(e, "type", "boolean"); return;
    case FIELD_VARIANT: emit_ref(e, field->set->name); return;
    case FIELD_DURATIONS: emit_ref(e, "durations"); return;
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
    field_type(e, field);
    if (field->absent != NULL)
        emit_member_raw(e, "default", field->absent);
    emit_close(e, '}');
}

static bool needs_more(const struct variant *type, size_t first)
{
    for (size_t i = first; i < type->field_count; i++)
        if (type->fields[i].required)
            return true;
    return false;
}

static void fields_schema(struct emit *e, const struct variant *type)
{
    emit_open(e, '{');
    emit_member(e, "type", "object");
    open_keyed(e, "properties", '{');
    for (size_t i = 0; i < type->field_count; i++) {
        emit_key(e, type->fields[i].key);
        field_schema(e, &type->fields[i]);
    }
    emit_close(e, '}');
    if (needs_more(type, 0)) {
        open_keyed(e, "required", '[');
        for (size_t i = 0; i < type->field_count; i++)
            if (type->fields[i].required)
                emit_text(e, type->fields[i].key);
        emit_close(e, ']');
    }
    emit_member_raw(e, "additionalProperties", "false");
    emit_close(e, '}');
}

/* A variant's parameters: its fields, or the first alone where no other is needed. */
static void params_schema(struct emit *e, const struct variant *type)
{
    emit_open(e, '{');
    emit_member(e, "description", type->says);
    open_keyed(e, "anyOf", '[');
    fields_schema(e, type);
    if (type->field_count > 0 && !needs_more(type, 1)) {
        emit_open(e, '{');
        field_type(e, &type->fields[0]);
        emit_close(e, '}');
    }
    emit_close(e, ']');
    emit_close(e, '}');
}

static void set_schema(struct emit *e, const struct variant_set *set)
{
    open_keyed(e, set->name, '{');
    emit_member(e, "description", set->says);
    open_keyed(e, "anyOf", '[');
    size_t alone = 0;
    for (size_t i = 0; i < set->count; i++)
        alone += !needs_more(set->variants[i], 0);
    if (alone > 0) {
        emit_open(e, '{');
        open_keyed(e, "enum", '[');
        for (size_t i = 0; i < set->count; i++)
            if (!needs_more(set->variants[i], 0))
                emit_text(e, set->variants[i]->name);
        emit_close(e, ']');
        emit_close(e, '}');
    }
    for (size_t i = 0; i < set->count; i++) {
        emit_open(e, '{');
        emit_member(e, "type", "object");
        open_keyed(e, "properties", '{');
        emit_key(e, set->variants[i]->name);
        params_schema(e, set->variants[i]);
        emit_close(e, '}');
        open_keyed(e, "required", '[');
        emit_text(e, set->variants[i]->name);
        emit_close(e, ']');
        emit_member_raw(e, "additionalProperties", "false");
        emit_close(e, '}');
    }
    emit_close(e, ']');
    emit_close(e, '}');
}

static void object_members(struct emit *e, const struct object *object);

static void names_enum(struct emit *e, const struct key *key)
{
    open_keyed(e, "enum", '[');
    for (size_t i = 0; i < key->word_count; i++)
        emit_text(e, key->words[i]);
    for (size_t i = 0; key->shape == SHAPE_MODE && i < key->field.set->count; i++)
        emit_text(e, key->field.set->variants[i]->name);
    emit_close(e, ']');
}

static void map_members(struct emit *e, const struct object *object)
{
    emit_member(e, "type", "object");
    emit_member_raw(e, "minProperties", "1");
    emit_limit(e, "maxProperties", NAMES_MOST);
    emit_member_raw(e, "propertyNames", "{\"minLength\": 1}");
    open_keyed(e, "additionalProperties", '{');
    object_members(e, object);
    emit_close(e, '}');
}

static void list_members(struct emit *e, const struct object *object)
{
    emit_member(e, "type", "array");
    emit_limit(e, "maxItems", NAMES_MOST);
    open_keyed(e, "items", '{');
    object_members(e, object);
    emit_close(e, '}');
}

static const char *figure_json(enum figure_value value)
{
    switch (value) {
    case FIGURE_TIME:
        return "{\"anyOf\": [{\"type\": [\"number\", \"null\"], \"minimum\": 0}, "
               "{\"type\": \"string\", \"pattern\": \"" DURATION_PATTERN "\"}]}";
    case FIGURE_NUMBER: return "{\"type\": [\"integer\", \"null\"], \"minimum\": 0}";
    case FIGURE_SHARE:
        return "{\"anyOf\": [{\"type\": [\"integer\", \"null\"], \"minimum\": 0}, "
               "{\"type\": \"string\", \"pattern\": \"^[0-9]+([.][0-9]+)?%$\"}]}";
    }
    return "false";
}

static void expectations_members(struct emit *e)
{
    emit_member(e, "type", "object");
    open_keyed(e, "additionalProperties", '{');
    emit_member(e, "type", "object");
    for (int prefixed = 0; prefixed < 2; prefixed++) {
        open_keyed(e, prefixed ? "patternProperties" : "properties", '{');
        for (size_t i = 0; i < figure_name_count; i++) {
            const struct figure_name *figure = &figure_names[i];
            char pattern[32];
            snprintf(pattern, sizeof pattern, "^%s[0-9]", figure->name);
            if (figure->prefix == (prefixed == 1))
                emit_member_raw(e, prefixed ? pattern : figure->name, figure_json(figure->value));
        }
        emit_close(e, '}');
    }
    emit_member_raw(e, "additionalProperties", "false");
    emit_close(e, '}');
}

static void key_type(struct emit *e, const struct key *key)
{
    switch (key->shape) {
    case SHAPE_FIELD:
    case SHAPE_INTERVAL: field_type(e, &key->field); return;
    case SHAPE_WORD:
    case SHAPE_MODE: names_enum(e, key); return;
    case SHAPE_TEXT:
    case SHAPE_LOAD: emit_member(e, "type", "string"); return;
    case SHAPE_TEXTS:
        emit_member_raw(e, "anyOf",
                        "[{\"type\": \"string\"}, "
                        "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}]");
        return;
    case SHAPE_OBJECT: object_members(e, key->object); return;
    case SHAPE_LIST: list_members(e, key->object); return;
    case SHAPE_MAP: map_members(e, key->object); return;
    case SHAPE_SEED:
        emit_member_raw(
            e, "anyOf",
            "[{\"type\": \"integer\", \"minimum\": 0, \"maximum\": 18446744073709551615}, "
            "{\"type\": \"string\", \"pattern\": \"^[0-9]{1,20}$\"}]");
        return;
    case SHAPE_PERCENTILES:
        emit_member(e, "type", "array");
        emit_member_raw(e, "items", "{\"type\": \"number\", \"minimum\": 0, \"maximum\": 100}");
        emit_member_raw(e, "minItems", "1");
        emit_limit(e, "maxItems", NAMES_MOST);
        emit_member_raw(e, "uniqueItems", "true");
        return;
    case SHAPE_THRESHOLDS:
        emit_member(e, "type", "array");
        emit_member_raw(e, "items", "{\"$ref\": \"#/$defs/duration\"}");
        emit_limit(e, "maxItems", NAMES_MOST);
        emit_member_raw(e, "uniqueItems", "true");
        return;
    case SHAPE_EXPECTATIONS: expectations_members(e); return;
    }
}

static void object_properties(struct emit *e, const struct object *object)
{
    open_keyed(e, "properties", '{');
    for (size_t i = 0; object->one_of != NULL && i < object->one_of->count; i++) {
        emit_key(e, object->one_of->variants[i]->name);
        params_schema(e, object->one_of->variants[i]);
    }
    for (size_t i = 0; i < object->key_count; i++) {
        const struct key *key = &object->keys[i];
        open_keyed(e, key->field.key, '{');
        emit_member(e, "description", key->field.says);
        key_type(e, key);
        if (key->field.absent != NULL)
            emit_member_raw(e, "default", key->field.absent);
        emit_close(e, '}');
    }
    emit_close(e, '}');
}

static void object_members(struct emit *e, const struct object *object)
{
    bool required = false;
    emit_member(e, "type", "object");
    object_properties(e, object);
    for (size_t i = 0; i < object->key_count; i++)
        required |= object->keys[i].field.required;
    if (required)
        open_keyed(e, "required", '[');
    for (size_t i = 0; i < object->key_count; i++)
        if (object->keys[i].field.required)
            emit_text(e, object->keys[i].field.key);
    if (required)
        emit_close(e, ']');
    if (object->one_of != NULL) {
        open_keyed(e, "oneOf", '[');
        for (size_t i = 0; i < object->one_of->count; i++) {
            emit_open(e, '{');
            open_keyed(e, "required", '[');
            emit_text(e, object->one_of->variants[i]->name);
            emit_close(e, ']');
            emit_close(e, '}');
        }
        emit_close(e, ']');
    }
    emit_member_raw(e, "additionalProperties", "false");
}

static void definitions(struct emit *e)
{
    static const struct field any = {.kind = FIELD_DURATION};
    open_keyed(e, "$defs", '{');
    open_keyed(e, "duration", '{');
    emit_member(e, "description",
                "decimal digits and one of ns us ms s min, or a whole number of ns");
    open_keyed(e, "anyOf", '[');
    duration_forms(e, &any);
    emit_close(e, ']');
    emit_close(e, '}');
    open_keyed(e, "durations", '{');
    emit_member(e, "description", "a list of durations, or the name of a file of them, one a line");
    emit_member_raw(e, "anyOf",
                    "[{\"type\": \"string\"}, {\"type\": \"array\", \"minItems\": 1, "
                    "\"items\": {\"$ref\": \"#/$defs/duration\"}}]");
    emit_close(e, '}');
    for (size_t i = 0; i < FIELD_COUNT_OF(sets); i++)
        set_schema(e, sets[i]);
    emit_close(e, '}');
}

void schema_write(FILE *out)
{
    struct emit e = {.out = out, .lines = 99};
    emit_open(&e, '{');
    emit_member(&e, "$schema", "https://json-schema.org/draft/2020-12/schema");
    emit_member(&e, "$comment", "SPDX-License-Identifier: 0BSD");
    emit_member(&e, "title", "A duetime scenario");
    object_members(&e, &object_scenario);
    definitions(&e);
    emit_close(&e, '}');
    fputc('\n', out);
}
