/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/base/draw_kernels.h"

#include <string.h>

#include "models/base/bits.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#define LANES VECTOR_LANES
#define BLOCK 128
#define STEPS (BLOCK / LANES)

#define ONE UINT64_C(0x3ff0000000000000) /* the bits of 1.0 */
#define SQRT_2 1.41421356237309504880
#define LOG_2 0.693147180559945309417
#define LAST 0.15074729953468393513

typedef double reals __attribute__((vector_size(8 * LANES)));
typedef uint64_t words __attribute__((vector_size(8 * LANES)));

/* A block goes through short loops: in a long one, each draw is a chain that the processor waits
   for. */
struct block {
    _Alignas(LINE_BYTES) uint64_t word[BLOCK / 2];
    reals k[STEPS], s[STEPS];
};

/* For two draws a word gives: itself, and itself with its halves swapped. */
#if LANES == 8
#define BOTH_WAYS 0, 1, 1, 0, 2, 3, 3, 2, 4, 5, 5, 4, 6, 7, 7, 6
#elif LANES == 4
#define BOTH_WAYS 0, 1, 1, 0, 2, 3, 3, 2
#else
#define BOTH_WAYS 0, 1, 1, 0
#endif
typedef uint32_t halves __attribute__((vector_size(4 * LANES)));

static inline words both_ways(const uint64_t *word)
{
    halves half;
    memcpy(&half, word, sizeof half);
    return (words)__builtin_shufflevector(half, half, BOTH_WAYS);
}

#if LANES > 2
/* z * by, modulo 2^64.  AVX2 has products of 32 bits alone: each half by the other half of `by`
   counts in the high half. */
static inline words times(words z, uint64_t by)
{
#if LANES == 4
    __m256i factor = _mm256_set1_epi64x((long long)by);
    words crossed = (words)_mm256_mullo_epi32((__m256i)z, _mm256_shuffle_epi32(factor, 0xb1));
    return (words)_mm256_mul_epu32((__m256i)z, factor) + (crossed << 32) +
           (crossed & UINT64_C(0xffffffff00000000));
#else
    return z * by;
#endif
}

/* As stream_mix. */
static inline words mixed(words z, uint64_t key)
{
    z = times(z ^ (z >> 30), MIX_FIRST);
    z = times(z ^ (z >> 27) ^ key, MIX_SECOND);
    return z ^ (z >> 31);
}
#endif

/* The draw of a word is -mean log u, u = 2 - (1 + w/2^52) for w its high 52 bits, the last of them
   set: one of the 2^51 odd multiples of 2^-52 in (0, 1), so that the longest draw is 36.04 means.
   Of the two draws of a word each has its own 32 bits in front, and only behind them the first of
   the other's.

   u = 2^e m with m in [1, 2), so -log u = (-e - 1/2) log 2 - 2 atanh(s), s = (m - sqrt 2)/(m +
   sqrt 2), |s| <= 0.17158; here are k = -e - 1/2, exactly, in units of K_UNIT, and s. */
#if LANES == 8
#define K_UNIT 1.0
#else
#define K_UNIT 0.5 /* one subtraction away from the bits of u: a 1 stands behind its exponent */
#endif
static inline void split(words word, reals *k, reals *s)
{
    words u = (words)(2.0 - (reals)((word >> 12) | (ONE | 1)));
#if LANES == 8
    *k = -0.5 - (reals)_mm512_getexp_pd((__m512d)u);
    reals m = (reals)_mm512_getmant_pd((__m512d)u, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src);
#else
    *k = (0x1p52 + 2046.0) - (reals)((u >> 51) | (BITS_OF_2_52 | 1));
    reals m = (reals)((u & MANTISSA_MASK) | ONE);
#endif
    *s = (m - SQRT_2) / (m + SQRT_2);
}

/* atanh(s) is LAST s times the product: of the polynomials of degree 7 that are right where u is 1,
   2e-14 below atanh, the one that is off least, below 1.38e-10 of -log u (test_draws bounds it on
   all of the interval).  Rounding adds less than 36.04 * 2^-50.  So no draw is below 0, and each is
   off by less than 1.4e-10 means before it is rounded to whole ns, half to even; 10^17 draws would
   not tell it from the logarithm.  Adding 2^52 leaves no room for a fraction, so the addition
   itself rounds. */
static inline words scaled(reals k, reals s, double each, double twice)
{
    reals z = s * s;
    reals product =
        (z + 1.9437233888459790897) * ((z - 0.6182074501316047362) * z + 3.4128405394202138033);
    reals x = k * each + (s * twice) * product;
#if LANES == 8
    return (words)_mm512_cvtpd_epu64((__m512d)x);
#else
    return (words)(x + 0x1p52) & MANTISSA_MASK;
#endif
}

/* Inline, so that the loops know how long they are. */
__attribute__((always_inline)) static inline void
draw_block(uint64_t weyl, uint64_t key, double mean_ns, ns_t *out_ns, size_t steps)
{
    struct block b;
    double each = mean_ns * LOG_2 * K_UNIT, twice = -2.0 * mean_ns * LAST;
#if LANES == 2 /* such vectors have no products of 64 bits; other units do them meanwhile */
    for (size_t j = 0; j < steps; j++) {
        uint64_t word = stream_mix(weyl + j * WEYL_STEP, key);
        __asm__("" : "+r"(word));
        split(both_ways(&word), &b.k[j], &b.s[j]);
    }
#else
    words lanes;
    for (size_t lane = 0; lane < LANES; lane++)
        lanes[lane] = weyl + lane * WEYL_STEP;
    for (size_t j = 0; 2 * j < steps; j++) {
        words word = mixed(lanes + LANES * j * WEYL_STEP, key);
        memcpy(b.word + LANES * j, &word, sizeof word);
    }
    for (size_t j = 0; j < steps; j++)
        split(both_ways(b.word + LANES / 2 * j), &b.k[j], &b.s[j]);
#endif
    for (size_t j = 0; j < steps; j++) {
        words draws = scaled(b.k[j], b.s[j], each, twice);
        memcpy(out_ns + j * LANES, &draws, sizeof draws);
    }
}

/* A block that is not whole, or begins with the second draw of a word, goes by way of its own. */
static void exponential(struct stream stream, uint64_t first, double mean_ns, ns_t *out_ns,
                        size_t count)
{
    uint64_t weyl = stream.a + first / 2 * WEYL_STEP;
    size_t skipped = first % 2;
    for (size_t some; count > 0; count -= some, weyl += BLOCK / 2 * WEYL_STEP) {
        some = count < BLOCK - skipped ? count : BLOCK - skipped;
        if (some == BLOCK) {
            draw_block(weyl, stream.b, mean_ns, out_ns, STEPS);
        } else {
            ns_t own_ns[BLOCK];
            draw_block(weyl, stream.b, mean_ns, own_ns, (skipped + some + LANES - 1) / LANES);
            memcpy(out_ns, own_ns + skipped, some * sizeof *out_ns);
        }
        out_ns += some;
        skipped = 0;
    }
}

/* Two rows at a time, of which one addition waits for the two before. */
static ns_t sums(ns_t from_ns, ns_t *ns, size_t count)
{
    size_t i = 0;
    for (; i + 2 <= count; i += 2) {
        ns_t one = ns[i], both = one + ns[i + 1];
        ns[i] = from_ns + one;
        from_ns += both;
        ns[i + 1] = from_ns;
    }
    if (i < count)
        ns[i] = from_ns += ns[i];
    return from_ns;
}

const struct draw_kernels VECTOR_NAME(draw_kernels) = {exponential, sums};
