/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_BASE_RANDOM_H
#define DUETIME_BASE_RANDOM_H

/* Random streams by index: word i of a stream is a hash of (stream, i), so request i draws the same
   work whatever was drawn before it, in whatever order requests are sent, under every load.
   One stream a purpose; exponential draws, two of which share a word, have one of their own. */

#include <stdint.h>

enum purpose {
    PURPOSE_ARRIVALS,
    PURPOSE_SERVICE,
    PURPOSE_THINK,
    PURPOSE_START,
    PURPOSE_STALLS,
    PURPOSE_ROUTING,
    PURPOSE_CLIENT, /* jitter of what is sent again */
    PURPOSE_NETWORK,
    PURPOSE_BEHIND,
    PURPOSE_QUEUE,
};

struct stream {
    uint64_t a, b;
};

/* The stream of (seed, run, replication, purpose).  run 0 is the run that is reported, 1 the second
   run that a rejected cell is put to. */
struct stream stream_open(uint64_t seed, uint32_t run, uint32_t replication, enum purpose purpose);

/* The sub-stream of one index, for a draw that needs more than one word. */
struct stream stream_at(struct stream s, uint64_t index);

/* What every index adds: 2^64 over the golden ratio. */
#define WEYL_STEP UINT64_C(0x9e3779b97f4a7c15)

#define MIX_FIRST UINT64_C(0xbf58476d1ce4e5b9)
#define MIX_SECOND UINT64_C(0x94d049bb133111eb)

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014), keyed before its last product so that no
   two streams are shifts of one another. */
static inline uint64_t stream_mix(uint64_t z, uint64_t key)
{
    z = (z ^ (z >> 30)) * MIX_FIRST;
    z = (z ^ (z >> 27) ^ key) * MIX_SECOND;
    return z ^ (z >> 31);
}

/* 64 uniform bits: the mix of a Weyl sequence. */
static inline uint64_t stream_word(struct stream s, uint64_t index)
{
    return stream_mix(s.a + index * WEYL_STEP, s.b);
}

/* Uniform on (0, 1]: the 2^53 multiples of 2^-53 above 0.  Never 0, so its log is finite. */
static inline double unit_of(uint64_t word)
{
    return (double)((word >> 11) + 1) * 0x1p-53;
}

/* True with probability p, p rounded to a multiple of 2^-53. */
static inline int happens(uint64_t word, double p)
{
    return (double)(word >> 11) * 0x1p-53 < p;
}

/* Uniform on 0 .. bound-1 for bound > 0: the high half of word * bound; the bias is below
   bound/2^64. */
static inline uint64_t below(uint64_t word, uint64_t bound)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)(((wide)word * bound) >> 64);
}

#endif
