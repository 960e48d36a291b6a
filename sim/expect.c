/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/work.h"

/* A figure as it was found, to be held against what the scenario states. */
struct found {
    bool known;
    bool is_time;
    i128 milli;           /* thousandths: of a ns for a time, of one otherwise */
    uint64_t part, whole; /* of a share */
};

static struct found number(uint64_t value)
{
    return (struct found){.known = true, .milli = (i128)value * 1000};
}

static struct found duration(i128 milli)
{
    return (struct found){.known = true, .is_time = true, .milli = milli};
}

static struct found from_figure(struct figure f)
{
    if (f.kind != FIGURE_EXACT)
        return (struct found){.known = false, .is_time = true};
    return duration((i128)f.exact.ns * 1000 + f.exact.thousandths);
}

/* Rounded half to even to thousandths of a ns, like every figure that is no whole number. */
static struct found mean(const struct recorder_result *r)
{
    if (!r->sum.known || r->count == 0)
        return (struct found){.known = false, .is_time = true};
    u128 scaled = r->sum.ns * 1000, rest = scaled % r->count * 2;
    u128 milli = scaled / r->count;
    milli += rest > r->count || (rest == r->count && (milli & 1));
    return duration((i128)milli);
}

static struct found of_load(const struct load_result *load, const char *figure)
{
    const struct {
        const char *name;
        uint64_t count;
    } counts[] = {
        {"sent", load->sent},           {"attempts", load->attempts},
        {"answered", load->answered},   {"failed", load->timed_out + load->refused},
        {"timed_out", load->timed_out}, {"refused", load->refused},
        {"dropped", load->dropped},     {"withheld", load->withheld},
        {"cancelled", load->cancelled}, {"wasted", load->wasted},
        {"throttled", load->throttled}, {"periods", load->periods},
        {"stalls", load->stalls},       {"in_flight_max", load->in_flight_max},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (strcmp(figure, counts[i].name) == 0)
            return number(counts[i].count);
    BUG_IF(strcmp(figure, "last_answer") != 0);
    return load->has_answer ? duration((i128)load->last_answer_ns * 1000)
                            : (struct found){.is_time = true};
}

static struct found of_recorder(const struct work *work, size_t recorder, const char *figure)
{
    const struct recorder_result *r = &work->result->recorders[recorder];
    const struct report_plan *report = &work->plan->report;
    for (size_t i = 0; i < report->percentile_count; i++)
        if (figure[0] == 'p' && strcmp(figure + 1, report->percentiles[i].text) == 0)
            return from_figure(r->cells[i].value);
    for (size_t i = 0; i < report->above_count; i++) {
        if (strncmp(figure, "above ", 6) != 0 || strcmp(figure + 6, report->above[i].text) != 0)
            continue;
        struct found f = number(r->above[i].count);
        f.part = r->above[i].count;
        f.whole = r->count;
        return f;
    }
    if (strcmp(figure, "count") == 0)
        return number(r->count);
    if (strcmp(figure, "added") == 0)
        return number(r->added);
    if (strcmp(figure, "max") == 0)
        return from_figure(r->max);
    if (strcmp(figure, "min") == 0)
        return from_figure(r->min);
    if (strcmp(figure, "sum") == 0)
        return r->sum.known ? duration((i128)r->sum.ns * 1000) : (struct found){.is_time = true};
    BUG_IF(strcmp(figure, "mean") != 0);
    return mean(r);
}

static uint64_t power_of_ten(unsigned exponent)
{
    uint64_t p = 1;
    while (exponent-- > 0)
        p *= 10;
    return p;
}

/* A share agrees when it prints the same with as many decimals. */
static u128 share_of(const struct found *f, unsigned decimals)
{
    u128 scaled = (u128)f->part * 100 * power_of_ten(decimals);
    u128 share = scaled / f->whole, rest = scaled % f->whole * 2;
    return share + (rest > f->whole || (rest == f->whole && (share & 1)));
}

static char *share_text(const struct found *f, unsigned decimals)
{
    u128 share = share_of(f, decimals);
    uint64_t scale = power_of_ten(decimals);
    char *whole = must_format("%" PRIu64, (uint64_t)(share / scale));
    char *text = decimals == 0 ? must_format("%s%%", whole)
                               : must_format("%s.%0*" PRIu64 "%%", whole, (int)decimals,
                                             (uint64_t)(share % scale));
    free(whole);
    return text;
}

static char *found_text(const struct found *f, const struct expectation *e)
{
    char whole[48];
    if (!f->known)
        return must_copy("null");
    if (e->is_share && f->whole > 0)
        return share_text(f, e->decimals);
    int thousandths = (int)(f->milli % 1000);
    if (f->is_time && thousandths == 0 && f->milli / 1000 <= UINT64_MAX) {
        duration_format((ns_t)(f->milli / 1000), whole);
        return must_copy(whole);
    }
    format_i128(f->milli / 1000, whole);
    const char *unit = f->is_time ? "ns" : "";
    if (thousandths == 0)
        return must_format("%s%s", whole, unit);
    return must_format("%s.%03d%s", whole, thousandths, unit);
}

static bool agrees(const struct found *f, const struct expectation *e)
{
    if (e->is_null || !f->known)
        return e->is_null && !f->known;
    if (e->is_share)
        return f->whole > 0 && share_of(f, e->decimals) == e->share;
    return f->milli == e->milli;
}

void work_fill_expects(struct work *work)
{
    const struct plan *plan = work->plan;
    struct result *result = work->result;
    if (plan->expectation_count == 0)
        return;
    result->expects = must_alloc(plan->expectation_count, sizeof *result->expects);
    result->expect_count = plan->expectation_count;
    for (size_t i = 0; i < plan->expectation_count; i++) {
        const struct expectation *e = &plan->expectations[i];
        struct found f = e->of_load ? of_load(&result->loads[e->subject], e->figure)
                                    : of_recorder(work, e->subject, e->figure);
        result->expects[i] = (struct expect_result){e, found_text(&f, e), agrees(&f, e)};
    }
}
