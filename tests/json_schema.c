/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/json_schema.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <regex.h>
#include <string.h>

struct question {
    const cJSON *root, *schema, *value;
};

static bool text_matches(const char *pattern, const char *text)
{
    regex_t compiled;
    assert_int_equal(regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB), 0);
    bool match = regexec(&compiled, text, 0, NULL, 0) == 0;
    regfree(&compiled);
    return match;
}

static bool type_is(const char *type, const cJSON *value)
{
    if (strcmp(type, "integer") == 0)
        return cJSON_IsNumber(value) && value->valuedouble == floor(value->valuedouble);
    return (strcmp(type, "number") == 0 && cJSON_IsNumber(value)) ||
           (strcmp(type, "string") == 0 && cJSON_IsString(value)) ||
           (strcmp(type, "boolean") == 0 && cJSON_IsBool(value)) ||
           (strcmp(type, "null") == 0 && cJSON_IsNull(value)) ||
           (strcmp(type, "array") == 0 && cJSON_IsArray(value)) ||
           (strcmp(type, "object") == 0 && cJSON_IsObject(value));
}

static bool types_hold(const cJSON *types, const cJSON *value)
{
    if (cJSON_IsString(types))
        return type_is(types->valuestring, value);
    for (const cJSON *type = types->child; type != NULL; type = type->next)
        if (type_is(type->valuestring, value))
            return true;
    return false;
}

static size_t how_many_hold(const cJSON *root, const cJSON *schemas, const cJSON *value)
{
    size_t count = 0;
    for (const cJSON *schema = schemas->child; schema != NULL; schema = schema->next)
        count += schema_holds(root, schema, value);
    return count;
}

static bool is_listed(const cJSON *list, const cJSON *value)
{
    for (const cJSON *item = list->child; item != NULL; item = item->next)
        if (cJSON_Compare(item, value, 1))
            return true;
    return false;
}

/* The schema of one member: by name, by pattern, or that of all others. */
static bool member_holds(struct question q, const cJSON *member)
{
    const cJSON *named = cJSON_GetObjectItemCaseSensitive(q.schema, "properties");
    const cJSON *patterns = cJSON_GetObjectItemCaseSensitive(q.schema, "patternProperties");
    const cJSON *others = cJSON_GetObjectItemCaseSensitive(q.schema, "additionalProperties");
    const cJSON *own = cJSON_GetObjectItemCaseSensitive(named, member->string);
    for (const cJSON *p = patterns == NULL ? NULL : patterns->child; p != NULL && own == NULL;
         p = p->next)
        if (text_matches(p->string, member->string))
            own = p;
    if (own == NULL)
        own = others;
    return own == NULL || schema_holds(q.root, own, member);
}

static bool members_hold(struct question q)
{
    for (const cJSON *member = q.value->child; member != NULL; member = member->next)
        if (!member_holds(q, member))
            return false;
    return true;
}

static bool required_hold(const cJSON *names, const cJSON *value)
{
    for (const cJSON *name = names->child; name != NULL; name = name->next)
        if (cJSON_GetObjectItemCaseSensitive(value, name->valuestring) == NULL)
            return false;
    return true;
}

static bool items_hold(const cJSON *root, const cJSON *schema, const cJSON *list)
{
    for (const cJSON *item = list->child; item != NULL; item = item->next)
        if (!schema_holds(root, schema, item))
            return false;
    return true;
}

static bool items_differ(const cJSON *list)
{
    for (const cJSON *a = list->child; a != NULL; a = a->next)
        for (const cJSON *b = a->next; b != NULL; b = b->next)
            if (cJSON_Compare(a, b, 1))
                return false;
    return true;
}

/* Names are judged as texts. */
static bool names_hold(const cJSON *root, const cJSON *schema, const cJSON *value)
{
    bool all = true;
    for (const cJSON *member = value->child; member != NULL; member = member->next) {
        cJSON *name = cJSON_CreateString(member->string);
        all &= schema_holds(root, schema, name);
        cJSON_Delete(name);
    }
    return all;
}

static bool number_limit_holds(const cJSON *keyword, double value)
{
    const char *name = keyword->string;
    double limit = keyword->valuedouble;
    if (strcmp(name, "minimum") == 0)
        return value >= limit;
    if (strcmp(name, "maximum") == 0)
        return value <= limit;
    return strcmp(name, "exclusiveMinimum") == 0 ? value > limit : value < limit;
}

