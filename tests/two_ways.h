/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TESTS_TWO_WAYS_H
#define DUETIME_TESTS_TWO_WAYS_H

/* One scenario through the engine and through the oracle, and whether they say the same. */

#include "sim/engine.h"
#include "tests/oracle.h"

/* A scenario of one load from the insides of its "server", its load and its "run", with ' for ".
   Owned by the caller. */
char *scene(const char *server, const char *load, const char *run);

/* Reads a scenario; one that is refused fails the test and prints why. */
struct plan *plan_from(const char *text);

/* The engine's answer in the oracle's form, rows by due and sent instant (a batch has no numbers);
   fails the test where the engine's own counts differ from its rows.  oracle_free the answer.
   path: the event engine, or one of the paths beside it. */
typedef enum engine_end engine_path(const struct engine_request *, struct engine_totals *);
void engine_answer(engine_path *path, const struct oracle_question *question,
                   struct oracle_answer *out);

/* The question as the engine takes it, without a consumer. */
struct engine_request engine_question(const struct oracle_question *question);

/* Every row and every total, integer for integer; sorts the rows of both by their columns.  Prints
   the scenario and the first difference. */
bool answers_equal(const struct plan *plan, struct oracle_answer *oracle,
                   struct oracle_answer *engine, const char *text);

/* Runs a scene from empty, fails where the engine and the oracle differ; oracle_free the answer. */
struct oracle_answer both_ways(const char *server, const char *load, const char *run);

/* Runs a scene both ways and holds every request against rows such as
   "0 0 0 0 5 given up, left 6 | 1 1 1 1 1 refused | 2 20 20 20 21": number, due, sent, started,
   finished; then what became of it unless it was answered, and when it left the server if not when
   it finished. */
void timeline(const char *server, const char *load, const char *run, const char *rows);

/* The same for what of each request's wait and service was lost in stalls, and what it waited for
   the stations behind the server: "0 0 5 2 | 1 3 0 0". */
void stalled(const char *server, const char *load, const char *run, const char *rows);

#endif
