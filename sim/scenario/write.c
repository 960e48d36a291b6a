/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A plan as a scenario again, by the tables that read it. */

#include <stdlib.h>
#include <string.h>

#include "sim/scenario/emit.h"
#include "sim/scenario/objects.h"
#include "sim/scenario/reader.h"

static void write_choice(struct emit *e, struct choice choice);
static void write_items(struct emit *e, const struct item *item, const struct item_list *list);

static void write_duration(struct emit *e, ns_t ns)
{
    char text[32];
    duration_format(ns, text);
    emit_text(e, text);
}

static void write_ratio(struct emit *e, struct ratio ratio)
{
    char *text = percentile_text(ratio);
    emit_raw(e, text);
    free(text);
}

static void write_durations(struct emit *e, const struct durations *list)
{
    emit_open(e, '[');
    for (size_t i = 0; i < list->count; i++)
        write_duration(e, list->ns[i]);
    emit_close(e, ']');
}

/* True where the field says nothing: it may be left out, and is empty. */
static bool is_empty(const struct field *field, const void *params)
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
    }
    BUG("field kind outside its enum");
}

static bool is_word(const struct field *field, const void *at)
{
    if (field->word == NULL)
        return false;
    if (field->kind == FIELD_RATIO)
        return ((const struct ratio *)at)->num == field->word_value &&
               ((const struct ratio *)at)->den == 1;
    return *(const uint64_t *)at == field->word_value;
}

static void write_field(struct emit *e, const struct field *field, const void *params)
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
    }
}

