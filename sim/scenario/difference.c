/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/scenario/difference.h"

#include <stdlib.h>
#include <string.h>

#include "sim/scenario/reader.h"
#include "sim/scenario/scan.h"

/* A value that holds no other: its path, and its text. */
struct leaf {
    char *path, *text;
    size_t order;
};

struct leaves {
    struct leaf *items;
    size_t count, capacity;
};

static void leaves_add(struct leaves *leaves, char *path, char *text)
{
    if (leaves->count == leaves->capacity) {
        leaves->capacity = leaves->capacity > 0 ? 2 * leaves->capacity : 64;
        leaves->items = must_grow(leaves->items, leaves->capacity, sizeof *leaves->items);
    }
    leaves->items[leaves->count] = (struct leaf){path, text, leaves->count};
    leaves->count++;
}

static void leaves_free(struct leaves *leaves)
{
    for (size_t i = 0; i < leaves->count; i++) {
        free(leaves->items[i].path);
        free(leaves->items[i].text);
    }
    free(leaves->items);
}

static bool is_under(const char *path, const char *top)
{
    size_t length = strlen(top);
    return strncmp(path, top, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static bool tells_only(const char *path)
{
    static const char *const tops[] = {"/title",  "/about", "/claims",    "/expect",
                                       "/report", "/sweep", "/experiment"};
    for (size_t i = 0; i < sizeof tops / sizeof tops[0]; i++)
        if (is_under(path, tops[i]))
            return true;
    return false;
}

/* All leaves below `top`, their paths from there on. */
static struct leaves leaves_of(const struct plan *plan, const char *top)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        BUG("no memory to write a plan to");
    plan_write_json(plan, out);
    fclose(out);
    struct leaves leaves = {0};
    struct scan scan;
    scan_text(&scan, text, length);
    for (uint32_t v = 0; v < scan.count; v++) {
        if (scan_first(&scan, v) != SCAN_NONE)
            continue;
        char *path = scan_path(&scan, v);
        if (is_under(path, top) && !tells_only(path))
            leaves_add(&leaves, must_copy(path + strlen(top)),
                       must_format("%.*s", (int)(scan.values[v].end - scan.values[v].start),
                                   text + scan.values[v].start));
        free(path);
    }
    scan_free(&scan);
    free(text);
    return leaves;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct leaf *)a)->path, ((const struct leaf *)b)->path);
}

static int by_order(const void *a, const void *b)
{
    size_t x = ((const struct leaf *)a)->order, y = ((const struct leaf *)b)->order;
    return (x > y) - (x < y);
}

/* The paths of `of` that `other` (sorted) lacks, or (changed) has with another text. */
static void differing(const struct leaves *of, const struct leaves *other, bool changed,
                      struct leaves *out)
{
    for (size_t i = 0; i < of->count; i++) {
        const struct leaf *leaf = &of->items[i];
        const struct leaf *there = other->count > 0 ? bsearch(leaf, other->items, other->count,
                                                              sizeof *other->items, by_path)
                                                    : NULL;
        if (there == NULL || (changed && strcmp(there->text, leaf->text) != 0))
            leaves_add(out, must_copy(leaf->path), NULL);
    }
}

static void sort(struct leaves *leaves, int (*by)(const void *, const void *))
{
    if (leaves->count > 0)
        qsort(leaves->items, leaves->count, sizeof *leaves->items, by);
}

static char **differences(struct leaves *a, struct leaves *b, size_t *count)
{
    struct leaves found = {0};
    sort(b, by_path);
    differing(a, b, true, &found);
    sort(b, by_order);
    sort(a, by_path);
    differing(b, a, false, &found);
    char **paths = must_alloc(found.count > 0 ? found.count : 1, sizeof *paths);
    for (size_t i = 0; i < found.count; i++)
        paths[i] = found.items[i].path;
    *count = found.count;
    free(found.items);
    leaves_free(a);
    leaves_free(b);
    return paths;
}

char **plan_differences(const struct plan *a, const struct plan *b, size_t *count)
{
    struct leaves of_a = leaves_of(a, ""), of_b = leaves_of(b, "");
    return differences(&of_a, &of_b, count);
}

bool plan_has(const struct plan *plan, const char *path)
{
    struct leaves below = leaves_of(plan, path);
    bool has = below.count > 0;
    leaves_free(&below);
    return has;
}

/* The path of a load as a scan gives it: keys are the bytes of the text, with JSON's escapes. */
static char *load_top(const struct plan *plan, size_t load)
{
    const char *name = plan->loads[load].name;
    char *top = must_alloc(8 + 2 * strlen(name), 1), *to = top + strlen("/loads/");
    memcpy(top, "/loads/", strlen("/loads/"));
    for (; *name != '\0'; name++) {
        bool escape = *name == '~' || *name == '/';
        if (escape)
            *to++ = '~';
        if (*name == '"' || *name == '\\')
            *to++ = '\\';
        *to++ = !escape ? *name : *name == '~' ? '0' : '1';
    }
    return top;
}

char **load_differences(const struct plan *plan, size_t a, size_t b, size_t *count)
{
    char *top_a = load_top(plan, a), *top_b = load_top(plan, b);
    struct leaves of_a = leaves_of(plan, top_a), of_b = leaves_of(plan, top_b);
    free(top_a);
    free(top_b);
    return differences(&of_a, &of_b, count);
}

void differences_free(char **paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
}
