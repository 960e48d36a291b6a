/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LAWS_GAUSS_H
#define DUETIME_LAWS_GAUSS_H

/* Gauss-Legendre integration with 16 nodes: exact for polynomials of degree 31. */
enum { GAUSS_NODES = 16 };

/* On (-1, 1), ascending; the weights sum to 2. */
extern const double gauss_node[GAUSS_NODES], gauss_weight[GAUSS_NODES];

typedef double (*gauss_term)(const void *context, double at);

/* The integral of f from one end to the other. */
double gauss_area(gauss_term f, const void *context, double from, double to);

#endif
