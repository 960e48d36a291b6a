/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_INFLATION_H
#define DUETIME_INFLATION_H

/* Variance inflation of the empirical distribution of consecutive M/M/1 responses at level p:
   n Var(F_n(x_p)) / (p q) for n -> infinity.  rho < 1 the utilisation, spare = 1 - rho and
   q = 1 - p, each with its own digits; NAN for q = 0. */
double inflation_mm1(double rho, double spare, double p, double q);

#endif
