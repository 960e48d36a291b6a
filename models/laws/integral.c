/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/integral.h"

#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdlib.h>

enum { NODES = 20, HALVINGS_MOST = 45, DOUBLINGS_MOST = 2000 };

struct integrand {
    integral_tail tail;
    const void *context;
    const gsl_integration_glfixed_table *nodes;
    double tolerance; /* absolute */
};

static double panel(const struct integrand *f, double from, double to)
{
    double sum = 0.0;
    for (size_t i = 0; i < NODES; i++) {
        double x, weight;
        gsl_integration_glfixed_point(from, to, i, &x, &weight, f->nodes);
        sum += weight * f->tail(f->context, x);
    }
    return sum;
}

/* Halves a panel until its halves say the same as the whole. */
static double refine(const struct integrand *f, double from, double to, double whole, int depth)
{
    double middle = from + (to - from) / 2.0;
    double left = panel(f, from, middle), right = panel(f, middle, to);
    double off = fabs(left + right - whole);
    if (off <= f->tolerance + 1e-13 * fabs(whole) || depth == HALVINGS_MOST)
        return left + right;
    return refine(f, from, middle, left, depth + 1) + refine(f, middle, to, right, depth + 1);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* From the last break on, in panels each as long as all before it. */
static double beyond(const struct integrand *f, double from, double scale, double so_far)
{
    double sum = so_far;
    double width = scale;
    for (int i = 0; i < DOUBLINGS_MOST; i++) {
        double part = refine(f, from, from + width, panel(f, from, from + width), 0);
        sum += part;
        from += width;
        width = fmax(scale, from);
        if (part <= 1e-15 * sum && f->tail(f->context, from) * width <= 1e-15 * sum)
            return sum;
    }
    return NAN;
}

double integral_of_tail(integral_tail tail, const void *context, double scale,
                        struct integral_breaks breaks)
{
    gsl_integration_glfixed_table *nodes = gsl_integration_glfixed_table_alloc(NODES);
    if (nodes == NULL || !(scale > 0.0)) {
        gsl_integration_glfixed_table_free(nodes);
        return NAN;
    }
    struct integrand f = {tail, context, nodes, 1e-14 * scale};
    double sum = 0.0, from = 0.0;
    qsort(breaks.at, breaks.count, sizeof *breaks.at, by_size);
    for (size_t i = 0; i < breaks.count; i++) {
        if (!(breaks.at[i] > from) || tail(context, from) <= 0.0)
            continue;
        sum += refine(&f, from, breaks.at[i], panel(&f, from, breaks.at[i]), 0);
        from = breaks.at[i];
    }
    sum = tail(context, from) > 0.0 ? beyond(&f, from, scale, sum) : sum;
    gsl_integration_glfixed_table_free(nodes);
    return sum;
}
