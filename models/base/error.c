/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/base/error.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/vector.h"

void bug_report(const char *file, int line, const char *text)
{
    fprintf(stderr, "duetime: bug at %s:%d: %s\n", file, line, text);
    abort();
}

static _Noreturn void out_of_memory(void)
{
    fputs("duetime: no memory left\n", stderr);
    exit(3);
}

void *must_grow(void *old, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        out_of_memory();
    size_t bytes = count * size;
    void *p = realloc(old, bytes != 0 ? bytes : 1);
    if (p == NULL)
        out_of_memory();
    return p;
}

#define SMALL_BYTES 1024

/* Small pieces are emptied here: malloc has them at hand for each thread, where calloc of glibc
   locks what threads share, and would be called for a malloc that is emptied, but not for this. */
void *must_alloc(size_t count, size_t size)
{
    if (count <= SMALL_BYTES && size <= SMALL_BYTES && count * size <= SMALL_BYTES)
        return memset(must_grow(NULL, count, size), 0, count * size);
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (p == NULL)
        out_of_memory();
    return p;
}

void *must_alloc_lines(size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - LINE_BYTES) / size)
        out_of_memory();
    size_t lines = count * size / LINE_BYTES + 1;
    void *p = aligned_alloc(LINE_BYTES, lines * LINE_BYTES);
    if (p == NULL)
        out_of_memory();
    return p;
}

char *must_copy(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(must_grow(NULL, size, 1), text, size);
}

__attribute__((format(printf, 1, 0))) static char *must_vformat(const char *format,
                                                                va_list arguments)
{
    char first[256]; /* most texts fit, and are written once */
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(first, sizeof first, format, again);
    va_end(again);
    BUG_IF(length < 0);
    char *text = must_grow(NULL, (size_t)length + 1, 1);
    if ((size_t)length < sizeof first)
        memcpy(text, first, (size_t)length + 1);
    else
        vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

char *must_format(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = must_vformat(format, arguments);
    va_end(arguments);
    return text;
}

/* Takes the text over. */
static void errors_keep(struct errors *errors, char *text)
{
    if (errors->count == ERRORS_MOST) {
        errors->left_out++;
        free(text);
        return;
    }
    if (errors->count == errors->capacity) {
        errors->capacity = errors->capacity ? 2 * errors->capacity : 8;
        errors->texts = must_grow(errors->texts, errors->capacity, sizeof *errors->texts);
    }
    errors->texts[errors->count++] = text;
}

void errors_add(struct errors *errors, struct place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *what = must_vformat(format, arguments);
    va_end(arguments);
    char *where = place.line != 0
                      ? must_format("%s:%zu:%zu: ", place.file, place.line, place.column)
                      : must_format("%s%s", place.file ? place.file : "", place.file ? ": " : "");
    const char *path = place.path ? place.path : "";
    errors_keep(errors, must_format("%s%s%s%s", where, path, *path ? ": " : "", what));
    free(where);
    free(what);
}

void errors_add_machine(struct errors *errors, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    errors_keep(errors, must_vformat(format, arguments));
    va_end(arguments);
    errors->machine = true;
}

void errors_free(struct errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        free(errors->texts[i]);
    free(errors->texts);
    *errors = (struct errors){0};
}
