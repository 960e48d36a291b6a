/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lanes of an M/M/1: compiled for plain x86-64, AVX2 and AVX-512. */

#include <string.h>

#include "tests/bench_loops.h"

#define LANES VECTOR_LANES
#define STEPS (256 / LANES) /* of a lane in a block */
#define GAP_NS (1e6 / 0.75)
#define SERVICE_NS 1e6

typedef double reals __attribute__((vector_size(8 * LANES)));
typedef uint64_t words __attribute__((vector_size(8 * LANES)));

struct lanes {
    words s[4];
};

static struct lanes seeded(uint64_t seed)
{
    struct lanes lanes;
    for (size_t k = 0; k < 4; k++)
        for (size_t i = 0; i < LANES; i++) {
            seed += UINT64_C(0x9e3779b97f4a7c15);
            uint64_t z = (seed ^ (seed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
            lanes.s[k][i] = z ^ (z >> 27);
        }
    return lanes;
}

/* xoshiro256++, a generator a lane. */
static inline words next(struct lanes *l)
{
    words sum = l->s[0] + l->s[3], shifted = l->s[1] << 17;
    words out = ((sum << 23) | (sum >> 41)) + l->s[0];
    l->s[2] ^= l->s[0];
    l->s[3] ^= l->s[1];
    l->s[1] ^= l->s[2];
    l->s[0] ^= l->s[3];
    l->s[2] ^= shifted;
    l->s[3] = (l->s[3] << 45) | (l->s[3] >> 19);
    return out;
}

static inline words swapped(words random)
{
    return random << 32 | random >> 32;
}

/* In (0, 1), of the high bits of a word. */
static inline reals unit(words random)
{
    return 2.0 - (reals)((random >> 12) | UINT64_C(0x3ff0000000000001));
}

/* p = 2^e m, m in [1, 2): -log p = k log 2 - 2 atanh(s). */
static inline void split(reals p, reals *k, reals *s)
{
    const words magic = (words){0} + UINT64_C(0x4330000000000000);
    words u = (words)p;
    reals m = (reals)((u & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x3ff0000000000000));
    *k = 0x1p52 + 1023.0 - (reals)((u >> 52) | magic) - 0.5;
    *s = (m - 1.4142135623730951) / (m + 1.4142135623730951);
}

/* atanh by its series. */
static inline reals scaled(reals k, reals s, double mean_ns)
{
    reals z = s * s, w = z * z;
    reals atanh = (1.0 + z * (1.0 / 3)) + w * (0.2 + z * (1.0 / 7));
    return mean_ns * 0.6931471805599453 * k - (2.0 * mean_ns * s) * atanh;
}

/* In whole ns: the time of two events, parted where the first is. */
static inline void part(reals both, reals place, reals *out)
{
    reals one = both * place;
    out[0] = (one + 0x1p52) - 0x1p52;
    out[1] = (both - one + 0x1p52) - 0x1p52;
}

/* Of three words a vector each, four of draws: two words are times of two events, each by itself
   and with its halves swapped, and so the third is two places.  Short loops: in a long one, each
   draw is a chain that the processor waits for. */
#define WORDS (STEPS / 4 * 3)
static inline void draws_of(const words *random, double mean_ns, reals *out)
{
    reals k[STEPS / 2], s[STEPS / 2];
    for (size_t i = 0; i < STEPS / 2; i++) {
        words word = random[i];
        split(unit(word) * unit(swapped(word)), &k[i], &s[i]);
    }
    for (size_t i = 0; i < STEPS / 2; i += 2) {
        words places = random[STEPS / 2 + i / 2];
        part(scaled(k[i], s[i], mean_ns), unit(places), out + 2 * i);
        part(scaled(k[i + 1], s[i + 1], mean_ns), unit(swapped(places)), out + 2 * i + 2);
    }
}

static void fill(struct lanes *lanes, double mean_ns, reals *out)
{
    words random[WORDS];
    struct lanes own = *lanes;
    for (size_t i = 0; i < WORDS; i++)
        random[i] = next(&own);
    *lanes = own;
    draws_of(random, mean_ns, out);
}

static inline reals larger(reals a, reals b)
{
    words more = (words)(a > b);
    return (reals)(((words)a & more) | ((words)b & ~more));
}

static double total_of(reals total)
{
    double sum = 0.0;
    for (size_t i = 0; i < LANES; i++)
        sum += total[i];
    return sum;
}

/* Each lane has a run of requests that follow one another.  From any wait w at its start, a run
   leaves max(w + sum, from_empty): one pass finds both, a step a lane joins the runs, and a second
   pass replays each from its true wait. */
static void queue(size_t n, struct histogram *out)
{
    struct lanes lanes = seeded(1);
    reals service[STEPS], gap[STEPS], change[STEPS], nothing = {0};
    reals total = {0}, most = {0}, least = nothing + 1e300;
    double wait = 0.0;
    for (size_t done = 0; done < n; done += (size_t)LANES * STEPS) {
        reals sum = {0}, from_empty = {0}, waits;
        fill(&lanes, SERVICE_NS, service);
        fill(&lanes, GAP_NS, gap);
        for (size_t j = 0; j < STEPS; j++) {
            change[j] = service[j] - gap[j];
            sum += change[j];
            from_empty = larger(from_empty + change[j], nothing);
        }
        for (size_t i = 0; i < LANES; i++) {
            waits[i] = wait;
            wait = wait + sum[i] > from_empty[i] ? wait + sum[i] : from_empty[i];
        }
        for (size_t j = 0; j < STEPS; j++) {
            reals response = waits + service[j];
            waits = larger(waits + change[j], nothing);
            total += response;
            most = larger(most, response);
            least = -larger(-least, -response);
            words cell = ((words)(response + 1.0) >> CELL_SHIFT) - CELL_FIRST;
            for (size_t i = 0; i < LANES; i++)
                out->cells[cell[i]]++;
        }
    }
    out->sum += total_of(total);
    for (size_t i = 0; i < LANES; i++) {
        out->most = most[i] > out->most ? most[i] : out->most;
        out->least = i == 0 || least[i] < out->least ? least[i] : out->least;
    }
}

static double draws(size_t n)
{
    struct lanes lanes = seeded(2);
    reals total = {0}, some[STEPS];
    for (size_t done = 0; done < n; done += (size_t)LANES * STEPS) {
        fill(&lanes, SERVICE_NS, some);
        for (size_t i = 0; i < STEPS; i++)
            total += some[i];
    }
    return total_of(total);
}

/* The same of words that depend on their number alone: two products each, by splitmix64. */
static double hashed(size_t n)
{
    const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
    words random[WORDS], at = {0};
    reals total = {0}, some[STEPS];
    for (size_t i = 0; i < LANES; i++)
        at[i] = i * step;
    for (size_t done = 0; done < n; done += (size_t)LANES * STEPS) {
        for (size_t i = 0; i < WORDS; i++, at += LANES * step) {
            words z = (at ^ (at >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
            z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
            random[i] = z ^ (z >> 31);
        }
        draws_of(random, SERVICE_NS, some);
        for (size_t i = 0; i < STEPS; i++)
            total += some[i];
    }
    return total_of(total);
}

const struct bench_vector VECTOR_NAME(bench_vector) = {queue, draws, hashed};
