/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/result.h"

#include <math.h>
#include <stdlib.h>

static void recorder_result_init(struct recorder_result *r, const struct plan *plan)
{
    r->cells = must_alloc(plan->report.percentile_count, sizeof *r->cells);
    r->above = must_alloc(plan->report.above_count, sizeof *r->above);
    for (size_t i = 0; i < plan->report.percentile_count; i++)
        r->cells[i].detectable = r->cells[i].clusters = r->cells[i].p_value = r->cells[i].ratio =
            r->cells[i].wander = NAN;
    for (size_t i = 0; i < plan->report.above_count; i++)
        r->above[i].share = NAN;
}

static void load_result_init(struct load_result *l)
{
    l->offered_per_s = l->achieved_per_s = l->answered_per_s = l->goodput_per_s = l->amplification =
        l->in_flight_mean = NAN;
    for (size_t s = 0; s < STAGE_COUNT; s++)
        l->utilisation[s] = NAN;
}

struct result *result_new(const struct plan *plan)
{
    struct result *result = must_alloc(1, sizeof *result);
    result->plan = plan;
    result->loads = must_alloc(plan->load_count, sizeof *result->loads);
    result->recorders = must_alloc(plan->recorder_count, sizeof *result->recorders);
    for (size_t i = 0; i < plan->load_count; i++)
        load_result_init(&result->loads[i]);
    for (size_t i = 0; i < plan->recorder_count; i++)
        recorder_result_init(&result->recorders[i], plan);
    return result;
}

static void recorder_result_free(struct recorder_result *r, const struct plan *plan)
{
    for (size_t i = 0; i < plan->report.percentile_count; i++) {
        free(r->cells[i].why);
        free(r->cells[i].interval_found);
    }
    for (size_t i = 0; i < r->warning_count; i++)
        free(r->warnings[i]);
    for (size_t i = 0; i < r->group_count; i++) {
        free(r->groups[i].label);
        free(r->groups[i].cells);
    }
    free(r->groups);
    free(r->group_text);
    free(r->cells);
    free(r->above);
    free(r->law_why);
    free(r->law_note);
    free(r->tally_why);
    free(r->correction_text);
    free(r->store_text);
    free(r->rank_text);
    free(r->warnings);
}

void result_free(struct result *result)
{
    if (result == NULL)
        return;
    for (size_t i = 0; i < result->plan->recorder_count; i++)
        recorder_result_free(&result->recorders[i], result->plan);
    for (size_t i = 0; i < result->plan->load_count; i++)
        free(result->loads[i].text);
    for (size_t i = 0; i < result->identity_count; i++)
        free(result->identities[i].why);
    for (size_t i = 0; i < result->gate_count; i++)
        free(result->gates[i].reason);
    for (size_t i = 0; i < result->expect_count; i++)
        free(result->expects[i].found);
    free(result->loads);
    free(result->recorders);
    free(result->identities);
    free(result->gates);
    free(result->expects);
    free(result->server_text);
    free(result->sizing);
    free(result);
}
