/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

enum order { HUNDREDTH_FIRST, PRODUCT_FIRST, RATIO_FIRST, FRACTION };

static double up(double value)
{
    double whole = (double)(uint64_t)value;
    return whole < value ? whole + 1.0 : whole;
}

/* The same product in the orders in which people write it. */
static void at(const struct step *step, struct ratio p, uint64_t n, struct rank_at *at)
{
    volatile double percent = (double)p.num * 100.0 / (double)p.den, product = 0.0;
    switch ((enum order)step->parameter) {
    case HUNDREDTH_FIRST:
        product = percent / 100.0;
        product = product * (double)n;
        break;
    case PRODUCT_FIRST:
        product = percent * (double)n;
        product = product / 100.0;
        break;
    case RATIO_FIRST:
        product = (double)n / 100.0;
        product = product * percent;
        break;
    case FRACTION:
        product = percent * 0.01;
        product = product * (double)n;
        break;
    }
    *at = (struct rank_at){(uint64_t)up(product), 0, 1};
}

static char *tells(uint64_t parameter)
{
    static const char *const words[] = {"p / 100 * n", "p * n / 100", "n / 100 * p",
                                        "p * 0.01 * n"};
    return must_copy(words[parameter]);
}

const struct fault_type fault_rank_float = {
    .is = {"rank-float",
           "rounds the rank up in floating point, where p n is a hair above the whole number", NULL,
           0, 0, NULL},
    .item = "FR-09",
    .does = {.at = at},
    .parameter_count = 4,
    .tells = tells,
};
