/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SHEET_H
#define DUETIME_SHEET_H

/* Tables that are written row by row, as they come, and held nowhere: text, Markdown, CSV (a blank
   line between tables) or one JSON object a row. */

#include "models/experiments/experiment.h"
#include "tools/output.h"
#include "tools/report/figures.h"
#include "tools/report/report.h"

/* Where the fields of a column stand in a text. */
struct column_place {
    size_t wanted; /* columns that a field is given; longer words push what follows, if they can */
    size_t at;     /* where it begins, if no words push it */
    bool breaks;   /* rows go on in a further line with it: the head and all rows alike */
};

struct sheet {
    struct output *output;
    struct errors *errors;
    enum report_format format;
    size_t width;       /* of text: rows that are wider go on in further lines */
    size_t pushed;      /* columns by which words have pushed the rest of their line */
    struct scale scale; /* of times, in text and Markdown */
    char *table;        /* the table that is open; NULL: none */
    struct column *columns;
    size_t column_count;
    struct column_place *places; /* of text, one a column */
    bool written;                /* something has been */
};

void sheet_table(struct sheet *sheet, const char *name, const struct column *columns, size_t count);
void sheet_row(struct sheet *sheet, const struct cell_value *cells);
void sheet_find(struct sheet *sheet, const char *name, const char *value, const char *says);

/* Writes to the output all that there is; releases. */
void sheet_close(struct sheet *sheet);

#endif
