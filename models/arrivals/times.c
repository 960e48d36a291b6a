/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/arrivals/arrivals.h"

static const struct field fields[] = {
    {"at", FIELD_DURATIONS, offsetof(struct times, at), .required = true, .ascending = true,
     .says = "the due instants, none before the one ahead of it"},
};

static const char *refuses(const void *params)
{
    const struct times *t = params;
    if (t->at.count == 0)
        return "the list of times is empty";
    for (size_t i = 1; i < t->at.count; i++)
        if (t->at.ns[i] < t->at.ns[i - 1])
            return "a time is before the one ahead of it";
    return NULL;
}

static bool ends(const void *params)
{
    (void)params;
    return true;
}

static size_t due(const void *params, struct arrival_cursor *cursor, ns_t *out_ns, size_t count)
{
    const struct times *t = params;
    size_t written = 0;
    while (written < count && cursor->next < t->at.count)
        out_ns[written++] = t->at.ns[cursor->next++];
    return written;
}

const struct arrivals_type arrivals_times = {
    .is = {"times", "at the listed instants", fields, FIELD_COUNT_OF(fields), sizeof(struct times),
           refuses},
    .random = false,
    .paced = false,
    .ends = ends,
    .due = due,
};
