/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/scenario/decoded.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/error.h"

#define CHUNK_BYTES 1000

struct decoded_chunk {
    struct decoded_chunk *before;
    char bytes[];
};

static bool has_escapes(const char *inside, size_t length)
{
    return memchr(inside, '\\', length) != NULL;
}

static char *copy_to(char *to, const char *text, size_t length)
{
    memcpy(to, text, length);
    to[length] = '\0';
    return to;
}

char *json_decode(const char *inside, size_t length)
{
    if (!has_escapes(inside, length))
        return copy_to(must_grow(NULL, length + 1, 1), inside, length);
    /* The scan saw the quotes around it and every escape inside. */
    cJSON *value = cJSON_ParseWithLength(inside - 1, length + 2);
    BUG_IF(!cJSON_IsString(value));
    char *copy = must_copy(value->valuestring);
    cJSON_Delete(value);
    return copy;
}

void decoded_open(struct decoded *decoded)
{
    decoded->chunks = NULL;
    decoded->next = decoded->first;
    decoded->left = sizeof decoded->first;
}

static const char *keep(struct decoded *decoded, const char *text, size_t length)
{
    size_t size = length + 1;
    if (size > decoded->left) {
        size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;
        struct decoded_chunk *chunk = must_grow(NULL, sizeof *chunk + room, 1);
        chunk->before = decoded->chunks;
        decoded->chunks = chunk;
        decoded->next = chunk->bytes;
        decoded->left = room;
    }
    char *kept = copy_to(decoded->next, text, length);
    decoded->next += size;
    decoded->left -= size;
    return kept;
}

const char *decoded_add(struct decoded *decoded, const char *inside, size_t length)
{
    if (!has_escapes(inside, length))
        return keep(decoded, inside, length);
    char *text = json_decode(inside, length);
    const char *kept = keep(decoded, text, strlen(text));
    free(text);
    return kept;
}

void decoded_free(struct decoded *decoded)
{
    while (decoded->chunks != NULL) {
        struct decoded_chunk *chunk = decoded->chunks;
        decoded->chunks = chunk->before;
        free(chunk);
    }
    *decoded = (struct decoded){0};
}
