/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_STAGES_H
#define DUETIME_STAGES_H

/* Waiting in exponential stages: behind a queue of exponential services on c workers a request
   waits for K departures, each after Exp(c mu), and is then served for Exp(mu). */

#include <stddef.h>

struct stages {
    const double *at_least; /* P(K >= k) for k = 0 .. count-1, of which the first is 1; 0 beyond */
    size_t count;
    double workers;    /* c >= 1 */
    double service_ns; /* 1/mu */
};

/* P(Erlang(K, c mu) + Exp(mu) > x), to a relative 1e-12 or better while x / service_ns and K are
   below 10^6. */
double stages_tail(const struct stages *s, double x_ns);

/* The mean of the same, in ns. */
double stages_mean_ns(const struct stages *s);

/* P(Poisson(mean) = m), mean > 0, m whole and >= 0. */
double stages_poisson(double m, double mean);

#endif
