/* SPDX-License-Identifier: 0BSD */
#ifndef DUETIME_CONFORM_PIPE_H
#define DUETIME_CONFORM_PIPE_H

/* The pipe between `duetime conform` and a recorder, version 1, as one header to copy: C99 or C++,
   nothing else needed.

   Fill a struct conform_recorder with your recorder's functions and return conform_run(&it) from
   main.  Every time is in ns. */

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONFORM_PERCENTILES_MOST 64
#define CONFORM_WORD 32

/* What is asked for. */
struct conform_asked {
    char from[CONFORM_WORD];       /* the stopwatch starts: due, acquired, sent or started */
    char failures[CONFORM_WORD];   /* dropped: left out; timeout, end: as long as they took */
    char correction[CONFORM_WORD]; /* hdr ...; empty: none */
    char rank[CONFORM_WORD];       /* which sample a percentile is */
    uint64_t interval_ns;          /* expected between two sends; 0: not known */
    uint64_t warmup_ns;            /* requests due before it are left out */
    uint64_t connections;          /* 0: no limit */
    uint64_t requests;             /* how many will come */
    bool binary;
    size_t percentile_count;
    char percentiles[CONFORM_PERCENTILES_MOST][CONFORM_WORD]; /* in percent, as text: 99.9 */
};

enum conform_status { CONFORM_OK, CONFORM_TIMEOUT, CONFORM_REFUSED, CONFORM_CUT };

/* One request; they come in the order in which they finish. */
struct conform_request {
    uint64_t due, acquired, sent, started, finished; /* instants */
    enum conform_status status;
    uint64_t client;
};

struct conform_recorder {
    void *self;                                              /* handed to all of them */
    bool (*begin)(void *self, const struct conform_asked *); /* false: it cannot; may be NULL */
    void (*take)(void *self, const struct conform_asked *, const struct conform_request *);
    void (*answer)(void *self, const struct conform_asked *, FILE *out); /* one line of JSON */
};

/* For `take`: whether the request counts, and for how long, by what is asked for. */
static inline bool conform_value(const struct conform_asked *asked, const struct conform_request *r,
                                 uint64_t *value_ns)
{
    uint64_t from = strcmp(asked->from, "due") == 0        ? r->due
                    : strcmp(asked->from, "acquired") == 0 ? r->acquired
                    : strcmp(asked->from, "started") == 0  ? r->started
                                                           : r->sent;
    bool failed = r->status != CONFORM_OK;
    if (r->due < asked->warmup_ns || (failed && strcmp(asked->failures, "dropped") == 0))
        return false;
    if (r->finished < from) /* given up before the stopwatch started */
        return false;
    *value_ns = r->finished - from;
    return true;
}

/* From here on: how it is done. */

/* What stands behind "key": in a line, or NULL where that is null. */
static inline const char *conform_find(const char *line, const char *key)
{
    char quoted[CONFORM_WORD + 4];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(line, quoted);
    if (at == NULL)
        return NULL;
    at += strlen(quoted);
    while (*at == ' ')
        at++;
    return strncmp(at, "null", 4) == 0 ? NULL : at;
}

static inline uint64_t conform_find_number(const char *line, const char *key)
{
    const char *at = conform_find(line, key);
    return at != NULL ? strtoull(at, NULL, 10) : 0;
}

/* A text in quotes; returns what follows it, or NULL where there is none. */
static inline const char *conform_text(const char *at, char out[CONFORM_WORD])
{
    out[0] = '\0';
    if (at == NULL || *at != '"')
        return NULL;
    size_t length = strcspn(at + 1, "\"");
    if (length >= CONFORM_WORD)
        return NULL;
    memcpy(out, at + 1, length);
    out[length] = '\0';
    return at + length + 2;
}

