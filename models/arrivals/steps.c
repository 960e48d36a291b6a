/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "models/arrivals/arrivals.h"

/* Request i is due where the integral of the rate passes i: at begin + floor((i - before) / rate)
   of the phase with before <= i < before + rate * length.  So one phase is the even schedule of its
   rate, rounded as that is, and what is left of a request at the end of a phase is carried on. */

static const struct field phase_fields[] = {
    {"rate", FIELD_RATIO, offsetof(struct phase, rate_per_s), .required = true,
     .says = "requests due per second; 0 is a pause"},
    {"for", FIELD_DURATION, offsetof(struct phase, for_ns), .required = true, .min = 1,
     .says = "how long"},
};

static const struct item phase_item = {phase_fields, FIELD_COUNT_OF(phase_fields),
                                       sizeof(struct phase)};

static const struct field fields[] = {
    {"phases", FIELD_LIST, offsetof(struct steps, phases), .required = true, .item = &phase_item,
     .says = "one rate after another; after the last no request is due"},
    {"spacing", FIELD_WORD, offsetof(struct steps, spacing), .absent = "\"even\"",
     .words = spacing_words, .says = "how requests follow one another"},
};

static const struct phase *phases_of(const struct steps *s)
{
    return s->phases.items;
}

/* All rates over one denominator: a request is den * 1e9 units, and a phase makes
   num * (den / its own den) of them a ns. */
#define DEN_MOST (UINT64_C(1) << 32)

/* 0 where it would be above DEN_MOST. */
static uint64_t common_den(const struct steps *s)
{
    uint64_t den = 1;
    for (size_t i = 0; i < s->phases.count; i++) {
        uint64_t own = phases_of(s)[i].rate_per_s.den;
        u128 both = (u128)(own / gcd_u64(den, own)) * den;
        if (both > DEN_MOST)
            return 0;
        den = (uint64_t)both;
    }
    return den;
}

static u128 units_a_ns(const struct phase *phase, uint64_t den)
{
    return (u128)phase->rate_per_s.num * (den / phase->rate_per_s.den);
}

static const char *refuses(const void *params)
{
    const struct steps *s = params;
    uint64_t den = common_den(s);
    u128 length_ns = 0;
    bool any = false;
    if (s->phases.count == 0)
        return "the list of phases is empty";
    if (den == 0)
        return "the rates have too many decimals for exact sums; round them";
    for (size_t i = 0; i < s->phases.count; i++) {
        const struct phase *phase = &phases_of(s)[i];
        if (units_a_ns(phase, den) > UINT64_MAX)
            return "the rates have too many digits for exact sums; round them";
        any |= phase->rate_per_s.num > 0;
        length_ns += phase->for_ns;
    }
    /* So all units are fewer than 2^64 * 2^62. */
    if (length_ns >= NS_LIMIT)
        return "the phases together last more than 146 years";
    return any ? NULL : "every rate is zero: no request is ever due";
}

static bool is_random(const void *params)
{
    const struct steps *s = params;
    return s->spacing == SPACING_POISSON;
}

static bool ends(const void *params)
{
    (void)params;
    return true;
}

static double mean_gap_ns(const void *params)
{
    const struct steps *s = params;
    double requests = 0.0, length_ns = 0.0;
    for (size_t i = 0; i < s->phases.count; i++) {
        const struct phase *phase = &phases_of(s)[i];
        requests += ratio_double(phase->rate_per_s) * (double)phase->for_ns / 1e9;
        length_ns += (double)phase->for_ns;
    }
    return length_ns / requests;
}

static char *describe(const void *params)
{
    const struct steps *s = params;
    return must_format("%zu rate%s in turn", s->phases.count, s->phases.count == 1 ? "" : "s");
}

#define BLOCK 64

/* One block of amounts, each in its phase: how many instants were written; fewer at the end. */
static size_t due_block(const struct steps *s, const u128 *amounts, ns_t *out_ns, size_t count)
{
    uint64_t den = common_den(s);
    u128 scale = (u128)den * NS_PER_S, before = 0;
    ns_t begin_ns = 0;
    size_t written = 0;
    for (size_t i = 0; i < s->phases.count; i++) {
        const struct phase *phase = &phases_of(s)[i];
        u128 rate = units_a_ns(phase, den), after = before + rate * phase->for_ns;
        for (; written < count; written++) {
            u128 units = amount_scaled(amounts[written], scale);
            if (units >= after)
                break;
            out_ns[written] = begin_ns + (ns_t)((units - before) / rate);
        }
        before = after;
        begin_ns += phase->for_ns;
    }
    return written;
}

static size_t due(const void *params, struct arrival_cursor *cursor, ns_t *out_ns, size_t count)
{
    const struct steps *s = params;
    u128 amounts[BLOCK];
    size_t written = 0, block = 0, wrote = 0;
    while (wrote == block && written < count) {
        block = count - written < BLOCK ? count - written : BLOCK;
        amounts_draw(s->spacing, cursor, amounts, block);
        wrote = due_block(s, amounts, out_ns + written, block);
        cursor->next += wrote;
        written += wrote;
    }
    if (written > 0)
        cursor->last_ns = out_ns[written - 1];
    return written;
}

const struct arrivals_type arrivals_steps = {
    .is = {"steps", "one rate after another, then none", fields, FIELD_COUNT_OF(fields),
           sizeof(struct steps), refuses},
    .random = false,
    .is_random = is_random,
    .paced = false,
    .mean_gap_ns = mean_gap_ns,
    .ends = ends,
    .describe = describe,
    .due = due,
};
