/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/law.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/distributions/distribution.h"
#include "models/laws/mechanisms.h"
#include "models/laws/series.h"
#include "models/loads/load.h"
#include "registry_list.h"

#define X(name) extern const struct law_type law_##name;
LIST_LAWS
#undef X

#define X(name) &law_##name,
const struct law_type *const law_list[] = {LIST_LAWS};
#undef X
const size_t law_list_count = sizeof(law_list) / sizeof(law_list[0]);

bool law_refuses(char why[LAW_WHY_SIZE], const char *sentence)
{
    snprintf(why, LAW_WHY_SIZE, "%s", sentence);
    return false;
}

/* Whether anything in the scenario is drawn: which shape of law could answer at all. */
static bool is_random(const struct law_question *q)
{
    if (distribution(q->server->service)->random)
        return true;
    const struct load_type *kind = load_kind(q->load->kind);
    return kind->random != NULL && kind->random(q->load->kind.params);
}

/* How useful a refusal is: 2 from a law of the right shape that nearly fitted, 0 from elsewhere. */
static int usefulness(const struct law_type *type, bool random, const char *why)
{
    bool elsewhere = strncmp(why, LAW_ELSEWHERE, sizeof(LAW_ELSEWHERE) - 1) == 0;
    bool right_shape = (type->exact == NULL) == random || type->by_another != NULL;
    return (elsewhere ? 0 : 1) + (right_shape && !elsewhere ? 1 : 0);
}

/* Asks one law; fills *out where it answers. */
static bool asks(const struct law_type *type, const struct law_question *q, struct law *out,
                 char why[LAW_WHY_SIZE])
{
    bool holds;
    if (type->by_another != NULL) {
        holds = type->by_another(q, out, why);
    } else if (type->exact != NULL) {
        holds = type->exact(q, &out->values, why);
        out->shape = holds ? LAW_EXACT : LAW_NONE;
    } else {
        holds = type->distribution(q, &out->distribution, &out->start, why);
        out->shape = holds ? LAW_RANDOM : LAW_NONE;
    }
    if (holds)
        out->type = type;
    return holds;
}

/* The first of the mechanisms in use. */
static const char *first_of(uint64_t used)
{
    unsigned m = 0;
    while ((used >> m & 1) == 0)
        m++;
    return mechanism_says((enum mechanism)m);
}

void law_find(const struct law_question *asked, struct law *out)
{
    struct plain_question plain;
    plain_question(asked, &plain);
    const struct law_question *q = &plain.asked;
    uint64_t used = mechanisms_of(q);
    bool random = is_random(q);
    int best = 0;
    char best_why[LAW_WHY_SIZE] = "No law here is about this load on this server.";
    if (used != 0)
        snprintf(best_why, sizeof best_why, "%s", first_of(used));
    *out = (struct law){.shape = LAW_NONE};
    for (size_t i = 0; i < law_list_count; i++) {
        const struct law_type *type = law_list[i];
        char why[LAW_WHY_SIZE] = "";
        if ((used & ~type->knows) != 0)
            continue;
        if (asks(type, q, out, why))
            return;
        if (usefulness(type, random, why) > best) {
            best = usefulness(type, random, why);
            memcpy(best_why, why, sizeof best_why);
        }
    }
    memcpy(out->why, best_why, sizeof out->why);
}

static void distribution_free(struct law_distribution *d)
{
    if (d->under != NULL)
        distribution_free(d->under);
    free(d->under);
    free(d->lent);
    free(d->table);
}

void law_free(struct law *law)
{
    if (law->shape == LAW_EXACT)
        multiset_free(&law->values);
    if (law->owners == NULL || --*law->owners == 0) {
        distribution_free(&law->distribution);
        free(law->owners);
    }
    *law = (struct law){.shape = LAW_NONE};
}

/* ---- added samples: w = floor(V / unit), then w - e, w - 2e, ... down to `lowest` ---- */

struct beyond {
    const struct law_distribution *d;
    double start_ns, step_ns;
};

static double beyond_term(const void *context, double i)
{
    const struct beyond *b = context;
    return b->d->tail(b->d, b->start_ns + i * b->step_ns);
}

