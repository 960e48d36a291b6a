/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FORMATS_TRACE_ROWS_H
#define DUETIME_FORMATS_TRACE_ROWS_H

/* Requests as `duetime trace` writes them, read back: from a run of its own, or from anybody who
   writes the same columns. */

#include "models/base/batch.h"
#include "models/base/error.h"
#include "models/faults/fault.h"

enum trace_column {
    TRACE_NUMBER,
    TRACE_LOAD,
    TRACE_CLIENT,
    TRACE_REPLICA,
    TRACE_DUE, /* this one, sent and finished must be there; the others may be missing */
    TRACE_ACQUIRED,
    TRACE_SENT,
    TRACE_STARTED,
    TRACE_FINISHED,
    TRACE_ENDED,
    TRACE_STATUS,
    TRACE_RECORDED,
    TRACE_SEND_LAG,
    TRACE_QUEUE,
    TRACE_STALL,
    TRACE_SERVICE,
    TRACE_RESPONSE,
};
#define TRACE_COLUMNS (TRACE_RESPONSE + 1)

extern const char *const trace_column_names[TRACE_COLUMNS];

/* How a status is written: "answered", "timed out", "refused", "cut". */
const char *trace_status_name(enum status status);

/* All instants and parts in ns.  Started and the parts but send lag are known of answered requests
   alone. */
struct trace_row {
    uint64_t number, client, replica;
    size_t load; /* index into the trace's names */
    ns_t due, acquired, sent, started, finished, ended;
    enum status status;
    bool recorded;              /* false: of the run's settling */
    ns_t queue, stall, service; /* 0 where the trace does not say */
};

struct trace_rows {
    char **loads; /* names, in the order in which they come; owned */
    size_t load_count;
    struct trace_row *rows; /* owned */
    size_t count, capacity;
    bool json;  /* JSON lines, else CSV */
    bool whole; /* all columns are there */
};

/* Reads either; false and *errors with line numbers where a row is broken or contradicts itself:
   instants out of order, parts that do not make up the response time.  A column that is missing:
   number counts up, load is "", client and replica 0, acquired and started are sent, ended is
   finished, status answered, recorded true. */
bool trace_read(const char *file, const char *text, size_t length, struct trace_rows *out,
                struct errors *errors);
void trace_rows_free(struct trace_rows *trace);

/* The recorded requests of one load in the order in which they finish, as a recorder is told of
   them; at_end: what was given up finishes where it left the server.  requests_free releases the
   columns. */
void trace_requests(const struct trace_rows *trace, size_t load, bool at_end, struct requests *out);
void trace_requests_free(struct requests *requests);

/* Text of a row, column by column, as it stands in the file: trace_read's parts share it. */
struct trace_cell {
    const char *at;
    size_t length;
    bool there; /* known: no empty cell, no null, no missing column */
};
/* NULL where the row is good and was appended, else why not: owned by the caller. */
char *trace_push(struct trace_rows *trace, const struct trace_cell cells[TRACE_COLUMNS]);
size_t trace_find_column(const char *name, size_t length); /* TRACE_COLUMNS: none */

#endif
