/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/audit.h"

#define SAMPLES_LEAST 10

static const struct fraction unknown = {.den = 1, .lost = true};

static struct fraction ratio_fraction(struct ratio r)
{
    return fraction_of((i128)r.num, (i128)r.den);
}

static struct fraction times(struct fraction a, uint64_t whole)
{
    return fraction_multiply(a, fraction_whole((i128)whole));
}

/* The time between two requests on one connection, as wrk has it: whole us, and whole requests a
   connection. */
static struct fraction wrk_interval(const struct audit_summary *s, const struct audit *a)
{
    if (s->duration_ns != 0 && !a->requests.lost) {
        i128 each = fraction_floor(a->requests) / (i128)a->opened;
        i128 run_us = (i128)(s->duration_ns / NS_PER_US);
        return each > 0 ? fraction_whole(run_us / each * (i128)NS_PER_US) : unknown;
    }
    struct fraction us = fraction_divide(a->cap_ns, fraction_whole((i128)NS_PER_US));
    return fraction_whole(fraction_floor(us) * (i128)NS_PER_US);
}

/* A printed rate is rounded, and its duration with it: 1 % is neither. */
static bool differs(struct fraction a, struct fraction b)
{
    struct fraction times = fraction_divide(a, b);
    return !times.lost && (fraction_less(fraction_of(101, 100), times) ||
                           fraction_less(times, fraction_of(99, 100)));
}

/* Requests and throughput: each from the others.  What was counted goes before what was printed as
   a rate, which is rounded. */
static void find_load(const struct audit_summary *s, struct audit *a)
{
    uint64_t threads = s->threads ? s->threads : 1;
    a->opened = s->connections / threads * threads;
    struct fraction per_ns = s->rate_per_s.num ? fraction_divide(ratio_fraction(s->rate_per_s),
                                                                 fraction_whole((i128)NS_PER_S))
                                               : unknown;
    if (s->requests != 0 && s->duration_ns != 0) {
        struct fraction counted = fraction_of((i128)s->requests, (i128)s->duration_ns);
        a->rate_differs = !per_ns.lost && differs(per_ns, counted);
        per_ns = counted;
    }
    a->requests = s->requests      ? fraction_whole((i128)s->requests)
                  : s->duration_ns ? times(per_ns, s->duration_ns)
                                   : unknown;
    a->too_few = s->requests != 0 && s->requests < a->opened;
    a->cap_ns = fraction_divide(fraction_whole((i128)a->opened), per_ns);
    a->lost |= a->cap_ns.lost;
    switch (s->interval) {
    case INTERVAL_WRK: a->interval_ns = wrk_interval(s, a); break;
    case INTERVAL_EXACT: a->interval_ns = a->cap_ns; break;
    case INTERVAL_GIVEN: a->interval_ns = fraction_whole((i128)s->interval_ns); break;
    }
    a->real_mean_ns = s->real_mean_ns ? fraction_whole((i128)s->real_mean_ns) : a->cap_ns;
}

/* v - e, v - 2e, ... as long as they are above e: how many for v >= 2e. */
static uint64_t added_to(ns_t value_ns, struct fraction interval_ns)
{
    if (interval_ns.lost || interval_ns.num <= 0)
        return 0;
    i128 steps = fraction_ceiling(fraction_divide(fraction_whole((i128)value_ns), interval_ns));
    return steps > 2 ? (uint64_t)(steps - 2) : 0;
}

/* With a share x of slow ones, each with k added samples of sum S in all, the mean of everything is
   (real + x S) / (1 + x k).  Solved for x. */
static struct audit_slow slow_of(const struct audit_summary *s, struct audit *a, ns_t length_ns)
{
    struct audit_slow slow = {
        length_ns, added_to(length_ns, a->interval_ns), false, unknown, unknown, unknown};
    struct fraction mean = fraction_whole((i128)s->mean_ns);
    struct fraction half = fraction_of((i128)slow.added * (i128)(slow.added + 1), 2);
    struct fraction sum = fraction_subtract(times(fraction_whole((i128)length_ns), slow.added),
                                            fraction_multiply(half, a->interval_ns));
    struct fraction lift = fraction_subtract(mean, a->real_mean_ns);
    struct fraction each = fraction_subtract(sum, times(mean, slow.added));
    a->lost |= lift.lost || each.lost;
    if (each.lost || lift.lost || lift.num <= 0 || each.num <= 0)
        return slow;
    slow.share = fraction_divide(lift, each);
    slow.possible = !slow.share.lost && slow.share.num <= slow.share.den;
    if (!slow.possible)
        return slow;
    slow.count = fraction_multiply(slow.share, a->requests);
    slow.pauses = fraction_divide(slow.count, fraction_whole((i128)a->opened));
    return slow;
}

