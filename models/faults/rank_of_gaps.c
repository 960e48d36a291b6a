/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

enum { DOWN, NEAREST, UP, HALF_TO_EVEN };

static void at(const struct step *step, struct ratio p, uint64_t n, struct rank_at *at)
{
    u128 gaps = (u128)p.num * (n - 1), whole = gaps / p.den, rest = gaps % p.den;
    bool half = rest * 2 == p.den;
    bool up = step->parameter == DOWN      ? false
              : step->parameter == NEAREST ? rest * 2 >= p.den
              : step->parameter == UP      ? rest > 0
              : half                       ? whole % 2 == 1
                                           : rest * 2 > p.den;
    *at = rank_whole(whole + up + 1, n);
}

static char *tells(uint64_t parameter)
{
    static const char *const words[] = {"rounded down", "rounded to the nearest", "rounded up",
                                        "rounded, halves to even"};
    return must_copy(words[parameter]);
}

const struct fault_type fault_rank_of_gaps = {
    .is = {"rank-of-gaps", "takes the rank among n - 1 gaps instead of n samples", NULL, 0, 0,
           NULL},
    .item = "TOOLS 3, FR-13",
    .does = {.at = at},
    .parameter_count = 4,
    .tells = tells,
};
