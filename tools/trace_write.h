/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TRACE_WRITE_H
#define DUETIME_TRACE_WRITE_H

/* Requests one by one, as `duetime trace` prints them; sim/formats/ reads them back. */

#include <stdio.h>

#include "models/base/batch.h"
#include "sim/formats/trace_rows.h"

/* Row i of a batch, as request `number`. */
struct trace_row trace_row_of(const struct batch *b, size_t i, uint64_t number);

/* The first line of a CSV. */
void trace_write_names(FILE *out);

/* One line, of CSV or of JSON; the load by its name. */
void trace_write_row(FILE *out, const struct trace_row *row, const char *load, bool json);

/* All of it again, to the byte, where all columns were there. */
void trace_write(FILE *out, const struct trace_rows *trace);

#endif
