/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/queue_kernels.h"

#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

static inline int64_t later_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Two rows at a time, so that little of two rows waits for the two before: where e and f are their
   ends if nobody was before them, the second ends at the later of max(e + work[i+1], f) and
   done[i-1] + work[i] + work[i+1]. */
static struct served serve_pairs(const ns_t *restrict arrives_ns, const ns_t *restrict work_ns,
                                 int64_t done, ns_t *restrict done_ns, size_t count)
{
    struct served sums = {0, 0};
    size_t i = 0;
    for (; i + 2 <= count; i += 2) {
        int64_t first = (int64_t)work_ns[i], second = (int64_t)work_ns[i + 1];
        int64_t e = (int64_t)arrives_ns[i] + first, f = (int64_t)arrives_ns[i + 1] + second;
        int64_t both = later_of(e + second, f), one = later_of(e, done + first);
        done = later_of(both, done + (first + second));
        done_ns[i] = (ns_t)one;
        done_ns[i + 1] = (ns_t)done;
        sums.work_ns += (uint64_t)(first + second);
        sums.time_ns += (uint64_t)one + (uint64_t)done - arrives_ns[i] - arrives_ns[i + 1];
    }
    if (i < count) {
        done_ns[i] = (ns_t)later_of((int64_t)arrives_ns[i], done) + work_ns[i];
        sums.work_ns += work_ns[i];
        sums.time_ns += done_ns[i] - arrives_ns[i];
    }
    return sums;
}

#ifdef __AVX2__
typedef int64_t lanes __attribute__((vector_size(32)));
typedef uint64_t words __attribute__((vector_size(32))); /* sums wrap */

/* Without comparisons of whole numbers, as doubles: normal ones above 0 are in the order of their
   bits.  RAISED, an instant less the works of a step, 8 below QUEUE_LONG_NS, is one of them; and so
   are ends, as instants are below 2^62 and the works of a batch together below 2^61. */
#ifdef __AVX512VL__
#define RAISED 0
#else
#define RAISED (INT64_C(1) << 60)
#endif

static inline lanes latest_of(lanes a, lanes b)
{
#ifdef __AVX512VL__
    return (lanes)_mm256_max_epi64((__m256i)a, (__m256i)b);
#else
    return (lanes)_mm256_max_pd((__m256d)a, (__m256d)b);
#endif
}

/* The even ones of eight rows and the odd ones: 0 4 2 6 and 1 5 3 7. */
static inline void take_apart(const ns_t *rows, lanes *even, lanes *odd)
{
    __m256i low = _mm256_loadu_si256((const __m256i *)rows);
    __m256i high = _mm256_loadu_si256((const __m256i *)(rows + 4));
    *even = (lanes)_mm256_unpacklo_epi64(low, high);
    *odd = (lanes)_mm256_unpackhi_epi64(low, high);
}

static inline void bring_together(lanes even, lanes odd, ns_t *rows)
{
    _mm256_storeu_si256((__m256i *)rows, _mm256_unpacklo_epi64((__m256i)even, (__m256i)odd));
    _mm256_storeu_si256((__m256i *)(rows + 4), _mm256_unpackhi_epi64((__m256i)even, (__m256i)odd));
}

#define STEPS 16
#define BLOCK (8 * STEPS)

/* Eight rows a step, a lane a pair, in the order of lanes 0 2 1 3: where the first of each pair
   arrives and its work; s, the works of the step up to the pair; and m, so that the pair ends at s
   + the larger of m and the end of the step before.  A block goes through short loops: in a long
   one, each step is a chain that the processor waits for. */
struct block {
    lanes arrives[STEPS], work[STEPS], s[STEPS], m[STEPS];
};

/* m is the largest, up to the pair, of when a pair ends if nobody is before it, less its s.  Sums
   and maxima are scans, of two lanes and then of four. */
