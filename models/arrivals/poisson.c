/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/arrivals/arrivals.h"
#include "models/base/maths.h"

/* Integer sums of rounded exponential gaps; the first request is due after one gap. */
static size_t due(const void *params, struct arrival_cursor *cursor, ns_t *out_ns, size_t count)
{
    (void)params;
    double mean_ns = (double)cursor->pace.num / (double)cursor->pace.den;
    ns_t now_ns = cursor->last_ns;
    exponential_draws(cursor->stream, cursor->next, mean_ns, out_ns, count);
    for (size_t i = 0; i < count; i++)
        out_ns[i] = now_ns += out_ns[i];
    cursor->next += count;
    cursor->last_ns = now_ns;
    return count;
}

const struct arrivals_type arrivals_poisson = {
    .is = {"poisson", "independent exponential gaps, the first request after one gap", NULL, 0, 0,
           NULL},
    .random = true,
    .paced = true,
    .due = due,
};
