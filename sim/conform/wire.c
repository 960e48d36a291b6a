/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a subject is told, line by line or in binary batches. */

#include <inttypes.h>
#include <string.h>

#include "models/base/batch.h"
#include "sim/conform/conform.h"

#define ROW_NUMBERS 7
#define NUMBER_BYTES 8
#define ROW_TEXT 160 /* six numbers of at most 20 digits, a word, blanks */

static const char *instant_word(enum instant instant)
{
    switch (instant) {
    case INSTANT_DUE: return "due";
    case INSTANT_ACQUIRED: return "acquired";
    case INSTANT_SENT: return "sent";
    case INSTANT_STARTED: return "started";
    case INSTANT_FINISHED: return "finished";
    }
    BUG("an instant outside its enum");
}

static const char *failures_word(enum failures failures)
{
    switch (failures) {
    case FAILURES_DROPPED: return "dropped";
    case FAILURES_TIMEOUT: return "timeout";
    case FAILURES_END: return "end";
    case FAILURES_INFINITE: return "infinite";
    }
    BUG("failures outside their enum");
}

static const char *status_word(uint8_t status)
{
    switch ((enum status)status) {
    case STATUS_ANSWERED: return "ok";
    case STATUS_TIMED_OUT: return "timeout";
    case STATUS_REFUSED: return "refused";
    case STATUS_CUT: return "cut";
    }
    BUG("a status outside its enum");
}

static void known_number(FILE *out, const char *key, uint64_t value)
{
    if (value != 0)
        fprintf(out, ", \"%s\": %" PRIu64, key, value);
    else
        fprintf(out, ", \"%s\": null", key);
}

void wire_hello(const struct trial *trial, bool binary, FILE *out)
{
    const struct asked *asked = &trial->asked;
    const struct variant *correction = asked->correction.type;
    const char *quote = correction != NULL ? "\"" : "";
    fprintf(out, "duetime-conform %d\n", CONFORM_VERSION);
    fprintf(out, "{\"from\": \"%s\", \"failures\": \"%s\"", instant_word(asked->from),
            failures_word(asked->failures));
    fprintf(out, ", \"correction\": %s%s%s", quote, correction ? correction->name : "null", quote);
    known_number(out, "interval_ns", asked->interval_ns);
    fprintf(out, ", \"warmup_ns\": %" PRIu64 ", \"rank\": \"%s\"", asked->warmup_ns,
            asked->rank.type->name);
    fputs(", \"percentiles\": [", out);
    for (size_t i = 0; i < asked->percentile_count; i++)
        fprintf(out, "%s\"%s\"", i > 0 ? ", " : "", asked->percentiles[i].text);
    fputc(']', out);
    known_number(out, "connections", asked->connections);
    fprintf(out, ", \"requests\": %zu, \"binary\": %s}\n", trial->requests.count,
            binary ? "true" : "false");
}

static char *put_number(char *at, uint64_t value)
{
    char digits[20];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    while (count > 0)
        *at++ = digits[--count];
    return at;
}

static void write_line(const struct requests *r, size_t i, FILE *out)
{
    const uint64_t before[] = {r->due[i], r->sent[i], r->started[i], r->finished[i]};
    const uint64_t after[] = {r->acquired[i], r->client[i]};
    char line[ROW_TEXT], *at = line;
    for (size_t k = 0; k < sizeof before / sizeof before[0]; k++) {
        at = put_number(at, before[k]);
        *at++ = ' ';
    }
    const char *status = status_word(r->status[i]);
    size_t length = strlen(status);
    memcpy(at, status, length);
    at += length;
    for (size_t k = 0; k < sizeof after / sizeof after[0]; k++) {
        *at++ = ' ';
        at = put_number(at, after[k]);
    }
    *at++ = '\n';
    fwrite(line, 1, (size_t)(at - line), out);
}

/* Little-endian whatever this machine is. */
static void put_bytes(unsigned char *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static void write_record(const struct requests *r, size_t i, FILE *out)
{
    const uint64_t numbers[ROW_NUMBERS] = {r->due[i],      r->sent[i],   r->started[i],
                                           r->finished[i], r->status[i], r->acquired[i],
                                           r->client[i]};
    unsigned char record[ROW_NUMBERS * NUMBER_BYTES];
    for (size_t k = 0; k < ROW_NUMBERS; k++)
        put_bytes(record + k * NUMBER_BYTES, numbers[k], NUMBER_BYTES);
    fwrite(record, 1, sizeof record, out);
}

static void write_count(size_t count, FILE *out)
{
    unsigned char bytes[4];
    BUG_IF(count > UINT32_MAX);
    put_bytes(bytes, count, sizeof bytes);
    fwrite(bytes, 1, sizeof bytes, out);
}

void wire_requests(const struct trial *trial, size_t first, size_t count, bool binary, FILE *out)
{
    const struct requests *requests = &trial->requests;
    BUG_IF(first > requests->count || count > requests->count - first);
    if (binary && count > 0)
        write_count(count, out);
    for (size_t i = first; i < first + count; i++)
        if (binary)
            write_record(requests, i, out);
        else
            write_line(requests, i, out);
}

void wire_end(bool binary, FILE *out)
{
    if (binary)
        write_count(0, out);
    else
        fputs("end\n", out);
}
