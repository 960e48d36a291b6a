/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "sim/formats/histogram.h"

/* Encoding V2: a head of 40 bytes, big-endian, then a ZigZag LEB128 number a cell, of which the
   negative ones are runs of empty cells.  Packed: deflated behind 8 bytes of its own head. */

#define COOKIE UINT32_C(0x1c849313)
#define COOKIE_PACKED UINT32_C(0x1c849314)
#define HEAD 40
#define HEAD_PACKED 8
#define BYTES_MOST ((size_t)16 << 20) /* unpacked */

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

struct bytes {
    uint8_t *at; /* owned */
    size_t length, capacity;
};

static void push(struct bytes *b, uint8_t byte)
{
    if (b->length == b->capacity) {
        b->capacity = b->capacity ? 2 * b->capacity : 256;
        b->at = must_grow(b->at, b->capacity, 1);
    }
    b->at[b->length++] = byte;
}

static void push_word(struct bytes *b, uint64_t value, unsigned size)
{
    while (size-- > 0)
        push(b, (uint8_t)(value >> (8 * size)));
}

static uint64_t word_at(const uint8_t *at, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value = value << 8 | at[i];
    return value;
}

/* At most nine bytes: the last has eight bits of its own. */
static void push_zigzag(struct bytes *b, int64_t value)
{
    uint64_t rest = (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
    for (unsigned i = 0; i < 8 && rest >= 0x80; i++, rest >>= 7)
        push(b, (uint8_t)(rest | 0x80));
    push(b, (uint8_t)rest);
}

static bool take_zigzag(const uint8_t *at, size_t length, size_t *used, int64_t *value)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < 9; i++) {
        if (*used == length)
            return false;
        uint8_t byte = at[(*used)++];
        bits |= (uint64_t)(i < 8 ? byte & 0x7f : byte) << (7 * i);
        if (i == 8 || byte < 0x80)
            break;
    }
    *value = (int64_t)(bits >> 1 ^ (0 - (bits & 1)));
    return true;
}

static char *to_base64(const uint8_t *at, size_t length)
{
    char *text = must_alloc(4 * ((length + 2) / 3) + 1, 1), *out = text;
    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        uint32_t word = (uint32_t)at[i] << 16 | (uint32_t)(left > 1 ? at[i + 1] : 0) << 8 |
                        (left > 2 ? at[i + 2] : 0);
        *out++ = letters[word >> 18];
        *out++ = letters[word >> 12 & 63];
        *out++ = left > 1 ? letters[word >> 6 & 63] : '=';
        *out++ = left > 2 ? letters[word & 63] : '=';
    }
    return text;
}

/* False where a character, or the length, is none of base64's. */
static bool from_base64(const char *text, size_t length, struct bytes *out)
{
    unsigned padding = 0;
    while (padding < 2 && length > padding && text[length - 1 - padding] == '=')
        padding++;
    if (length % 4 != 0 || length == 0)
        return false;
    uint32_t word = 0;
    for (size_t i = 0; i < length - padding; i++) {
        const char *found = text[i] != '\0' ? strchr(letters, text[i]) : NULL;
        if (found == NULL)
            return false;
        word = word << 6 | (uint32_t)(found - letters);
        if (i % 4 == 3)
            push_word(out, word & 0xffffff, 3);
    }
    if (padding == 2)
        push(out, (uint8_t)(word >> 4));
    else if (padding == 1)
        push_word(out, word >> 2 & 0xffff, 2);
    return true;
}

char *histogram_pack(const struct histogram *h)
{
    struct bytes plain = {0}, packed = {0};
    double ratio = 1.0;
    uint64_t ratio_bits;
    memcpy(&ratio_bits, &ratio, sizeof ratio_bits);
    push_word(&plain, COOKIE, 4);
    push_word(&plain, 0, 4); /* of the payload, once it is known */
    push_word(&plain, 0, 4); /* no offset */
    push_word(&plain, h->layout.digits, 4);
    push_word(&plain, h->layout.lowest, 8);
    push_word(&plain, h->layout.highest, 8);
    push_word(&plain, ratio_bits, 8);
    uint32_t next = 0;
    for (size_t i = 0; i < h->count; i++) {
        uint32_t empty = h->counts[i].index - next;
        if (empty > 0)
            push_zigzag(&plain, empty == 1 ? 0 : -(int64_t)empty);
        push_zigzag(&plain, (int64_t)h->counts[i].count);
        next = h->counts[i].index + 1;
    }
    for (unsigned i = 0; i < 4; i++)
        plain.at[4 + i] = (uint8_t)((plain.length - HEAD) >> (24 - 8 * i));
    uLongf size = compressBound(plain.length);
    uint8_t *deflated = must_alloc(size, 1);
    BUG_IF(compress2(deflated, &size, plain.at, plain.length, Z_DEFAULT_COMPRESSION) != Z_OK);
    push_word(&packed, COOKIE_PACKED, 4);
    push_word(&packed, size, 4);
    for (size_t i = 0; i < size; i++)
        push(&packed, deflated[i]);
    char *text = to_base64(packed.at, packed.length);
    free(deflated);
    free(plain.at);
    free(packed.at);
    return text;
}

