/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The JSON Schema of scenarios, from the tables that read them.  It says less than the reader: what
   holds between keys stays with sim/scenario/rules.c and the variants themselves. */

#include "models/registry.h"
#include "sim/scenario/objects.h"
#include "sim/scenario/reader.h"
#include "sim/scenario/schema.h"
#include "sim/scenario/sweep.h"
#include "sim/scenario/tables.h"

static const struct variant_set *const sets[] = {
    &set_distributions, &set_arrivals, &set_late,  &set_queues,      &set_routing,
    &set_corrections,   &set_stores,   &set_ranks, &set_experiments,
};

static void object_members(struct emit *e, const struct object *object);

static void names_enum(struct emit *e, const struct variant_set *set)
{
    emit_open_member(e, "enum", '[');
    for (size_t i = 0; i < set->count; i++)
        emit_text(e, set->variants[i]->name);
    emit_close(e, ']');
}

static void map_members(struct emit *e, const struct object *object)
{
    emit_member(e, "type", "object");
    emit_member_raw(e, "minProperties", "1");
    emit_member_number(e, "maxProperties", NAMES_MOST);
    emit_member_raw(e, "propertyNames", "{\"minLength\": 1}");
    emit_open_member(e, "additionalProperties", '{');
    object_members(e, object);
    emit_close(e, '}');
}

