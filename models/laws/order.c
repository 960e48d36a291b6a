/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/order.h"

#include <math.h>

#include "models/laws/integral.h"

#define LOG_ROOT_2PI 0.91893853320467274178
#define TWO_PI 6.283185307179586476925

enum { FRACTION_STEPS_MOST = 10000000 };

/* ---- the beta distribution, for whole parameters up to 1e9: the density without the loss that
   logarithms of huge gamma functions bring (C. Loader, Fast and Accurate Computation of Binomial
   Probabilities, 2000), times a continued fraction ---- */

/* log(m!) less Stirling's formula for it. */
static double stirling_error(double m)
{
    if (m < 16.0)
        return lgamma(m + 1.0) - (m + 0.5) * log(m) + m - LOG_ROOT_2PI;
    double r = 1.0 / (m * m);
    return (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r / 1188)))) / m;
}

/* x log(x/m) + m - x, without cancelling where x is near m. */
static double deviance(double x, double m)
{
    double v = (x - m) / (x + m);
    if (fabs(v) >= 0.1)
        return x * log(x / m) + m - x;
    double sum = (x - m) * v, term = 2.0 * x * v;
    for (int j = 3; j < 40; j += 2) {
        term *= v * v;
        sum += term / j;
    }
    return sum;
}

/* The fraction of the incomplete beta function, by Lentz's method. */
static double fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0);
    d = 1.0 / (fabs(d) < tiny ? tiny : d);
    double h = d;
    for (int i = 1; i < FRACTION_STEPS_MOST; i++) {
        double m = i, even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 + even * d;
        c = 1.0 + even / c;
        d = 1.0 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        h *= d * c;
        d = 1.0 + odd * d;
        c = 1.0 + odd / c;
        d = 1.0 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        h *= d * c;
        if (fabs(d * c - 1.0) < 1e-15)
            return h;
    }
    return NAN;
}

/* P(Beta(a, b) <= x), y = 1 - x. */
static double beta_cdf(double a, double b, double x, double y)
{
    if (x <= 0.0)
        return 0.0;
    if (y <= 0.0)
        return 1.0;
    double n = a + b, log_mass = stirling_error(n) - stirling_error(a) - stirling_error(b) -
                                 deviance(a, n * x) - deviance(b, n * y);
    /* x^a y^b / B(a, b) */
    double front = exp(log_mass) * sqrt(a * b / (TWO_PI * n));
    if (x <= (a + 1.0) / (n + 2.0))
        return front * fraction(a, b, x) / a;
    return 1.0 - front * fraction(b, a, y) / b;
}

double order_beyond_cdf(struct order_statistic s, double share)
{
    BUG_IF(s.rank < 1 || s.rank > s.n);
    return beta_cdf((double)(s.n - s.rank + 1), (double)s.rank, share, 1.0 - share);
}

/* Bisects the logarithm of the share, which may be tiny; 200 halvings of 700 e-folds are enough for
   every double. */
double order_beyond(struct order_statistic s, double u)
{
    BUG_IF(!(u > 0.0 && u < 1.0));
    double low = -700.0, high = 0.0;
    for (int step = 0; step < 200; step++) {
        double middle = low + (high - low) / 2.0;
        if (middle <= low || middle >= high)
            break;
        double x = exp(middle);
        bool less = beta_cdf((double)(s.n - s.rank + 1), (double)s.rank, x, -expm1(middle)) < u;
        low = less ? middle : low;
        high = less ? high : middle;
    }
    return exp(high);
}

double order_quantile(const struct law *law, struct order_statistic s, double u)
{
    double beyond = order_beyond(s, 1.0 - u);
    return law_quantile_beyond(law, fmin(beyond, 1.0 - 0x1p-53));
}

struct sample_percentile {
    const struct law *law;
    struct order_statistic s;
};

/* The sample percentile exceeds x when at least n - rank + 1 samples do. */
static double percentile_tail(const void *context, double x_ns)
{
    const struct sample_percentile *p = context;
    const struct law_distribution *d = &p->law->distribution;
    double beyond = d->tail(d, x_ns);
    return beyond >= 1.0 ? 1.0 : order_beyond_cdf(p->s, beyond);
}

double order_mean_ns(const struct law *law, struct order_statistic s)
{
    BUG_IF(law->shape != LAW_RANDOM || law->rule.interval != 0);
    static const double levels[] = {1e-12, 1e-6, 0.01, 0.2, 0.5, 0.8, 0.99, 1.0 - 1e-6};
    enum { COUNT = sizeof levels / sizeof levels[0] };
    struct sample_percentile p = {law, s};
    double at_ns[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        at_ns[i] = order_quantile(law, s, levels[i]);
    double scale_ns = fmax(at_ns[COUNT - 1] - at_ns[0], at_ns[COUNT - 1] * 1e-6);
    return integral_of_tail(percentile_tail, &p, scale_ns, (struct integral_breaks){at_ns, COUNT});
}

double order_beyond_of_longest(double p, uint64_t n)
{
    return -expm1(log(p) / (double)n);
}

/* -dx/dq of the quantile with a share q beyond it, by central differences and one extrapolation. */
static double slope(const struct law *law, double q, double step)
{
    return (law_quantile_beyond(law, q - step) - law_quantile_beyond(law, q + step)) / (2.0 * step);
}

double order_wander(const struct law *law, struct ratio p, double inflation, double n)
{
    BUG_IF(law->shape != LAW_RANDOM);
    if (p.num == 0 || p.num >= p.den || !(n > 0.0) || law_atom(law, law_percentile(law, p)))
        return NAN;
    double q = (double)(p.den - p.num) / (double)p.den, x_ns = law_quantile(law, p);
    double step = 4e-3 * fmin(q, 1.0 - q);
    double change_ns = (4.0 * slope(law, q, step / 2.0) - slope(law, q, step)) / 3.0;
    double wander = sqrt(q * (1.0 - q) * inflation / n) * change_ns / x_ns;
    return wander > 0.0 && isfinite(wander) ? wander : NAN;
}
