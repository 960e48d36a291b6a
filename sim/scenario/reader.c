/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/scenario/reader.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/objects.h"
#include "sim/scenario/settings.h"
#include "sim/scenario/sha256.h"

char *json_decode(const char *inside, size_t length)
{
    if (memchr(inside, '\\', length) == NULL) {
        char *copy = must_alloc(length + 1, 1);
        memcpy(copy, inside, length);
        return copy;
    }
    /* The scan saw the quotes around it and every escape inside. */
    cJSON *value = cJSON_ParseWithLength(inside - 1, length + 2);
    BUG_IF(!cJSON_IsString(value));
    char *copy = must_copy(value->valuestring);
    cJSON_Delete(value);
    return copy;
}

static struct splice splice_of(const char *old, size_t old_length, const char *now, size_t length)
{
    size_t least = length < old_length ? length : old_length, before = 0, after = 0;
    while (before < least && now[before] == old[before])
        before++;
    while (after < least - before && now[length - 1 - after] == old[old_length - 1 - after])
        after++;
    return (struct splice){before, length - after, old_length - after};
}

/* The text with all settings applied, and what each did to it; NULL after a fault.  Owned by the
 * caller. */
static char *with_settings(const char *text, size_t *length, const struct setting *settings,
                           size_t count, struct splice *splices, struct errors *errors)
{
    char *now = must_alloc(*length + 1, 1);
    if (*length > 0)
        memcpy(now, text, *length);
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        size_t new_length = 0;
        char *next = setting_apply(now, *length, &settings[i], &new_length, errors);
        good &= next != NULL;
        if (next == NULL)
            continue;
        splices[i] = splice_of(now, *length, next, new_length);
        free(now);
        now = next;
        *length = new_length;
    }
    if (good)
        return now;
    free(now);
    return NULL;
}

static struct plan *read_plan(const char *file, const char *text, size_t length,
                              const struct setting *settings, size_t setting_count, bool trial,
                              struct errors *errors)
{
    struct plan *plan = must_alloc(1, sizeof *plan);
    plan->file = must_copy(file);
    sha256_hex(text, length, plan->sha256);
    char *changed = NULL;
    const char *unset = text;
    size_t unset_length = length;
    struct splice *splices = NULL;
    if (setting_count > 0 && length <= SCAN_BYTES_MOST) {
        splices = must_alloc(setting_count, sizeof *splices);
        changed = with_settings(text, &length, settings, setting_count, splices, errors);
        if (changed == NULL) {
            free(splices);
            plan_free(plan);
            return NULL;
        }
        text = changed;
    }
    struct reading r;
    reading_open(&r, file, text, length);
    r.plan = plan;
    r.is_trial = trial;
    if (changed != NULL) {
        r.settings = settings;
        r.splices = splices;
        r.setting_count = setting_count;
        r.unset = unset;
        r.unset_length = unset_length;
    }
    bool good = r.scan.whole && read_object(&r, &object_scenario, 0, 0, plan) && !r.failed;
    BUG_IF(good != !r.failed);
    reading_close(&r, errors);
    free(changed);
    free(splices);
    if (good)
        return plan;
    plan_free(plan);
    return NULL;
}

struct plan *plan_read(const char *file, const char *text, size_t length,
                       const struct setting *settings, size_t setting_count, struct errors *errors)
{
    return read_plan(file, text, length, settings, setting_count, false, errors);
}

struct plan *plan_try(const char *file, const char *text, size_t length,
                      const struct setting *settings, size_t setting_count, struct errors *errors)
{
    return read_plan(file, text, length, settings, setting_count, true, errors);
}
