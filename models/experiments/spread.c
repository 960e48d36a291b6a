/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/experiments/spread.h"

#include <math.h>
#include <stdlib.h>

#include "models/base/error.h"

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct spread spread_of(const double *values, size_t count)
{
    double *sorted = must_alloc(count > 0 ? count : 1, sizeof *sorted), sum = 0.0, squares = 0.0;
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            sorted[n++] = values[i];
    struct spread s = {n, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (n > 0) {
        qsort(sorted, n, sizeof *sorted, ascending);
        for (size_t i = 0; i < n; i++)
            sum += sorted[i];
        s.min = sorted[0];
        s.max = sorted[n - 1];
        s.range = s.max - s.min;
        s.median = n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0;
        /* The rounding of a sum must not make runs that are all the same seem to differ. */
        s.mean = s.range > 0.0 ? sum / (double)n : s.min;
        for (size_t i = 0; i < n; i++)
            squares += (sorted[i] - s.mean) * (sorted[i] - s.mean);
    }
    if (n > 1) {
        s.deviation = sqrt(squares / (double)(n - 1));
        s.cv = s.mean > 0.0 ? s.deviation / s.mean : NAN;
    }
    free(sorted);
    return s;
}

double student_t_975(size_t degrees)
{
    static const double table[] = {
        12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004,
        2.262157,  2.228139, 2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905,
        2.109816,  2.100922, 2.093024, 2.085963, 2.079614, 2.073873, 2.068658, 2.063899,
        2.059539,  2.055529, 2.051831, 2.048407, 2.045230, 2.042272,
    };
    BUG_IF(degrees == 0);
    if (degrees <= sizeof table / sizeof table[0])
        return table[degrees - 1];
    /* Abramowitz and Stegun 26.7.5, whose next term is below 1e-5 from here on. */
    double z = 1.959963984540054, n = (double)degrees, z2 = z * z;
    double first = z * (z2 + 1.0) / 4.0;
    double second = z * (3.0 + z2 * (16.0 + 5.0 * z2)) / 96.0;
    double third = z * (-15.0 + z2 * (17.0 + z2 * (19.0 + 3.0 * z2))) / 384.0;
    return z + first / n + second / (n * n) + third / (n * n * n);
}

static void interval(struct spread s, double *low, double *high)
{
    double half = student_t_975(s.count - 1) * s.deviation / sqrt((double)s.count);
    *low = s.mean - half;
    *high = s.mean + half;
}

struct components components_of(const double *values, size_t runs, size_t each, double times)
{
    double *means = must_alloc(runs, sizeof *means), within = 0.0;
    for (size_t i = 0; i < runs; i++) {
        struct spread s = spread_of(values + i * each, each);
        means[i] = s.mean;
        within += s.deviation * s.deviation;
    }
    struct spread between = spread_of(means, runs), first = spread_of(values, each);
    struct components c = {.mean = between.mean, .within = within / (double)runs};
    double excess = between.deviation * between.deviation - c.within / (double)each;
    c.between = excess > 0.0 ? excess : 0.0;
    c.single = sqrt(c.between + c.within);
    c.longer = sqrt(c.between + c.within / times);
    c.restarts = sqrt((c.between + c.within) / times);
    interval(first, &c.within_low, &c.within_high);
    interval(between, &c.between_low, &c.between_high);
    free(means);
    return c;
}
