/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_MG1_SERVICE_H
#define DUETIME_MG1_SERVICE_H

/* A service time as the renewal equation needs it: its tail, what lies beyond, and where the tail
   is smooth. */

#include "models/distributions/distribution.h"

struct mg1_service {
    struct choice choice;
    double mean_ns, square_ns2; /* E[S], E[S^2]; the latter may be infinite */
    double kinks_ns[2];         /* jumps and kinks of the tail above 0, ascending */
    int kink_count;
    double longest_ns;   /* the tail is 0 or below 1e-300 from here on; may be infinite */
    double flat_ns;      /* the tail is 1 to 17 digits up to here */
    double smooth_ratio; /* and behind it of one scale over [u, u (1 + ratio)); infinite: between
                            any two kinks */
    double sigma, median_ns; /* of a lognormal, sigma of its logarithm; else 0 */
    double shape, scale_ns;  /* of a Weibull; else 0 */
    bool atoms;
};

/* False for other service than two-point, uniform, lognormal, Pareto, and Weibull of a shape from
   0.3 to 10. */
bool mg1_service_init(struct mg1_service *s, struct choice service);

double mg1_service_tail(const struct mg1_service *s, double u_ns);   /* P(S > u) */
double mg1_service_excess(const struct mg1_service *s, double u_ns); /* its integral from u on */

/* How far from `from` on the tail is well fitted by one polynomial of moderate degree. */
double mg1_service_smooth_until(const struct mg1_service *s, double from_ns);

#endif
