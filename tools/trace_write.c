/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/trace_write.h"

#include <inttypes.h>
#include <string.h>

#include "tools/report/report.h"

/* How one column is written: text where known, else nothing. */
struct traced {
    bool known;
    uint64_t value;
    const char *text; /* NULL: a number */
};

/* Parts of a response time are known of answered requests alone. */
static void fill_cells(const struct trace_row *row, const char *load,
                       struct traced out[TRACE_COLUMNS])
{
    bool answered = row->status == STATUS_ANSWERED;
    const struct traced cells[TRACE_COLUMNS] = {
        [TRACE_NUMBER] = {true, row->number, NULL},
        [TRACE_LOAD] = {true, 0, load},
        [TRACE_CLIENT] = {true, row->client, NULL},
        [TRACE_REPLICA] = {true, row->replica, NULL},
        [TRACE_DUE] = {true, row->due, NULL},
        [TRACE_ACQUIRED] = {true, row->acquired, NULL},
        [TRACE_SENT] = {true, row->sent, NULL},
        [TRACE_STARTED] = {answered, row->started, NULL},
        [TRACE_FINISHED] = {true, row->finished, NULL},
        [TRACE_ENDED] = {true, row->ended, NULL},
        [TRACE_STATUS] = {true, 0, trace_status_name(row->status)},
        [TRACE_RECORDED] = {true, row->recorded, NULL},
        [TRACE_SEND_LAG] = {true, row->sent - row->due, NULL},
        [TRACE_QUEUE] = {answered, row->queue, NULL},
        [TRACE_STALL] = {answered, row->stall, NULL},
        [TRACE_SERVICE] = {answered, row->service, NULL},
        [TRACE_RESPONSE] = {answered, row->finished - row->due, NULL},
    };
    memcpy(out, cells, sizeof cells);
}

struct trace_row trace_row_of(const struct batch *b, size_t i, uint64_t number)
{
    return (struct trace_row){
        .number = number,
        .client = b->client[i],
        .replica = b->replica[i],
        .due = b->due[i],
        .acquired = b->acquired[i],
        .sent = b->sent[i],
        .started = b->started[i],
        .finished = b->finished[i],
        .ended = b->ended[i],
        .status = (enum status)b->status[i],
        .recorded = b->due[i] >= b->record_from_ns,
        .queue = batch_queue_ns(b, i),
        .stall = batch_stall_ns(b, i),
        .service = batch_service_ns(b, i),
    };
}

void trace_write_names(FILE *out)
{
    for (size_t c = 0; c < TRACE_COLUMNS; c++)
        fprintf(out, "%s%s", c > 0 ? "," : "", trace_column_names[c]);
    fputc('\n', out);
}

static void write_csv(FILE *out, const struct traced *cells)
{
    for (size_t c = 0; c < TRACE_COLUMNS; c++) {
        if (c > 0)
            fputc(',', out);
        if (cells[c].text != NULL)
            csv_write_field(out, cells[c].text);
        else if (cells[c].known)
            fprintf(out, "%" PRIu64, cells[c].value);
    }
    fputc('\n', out);
}

static void write_json(FILE *out, const struct traced *cells)
{
    for (size_t c = 0; c < TRACE_COLUMNS; c++) {
        fprintf(out, "%s\"%s\": ", c == 0 ? "{" : ", ", trace_column_names[c]);
        if (cells[c].text != NULL)
            json_write_string(out, cells[c].text);
        else if (c == TRACE_RECORDED)
            fputs(cells[c].value ? "true" : "false", out);
        else if (cells[c].known)
            fprintf(out, cells[c].value > UINT64_C(1) << 53 ? "\"%" PRIu64 "\"" : "%" PRIu64,
                    cells[c].value);
        else
            fputs("null", out);
    }
    fputs("}\n", out);
}

void trace_write_row(FILE *out, const struct trace_row *row, const char *load, bool json)
{
    struct traced cells[TRACE_COLUMNS];
    fill_cells(row, load, cells);
    if (json)
        write_json(out, cells);
    else
        write_csv(out, cells);
}

void trace_write(FILE *out, const struct trace_rows *trace)
{
    if (!trace->json)
        trace_write_names(out);
    for (size_t i = 0; i < trace->count; i++)
        trace_write_row(out, &trace->rows[i], trace->loads[trace->rows[i].load], trace->json);
}
