/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SESSION_H
#define DUETIME_SESSION_H

/* What every command does about its scenario files: reads each, tells every fault, goes on to the
   next, and keeps the worst status. */

#include "sim/run.h"
#include "tools/command.h"

struct source; /* sim/experiments/points.h */
struct output; /* tools/output.h */

/* A command's part: what it makes of one scenario.  Writes its results to `out`, which is printed
   only when visit returns a status below EXIT_REQUEST. */
struct visitor {
    int (*visit)(void *self, const struct options *options, const struct plan *plan, FILE *out,
                 bool first);
    /* Instead of visit, for what is written as it comes: the text of the scenario too, and the
       output itself. */
    int (*stream)(void *self, const struct options *options, const struct source *source,
                  const struct plan *plan, struct output *output, struct errors *errors);
    /* A file that is no scenario; may be NULL.  The errors are already told. */
    void (*unreadable)(void *self, const char *file, const struct errors *errors);
    void *self;
};

int session_each(const struct options *options, const struct visitor *visitor);

/* All bytes of a file; "-" is standard input.  Owned by the caller; NULL and *errors on failure. */
char *session_slurp(const char *file, size_t *length, struct errors *errors);

/* Runs with warnings and progress on standard error.  NULL: told, and *status set. */
struct result *session_run(const struct options *options, const struct plan *plan, int *status);

/* What becomes of a run, whole or not, and its errors, which are told and freed: true, or *status
   is set. */
bool session_ran(bool whole, struct errors *errors, int *status);

/* Writes what `fill` makes to --output at once, for commands without scenarios. */
int session_once(const struct options *options, void (*fill)(void *self, FILE *out), void *self);

/* A `fill` whose self is a text that is made already. */
struct output_text {
    char *bytes;
    size_t length;
};
void session_fill_text(void *self, FILE *out);

/* One a line on standard error, clean; returns the status they mean (EXIT_HOLDS for none). */
int session_tell(const struct errors *errors);

/* How results are to look where they go. */
struct report_style session_style(const struct options *options, bool first);

#endif