/* Expected number of added samples that are at least `lowest` units, per request: the sum over
   j >= 1 of P(w >= lowest + j e).  V is whole ns, so P(V >= m) = tail(m - 1/2). */
static double added_from(const struct law *law, struct series_rules *rules, double lowest)
{
    double unit_ns = (double)law->rule.unit_ns;
    struct beyond b = {.d = &law->distribution,
                       .start_ns = lowest * unit_ns - 0.5,
                       .step_ns = (double)law->rule.interval * unit_ns};
    return series_sum(rules, beyond_term, &b, floor(((double)NS_LIMIT - b.start_ns) / b.step_ns));
}

/* One question to a law, however many shares it takes to answer it. */
struct asking {
    const struct law *law;
    struct series_rules rules;
    double samples; /* per request */
};

static void asking_begin(struct asking *a, const struct law *law)
{
    BUG_IF(law->shape != LAW_RANDOM);
    *a = (struct asking){.law = law, .samples = 1.0};
    if (law->rule.interval != 0)
        a->samples += added_from(law, &a->rules, (double)law->rule.lowest);
}

double law_samples_per_request(const struct law *law)
{
    struct asking a;
    asking_begin(&a, law);
    return a.samples;
}

/* Share of samples beyond a real y; beyond x + 1/2, that of those beyond the whole ns x. */
static double share_beyond(struct asking *a, double y_ns)
{
    const struct law *law = a->law;
    double raw = law->distribution.tail(&law->distribution, y_ns);
    if (law->rule.interval == 0)
        return raw;
    double unit_ns = (double)law->rule.unit_ns;
    double from = law->rule.unit_ns == 1 ? y_ns + 0.5 : floor(y_ns / unit_ns) + 1.0;
    double added = added_from(law, &a->rules, fmax(from, (double)law->rule.lowest));
    return (raw + added) / a->samples;
}

double law_tail(const struct law *law, ns_t x_ns)
{
    struct asking a;
    asking_begin(&a, law);
    return share_beyond(&a, (double)x_ns + 0.5);
}

double law_cdf(const struct law *law, ns_t x_ns)
{
    return 1.0 - law_tail(law, x_ns);
}

bool law_atom(const struct law *law, ns_t x_ns)
{
    const struct law_distribution *d = &law->distribution;
    double x = (double)x_ns;
    struct asking a;
    asking_begin(&a, law);
    if (law->rule.interval == 0 && d->tail_from != NULL)
        return d->tail_from(d, x) - d->tail(d, x) > 1e-12;
    /* Its mass against that of its neighbours in steps of the unit, in which added samples lie. */
    double unit_ns = (double)law->rule.unit_ns, mass[3];
    for (int i = 0; i < 3; i++) {
        double at = x + (i - 1) * unit_ns;
        mass[i] = share_beyond(&a, at - 0.5) - share_beyond(&a, at + 0.5);
    }
    return mass[1] > 1e-9 + 8.0 * (mass[0] + mass[2]);
}

/* ---- percentiles ---- */

/* A bracket on the quantile and how far the logarithms of the shares at its ends are from the one
   sought. */
struct bracket {
    double low, high;    /* more lies beyond low, not more beyond high */
    double above, under; /* >= 0 */
};

static double log_share(double share)
{
    return log(fmax(share, 1e-320));
}

static struct bracket bracket_of(struct asking *a, double most)
{
    double mean_ns = a->law->distribution.mean_ns; /* may be infinite */
    double low = -1.0, high = isfinite(mean_ns) ? fmax(1.0, mean_ns) : 1.0, above = -log(most);
    double share = share_beyond(a, high);
    while (share > most && high < (double)NS_LIMIT) {
        low = high;
        above = log(share) - log(most);
        high *= 2.0;
        share = share_beyond(a, high);
    }
    return (struct bracket){low, high, above, log(most) - log_share(share)};
}

/* The smallest real y, to a relative 1e-13, beyond which lies a share of at most `most` < 1.  Tails
   are nearly exponential: interpolates their logarithm, halving the weight of an end that stays
   (Illinois), and halves the bracket every third step in case of jumps. */
