/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/ran.h"

#include <stdlib.h>

/* "FAILS" before "holds" before nothing; expectations and identities are not of one recorder and
   count for all. */
static const char *checks_word(const struct result *result, size_t recorder)
{
    const struct recorder_result *r = &result->recorders[recorder];
    bool holds = r->tally_holds == VERDICT_HOLDS, fails = r->tally_holds == VERDICT_FAILS;
    for (size_t i = 0; i < result->plan->report.percentile_count; i++) {
        holds |= r->cells[i].holds == VERDICT_HOLDS;
        fails |= r->cells[i].holds == VERDICT_FAILS;
    }
    for (size_t i = 0; i < result->plan->report.above_count; i++)
        fails |= r->above[i].holds == VERDICT_FAILS;
    for (size_t i = 0; i < result->expect_count; i++)
        fails |= !result->expects[i].holds;
    for (size_t i = 0; i < result->identity_count; i++)
        fails |= !result->identities[i].holds;
    return fails ? "FAILS" : holds ? "holds" : "";
}

void ran_keep(struct ran *ran, const struct result *result)
{
    ran->end = RAN_BROKEN;
    if (result == NULL || result->interrupted)
        return;
    ran->end = RAN_WHOLE;
    ran->seen = seen_of(result, 0);
    ran->scale = scale_of(result);
    ran->fails = result->holds == VERDICT_FAILS;
    ran->checks = must_alloc(ran->seen.recorder_count, sizeof *ran->checks);
    for (size_t k = 0; k < ran->seen.recorder_count; k++)
        ran->checks[k] = checks_word(result, k);
}

void ran_free(struct ran *ran)
{
    errors_free(&ran->errors);
    seen_free(&ran->seen);
    free(ran->checks);
}
