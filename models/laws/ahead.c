/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/ahead.h"

#include "models/laws/gammas.h"

enum { WORKERS, SERVICE_NS, EVENTS };

/* left[m], m = 0 .. events: the probability that more than m events pass.  Beyond the last it falls
   by 1 - 1/c an event. */
static void fill(const double *share, size_t most, size_t c, double *left, size_t events)
{
    double waiting = 0.0, serving = 0.0, stay = 1.0 - 1.0 / (double)c;
    for (size_t m = events + 1; m-- > 0;) {
        left[m] = waiting;
        if (m > 0)
            waiting += share[m + c - 1];
    }
    for (size_t j = 0; j < c && j <= most; j++)
        serving += share[j];
    for (size_t m = 0; m <= events; m++) {
        if (m > 0)
            serving = serving * stay + share[m + c - 1];
        left[m] += serving;
    }
}

static double tail(const struct law_distribution *d, double x_ns)
{
    if (x_ns <= 0.0)
        return 1.0;
    size_t events = (size_t)d->parameters[EVENTS];
    double x = x_ns / d->parameters[SERVICE_NS], c = d->parameters[WORKERS];
    double sum = poisson_mixture(c * x, d->table, events);
    if (c == 1.0)
        return sum + d->table[events] * poisson_weight((double)events, x);
    return sum + d->table[events] * erlang_then_exponential((double)events, c, 1.0, x);
}

void ahead_law(const double *share, size_t most, size_t workers, double service_ns,
               struct law_distribution *out)
{
    BUG_IF(workers == 0 || workers > most + 1);
    size_t events = most + 1 - workers;
    *out = (struct law_distribution){.tail = tail, .table_count = events + 1};
    out->table = must_alloc(events + 1, sizeof *out->table);
    fill(share, most, workers, out->table, events);
    out->parameters[WORKERS] = (double)workers;
    out->parameters[SERVICE_NS] = service_ns;
    out->parameters[EVENTS] = (double)events;
}
