/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_ROOT_H
#define DUETIME_ROOT_H

/* The x > 0 at which f, below 0 to its left and not below to its right, changes sign, to the last
   bits of x; `near` > 0 is where the search for a bracket begins.  Where there is no change between
   near * 2^-1000 and near * 2^1000 the end of that range. */
double root_rising(double (*f)(const void *context, double x), const void *context, double near);

#endif
