/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/arrivals/arrivals.h"
#include "models/base/maths.h"

static const struct field fields[] = {
    {"size", FIELD_COUNT, offsetof(struct bursts, size), .required = true, .min = 1,
     .says = "requests of a burst; the mean rate stays the load's"},
    {"apart", FIELD_DURATION, offsetof(struct bursts, apart_ns), .absent = "0",
     .says = "the time from one request of a burst to the next"},
    {"random", FIELD_BOOL, offsetof(struct bursts, random), .absent = "false",
     .says = "the time from a burst's last request to the next burst is exponential"},
};

/* Compared as n T > length, where the length may be beyond the clock. */
static const char *refuses_pace(const void *params, struct pace pace)
{
    const struct bursts *b = params;
    u128 length_ns = (u128)b->apart_ns * (b->size - 1);
    if (length_ns >= NS_LIMIT || length_ns * pace.den >= (u128)b->size * pace.num)
        return "a burst lasts until the next one begins; make size or apart smaller";
    return NULL;
}

static bool is_random(const void *params)
{
    const struct bursts *b = params;
    return b->random;
}

/* Burst k begins at the even instant of its first request. */
static ns_t even_due(const struct bursts *b, struct pace pace, uint64_t i)
{
    u128 due_ns = (u128)pace_due(pace, i - i % b->size) + (u128)(i % b->size) * b->apart_ns;
    return due_ns < NS_LIMIT ? (ns_t)due_ns : NS_LIMIT;
}

/* After the last request: `apart` inside a burst, else an exponential pause. */
static ns_t random_due(const struct bursts *b, const struct arrival_cursor *cursor, uint64_t i)
{
    ns_t gap_ns = b->apart_ns;
    if (i % b->size == 0) {
        double size = (double)b->size,
               mean_ns = (double)cursor->pace.num / (double)cursor->pace.den;
        double pause_ns = mean_ns * size - (double)b->apart_ns * (size - 1.0);
        exponential_draws(cursor->stream, i / b->size, pause_ns > 0.0 ? pause_ns : 0.0, &gap_ns, 1);
    }
    return gap_ns < NS_LIMIT - cursor->last_ns ? cursor->last_ns + gap_ns : NS_LIMIT;
}

static size_t due(const void *params, struct arrival_cursor *cursor, ns_t *out_ns, size_t count)
{
    const struct bursts *b = params;
    for (size_t i = 0; i < count; i++) {
        uint64_t index = cursor->next++;
        cursor->last_ns = out_ns[i] =
            b->random ? random_due(b, cursor, index) : even_due(b, cursor->pace, index);
    }
    return count;
}

const struct arrivals_type arrivals_bursts = {
    .is = {"bursts", "several at a time, at the same mean rate", fields, FIELD_COUNT_OF(fields),
           sizeof(struct bursts), NULL},
    .random = false,
    .is_random = is_random,
    .paced = true,
    .refuses_pace = refuses_pace,
    .due = due,
};