static void write_fields(struct emit *e, const struct field *fields, size_t count,
                         const void *params)
{
    emit_open(e, '{');
    for (size_t i = 0; i < count; i++) {
        if (is_empty(&fields[i], params))
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
        count += !is_empty(&choice.type->fields[i], choice.params);
    return count;
}

static void write_params(struct emit *e, struct choice choice)
{
    const struct variant *type = choice.type;
    if (type->field_count == 1 && fields_to_write(choice) == 1) {
        write_field(e, &type->fields[0], choice.params);
        return;
    }
    write_fields(e, type->fields, type->field_count, choice.params);
}

static void write_choice(struct emit *e, struct choice choice)
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

static const void *array_of(const struct key *key, const void *read, size_t *count)
{
    const void *array;
    memcpy(&array, (const char *)read + key->field.offset, sizeof array);
    memcpy(count, (const char *)read + key->count_offset, sizeof *count);
    return array;
}

static void write_texts(struct emit *e, const struct key *key, const void *read)
{
    size_t count;
    char *const *texts = array_of(key, read, &count);
    emit_open(e, '[');
    for (size_t i = 0; i < count; i++)
        emit_text(e, texts[i]);
    emit_close(e, ']');
}

static void write_percentiles(struct emit *e, const struct report_plan *report)
{
    emit_open(e, '[');
    for (size_t i = 0; i < report->percentile_count; i++)
        emit_raw(e, report->percentiles[i].text);
    emit_close(e, ']');
}

static void write_thresholds(struct emit *e, const struct report_plan *report)
{
    emit_open(e, '[');
    for (size_t i = 0; i < report->above_count; i++)
        emit_text(e, report->above[i].text);
    emit_close(e, ']');
}

static const char *subject_name(const struct plan *plan, const struct expectation *expectation)
{
    return expectation->of_load ? plan->loads[expectation->subject].name
                                : plan->recorders[expectation->subject].name;
}

/* Figures of one name stand together, as they were read. */
static void write_expectations(struct emit *e, const struct plan *plan)
{
    const char *open = NULL;
    emit_open(e, '{');
    for (size_t i = 0; i < plan->expectation_count; i++) {
        const struct expectation *now = &plan->expectations[i];
        const char *name = subject_name(plan, now);
        if (open == NULL || strcmp(open, name) != 0) {
            if (open != NULL)
                emit_close(e, '}');
            emit_key(e, name);
            emit_open(e, '{');
            open = name;
        }
        if (now->is_duration || now->is_share)
            emit_member(e, now->figure, now->text);
        else
            emit_member_raw(e, now->figure, now->text);
    }
    if (open != NULL)
        emit_close(e, '}');
    emit_close(e, '}');
}

static struct ratio ratio_at(const struct key *key, const void *read)
{
    struct ratio ratio;
    memcpy(&ratio, (const char *)read + key->field.offset, sizeof ratio);
    return ratio;
}

/* A percentile as it is written, from the share that is kept. */
static struct ratio times_100(struct ratio share)
{
    uint64_t common = gcd_u64(100, share.den);
    return (struct ratio){share.num * (100 / common), share.den / common};
}

static bool key_is_empty(const struct key *key, const void *read);

/* True where an object that may be missing was. */
static bool object_is_empty(const struct object *object, const void *read)
{
    for (size_t i = 0; i < object->key_count; i++)
        if (!key_is_empty(&object->keys[i], read))
            return false;
    return true;
}

/* True where the key has nothing to write. */
static bool key_is_empty(const struct key *key, const void *read)
{
    size_t count = 0;
    if (key->beside_the_point != NULL && key->beside_the_point(read))
        return true;
    switch (key->shape) {
    case SHAPE_FIELD: return !key->falls_back && is_empty(&key->field, read);
    case SHAPE_INTERVAL: /* written as the correction it stands for */ return true;
    case SHAPE_TEXT: return key->forgotten;
    case SHAPE_LOAD:
        memcpy(&count, (const char *)read + key->field.offset, sizeof count);
        return count == NO_INDEX;
    case SHAPE_TEXTS:
    case SHAPE_LIST:
    case SHAPE_MAP:
    case SHAPE_PERCENTILES:
    case SHAPE_THRESHOLDS:
    case SHAPE_EXPECTATIONS: array_of(key, read, &count); return count == 0;
    case SHAPE_OBJECT:
        return key->optional &&
               object_is_empty(key->object, (const char *)read + key->field.offset);
    case SHAPE_PERCENTILE:
    case SHAPE_SHARE: return ratio_at(key, read).num == 0;
    case SHAPE_MODE:
    case SHAPE_SEED: return false;
    }
    BUG("shape outside its enum");
}

static void write_object(struct emit *e, const struct plan *plan, const struct object *object,
                         const void *read);

static void write_array(struct emit *e, const struct plan *plan, const struct key *key,
                        const void *read)
{
    bool map = key->shape == SHAPE_MAP;
    size_t count;
    const char *array = array_of(key, read, &count);
    emit_open(e, map ? '{' : '[');
    for (size_t i = 0; i < count; i++) {
        const char *element = array + i * key->object->size;
        if (map) {
            const char *name;
            memcpy(&name, element, sizeof name);
            emit_key(e, name);
        }
        write_object(e, plan, key->object, element);
    }
    emit_close(e, map ? '}' : ']');
}

static void write_key(struct emit *e, const struct plan *plan, const struct key *key,
                      const void *read)
{
    const char *at = (const char *)read + key->field.offset;
    size_t load;
    const struct variant *mode;
    uint64_t seed;
    char *text;
    emit_key(e, key->field.key);
    switch (key->shape) {
    case SHAPE_FIELD:
        if (key->forgotten) /* then there is only one word it can have been */
            emit_text(e, key->field.words[0]);
        else
            write_field(e, &key->field, read);
        return;
    case SHAPE_TEXT:
        memcpy(&text, at, sizeof text);
        emit_text(e, text);
        return;
    case SHAPE_LOAD:
        memcpy(&load, at, sizeof load);
        emit_text(e, plan->loads[load].name);
        return;
    case SHAPE_MODE:
        memcpy(&mode, at, sizeof mode);
        emit_text(e, mode->name);
        return;
    case SHAPE_SEED:
        memcpy(&seed, at, sizeof seed);
        text = must_format("%llu", (unsigned long long)seed);
        if (seed <= UINT64_C(1) << 53)
            emit_raw(e, text);
        else
            emit_text(e, text);
        free(text);
        return;
    case SHAPE_TEXTS: write_texts(e, key, read); return;
    case SHAPE_OBJECT: write_object(e, plan, key->object, at); return;
    case SHAPE_LIST:
    case SHAPE_MAP: write_array(e, plan, key, read); return;
    case SHAPE_PERCENTILES: write_percentiles(e, read); return;
    case SHAPE_THRESHOLDS: write_thresholds(e, read); return;
    case SHAPE_PERCENTILE: write_ratio(e, times_100(ratio_at(key, read))); return;
    case SHAPE_SHARE: write_ratio(e, ratio_at(key, read)); return;
    case SHAPE_EXPECTATIONS: write_expectations(e, plan); return;
    case SHAPE_INTERVAL: BUG("an interval is written as its correction");
    }
}

static void write_object(struct emit *e, const struct plan *plan, const struct object *object,
                         const void *read)
{
    emit_open(e, '{');
    for (size_t i = 0; i < object->one_of_count; i++) {
        struct choice choice;
        memcpy(&choice, (const char *)read + object->one_of[i].offset, sizeof choice);
        if (choice.type == NULL)
            continue;
        emit_key(e, choice.type->name);
        write_params(e, choice);
    }
    for (size_t i = 0; i < object->key_count; i++)
        if (!key_is_empty(&object->keys[i], read))
            write_key(e, plan, &object->keys[i], read);
    emit_close(e, '}');
}

void plan_write_json(const struct plan *plan, FILE *out)
{
    struct emit e = {.out = out, .lines = 2};
    write_object(&e, plan, &object_scenario, plan);
    fputc('\n', out);
}
