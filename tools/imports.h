/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_IMPORTS_H
#define DUETIME_IMPORTS_H

/* What an imported file says, on paper and as a recorder's report. */

#include <stdio.h>

#include "sim/conform/conform.h"
#include "sim/formats/imported.h"

/* The files and what they are, in a line. */
void import_write_head(FILE *out, const char *files, const struct imported *imported);

/* A line a percentile and group of rank rules that agree; width in columns. */
void import_write_text(FILE *out, const char *files, const struct imported *imported, size_t width);
void import_write_json(FILE *out, const char *files, const struct imported *imported);

/* The figures as a recorder would print them, and how exact they are; percentiles by the rank rule
   that the trial asks for.  What the file leaves open is not said.  report_free and declared_free
   release them. */
void import_report(const struct imported *imported, const struct trial *trial,
                   struct report *report, struct declared *declared);

#endif
