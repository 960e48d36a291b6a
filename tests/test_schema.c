/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The JSON Schema and the reader follow from the same tables: here both judge the same scenarios,
   one for every field at, below and above its range, of a wrong type, missing, or misspelt. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "sim/scenario/tables.h"
#include "tests/field_values.h"
#include "tests/json_schema.h"
#include "tests/scenario_text.h"

static const char base_text[] =
    "{\"title\": \"t\", \"server\": {\"service\": {\"exponential\": 1000}, \"replicas\": 1000, "
    "\"stalls\": [{\"mode\": "
    "\"gate\", \"first\": 0, \"last\": 0}]}, \"loads\": {\"a\": {\"open\": {\"rate\": 5}}, \"b\": "
    "{\"paced\": {\"rate\": 5}}}, \"recorders\": {\"r\": {\"load\": \"a\", \"from\": \"due\"}}, "
    "\"run\": {\"requests\": 5}, \"report\": {}}";

struct judges {
    char *schema_text;
    cJSON *schema;
    size_t both_accept, both_refuse;
};

static int open_judges(void **state)
{
    struct judges *judges = must_alloc(1, sizeof *judges);
    size_t length;
    FILE *out = open_memstream(&judges->schema_text, &length);
    assert_non_null(out);
    schema_write(out);
    fclose(out);
    judges->schema = cJSON_Parse(judges->schema_text);
    assert_non_null(judges->schema);
    *state = judges;
    return 0;
}

static int close_judges(void **state)
{
    struct judges *judges = *state;
    cJSON_Delete(judges->schema);
    free(judges->schema_text);
    free(judges);
    return 0;
}

enum wanted { GOOD, BAD };

/* Both must accept a good scenario and refuse a bad one; a good one may still be impossible in a
   way that no schema says. */
static void judge(struct judges *judges, const cJSON *scenario, enum wanted wanted)
{
    char *text = cJSON_PrintUnformatted(scenario);
    cJSON *value = cJSON_Parse(text);
    char *faults = faults_of(text, strlen(text));
    bool schema = schema_holds(judges->schema, judges->schema, value);
    bool reader = *faults == '\0';
    bool impossible = strstr(faults, "impossible") != NULL;
    if (wanted == GOOD && (!schema || (!reader && !impossible)))
        fail_msg("refused by the %s: %s\n%s", schema ? "reader" : "schema", text, faults);
    if (wanted == BAD && (schema || reader))
        fail_msg("accepted by the %s: %s", schema ? "schema" : "reader", text);
    judges->both_accept += schema && reader;
    judges->both_refuse += !schema && !reader;
    free(faults);
    cJSON_Delete(value);
    free(text);
}

/* The object at a path such as loads/a/open; numbers are indices. */
static cJSON *object_at(cJSON *scenario, const char *path)
{
    char *copy = must_copy(path), *rest = copy;
    cJSON *at = scenario;
    for (char *step = strtok_r(copy, "/", &rest); step != NULL; step = strtok_r(NULL, "/", &rest))
        at = *step >= '0' && *step <= '9' ? cJSON_GetArrayItem(at, atoi(step))
                                          : cJSON_GetObjectItemCaseSensitive(at, step);
    assert_non_null(at);
    free(copy);
    return at;
}

/* The scenario with one member set to a JSON text, or (NULL) without it. */
static void judge_with(struct judges *judges, const char *path, const char *key, const char *json,
                       enum wanted wanted)
{
    cJSON *scenario = cJSON_Parse(base_text);
    cJSON *object = object_at(scenario, path);
    cJSON_DeleteItemFromObjectCaseSensitive(object, key);
    if (json != NULL)
        cJSON_AddRawToObject(object, key, json);
    judge(judges, scenario, wanted);
    cJSON_Delete(scenario);
}

struct place_of_set {
    const struct variant_set *set;
    const char *path, *key;
    bool by_name;       /* a name alone may stand for the choice */
    const char *beside; /* another member that stands with it */
};

static void judge_choice(struct judges *judges, const struct place_of_set *place,
                         const struct variant *type, const char *key, const char *own,
                         enum wanted wanted)
{
    bool needs_rate = strcmp(type->name, "open") == 0 || strcmp(type->name, "paced") == 0 ||
                      strcmp(type->name, "sessions") == 0;
    char *text = choice_text(type, needs_rate ? "{\"rate\": 5}" : "{}", key, own);
    if (place->beside != NULL) {
        char *both = must_format("{%s, %s", place->beside, text + 1);
        free(text);
        text = both;
    }
    judge_with(judges, place->path, place->key, text, wanted);
    free(text);
}

