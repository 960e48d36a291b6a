/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/base/draw_kernels.h"

#include "models/base/bits.h"

#define BLOCK \
    256 /* two short loops over it: one long loop is a chain that the processor waits for */
#define ONE UINT64_C(0x3ff0000000000000) /* the bits of 1.0 */
#define SQRT_2 1.41421356237309504880
#define LOG_2 0.693147180559945309417

/* The draw of a word is -mean log u, u = 2 - (1 + w/2^52) for w its high 52 bits: one of the 2^52
   multiples of 2^-52 in (0, 1], never 0, so that the longest draw is 36.04 means.

   u = 2^e m with m in [1, 2), so -log u = (-e - 1/2) log 2 - 2 atanh(s), s = (m - sqrt 2)/(m +
   sqrt 2), |s| <= 0.17158; the first loop finds k = -e - 1/2, exactly, and s.  atanh(s)/s is the
   polynomial of degree 4 in s^2 that is off least: below 4.3e-12, which makes 1.5e-12 of -log u
   (test_draws bounds it on all of the interval).  Rounding adds less than 36.04 * 2^-50.  So a draw
   is off by less than 1.6e-12 means before it is rounded to whole ns. */
static const double series[] = {1.0000000000041797587, 0.33333332623743761397,
                                0.20000192336187593696, 0.14267525518908155052,
                                0.11808179549572992492};

static void split(struct stream stream, uint64_t first, double *restrict k, double *restrict s,
                  size_t count)
{
    uint64_t words[BLOCK], weyl = stream.a + first * WEYL_STEP;
    for (size_t i = 0; i < count; i++, weyl += WEYL_STEP)
        words[i] = stream_mix(weyl, stream.b);
    for (size_t i = 0; i < count; i++) {
        uint64_t u = to_bits(2.0 - from_bits((words[i] >> 12) | ONE));
        double m = from_bits((u & MANTISSA_MASK) | ONE);
        k[i] = (0x1p52 + 1023.0) - above_2_52(u >> 52) - 0.5;
        s[i] = (m - SQRT_2) / (m + SQRT_2);
    }
}

/* x may be just below 0 where u is near 1.  Adding 2^52 leaves no room for a fraction, so the
   addition itself rounds, half to even. */
static void scale(const double *restrict k, const double *restrict s, double mean_ns,
                  ns_t *restrict out_ns, size_t count)
{
    double each = mean_ns * LOG_2, twice = -2.0 * mean_ns;
    double c0 = twice * series[0], c1 = twice * series[1], c2 = twice * series[2],
           c3 = twice * series[3], c4 = twice * series[4];
    for (size_t i = 0; i < count; i++) {
        double z = s[i] * s[i], w = z * z;
        double x = k[i] * each + s[i] * ((c0 + c1 * z) + w * ((c2 + c3 * z) + w * c4));
        double up = x + 0x1p52; /* compared before it, 0 + 2^52 becomes a branch */
        out_ns[i] = to_bits(up > 0x1p52 ? up : 0x1p52) & MANTISSA_MASK;
    }
}

static void exponential(struct stream stream, uint64_t first, double mean_ns, ns_t *out_ns,
                        size_t count)
{
    double k[BLOCK], s[BLOCK];
    for (size_t done = 0; done < count; done += BLOCK) {
        size_t block = count - done < BLOCK ? count - done : BLOCK;
        split(stream, first + done, k, s, block);
        scale(k, s, mean_ns, out_ns + done, block);
    }
}

const struct draw_kernels VECTOR_NAME(draw_kernels) = {exponential};