static const char *inflate_all(const uint8_t *at, size_t length, struct bytes *out)
{
    z_stream z = {0};
    if (inflateInit(&z) != Z_OK)
        return "no memory to inflate it";
    z.next_in = (uint8_t *)(uintptr_t)at;
    z.avail_in = (uInt)length;
    int state = Z_OK;
    while (state == Z_OK && out->length < BYTES_MOST) {
        if (out->length == out->capacity) {
            out->capacity = out->capacity ? 2 * out->capacity : 4096;
            out->at = must_grow(out->at, out->capacity, 1);
        }
        size_t room = out->capacity - out->length;
        z.next_out = out->at + out->length;
        z.avail_out = (uInt)room;
        state = inflate(&z, Z_NO_FLUSH);
        out->length += room - z.avail_out;
    }
    size_t left = z.avail_in;
    inflateEnd(&z);
    if (state == Z_OK)
        return "more than 16 MiB unpacked";
    return state != Z_STREAM_END ? "its compressed part is broken"
           : left > 0            ? "bytes after its compressed part"
                                 : NULL;
}

/* The cells behind the head. */
static const char *read_cells(const struct bytes *plain, struct histogram *out)
{
    uint32_t cells = hdr_cells(&out->layout);
    uint64_t index = 0;
    size_t used = HEAD;
    while (used < plain->length) {
        int64_t value;
        if (!take_zigzag(plain->at, plain->length, &used, &value))
            return "it breaks off within a number";
        if (value <= 0) {
            index += value == 0 ? 1 : 0 - (uint64_t)value;
            if (index > cells)
                return "more cells than its range has";
            continue;
        }
        if (index >= cells)
            return "more cells than its range has";
        if (hdr_high(&out->layout, (uint32_t)index) >= NS_LIMIT)
            return "a value of 2^62 or more";
        if ((uint64_t)value > INT64_MAX - out->total)
            return "its counts add up to 2^63 or more";
        histogram_push(out, (uint32_t)index++, (uint64_t)value);
    }
    return NULL;
}

static const char *read_plain(const struct bytes *plain, struct histogram *out)
{
    double ratio;
    if (plain->length < HEAD)
        return "its head is not whole";
    if (word_at(plain->at, 4) != COOKIE)
        return "not of encoding V2";
    if (word_at(plain->at + 4, 4) != plain->length - HEAD)
        return "its length is not what its head says";
    uint64_t bits = word_at(plain->at + 32, 8), lowest = word_at(plain->at + 16, 8);
    memcpy(&ratio, &bits, sizeof ratio);
    uint64_t offset = word_at(plain->at + 8, 4);
    if (offset == 1 && bits == 1) {
        /* hdr-histogram-js says "1" of both, means neither, and shifts nothing. */
        offset = 0;
        ratio = 1.0;
    }
    if (offset != 0)
        return "its cells are shifted, as by an automatic range of fractions";
    if (!(ratio >= 1.0 && ratio <= 1.0))
        return "its values are fractions";
    unsigned digits = (unsigned)word_at(plain->at + 12, 4);
    if (digits < 1 || digits > 5)
        return "its digits are none of 1 to 5";
    if (lowest < 1 || !hdr_layout_make(digits, lowest, word_at(plain->at + 24, 8), &out->layout))
        return "its range is impossible";
    return read_cells(plain, out);
}

bool histogram_unpack(const char *text, size_t length, struct histogram *out, char **why)
{
    struct bytes packed = {0}, plain = {0};
    const char *fault = NULL;
    *out = (struct histogram){0};
    if (length > BYTES_MOST)
        fault = "longer than 16 MiB";
    else if (!from_base64(text, length, &packed))
        fault = "no base64";
    else if (packed.length < HEAD_PACKED || word_at(packed.at, 4) != COOKIE_PACKED)
        fault = "not of encoding V2, compressed (which begins with HISTF)";
    else if (word_at(packed.at + 4, 4) != packed.length - HEAD_PACKED)
        fault = "its length is not what its head says";
    if (fault == NULL)
        fault = inflate_all(packed.at + HEAD_PACKED, packed.length - HEAD_PACKED, &plain);
    if (fault == NULL)
        fault = read_plain(&plain, out);
    free(packed.at);
    free(plain.at);
    *why = fault != NULL ? must_copy(fault) : NULL;
    if (fault != NULL)
        histogram_free(out);
    return fault == NULL;
}
