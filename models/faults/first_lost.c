/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/lost.h"

static void samples(const struct step *step, struct population *s)
{
    samples_lose(step->requests, s, step->parameter, false);
}

static const uint64_t examples[] = {2 * 10, 2 * 1, 2 * 100, 2 * 5, 2 * 20, 2 * 50};

const struct fault_type fault_first_lost = {
    .is = {"first-lost", "loses the first samples", NULL, 0, 0, NULL},
    .item = "TOOLS 1, S3-23",
    .does = {.samples = samples},
    .parameters = examples,
    .parameter_count = FIELD_COUNT_OF(examples),
    .guesses = lost_guesses,
    .varies = true,
    .tells = lost_words,
};
