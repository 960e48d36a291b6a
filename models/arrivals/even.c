/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/arrivals/arrivals.h"

/* From the index, never by repeated addition: 1e9/3 ns rounded would lose a slot in 1e9. */
static size_t due(const void *params, struct arrival_cursor *cursor, ns_t *out_ns, size_t count)
{
    (void)params;
    for (size_t i = 0; i < count; i++)
        out_ns[i] = pace_due(cursor->pace, cursor->next + i);
    cursor->next += count;
    cursor->last_ns = out_ns[count - 1];
    return count;
}

const struct arrivals_type arrivals_even = {
    .is = {"even", "one every interval, the first at 0", NULL, 0, 0, NULL},
    .random = false,
    .paced = true,
    .due = due,
};
