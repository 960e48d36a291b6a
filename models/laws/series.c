/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/series.h"

#include <gsl/gsl_math.h>
#include <math.h>

/* The nodes are the roots of the discrete Chebyshev (Gram) polynomials.  A block is accepted when
   its two halves say the same, else halved, down to blocks that are summed term by term. */
enum { NODES = SERIES_NODES, DIRECT_LEVEL = 6, TERMS_MOST = 1 << 21 };

struct series {
    series_term term;
    const void *context;
    struct series_rules *rules;
    double total; /* of the blocks before this one */
    long terms;   /* evaluated so far: beyond TERMS_MOST every block is accepted */
};

/* Orthonormal polynomials 0 .. NODES at y in [-1, 1], for n points: fills p, returns the slope of
   the last.  Squared recurrence coefficients k^2 (1 - k^2/n^2) / (4 k^2 - 1). */
static double polynomials(double n, double y, double p[NODES + 1])
{
    double slope = 0.0, slope_before = 0.0, b = 0.0;
    p[0] = 1.0;
    for (int k = 0; k < NODES; k++) {
        double j = k + 1.0, before = k > 0 ? p[k - 1] : 0.0;
        double next_b = sqrt(j * j * (1.0 - j * j / (n * n)) / (4.0 * j * j - 1.0));
        double next_slope = (p[k] + y * slope - b * slope_before) / next_b;
        p[k + 1] = (y * p[k] - b * before) / next_b;
        slope_before = slope;
        slope = next_slope;
        b = next_b;
    }
    return slope;
}

static void rule_make(struct series_rule *rule, double n)
{
    double end[NODES + 1], p[NODES + 1];
    polynomials(n, (n - 1.0) / n, end);
    for (int i = 0; i < NODES; i++) {
        double y = -cos(M_PI * (i + 0.75) / (NODES + 0.5)); /* Legendre's, nearly */
        for (int round = 0; round < 20; round++) {
            double step = polynomials(n, y, p);
            step = p[NODES] / step;
            y -= step;
            if (fabs(step) < 1e-15)
                break;
        }
        polynomials(n, y, p);
        double squares = 0.0, last = 0.0;
        for (int k = 0; k < NODES; k++) {
            squares += p[k] * p[k];
            last += p[k] * end[k];
        }
        rule->at[i] = (n * y + n - 1.0) / 2.0;
        rule->weight[i] = n / squares;
        rule->right[i] = last / squares;
    }
    rule->known = true;
}

static double direct(struct series *s, double first, double count)
{
    double sum = 0.0;
    for (double i = 0.0; i < count; i += 1.0)
        sum += s->term(s->context, first + i);
    s->terms += (long)count;
    return sum;
}

/* The rule's sum of a block; *stray is how far its first and last term are from what the nodes
   say they are, which shows a jump that no node has seen. */
static double gauss(struct series *s, double first, int level, double *stray)
{
    struct series_rule *rule = &s->rules->level[level];
    double n = ldexp(1.0, level), sum = 0.0, left = 0.0, right = 0.0;
    if (!rule->known)
        rule_make(rule, n);
    for (int i = 0; i < NODES; i++) {
        double value = s->term(s->context, first + rule->at[i]);
        sum += rule->weight[i] * value;
        left += rule->right[NODES - 1 - i] * value;
        right += rule->right[i] * value;
    }
    left -= s->term(s->context, first);
    right -= s->term(s->context, first + n - 1.0);
    s->terms += NODES + 2;
    *stray = n * fmax(fabs(left), fabs(right));
    return sum;
}

static double block(struct series *s, double first, int level, double whole)
{
    if (level <= DIRECT_LEVEL)
        return direct(s, first, ldexp(1.0, level));
    double middle = first + ldexp(1.0, level - 1), stray_left, stray_right;
    double left = gauss(s, first, level - 1, &stray_left);
    double right = gauss(s, middle, level - 1, &stray_right);
    double halves = left + right, around = s->total + halves;
    bool agree = fabs(whole - halves) <= 1e-11 * halves + 1e-13 * around &&
                 stray_left + stray_right <= 1e-10 * around;
    bool vanishes = halves < 1e-280; /* where doubles lose their digits */
    if (agree || vanishes || s->terms > TERMS_MOST)
        return halves;
    left = block(s, first, level - 1, left);
    return left + block(s, middle, level - 1, right);
}

static void stretch(struct series *s, double first, double count, bool may_end)
{
    int level = DIRECT_LEVEL;
    while (count > 0.0) {
        while (ldexp(1.0, level) > count && level > DIRECT_LEVEL)
            level--;
        double n = fmin(ldexp(1.0, level), count), stray;
        double part = level <= DIRECT_LEVEL
                          ? direct(s, first, n)
                          : block(s, first, level, gauss(s, first, level, &stray));
        s->total += part;
        /* The blocks double, so what is left of a falling series is of the order of this part. */
        if (may_end && part <= 1e-17 * s->total)
            return;
        first += n;
        count -= n;
        if (level < SERIES_LEVELS - 1)
            level++;
    }
}

double series_sum(struct series_rules *rules, series_term term, const void *context, double last)
{
    struct series s = {.term = term, .context = context, .rules = rules};
    stretch(&s, 1.0, last, true);
    return s.total;
}

double series_stretch(struct series_rules *rules, series_term term, const void *context,
                      double first, double count)
{
    struct series s = {.term = term, .context = context, .rules = rules};
    stretch(&s, first, count, false);
    return s.total;
}
