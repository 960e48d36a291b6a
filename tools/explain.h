/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_EXPLAIN_H
#define DUETIME_EXPLAIN_H

/* The parts of a scenario in words: one paragraph after the other, all of one width. */

#include <stdio.h>

#include "models/plan.h"

struct page {
    FILE *out;
    size_t width;
};

/* Writes a paragraph and frees its text. */
void say(const struct page *page, char *text);

/* Both texts in one; both are freed. */
char *grown(char *text, char *more);

/* Owned by the caller. */
char *duration_words(ns_t ns);

void explain_server(const struct page *page, const struct server *server);
void explain_load(const struct page *page, const struct load_plan *load);
/* What several runs of the scenario there are to be: sweeps, an experiment. */
void explain_points(const struct page *page, const struct plan *plan);

#endif
