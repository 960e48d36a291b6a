/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/detect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/loads/load.h"
#include "sim/work.h"

#define REPLICATIONS_LEAST 32
#define CLUSTERS_LEAST 200
#define REQUESTS_MOST 1e8 /* of the sized run, all replications and loads */
#define PILOT_RUN 2
#define PILOT_REPLICATIONS 128
#define PILOT_FIRST 2000 /* requests a replication; four times as many while inflation grows */
#define PILOT_MOST UINT64_C(10000000) /* requests in all */
#define PILOT_GROWTH 1.1
#define PILOT_MARGIN 1.25 /* two standard errors of a variance from 128 replications */

/* A pilot in the making.  Its plan is the scenario's but for its length and its one percentile. */
struct pilot {
    struct plan plan;
    struct percentile percentile;
    struct work work;
    double *inflation; /* one a recorder; NAN: not known yet, or no law */
    bool *known;       /* the law itself knows it */
    double *extra;     /* requests of the warm-up */
    uint64_t requests; /* of a replication; 0: no pilot was needed */
};

static void pilot_open(struct pilot *pilot, const struct plan *plan,
                       const struct run_options *options, uint64_t requests)
{
    *pilot = (struct pilot){.plan = *plan, .percentile = {plan->run.detect_p, "asked"}};
    pilot->plan.report.percentiles = &pilot->percentile;
    pilot->plan.report.percentile_count = 1;
    pilot->plan.report.above_count = 0;
    pilot->plan.run.requests = requests;
    struct work *work = &pilot->work;
    *work =
        (struct work){.plan = &pilot->plan, .options = options, .result = result_new(&pilot->plan)};
    work->recorders = must_alloc(plan->recorder_count, sizeof *work->recorders);
    work->starts = must_alloc(plan->load_count, sizeof *work->starts);
    pilot->inflation = must_alloc(plan->recorder_count, sizeof *pilot->inflation);
    pilot->known = must_alloc(plan->recorder_count, sizeof *pilot->known);
    pilot->extra = must_alloc(plan->recorder_count, sizeof *pilot->extra);
    for (size_t i = 0; i < plan->load_count; i++) {
        char why[LAW_WHY_SIZE];
        if (load_is_random(plan, i) && plan->run.start != START_EMPTY)
            work->starts[i] = start_find(&pilot->plan, i, &work->memo, why);
    }
    work_find_laws(work);
}

static void pilot_close(struct pilot *pilot)
{
    struct work *work = &pilot->work;
    for (size_t r = 0; r < pilot->plan.recorder_count; r++) {
        law_free(&work->recorders[r].law);
        law_free(&work->recorders[r].truth);
        free(work->recorders[r].thresholds_ns);
        free(work->recorders[r].percentiles);
    }
    free(work->recorders);
    law_memo_free(&work->memo);
    free(work->starts);
    result_free(work->result);
    free(pilot->inflation);
    free(pilot->known);
    free(pilot->extra);
}

/* Whether the percentile of that recorder can be checked at all. */
static bool counts(const struct pilot *pilot, size_t recorder)
{
    const struct recorder_work *r = &pilot->work.recorders[recorder];
    ns_t threshold_ns = r->percentiles[0].law_threshold_ns;
    return r->statistical && threshold_ns > 0 && !law_atom(&r->law, threshold_ns);
}

/* What the laws know; how many recorders are left for the pilot. */
static size_t ask_laws(struct pilot *pilot)
{
    size_t left = 0;
    struct ratio p = pilot->percentile.p;
    double q = (double)(p.den - p.num) / (double)p.den;
    for (size_t r = 0; r < pilot->plan.recorder_count; r++) {
        const struct law *law = &pilot->work.recorders[r].law;
        pilot->inflation[r] = NAN;
        if (!counts(pilot, r))
            continue;
        struct plan warming = pilot->plan;
        warming.run.requests = 0;
        warming.run.duration_ns = warming.recorders[r].warmup_ns;
        if (warming.run.duration_ns > 0)
            pilot->extra[r] = run_load_requests(&warming, warming.recorders[r].load);
        if (law->distribution.inflation != NULL && law->rule.interval == 0)
            pilot->inflation[r] = law->distribution.inflation(&law->distribution, 1.0 - q, q);
        pilot->known[r] = isfinite(pilot->inflation[r]);
        left += !pilot->known[r];
    }
    return left;
}

