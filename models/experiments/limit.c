/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "models/experiments/decimal.h"
#include "models/experiments/experiment.h"

struct limit {
    ns_t below_ns;
    struct ratio low, high, step;
    struct ratio percentile;
    struct value_list load;
};

static const struct field fields[] = {
    {"below", FIELD_DURATION, offsetof(struct limit, below_ns), .required = true, .min = 1,
     .says = "the percentile must not be above this"},
    {"low", FIELD_RATIO, offsetof(struct limit, low), .required = true, .above_min = true,
     .says = "the lowest rate per second looked at"},
    {"high", FIELD_RATIO, offsetof(struct limit, high), .required = true, .above_min = true,
     .says = "the highest rate per second looked at"},
    {"step", FIELD_RATIO, offsetof(struct limit, step), .absent = "1", .above_min = true,
     .says = "the resolution: rates are low and whole steps above it"},
    FIELD_OF_PERCENTILE(limit),
    FIELD_OF_LOAD(limit),
};

static const char *refuses(const void *params)
{
    const struct limit *limit = params;
    struct decimal low = decimal_of_ratio(limit->low), high = decimal_of_ratio(limit->high);
    struct decimal step = decimal_of_ratio(limit->step);
    if (decimal_compare(low, high) >= 0)
        return "low is not below high";
    if (decimal_compare(high, decimal_steps(low, 1, step)) < 0)
        return "step is longer than the way from low to high";
    if (decimal_compare(high, decimal_steps(low, 1000000000, step)) > 0)
        return "step is below a thousand-millionth of the way from low to high";
    return NULL;
}

struct search {
    const struct limit *limit;
    const struct lab *lab;
    size_t load, recorder, percentile;
    size_t tried;
    bool stopped;
    double at_pass_ns, at_fail_ns;
    double low_ns, high_ns; /* its 95 % interval where it passed last */
};

static char *rate_text(const struct limit *limit, uint64_t k)
{
    return decimal_text(
        decimal_steps(decimal_of_ratio(limit->low), k, decimal_of_ratio(limit->step)));
}

/* Whether rate k keeps the limit.  An unknown percentile does not. */
static bool keeps(struct search *s, uint64_t k)
{
    char *rate = rate_text(s->limit, k);
    const char *value = rate;
    struct seen seen;
    bool good = s->lab->point(s->lab->self, "search", s->load, &value, &seen), kept = false;
    if (good) {
        double p_ns = seen.recorders[s->recorder].p_ns[s->percentile];
        kept = p_ns <= (double)s->limit->below_ns;
        *(kept ? &s->at_pass_ns : &s->at_fail_ns) = p_ns;
        s->tried++;
        if (kept) {
            s->low_ns = seen.recorders[s->recorder].low_ns[s->percentile];
            s->high_ns = seen.recorders[s->recorder].high_ns[s->percentile];
        }
    }
    s->stopped = !good;
    seen_free(&seen);
    free(rate);
    return kept;
}

/* Where the percentile lies, if chance has a part in it.  Owned by the caller. */
static char *interval_text(const struct search *s)
{
    if (isnan(s->low_ns) || isnan(s->high_ns) || !(s->low_ns < s->high_ns))
        return must_copy("");
    char *low = time_text(s->low_ns), *high = time_text(s->high_ns);
    char *text = must_format(" (95 %%: %s to %s)", low, high);
    free(low);
    free(high);
    return text;
}

static void tell(const struct search *s, uint64_t pass, uint64_t fail, uint64_t top)
{
    char *rate = rate_text(s->limit, pass), *next = rate_text(s->limit, fail);
    char *at_pass = time_text(s->at_pass_ns), *at_fail = time_text(s->at_fail_ns);
    char *below = time_text((double)s->limit->below_ns), *sure = interval_text(s);
    const char *p = s->lab->plan->report.percentiles[s->percentile].text;
    if (pass == top)
        lab_find(s->lab, "highest rate", rate,
                 "per second, and perhaps more: p%s is %s%s here, the highest rate looked at, and "
                 "may be %s",
                 p, at_pass, sure, below);
    else
        lab_find(s->lab, "highest rate", rate,
                 "per second: p%s is %s%s, at %s it is %s, and may be %s; %zu points, on the "
                 "assumption that it only rises with the rate",
                 p, at_pass, sure, next, at_fail, below, s->tried);
    free(rate);
    free(next);
    free(at_pass);
    free(at_fail);
    free(below);
    free(sure);
}

static void bisect(struct search *s)
{
    struct decimal low = decimal_of_ratio(s->limit->low), high = decimal_of_ratio(s->limit->high);
    uint64_t top = decimal_count(low, decimal_of_ratio(s->limit->step), high);
    uint64_t pass = 0, fail = top;
    if (!keeps(s, 0) && !s->stopped) {
        char *at = time_text(s->at_fail_ns), *rate = rate_text(s->limit, 0);
        lab_find(s->lab, "highest rate", "none", "p%s is %s already at %s per second, the lowest",
                 s->lab->plan->report.percentiles[s->percentile].text, at, rate);
        free(at);
        free(rate);
        return;
    }
    if (!s->stopped && keeps(s, top))
        pass = top;
    while (!s->stopped && pass != top && fail - pass > 1) {
        uint64_t middle = pass + (fail - pass) / 2;
        if (keeps(s, middle))
            pass = middle;
        else
            fail = middle;
    }
    if (!s->stopped)
        tell(s, pass, fail, top);
}

static void run(const void *params, const struct lab *lab)
{
    struct search s = {.limit = params, .lab = lab};
    s.load = lab_load(lab, &s.limit->load, ROLE_RATE);
    s.recorder = s.load == NO_INDEX ? NO_INDEX : lab_plain_recorder(lab, s.load);
    s.percentile = lab_percentile(lab, s.limit->percentile);
    if (s.recorder == NO_INDEX || s.percentile == NO_INDEX)
        return;
    char *path = load_path(lab->plan, s.load, "rate");
    lab->knobs(lab->self, &(struct knob){"rate", path, false}, 1);
    bisect(&s);
    free(path);
}

const struct experiment_type experiment_limit = {
    .is = {"limit", "the highest rate that keeps a percentile under a limit, by bisection", fields,
           FIELD_COUNT_OF(fields), sizeof(struct limit), refuses},
    .run = run,
};
