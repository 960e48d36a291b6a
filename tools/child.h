/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_CHILD_H
#define DUETIME_CHILD_H

/* Somebody else's program, run through `sh -c`, fed and listened to at once, within limits.
   Whatever it does, it is gone with everything it started when child_run returns. */

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "models/base/time.h"

enum child_end {
    CHILD_EXITED,        /* by itself; value is its exit status */
    CHILD_SIGNALLED,     /* value is the signal, which did not come from here */
    CHILD_TIMED_OUT,     /* ended for that, as below */
    CHILD_OUT_OF_MEMORY, /* used more than it may */
    CHILD_FLOODED,       /* printed more than it may */
    CHILD_STOPPED,       /* *stop was set */
    CHILD_NOT_STARTED,   /* the machine failed; value is errno */
};

struct child_request {
    const char *command;   /* for sh -c */
    ns_t timeout_ns;       /* of wall time */
    uint64_t memory_bytes; /* resident, with all that it starts */
    size_t output_most;    /* bytes of standard output */
    /* The next bytes for its standard input, borrowed until the next call; false: there are no
       more. */
    bool (*feed)(void *self, const char **bytes, size_t *length);
    void *self;
    const volatile sig_atomic_t *stop; /* may be NULL */
};

struct child_result {
    enum child_end end;
    int value;
    char *output; /* standard output, owned; not ended by a NUL */
    size_t output_length;
    char *complaints; /* the last of standard error, owned */
    size_t complaints_length;
    bool took_all;       /* it read its standard input to the end */
    bool left_behind;    /* processes of it went on after it */
    ns_t wall_ns;        /* how long it ran */
    uint64_t most_bytes; /* the most memory seen */
};

/* Runs it to its end, which always comes.  child_result_free releases *out. */
void child_run(const struct child_request *request, struct child_result *out);
void child_result_free(struct child_result *result);

#endif
