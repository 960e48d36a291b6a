/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "models/arrivals/arrivals.h"

/* Request i is due where the integral of the rate passes i, rounded down to a whole ns as an even
   schedule is: at the last whole ns with an integral of at most i.  So a ramp from a rate to the
   same rate is the even schedule of that rate.

   With rates F/den and G/den a second over D ns, the integral up to t <= D is
   t (2 D F + (G - F) t) / (2 D den 1e9): integers over a fixed number, so that whether it is at
   most i is decided exactly; t is guessed in doubles and then looked for from there. */

static const struct field fields[] = {
    {"from", FIELD_RATIO, offsetof(struct ramp, from_per_s), .required = true,
     .says = "requests due per second at first"},
    {"to", FIELD_RATIO, offsetof(struct ramp, to_per_s), .required = true,
     .says = "and in the end, from then on; at 0 no request is due any more"},
    {"over", FIELD_DURATION, offsetof(struct ramp, over_ns), .required = true, .min = 1,
     .says = "how long the rate takes from one to the other, in a straight line"},
    {"spacing", FIELD_WORD, offsetof(struct ramp, spacing), .absent = "\"even\"",
     .words = spacing_words, .says = "how requests follow one another"},
};

/* The ramp over one denominator. */
struct line {
    u128 from, to; /* rates times den */
    u128 over_ns;
    u128 scale; /* of a request after the ramp: 2 den 1e9, which holds 2 `to` for each ns */
};

#define DEN_MOST (UINT64_C(1) << 32)
#define SCALE_MOST ((u128)1 << 96)

/* False where the numbers would not fit 128 bits. */
static bool line_of(const struct ramp *r, struct line *line)
{
    uint64_t a = r->from_per_s.den, b = r->to_per_s.den;
    u128 den = (u128)(a / gcd_u64(a, b)) * b;
    if (den > DEN_MOST)
        return false;
    *line = (struct line){.from = r->from_per_s.num * (den / a),
                          .to = r->to_per_s.num * (den / b),
                          .over_ns = r->over_ns,
                          .scale = 2 * den * NS_PER_S};
    u128 room = ((u128)1 << 125) / line->over_ns / line->over_ns;
    return line->from < room && line->to < room && line->to <= UINT64_MAX &&
           line->scale < SCALE_MOST / line->over_ns;
}

static const char *refuses(const void *params)
{
    const struct ramp *r = params;
    struct line line;
    if (r->from_per_s.num == 0 && r->to_per_s.num == 0)
        return "both rates are zero: no request is ever due";
    return line_of(r, &line)
               ? NULL
               : "so long a ramp, or rates with so many decimals, do not fit 128 bits; "
                 "shorten or round them";
}

static bool is_random(const void *params)
{
    const struct ramp *r = params;
    return r->spacing == SPACING_POISSON;
}

static bool ends(const void *params)
{
    const struct ramp *r = params;
    return r->to_per_s.num == 0;
}

/* In the end; of a ramp down to nothing, over all of it. */
static double mean_gap_ns(const void *params)
{
    const struct ramp *r = params;
    return r->to_per_s.num > 0 ? 1e9 / ratio_double(r->to_per_s)
                               : 2e9 / ratio_double(r->from_per_s);
}

static char *describe(const void *params)
{
    const struct ramp *r = params;
    char over[32];
    duration_format(r->over_ns, over);
    return must_format("from %.15g/s to %.15g/s over %s", ratio_double(r->from_per_s),
                       ratio_double(r->to_per_s), over);
}

/* The integral at t within the ramp. */
static u128 integral(const struct line *line, u128 t)
{
    u128 first = 2 * line->over_ns * line->from;
    return line->to >= line->from ? t * (first + (line->to - line->from) * t)
                                  : t * (first - (line->from - line->to) * t);
}

/* Where the integral is about \`most\`: what it starts to look from, and no more than that. */
static u128 guess(const struct line *line, u128 most)
{
    double bend = (double)line->to - (double)line->from, amount = (double)most;
    double first = 2.0 * (double)line->over_ns * (double)line->from;
    double square = first * first + 4.0 * bend * amount;
    double at = 2.0 * amount / (first + sqrt(square > 0.0 ? square : 0.0));
    return at < (double)(line->over_ns - 1) ? (u128)at : line->over_ns - 1;
}

/* The last whole ns before the ramp's end with an integral of at most \`most\`, which is above 0.
 */
static ns_t within(const struct line *line, u128 most)
{
    u128 low = guess(line, most), high, step = 1;
    if (integral(line, low) <= most) {
        while (low + step < line->over_ns && integral(line, low + step) <= most) {
            low += step;
            step *= 2;
        }
        high = low + step < line->over_ns ? low + step : line->over_ns;
    } else {
        high = low;
        while (high > step && integral(line, high - step) > most) {
            high -= step;
            step *= 2;
        }
        low = high > step ? high - step : 0;
    }
    while (high - low > 1) {
        u128 middle = low + (high - low) / 2;
        if (integral(line, middle) <= most)
            low = middle;
        else
            high = middle;
    }
    return (ns_t)low;
}

/* False: the process has ended. */
static bool due_at(const struct line *line, u128 amount, ns_t *out_ns)
{
    u128 units = amount_scaled(amount, line->scale);
    u128 ramp_units = line->over_ns * (line->from + line->to);
    if (units < ramp_units) {
        u128 most = amount_scaled(amount, line->scale * line->over_ns);
        *out_ns = most > 0 ? within(line, most) : 0;
        return true;
    }
    if (line->to == 0)
        return false;
    u128 due_ns = line->over_ns + (units - ramp_units) / (2 * line->to);
    *out_ns = due_ns < NS_LIMIT ? (ns_t)due_ns : NS_LIMIT;
    return true;
}

#define BLOCK 64

static size_t due(const void *params, struct arrival_cursor *cursor, ns_t *out_ns, size_t count)
{
    const struct ramp *r = params;
    struct line line;
    BUG_IF(!line_of(r, &line));
    u128 amounts[BLOCK];
    size_t written = 0;
    bool goes_on = true;
    while (goes_on && written < count) {
        size_t block = count - written < BLOCK ? count - written : BLOCK, wrote = 0;
        amounts_draw(r->spacing, cursor, amounts, block);
        while (goes_on && wrote < block) {
            goes_on = due_at(&line, amounts[wrote], &out_ns[written]);
            wrote += goes_on;
            written += goes_on;
        }
        cursor->next += wrote;
    }
    if (written > 0)
        cursor->last_ns = out_ns[written - 1];
    return written;
}

const struct arrivals_type arrivals_ramp = {
    .is = {"ramp", "at a rate that grows or falls in a straight line, then stays", fields,
           FIELD_COUNT_OF(fields), sizeof(struct ramp), refuses},
    .random = false,
    .is_random = is_random,
    .paced = false,
    .mean_gap_ns = mean_gap_ns,
    .ends = ends,
    .describe = describe,
    .due = due,
};
