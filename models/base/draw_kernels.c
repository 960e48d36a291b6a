/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/base/draw_kernels.h"

#include <string.h>

#include "models/base/bits.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#define LANES VECTOR_LANES
#define GROUP 8   /* words; their draws stand together, the first ones and then the second ones */
#define BLOCK 128 /* draws */
#define STEPS (BLOCK / 2 / LANES)

#define SIXTEEN UINT64_C(0x4030000000000000) /* the bits of 16.0, whose last one counts 2^-48 */
#define ONE UINT64_C(0x3ff0000000000000)     /* of 1.0 */
#define SQRT_2 1.41421356237309504880
#define LOG_2 0.693147180559945309417
#define LAST 0.15074729953468393513

typedef double reals __attribute__((vector_size(8 * LANES)));
typedef uint64_t words __attribute__((vector_size(8 * LANES)));
typedef uint32_t halves __attribute__((vector_size(8 * LANES)));

/* A block goes through short loops: in a long one, each draw is a chain that the processor waits
   for. */
struct block {
    _Alignas(LINE_BYTES) uint64_t word[BLOCK / 2], w[BLOCK / 2];
    reals k[STEPS], s[STEPS];
};

/* Where its words come from: the first one, and how far lanes and steps are apart. */
struct walk {
    uint64_t first, lane_step, step;
};

static inline struct walk in_a_row(uint64_t first)
{
    return (struct walk){first, WEYL_STEP, LANES * WEYL_STEP};
}

static inline words words_at(const uint64_t *at)
{
    words all;
    memcpy(&all, at, sizeof all);
    return all;
}

/* Of 48 bits, the last of them set: one of the 2^47 odd multiples of 2^-48 in (0, 1), and 16. */
static inline words odd(words bits)
{
    return bits | (SIXTEEN | 1);
}

static inline reals unit(words bits)
{
    return (reals)bits - 16.0;
}

/* Three uniforms of a word, by its bytes from the highest on: u of 7 6 5 4 3 2, v of 3 2 1 0 7 6
   and w of 4 5 7 6 5 4, the first four of them changed by 2 1 0 3.  Bits in front of the three, 33
   of them together and of any two 64, are independent (test_draw_bits); what shows that more are
   not, pairs of draws that are together longer than 17 means, would take 10^11 of them.  In w the
   order is one in which what counts much in u or v counts little: with that of u, 10^10 draws would
   show it, and with bytes of v alone most first draws below 10^-8 means would be missing.

   make_words makes the words of a block, word_and_w gives those of a step and keeps its w, and
   second_of has the bits of v; those of u are the highest. */
#if LANES == 2
/* Such vectors have neither products of 64 bits nor an order of bytes to choose; other units do
   that meanwhile, a step at a time. */
static inline void make_words(struct block *b, struct walk walk, uint64_t key, size_t steps)
{
    (void)b, (void)walk, (void)key, (void)steps;
}

static inline uint64_t make_word(struct block *b, struct walk walk, uint64_t key, size_t i)
{
    uint64_t word = stream_mix(walk.first + i * WEYL_STEP, key);
    __asm__("" : "+r"(word));
    uint64_t high = word >> 32, turned = __builtin_bswap64(word) << 16 & UINT64_C(0xffff00000000);
    uint32_t low = (uint32_t)word;
    b->w[i] = (SIXTEEN | turned | high) ^ (uint64_t)(low << 8 | low >> 24) << 16;
    return word;
}

static inline words word_and_w(struct block *b, struct walk walk, uint64_t key, size_t j)
{
    return (words){make_word(b, walk, key, 2 * j), make_word(b, walk, key, 2 * j + 1)};
}

static inline words second_of(words word)
{
    halves half = (halves)word;
    return (words)__builtin_shufflevector(half, half, 1, 0, 3, 2) >> 16;
}
#else
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

static inline void make_words(struct block *b, struct walk walk, uint64_t key, size_t steps)
{
    words lanes;
    for (size_t lane = 0; lane < LANES; lane++)
        lanes[lane] = walk.first + lane * walk.lane_step;
    for (size_t j = 0; j < steps; j++) {
        words word = mixed(lanes + j * walk.step, key);
        memcpy(b->word + LANES * j, &word, sizeof word);
    }
}

/* Bytes of a word in the order that is given from the last on; 0x80: none. */
static inline words ordered(words word, uint64_t order)
{
    __m128i both =
        _mm_set_epi64x((long long)(order | UINT64_C(0x0808080808080808)), (long long)order);
#if LANES == 8
    return (words)_mm512_shuffle_epi8((__m512i)word, _mm512_broadcast_i32x4(both));
#else
    return (words)_mm256_shuffle_epi8((__m256i)word, _mm256_broadcastsi128_si256(both));
#endif
}

static inline words word_and_w(struct block *b, struct walk walk, uint64_t key, size_t j)
{
    (void)walk, (void)key;
    words word = words_at(b->word + LANES * j);
    words w = ordered(odd(word >> 16), UINT64_C(0x0706020305040302)) ^
              ordered(word, UINT64_C(0x8080020100038080));
    memcpy(b->w + LANES * j, &w, sizeof w);
    return word;
}

static inline words second_of(words word)
{
    return ordered(word, UINT64_C(0x8080030201000706));
}
#endif