static void judge_variant(struct judges *judges, const struct place_of_set *place,
                          const struct variant *type)
{
    bool all_optional = true;
    judge_choice(judges, place, type, NULL, NULL, GOOD);
    judge_choice(judges, place, type, "zz", "1", BAD);
    for (size_t i = 0; i < type->field_count; i++) {
        const struct field *field = &type->fields[i];
        struct values v = values_of(field);
        for (size_t k = 0; k < v.good_count; k++)
            judge_choice(judges, place, type, field->key, v.good[k], GOOD);
        for (size_t k = 0; k < v.bad_count; k++)
            judge_choice(judges, place, type, field->key, v.bad[k], BAD);
        values_free(&v);
        if (field->required)
            judge_choice(judges, place, type, field->key, NULL, BAD);
        all_optional &= !field->required;
    }
    char *name = must_format("\"%s\"", type->name);
    judge_with(judges, place->path, place->key, name, all_optional && place->by_name ? GOOD : BAD);
    free(name);
}

static void every_variant_and_field_is_judged_alike(void **state)
{
    struct judges *judges = *state;
    static const struct place_of_set places[] = {
        {&set_distributions, "server", "service", true, NULL},
        {&set_arrivals, "loads/a/open", "arrivals", true, NULL},
        {&set_loads, "loads", "c", false, NULL},
        {&set_resend, "loads", "c", false, "\"closed\": 1"},
        {&set_routing, "server", "routing", true, NULL},
        {&set_queues, "server", "queue", true, NULL},
        {&set_late, "loads/b/paced", "late", true, NULL},
        {&set_corrections, "recorders/r", "correction", true, NULL},
        {&set_stores, "recorders/r", "store", true, NULL},
        {&set_ranks, "recorders/r", "rank", true, NULL},
        {&set_ranks, "report", "rank", true, NULL},
        {&set_experiments, "", "experiment", true, NULL},
    };
    size_t before = judges->both_accept;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        for (size_t k = 0; k < places[i].set->count; k++)
            judge_variant(judges, &places[i], places[i].set->variants[k]);
        judge_with(judges, places[i].path, places[i].key, "\"zz\"", BAD);
        judge_with(judges, places[i].path, places[i].key, "{}", BAD);
    }
    assert_true(judges->both_accept > before + 60);
}

/* True where nothing but the field itself has a say. */
static bool is_possible(const char *key, const char *value, size_t index)
{
    if (strcmp(key, "replications") == 0) /* some of what stands beside it is not random */
        return index == 0;
    if (strcmp(key, "from") == 0) /* no stopwatch starts at the end, */
        return strcmp(value, "\"due\"") == 0;
    if (strcmp(key, "to") == 0) /* or ends before it starts */
        return strcmp(value, "\"sent\"") == 0;
    if (strcmp(key, "wait_for") == 0) /* there is one part */
        return strcmp(value, "1") == 0;
    /* Words that need another key; those that need none come first. */
    if (strcmp(key, "work") == 0 || strcmp(key, "part") == 0 || strcmp(key, "merge") == 0)
        return index == 0;
    static const char *const never[] = {"timeout_cancel", "factor", "share", "halves"};
    for (size_t i = 0; i < FIELD_COUNT_OF(never); i++)
        if (strcmp(key, never[i]) == 0)
            return false;
    return true;
}

static void judge_key(struct judges *judges, const char *path, const struct key *key)
{
    static const char *const good[] = {
        [SHAPE_TEXT] = "\"x\"",
        [SHAPE_TEXTS] = "[\"x\", \"\"]",
        [SHAPE_LOAD] = "\"a\"",
        [SHAPE_MODE] = "\"suspend\"",
        [SHAPE_INTERVAL] = "\"5us\"",
        [SHAPE_SEED] = "\"7\"",
        [SHAPE_PERCENTILES] = "[0, 99.9, 100]",
        [SHAPE_THRESHOLDS] = "[\"1ms\", 5]",
        [SHAPE_PERCENTILE] = "99.9",
        [SHAPE_SHARE] = "\"2.5%\"",
        [SHAPE_FACTOR] = "0.25",
        [SHAPE_TARGET] = "{\"replica\": 999}",
        [SHAPE_PER] = "{\"window\": \"1s\"}",
        [SHAPE_SWEEP] = "{\"/server/workers\": [1, 2], \"/run/requests\": {\"from\": 5, \"to\": "
                        "6, \"step\": 1}}",
        [SHAPE_EXPECTATIONS] =
            "{\"r\": {\"p99.9\": \"1.5ms\", \"max\": null, \"count\": 5}, \"a\": "
            "{\"sent\": 5}}",
    };
    static const char *const bad[] = {
        [SHAPE_TEXT] = "5",
        [SHAPE_TEXTS] = "[5]",
        [SHAPE_LOAD] = "5",
        [SHAPE_MODE] = "\"zz\"",
        [SHAPE_INTERVAL] = "0",
        [SHAPE_SEED] = "\"x\"",
        [SHAPE_PERCENTILES] = "[100.5]",
        [SHAPE_THRESHOLDS] = "[\"1\"]",
        [SHAPE_PERCENTILE] = "100",
        [SHAPE_SHARE] = "1",
        [SHAPE_FACTOR] = "0",
        [SHAPE_TARGET] = "{\"replica\": 1000}",
        [SHAPE_PER] = "{\"window\": -1}",
        [SHAPE_SWEEP] = "{\"/server/workers\": {\"from\": 1, \"to\": 2}}",
        [SHAPE_EXPECTATIONS] = "{\"r\": {\"p99.9\": \"1.5\"}}",
    };
    const char *name = key->field.key;
    if (key->shape != SHAPE_FIELD || key->field.kind != FIELD_BOOL)
        judge_with(judges, path, name, "true", BAD);
    if (key->field.required)
        judge_with(judges, path, name, NULL, BAD);
    if (key->shape < sizeof good / sizeof good[0] && good[key->shape] != NULL) {
        if (is_possible(name, good[key->shape], 0))
            judge_with(judges, path, name, good[key->shape], GOOD);
        judge_with(judges, path, name, bad[key->shape], BAD);
    }
    struct values v = {0};
    if (key->shape == SHAPE_FIELD)
        v = values_of(&key->field);
    for (size_t k = 0; k < v.good_count; k++)
        if (is_possible(name, v.good[k], k))
            judge_with(judges, path, name, v.good[k], GOOD);
    for (size_t k = 0; k < v.bad_count; k++)
        judge_with(judges, path, name, v.bad[k], BAD);
    values_free(&v);
}