/* Which kind of value a keyword speaks about; NULL: of every kind. */
static const char *speaks_of(const char *name)
{
    static const char *const about[][2] = {
        {"minimum", "number"},
        {"maximum", "number"},
        {"exclusiveMinimum", "number"},
        {"pattern", "string"},
        {"minLength", "string"},
        {"exclusiveMaximum", "number"},
        {"items", "array"},
        {"minItems", "array"},
        {"maxItems", "array"},
        {"uniqueItems", "array"},
        {"required", "object"},
        {"minProperties", "object"},
        {"maxProperties", "object"},
        {"properties", "object"},
        {"propertyNames", "object"},
        {"patternProperties", "object"},
        {"additionalProperties", "object"},
    };
    for (size_t i = 0; i < sizeof about / sizeof about[0]; i++)
        if (strcmp(about[i][0], name) == 0)
            return about[i][1];
    return NULL;
}

static bool sized_holds(const cJSON *keyword, const cJSON *value)
{
    int size = cJSON_GetArraySize(value);
    return strncmp(keyword->string, "min", 3) == 0 ? size >= keyword->valueint
                                                   : size <= keyword->valueint;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

static bool keyword_holds(struct question q, const cJSON *keyword)
{
    static const char *const notes[] = {"$schema", "$comment", "title", "description",
                                        "default", "$defs",    NULL};
    static const char *const sizes[] = {"minItems", "maxItems", "minProperties", "maxProperties",
                                        NULL};
    static const char *const members[] = {"properties", "patternProperties", "additionalProperties",
                                          NULL};
    const char *name = keyword->string, *about = speaks_of(name);
    if (is_one_of(name, notes) || (about != NULL && !type_is(about, q.value)))
        return true;
    if (strcmp(name, "$ref") == 0) {
        const cJSON *defs = cJSON_GetObjectItemCaseSensitive(q.root, "$defs");
        const char *target = keyword->valuestring + strlen("#/$defs/");
        const cJSON *schema = cJSON_GetObjectItemCaseSensitive(defs, target);
        assert_non_null(schema);
        return schema_holds(q.root, schema, q.value);
    }
    if (strcmp(name, "type") == 0)
        return types_hold(keyword, q.value);
    if (strcmp(name, "const") == 0)
        return cJSON_Compare(keyword, q.value, 1);
    if (strcmp(name, "enum") == 0)
        return is_listed(keyword, q.value);
    if (strcmp(name, "anyOf") == 0)
        return how_many_hold(q.root, keyword, q.value) > 0;
    if (strcmp(name, "allOf") == 0)
        return how_many_hold(q.root, keyword, q.value) == (size_t)cJSON_GetArraySize(keyword);
    if (strcmp(name, "oneOf") == 0)
        return how_many_hold(q.root, keyword, q.value) == 1;
    if (strcmp(name, "not") == 0)
        return !schema_holds(q.root, keyword, q.value);
    if (strcmp(name, "pattern") == 0)
        return text_matches(keyword->valuestring, q.value->valuestring);
    if (strcmp(name, "minLength") == 0)
        return strlen(q.value->valuestring) >= (size_t)keyword->valuedouble;
    if (strcmp(name, "required") == 0)
        return required_hold(keyword, q.value);
    if (strcmp(name, "items") == 0)
        return items_hold(q.root, keyword, q.value);
    if (strcmp(name, "uniqueItems") == 0)
        return items_differ(q.value);
    if (strcmp(name, "propertyNames") == 0)
        return names_hold(q.root, keyword, q.value);
    if (is_one_of(name, sizes))
        return sized_holds(keyword, q.value);
    if (is_one_of(name, members))
        return members_hold(q);
    if (about != NULL && strcmp(about, "number") == 0)
        return number_limit_holds(keyword, q.value->valuedouble);
    fail_msg("keyword %s is unknown here", name);
    return false;
}

bool schema_holds(const cJSON *root, const cJSON *schema, const cJSON *value)
{
    if (cJSON_IsBool(schema))
        return cJSON_IsTrue(schema);
    assert_true(cJSON_IsObject(schema));
    for (const cJSON *keyword = schema->child; keyword != NULL; keyword = keyword->next)
        if (!keyword_holds((struct question){root, schema, value}, keyword))
            return false;
    return true;
}