static inline void scan(struct block *b, size_t j, const ns_t *arrives_ns, const ns_t *work_ns,
                        words *arrivals)
{
    const lanes none = {0};
    lanes arrives, arrives_too, work, work_too;
    take_apart(arrives_ns, &arrives, &arrives_too);
    take_apart(work_ns, &work, &work_too);
    arrives += RAISED;
    arrives_too += RAISED;
    lanes s = work + work_too;
    s += __builtin_shufflevector(none, s, 0, 1, 4, 5);
    s += __builtin_shufflevector(none, s, 0, 6, 0, 6);
    lanes m = latest_of(arrives + work, arrives_too) + work_too - s;
    m = latest_of(m, __builtin_shufflevector(m, m, 0, 1, 0, 1));
    b->m[j] = latest_of(m, __builtin_shufflevector(m, m, 0, 2, 2, 2));
    b->s[j] = s;
    b->arrives[j] = arrives;
    b->work[j] = work;
    *arrivals += (words)arrives + (words)arrives_too;
}

/* Only the step's last s and m wait for the step before.  The first of a pair goes by the end of
   the pair before; all ends are raised. */
static struct served serve(const ns_t *restrict arrives_ns, const ns_t *restrict work_ns,
                           ns_t free_ns, ns_t *restrict done_ns, size_t count)
{
    const lanes none = {0};
    struct block b;
    lanes end = none + ((int64_t)free_ns + RAISED);
    words works = {0}, arrivals = {0}, ends = {0};
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK) {
        for (size_t j = 0; j < STEPS; j++)
            scan(&b, j, arrives_ns + i + 8 * j, work_ns + i + 8 * j, &arrivals);
        for (size_t j = 0; j < STEPS; j++) {
            lanes done_too = b.s[j] + latest_of(b.m[j], end);
            lanes before = __builtin_shufflevector(done_too, end, 4, 2, 0, 1);
            lanes done = latest_of(b.arrives[j], before) + b.work[j];
            end = none + b.s[j][3] + latest_of(none + b.m[j][3], end);
            works += (words)b.s[j];
            ends += (words)done + (words)done_too;
            bring_together(done - RAISED, done_too - RAISED, done_ns + i + 8 * j);
        }
    }
    ns_t free_at = i > 0 ? done_ns[i - 1] : free_ns;
    struct served sums =
        serve_pairs(arrives_ns + i, work_ns + i, (int64_t)free_at, done_ns + i, count - i);
    sums.work_ns += works[3];
    for (size_t lane = 0; lane < 4; lane++)
        sums.time_ns += ends[lane] - arrivals[lane];
    return sums;
}
#else
static struct served serve(const ns_t *restrict arrives_ns, const ns_t *restrict work_ns,
                           ns_t free_ns, ns_t *restrict done_ns, size_t count)
{
    return serve_pairs(arrives_ns, work_ns, (int64_t)free_ns, done_ns, count);
}
#endif

/* Four rows at a time, of which one addition waits for the four before. */
static void serve_on(const ns_t *restrict work_ns, ns_t free_ns, ns_t *restrict done_ns,
                     size_t count)
{
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        ns_t two = work_ns[i] + work_ns[i + 1], three = two + work_ns[i + 2];
        ns_t four = three + work_ns[i + 3];
        done_ns[i] = free_ns + work_ns[i];
        done_ns[i + 1] = free_ns + two;
        done_ns[i + 2] = free_ns + three;
        free_ns += four;
        done_ns[i + 3] = free_ns;
    }
    for (; i < count; i++)
        done_ns[i] = free_ns += work_ns[i];
}

static void serve_one(const ns_t *restrict think_ns, const ns_t *restrict work_ns, ns_t done_ns,
                      ns_t *restrict sent_ns, ns_t *restrict out_ns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out_ns[i] = done_ns += think_ns[i] + work_ns[i];
    for (size_t i = 0; i < count; i++)
        sent_ns[i] = out_ns[i] - work_ns[i];
}

/* a where all bits are set, b where none is: no branch, which nobody could foretell. */
static inline int64_t chosen(uint64_t bits, int64_t a, int64_t b)
{
    return b ^ ((a ^ b) & (int64_t)bits);
}

/* The new service stands behind those that end no later: each place takes what is in the next one,
   the new one or what it has. */
