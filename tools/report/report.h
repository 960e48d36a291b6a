/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_REPORT_H
#define DUETIME_REPORT_H

/* A result on paper.  Writers print what the result holds and compute nothing but units. */

#include <stdio.h>

#include "sim/result.h"

enum report_format {
    FORMAT_TEXT,
    FORMAT_MARKDOWN,
    FORMAT_CSV,
    FORMAT_JSON,
    FORMAT_HGRM, /* of histograms, not of reports */
    FORMAT_HLOG,
};

struct report_style {
    enum report_format format;
    size_t width; /* of text, in columns; at least 40 */
    bool colour;  /* of text */
    bool first;   /* the first report of this output: a CSV begins with its header */
};

void report_write(FILE *out, const struct result *result, const struct report_style *style);

void report_text(FILE *out, const struct result *result, const struct report_style *style);
void report_markdown(FILE *out, const struct result *result, const struct report_style *style);
void report_csv(FILE *out, const struct result *result, const struct report_style *style);
void report_json(FILE *out, const struct result *result, const struct report_style *style);

/* A CSV field, quoted where it must be; NULL writes nothing. */
void csv_write_field(FILE *out, const char *text);

/* A JSON string with its quotes; bytes that are no UTF-8 become U+FFFD. */
void json_write_string(FILE *out, const char *text);

#endif
