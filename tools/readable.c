/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/readable.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "sim/threads.h"
#include "tools/interrupt.h"

#define CHUNK 64 /* points that one thread reads before it takes more */

/* What a stretch of points came to. */
struct chunk {
    struct errors errors;
    struct run_cost cost;
};

struct reader {
    const struct readable *readable;
    uint64_t points, count;
    struct chunk *chunks;
    atomic_uint_least64_t next;
};

static bool is_told(const struct errors *errors, const char *text)
{
    for (size_t i = 0; i < errors->count; i++)
        if (strcmp(errors->texts[i], text) == 0)
            return true;
    return false;
}

/* What is wrong with one value is wrong with every combination it is in: told once. */
static void tell_once(struct errors *errors, const struct errors *more)
{
    for (size_t i = 0; i < more->count; i++)
        if (!is_told(errors, more->texts[i]))
            errors_add(errors, (struct place){0}, "%s", more->texts[i]);
}

static void add_cost(struct run_cost *cost, struct run_cost more)
{
    cost->requests += more.requests;
    cost->time_ns += more.time_ns;
    cost->bytes = more.bytes > cost->bytes ? more.bytes : cost->bytes;
}

static void read_chunk(const struct reader *reader, uint64_t begin, struct chunk *out)
{
    const struct readable *r = reader->readable;
    uint64_t end = begin + CHUNK < reader->points ? begin + CHUNK : reader->points;
    const char **values = must_alloc(r->plan->sweep_count, sizeof *values);
    for (uint64_t i = begin; i < end && out->errors.left_out == 0 && *interrupt_flag() == 0; i++) {
        struct errors of_point = {0};
        sweep_values(r->plan, i, values);
        struct plan *plan =
            point_plan(r->source, r->plan, r->knobs, values, r->plan->sweep_count, &of_point);
        if (plan != NULL)
            add_cost(&out->cost, run_estimate(plan, r->exact_limit));
        plan_free(plan);
        tell_once(&out->errors, &of_point);
        errors_free(&of_point);
    }
    free(values);
}

static void *work(void *self)
{
    struct reader *reader = self;
    for (;;) {
        uint64_t next = atomic_fetch_add(&reader->next, 1);
        if (next >= reader->count)
            return NULL;
        read_chunk(reader, next * CHUNK, &reader->chunks[next]);
    }
}

bool readable_all(struct readable *readable, unsigned threads, struct errors *errors)
{
    uint64_t points = sweep_points(readable->plan), count = (points + CHUNK - 1) / CHUNK;
    struct reader reader = {.readable = readable, .points = points, .count = count};
    reader.chunks = must_alloc(count, sizeof *reader.chunks);
    unsigned wanted = threads_of(threads), started = 0;
    pthread_t *others = must_alloc(wanted, sizeof *others);
    while (started + 1 < wanted && started + 1 < count &&
           thread_begin(&others[started], started + 1, wanted, work, &reader))
        started++;
    work(&reader);
    while (started > 0)
        pthread_join(others[--started], NULL);
    for (uint64_t i = 0; i < count; i++) {
        if (errors->left_out == 0)
            tell_once(errors, &reader.chunks[i].errors);
        add_cost(&readable->cost, reader.chunks[i].cost);
        errors_free(&reader.chunks[i].errors);
    }
    free(others);
    free(reader.chunks);
    return errors->count == 0 && *interrupt_flag() == 0;
}
