/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A plan as a scenario again, by the tables that read it. */

#include <stdlib.h>
#include <string.h>

#include "sim/scenario/emit.h"
#include "sim/scenario/objects.h"
#include "sim/scenario/reader.h"
#include "sim/scenario/write_fields.h"

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

static void write_sweeps(struct emit *e, const struct plan *plan)
{
    emit_open(e, '{');
    for (size_t i = 0; i < plan->sweep_count; i++) {
        emit_open_member(e, plan->sweeps[i].path, '[');
        for (size_t k = 0; k < plan->sweeps[i].value_count; k++)
            emit_raw(e, plan->sweeps[i].values[k]);
        emit_close(e, ']');
    }
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

static struct ratio rest_of_one(struct ratio share)
{
    return (struct ratio){share.den - share.num, share.den};
}

static void write_target(struct emit *e, const struct stall *stall)
{
    if (stall->target != TARGET_REPLICA) {
        emit_text(e, target_words[stall->target]);
        return;
    }
    emit_open(e, '{');
    emit_member_number(e, "replica", stall->replica);
    emit_close(e, '}');
}

static void write_per(struct emit *e, const struct recorder_plan *recorder)
{
    if (recorder->per != PER_WINDOW) {
        emit_text(e, per_words[recorder->per]);
        return;
    }
    emit_open(e, '{');
    emit_key(e, "window");
    write_duration(e, recorder->window_ns);
    emit_close(e, '}');
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
    if (key->left_out != NULL && key->left_out(read))
        return true;
    switch (key->shape) {
    case SHAPE_FIELD: return !key->falls_back && field_is_empty(&key->field, read);
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
    case SHAPE_SWEEP:
    case SHAPE_EXPECTATIONS: array_of(key, read, &count); return count == 0;
    case SHAPE_OBJECT:
        return key->optional &&
               object_is_empty(key->object, (const char *)read + key->field.offset);
    case SHAPE_PERCENTILE:
    case SHAPE_FACTOR:
    case SHAPE_SHARE: return ratio_at(key, read).num == 0;
    case SHAPE_MODE:
    case SHAPE_TARGET:
    case SHAPE_PER:
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
    case SHAPE_FIELD: write_field(e, &key->field, read); return;
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
    case SHAPE_FACTOR: write_ratio(e, rest_of_one(ratio_at(key, read))); return;
    case SHAPE_TARGET: write_target(e, read); return;
    case SHAPE_PER: write_per(e, read); return;
    case SHAPE_SWEEP: write_sweeps(e, plan); return;
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
