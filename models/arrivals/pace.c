/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/arrivals/arrivals.h"

struct pace pace_of(struct ratio rate_per_s, ns_t every_ns)
{
    if (rate_per_s.num == 0)
        return (struct pace){every_ns, 1};
    /* 1e9 * den / num in lowest terms; num and den have no common factor already. */
    uint64_t g = gcd_u64(NS_PER_S, rate_per_s.num);
    u128 num = (u128)(NS_PER_S / g) * rate_per_s.den;
    return (struct pace){num < NS_LIMIT ? (uint64_t)num : NS_LIMIT, rate_per_s.num / g};
}

char *pace_describe(struct ratio rate_per_s, ns_t every_ns)
{
    char every[32];
    if (rate_per_s.num != 0)
        return must_format("%.15g/s", ratio_double(rate_per_s));
    duration_format(every_ns, every);
    return must_format("every %s", every);
}
