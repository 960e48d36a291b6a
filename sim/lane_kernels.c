/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/lane_kernels.h"

#include <string.h>

#ifdef __AVX512F__
#include <immintrin.h>

typedef int64_t stretches __attribute__((vector_size(64))); /* a number of each */
typedef uint64_t words __attribute__((vector_size(64)));    /* sums wrap */

static inline stretches larger_of(stretches a, stretches b)
{
    return (stretches)_mm512_max_epi64((__m512i)a, (__m512i)b);
}

static inline stretches row(const ns_t *ns, size_t j)
{
    stretches all;
    memcpy(&all, ns + draw_in_lanes(j), sizeof all);
    return all;
}

/* Up to each lane, with its own. */
static inline stretches sum_up_to(stretches x)
{
    const stretches none = {0};
    x += __builtin_shufflevector(none, x, 0, 8, 9, 10, 11, 12, 13, 14);
    x += __builtin_shufflevector(none, x, 0, 0, 8, 9, 10, 11, 12, 13);
    return x + __builtin_shufflevector(none, x, 0, 0, 0, 0, 8, 9, 10, 11);
}

static inline stretches largest_up_to(stretches x)
{
    x = larger_of(x, __builtin_shufflevector(x, x, 0, 0, 1, 2, 3, 4, 5, 6));
    x = larger_of(x, __builtin_shufflevector(x, x, 0, 1, 0, 1, 2, 3, 4, 5));
    return larger_of(x, __builtin_shufflevector(x, x, 0, 1, 2, 3, 0, 1, 2, 3));
}

static inline stretches last_of(stretches x)
{
    return __builtin_shufflevector(x, x, 7, 7, 7, 7, 7, 7, 7, 7);
}

static inline uint64_t sum_of(words x)
{
    uint64_t sum = 0;
    for (size_t lane = 0; lane < 8; lane++)
        sum += x[lane];
    return sum;
}

static inline stretches evens(stretches a, stretches b) /* of pairs */
{
    return __builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13);
}

static inline stretches odds(stretches a, stretches b)
{
    return __builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15);
}

/* Eight rows of each stretch to where that stands. */
static inline void write_rows(const stretches rows[8], ns_t *out)
{
    for (size_t odd = 0; odd < 2; odd++) {
        stretches pairs[4], whole[4];
        for (size_t k = 0; k < 4; k++)
            pairs[k] = odd ? __builtin_shufflevector(rows[2 * k], rows[2 * k + 1], 1, 9, 3, 11, 5,
                                                     13, 7, 15)
                           : __builtin_shufflevector(rows[2 * k], rows[2 * k + 1], 0, 8, 2, 10, 4,
                                                     12, 6, 14);
        stretches low = evens(pairs[0], pairs[1]), low_too = evens(pairs[2], pairs[3]);
        stretches high = odds(pairs[0], pairs[1]), high_too = odds(pairs[2], pairs[3]);
        whole[0] = evens(low, low_too);
        whole[1] = evens(high, high_too);
        whole[2] = odds(low, low_too);
        whole[3] = odds(high, high_too);
        for (size_t k = 0; k < 4; k++)
            memcpy(out + (2 * k + odd) * STRETCH, &whole[k], sizeof whole[k]);
    }
}

/* First each stretch by itself, from 0 on and with nobody before it: how long it is, its works, and
   when it ends.  That says when each begins and when those before it end; then it is served. */
static void serve(const ns_t *gap_ns, const ns_t *work_ns, struct line_state *line, ns_t *due_ns,
                  ns_t *done_ns, size_t count)
{
    const stretches none = {0};
    stretches due = none + (int64_t)line->due_ns, free = none + (int64_t)line->done_ns;
    words works_ns = {0}, time_ns = {0};
    for (size_t i = 0; i < count; i += DRAWS_IN_LANES) {
        stretches length = none, works = none, end = none;
        for (size_t j = 0; j < STRETCH; j++) {
            length += row(gap_ns + i, j);
            works += row(work_ns + i, j);
            end = larger_of(length, end) + row(work_ns + i, j);
        }
        stretches busy = sum_up_to(works);
        due = last_of(due) + sum_up_to(length) - length;
        stretches ends = busy + larger_of(largest_up_to(due + end - busy), free);
        stretches done = __builtin_shufflevector(free, ends, 0, 8, 9, 10, 11, 12, 13, 14);
        for (size_t first = 0; first < STRETCH; first += 8) {
            stretches dues[8], dones[8];
            for (size_t j = 0; j < 8; j++) {
                dues[j] = due += row(gap_ns + i, first + j);
                dones[j] = done = larger_of(due, done) + row(work_ns + i, first + j);
                time_ns += (words)(done - due);
            }
            write_rows(dues, due_ns + i + first);
            write_rows(dones, done_ns + i + first);
        }
        works_ns += (words)works;
        free = last_of(ends);
    }
    line->due_ns = (ns_t)due[7];
    line->done_ns = (ns_t)free[7];
    line->sums.work_ns += sum_of(works_ns);
    line->sums.time_ns += sum_of(time_ns);
}
#else
#define serve NULL
#endif

const struct lane_kernels VECTOR_NAME(lane_kernels) = {serve};
