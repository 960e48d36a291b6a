/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TRACE_H
#define DUETIME_TRACE_H

/* One load's replication once more, for its rows alone. */

#include "sim/engine.h"

struct trace_request {
    const struct plan *plan; /* its length is known: no run.detect */
    size_t load;
    uint32_t replication;              /* below load_replications */
    struct consumer consumer;          /* rows in the order in which requests leave the server */
    const volatile sig_atomic_t *stop; /* looked at once a batch; may be NULL */
};

/* The rows are those of `duetime run`, to the ns. */
enum engine_end trace_run(const struct trace_request *request);

#endif
