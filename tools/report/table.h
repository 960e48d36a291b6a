/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TABLE_H
#define DUETIME_TABLE_H

/* The comparison table of one scenario: a column a recorder, computed once, printed as text or as
   Markdown.  All text in it is clean (tools/report/utf8.h). */

#include "sim/result.h"
#include "tools/report/figures.h"

enum tone { TONE_PLAIN, TONE_GOOD, TONE_BAD };

struct table_cell {
    char *value;    /* the empty text: unknown */
    char *beside;   /* of figures: the ratio to the user's truth */
    char *mark;     /* of figures: what it was checked against, and whether it holds */
    enum tone tone; /* of the mark */
};

enum row_kind {
    ROW_TEXT,   /* value is words and may wrap */
    ROW_FIGURE, /* value is a number */
    ROW_HEAD,   /* names the three parts of the figures under it */
};

struct table_row {
    enum row_kind kind;
    char *label;
    struct table_cell *cells; /* one a column */
};

struct note {
    char *text;
    enum tone tone;
};

struct table {
    char *title; /* may be empty */
    char *under; /* file, seed, replications, start */
    size_t columns;
    char **names;
    struct table_row *rows;
    size_t row_count, row_capacity;
    struct note *notes;
    size_t note_count, note_capacity;
    struct note verdict;
};

void table_build(const struct result *result, struct table *out);
void table_free(struct table *table);

/* Builders, shared by the two halves of the work; each takes ownership of the text, cleans it. */
struct table_row *table_row(struct table *table, enum row_kind kind, char *label);
void table_note(struct table *table, enum tone tone, char *text);
void table_add_notes(struct table *table, const struct result *result);
void table_set(char **slot, char *text); /* in place of what the slot has */
void table_mark(struct table_cell *cell, enum check check, enum verdict holds);

/* The percentiles with what belongs to each, and what a check of them would have found out. */
void table_add_percentiles(struct table *table, const struct result *result, struct scale scale);
void table_add_detectable(struct table *table, const struct result *result);

/* The groups of recorders that keep windows, clients or replicas apart: a table under the first. */
#define GROUPS_SHOWN 20
bool table_has_groups(const struct result *result, size_t recorder);
void table_build_groups(const struct result *result, size_t recorder, struct table *out);

/* Rows about the loads' copies and stages; what is worth telling of each. */
void table_add_efforts(struct table *table, const struct result *result);
bool load_tells_copies(const struct result *result, size_t load);
bool load_tells_stage(const struct result *result, size_t load, enum stage stage);

/* What a stopwatch times, in words; owned by the caller. */
char *stopwatch_words(const struct recorder_plan *plan);
const char *part_name(enum part part);    /* "queue"; NULL: of none */
const char *stage_name(enum stage stage); /* "generator", "network", "server", "behind", "client" */

/* A percentile as a table shows it: what it is, ">=" what it is known to be, "inf" or nothing. */
void percentile_set(struct table_cell *out, bool infinite, struct figure value,
                    struct figure at_least, struct scale scale);
bool percentile_is_max(const struct percentile *percentile);
const char *instant_name(enum instant instant);

#endif