/* For p = 2^e m, m in [1, 2): -log p = (-e - 1/2) log 2 - 2 atanh(s), s = (m - sqrt 2)/(m + sqrt
   2), |s| <= 0.17158; here are k = -e - 1/2, exactly, in units of K_UNIT, and s. */
#if LANES == 8
#define K_UNIT 1.0
#else
#define K_UNIT 0.5 /* one subtraction away from the bits of p: a 1 stands behind its exponent */
#endif
static inline void split(reals p, reals *k, reals *s)
{
#if LANES == 8
    *k = -0.5 - (reals)_mm512_getexp_pd((__m512d)p);
    reals m = (reals)_mm512_getmant_pd((__m512d)p, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src);
#else
    *k = (0x1p52 + 2046.0) - (reals)(((words)p >> 51) | (BITS_OF_2_52 | 1));
    reals m = (reals)(((words)p & MANTISSA_MASK) | ONE);
#endif
    *s = (m - SQRT_2) / (m + SQRT_2);
}

/* atanh(s) is LAST s times the product: of the polynomials of degree 7 that are right where p is 1,
   2e-14 below atanh, the one that is off least, below 1.38e-10 of -log p (test_draws bounds it on
   all of the interval).  Rounding adds less than 66.55 * 2^-50.  So none is below 0, and each is
   off by less than 1.4e-10 means; 10^17 draws would not tell it from the logarithm. */
static inline reals scaled(reals k, reals s, double each, double twice)
{
    reals z = s * s;
    reals product =
        (z + 1.9437233888459790897) * ((z - 0.6182074501316047362) * z + 3.4128405394202138033);
    return k * each + (s * twice) * product;
}

/* To whole numbers, half to even: adding 2^52 leaves no room for a fraction, so the addition itself
   rounds. */
static inline words rounded(reals x)
{
#if LANES == 8
    return (words)_mm512_cvtpd_epu64((__m512d)x);
#else
    return (words)(x + 0x1p52) & MANTISSA_MASK;
#endif
}

/* Two draws cost one logarithm.  Of three uniforms u, v and w, -log u - log v is the time of two
   events of a Poisson process, and w the place of the first between 0 and the second: so w and
   1 - w times that time are two independent exponential draws (Devroye 1986, V.2).  The longest
   time is 66.55 means.  Inline, so that the loops know how long they are. */
__attribute__((always_inline)) static inline void
draw_block(struct walk walk, uint64_t key, double mean_ns, ns_t *out_ns, size_t steps)
{
    struct block b;
    double each = mean_ns * LOG_2 * K_UNIT, twice = -2.0 * mean_ns * LAST;
    make_words(&b, walk, key, steps);
    for (size_t j = 0; j < steps; j++) {
        words word = word_and_w(&b, walk, key, j);
        split(unit(odd(word >> 16)) * unit(odd(second_of(word))), &b.k[j], &b.s[j]);
    }
    for (size_t j = 0; j < steps; j++) {
        reals both = scaled(b.k[j], b.s[j], each, twice),
              one = both * unit(words_at(b.w + LANES * j));
        words first = rounded(one), second = rounded(both - one);
        ns_t *at_ns = out_ns + j * LANES / GROUP * 2 * GROUP + j * LANES % GROUP;
        memcpy(at_ns, &first, sizeof first);
        memcpy(at_ns + GROUP, &second, sizeof second);
    }
}

/* By itself: its word is made the first of its group. */
static ns_t draw_one(struct stream stream, uint64_t number, double mean_ns)
{
    uint64_t word = number / (2 * GROUP) * GROUP + number % GROUP;
    ns_t own_ns[2 * GROUP];
    draw_block(in_a_row(stream.a + word * WEYL_STEP), stream.b, mean_ns, own_ns, 1);
    return own_ns[number / GROUP % 2 * GROUP];
}

/* A block that is not whole, or begins within a group, goes by way of its own. */
static void exponential(struct stream stream, uint64_t first, double mean_ns, ns_t *out_ns,
                        size_t count)
{
    uint64_t weyl = stream.a + first / (2 * GROUP) * GROUP * WEYL_STEP;
    size_t skipped = first % (2 * GROUP);
    if (count == 1) {
        *out_ns = draw_one(stream, first, mean_ns);
        return;
    }
    for (size_t some; count > 0; count -= some, weyl += BLOCK / 2 * WEYL_STEP) {
        some = count < BLOCK - skipped ? count : BLOCK - skipped;
        if (some == BLOCK) {
            draw_block(in_a_row(weyl), stream.b, mean_ns, out_ns, STEPS);
        } else {
            ns_t own_ns[BLOCK];
            size_t groups = (skipped + some + 2 * GROUP - 1) / (2 * GROUP);
            draw_block(in_a_row(weyl), stream.b, mean_ns, own_ns, groups * (GROUP / LANES));
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

#if LANES == GROUP
static void in_lanes(struct stream stream, uint64_t first, double mean_ns, ns_t *out_ns,
                     size_t count)
{
    for (size_t i = 0; i < count; i += DRAWS_IN_LANES) {
        uint64_t weyl = stream.a + (first + i) / 2 * WEYL_STEP;
        draw_block((struct walk){weyl, GROUP * WEYL_STEP, WEYL_STEP}, stream.b, mean_ns, out_ns + i,
                   GROUP);
    }
}
#else
#define in_lanes NULL
#endif

const struct draw_kernels VECTOR_NAME(draw_kernels) = {exponential, sums, in_lanes};
