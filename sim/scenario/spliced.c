/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/scenario/spliced.h"

#include <stdlib.h>
#include <string.h>

#include "sim/scenario/objects.h"
#include "sim/scenario/settings.h"

static char *copy_text(const char *text, size_t length)
{
    char *copy = must_alloc(length + 1, 1);
    if (length > 0)
        memcpy(copy, text, length);
    return copy;
}

void spliced_open(struct spliced *s, const char *text, size_t length, size_t most)
{
    *s = (struct spliced){.unset = text, .unset_length = length, .length = length};
    s->text = copy_text(text, length);
    s->settings = must_alloc(most, sizeof *s->settings);
    s->splices = must_alloc(most, sizeof *s->splices);
}

void spliced_copy(struct spliced *to, const struct spliced *from, size_t more)
{
    *to = *from;
    to->text = copy_text(from->text, from->length);
    to->settings = must_alloc(from->count + more, sizeof *to->settings);
    to->splices = must_alloc(from->count + more, sizeof *to->splices);
    memcpy(to->settings, from->settings, from->count * sizeof *to->settings);
    memcpy(to->splices, from->splices, from->count * sizeof *to->splices);
}

void spliced_free(struct spliced *s)
{
    free(s->text);
    free(s->settings);
    free(s->splices);
    *s = (struct spliced){0};
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

void spliced_take(struct spliced *s, const struct setting *setting, char *text, size_t length)
{
    s->settings[s->count] = *setting;
    s->splices[s->count++] = splice_of(s->text, s->length, text, length);
    free(s->text);
    s->text = text;
    s->length = length;
}

bool spliced_apply(struct spliced *s, const struct setting *settings, size_t count,
                   struct errors *errors)
{
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        char *text = setting_apply(s->text, s->length, &settings[i], &length, errors);
        good &= text != NULL;
        if (text != NULL)
            spliced_take(s, &settings[i], text, length);
    }
    return good;
}

struct plan *spliced_read(const struct spliced *s, const char *file, const char sha256[65],
                          bool trial, struct errors *errors)
{
    struct plan *plan = must_alloc(1, sizeof *plan);
    plan->file = must_copy(file);
    memcpy(plan->sha256, sha256, sizeof plan->sha256);
    struct reading r;
    reading_open(&r, file, s->text, s->length);
    r.plan = plan;
    r.is_trial = trial;
    r.settings = s->settings;
    r.splices = s->splices;
    r.setting_count = s->count;
    r.unset = s->unset;
    r.unset_length = s->unset_length;
    bool good = r.scan.whole && read_object(&r, &object_scenario, 0, 0, plan) && !r.failed;
    BUG_IF(good != !r.failed);
    reading_close(&r, errors);
    if (good)
        return plan;
    plan_free(plan);
    return NULL;
}