/* If every slow response were as long as the maximum, each would fill the same steps below it, so
   what lies beyond a percentile is whole steps of so many samples, and a part of one. */
static void judge_all_at_max(const struct audit_summary *s, const struct audit *a,
                             const struct audit_percentile *p, struct audit_rank *rank)
{
    const struct audit_slow *slow = &a->slow[0];
    if (a->slow_count == 0 || !slow->possible || p->p.num == p->p.den)
        return;
    struct fraction all = fraction_add(fraction_whole(1), times(slow->share, slow->added));
    struct fraction q = fraction_of((i128)(p->p.den - p->p.num), (i128)p->p.den);
    struct fraction steps = fraction_divide(fraction_multiply(q, all), slow->share);
    if (steps.lost || fraction_floor(steps) > (i128)slow->added)
        return; /* it lies among the others */
    struct fraction max = fraction_whole((i128)s->max_ns);
    struct fraction whole = fraction_whole(fraction_floor(steps));
    struct fraction printed = fraction_whole((i128)p->value_ns);
    rank->has_all_at_max = true;
    rank->all_at_max_ns = fraction_subtract(max, fraction_multiply(whole, a->interval_ns));
    rank->all_at_max_fluid_ns = fraction_subtract(max, fraction_multiply(steps, a->interval_ns));
    rank->contradicts = fraction_less(fraction_add(printed, a->interval_ns), rank->all_at_max_ns) ||
                        fraction_less(fraction_add(rank->all_at_max_ns, a->interval_ns), printed);
}

static struct audit_rank rank_of(const struct audit_summary *s, const struct audit *a, size_t i)
{
    const struct audit_percentile *p = &s->percentiles[i];
    struct audit_rank rank = {.beyond = unknown};
    struct fraction q = fraction_of((i128)(p->p.den - p->p.num), (i128)p->p.den);
    if (!a->requests.lost) {
        i128 n = fraction_floor(a->requests);
        struct fraction at = fraction_multiply(fraction_whole(n), ratio_fraction(p->p));
        rank.beyond = fraction_multiply(q, fraction_whole(n));
        rank.nearest = (uint64_t)fraction_ceiling(at);
        rank.floor_plus_one = (uint64_t)fraction_floor(at) + (p->p.num < p->p.den);
        rank.supported = !fraction_less(rank.beyond, fraction_whole(SAMPLES_LEAST));
    }
    for (size_t k = 0; k < s->percentile_count; k++) {
        const struct audit_percentile *other = &s->percentiles[k];
        bool lower = (u128)other->p.num * p->p.den < (u128)p->p.num * other->p.den;
        rank.out_of_order |= lower && other->value_ns > p->value_ns;
    }
    rank.out_of_order |= s->max_ns != 0 && p->value_ns > s->max_ns;
    /* The share beyond p is at least that long each. */
    struct fraction least = times(q, p->value_ns);
    rank.mean_too_low = s->mean_ns != 0 && fraction_less(fraction_whole((i128)s->mean_ns), least);
    judge_all_at_max(s, a, p, &rank);
    return rank;
}

static void judge_mean(const struct audit_summary *s, struct audit *a)
{
    struct fraction mean = fraction_whole((i128)s->mean_ns);
    a->inflation = fraction_divide(mean, a->cap_ns);
    a->above_cap = fraction_less(fraction_of(101, 100), a->inflation);
    a->above_max = s->max_ns != 0 && s->mean_ns > s->max_ns;
    a->at_cap = !a->above_cap && !fraction_less(a->inflation, fraction_of(99, 100));
    for (size_t i = 0; i < AUDIT_LENGTHS && s->max_ns != 0; i++) {
        ns_t length_ns = s->max_ns >> i;
        if (!fraction_less(a->real_mean_ns, mean) || (i > 0 && length_ns <= s->mean_ns))
            break;
        a->slow[a->slow_count++] = slow_of(s, a, length_ns);
    }
}

struct audit audit_summary(const struct audit_summary *summary)
{
    struct audit a = {.inflation = unknown, .longest_pause_ns = unknown, .paused_ns = unknown};
    find_load(summary, &a);
    if (summary->mean_ns != 0)
        judge_mean(summary, &a);
    if (summary->max_ns != 0) {
        a.added_to_max = added_to(summary->max_ns, a.interval_ns);
        a.longest_pause_ns = fraction_subtract(fraction_whole((i128)summary->max_ns), a.cap_ns);
    }
    if (summary->pause_ns != 0)
        a.paused_ns = fraction_add(fraction_whole((i128)summary->pause_ns), a.cap_ns);
    for (size_t i = 0; i < summary->percentile_count; i++)
        a.ranks[i] = rank_of(summary, &a, i);
    return a;
}
