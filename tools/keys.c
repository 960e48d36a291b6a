/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/keys.h"

#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "sim/scenario/objects.h"
#include "tools/words.h"

struct listing {
    FILE *out; /* NULL: only count */
    const char *name;
    size_t width, found;
};

/* `server, behind or {"replica": ...}`; owned by the caller. */
static char *words_or_object(const char *const *words, size_t count, const char *object)
{
    char *text = must_copy("one of ");
    for (size_t i = 0; i < count; i++) {
        char *longer = must_format("%s%s%s", text, words[i] ? words[i] : "", words[i] ? ", " : "");
        free(text);
        text = longer;
    }
    char *whole = must_format("%sor %s", text, object);
    free(text);
    return whole;
}

/* What a key takes, but for what field_words says of the ordinary ones.  Owned by the caller. */
static char *shape_words(const struct key *key)
{
    switch (key->shape) {
    case SHAPE_FIELD: break; /* has words of its own */
    case SHAPE_TEXT: return must_copy("a text");
    case SHAPE_TEXTS: return must_copy("a text, or a list of texts");
    case SHAPE_LOAD: return must_copy("the name of a load");
    case SHAPE_MODE: return must_format("one of the %s", key->field.set->name);
    case SHAPE_INTERVAL: return must_copy("a duration");
    case SHAPE_OBJECT: return must_copy("an object");
    case SHAPE_LIST: return must_copy("a list of objects");
    case SHAPE_MAP: return must_copy("an object of names");
    case SHAPE_SEED: return must_copy("a whole number below 2^64, or a text of its digits");
    case SHAPE_PERCENTILES: return must_copy("a list of numbers from 0 to 100");
    case SHAPE_PERCENTILE: return must_copy("a number above 0 and below 100");
    case SHAPE_SHARE:
    case SHAPE_FACTOR: return must_copy("a share such as \"1%\" or 0.01, above 0 and below 1");
    case SHAPE_TARGET:
        return words_or_object(target_words, TARGET_GENERATOR + 1, "{\"replica\": 0}");
    case SHAPE_PER: return words_or_object(per_words, PER_REPLICA + 1, "{\"window\": \"1s\"}");
    case SHAPE_THRESHOLDS: return must_copy("a list of durations");
    case SHAPE_SWEEP:
        return must_copy("an object of paths, each with a list of values or an object of from, to "
                         "and step or count");
    case SHAPE_EXPECTATIONS:
        return must_copy("an object of names of recorders and loads, each with an object of "
                         "figures");
    }
    BUG("shape without words");
}

static void write_key(const struct listing *l, const struct key *key, size_t indent)
{
    char *words;
    if (key->shape == SHAPE_FIELD) {
        words = field_words(&key->field);
    } else {
        struct field plain = key->field;
        plain.kind = FIELD_WORD; /* its default is what it says, without a unit */
        char *shape = shape_words(key), *need = need_words(&plain);
        words = must_format("%s; %s", shape, need);
        free(shape);
        free(need);
    }
    char *line = must_format("%s: %s (%s)", key->field.key, key->field.says, words);
    paragraph_write(l->out, line, indent, l->width);
    free(line);
    free(words);
}

static void write_one_of(const struct listing *l, const struct one_of *one_of)
{
    char *text = must_copy("");
    for (size_t i = 0; i < one_of->set->count; i++) {
        char *longer =
            must_format("%s%s%s", text, i > 0 ? ", " : "", one_of->set->variants[i]->name);
        free(text);
        text = longer;
    }
    char *line = must_format("%s %s: as duetime list %s says",
                             one_of->optional ? "at most one of" : "exactly one of", text,
                             one_of->set->name);
    paragraph_write(l->out, line, 4, l->width);
    free(line);
    free(text);
}

static void write_needs(const struct listing *l, const char *const *needs)
{
    char *text = must_copy("");
    for (size_t i = 0; needs[i] != NULL; i++) {
        char *longer = must_format("%s%s%s", text, i > 0 ? " or " : "", needs[i]);
        free(text);
        text = longer;
    }
    char *line = must_format("%s must be there", text);
    paragraph_write(l->out, line, 4, l->width);
    free(line);
    free(text);
}

static void write_title(const struct listing *l, const char *path, const char *says)
{
    if (l->found > 0)
        fputc('\n', l->out);
    char *title = must_format("%s: %s", path[0] != '\0' ? path : "/", says);
    paragraph_write(l->out, title, 0, l->width);
    free(title);
}

static void write_object(const struct listing *l, const struct object *object, const char *path)
{
    write_title(l, path, object->says);
    for (size_t i = 0; i < object->one_of_count; i++)
        write_one_of(l, &object->one_of[i]);
    for (size_t i = 0; i < object->key_count; i++)
        write_key(l, &object->keys[i], 4);
    if (object->needs != NULL)
        write_needs(l, object->needs);
}

/* A single key is told with the place of its object. */
static void list_keys(struct listing *l, const struct object *object, const char *path)
{
    for (size_t i = 0; i < object->key_count; i++) {
        const struct key *key = &object->keys[i];
        if (key->object != NULL || strcmp(key->field.key, l->name) != 0)
            continue; /* the object itself is told */
        if (l->out != NULL) {
            write_title(l, path, object->says);
            write_key(l, key, 4);
        }
        l->found++;
    }
}

/* Where an object stands: a name or a number where there are several.  Owned by the caller. */
static char *path_of(const char *path, const struct key *key)
{
    const char *several = key->shape == SHAPE_MAP ? "/NAME" : key->shape == SHAPE_LIST ? "/0" : "";
    return must_format("%s/%s%s", path, key->field.key, several);
}

static void list_object(struct listing *l, const struct object *object, const char *key,
                        const char *path, bool inside)
{
    inside |= strcmp(object->name, l->name) == 0 || strcmp(key, l->name) == 0;
    if (inside && l->out != NULL)
        write_object(l, object, path);
    if (inside)
        l->found++;
    else
        list_keys(l, object, path);
    for (size_t i = 0; i < object->key_count; i++) {
        const struct key *of = &object->keys[i];
        if (of->object == NULL)
            continue;
        char *below = path_of(path, of);
        list_object(l, of->object, of->field.key, below, inside);
        free(below);
    }
}

size_t keys_write(FILE *out, const char *name, size_t width)
{
    struct listing listing = {.out = out, .name = name, .width = width};
    list_object(&listing, &object_scenario, "", "", false);
    return listing.found;
}

static void names_below(const struct object *object, void (*take)(void *self, const char *name),
                        void *self)
{
    take(self, object->name);
    for (size_t i = 0; i < object->key_count; i++) {
        take(self, object->keys[i].field.key);
        if (object->keys[i].object != NULL)
            names_below(object->keys[i].object, take, self);
    }
}

void keys_names(void (*take)(void *self, const char *name), void *self)
{
    names_below(&object_scenario, take, self);
}
