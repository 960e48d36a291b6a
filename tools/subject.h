/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SUBJECT_H
#define DUETIME_SUBJECT_H

/* Somebody else's recorder as a program: what it is started with, and what came of that. */

#include "sim/conform/conform.h"
#include "tools/child.h"

struct subject {
    const char *command;
    bool binary;
    ns_t timeout_ns;
    uint64_t memory_bytes;
    const char *declares; /* JSON in place of what it declares, good; NULL: as it says */
    const volatile sig_atomic_t *stop;
};

/* What it came to. */
struct hearing {
    char *problem;            /* why there is no answer to judge, owned; NULL: there is one */
    char *beside;             /* what else was seen, owned; NULL: nothing */
    bool machine;             /* it could not even be started: nobody's fault but this machine's */
    bool stopped;             /* by *stop */
    struct report report;     /* owned; of an answer */
    struct declared declared; /* owned */
    struct child_result child;
};

/* Runs it over all requests of the trial.  hearing_free releases *out. */
void subject_hear(const struct subject *subject, const struct trial *trial, struct hearing *out);
void hearing_free(struct hearing *hearing);

#endif
