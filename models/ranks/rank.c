/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/ranks/rank.h"

struct rank_at rank_whole(u128 rank, uint64_t n)
{
    uint64_t clamped = rank < 1 ? 1 : rank > n ? n : (uint64_t)rank;
    return (struct rank_at){clamped, 0, 1};
}

struct rank_at rank_between(i128 num, i128 den, uint64_t n)
{
    if (num <= den)
        return (struct rank_at){1, 0, 1};
    if (num >= den * (i128)n)
        return (struct rank_at){n, 0, 1};
    return (struct rank_at){(uint64_t)(num / den), (uint64_t)(num % den), (uint64_t)den};
}

struct quantity rank_interpolate(struct rank_at at, ns_t lower_ns, ns_t upper_ns)
{
    u128 scaled = (u128)(upper_ns - lower_ns) * at.num;
    ns_t whole_ns = (ns_t)(scaled / at.den);
    u128 rest = scaled % at.den * 1000;
    uint64_t thousandths = (uint64_t)(rest / at.den);
    u128 twice = rest % at.den * 2;
    if (twice > at.den || (twice == at.den && (thousandths & 1)))
        thousandths++;
    return (struct quantity){lower_ns + whole_ns + thousandths / 1000,
                             (uint32_t)(thousandths % 1000)};
}
