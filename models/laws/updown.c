/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/updown.h"

#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/stalls/stall.h"

static bool is_exponential(struct choice c, double *mean_ns)
{
    if (c.type != &distribution_exponential.is)
        return false;
    *mean_ns = (double)((const struct exponential *)c.params)->mean_ns;
    return true;
}

bool updown_of(const struct server *server, struct updown *out, char why[LAW_WHY_SIZE])
{
    const struct stall *only = NULL;
    size_t count = 0;
    for (size_t i = 0; i < server->stall_count; i++) {
        if (!domain_strikes_server(&server->stalls[i]))
            continue;
        if (server->stalls[i].up.type != NULL)
            only = &server->stalls[i];
        count++;
    }
    if (only == NULL)
        return law_refuses(why, LAW_ELSEWHERE "stalls that come and go at random.");
    if (!is_exponential(server->service, &out->service_ns))
        return law_refuses(why, LAW_ELSEWHERE "exponential service.");
    if (count > 1)
        return law_refuses(why, "There are several stalls, and the law is that of one.");
    if (only->mode != &stall_suspend)
        return law_refuses(why,
                           "The stalls are no suspends, and the law is that of work that stops "
                           "and is taken up again.");
    if (!is_exponential(only->up, &out->up_ns) || !is_exponential(only->down, &out->down_ns))
        return law_refuses(why, "The times up and down are not both exponential.");
    if (server->workers != 1 || server->replicas > 1)
        return law_refuses(why, "With random stalls the law is that of one worker.");
    if (out->up_ns < NS_PER_US || out->down_ns < NS_PER_US || out->service_ns < NS_PER_US)
        return law_refuses(why, "The mean service time, time up or time down is below 1 us, where "
                                "rounding durations to whole ns shows in the law.");
    return true;
}
