/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/arrivals/arrivals.h"
#include "models/base/maths.h"

/* Time that is on runs without the pauses; there the process is even or Poisson at the higher rate,
   and each instant is then put back among the pauses.  Both directions are exact in whole ns. */

static const struct field fields[] = {
    {"on", FIELD_DURATION, offsetof(struct on_off, on_ns), .required = true, .min = 1,
     .says = "how long requests are due, from 0 on; the mean rate stays the load's"},
    {"off", FIELD_DURATION, offsetof(struct on_off, off_ns), .required = true,
     .says = "how long none is due after that"},
    {"spacing", FIELD_WORD, offsetof(struct on_off, spacing), .absent = "\"even\"",
     .words = spacing_words, .says = "how requests follow one another while it is on"},
};

/* The share of time that is on, in lowest terms. */
static struct ratio share_on(const struct on_off *o)
{
    return ratio_make(o->on_ns, o->on_ns + o->off_ns);
}

static const char *refuses_pace(const void *params, struct pace pace)
{
    struct ratio share = share_on(params);
    u128 room = ((u128)1 << 127) / share.num / share.den;
    return pace.den < room
               ? NULL
               : "on and off with so many digits, at a rate with so many, do not fit 128 "
                 "bits; round them";
}

static bool is_random(const void *params)
{
    const struct on_off *o = params;
    return o->spacing == SPACING_POISSON;
}

/* floor(i T on / (on + off)): request i of an even process in time that is on. */
static ns_t even_on(struct pace pace, struct ratio share, uint64_t i)
{
    u128 num = (u128)i * pace.num, den = (u128)pace.den * share.den;
    u128 whole = num / den, rest = num % den;
    if (whole >= NS_LIMIT / share.num)
        return NS_LIMIT;
    return (ns_t)(whole * share.num + rest * share.num / den);
}

/* The instant with so much time that is on before it, and itself on. */
static ns_t put_back(const struct on_off *o, ns_t on_ns)
{
    u128 cycle_ns = (u128)o->on_ns + o->off_ns;
    u128 due_ns = on_ns / o->on_ns * cycle_ns + on_ns % o->on_ns;
    return due_ns < NS_LIMIT ? (ns_t)due_ns : NS_LIMIT;
}

/* Sums of gaps that are rounded in time that is on. */
static void poisson_on(struct arrival_cursor *cursor, struct ratio share, ns_t *out_ns,
                       size_t count)
{
    double mean_ns = (double)cursor->pace.num / (double)cursor->pace.den * ratio_double(share);
    exponential_draws(cursor->stream, cursor->next, mean_ns, out_ns, count);
    for (size_t i = 0; i < count; i++) {
        cursor->passed += out_ns[i];
        out_ns[i] = cursor->passed < NS_LIMIT ? (ns_t)cursor->passed : NS_LIMIT;
    }
}

static size_t due(const void *params, struct arrival_cursor *cursor, ns_t *out_ns, size_t count)
{
    const struct on_off *o = params;
    struct ratio share = share_on(o);
    if (o->spacing == SPACING_POISSON)
        poisson_on(cursor, share, out_ns, count);
    else
        for (size_t i = 0; i < count; i++)
            out_ns[i] = even_on(cursor->pace, share, cursor->next + i);
    for (size_t i = 0; i < count; i++)
        out_ns[i] = put_back(o, out_ns[i]);
    cursor->next += count;
    cursor->last_ns = out_ns[count - 1];
    return count;
}

const struct arrivals_type arrivals_on_off = {
    .is = {"on-off", "for a while, then none for a while, at the same mean rate", fields,
           FIELD_COUNT_OF(fields), sizeof(struct on_off), NULL},
    .random = false,
    .is_random = is_random,
    .paced = true,
    .refuses_pace = refuses_pace,
    .due = due,
};