/* Variance of the counts beyond the threshold over that of independent samples, but at least 1;
   NAN where a replication's length left nothing to count. */
static double inflation_of(const struct pass_recorder *found, double q, size_t replications)
{
    double mean = 0.0, squares = 0.0, samples = 0.0, runs = (double)replications;
    for (size_t k = 0; k < replications; k++) {
        mean += (q * (double)found->samples[k] - (double)found->above[k]) / runs;
        samples += (double)found->samples[k] / runs;
    }
    for (size_t k = 0; k < replications; k++) {
        double off = q * (double)found->samples[k] - (double)found->above[k] - mean;
        squares += off * off;
    }
    double variance = squares / (runs - 1.0), inflation = variance / (samples * q * (1.0 - q));
    return samples > 0.0 && variance > 0.0 ? fmax(1.0, inflation) : NAN;
}

/* One pilot run; true in *grew where the inflation of a recorder went on growing with its length.
 */
static enum engine_end run_pilot(struct pilot *pilot, bool *grew)
{
    struct pass pass;
    pass_init(&pass, &pilot->plan, pilot->work.options, PILOT_RUN);
    for (size_t r = 0; r < pilot->plan.recorder_count; r++) {
        struct pass_recorder *p = &pass.recorders[r];
        p->active = counts(pilot, r) && !pilot->known[r];
        p->rule = pilot->work.recorders[r].law.rule;
        p->thresholds_ns = pilot->work.recorders[r].thresholds_ns;
        p->threshold_count = 1;
        struct pass_load *load = &pass.loads[pilot->plan.recorders[r].load];
        load->active |= p->active;
        load->replications = PILOT_REPLICATIONS;
        load->start = pilot->work.starts[pilot->plan.recorders[r].load];
    }
    enum engine_end end = pass_run(&pass);
    *grew = false;
    for (size_t r = 0; r < pilot->plan.recorder_count && end == ENGINE_DONE; r++) {
        const struct recorder_work *work = &pilot->work.recorders[r];
        if (!pass.recorders[r].active)
            continue;
        double before = pilot->inflation[r];
        double q = law_tail(&work->law, work->percentiles[0].law_threshold_ns);
        double now = inflation_of(&pass.recorders[r], q, PILOT_REPLICATIONS);
        *grew |= !(now <= PILOT_GROWTH * before); /* the first one has nothing before it */
        pilot->inflation[r] = now > before || isnan(before) ? now : before;
    }
    pass_free(&pass);
    return end;
}

static enum engine_end run_pilots(struct pilot *pilot)
{
    bool grew = true;
    enum engine_end end = ENGINE_DONE;
    uint64_t most = PILOT_MOST / PILOT_REPLICATIONS / pilot->plan.load_count;
    for (uint64_t n = PILOT_FIRST; grew && end == ENGINE_DONE && n <= most; n *= 4) {
        pilot->plan.run.requests = pilot->requests = n;
        end = run_pilot(pilot, &grew);
    }
    return end;
}

/* How many cells the run's checks share their level between. */
static size_t judged_cells(const struct plan *plan, const struct pilot *pilot)
{
    size_t cells = 0;
    for (size_t r = 0; r < plan->recorder_count; r++)
        for (size_t i = 0; i < plan->report.percentile_count; i++) {
            struct ratio p = plan->report.percentiles[i].p;
            cells += pilot->work.recorders[r].statistical && p.num < p.den;
        }
    return cells > 0 ? cells : 1;
}