static inline void take_over_of(const size_t size, const ns_t *restrict sent_ns,
                                const ns_t *restrict work_ns, int64_t *restrict crew_ns,
                                uint32_t *restrict crew_slot, ns_t *restrict over_ns,
                                uint32_t *restrict over_slot, ns_t *restrict begun_ns,
                                ns_t *restrict done_ns, size_t count)
{
    int64_t at[CREW_LARGE + 1];
    int64_t slot[CREW_LARGE + 1];
    memcpy(at, crew_ns, size * sizeof *at);
    for (size_t k = 0; k < size; k++)
        slot[k] = crew_slot[k];
    at[size] = INT64_MAX;
    slot[size] = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t begins = later_of((int64_t)sent_ns[i], at[0]), ends = begins + (int64_t)work_ns[i];
        int64_t own = slot[0];
        over_ns[i] = (ns_t)at[0];
        over_slot[i] = (uint32_t)own;
        begun_ns[i] = (ns_t)begins;
        done_ns[i] = (ns_t)ends;
        uint64_t behind = UINT64_MAX; /* all bits: the place itself is */
        for (size_t k = 0; k < size; k++) {
            uint64_t next_behind = -(uint64_t)(at[k + 1] <= ends);
            at[k] = chosen(next_behind, at[k + 1], chosen(behind, ends, at[k]));
            slot[k] = chosen(next_behind, slot[k + 1], chosen(behind, own, slot[k]));
            behind = next_behind;
        }
    }
    for (size_t k = 0; k < size; k++)
        crew_slot[k] = (uint32_t)slot[k];
    memcpy(crew_ns, at, size * sizeof *at);
}

static void take_over(const ns_t *sent_ns, const ns_t *work_ns, int64_t *crew_ns,
                      uint32_t *crew_slot, size_t size, ns_t *over_ns, uint32_t *over_slot,
                      ns_t *begun_ns, ns_t *done_ns, size_t count)
{
    if (size == CREW_SMALL)
        take_over_of(CREW_SMALL, sent_ns, work_ns, crew_ns, crew_slot, over_ns, over_slot, begun_ns,
                     done_ns, count);
    else if (size == CREW_MIDDLE)
        take_over_of(CREW_MIDDLE, sent_ns, work_ns, crew_ns, crew_slot, over_ns, over_slot,
                     begun_ns, done_ns, count);
    else
        take_over_of(CREW_LARGE, sent_ns, work_ns, crew_ns, crew_slot, over_ns, over_slot, begun_ns,
                     done_ns, count);
}

static void moved(const ns_t *restrict in_ns, ns_t by_ns, ns_t *restrict out_ns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out_ns[i] = in_ns[i] + by_ns;
}

static void less(const ns_t *restrict a_ns, const ns_t *restrict b_ns, ns_t *restrict out_ns,
                 size_t count)
{
    for (size_t i = 0; i < count; i++)
        out_ns[i] = a_ns[i] - b_ns[i];
}

static void later(const ns_t *restrict a_ns, const ns_t *restrict b_ns, ns_t *restrict out_ns,
                  size_t count)
{
    for (size_t i = 0; i < count; i++)
        out_ns[i] = (int64_t)a_ns[i] > (int64_t)b_ns[i] ? a_ns[i] : b_ns[i];
}

static uint64_t give_up(const ns_t *restrict sent_ns, const ns_t *restrict done_ns,
                        ns_t patience_ns, ns_t *restrict out_ns, uint8_t *restrict gave_up,
                        size_t count)
{
    uint64_t many = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t until = (int64_t)(sent_ns[i] + patience_ns), done = (int64_t)done_ns[i];
        out_ns[i] = (ns_t)(done > until ? until : done);
        gave_up[i] = done > until;
        many += done > until;
    }
    return many;
}

static uint64_t bits(const ns_t *work_ns, size_t count)
{
    uint64_t any = 0;
    for (size_t i = 0; i < count; i++)
        any |= work_ns[i];
    return any;
}

static uint64_t between(const ns_t *a_ns, const ns_t *b_ns, size_t count)
{
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += a_ns[i] - b_ns[i];
    return all;
}

static bool any_after(const ns_t *a_ns, const ns_t *b_ns, size_t count)
{
    uint64_t signs = 0; /* of b - a, which is below 0 where a is after b */
    for (size_t i = 0; i < count; i++)
        signs |= b_ns[i] - a_ns[i];
    return signs >> 63 != 0;
}

const struct queue_kernels VECTOR_NAME(queue_kernels) = {
    serve, serve_on, serve_one, take_over, moved, less, later, give_up, bits, between, any_after};
