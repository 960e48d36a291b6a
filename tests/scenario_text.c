/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/scenario_text.h"

#include "models/registry.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

char *scenario_of(struct parts parts)
{
    return must_format(
        "{\"server\": %s,\n\"loads\": %s,\n\"recorders\": %s,\n\"run\": %s%s}",
        parts.server != NULL ? parts.server : "{\"service\": {\"constant\": \"1ms\"}}",
        parts.loads != NULL ? parts.loads : "{\"a\": {\"open\": {\"rate\": 100}}}",
        parts.recorders != NULL ? parts.recorders : "{\"r\": {\"load\": \"a\", \"from\": \"due\"}}",
        parts.run != NULL ? parts.run : "{\"requests\": 10}", parts.more != NULL ? parts.more : "");
}

char *faults_of(const char *text, size_t length)
{
    struct errors errors = {0};
    struct plan *plan = plan_read("s", text, length, NULL, 0, &errors);
    assert_true((plan != NULL) == (errors.count == 0));
    char *all = must_copy("");
    for (size_t i = 0; i < errors.count; i++) {
        char *longer = must_format("%s%s\n", all, errors.texts[i]);
        free(all);
        all = longer;
    }
    errors_free(&errors);
    plan_free(plan);
    return all;
}

static char *names_of_set(const char *name, size_t length)
{
    static const struct variant_set *const sets[] = {
        &set_distributions, &set_loads,  &set_late,  &set_resend,      &set_queues,
        &set_routing,       &set_stalls, &set_ranks, &set_experiments,
    };
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        if (strlen(sets[i]->name) != length || memcmp(sets[i]->name, name, length) != 0)
            continue;
        char *names = must_copy("");
        for (size_t k = 0; k < sets[i]->count; k++) {
            char *longer =
                must_format("%s%s\"%s\"", names, k ? ", " : "", sets[i]->variants[k]->name);
            free(names);
            names = longer;
        }
        return names;
    }
    fail_msg("no set of variants is called %.*s", (int)length, name);
    return NULL;
}

static char *with_names(const char *text)
{
    char *all = must_copy("");
    for (const char *at = text; *at != '\0';) {
        const char *open = strstr(at, "<<"), *close = open == NULL ? NULL : strstr(open, ">>");
        size_t plain = close == NULL ? strlen(at) : (size_t)(open - at);
        char *names =
            close == NULL ? must_copy("") : names_of_set(open + 2, (size_t)(close - open) - 2);
        char *longer = must_format("%s%.*s%s", all, (int)plain, at, names);
        free(names);
        free(all);
        all = longer;
        at = close == NULL ? at + plain : close + 2;
    }
    return all;
}

void assert_faults(struct parts parts, const char *wanted)
{
    char *text = scenario_of(parts), *faults = faults_of(text, strlen(text));
    char *all = with_names(wanted);
    assert_string_equal(faults, all);
    free(all);
    free(faults);
    free(text);
}

struct plan *plan_of(const char *text)
{
    struct errors errors = {0};
    struct plan *plan = plan_read("s", text, strlen(text), NULL, 0, &errors);
    if (errors.count > 0)
        fail_msg("%s", errors.texts[0]);
    errors_free(&errors);
    return plan;
}

char *file_text(const char *path, size_t *length)
{
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        fail_msg("%s cannot be opened", path);
    char *text = NULL;
    size_t got;
    *length = 0;
    do {
        text = must_grow(text, *length + 65537, 1);
        got = fread(text + *length, 1, 65536, in);
        *length += got;
    } while (got > 0);
    text[*length] = '\0';
    fclose(in);
    return text;
}

char *written(const struct plan *plan)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    plan_write_json(plan, out);
    fclose(out);
    return text;
}