static double share_quantile(struct asking *a, double most)
{
    struct bracket b = bracket_of(a, most);
    for (int step = 0; step < 200 && b.high - b.low > 1e-13 * b.high; step++) {
        double share_of_width = 0.5;
        if (step % 3 != 2 && b.above + b.under > 0.0)
            share_of_width = b.above / (b.above + b.under);
        double at = b.low + (b.high - b.low) * share_of_width;
        if (at <= b.low || at >= b.high)
            at = b.low + (b.high - b.low) / 2.0;
        if (at <= b.low || at >= b.high)
            break;
        double share = share_beyond(a, at);
        if (share <= most) {
            b.high = at;
            b.under = log(most) - log_share(share);
            b.above /= 2.0;
        } else {
            b.low = at;
            b.above = log(share) - log(most);
            b.under /= 2.0;
        }
    }
    /* Atoms lie at whole ns. */
    double whole = nearbyint(b.high);
    bool at_whole = fabs(whole - b.high) <= fmax(1e-11 * b.high, 1e-9) &&
                    share_beyond(a, whole) <= most * (1.0 + 1e-12);
    return fmax(at_whole ? whole : b.high, 0.0);
}

/* What p leaves beyond it, a little more so that equality survives rounding; below 1, so that p = 0
   asks for the first value with any share at all. */
static double share_allowed(struct ratio p, double slack)
{
    double q = (double)(p.den - p.num) / (double)p.den;
    return fmin(q * (1.0 + slack), 1.0 - 0x1p-53);
}

double law_quantile(const struct law *law, struct ratio p)
{
    if (p.num >= p.den)
        return INFINITY;
    struct asking a;
    asking_begin(&a, law);
    return share_quantile(&a, share_allowed(p, 2e-15));
}

double law_quantile_beyond(const struct law *law, double q)
{
    BUG_IF(!(q > 0.0 && q < 1.0));
    struct asking a;
    asking_begin(&a, law);
    return share_quantile(&a, q);
}

ns_t law_percentile(const struct law *law, struct ratio p)
{
    if (p.num >= p.den)
        return NS_LIMIT;
    struct asking a;
    asking_begin(&a, law);
    double most = share_allowed(p, 1e-12);
    double x = fmax(ceil(share_quantile(&a, most) - 0.5), 0.0);
    for (int step = 0; step < 64 && share_beyond(&a, x + 0.5) > most; step++)
        x += 1.0;
    for (int step = 0; step < 64 && x > 0.0 && share_beyond(&a, x - 0.5) <= most; step++)
        x -= 1.0;
    return x >= (double)NS_LIMIT ? NS_LIMIT : (ns_t)x;
}

/* ---- mean ---- */

struct added {
    const struct law *law;
    struct beyond units; /* P(w >= i + lowest) at i */
    struct series_rules *rules;
};

static double added_excess(const void *context, double j)
{
    const struct added *a = context;
    double interval = (double)a->law->rule.interval;
    return j * series_stretch(a->rules, beyond_term, &a->units, j * interval + 1.0, interval);
}

/* The added samples of w sum to lowest times their number plus what they exceed it by, and the
   excess of all of them is the sum over i of floor((i-1)/e) P(w >= i + lowest): j of them for each
   i in the j-th stretch of e. */
double law_mean(const struct law *law)
{
    BUG_IF(law->shape != LAW_RANDOM);
    if (law->rule.interval == 0)
        return law->distribution.mean_ns;
    double unit_ns = (double)law->rule.unit_ns, lowest = (double)law->rule.lowest;
    struct series_rules inner = {0}, outer = {0};
    double added_count = added_from(law, &outer, lowest);
    struct added a = {
        .law = law,
        .rules = &inner,
        .units = {.d = &law->distribution, .start_ns = lowest * unit_ns - 0.5, .step_ns = unit_ns}};
    double last = floor((double)NS_LIMIT / ((double)law->rule.interval * unit_ns));
    double excess = series_sum(&outer, added_excess, &a, last);
    double added_sum_ns = unit_ns * (lowest * added_count + excess);
    return (law->distribution.mean_ns + added_sum_ns) / (1.0 + added_count);
}
