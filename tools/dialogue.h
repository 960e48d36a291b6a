/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_DIALOGUE_H
#define DUETIME_DIALOGUE_H

/* Somebody else's program, spoken with line by line, within limits.  Whatever it does, it is gone
   with everything it started after dialogue_close. */

#include <signal.h>
#include <stddef.h>

#include "models/base/time.h"
#include "tools/spawn.h"

#define DIALOGUE_LINE_MOST 4096

enum dialogue_end {
    DIALOGUE_GOES_ON,
    DIALOGUE_CLOSED,    /* its output has ended */
    DIALOGUE_TIMED_OUT, /* it took too long, all in all */
    DIALOGUE_OUT_OF_MEMORY,
    DIALOGUE_LONG_LINE, /* without an end to it */
    DIALOGUE_STOPPED,   /* *stop was set */
    DIALOGUE_NOT_STARTED,
};

struct dialogue {
    /* to be set before it is opened */
    const char *command;               /* for sh -c */
    ns_t timeout_ns;                   /* of wall time */
    uint64_t memory_bytes;             /* resident, with all that it starts */
    const volatile sig_atomic_t *stop; /* may be NULL */

    enum dialogue_end end;
    int error;         /* errno, where it was not started */
    bool exited;       /* after dialogue_close: by itself, */
    int status;        /* with this exit status; else */
    int signal_number; /* by this signal, which did not come from here; 0: it was ended */
    char *complaints;  /* the last of its standard error, owned */
    size_t complaints_length;

    struct spawned child;
    char *heard; /* owned: read, not yet taken */
    size_t heard_length, taken;
    ns_t begun_ns, watched_ns;
    bool watches, wrote_all;
};

bool dialogue_open(struct dialogue *d);
/* False: it is over, d->end says why. */
bool dialogue_say(struct dialogue *d, const char *bytes, size_t length);
/* The next line without its end, borrowed until the next call; NULL: it is over. */
const char *dialogue_hear(struct dialogue *d);
/* Ends it; then its exit is known.  `well`: it has been told that all is over, and has a moment. */
void dialogue_close(struct dialogue *d, bool well);
void dialogue_free(struct dialogue *d);

#endif
