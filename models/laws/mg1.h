/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_MG1_H
#define DUETIME_MG1_H

/* Three ways to the same distribution: what a request spends at a single server with Poisson
   arrivals.  Each fills `tail`, `table` and, where there are atoms, `tail_from`. */

#include "models/distributions/distribution.h"
#include "models/laws/law.h"

/* How busy the server is; the mean service need not be whole ns. */
struct mg1_traffic {
    double per_ns; /* arrivals a ns */
    double rho, spare /* 1 - rho */;
};

/* Which of law_distribution.parameters holds the estimated relative error of tail. */
enum { MG1_ERROR = 7 };

/* Erlang service: a queue of stages. */
bool mg1_erlang(const struct erlang *service, struct mg1_traffic traffic,
                struct law_distribution *out, char why[LAW_WHY_SIZE]);

/* Hyperexponential service: as many exponentials as there are branches. */
bool mg1_hyperexponential(const struct hyperexponential *service, struct mg1_traffic traffic,
                          struct law_distribution *out, char why[LAW_WHY_SIZE]);

/* Two-point, uniform, lognormal and Pareto service: the renewal equation, step by step. */
bool mg1_renewal(struct choice service, struct mg1_traffic traffic, struct law_distribution *out,
                 char why[LAW_WHY_SIZE]);

#endif
