/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TESTS_PLAIN_SERVER_H
#define DUETIME_TESTS_PLAIN_SERVER_H

/* The obvious way to run a small deterministic question: a table of every nanosecond, every request
   in turn.  Nothing is shared with the laws but the question. */

#include "models/laws/law.h"

#define PLAIN_HORIZON 65536 /* ns; no question may last longer */
#define PLAIN_MOST 1024     /* requests */
#define WORKERS_MOST 8      /* or unlimited */

struct plain_request {
    ns_t due_ns, sent_ns, started_ns, finished_ns;
};

struct plain_run {
    struct plain_request requests[PLAIN_MOST];
    size_t count;
    bool too_long; /* beyond the horizon or the most requests: no answer */
    ns_t worker_free_ns[WORKERS_MOST];
    bool paused[PLAIN_HORIZON], suspended[PLAIN_HORIZON];
};

void plain_run(const struct law_question *q, struct plain_run *run);

/* The instants of a request by name. */
ns_t plain_instant(const struct plain_request *r, enum instant which);

#endif
