/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lists of durations, in the scenario or in a file beside it. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/fields.h"

#define FILE_BYTES_MOST (UINT64_C(1) << 30)

static void append(struct durations *list, size_t *capacity, ns_t ns)
{
    if (list->count == *capacity) {
        *capacity = *capacity == 0 ? 16 : *capacity * 2;
        list->ns = must_grow(list->ns, *capacity, sizeof *list->ns);
    }
    list->ns[list->count++] = ns;
}

/* What is wrong with one more duration of the list, or NULL. */
static const char *element_fault(const struct field *field, const struct durations *list, ns_t ns)
{
    if (!in_range(field, ns))
        return "outside its range";
    if (field->ascending && list->count > 0 && ns < list->ns[list->count - 1])
        return "below the one before it; allowed: lists that never go back";
    return NULL;
}

static bool read_list(struct reading *r, const struct field *field, uint32_t value,
                      struct durations *out)
{
    const struct field one = {.kind = FIELD_DURATION};
    size_t capacity = 0;
    bool good = true;
    for (uint32_t v = scan_first(&r->scan, value); v != SCAN_NONE; v = scan_beside(&r->scan, v)) {
        ns_t ns;
        if (!read_field(r, &one, v, &ns)) {
            good = false;
            continue;
        }
        const char *why = element_fault(field, out, ns);
        if (why != NULL) {
            char *found = shown(r, v);
            fault_at(r, v, "found %s, %s", found, why);
            free(found);
            good = false;
        }
        append(out, &capacity, ns);
    }
    return good;
}

/* A file's name seen from the scenario's own place.  Owned by the caller. */
static char *beside_scenario(const char *scenario, const char *name)
{
    const char *slash = strrchr(scenario, '/');
    if (name[0] == '/' || slash == NULL)
        return must_copy(name);
    return must_format("%.*s/%s", (int)(slash - scenario), scenario, name);
}

/* The whole file, owned by the caller; NULL and the reason in errno, or EFBIG. */
static char *file_bytes(const char *path, size_t *length)
{
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        return NULL;
    size_t capacity = 1 << 16, got;
    char *bytes = must_alloc(capacity, 1);
    *length = 0;
    errno = 0;
    while ((got = fread(bytes + *length, 1, capacity - *length, in)) > 0) {
        *length += got;
        if (*length > FILE_BYTES_MOST)
            break;
        if (*length == capacity)
            bytes = must_grow(bytes, capacity *= 2, 1);
    }
    int why = *length > FILE_BYTES_MOST ? EFBIG : ferror(in) ? errno : 0;
    fclose(in);
    if (why == 0)
        return bytes;
    free(bytes);
    errno = why;
    return NULL;
}

/* The duration of one line without blanks around it. */
static enum duration_fault line_parse(const char *text, size_t length, ns_t *out)
{
    bool digits = true;
    for (size_t i = 0; i < length; i++)
        digits &= text[i] >= '0' && text[i] <= '9';
    if (!digits || length > 19)
        return duration_parse(text, length, out);
    *out = 0;
    for (size_t i = 0; i < length; i++)
        *out = *out * 10 + (ns_t)(text[i] - '0');
    return *out < NS_LIMIT ? DURATION_OK : DURATION_TOO_LONG;
}

/* A list being read from a file, for its messages. */
struct list_file {
    struct reading *r;
    const struct field *field;
    uint32_t value;
    const char *path;
    struct durations *out;
    size_t capacity;
};

static bool read_line(struct list_file *f, const char *text, size_t length, size_t line)
{
    const char *hash = memchr(text, '#', length);
    if (hash != NULL)
        length = (size_t)(hash - text);
    for (; length > 0 && strchr(" \t\r", text[0]) != NULL && text[0] != '\0'; length--)
        text++;
    while (length > 0 && text[length - 1] != '\0' && strchr(" \t\r", text[length - 1]) != NULL)
        length--;
    if (length == 0)
        return true;
    ns_t ns = 0;
    enum duration_fault fault = line_parse(text, length, &ns);
    const char *why = fault == DURATION_OK ? element_fault(f->field, f->out, ns) : NULL;
    if (fault == DURATION_OK)
        append(f->out, &f->capacity, ns);
    if (fault == DURATION_OK && why == NULL)
        return true;
    struct scan bytes = {.text = text, .length = length};
    char *found = scan_excerpt(&bytes, 0, length, 60);
    if (why != NULL)
        fault_in_file(f->r, f->value, f->path, line, "found %s, %s", found, why);
    else
        fault_in_file(
            f->r, f->value, f->path, line,
            "found %s%s; allowed: one duration a line, as 1.5ms: decimal digits and one of "
            "ns us ms s min, or a whole number of ns",
            found, duration_why(fault));
    free(found);
    return false;
}

static bool read_file(struct reading *r, const struct field *field, uint32_t value,
                      struct durations *out)
{
    char *path = beside_scenario(r->file, text_of(r, value));
    size_t length = 0;
    char *bytes = file_bytes(path, &length);
    bool good = bytes != NULL;
    if (bytes == NULL) {
        const char *why = errno == EFBIG ? "larger than 1 GiB" : strerror(errno);
        char *found = shown(r, value);
        fault_at(r, value,
                 "found %s, and %s cannot be read: %s; allowed: a list of durations, or the "
                 "name of a file of them, one a line",
                 found, path, why);
        free(found);
    }
    struct list_file file = {r, field, value, path, out, 0};
    size_t line = 1;
    for (size_t at = 0; bytes != NULL && at < length; line++) {
        const char *end = memchr(bytes + at, '\n', length - at);
        size_t count = end == NULL ? length - at : (size_t)(end - bytes) - at;
        good &= read_line(&file, bytes + at, count, line);
        at += count + 1;
    }
    free(bytes);
    free(path);
    return good;
}

bool read_durations(struct reading *r, const struct field *field, uint32_t value,
                    struct durations *out)
{
    bool good;
    if (type_of(r, value) == SCAN_STRING) {
        good = read_file(r, field, value, out);
    } else if (type_of(r, value) == SCAN_ARRAY) {
        good = read_list(r, field, value, out);
    } else {
        char *found = shown(r, value), *allows = field_allows(field);
        fault_at(r, value, "found %s; allowed: %s", found, allows);
        free(found);
        free(allows);
        return false;
    }
    if (good && out->count == 0) {
        fault_at(r, value, "found no duration; allowed: at least one");
        return false;
    }
    return good;
}
