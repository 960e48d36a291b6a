/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LAWS_REPAIRMAN_H
#define DUETIME_LAWS_REPAIRMAN_H

#include <stdint.h>

/* N clients with exponential think time of mean think_ns on c workers with exponential service of
   mean service_ns, in the long run. */
struct repairman {
    double clients, workers, think_ns, service_ns;
};

/* The share of time with j = 0 .. clients at the server, into share[clients + 1]. */
void repairman_shares(struct repairman r, double *share);

/* Answers a ns. */
double repairman_throughput(struct repairman r);

#endif
