/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/scenario/rules.h"

#include <stdlib.h>
#include <string.h>

#include "models/loads/load.h"
#include "models/ranks/rank.h"
#include "models/registry.h"
#include "models/routing/routing.h"
#include "models/stalls/stall.h"
#include "sim/scenario/fields.h"

/* Values faulted before are bad, and then these rules say no more. */
static bool has(const struct reading *r, uint32_t object, const char *key)
{
    return member(r, object, key) != SCAN_NONE;
}

void rules_server(struct reading *r, uint32_t value, void *read)
{
    const struct server *server = read;
    bool alone = !has(r, value, "replicas") || has_good(r, value, "replicas");
    if (alone && server->replicas == 1 && has(r, value, "routing"))
        fault_at_key(r, member(r, value, "routing"),
                     "found a routing rule where there is one server; allowed: beside \"replicas\" "
                     "above 1");
}

/* True where the parts of a request have a replica each, or the server is wrong anyway. */
static bool parts_fit(const struct reading *r, const struct load_plan *load)
{
    uint32_t server = member(r, 0, "server");
    bool known = server != SCAN_NONE && type_of(r, server) == SCAN_OBJECT &&
                 (!has(r, server, "replicas") || has_good(r, server, "replicas"));
    return !known || load->fan_out <= r->plan->server.replicas;
}

void rules_load(struct reading *r, uint32_t value, void *read)
{
    struct load_plan *load = read;
    scan_place(&r->scan, r->scan.values[value].key_start - 1, &r->load_place);
    load->line = r->load_place.line;
    load->column = r->load_place.column;
    const char *resend = load->resend.type == NULL ? NULL : load->resend.type->name;
    if (has_good(r, value, "fan_out") && load->fan_out > 1 && resend != NULL)
        fault_at_key(r, member(r, value, resend),
                     "\"%s\" stands beside a \"fan_out\" of %llu; allowed: copies of whole "
                     "requests, or parts without copies",
                     resend, (unsigned long long)load->fan_out);
    if (has_good(r, value, "fan_out") && !parts_fit(r, load))
        fault_at(r, member(r, value, "fan_out"),
                 "found %llu parts; allowed: at most one for each of the server's replicas, of "
                 "which there %s %llu",
                 (unsigned long long)load->fan_out, r->plan->server.replicas == 1 ? "is" : "are",
                 (unsigned long long)r->plan->server.replicas);
}

/* Which keys a stall has: up and down, or first and last with or without every. */
static bool check_stall_keys(struct reading *r, uint32_t value)
{
    static const char *const planned[] = {"first", "every", "last"};
    bool up = has(r, value, "up"), down = has(r, value, "down"), good = true;
    if (!up && !down) {
        for (size_t i = 0; i < 3; i += 2) {
            if (has(r, value, planned[i]))
                continue;
            fault_at(r, value, "missing key \"%s\": %s; or give up and down, of random stalls",
                     planned[i], i == 0 ? "when the first one begins" : "how long each lasts");
            good = false;
        }
        return good;
    }
    for (size_t i = 0; i < 3; i++) {
        if (!has(r, value, planned[i]))
            continue;
        fault_at_key(r, member(r, value, planned[i]),
                     "\"%s\" stands beside \"%s\"; allowed: first, every and last for planned "
                     "stalls, or up and down for random ones",
                     planned[i], up ? "up" : "down");
        good = false;
    }
    if (!up || !down) {
        fault_at(r, value, "missing key \"%s\" beside \"%s\": random stalls need both",
                 up ? "down" : "up", up ? "up" : "down");
        good = false;
    }
    return good;
}

void rules_stall(struct reading *r, uint32_t value, void *read)
{
    const struct stall *stall = read;
    if (!check_stall_keys(r, value))
        return;
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
    check_stopwatch(r, value, recorder);
    if (recorder->truth != NO_INDEX && has_good(r, value, "truth"))
        check_truth(r, member(r, value, "truth"), plan->loads[recorder->truth].kind);
}

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
    return load->kind.type == &load_open.is && open->arrivals.type == &arrivals_times.is;
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
    const struct server *server = &plan->server;
    bool random = distribution(server->service)->random ||
                  (server->replicas > 1 && routing(server->routing)->random);
    for (size_t i = 0; i < server->stall_count; i++)
        if (server->stalls[i].up.type != NULL)
            random |= distribution(server->stalls[i].up)->random ||
                      distribution(server->stalls[i].down)->random;
    for (size_t i = 0; i < plan->load_count; i++)
        random |= load_kind(plan->loads[i].kind)->random(plan->loads[i].kind.params);
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
    bool random = is_random(plan);
    check_detect(r, plan, random);
    if (plan->run.replications > 1 && !random)
        fault_at(
            r, member(r, member(r, 0, "run"), "replications"),
            "found %llu; allowed: 1, as nothing here is random and every replication would be the "
            "same",
            (unsigned long long)plan->run.replications);
    if (plan->run.replications == 0)
        plan->run.replications = random ? 32 : 1;
}
