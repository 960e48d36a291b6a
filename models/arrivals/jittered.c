/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/arrivals/arrivals.h"

static const struct field fields[] = {
    {"jitter", FIELD_DURATION, offsetof(struct jittered, jitter_ns), .required = true,
     .says = "each request is due up to so much later than its even instant, uniformly"},
};

static const char *refuses_pace(const void *params, struct pace pace)
{
    const struct jittered *j = params;
    return (u128)j->jitter_ns * pace.den <= pace.num
               ? NULL
               : "a jitter above the interval would put requests out of order";
}

/* A jitter of at most 1 ns moves nothing. */
static bool is_random(const void *params)
{
    const struct jittered *j = params;
    return j->jitter_ns > 1;
}

/* In order without more ado: the jitter is a whole number and at most the interval, so that two
   even instants are at least the jitter apart. */
static size_t due(const void *params, struct arrival_cursor *cursor, ns_t *out_ns, size_t count)
{
    const struct jittered *j = params;
    for (size_t i = 0; i < count; i++) {
        uint64_t index = cursor->next + i;
        ns_t due_ns =
            pace_due(cursor->pace, index) + below(stream_word(cursor->stream, index), j->jitter_ns);
        out_ns[i] = due_ns < NS_LIMIT ? due_ns : NS_LIMIT;
    }
    cursor->next += count;
    cursor->last_ns = out_ns[count - 1];
    return count;
}

const struct arrivals_type arrivals_jittered = {
    .is = {"jittered", "one every interval, each a little late at random", fields,
           FIELD_COUNT_OF(fields), sizeof(struct jittered), NULL},
    .random = true,
    .is_random = is_random,
    .paced = true,
    .refuses_pace = refuses_pace,
    .due = due,
};
