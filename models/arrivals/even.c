/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/arrivals/arrivals.h"
#include "models/arrivals/even_kernels.h"

/* From the index of the first, never by repeated addition of a rounded interval: 1e9/3 ns rounded
   would lose a slot in 1e9.  From one to the next it is whole ns and what is left of them, in 1/den
   of a ns. */
static void fill(struct pace pace, uint64_t first, ns_t *out_ns, size_t count)
{
    u128 at = (u128)first * pace.num;
    ns_t due_ns = (ns_t)(at / pace.den), step_ns = pace.num / pace.den;
    uint64_t left = (uint64_t)(at % pace.den), more = pace.num % pace.den;
    if (more == 0) {
        even_kernels()->ramp(due_ns, step_ns, out_ns, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        out_ns[i] = due_ns;
        left += more;
        bool whole = left >= pace.den;
        left -= whole ? pace.den : 0;
        due_ns += step_ns + whole;
    }
}

static size_t due(const void *params, struct arrival_cursor *cursor, ns_t *out_ns, size_t count)
{
    (void)params;
    struct pace pace = cursor->pace;
    if (pace.den < NS_LIMIT && pace_due(pace, cursor->next + count) < NS_LIMIT)
        fill(pace, cursor->next, out_ns, count);
    else
        for (size_t i = 0; i < count; i++)
            out_ns[i] = pace_due(pace, cursor->next + i);
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
