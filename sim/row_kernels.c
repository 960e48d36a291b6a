/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/row_kernels.h"

#include <string.h>

#include "models/base/bits.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

/* Instants are below 2^62, so signed comparisons, which vectors have, order them too. */

#define LANES VECTOR_LANES

typedef int64_t lanes __attribute__((vector_size(8 * LANES)));
typedef uint64_t words __attribute__((vector_size(8 * LANES))); /* sums wrap */

/* Numbers of 64 bits have a least and a greatest of two in the widest vectors alone, but doubles do
   everywhere, and doubles above 0 are in the order of their bits.  There numbers are RAISED, to be
   no denormal ones, which may be slow. */
#if LANES == 8
#define RAISED 0
#else
#define RAISED (INT64_C(1) << MANTISSA_BITS)
#endif

static inline lanes least_of(lanes a, lanes b)
{
#if defined __AVX512F__
    return (lanes)_mm512_min_epi64((__m512i)a, (__m512i)b);
#elif defined __AVX2__
    return (lanes)_mm256_min_pd((__m256d)a, (__m256d)b);
#elif defined __SSE2__
    return (lanes)_mm_min_pd((__m128d)a, (__m128d)b);
#else
    lanes less = a < b;
    return (a & less) | (b & ~less);
#endif
}

static inline lanes greatest_of(lanes a, lanes b)
{
#if defined __AVX512F__
    return (lanes)_mm512_max_epi64((__m512i)a, (__m512i)b);
#elif defined __AVX2__
    return (lanes)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined __SSE2__
    return (lanes)_mm_max_pd((__m128d)a, (__m128d)b);
#else
    lanes more = a > b;
    return (a & more) | (b & ~more);
#endif
}

/* The span of what is seen in each lane, raised. */
struct seen {
    lanes least, greatest;
    words sum;
};

static inline void see(struct seen *seen, const ns_t *to_ns, const ns_t *from_ns, ns_t *out_ns)
{
    lanes x, from = {0};
    memcpy(&x, to_ns, sizeof x);
    if (from_ns != NULL)
        memcpy(&from, from_ns, sizeof from);
    x -= from;
    if (out_ns != NULL)
        memcpy(out_ns, &x, sizeof x);
    seen->sum += (words)x;
    seen->least = least_of(seen->least, x + RAISED);
    seen->greatest = greatest_of(seen->greatest, x + RAISED);
}

static inline void widen(struct span *span, int64_t least, int64_t greatest, uint64_t sum)
{
    span->least_ns = least < (int64_t)span->least_ns ? (ns_t)least : span->least_ns;
    span->greatest_ns = greatest > (int64_t)span->greatest_ns ? (ns_t)greatest : span->greatest_ns;
    span->sum_ns += sum;
}

/* Two vectors at a time, neither of which waits for the other. */
static inline struct span span_of(const ns_t *restrict to_ns, const ns_t *restrict from_ns,
                                  ns_t *restrict out_ns, size_t count)
{
    const lanes none = {0};
    struct seen seen[2];
    struct span span = SPAN_NONE;
    size_t i = 0;
    for (size_t j = 0; j < 2; j++)
        seen[j] = (struct seen){none + (INT64_MAX - RAISED), none + RAISED, (words)none};
    for (; i + 2 * LANES <= count; i += 2 * LANES)
        for (size_t j = 0, at = i; j < 2; j++, at += LANES)
            see(&seen[j], to_ns + at, from_ns != NULL ? from_ns + at : NULL,
                out_ns != NULL ? out_ns + at : NULL);
    lanes least = least_of(seen[0].least, seen[1].least) - RAISED;
    lanes greatest = greatest_of(seen[0].greatest, seen[1].greatest) - RAISED;
    words sum = seen[0].sum + seen[1].sum;
    for (size_t k = 0; k < LANES && i > 0; k++)
        widen(&span, least[k], greatest[k], sum[k]);
    for (; i < count; i++) {
        int64_t x = (int64_t)(to_ns[i] - (from_ns != NULL ? from_ns[i] : 0));
        if (out_ns != NULL)
            out_ns[i] = (ns_t)x;
        widen(&span, x, x, (uint64_t)x);
    }
    return span;
}

static void differences(const ns_t *to_ns, const ns_t *from_ns, size_t count, ns_t *out_ns,
                        struct span *spans)
{
    size_t at = 0;
    for (; at + SPAN_ROWS <= count; at += SPAN_ROWS)
        *spans++ = span_of(to_ns + at, from_ns + at, out_ns + at, SPAN_ROWS);
    if (at < count)
        *spans = span_of(to_ns + at, from_ns + at, out_ns + at, count - at);
}

static void spans(const ns_t *values_ns, size_t count, struct span *found)
{
    for (size_t at = 0; at < count; at += SPAN_ROWS)
        *found++ =
            span_of(values_ns + at, NULL, NULL, count - at < SPAN_ROWS ? count - at : SPAN_ROWS);
}

static uint64_t sum(const ns_t *values_ns, size_t count)
{
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += values_ns[i];
    return all;
}

/* x is in [0, width) where x - width has its sign bit, and x has not. */
static uint64_t within(const ns_t *values_ns, size_t count, ns_t low_ns, ns_t width_ns)
{
    uint64_t inside = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t x = values_ns[i] - low_ns;
        inside += ((x - width_ns) & ~x) >> 63;
    }
    return inside;
}

static uint64_t above(const ns_t *values_ns, size_t count, ns_t limit_ns)
{
    uint64_t found = 0; /* limit - x has its sign bit where x is above */
    for (size_t i = 0; i < count; i++)
        found += (limit_ns - values_ns[i]) >> 63;
    return found;
}

static uint64_t below(const ns_t *keys_ns, const ns_t *values_ns, size_t count, ns_t limit_ns,
                      uint64_t *sum_ns)
{
    uint64_t found = 0, all = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t is_below = -((keys_ns[i] - limit_ns) >> 63); /* all ones, or 0 */
        found -= is_below;
        all += values_ns[i] & is_below;
    }
    *sum_ns = all;
    return found;
}

/* As a double a value has its leading bit in front.  Values below 2^bits are raised by that, which
   gives them the cells that follow theirs by as much. */
static inline uint32_t cells_of(const ns_t *restrict values_ns, size_t count, unsigned bits,
                                bool raises, uint32_t *restrict out)
{
    uint32_t sum = 0, before = (UINT32_C(1022) + bits) << bits;
    unsigned shift = MANTISSA_BITS - bits;
    uint64_t first = UINT64_C(1) << bits;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = values_ns[i], raised = raises ? -((value - first) >> 63) & first : 0;
        uint32_t cell = (uint32_t)(to_bits(whole(value + raised)) >> shift) - before;
        out[i] = cell - (uint32_t)raised;
        sum += out[i];
    }
    return sum;
}

static uint32_t leading(const ns_t *values_ns, size_t count, unsigned bits, ns_t least_ns,
                        uint32_t *out)
{
    return least_ns >> bits > 0 ? cells_of(values_ns, count, bits, false, out)
                                : cells_of(values_ns, count, bits, true, out);
}

const struct row_kernels VECTOR_NAME(row_kernels) = {differences, spans, sum,    within,
                                                     above,       below, leading};
