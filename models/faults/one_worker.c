/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

/* parameter: the client, counted from 0; LAST_CLIENT the last. */
#define LAST_CLIENT 4

static uint64_t finds(const struct step *step)
{
    uint64_t client = step->parameter;
    if (client != LAST_CLIENT)
        return client;
    client = 0;
    for (size_t i = 0; i < step->requests->count; i++)
        client = step->requests->client[i] > client ? step->requests->client[i] : client;
    return client;
}

static bool keeps(const struct step *step, size_t request)
{
    return step->requests->client[request] == step->found;
}

static char *tells(uint64_t parameter)
{
    return parameter == LAST_CLIENT ? must_copy("the last")
                                    : must_format("number %zu", (size_t)parameter);
}

const struct fault_type fault_one_worker = {
    .is = {"one-worker", "reports one worker for all of them", NULL, 0, 0, NULL},
    .item = "S4-60, FR-15",
    .does = {.finds = finds, .keeps = keeps},
    .parameter_count = LAST_CLIENT + 1,
    .tells = tells,
};
