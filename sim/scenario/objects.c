/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/scenario/objects.h"

#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "sim/scenario/sweep.h"

bool refuse_value(struct reading *r, uint32_t value, const char *allowed)
{
    if (fault_only_counts(r, value))
        return false;
    char *found = shown(r, value);
    fault_at(r, value, "found %s; allowed: %s", found, allowed);
    free(found);
    return false;
}

static void names_of(struct names *names, const struct variant_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        names_add(names, set->variants[i]->name);
}

/* All that may be a key of the object, the variants' names first. */
static struct names keys_of(const struct object *object)
{
    struct names names = {0};
    for (size_t i = 0; i < object->one_of_count; i++)
        names_of(&names, object->one_of[i].set);
    for (size_t i = 0; i < object->key_count; i++)
        names_add(&names, object->keys[i].field.key);
    return names;
}

/* Faults what is no object, or no list of them; returns false. */
static bool refuse_object(struct reading *r, uint32_t value, const char *wanted,
                          const struct object *object)
{
    struct names names = keys_of(object);
    char *allowed = must_format("%s %s; its keys: ", wanted, object->says);
    for (size_t i = 0; i < names.count; i++) {
        char *longer = must_format("%s%s\"%s\"", allowed, i > 0 ? ", " : "", names.items[i]);
        free(allowed);
        allowed = longer;
    }
    refuse_value(r, value, allowed);
    free(allowed);
    free(names.items);
    return false;
}

/* Where a list or map keeps its array, however the pointer is typed. */
static void array_set(void *read, const struct key *key, void *array, size_t count)
{
    memcpy((char *)read + key->field.offset, &array, sizeof array);
    *(size_t *)(void *)((char *)read + key->count_offset) = count;
}

static size_t members_of(const struct reading *r, uint32_t value)
{
    size_t count = 0;
    for (uint32_t v = scan_first(&r->scan, value); v != SCAN_NONE; v = scan_beside(&r->scan, v))
        count++;
    return count;
}

