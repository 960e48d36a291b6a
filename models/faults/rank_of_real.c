/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void at(const struct step *step, struct ratio p, uint64_t n, struct rank_at *at)
{
    struct asked plain = *step->asked;
    struct population real;
    plain.correction = (struct choice){0};
    if (step->asked->correction.type != NULL && samples_true(step->requests, &plain, &real) &&
        real.count > 0 && real.count <= n)
        *at = rank_rule(step->asked->rank)->at(p, real.count);
    if (step->asked->correction.type != NULL)
        samples_free(&real);
}

const struct fault_type fault_rank_of_real = {
    .is = {"rank-of-real",
           "takes ranks among the real samples only, of a list that holds the added ones too", NULL,
           0, 0, NULL},
    .item = "FR-11, TOOLS 2.1",
    .does = {.at = at},
};