static inline bool conform_read_asked(FILE *in, struct conform_asked *asked)
{
    char line[8192];
    memset(asked, 0, sizeof *asked);
    if (fgets(line, sizeof line, in) == NULL || strcmp(line, "duetime-conform 1\n") != 0) {
        fputs("this is not version 1 of the pipe\n", stderr);
        return false;
    }
    if (fgets(line, sizeof line, in) == NULL || strchr(line, '\n') == NULL)
        return false;
    conform_text(conform_find(line, "from"), asked->from);
    conform_text(conform_find(line, "failures"), asked->failures);
    conform_text(conform_find(line, "correction"), asked->correction);
    conform_text(conform_find(line, "rank"), asked->rank);
    asked->interval_ns = conform_find_number(line, "interval_ns");
    asked->warmup_ns = conform_find_number(line, "warmup_ns");
    asked->connections = conform_find_number(line, "connections");
    asked->requests = conform_find_number(line, "requests");
    const char *binary = conform_find(line, "binary"), *at = conform_find(line, "percentiles");
    asked->binary = binary != NULL && *binary == 't';
    for (at = at != NULL ? at + 1 : NULL; at != NULL && *at == '"';) {
        if (asked->percentile_count == CONFORM_PERCENTILES_MOST)
            return false;
        at = conform_text(at, asked->percentiles[asked->percentile_count++]);
        at = at != NULL ? at + strspn(at, ", ") : NULL;
    }
    return asked->percentile_count > 0;
}

/* 1: a request; 0: the end; -1: neither. */
static inline int conform_read_line(FILE *in, struct conform_request *r)
{
    char line[256], *at = line;
    if (fgets(line, sizeof line, in) == NULL)
        return -1;
    if (strcmp(line, "end\n") == 0)
        return 0;
    r->due = strtoull(at, &at, 10);
    r->sent = strtoull(at, &at, 10);
    r->started = strtoull(at, &at, 10);
    r->finished = strtoull(at, &at, 10);
    at += strspn(at, " ");
    r->status = *at == 'o'   ? CONFORM_OK
                : *at == 't' ? CONFORM_TIMEOUT
                : *at == 'r' ? CONFORM_REFUSED
                             : CONFORM_CUT;
    at += strcspn(at, " ");
    r->acquired = strtoull(at, &at, 10);
    r->client = strtoull(at, &at, 10);
    return *at == '\n' ? 1 : -1;
}

static inline uint64_t conform_little_endian(const unsigned char *bytes, size_t count)
{
    uint64_t value = 0;
    while (count-- > 0)
        value = value << 8 | bytes[count];
    return value;
}

/* *left: records of this batch still to come. */
static inline int conform_read_record(FILE *in, uint32_t *left, struct conform_request *r)
{
    unsigned char bytes[56];
    if (*left == 0) {
        if (fread(bytes, 4, 1, in) != 1)
            return -1;
        *left = (uint32_t)conform_little_endian(bytes, 4);
    }
    if (*left == 0)
        return 0;
    if (fread(bytes, sizeof bytes, 1, in) != 1)
        return -1;
    --*left;
    r->due = conform_little_endian(bytes, 8);
    r->sent = conform_little_endian(bytes + 8, 8);
    r->started = conform_little_endian(bytes + 16, 8);
    r->finished = conform_little_endian(bytes + 24, 8);
    r->status = (enum conform_status)conform_little_endian(bytes + 32, 8);
    r->acquired = conform_little_endian(bytes + 40, 8);
    r->client = conform_little_endian(bytes + 48, 8);
    return 1;
}

/* All of it; returns an exit status. */
static inline int conform_run(const struct conform_recorder *recorder)
{
    struct conform_asked asked;
    struct conform_request request;
    uint32_t left = 0;
    int more;
    if (!conform_read_asked(stdin, &asked))
        return 1;
    if (recorder->begin != NULL && !recorder->begin(recorder->self, &asked))
        return 1;
    do {
        more = asked.binary ? conform_read_record(stdin, &left, &request)
                            : conform_read_line(stdin, &request);
        if (more > 0)
            recorder->take(recorder->self, &asked, &request);
    } while (more > 0);
    if (more < 0) {
        fputs("the requests break off\n", stderr);
        return 1;
    }
    recorder->answer(recorder->self, &asked, stdout);
    return fflush(stdout) == 0 ? 0 : 1;
}

#endif