static bool name_is_plain(const char *name)
{
    for (const char *c = name; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return false;
    return *name != '\0';
}

static bool read_map(struct reading *r, const struct key *key, uint32_t value, void *read)
{
    const struct object *object = key->object;
    if (type_of(r, value) != SCAN_OBJECT || scan_first(&r->scan, value) == SCAN_NONE) {
        bool empty = type_of(r, value) == SCAN_OBJECT;
        char *allowed = must_format("an object with at least one %s, by name", object->name);
        if (empty)
            fault_at(r, value, "found an empty object; allowed: %s", allowed);
        else
            refuse_value(r, value, allowed);
        free(allowed);
        return false;
    }
    size_t count = members_of(r, value), done = 0;
    if (count > NAMES_MOST) {
        fault_at(r, value, "found %zu %ss; allowed: at most %d", count, object->name, NAMES_MOST);
        return false;
    }
    char *array = must_alloc(count, object->size);
    bool good = true;
    for (uint32_t v = scan_first(&r->scan, value); v != SCAN_NONE; v = scan_beside(&r->scan, v)) {
        if (r->scan.values[v].bad_key) {
            good = false;
            continue;
        }
        char *name = must_copy(key_of(r, v));
        if (!name_is_plain(name)) {
            fault_at_key(r, v,
                         "found a name that is empty or holds a control character; allowed: "
                         "plain text");
            good = false;
        }
        void *element = array + done * object->size;
        memcpy(element, &name, sizeof name); /* the first member of every named struct */
        array_set(read, key, array, ++done);
        good &= read_object(r, object, v, v, element);
    }
    if (done == 0)
        free(array);
    return good;
}

static bool read_list(struct reading *r, const struct key *key, uint32_t value, void *read)
{
    const struct object *object = key->object;
    if (type_of(r, value) != SCAN_ARRAY)
        return refuse_object(r, value, "a list of objects, each", object);
    size_t count = members_of(r, value), done = 0;
    if (count > NAMES_MOST) {
        fault_at(r, value, "found %zu %ss; allowed: at most %d", count, object->name, NAMES_MOST);
        return false;
    }
    char *array = count == 0 ? NULL : must_alloc(count, object->size);
    array_set(read, key, array, count);
    bool good = true;
    for (uint32_t v = scan_first(&r->scan, value); v != SCAN_NONE; v = scan_beside(&r->scan, v))
        good &= read_object(r, object, v, v, array + done++ * object->size);
    return good;
}

/* One key's value, whatever its shape. */
static bool read_key(struct reading *r, const struct key *key, uint32_t value, void *read)
{
    void *out = (char *)read + key->field.offset;
    if (r->scan.values[value].bad)
        return false;
    switch (key->shape) {
    case SHAPE_FIELD: return read_field(r, &key->field, value, read);
    case SHAPE_TEXT: {
        char *forgotten = NULL;
        bool good = read_text(r, value, key->forgotten ? &forgotten : (char **)out);
        free(forgotten);
        return good;
    }
    case SHAPE_TEXTS:
        return read_texts(r, value, out, (size_t *)(void *)((char *)read + key->count_offset));
    case SHAPE_LOAD: return read_load_name(r, value, out);
    case SHAPE_MODE: return read_mode(r, key, value, read);
    case SHAPE_INTERVAL: return read_interval(r, key, value, out);
    case SHAPE_OBJECT: return read_object(r, key->object, value, value, out);
    case SHAPE_LIST: return read_list(r, key, value, read);
    case SHAPE_MAP: return read_map(r, key, value, read);
    case SHAPE_SEED: return read_seed(r, value, out);
    case SHAPE_PERCENTILES: return read_percentiles(r, value, read);
    case SHAPE_PERCENTILE: return read_percentile(r, value, out);
    case SHAPE_SHARE: return read_share(r, value, out);
    case SHAPE_FACTOR: return read_factor(r, value, out);
    case SHAPE_TARGET: return read_target(r, value, read);
    case SHAPE_PER: return read_per(r, value, read);
    case SHAPE_THRESHOLDS: return read_thresholds(r, value, read);
    case SHAPE_SWEEP: return r->is_trial || read_sweep(r, value, read);
    case SHAPE_EXPECTATIONS: return read_expectations(r, value, read);
    }
    BUG("shape outside its enum");
}

static void key_default(const struct key *key, void *read)
{
    if (key->shape == SHAPE_LOAD)
        *(size_t *)(void *)((char *)read + key->field.offset) = NO_INDEX;
    if (key->shape == SHAPE_FIELD)
        read_default(&key->field, read);
    if (key->shape == SHAPE_FIELD || key->shape == SHAPE_OBJECT || key->field.absent == NULL)
        return;
    struct reading r;
    reading_open(&r, "default", key->field.absent, strlen(key->field.absent));
    BUG_IF(r.failed);
    bool good = read_key(&r, key, 0, read);
    BUG_IF(!good);
    struct errors none = {0};
    reading_close(&r, &none);
}

static bool is_known(const struct object *object, const char *name)
{
    for (size_t i = 0; i < object->key_count; i++)
        if (strcmp(object->keys[i].field.key, name) == 0)
            return true;
    for (size_t i = 0; i < object->one_of_count; i++)
        if (variant_find(object->one_of[i].set, name) != NULL)
            return true;
    return false;
}

static bool check_keys(struct reading *r, const struct object *object, uint32_t value)
{
    bool good = true;
    for (uint32_t v = scan_first(&r->scan, value); v != SCAN_NONE; v = scan_beside(&r->scan, v)) {
        if (r->scan.values[v].bad_key) {
            good = false;
            continue;
        }
        const char *name = key_of(r, v);
        bool known = is_known(object, name);
        good &= known;
        if (!known && !fault_only_counts(r, v)) {
            struct names names = keys_of(object);
            char *hint = names_hint(&names, name);
            fault_at_key(r, v, "unknown key \"%.60s\"%s", name, hint);
            free(hint);
        }
    }
    return good;
}

/* The one variant of a set named beside the keys. */
static bool read_one_of(struct reading *r, const struct object *object, const struct one_of *one_of,
                        uint32_t value, bool unknown, void *read)
{
    const struct variant_set *set = one_of->set;
    const struct variant *type = NULL;
    uint32_t at = SCAN_NONE;
    for (size_t i = 0; i < set->count; i++) {
        uint32_t v = member(r, value, set->variants[i]->name);
        if (v != SCAN_NONE && type != NULL) {
            fault_at_key(r, v, "\"%s\" stands beside \"%s\"; allowed: exactly one of them",
                         set->variants[i]->name, type->name);
            return false;
        }
        if (v != SCAN_NONE) {
            type = set->variants[i];
            at = v;
        }
    }
    if (type != NULL)
        return read_params(r, type, at, (struct choice *)(void *)((char *)read + one_of->offset));
    if (one_of->optional)
        return true;
    if (unknown)
        return false; /* most likely the missing one, misspelt, and that was said */
    struct names names = {0};
    names_of(&names, set);
    char *hint = names_hint(&names, "");
    fault_at(r, value, "a %s of no kind%s", object->name, hint);
    free(hint);
    return false;
}

bool read_object(struct reading *r, const struct object *object, uint32_t value, uint32_t at,
                 void *read)
{
    if (value != SCAN_NONE && r->scan.values[value].bad)
        return false;
    if (value != SCAN_NONE && type_of(r, value) != SCAN_OBJECT)
        return refuse_object(r, value, "an object:", object);
    bool known = value == SCAN_NONE || check_keys(r, object, value), good = known;
    for (size_t i = 0; i < object->one_of_count; i++)
        good &= read_one_of(r, object, &object->one_of[i], value, !known, read);
    for (size_t i = 0; i < object->key_count; i++) {
        const struct key *key = &object->keys[i];
        uint32_t v = value == SCAN_NONE ? SCAN_NONE : member(r, value, key->field.key);
        if (v != SCAN_NONE) {
            good &= read_key(r, key, v, read);
        } else if (key->field.required) {
            fault_at(r, at, "missing key \"%s\": %s", key->field.key, key->field.says);
            good = false;
        } else if (key->shape == SHAPE_OBJECT && !key->optional) {
            good &= read_object(r, key->object, SCAN_NONE, at, (char *)read + key->field.offset);
        } else {
            key_default(key, read);
        }
    }
    if (object->rules != NULL)
        object->rules(r, at, read);
    return good;
}
