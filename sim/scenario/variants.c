/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Variants by their tables of fields, and the objects in lists, which have such tables too. */

#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "sim/scenario/fields.h"

/* The fields of a variant or of an item. */
struct fields {
    const struct field *items;
    size_t count;
};

static struct fields fields_of(const struct variant *type)
{
    return (struct fields){type->fields, type->field_count};
}

static const struct field *field_find(struct fields fields, const char *key)
{
    for (size_t i = 0; i < fields.count; i++)
        if (strcmp(fields.items[i].key, key) == 0)
            return &fields.items[i];
    return NULL;
}

static bool check_keys(struct reading *r, struct fields fields, uint32_t object)
{
    bool good = true;
    for (uint32_t v = scan_first(&r->scan, object); v != SCAN_NONE; v = scan_beside(&r->scan, v)) {
        if (r->scan.values[v].bad_key) {
            good = false;
            continue;
        }
        const char *key = key_of(r, v);
        bool known = field_find(fields, key) != NULL;
        good &= known;
        if (!known && !fault_only_counts(r, v)) {
            struct names names = {0};
            for (size_t i = 0; i < fields.count; i++)
                names_add(&names, fields.items[i].key);
            char *hint = names_hint(&names, key);
            fault_at_key(r, v, "unknown key \"%.60s\"%s", key, hint);
            free(hint);
        }
    }
    return good;
}

/* The fields from `first` on, out of an object, or (SCAN_NONE) all by default. */
static bool read_fields(struct reading *r, struct fields fields, size_t first, uint32_t object,
                        uint32_t at, void *params)
{
    bool good = true;
    for (size_t i = first; i < fields.count; i++) {
        const struct field *field = &fields.items[i];
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

/* One object of a list: its fields, no less and no more. */
static bool read_item(struct reading *r, const struct item *item, uint32_t value, void *out)
{
    struct fields fields = {item->fields, item->field_count};
    if (r->scan.values[value].bad)
        return false;
    if (type_of(r, value) != SCAN_OBJECT) {
        struct names names = {0};
        for (size_t i = 0; i < fields.count; i++)
            names_add(&names, fields.items[i].key);
        char *found = shown(r, value), *hint = names_hint(&names, "");
        fault_at(r, value, "found %s instead of an object of keys%s", found, hint);
        free(found);
        free(hint);
        return false;
    }
    bool good = check_keys(r, fields, value);
    return read_fields(r, fields, 0, value, value, out) && good;
}

bool read_items(struct reading *r, const struct field *field, uint32_t value, struct item_list *out)
{
    const struct item *item = field->item;
    if (type_of(r, value) != SCAN_ARRAY)
        return refuse_field(r, field, value, "");
    size_t count = 0, least = field->min > 0 ? field->min : 1, done = 0;
    size_t most = field->max > 0 ? field->max : ITEMS_MOST;
    for (uint32_t v = scan_first(&r->scan, value); v != SCAN_NONE; v = scan_beside(&r->scan, v))
        count++;
    if (count < least || count > most) {
        fault_at(r, value, "found a list of %zu; allowed: from %zu to %zu objects", count, least,
                 most);
        return false;
    }
    *out = (struct item_list){must_alloc(count, item->size), count};
    bool good = true;
    for (uint32_t v = scan_first(&r->scan, value); v != SCAN_NONE; v = scan_beside(&r->scan, v))
        good &= read_item(r, item, v, (char *)out->items + done++ * item->size);
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
            return check_keys(r, fields_of(type), value);
        char *found = shown(r, value);
        fault_at(r, value, "found %s; allowed: {}, as \"%s\" takes no parameters", found,
                 type->name);
        free(found);
        return false;
    }
    bool good;
    if (stands_alone(r, type, value)) {
        good = read_field(r, &type->fields[0], value, out->params);
        good &= read_fields(r, fields_of(type), 1, SCAN_NONE, value, out->params);
    } else {
        good = check_keys(r, fields_of(type), value);
        good &= read_fields(r, fields_of(type), 0, value, value, out->params);
    }
    return good && check_params(r, value, out);
}

static void names_of_set(struct names *names, const struct variant_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        names_add(names, set->variants[i]->name);
}

/* True where no name of the set can stand alone. */
static bool all_need_parameters(const struct variant_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        bool needs = false;
        for (size_t k = 0; k < set->variants[i]->field_count; k++)
            needs |= set->variants[i]->fields[k].required;
        if (!needs)
            return false;
    }
    return true;
}

static bool is_duration(struct reading *r, uint32_t value)
{
    ns_t ns;
    if (type_of(r, value) != SCAN_STRING)
        return read_whole(r, value, &ns) && ns < NS_LIMIT;
    const char *text = text_of(r, value);
    return duration_parse(text, strlen(text), &ns) == DURATION_OK;
}

/* The hint for a value that is no variant: where none stands alone, what an object of one looks
   like, with the value in it where it is a duration.  Frees the plain hint. */
static char *hint_with_object(struct reading *r, const struct variant_set *set, uint32_t value,
                              char *hint)
{
    static const char allowed[] = "allowed:";
    const char *names = strstr(hint, allowed);
    if (names == NULL || !all_need_parameters(set) ||
        set->variants[0]->fields[0].kind != FIELD_DURATION)
        return hint;
    char *given = is_duration(r, value) ? shown(r, value) : must_copy("\"1ms\"");
    char *longer =
        must_format("%.*sallowed: an object with one of%s, as {\"%s\": %s}", (int)(names - hint),
                    hint, names + sizeof allowed - 1, set->variants[0]->name, given);
    free(given);
    free(hint);
    return longer;
}

const struct variant *read_variant_name(struct reading *r, const struct variant_set *set,
                                        uint32_t value)
{
    if (r->scan.values[value].bad)
        return NULL;
    const char *name = type_of(r, value) == SCAN_STRING ? text_of(r, value) : NULL;
    const struct variant *type = name == NULL ? NULL : variant_find(set, name);
    if (type == NULL) {
        struct names names = {0};
        names_of_set(&names, set);
        char *found = shown(r, value), *hint = names_hint(&names, name == NULL ? "" : name);
        hint = hint_with_object(r, set, value, hint);
        fault_at(r, value, "found %s%s", found, hint);
        free(found);
        free(hint);
    }
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
        return read_fields(r, fields_of(type), 0, SCAN_NONE, value, out->params) &&
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
    const char *name = key_of(r, body);
    const struct variant *type = variant_find(set, name);
    if (type == NULL) {
        struct names names = {0};
        names_of_set(&names, set);
        char *hint = names_hint(&names, name);
        fault_at_key(r, body, "found \"%.60s\"%s", name, hint);
        free(hint);
    }
    return type != NULL && read_params(r, type, body, out);
}
