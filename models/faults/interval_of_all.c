/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

static void asks(const struct step *step, struct asked *asked)
{
    if (asked->correction.type == NULL || asked->connections < 2 || asked->connections == UNLIMITED)
        return;
    if (step->parameter == 0)
        asked->interval_ns /= asked->connections;
    else
        asked->interval_ns *= asked->connections;
}

static char *tells(uint64_t parameter)
{
    return must_copy(parameter == 0 ? "divided by the connections" : "times the connections");
}

const struct fault_type fault_interval_of_all = {
    .is = {"interval-of-all",
           "takes the interval of all connections together for that of one, or the reverse", NULL,
           0, 0, NULL},
    .item = "FR-33, S0-14",
    .does = {.asks = asks},
    .parameter_count = 2,
    .tells = tells,
};
