/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/arrivals/arrivals.h"
#include "models/base/draw_kernels.h"
#include "models/base/maths.h"

/* Integer sums of rounded exponential gaps; the first request is due after one gap. */
static size_t due(const void *params, struct arrival_cursor *cursor, ns_t *out_ns, size_t count)
{
    (void)params;
    exponential_draws(cursor->stream, cursor->next, pace_mean_ns(cursor->pace), out_ns, count);
    cursor->next += count;
    cursor->last_ns = draw_kernels()->sums(cursor->last_ns, out_ns, count);
    return count;
}

const struct arrivals_type arrivals_poisson = {
    .is = {"poisson", "independent exponential gaps, the first request after one gap", NULL, 0, 0,
           NULL},
    .random = true,
    .paced = true,
    .due = due,
};