static void list_members(struct emit *e, const struct object *object)
{
    emit_member(e, "type", "array");
    emit_member_number(e, "maxItems", NAMES_MOST);
    emit_open_member(e, "items", '{');
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
    emit_open_member(e, "additionalProperties", '{');
    emit_member(e, "type", "object");
    for (int prefixed = 0; prefixed < 2; prefixed++) {
        emit_open_member(e, prefixed ? "patternProperties" : "properties", '{');
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

/* One of the words, or an object of that key. */
static void words_type(struct emit *e, const char *const *words, int count, const char *key,
                       const char *type)
{
    emit_open_member(e, "anyOf", '[');
    emit_open(e, '{');
    emit_open_member(e, "enum", '[');
    for (int i = 0; i < count; i++)
        if (words[i] != NULL)
            emit_text(e, words[i]);
    emit_close(e, ']');
    emit_close(e, '}');
    emit_open(e, '{');
    emit_member(e, "type", "object");
    emit_open_member(e, "properties", '{');
    emit_member_raw(e, key, type);
    emit_close(e, '}');
    emit_open_member(e, "required", '[');
    emit_text(e, key);
    emit_close(e, ']');
    emit_member_raw(e, "additionalProperties", "false");
    emit_close(e, '}');
    emit_close(e, ']');
}

static void sweep_members(struct emit *e)
{
    emit_member(e, "type", "object");
    emit_member_raw(e, "minProperties", "1");
    emit_member_number(e, "maxProperties", SWEEP_PATHS_MOST);
    emit_member_raw(e, "propertyNames", "{\"pattern\": \"^/\"}");
    emit_open_member(e, "additionalProperties", '{');
    emit_open_member(e, "anyOf", '[');
    emit_raw(e, "{\"type\": \"array\", \"minItems\": 1}");
    emit_open(e, '{');
    emit_member(e, "type", "object");
    emit_open_member(e, "properties", '{');
    static const char *const amounts[] = {"from", "to", "step"};
    for (size_t i = 0; i < FIELD_COUNT_OF(amounts); i++)
        emit_member_raw(e, amounts[i],
                        "{\"anyOf\": [{\"type\": \"number\", \"minimum\": 0}, "
                        "{\"type\": \"string\", \"pattern\": \"" DURATION_PATTERN "\"}]}");
    emit_open_member(e, "count", '{');
    emit_member(e, "type", "integer");
    emit_member_raw(e, "minimum", "1");
    emit_member_number(e, "maximum", SWEEP_MOST);
    emit_close(e, '}');
    emit_close(e, '}');
    emit_member_raw(e, "required", "[\"from\", \"to\"]");
    emit_member_raw(e, "oneOf", "[{\"required\": [\"step\"]}, {\"required\": [\"count\"]}]");
    emit_member_raw(e, "additionalProperties", "false");
    emit_close(e, '}');
    emit_close(e, ']');
    emit_close(e, '}');
}

static void key_type(struct emit *e, const struct key *key)
{
    switch (key->shape) {
    case SHAPE_FIELD:
    case SHAPE_INTERVAL: schema_field_type(e, &key->field); return;
    case SHAPE_MODE: names_enum(e, key->field.set); return;
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
        emit_member_number(e, "maxItems", NAMES_MOST);
        emit_member_raw(e, "uniqueItems", "true");
        return;
    case SHAPE_THRESHOLDS:
        emit_member(e, "type", "array");
        emit_member_raw(e, "items", "{\"$ref\": \"#/$defs/duration\"}");
        emit_member_number(e, "maxItems", NAMES_MOST);
        emit_member_raw(e, "uniqueItems", "true");
        return;
    case SHAPE_PERCENTILE:
        emit_member(e, "type", "number");
        emit_member_raw(e, "exclusiveMinimum", "0");
        emit_member_raw(e, "exclusiveMaximum", "100");
        return;
    case SHAPE_TARGET:
        words_type(e, target_words, TARGET_GENERATOR + 1, "replica",
                   "{\"type\": \"integer\", \"minimum\": 0, \"maximum\": 999}");
        return;
    case SHAPE_PER:
        words_type(e, per_words, PER_REPLICA + 1, "window", "{\"$ref\": \"#/$defs/duration\"}");
        return;
    case SHAPE_FACTOR:
    case SHAPE_SHARE:
        emit_member_raw(e, "anyOf",
                        "[{\"type\": \"number\", \"exclusiveMinimum\": 0, "
                        "\"exclusiveMaximum\": 1}, "
                        "{\"type\": \"string\", \"pattern\": \"^[0-9]+([.][0-9]+)?%$\"}]");
        return;
    case SHAPE_SWEEP: sweep_members(e); return;
    case SHAPE_EXPECTATIONS: expectations_members(e); return;
    }
}

static void object_properties(struct emit *e, const struct object *object)
{
    emit_open_member(e, "properties", '{');
    for (size_t k = 0; k < object->one_of_count; k++) {
        const struct variant_set *set = object->one_of[k].set;
        for (size_t i = 0; i < set->count; i++) {
            emit_key(e, set->variants[i]->name);
            schema_params(e, set->variants[i]);
        }
    }
    for (size_t i = 0; i < object->key_count; i++) {
        const struct key *key = &object->keys[i];
        emit_open_member(e, key->field.key, '{');
        emit_member(e, "description", key->field.says);
        key_type(e, key);
        if (key->field.absent != NULL)
            emit_member_raw(e, "default", key->field.absent);
        emit_close(e, '}');
    }
    emit_close(e, '}');
}

static void required_names(struct emit *e, const struct variant_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        emit_open(e, '{');
        emit_open_member(e, "required", '[');
        emit_text(e, set->variants[i]->name);
        emit_close(e, ']');
        emit_close(e, '}');
    }
}

/* Exactly one name of the set or, where that will do, none. */
static void one_of_schema(struct emit *e, const struct one_of *one_of)
{
    emit_open(e, '{');
    emit_open_member(e, "oneOf", '[');
    required_names(e, one_of->set);
    if (one_of->optional) {
        emit_open(e, '{');
        emit_open_member(e, "not", '{');
        emit_open_member(e, "anyOf", '[');
        required_names(e, one_of->set);
        emit_close(e, ']');
        emit_close(e, '}');
        emit_close(e, '}');
    }
    emit_close(e, ']');
    emit_close(e, '}');
}

static void needs_schema(struct emit *e, const char *const *needs)
{
    emit_open_member(e, "anyOf", '[');
    for (size_t i = 0; needs[i] != NULL; i++) {
        emit_open(e, '{');
        emit_open_member(e, "required", '[');
        emit_text(e, needs[i]);
        emit_close(e, ']');
        emit_close(e, '}');
    }
    emit_close(e, ']');
}

static void object_members(struct emit *e, const struct object *object)
{
    bool required = false;
    emit_member(e, "type", "object");
    object_properties(e, object);
    for (size_t i = 0; i < object->key_count; i++)
        required |= object->keys[i].field.required;
    if (required)
        emit_open_member(e, "required", '[');
    for (size_t i = 0; i < object->key_count; i++)
        if (object->keys[i].field.required)
            emit_text(e, object->keys[i].field.key);
    if (required)
        emit_close(e, ']');
    if (object->needs != NULL)
        needs_schema(e, object->needs);
    if (object->one_of_count > 0)
        emit_open_member(e, "allOf", '[');
    for (size_t i = 0; i < object->one_of_count; i++)
        one_of_schema(e, &object->one_of[i]);
    if (object->one_of_count > 0)
        emit_close(e, ']');
    emit_member_raw(e, "additionalProperties", "false");
}

static void definitions(struct emit *e)
{
    static const struct field any = {.kind = FIELD_DURATION};
    emit_open_member(e, "$defs", '{');
    emit_open_member(e, "duration", '{');
    emit_member(e, "description",
                "decimal digits and one of ns us ms s min, or a whole number of ns");
    emit_open_member(e, "anyOf", '[');
    schema_duration_forms(e, &any);
    emit_close(e, ']');
    emit_close(e, '}');
    emit_open_member(e, "durations", '{');
    emit_member(e, "description", "a list of durations, or the name of a file of them, one a line");
    emit_member_raw(e, "anyOf",
                    "[{\"type\": \"string\"}, {\"type\": \"array\", \"minItems\": 1, "
                    "\"items\": {\"$ref\": \"#/$defs/duration\"}}]");
    emit_close(e, '}');
    for (size_t i = 0; i < FIELD_COUNT_OF(sets); i++)
        schema_set(e, sets[i]);
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
