/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_ORDER_H
#define DUETIME_ORDER_H

/* What finite samples do to a percentile.

   The k-th smallest of n independent samples leaves a share V ~ Beta(n - k + 1, k) of the
   distribution beyond it, whatever the distribution is: so the sample percentile of rank k has an
   exact law.  Source: H. A. David, H. N. Nagaraja, Order Statistics (2003).  Check: exponentials of
   mean m, E x_(k) = m (H_n - H_(n-k)); n = 100, k = 99, m = 10 ms: 41.8738 ms, 5 % and 95 % points
   30.6702 and 56.3655 ms.

   Consecutive responses of a queue are dependent: the p-th percentile of n of them has a relative
   standard error of sqrt(p q I / n) / (x f(x)), with I the variance inflation of the law at x, its
   p-quantile, and f its density there; exponential responses: sqrt(p I / (q n)) / ln(1/q).
   Source: Bahadur's representation of a quantile (1966).  Check: M/M/1, rho = 0.9, p99 of 400,000:
   6.33843 %. */

#include "models/laws/law.h"

/* A sample percentile: the rank-th smallest of n independent samples, 1 <= rank <= n <= 1e9. */
struct order_statistic {
    uint64_t n, rank;
};

/* P(V <= share): the probability that at most that share of the distribution lies beyond it.  To a
   relative 1e-11. */
double order_beyond_cdf(struct order_statistic s, double share);

/* The share that lies beyond it with probability u of being less, 0 < u < 1. */
double order_beyond(struct order_statistic s, double u);

/* The value that the sample percentile stays at or below with probability u, 0 < u < 1, in ns. */
double order_quantile(const struct law *law, struct order_statistic s, double u);

/* Its mean, in ns; NAN where the law has none. */
double order_mean_ns(const struct law *law, struct order_statistic s);

/* The share that one of n independent parts may leave beyond x if all of them are to be at most x
   with probability p: 1 - p^(1/n), with all its digits.  n = 100, p = 1/2: 1 - 0.9930925. */
double order_beyond_of_longest(double p, uint64_t n);

/* The relative standard error of the p-th percentile of n consecutive samples, given the variance
   inflation there; NAN at an atom or at the ends. */
double order_wander(const struct law *law, struct ratio p, double inflation, double n);

#endif