/* Requests that one replication of the recorder's load needs; infinite where the law is too flat
   around its percentile. */
static double needed(const struct plan *plan, const struct pilot *pilot, size_t recorder)
{
    const struct recorder_work *r = &pilot->work.recorders[recorder];
    size_t load = plan->recorders[recorder].load;
    double runs = (double)load_replications(plan, load),
           within = ratio_double(plan->run.detect_within);
    double x_ns = (double)r->percentiles[0].law_threshold_ns,
           inflation = pilot->inflation[recorder];
    double q = law_tail(&r->law, r->percentiles[0].law_threshold_ns);
    /* The share that a change of the percentile by `within`, up or down, moves across it. */
    double up = q - law_tail(&r->law, (ns_t)floor(x_ns * (1.0 + within)));
    double down = law_tail(&r->law, (ns_t)ceil(x_ns * (1.0 - within))) - q;
    double shift = fmin(up, down), level = 1e-3 / (double)judged_cells(plan, pilot);
    double far = check_noncentrality(load_replications(plan, load), level, sqrt(0.99));
    if (!pilot->known[recorder])
        inflation *= PILOT_MARGIN;
    double samples = q * (1.0 - q) * inflation * (far / shift) * (far / shift);
    double for_clusters = 1.05 * CLUSTERS_LEAST * inflation / (2.0 * fmin(q, 1.0 - q));
    samples = fmax(samples, for_clusters);
    double requests = samples / law_samples_per_request(&r->law) / runs + pilot->extra[recorder];
    return shift > 0.0 && isfinite(requests) ? fmax(1.0, requests) : INFINITY;
}

/* The least of 1, 2, 5, 10, 20, ... that is at least x; x at most 10^15. */
static uint64_t round_up(double x)
{
    uint64_t power = 1;
    while ((double)power * 10.0 <= x)
        power *= 10;
    uint64_t steps[] = {power, 2 * power, 5 * power, 10 * power};
    size_t i = 0;
    while ((double)steps[i] < x)
        i++;
    return steps[i];
}

/* The greatest of them that is at most x >= 1. */
static uint64_t round_down(double x)
{
    uint64_t up = round_up(x);
    if ((double)up <= x)
        return up;
    uint64_t least = 1;
    for (uint64_t power = 1; power <= up; power *= 10)
        for (uint64_t k = 1; k <= 5; k += k == 1 ? 1 : 3)
            if ((double)(k * power) <= x)
                least = k * power;
    return least;
}

/* ---- the choice ---- */

struct choice_made {
    size_t recorder; /* that needs most */
    double requests; /* a replication */
    double most;     /* the cap, a replication */
};

static struct choice_made choose(const struct plan *plan, const struct pilot *pilot)
{
    struct choice_made made = {NO_INDEX, 0.0, 0.0};
    double all = 0.0; /* replications of all loads */
    for (size_t i = 0; i < plan->load_count; i++)
        all += (double)load_replications(plan, i);
    made.most = fmax(1.0, REQUESTS_MOST / fmax(all, 1.0));
    for (size_t r = 0; r < plan->recorder_count; r++) {
        if (!counts(pilot, r) || !isfinite(pilot->inflation[r]))
            continue;
        double requests = needed(plan, pilot, r);
        if (made.recorder == NO_INDEX || requests > made.requests)
            made = (struct choice_made){r, requests, made.most};
    }
    return made;
}

