/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/base/random.h"

/* One step of splitmix64: spreads few bits of difference over all 64. */
static uint64_t spread(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

struct stream stream_open(uint64_t seed, uint32_t run, uint32_t replication, enum purpose purpose)
{
    uint64_t who = ((uint64_t)run << 40) | ((uint64_t)replication << 8) | (uint64_t)purpose;
    uint64_t a = spread(spread(seed) ^ who);
    return (struct stream){a, spread(a ^ UINT64_C(0xd1b54a32d192ed03))};
}

struct stream stream_at(struct stream s, uint64_t index)
{
    uint64_t word = stream_word(s, index);
    return (struct stream){word, spread(word ^ s.a)};
}
