/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/registry.h"

#include <string.h>

#include "models/arrivals/arrivals.h"
#include "models/corrections/correction.h"
#include "models/distributions/distribution.h"
#include "models/experiments/experiment.h"
#include "models/faults/fault.h"
#include "models/loads/load.h"
#include "models/policies/late.h"
#include "models/policies/resend.h"
#include "models/queues/queue.h"
#include "models/ranks/rank.h"
#include "models/routing/routing.h"
#include "models/schedulers/scheduler.h"
#include "models/stalls/stall.h"
#include "models/stores/store.h"
#include "registry_list.h"

/* Each kind: declare every constant, then gather their heads (the first member of each). */
#define X(name) extern const struct distribution_type distribution_##name;
LIST_DISTRIBUTIONS
#undef X
#define X(name) extern const struct arrivals_type arrivals_##name;
LIST_ARRIVALS
#undef X
#define X(name) extern const struct load_type load_##name;
LIST_LOADS
#undef X
#define X(name) extern const struct late_type late_##name;
LIST_LATE
#undef X
#define X(name) extern const struct resend_type resend_##name;
LIST_RESEND
#undef X
#define X(name) extern const struct queue_type queue_##name;
LIST_QUEUES
#undef X
#define X(name) extern const struct routing_type routing_##name;
LIST_ROUTING
#undef X
#define X(name) extern const struct stall_type stall_##name;
LIST_STALLS
#undef X
#define X(name) extern const struct correction_type correction_##name;
LIST_CORRECTIONS
#undef X
#define X(name) extern const struct store_type store_##name;
LIST_STORES
#undef X
#define X(name) extern const struct rank_type rank_##name;
LIST_RANKS
#undef X
#define X(name) extern const struct experiment_type experiment_##name;
LIST_EXPERIMENTS
#undef X
#define X(name) extern const struct fault_type fault_##name;
LIST_FAULTS
#undef X

#define X(name) extern const struct scheduler_type scheduler_##name;
LIST_SCHEDULERS
#undef X

#define SET(symbol, plural, text)                                             \
    const struct variant_set set_##symbol = {plural, text, symbol##_variants, \
                                             FIELD_COUNT_OF(symbol##_variants)};

#define X(name) &distribution_##name.is,
static const struct variant *const distributions_variants[] = {LIST_DISTRIBUTIONS};
#undef X
#define X(name) &arrivals_##name.is,
static const struct variant *const arrivals_variants[] = {LIST_ARRIVALS};
#undef X
#define X(name) &load_##name.is,
static const struct variant *const loads_variants[] = {LIST_LOADS};
#undef X
#define X(name) &late_##name.is,
static const struct variant *const late_variants[] = {LIST_LATE};
#undef X
#define X(name) &resend_##name.is,
static const struct variant *const resend_variants[] = {LIST_RESEND};
#undef X
#define X(name) &queue_##name.is,
static const struct variant *const queues_variants[] = {LIST_QUEUES};
#undef X
#define X(name) &routing_##name.is,
static const struct variant *const routing_variants[] = {LIST_ROUTING};
#undef X
#define X(name) &stall_##name.is,
static const struct variant *const stalls_variants[] = {LIST_STALLS};
#undef X
#define X(name) &correction_##name.is,
static const struct variant *const corrections_variants[] = {LIST_CORRECTIONS};
#undef X
#define X(name) &store_##name.is,
static const struct variant *const stores_variants[] = {LIST_STORES};
#undef X
#define X(name) &rank_##name.is,
static const struct variant *const ranks_variants[] = {LIST_RANKS};
#undef X
#define X(name) &experiment_##name.is,
static const struct variant *const experiments_variants[] = {LIST_EXPERIMENTS};
#undef X
#define X(name) &scheduler_##name.is,
static const struct variant *const schedulers_variants[] = {LIST_SCHEDULERS};
#undef X
#define X(name) &fault_##name.is,
static const struct variant *const faults_variants[] = {LIST_FAULTS};
#undef X

SET(distributions, "distributions", "service times, gaps and think times")
SET(arrivals, "arrivals", "when the requests of an open load are due")
SET(loads, "loads", "who sends and when")
SET(late, "late", "what a paced connection does about missed slots")
SET(resend, "resend", "further copies of a request that is not answered yet")
SET(queues, "queues", "who is served next")
SET(routing, "routing", "which replica a request goes to")
SET(stalls, "stalls", "ways a server can be away")
SET(corrections, "corrections", "corrections for coordinated omission")
SET(stores, "stores", "where a recorder keeps its samples")
SET(ranks, "ranks", "which sample a percentile is")
SET(experiments, "experiments", "what several runs of one scenario show together")
SET(schedulers, "schedulers", "ways in which send loops of other people are wrong")
SET(faults, "faults", "ways in which recorders of other people are wrong")

const struct variant *variant_find(const struct variant_set *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->variants[i]->name, name) == 0)
            return set->variants[i];
    return NULL;
}
