/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/periods.h"

#include "models/laws/domain.h"
#include "models/stalls/stall.h"

bool periods_of(const struct server *server, struct periods *out, char why[LAW_WHY_SIZE])
{
    const struct stall *only = NULL;
    for (size_t i = 0; i < server->stall_count; i++) {
        const struct stall *stall = &server->stalls[i];
        if (!domain_strikes_server(stall))
            continue;
        if (stall->up.type != NULL)
            return law_refuses(why, LAW_ELSEWHERE "stalls at regular intervals.");
        if (only != NULL)
            return law_refuses(why, "There are several stalls, and the law is that of one.");
        only = stall;
    }
    if (only == NULL)
        return law_refuses(why, LAW_ELSEWHERE "a server with stalls.");
    if (only->mode != &stall_suspend)
        return law_refuses(why,
                           "The stalls are no suspends, and the law is that of work that stops "
                           "and is taken up again.");
    if (only->every_ns <= only->last_ns)
        return law_refuses(why, "The stall comes once, and the law is that of stalls at regular "
                                "intervals.");
    *out = (struct periods){.up_ns = only->every_ns - only->last_ns,
                            .down_ns = only->last_ns,
                            .period_ns = only->every_ns,
                            .begin_ns = only->first_ns};
    if (out->up_ns < NS_PER_US || out->down_ns < NS_PER_US)
        return law_refuses(why, "The stalls or the times between them are below 1 us, where "
                                "rounding to whole ns shows in the law.");
    ns_t end_ns = only->first_ns + only->last_ns;
    if (end_ns > only->every_ns)
        out->late_ns =
            (end_ns - only->every_ns + only->every_ns - 1) / only->every_ns * only->every_ns;
    return true;
}

bool periods_fill(const struct law_question *q, struct periods p, char why[LAW_WHY_SIZE])
{
    const struct run_plan *run = q->run;
    if (run->requests != 0 || run->duration_ns == 0)
        return law_refuses(why, "The run ends by a count of requests, and the law is that of a run "
                                "over whole stall periods: give it a duration.");
    if (run->duration_ns <= q->warmup_ns || (run->duration_ns - q->warmup_ns) % p.period_ns != 0)
        return law_refuses(why, "From the warm-up to the end the run is no whole number of stall "
                                "periods, and the law is that of one that is.");
    return true;
}