static void judge_object(struct judges *judges, const char *path, const struct object *object)
{
    judge_with(judges, path, "zz", "1", BAD);
    for (size_t i = 0; i < object->key_count; i++) {
        const struct key *key = &object->keys[i];
        judge_key(judges, path, key);
        const char *step = key->shape == SHAPE_LIST               ? "/0"
                           : key->shape != SHAPE_MAP              ? ""
                           : strcmp(key->field.key, "loads") == 0 ? "/a"
                                                                  : "/r";
        if (key->object == NULL || key->optional) /* the latter is not in the scenario */
            continue;
        char *inner = must_format("%s/%s%s", path, key->field.key, step);
        judge_object(judges, inner, key->object);
        free(inner);
    }
}

static void every_key_of_every_object_is_judged_alike(void **state)
{
    struct judges *judges = *state;
    cJSON *scenario = cJSON_Parse(base_text);
    judge(judges, scenario, GOOD);
    cJSON_Delete(scenario);
    size_t accept = judges->both_accept, refuse = judges->both_refuse;
    judge_object(judges, "", &object_scenario);
    judge_with(judges, "loads", "a", "{}", BAD);
    judge_with(judges, "loads/a", "closed", "1", BAD);
    judge_with(judges, "", "loads", "{}", BAD);
    judge_with(judges, "", "recorders", "{}", BAD);
    assert_true(judges->both_accept > accept + 40);
    assert_true(judges->both_refuse > refuse + 100);
}

