/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TESTS_SCENARIO_TEXT_H
#define DUETIME_TESTS_SCENARIO_TEXT_H

/* For tests that read scenarios written in the test itself. */

#include "sim/scenario/reader.h"

/* A small good scenario in which each part can be replaced: the parts stand in JSON order, and NULL
   keeps the good one.  Owned by the caller. */
struct parts {
    const char *server, *loads, *recorders, *run, *more;
};
char *scenario_of(struct parts parts);

/* Every fault of a scenario on a line of its own, the file named "s"; "" where it is read.  Owned
   by the caller. */
char *faults_of(const char *text, size_t length);

/* Fails where a scenario's faults are not these, all of them.  "<<ranks>>" and the like stand for
   the quoted names of that set, so that no test has to know them. */
void assert_faults(struct parts parts, const char *wanted);

/* The plan of a scenario that must be good; plan_free releases it. */
struct plan *plan_of(const char *text);

/* What plan_write_json writes.  Owned by the caller. */
char *written(const struct plan *plan);

/* A whole file, with a NUL behind it.  Owned by the caller. */
char *file_text(const char *path, size_t *length);

#endif
