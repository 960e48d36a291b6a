/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SUITE_H
#define DUETIME_SUITE_H

/* Trials of one recorder: opened, heard, judged; and the conformance suite, which is built in. */

#include "tools/judged.h"
#include "tools/options.h"

/* A scenario of scenarios/conform/, as it stands there.  Generated from the list in meson.build. */
struct suite_text {
    const char *file;
    const char *text;
    size_t length;
};
extern const struct suite_text suite_texts[];
extern const size_t suite_text_count;
/* The same of scenarios/schedules/: those that schedulers are asked to keep to. */
extern const struct suite_text schedule_texts[];
extern const size_t schedule_text_count;

struct suite_case {
    struct plan *plan; /* owned where it is of the suite */
    bool owns_plan;
    struct trial trial;
    struct hearing hearing;
    struct conformance verdict;
    bool opened, heard;
};

/* Runs the load of that recorder (NULL: the plan's first) once.  False and *errors, or an
   interrupt. */
bool case_open(struct suite_case *c, const struct plan *plan, const char *recorder,
               const struct run_options *run, struct errors *errors);

/* Runs the subject over it, and judges what it answers. */
void case_hear(struct suite_case *c, const struct subject *subject);
void case_free(struct suite_case *c);
struct heard case_heard(const struct suite_case *c, const char *command);

/* The scenario of the suite that is run where nothing else is asked for. */
#define SUITE_FIRST "scenarios/conform/connections.json"

/* Scenarios of the suite with their trials: that one, or with NULL all.  cases_free releases them.
   False and *errors, or an interrupt. */
struct cases {
    struct suite_case *items;
    size_t count;
};
bool cases_open(struct cases *cases, const char *only, const struct options *options,
                const struct run_options *run, struct errors *errors);
void cases_free(struct cases *cases);

/* The faults that explain all cases that were heard, those of `first` (may be NULL) too.  Suspects
   are suspects_free's to release. */
void cases_suspects(const struct cases *cases, const struct suite_case *first,
                    struct suspects *out);

/* Where nothing explains all: the fault that stands first in the most cases that fail, in words.
   Owned by the caller. */
char *cases_beyond(const struct cases *cases, const struct suite_case *first);

/* The case not heard yet that tells most of them apart, or NO_INDEX. */
size_t cases_separating(const struct cases *cases, const struct suspects *suspects);

#endif
