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
static void serve_pairs(const ns_t *restrict arrives_ns, const ns_t *restrict work_ns, int64_t done,
                        ns_t *restrict done_ns, size_t count)
{
    size_t i = 0;
    for (; i + 2 <= count; i += 2) {
        int64_t first = (int64_t)work_ns[i], second = (int64_t)work_ns[i + 1];
        int64_t e = (int64_t)arrives_ns[i] + first, f = (int64_t)arrives_ns[i + 1] + second;
        int64_t both = later_of(e + second, f);
        done_ns[i] = (ns_t)later_of(e, done + first);
        done = later_of(both, done + (first + second));
        done_ns[i + 1] = (ns_t)done;
    }
    if (i < count)
        done_ns[i] = (ns_t)later_of((int64_t)arrives_ns[i], done) + work_ns[i];
}

#ifdef __AVX2__
typedef int64_t lanes __attribute__((vector_size(32)));
#define EVERY(lane, x) __builtin_shufflevector(x, x, lane, lane, lane, lane)

static inline lanes latest_of(lanes a, lanes b)
{
#ifdef __AVX512VL__
    return (lanes)_mm256_max_epi64((__m256i)a, (__m256i)b);
#else
    return (lanes)_mm256_blendv_epi8((__m256i)b, (__m256i)a, (__m256i)(a > b));
#endif
}

/* Four rows at a time: with S[i] the sum of the works from the first of them to i, done[i] = S[i] +
   the larger of m[i] and the end before all four, m[i] the largest of arrives[j] - S[j-1] for j up
   to i.  Both are scans, of pairs of lanes and then of two pairs; only the end of the four, of
   their last S and m, waits for the four before. */
static void serve(const ns_t *restrict arrives_ns, const ns_t *restrict work_ns, ns_t free_ns,
                  ns_t *restrict done_ns, size_t count)
{
    const lanes none = {0};
    lanes end = none + (int64_t)free_ns;
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        lanes work, m, s;
        memcpy(&work, work_ns + i, sizeof work);
        memcpy(&m, arrives_ns + i, sizeof m);
        s = work + (lanes)_mm256_bslli_epi128((__m256i)work, 8);
        s += __builtin_shufflevector(none, s, 0, 0, 5, 5);
        m -= s - work;
        m = latest_of(m, (lanes)_mm256_unpacklo_epi64((__m256i)m, (__m256i)m));
        m = latest_of(m, __builtin_shufflevector(m, m, 0, 1, 1, 1));
        lanes done = s + latest_of(m, end);
        memcpy(done_ns + i, &done, sizeof done);
        end = EVERY(3, s) + latest_of(EVERY(3, m), end);
    }
    int64_t free_at = i > 0 ? (int64_t)done_ns[i - 1] : (int64_t)free_ns;
    serve_pairs(arrives_ns + i, work_ns + i, free_at, done_ns + i, count - i);
}
#else
static void serve(const ns_t *restrict arrives_ns, const ns_t *restrict work_ns, ns_t free_ns,
                  ns_t *restrict done_ns, size_t count)
{
    serve_pairs(arrives_ns, work_ns, (int64_t)free_ns, done_ns, count);
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
