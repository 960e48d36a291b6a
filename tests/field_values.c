/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/field_values.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static void numbers_of(const struct field *field, struct values *v)
{
    unsigned long long min = field->min, max = field->max;
    bool ratio = field->kind == FIELD_RATIO;
    v->good[v->good_count++] = must_format("%llu", field->above_min ? min + 1 : min);
    if (max != 0)
        v->good[v->good_count++] =
            must_format("%llu%s", field->below_max ? max - 1 : max, field->below_max ? ".5" : "");
    if (field->below_max)
        v->bad[v->bad_count++] = must_format("%llu", max);
    if (max != 0)
        v->bad[v->bad_count++] = must_format("%llu%s", ratio ? max : max + 1, ratio ? ".5" : "");
    if (min > 0 || field->above_min)
        v->bad[v->bad_count++] = must_format("%llu", field->above_min ? min : min - 1);
    v->bad[v->bad_count++] = must_copy("-1");
    v->bad[v->bad_count++] = must_copy(ratio ? "null" : "1.5");
    if (field->percent) {
        v->good[v->good_count++] = must_copy("\"12.5%\"");
        v->bad[v->bad_count++] = must_copy("\"12.5\"");
    }
    if (field->word != NULL)
        v->good[v->good_count++] = must_format("\"%s\"", field->word);
    v->bad[v->bad_count++] = must_copy("\"unlimted\"");
}

/* One object with all that it needs, and lists that hold something else. */
static void items_of(const struct item *item, struct values *v)
{
    cJSON *object = cJSON_CreateObject();
    for (size_t i = 0; i < item->field_count; i++) {
        struct values inner = values_of(&item->fields[i]);
        if (item->fields[i].required)
            cJSON_AddRawToObject(object, item->fields[i].key, inner.good[0]);
        values_free(&inner);
    }
    char *one = cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    v->good[v->good_count++] = must_format("[%s]", one);
    v->bad[v->bad_count++] = must_copy("[]");
    v->bad[v->bad_count++] = must_copy("[5]");
    v->bad[v->bad_count++] = must_copy("[{\"zz\": 1}]");
    v->bad[v->bad_count++] = must_copy(one);
    free(one);
}

struct values values_of(const struct field *field)
{
    struct values v = {0};
    switch (field->kind) {
    case FIELD_DURATION:
        numbers_of(field, &v);
        if (field->max == 0)
            v.good[v.good_count++] = must_copy("\"1.5ms\"");
        break;
    case FIELD_COUNT:
    case FIELD_RATIO: numbers_of(field, &v); break;
    case FIELD_BOOL:
        v.good[v.good_count++] = must_copy("true");
        v.bad[v.bad_count++] = must_copy("1");
        return v;
    case FIELD_VARIANT:
        if (field->absent != NULL)
            v.good[v.good_count++] = must_copy(field->absent);
        else if (field->required)
            v.good[v.good_count++] = choice_text(field->set->variants[0], "{}", NULL, NULL);
        v.bad[v.bad_count++] = must_copy("\"zz\"");
        v.bad[v.bad_count++] = must_copy("{\"zz\": 1}");
        break;
    case FIELD_DURATIONS:
        v.good[v.good_count++] = must_copy("[0, \"1us\", 1000]");
        v.bad[v.bad_count++] = must_copy("[]");
        v.bad[v.bad_count++] = must_copy("[\"1\"]");
        v.bad[v.bad_count++] = must_copy("5");
        break;
    case FIELD_LIST: items_of(field->item, &v); break;
    case FIELD_VALUES:
        v.good[v.good_count++] = must_copy("[0.5, 0.75]");
        v.bad[v.bad_count++] = must_copy("[]");
        return v;
    case FIELD_WORD:
        for (size_t i = 0; field->words[i] != NULL; i++)
            v.good[v.good_count++] = must_format("\"%s\"", field->words[i]);
        v.bad[v.bad_count++] = must_copy("\"zz\"");
        v.bad[v.bad_count++] = must_copy("0");
        break;
    }
    v.bad[v.bad_count++] = must_copy("true");
    return v;
}

void values_free(struct values *v)
{
    for (size_t i = 0; i < v->good_count; i++)
        free(v->good[i]);
    for (size_t i = 0; i < v->bad_count; i++)
        free(v->bad[i]);
}

char *choice_text(const struct variant *type, const char *needs, const char *key, const char *own)
{
    cJSON *params = cJSON_Parse(needs);
    for (size_t i = 0; i < type->field_count; i++) {
        if (!type->fields[i].required)
            continue;
        struct values v = values_of(&type->fields[i]);
        cJSON_AddRawToObject(params, type->fields[i].key, v.good[0]);
        values_free(&v);
    }
    if (key != NULL)
        cJSON_DeleteItemFromObjectCaseSensitive(params, key);
    if (own != NULL)
        cJSON_AddRawToObject(params, key, own);
    cJSON *choice = cJSON_CreateObject();
    cJSON_AddItemToObject(choice, type->name, params);
    char *text = cJSON_PrintUnformatted(choice);
    cJSON_Delete(choice);
    return text;
}
