/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/arrivals/arrivals.h"
#include "models/distributions/distribution.h"
#include "models/registry.h"

static const struct field fields[] = {
    {"gap", FIELD_VARIANT, offsetof(struct gaps, gap), .required = true, .set = &set_distributions,
     .says = "the time from one request to the next"},
};

static double mean_gap_ns(const void *params)
{
    const struct gaps *g = params;
    return distribution(g->gap)->mean_ns(g->gap.params);
}

static const char *refuses(const void *params)
{
    return mean_gap_ns(params) > 0.0 ? NULL : "every gap is zero: all requests would be due at 0";
}

static bool is_random(const void *params)
{
    const struct gaps *g = params;
    return distribution(g->gap)->random;
}

/* Integer sums of rounded gaps, stopped at the clock's end. */
static size_t due(const void *params, struct arrival_cursor *cursor, ns_t *out_ns, size_t count)
{
    const struct gaps *g = params;
    ns_t now_ns = cursor->last_ns;
    distribution(g->gap)->draw(g->gap.params, cursor->stream, cursor->next, out_ns, count);
    for (size_t i = 0; i < count; i++) {
        now_ns = out_ns[i] < NS_LIMIT - now_ns ? now_ns + out_ns[i] : NS_LIMIT;
        out_ns[i] = now_ns;
    }
    cursor->next += count;
    cursor->last_ns = now_ns;
    return count;
}

const struct arrivals_type arrivals_gaps = {
    .is = {"gaps", "independent gaps of any distribution, the first request after one gap", fields,
           FIELD_COUNT_OF(fields), sizeof(struct gaps), refuses},
    .random = true,
    .is_random = is_random,
    .paced = false,
    .mean_gap_ns = mean_gap_ns,
    .due = due,
};
