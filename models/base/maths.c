/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/base/maths.h"

#include <math.h>

#include "models/base/draw_kernels.h"

void exponential_draws(struct stream stream, uint64_t first, double mean_ns, ns_t *out_ns,
                       size_t count)
{
    if (mean_ns <= EXPONENTIAL_FAST_MEAN_NS) {
        draw_kernels()->exponential(stream, first, mean_ns, out_ns, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        out_ns[i] = round_ns(mean_ns * -portable_log(unit_of(stream_word(stream, first + i))));
}

double round_probability(double p)
{
    return (double)round_ns(p * 0x1p40) * 0x1p-40;
}

/* x = k log 2 + r with |r| <= 0.347; e^r by its series to r^14, the first two terms added last. */
double portable_exp(double x)
{
    static const double inverse_factorials[] = {
        1.0 / 2,         1.0 / 6,          1.0 / 24,          1.0 / 120,     1.0 / 720,
        1.0 / 5040,      1.0 / 40320,      1.0 / 362880,      1.0 / 3628800, 1.0 / 39916800,
        1.0 / 479001600, 1.0 / 6227020800, 1.0 / 87178291200,
    };
    if (x < -708.0)
        return 0.0;
    if (x > 708.0)
        return 0x1p1020;
    double log2_high = 6.93147180369123816490e-01, log2_low = 1.90821492927058770002e-10;
    double k = x * 1.44269504088896338700 + 0x1.8p52; /* the addition rounds to a whole number */
    k -= 0x1.8p52;
    double high = x - k * log2_high, low = k * log2_low;
    double r = high - low, lost = (high - r) - low;
    double sum = 0.0;
    for (size_t i = sizeof inverse_factorials / sizeof inverse_factorials[0]; i-- > 0;)
        sum = sum * r + inverse_factorials[i];
    double value = 1.0 + (r + (r * r * sum + lost));
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits += (uint64_t)(int64_t)k << 52;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double portable_power(double x, double y)
{
    return portable_exp(y * portable_log(x));
}

/* c[0] + c[1] x + ... + c[7] x^7 */
static double polynomial(const double c[8], double x)
{
    double sum = c[7];
    for (int i = 6; i >= 0; i--)
        sum = sum * x + c[i];
    return sum;
}

double portable_normal(double u)
{
    static const double a[] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                               1.9715909503065514427e+3, 1.3731693765509461125e+4,
                               4.5921953931549871457e+4, 6.7265770927008700853e+4,
                               3.3430575583588128105e+4, 2.5090809287301226727e+3};
    static const double b[] = {1.0,
                               4.2313330701600911252e+1,
                               6.8718700749205790830e+2,
                               5.3941960214247511077e+3,
                               2.1213794301586595867e+4,
                               3.9307895800092710610e+4,
                               2.8729085735721942674e+4,
                               5.2264952788528545610e+3};
    static const double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                               5.76949722146069140550e0,  3.64784832476320460504e0,
                               1.27045825245236838258e0,  2.41780725177450611770e-1,
                               2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double d[] = {1.0,
                               2.05319162663775882187e0,
                               1.67638483018380384940e0,
                               6.89767334985100004550e-1,
                               1.48103976427480074590e-1,
                               1.51986665636164571966e-2,
                               5.47593808499534494600e-4,
                               1.05075007164441684324e-9};
    static const double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                               1.78482653991729133580e0,  2.96560571828504891230e-1,
                               2.65321895265761230930e-2, 1.24266094738807843860e-3,
                               2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double f[] = {1.0,
                               5.99832206555887937690e-1,
                               1.36929880922735805310e-1,
                               1.48753612908506148525e-2,
                               7.86869131145613259100e-4,
                               1.84631831751005468180e-5,
                               1.42151175831644588870e-7,
                               2.04426310338993978564e-15};
    double q = (u - 0.5) - 0x1p-54;
    if (-0.425 <= q && q <= 0.425) {
        double r = 0.180625 - q * q;
        return q * polynomial(a, r) / polynomial(b, r);
    }
    double beyond = q < 0.0 ? u - 0x1p-54 : (1.0 - u) + 0x1p-54;
    double r = sqrt(-portable_log(beyond));
    double z = r <= 5.0 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6)
                        : polynomial(e, r - 5.0) / polynomial(f, r - 5.0);
    return q < 0.0 ? -z : z;
}