/* What an object holds by choice, in place of what the scenario above has. */
static const struct {
    const char *path, *key, *json;
    enum wanted wanted;
} by_choice[] = {
    {"", "run", "{\"detect\": {\"percentile\": 99.9, \"within\": \"1%\"}}", GOOD},
    {"", "run", "{\"detect\": {\"percentile\": 50, \"within\": 0.015}}", GOOD},
    {"", "run", "{\"detect\": {\"percentile\": 50, \"within\": 1}}", BAD},
    {"", "run", "{\"detect\": {\"percentile\": 50, \"within\": \"1\"}}", BAD},
    {"", "run", "{\"detect\": {\"percentile\": 0, \"within\": 0.1}}", BAD},
    {"", "run", "{\"detect\": {\"percentile\": \"50\", \"within\": 0.1}}", BAD},
    {"", "run", "{\"detect\": {\"within\": 0.1}}", BAD},
    {"", "run", "{\"detect\": {\"percentile\": 50}}", BAD},
    {"", "run", "{\"detect\": 5}", BAD},
    {"server", "stalls",
     "[{\"mode\": \"gate\", \"up\": {\"constant\": 5}, \"down\": "
     "{\"exponential\": \"1ms\"}}]",
     GOOD},
    {"server", "stalls", "[{\"mode\": \"gate\", \"up\": 5, \"down\": {\"constant\": 1}}]", BAD},
    {"server", "stalls",
     "[{\"mode\": \"slowdown\", \"factor\": \"25%\", \"halves\": 5, \"first\": 0, \"last\": "
     "5, \"target\": {\"replica\": 7}}, {\"mode\": \"neighbour\", \"share\": 0.5, \"first\": "
     "0, \"last\": 5, \"target\": \"server\"}]",
     GOOD},
    {"server", "quota", "{\"budget\": \"5ms\", \"period\": \"7ms\", \"shared\": false}", GOOD},
    {"server", "quota", "{\"period\": \"5ms\"}", BAD},
    {"server", "quota", "{\"budget\": 5, \"shared\": 1}", BAD},
    {"server", "behind", "{\"service\": {\"constant\": 5}, \"workers\": 3}", GOOD},
    {"server", "behind", "{\"workers\": 3}", BAD},
    {"server", "behind", "{\"service\": {\"constant\": 5}, \"keeps_worker\": \"yes\"}", BAD},
    {"server", "network", "{\"delay\": {\"constant\": 5}, \"probability\": 0.5}", GOOD},
    {"server", "network", "{\"delay\": {\"constant\": 5}, \"probability\": 0}", BAD},
    {"loads/a", "generator", "{\"cost\": \"5us\", \"threads\": 2}", GOOD},
    {"loads/a", "generator", "{\"threads\": 2}", BAD},
    {"loads", "c", "{\"closed\": 1, \"timeout\": 5, \"timeout_cancel\": \"queued\"}", GOOD},
    {"loads", "c", "{\"closed\": 1, \"tied\": 2, \"work\": \"per-request\"}", GOOD},
    {"loads", "c", "{\"closed\": 1, \"fan_out\": 3, \"wait_for\": 2}", GOOD},
    {"recorders", "r", "{\"load\": \"a\", \"part\": \"stall\"}", GOOD},
    {"recorders", "r", "{\"load\": \"a\", \"part\": \"stalls\"}", BAD},
    {"recorders", "r", "{\"load\": \"a\"}", BAD},
    {"server", "stalls", "[{\"mode\": \"gate\", \"last\": 5}]", BAD},
    {"recorders", "r", "{\"load\": \"b\", \"from\": \"due\", \"per\": \"client\"}", GOOD},
    {"recorders", "r",
     "{\"load\": \"a\", \"from\": \"due\", \"per\": \"replica\", \"merge\": \"average\"}", GOOD},
    {"", "sweep", "{\"/loads/a/open/rate\": {\"from\": 1, \"to\": 2, \"count\": 5}}", GOOD},
    {"", "sweep", "{\"/loads/a/open/rate\": [5, 7.5]}", GOOD},
    {"", "sweep", "{\"loads/a/open/rate\": [5]}", BAD},
    {"", "sweep", "{\"/loads/a/open/rate\": []}", BAD},
    {"", "sweep",
     "{\"/loads/a/open/rate\": {\"from\": 1, \"to\": 2, \"step\": 1, \"count\": "
     "2}}",
     BAD},
    {"", "sweep", "{}", BAD},
    {"loads/a", "hedge", "{\"percentile\": 95}", GOOD},
    {"loads/a", "hedge", "{\"percentile\": 101}", BAD},
    {"loads/a", "retry", "\"5ms\"", GOOD},
    {"loads/a", "hedge", "0", GOOD},
    {"loads/a", "retry", "0", BAD},
    {"loads", "c", "{\"closed\": 1, \"retry\": 5, \"hedge\": 5}", BAD},
    {"loads", "c", "{\"retry\": 5}", BAD},
};

static void keys_that_stand_for_others_are_judged_alike(void **state)
{
    for (size_t i = 0; i < FIELD_COUNT_OF(by_choice); i++)
        judge_with(*state, by_choice[i].path, by_choice[i].key, by_choice[i].json,
                   by_choice[i].wanted);
}

static void the_schema_itself_passes_the_strict_scan(void **state)
{
    const struct judges *judges = *state;
    char *faults = faults_of(judges->schema_text, strlen(judges->schema_text));
    assert_null(strstr(faults, "JSON")); /* its own text is strict JSON, if no scenario */
    assert_null(strstr(faults, "again"));
    free(faults);
}

static void the_published_schema_is_the_one_of_these_tables(void **state)
{
    const struct judges *judges = *state;
    const char *end = strstr(__FILE__, "tests/test_schema.c");
    assert_non_null(end);
    char *path = must_format("%.*sscenarios/schema.json", (int)(end - __FILE__), __FILE__);
    size_t length;
    char *published = file_text(path, &length);
    assert_string_equal(published, judges->schema_text);
    free(published);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_variant_and_field_is_judged_alike),
        cmocka_unit_test(every_key_of_every_object_is_judged_alike),
        cmocka_unit_test(keys_that_stand_for_others_are_judged_alike),
        cmocka_unit_test(the_schema_itself_passes_the_strict_scan),
        cmocka_unit_test(the_published_schema_is_the_one_of_these_tables),
    };
    return cmocka_run_group_tests(tests, open_judges, close_judges);
}
