/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/scenario/rules.h"

#include <stdlib.h>
#include <string.h>

#include "models/loads/load.h"
#include "models/ranks/rank.h"
#include "models/registry.h"
#include "models/stalls/stall.h"
#include "sim/scenario/fields.h"

void rules_stall(struct reading *r, uint32_t value, void *read)
{
    const struct stall *stall = read;
    if (!has_good(r, value, "every") || !has_good(r, value, "last") ||
        stall->last_ns < stall->every_ns)
        return;
    uint32_t last = member(r, value, "last"), every = member(r, value, "every");
    char *found = shown(r, last), *limit = shown(r, every);
    fault_at(r, last, "found %s; allowed: less than every (%s), or the server never comes back",
             found, limit);
    free(found);
    free(limit);
}

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
             "\"started\" to \"finished\", or from \"due\" to \"sent\" (send lag)",
             first, second);
    free(first);
    free(second);
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
    check_stopwatch(r, value, recorder);
    if (recorder->truth != NO_INDEX && has_good(r, value, "truth") &&
        plan->loads[recorder->truth].kind.type == &load_closed.is)
        fault_at(r, member(r, value, "truth"),
                 "found a closed load, which offers no rate; allowed: an open or paced load");
}

void rules_run(struct reading *r, uint32_t value, void *read)
{
    const struct run_plan *run = read;
    if (has_good(r, value, "warmup") && has_good(r, value, "duration") &&
        run->warmup_ns >= run->duration_ns)
        fault_at(r, member(r, value, "warmup"),
                 "found a warm-up that leaves nothing; allowed: less than the duration");
}

/* The value of a load in the scenario. */
static uint32_t load_value(const struct reading *r, const struct load_plan *load)
{
    return member(r, member(r, 0, "loads"), load->name);
}

static bool ends_itself(const struct load_plan *load)
{
    const struct open_load *open = load->kind.params;
    return load->kind.type == &load_open.is && open->arrivals.type != NULL &&
           !arrivals(open->arrivals)->paced;
}

static void check_end(struct reading *r, const struct plan *plan)
{
    uint32_t run = member(r, 0, "run");
    bool said =
        run != SCAN_NONE && (r->scan.values[run].bad || member(r, run, "requests") != SCAN_NONE ||
                             member(r, run, "duration") != SCAN_NONE);
    for (size_t i = 0; i < plan->load_count && !said; i++) {
        if (ends_itself(&plan->loads[i]))
            continue;
        char *name = must_format("%.60s", plan->loads[i].name);
        fault_at(r, run == SCAN_NONE ? 0 : run,
                 "missing key \"requests\" or \"duration\"%s: load \"%s\" never ends by itself",
                 run == SCAN_NONE ? " in \"run\"" : "", name);
        free(name);
        said = true;
    }
}

/* Mean intervals and whole runs must fit the clock. */
static void check_pace(struct reading *r, const struct plan *plan, const struct load_plan *load)
{
    struct ratio rate = {0, 1};
    ns_t every_ns = 0;
    if (load->kind.type == &load_open.is) {
        const struct open_load *open = load->kind.params;
        rate = open->rate_per_s;
        every_ns = open->every_ns;
    } else if (load->kind.type == &load_paced.is) {
        const struct paced_load *paced = load->kind.params;
        rate = paced->rate_per_s;
        every_ns = paced->every_ns;
    }
    if (rate.num == 0 && every_ns == 0)
        return;
    u128 num = rate.num == 0 ? every_ns : (u128)NS_PER_S * rate.den;
    uint64_t den = rate.num == 0 ? 1 : rate.num;
    uint32_t kind = member(r, load_value(r, load), load->kind.type->name);
    if (num / den >= NS_LIMIT || num / gcd_u64(NS_PER_S, den) >= NS_LIMIT) {
        fault_at(
            r, member(r, kind, "rate"),
            "found a rate whose exact interval does not fit 62 bits; allowed: fewer decimals, or "
            "every instead");
        return;
    }
    uint32_t run = member(r, 0, "run");
    bool long_run = plan->run.requests > 1 && plan->run.duration_ns == 0 &&
                    (u128)(plan->run.requests - 1) > (u128)NS_LIMIT * den / num;
    if (long_run && has_good(r, run, "requests"))
        fault_at(
            r, member(r, run, "requests"),
            "found a run of more than 146 years; allowed: fewer requests, or a duration beside "
            "them");
}

static bool is_random(const struct plan *plan)
{
    bool random = distribution(plan->server.service)->random;
    for (size_t i = 0; i < plan->load_count; i++)
        random |= load_kind(plan->loads[i].kind)->random(plan->loads[i].kind.params);
    return random;
}

void rules_scenario(struct reading *r, uint32_t value, void *read)
{
    struct plan *plan = read;
    (void)value;
    check_end(r, plan);
    if (r->failed)
        return;
    for (size_t i = 0; i < plan->load_count; i++)
        check_pace(r, plan, &plan->loads[i]);
    bool random = is_random(plan);
    if (plan->run.replications > 1 && !random)
        fault_at(
            r, member(r, member(r, 0, "run"), "replications"),
            "found %llu; allowed: 1, as nothing here is random and every replication would be the "
            "same",
            (unsigned long long)plan->run.replications);
    if (plan->run.replications == 0)
        plan->run.replications = random ? 32 : 1;
}