static void say(const struct plan *plan, const struct pilot *pilot, const struct choice_made *made,
                struct plan_sizing *out)
{
    size_t r = made->recorder;
    char source[160];
    if (pilot->known[r])
        snprintf(source, sizeof source, "by its law's variance inflation of %.4g",
                 pilot->inflation[r]);
    else
        snprintf(source, sizeof source,
                 "by the variance inflation of %.3g, taken as %.3g, of a pilot of %d times %llu "
                 "requests, thrown away",
                 pilot->inflation[r], pilot->inflation[r] * PILOT_MARGIN, PILOT_REPLICATIONS,
                 (unsigned long long)pilot->requests);
    snprintf(
        out->text, sizeof out->text,
        "%llu requests a replication, for an error of %.4g %% in p%.6g of \"%.60s\" to be seen: "
        "%.4g would "
        "do %s%s",
        (unsigned long long)out->requests, ratio_double(plan->run.detect_within) * 100.0,
        ratio_double(plan->run.detect_p) * 100.0, plan->recorders[r].name, made->requests, source,
        out->capped ? "; capped at 10^8 requests in all, so that only larger errors show" : "");
}

static bool fails(const struct plan *plan, struct errors *errors, const char *why)
{
    errors_add(errors, (struct place){.file = plan->file, .path = "/run/detect"}, "%s", why);
    return false;
}

static bool settle_on(const struct plan *plan, const struct pilot *pilot, struct plan_sizing *out,
                      struct errors *errors)
{
    struct choice_made made = choose(plan, pilot);
    if (made.recorder == NO_INDEX)
        return fails(plan, errors,
                     "no recorder has a law that this percentile can be held against in a "
                     "stationary run: without one no run is long enough");
    uint64_t requests = made.requests <= made.most ? round_up(made.requests) : 0;
    if (requests == 0 || (double)requests > made.most)
        requests = round_down(made.most);
    *out = (struct plan_sizing){.requests = requests, .capped = (double)requests < made.requests};
    say(plan, pilot, &made, out);
    return true;
}

/* Whether the laws of a run of that length are those of the pilot: a start from empty, say, fades,
   and what is expected of the first n requests changes with n. */
static bool same_laws(const struct pilot *pilot, const struct plan *plan,
                      const struct run_options *options, uint64_t requests)
{
    struct pilot sized;
    bool same = true;
    pilot_open(&sized, plan, options, requests);
    for (size_t r = 0; r < plan->recorder_count; r++)
        if (counts(pilot, r))
            same &=
                counts(&sized, r) && sized.work.recorders[r].percentiles[0].law_threshold_ns ==
                                         pilot->work.recorders[r].percentiles[0].law_threshold_ns;
    pilot_close(&sized);
    return same;
}

bool detect_size(const struct plan *plan, const struct run_options *options,
                 struct plan_sizing *out, bool *interrupted, struct errors *errors)
{
    *interrupted = false;
    if (plan->run.replications != 0 && plan->run.replications < REPLICATIONS_LEAST)
        return fails(plan, errors, "a check needs 32 replications or more");
    if (plan->run.requests != 0 || plan->run.duration_ns != 0)
        return fails(plan, errors, "the run's length is given: there is none to choose");
    if (plan->run.detect_p.num == 0 || plan->run.detect_p.num >= plan->run.detect_p.den ||
        plan->run.detect_within.num == 0 ||
        plan->run.detect_within.num >= plan->run.detect_within.den)
        return fails(plan, errors, "the percentile and the share must lie between 0 and 100 %");
    struct pilot pilot;
    pilot_open(&pilot, plan, options, PILOT_FIRST);
    enum engine_end end = work_stopped(&pilot.work) ? ENGINE_STOPPED
                          : ask_laws(&pilot) > 0    ? run_pilots(&pilot)
                                                    : ENGINE_DONE;
    bool good = false;
    switch (end) {
    case ENGINE_DONE:
        good = settle_on(plan, &pilot, out, errors);
        if (good && !same_laws(&pilot, plan, options, out->requests))
            good =
                fails(plan, errors,
                      "what the law says of such a run changes with its length, so that none can "
                      "be chosen by it; a stationary start would do");
        break;
    case ENGINE_STOPPED: *interrupted = good = true; break;
    case ENGINE_OVERFLOW:
    case ENGINE_STUCK: fails(plan, errors, "the pilot ran beyond the virtual clock"); break;
    }
    pilot_close(&pilot);
    return good;
}
