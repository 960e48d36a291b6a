/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/suite_trials.h"

#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "sim/scenario/reader.h"
#include "tools/suite.h"

static void open_scene(struct scene *scene, const struct suite_text *text)
{
    struct errors errors = {0};
    struct run_options options = {.threads = 1};
    scene->plan = plan_read(text->file, text->text, text->length, NULL, 0, &errors);
    bool good = scene->plan != NULL && trial_run(scene->plan, 0, &options, &scene->trial, &errors);
    for (size_t i = 0; i < errors.count; i++)
        fprintf(stderr, "%s\n", errors.texts[i]);
    BUG_IF(!good);
    errors_free(&errors);
    const char *slash = strrchr(text->file, '/');
    snprintf(scene->name, sizeof scene->name, "%s", slash != NULL ? slash + 1 : text->file);
    *strrchr(scene->name, '.') = '\0';
}

void scenes_open(struct scenes *scenes)
{
    scenes->count = suite_text_count;
    scenes->items = must_alloc(scenes->count, sizeof *scenes->items);
    for (size_t s = 0; s < scenes->count; s++)
        open_scene(&scenes->items[s], &suite_texts[s]);
}

void scenes_close(struct scenes *scenes)
{
    for (size_t s = 0; s < scenes->count; s++) {
        trial_free(&scenes->items[s].trial);
        plan_free(scenes->items[s].plan);
    }
    free(scenes->items);
    *scenes = (struct scenes){0};
}

const struct trial *scene_named(const struct scenes *scenes, const char *name)
{
    for (size_t s = 0; s < scenes->count; s++)
        if (strcmp(scenes->items[s].name, name) == 0)
            return &scenes->items[s].trial;
    BUG("no scenario of the suite has that name");
}

struct trial with_rank(const struct trial *trial, const char *rank)
{
    struct trial other = *trial;
    other.asked.rank = (struct choice){.type = variant_find(&set_ranks, rank)};
    return other;
}

int scenes_set_up(void **state)
{
    struct scenes *scenes = must_alloc(1, sizeof *scenes);
    scenes_open(scenes);
    *state = scenes;
    return 0;
}

int scenes_tear_down(void **state)
{
    scenes_close(*state);
    free(*state);
    return 0;
}
