/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_WHOLE_RUN_H
#define DUETIME_WHOLE_RUN_H

/* A scenario's text run to its result, for tests that judge what a user would see. */

#include "sim/run.h"

/* Fails the test where the text is no scenario; plan_free releases it. */
struct plan *whole_plan(const char *text);

/* law_plan: whose laws it is held against; NULL: its own.  result_free releases it. */
struct result *whole_run(const struct plan *plan, const struct plan *law_plan);

/* The verdict on one text, its laws asked with another. */
enum verdict whole_verdict(const char *text, const char *law_text);

#endif
