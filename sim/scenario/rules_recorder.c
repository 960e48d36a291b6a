/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What holds between the keys of a recorder. */

#include <stdlib.h>

#include "models/loads/load.h"
#include "models/ranks/rank.h"
#include "models/registry.h"
#include "sim/scenario/fields.h"
#include "sim/scenario/rules.h"

/* A recorder's rank rule is the report's where it names none. */
static void default_rank(struct reading *r, struct recorder_plan *recorder)
{
    uint32_t report = member(r, 0, "report");
    uint32_t rank = report == SCAN_NONE ? SCAN_NONE : member(r, report, "rank");
    if (rank == SCAN_NONE)
        recorder->rank = (struct choice){&rank_nearest.is, NULL};
    else
        read_variant(r, &set_ranks, rank, &recorder->rank);
}

static void check_stopwatch(struct reading *r, uint32_t value, const struct recorder_plan *recorder)
{
    uint32_t from = member(r, value, "from"), to = member(r, value, "to");
    bool good = has_good(r, value, "from") && (to == SCAN_NONE || has_good(r, value, "to"));
    bool to_finish = recorder->to == INSTANT_FINISHED && recorder->from != INSTANT_FINISHED;
    bool send_lag = recorder->from == INSTANT_DUE && recorder->to == INSTANT_SENT;
    if (!good || to_finish || send_lag)
        return;
    char *first = shown(r, from),
         *second = to == SCAN_NONE ? must_copy("\"finished\"") : shown(r, to);
    fault_at(r, to == SCAN_NONE ? from : to,
             "found a stopwatch from %s to %s; allowed: from \"due\", \"acquired\", \"sent\" or "
             "\"started\" to \"finished\", or from \"due\" to \"sent\" (send lag)%s",
             first, second,
             recorder->to == INSTANT_STARTED ? "; or \"part\": \"queue\" alone, the time in queue"
                                             : "");
    free(first);
    free(second);
}

/* A part of a response time has no stopwatch and no correction. */
static void check_part(struct reading *r, uint32_t value, struct recorder_plan *recorder)
{
    static const char *const others[] = {"from", "to", "correction", "expected_interval"};
    recorder->from = INSTANT_SENT;
    for (size_t i = 0; i < 4; i++) {
        if (!has(r, value, others[i]))
            continue;
        fault_at_key(r, member(r, value, others[i]),
                     i < 2 ? "\"%s\" stands beside \"part\"; allowed: from and to, or part"
                           : "\"%s\" stands beside \"part\"; allowed: beside \"from\", as what was "
                             "held back has no parts",
                     others[i]);
    }
}

/* Groups must be there, and only they can be averaged. */
static void check_groups(struct reading *r, uint32_t value, const struct recorder_plan *recorder)
{
    if (has_good(r, value, "per") && recorder->per == PER_CLIENT && recorder->load != NO_INDEX &&
        load_kind(r->plan->loads[recorder->load].kind) == &load_open)
        fault_at(r, member(r, value, "per"),
                 "found \"client\" on an open load, which has none; allowed: on a closed or paced "
                 "load or one of sessions");
    bool known = !has(r, value, "per") || has_good(r, value, "per");
    if (has_good(r, value, "merge") && known && recorder->merge == MERGE_AVERAGE &&
        recorder->per == PER_RUN)
        fault_at(r, member(r, value, "merge"),
                 "found an average of one histogram; allowed: beside \"per\" for clients, replicas "
                 "or windows");
}

static void check_truth(struct reading *r, uint32_t value, struct choice load)
{
    struct open_load offered;
    if (load.type != NULL && !load_kind(load)->offers(load.params, &offered))
        fault_at(r, value, "found a %s load, which offers no rate; allowed: an open or paced load",
                 load.type->name);
}

void rules_recorder(struct reading *r, uint32_t value, void *read)
{
    struct recorder_plan *recorder = read;
    const struct plan *plan = r->plan;
    if (member(r, value, "rank") == SCAN_NONE)
        default_rank(r, recorder);
    uint32_t warmup = member(r, value, "warmup");
    if (warmup == SCAN_NONE)
        recorder->warmup_ns = plan->run.warmup_ns;
    else if (plan->run.duration_ns != 0 && has_good(r, value, "warmup") &&
             recorder->warmup_ns >= plan->run.duration_ns)
        fault_at(r, warmup,
                 "found a warm-up that leaves nothing; allowed: less than the run's duration");
    if (has(r, value, "part") && (!has_good(r, value, "part") || recorder->part != PART_NONE))
        check_part(r, value, recorder);
    else if (!has(r, value, "from"))
        fault_at(r, value, "missing key \"from\": the instant its stopwatch starts");
    else
        check_stopwatch(r, value, recorder);
    check_groups(r, value, recorder);
    if (recorder->truth != NO_INDEX && has_good(r, value, "truth"))
        check_truth(r, member(r, value, "truth"), plan->loads[recorder->truth].kind);
}
