/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What holds between the keys of a run and of the whole scenario. */

#include "sim/scenario/rules.h"

#include <stdlib.h>
#include <string.h>

#include "models/chance.h"
#include "models/loads/load.h"
#include "sim/scenario/sweep.h"

void rules_run(struct reading *r, uint32_t value, void *read)
{
    static const char *const lengths[] = {"requests", "duration"};
    const struct run_plan *run = read;
    for (size_t i = 0; i < 2 && has(r, value, "detect"); i++)
        if (has(r, value, lengths[i]))
            fault_at_key(r, member(r, value, lengths[i]),
                         "\"%s\" stands beside \"detect\"; allowed: one of them, as detect says "
                         "how long the run is",
                         lengths[i]);
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
    const struct sessions_load *sessions = load->kind.params;
    if (load->kind.type == &load_sessions.is)
        return arrivals_end(sessions->arrivals);
    return load->kind.type == &load_open.is && arrivals_end(open->arrivals);
}

static void check_end(struct reading *r, const struct plan *plan)
{
    uint32_t run = member(r, 0, "run");
    bool said =
        run != SCAN_NONE && (r->scan.values[run].bad || member(r, run, "requests") != SCAN_NONE ||
                             member(r, run, "duration") != SCAN_NONE || has(r, run, "detect"));
    for (size_t i = 0; i < plan->load_count && !said; i++) {
        if (ends_itself(&plan->loads[i]))
            continue;
        char *name = must_format("%.60s", plan->loads[i].name);
        fault_at(r, run == SCAN_NONE ? 0 : run,
                 "missing key \"requests\", \"duration\" or \"detect\"%s: load \"%s\" never ends "
                 "by itself",
                 run == SCAN_NONE ? " in \"run\"" : "", name);
        free(name);
        said = true;
    }
}

static const struct field *field_of(const struct variant *type, const char *key,
                                    enum field_kind kind)
{
    for (size_t i = 0; i < type->field_count; i++)
        if (type->fields[i].kind == kind && strcmp(type->fields[i].key, key) == 0)
            return &type->fields[i];
    return NULL;
}

/* The rate or the interval of a load that has one, whatever its kind. */
static bool pace_parts(const struct choice *kind, struct ratio *rate_per_s, ns_t *every_ns)
{
    const struct field *rate = field_of(kind->type, "rate", FIELD_RATIO);
    const struct field *every = field_of(kind->type, "every", FIELD_DURATION);
    if (rate == NULL || every == NULL)
        return false;
    memcpy(rate_per_s, (const char *)kind->params + rate->offset, sizeof *rate_per_s);
    memcpy(every_ns, (const char *)kind->params + every->offset, sizeof *every_ns);
    return rate_per_s->num != 0 || *every_ns != 0;
}

/* Mean intervals and whole runs must fit the clock. */
static void check_pace(struct reading *r, const struct plan *plan, const struct load_plan *load)
{
    struct ratio rate = {0, 1};
    ns_t every_ns = 0;
    if (!pace_parts(&load->kind, &rate, &every_ns))
        return;
    u128 num = rate.num == 0 ? every_ns : (u128)NS_PER_S * rate.den;
    uint64_t den = rate.num == 0 ? 1 : rate.num;
    uint32_t kind = member(r, load_value(r, load), load->kind.type->name);
    if (num / den >= NS_LIMIT || num / gcd_u64(NS_PER_S, den) >= NS_LIMIT) {
        fault_at(
            r, has(r, kind, "rate") ? member(r, kind, "rate") : kind, /* it may stand alone */
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
    bool random = chance_in_server(&plan->server);
    for (size_t i = 0; i < plan->load_count; i++)
        random |= chance_in_load(&plan->loads[i]);
    return random;
}

/* What detect asks for must be judged, and can only be asked of something random. */
static void check_detect(struct reading *r, const struct plan *plan, bool random)
{
    struct ratio p = plan->run.detect_p;
    if (p.num == 0)
        return;
    uint32_t detect = member(r, member(r, 0, "run"), "detect");
    if (!random) {
        fault_at_key(r, detect,
                     "found \"detect\" where nothing is random; allowed: \"requests\" or "
                     "\"duration\", as an exact check finds any error");
        return;
    }
    for (size_t i = 0; i < plan->recorder_count; i++) {
        if (plan->recorders[i].merge != MERGE_AVERAGE)
            continue;
        char *name = must_format("%.60s", plan->recorders[i].name);
        fault_at_key(r, detect,
                     "found \"detect\" where recorder \"%s\" averages percentiles, which no check "
                     "judges; allowed: \"requests\" or \"duration\"",
                     name);
        free(name);
        return;
    }
    struct names names = {0};
    bool reported = false;
    for (size_t i = 0; i < plan->report.percentile_count; i++) {
        struct ratio other = plan->report.percentiles[i].p;
        reported |= (u128)other.num * p.den == (u128)p.num * other.den;
        if (other.num > 0 && other.num < other.den)
            names_add(&names, plan->report.percentiles[i].text);
    }
    uint32_t value = member(r, detect, "percentile");
    char *hint = names_hint(&names, ""), *found = shown(r, value);
    if (!reported)
        fault_at(r, value, "found %s, which the report does not show%s", found, hint);
    free(found);
    free(hint);
}

/* A server that is never there answers nothing. */
static void check_random_stalls(struct reading *r, const struct server *server)
{
    uint32_t list = member(r, member(r, 0, "server"), "stalls");
    uint32_t value = list == SCAN_NONE ? SCAN_NONE : scan_first(&r->scan, list);
    for (size_t i = 0; i < server->stall_count; i++, value = scan_beside(&r->scan, value)) {
        struct choice up = server->stalls[i].up;
        if (up.type != NULL && !(distribution(up)->mean_ns(up.params) > 0))
            fault_at(r, member(r, value, "up"),
                     "found times that are always 0; allowed: some above 0, or the server never "
                     "comes back");
    }
}

/* Stalls and budgets of sending need a load that pays for it. */
static void check_generators(struct reading *r, const struct plan *plan)
{
    uint32_t server = member(r, 0, "server"), list = member(r, server, "stalls");
    uint32_t value = list == SCAN_NONE ? SCAN_NONE : scan_first(&r->scan, list);
    bool any = false;
    for (size_t i = 0; i < plan->load_count; i++)
        any |= plan->loads[i].generator.cost_ns != 0;
    if (any)
        return;
    static const char where[] = "where sending costs no load anything; allowed: beside a load with "
                                "a \"generator\"";
    for (size_t i = 0; i < plan->server.stall_count; i++, value = scan_beside(&r->scan, value))
        if (plan->server.stalls[i].target == TARGET_GENERATOR)
            fault_at(r, member(r, value, "target"), "found \"generator\", %s", where);
    if (plan->server.quota.shared)
        fault_at(r, member(r, member(r, server, "quota"), "shared"), "found a shared quota, %s",
                 where);
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
    check_random_stalls(r, &plan->server);
    check_generators(r, plan);
    bool random = is_random(plan);
    check_detect(r, plan, random);
    if (plan->run.replications > 1 && !random)
        fault_at(
            r, member(r, member(r, 0, "run"), "replications"),
            "found %llu; allowed: 1, as nothing here is random and every replication would be the "
            "same",
            (unsigned long long)plan->run.replications);
    if (!r->failed)
        check_sweep(r, plan);
    if (plan->run.replications == 0)
        plan->run.replications = random ? 32 : 1;
}
