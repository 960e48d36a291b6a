/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_VECTOR_MADE_H
#define DUETIME_VECTOR_MADE_H

/* A case of the test vectors as requests. */

#include "models/faults/fault.h"
#include "tests/vector_cases.h"

/* The requests of a case; owned. */
struct made {
    struct requests requests;
    ns_t *due, *sent, *started, *finished;
    uint8_t *status;
    uint64_t *client;
};

void vector_make(const struct vector_case *c, struct made *made);
void vector_unmake(struct made *made);

/* What is asked, with the percentiles (room for VECTOR_PERCENTILES) read; `asked` borrows them. */
void vector_ask(const struct vector_case *c, struct percentile *percentiles, struct asked *asked);

/* "ok", "timeout" ...; "due" or "sent". */
const char *vector_status(uint8_t status);
const char *vector_from(const struct asked *asked);

/* A figure and its name: count, min, max, mean, sum, then p50 ...; figures past the last: false. */
bool vector_figure(const struct vector_case *c, const struct report *report, size_t index,
                   char name[32], struct said *said);
bool vector_same(struct said a, struct said b);
void vector_write(struct said said, const char *none);

/* vector_lines.c: all of them in lines of words.  False where a wrong answer is right. */
bool vector_lines(void);

#endif
