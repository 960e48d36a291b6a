/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/directory.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/scenario/scan.h"
#include "tools/output.h"
#include "tools/report/utf8.h"
#include "tools/session.h"

static void push(struct file_list *files, char *name)
{
    if (files->count == files->capacity) {
        files->capacity = files->capacity ? 2 * files->capacity : 64;
        files->names = must_grow(files->names, files->capacity, sizeof *files->names);
    }
    files->names[files->count++] = name;
}

void file_list_free(struct file_list *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->names[i]);
    free(files->names);
    *files = (struct file_list){0};
}

static bool is_directory(const char *name)
{
    struct stat status;
    return strcmp(name, "-") != 0 && stat(name, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool is_json(const char *name)
{
    size_t length = strlen(name);
    return name[0] != '.' && length > 5 && strcmp(name + length - 5, ".json") == 0;
}

static bool has_key(const struct scan *scan, const char *key)
{
    for (uint32_t v = scan_first(scan, 0); v != SCAN_NONE; v = scan_beside(scan, v)) {
        const struct scan_value *value = &scan->values[v];
        size_t length = value->key_end - value->key_start;
        if (length == strlen(key) && memcmp(scan->text + value->key_start, key, length) == 0)
            return true;
    }
    return false;
}

/* Only what is certainly something else is none: a broken scenario must be told of. */
static bool may_be_scenario(const char *file)
{
    struct errors errors = {0};
    size_t length;
    char *text = session_slurp(file, &length, &errors);
    bool may = true;
    if (text != NULL) {
        struct scan scan;
        scan_text(&scan, text, length);
        if (scan.whole && scan.fault_count == 0 && scan.count > 0)
            may = scan.values[0].type == SCAN_OBJECT &&
                  (has_key(&scan, "server") || has_key(&scan, "loads") ||
                   has_key(&scan, "recorders"));
        scan_free(&scan);
    }
    free(text);
    errors_free(&errors);
    return may;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static void take_file(const char *directory, const char *name, struct file_list *out)
{
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/')
        length--;
    char *file = must_format("%.*s/%s", (int)length, directory, name);
    if (!is_directory(file) && may_be_scenario(file)) {
        push(out, file);
        return;
    }
    if (!is_directory(file)) {
        char *clean = utf8_clean(file);
        fprintf(stderr, "%s: no scenario, left out\n", clean);
        free(clean);
    }
    free(file);
}

static void expand(const char *directory, struct file_list *out, struct errors *errors)
{
    DIR *open = opendir(directory);
    size_t before = out->count;
    if (open == NULL) {
        errors_add_file(errors, directory, "cannot be opened", errno);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(open)) != NULL;)
        if (is_json(entry->d_name))
            take_file(directory, entry->d_name, out);
    closedir(open);
    if (out->count > before)
        qsort(out->names + before, out->count - before, sizeof *out->names, by_name);
    else
        errors_add(errors, (struct place){.file = directory}, "no scenario in this directory");
}

void files_expand(const char *const *names, size_t count, struct file_list *out,
                  struct errors *errors)
{
    *out = (struct file_list){0};
    for (size_t i = 0; i < count; i++) {
        if (is_directory(names[i]))
            expand(names[i], out, errors);
        else
            push(out, must_copy(names[i]));
    }
}
