/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/two_ways.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sim/scenario/reader.h"

char *scene(const char *server, const char *load, const char *run)
{
    char *text = must_format("{'title': 'scene', 'server': {%s}, 'loads': {'it': {%s}}, "
                             "'recorders': {'it': {'load': 'it', 'from': 'due'}}, "
                             "'run': {'start': 'empty', %s}}",
                             server, load, run);
    for (char *c = text; *c; c++)
        if (*c == '\'')
            *c = '"';
    return text;
}

struct plan *plan_from(const char *text)
{
    struct errors errors = {0};
    struct plan *plan = plan_read("scene", text, strlen(text), NULL, 0, &errors);
    for (size_t i = 0; i < errors.count; i++)
        print_error("%s\n", errors.texts[i]);
    if (!plan)
        print_error("refused: %s\n", text);
    assert_non_null(plan);
    errors_free(&errors);
    return plan;
}

struct gathered {
    struct oracle_answer *out;
    size_t room;
};

static void gather(void *self, const struct batch *batch)
{
    struct gathered *g = self;
    struct oracle_answer *out = g->out;
    for (size_t i = 0; i < batch->count; i++) {
        if (out->count == g->room) {
            g->room = 2 * g->room + 64;
            out->rows = must_grow(out->rows, g->room, sizeof *out->rows);
        }
        /* Rows come in the order in which requests leave the server. */
        assert_true(out->count == 0 || out->rows[out->count - 1].ended <= batch->ended[i]);
        out->rows[out->count++] = (struct oracle_row){.due = batch->due[i],
                                                      .acquired = batch->acquired[i],
                                                      .sent = batch->sent[i],
                                                      .started = batch->started[i],
                                                      .finished = batch->finished[i],
                                                      .ended = batch->ended[i],
                                                      .status = (enum status)batch->status[i],
                                                      .client = batch->client[i],
                                                      .replica = batch->replica[i],
                                                      .waited_stalled = batch->waited_stalled[i],
                                                      .served_stalled = batch->served_stalled[i],
                                                      .waited_behind = batch->waited_behind[i]};
    }
}

static size_t rows_of(const struct oracle_answer *a, enum status status)
{
    size_t n = 0;
    for (size_t i = 0; i < a->count; i++)
        n += a->rows[i].status == status;
    return n;
}

struct engine_request engine_question(const struct oracle_question *question)
{
    return (struct engine_request){.plan = question->plan,
                                   .load = question->load,
                                   .run = question->run,
                                   .replication = question->replication,
                                   .wants = WANTS_ALL,
                                   .initial = {.work_ns = question->jobs_ns,
                                               .station = question->jobs_station,
                                               .count = question->job_count}};
}

void engine_answer(engine_path *path, const struct oracle_question *question,
                   struct oracle_answer *out)
{
    *out = (struct oracle_answer){0};
    struct gathered gathered = {.out = out};
    struct engine_request request = engine_question(question);
    request.consumer = (struct consumer){gather, &gathered};
    struct engine_totals totals;
    assert_int_equal(path(&request, &totals), ENGINE_DONE);
    assert_int_equal(totals.sent, out->count);
    assert_int_equal(totals.answered, rows_of(out, STATUS_ANSWERED));
    assert_int_equal(totals.timed_out, rows_of(out, STATUS_TIMED_OUT));
    assert_int_equal(totals.refused, rows_of(out, STATUS_REFUSED));
    assert_int_equal(totals.in_flight_at_end, rows_of(out, STATUS_CUT));
    assert_true(totals.busy_area == totals.work_done);
    out->claimed = totals.due;
    out->dropped = totals.dropped;
    out->in_flight_max = totals.in_flight_max;
    out->in_flight_ns = totals.flight_area;
    out->work_ns = totals.work_done >> 64;
    out->running_ns[LEG_GENERATOR] = totals.running_ns[STAGE_GENERATOR];
    out->running_ns[LEG_NETWORK] = totals.running_ns[STAGE_NETWORK];
    out->running_ns[LEG_SERVER] = totals.running_ns[STAGE_SERVER];
    out->running_ns[LEG_BEHIND] = totals.running_ns[STAGE_BEHIND];
    out->running_ns[LEG_CLIENT] = totals.running_ns[STAGE_CLIENT];
    out->attempts = totals.attempts;
    out->withheld = totals.withheld;
    out->cancelled = totals.cancelled;
    out->wasted = totals.wasted;
    out->throttled = totals.throttled;
    out->periods = totals.periods;
    out->stalls = totals.stalls;
    out->has_answer = totals.answered > 0;
    out->last_answer = totals.last_answer_ns;
    out->has_window_end = totals.window_known;
    out->window_end = totals.window_end_ns;
}

/* Every column of a row but its number. */
#define COLUMNS 12
static const char *const column_names[COLUMNS] = {
    "due",    "sent",   "acquired", "started",        "finished",       "ended",
    "status", "client", "replica",  "waited stalled", "served stalled", "waited behind",
};

static void columns_of(const struct oracle_row *r, uint64_t out[COLUMNS])
{
    const uint64_t columns[COLUMNS] = {
        r->due,      r->sent,           r->acquired,         r->started,
        r->finished, r->ended,          (uint64_t)r->status, r->client,
        r->replica,  r->waited_stalled, r->served_stalled,   r->waited_behind};
    memcpy(out, columns, sizeof columns);
}

/* By every instant and the rest, so that equal multisets of rows become equal lists. */
static int by_columns(const void *a, const void *b)
{
    uint64_t xs[COLUMNS], ys[COLUMNS];
    columns_of(a, xs);
    columns_of(b, ys);
    for (size_t i = 0; i < COLUMNS; i++)
        if (xs[i] != ys[i])
            return xs[i] < ys[i] ? -1 : 1;
    return 0;
}

static void sort_rows(struct oracle_answer *a)
{
    if (a->count > 0)
        qsort(a->rows, a->count, sizeof *a->rows, by_columns);
}

static void print_row(const char *who, const struct oracle_answer *a, size_t i)
{
    if (i >= a->count) {
        print_error("%s: only %zu rows\n", who, a->count);
        return;
    }
    uint64_t columns[COLUMNS];
    columns_of(&a->rows[i], columns);
    print_error("%s: request %llu", who, (unsigned long long)a->rows[i].number);
    for (size_t k = 0; k < COLUMNS; k++)
        print_error(" %s %llu", column_names[k], (unsigned long long)columns[k]);
    print_error("\n");
}

static bool totals_equal(const char *name, u128 oracle, u128 engine)
{
    if (oracle == engine)
        return true;
    char a[48], b[48];
    print_error("%s: oracle %s, engine %s\n", name, format_i128((i128)oracle, a),
                format_i128((i128)engine, b));
    return false;
}

/* Where two stations spend one budget that is used up between two whole instants, the engine rounds
   each one's part of that last ns up. */
static bool running_equal(const struct plan *plan, const struct oracle_answer *oracle,
                          const struct oracle_answer *engine)
{
    static const char *const legs[LEG_COUNT] = {"generator runs", "network runs", "server runs",
                                                "station behind runs", "client runs"};
    const struct quota *quota = &plan->server.quota;
    bool equal = true;
    for (size_t i = 0; i < LEG_COUNT; i++) {
        u128 more = engine->running_ns[i] - oracle->running_ns[i];
        bool rounded = quota->budget_ns > 0 && quota->shared &&
                       (i == LEG_GENERATOR || i == LEG_SERVER) && more <= oracle->throttled;
        equal &= rounded || totals_equal(legs[i], oracle->running_ns[i], engine->running_ns[i]);
    }
    return equal;
}

static bool all_totals_equal(const struct plan *plan, const struct oracle_answer *oracle,
                             const struct oracle_answer *engine)
{
    bool cut = plan->run.cut_ns != 0;
    const struct {
        const char *name;
        u128 oracle, engine;
        bool ahead; /* of what a load claims ahead, so its own affair where a cut ends the run */
    } totals[] = {
        {"claimed", oracle->claimed, engine->claimed, true},
        {"has a window", oracle->has_window_end, engine->has_window_end, true},
        {"window end", oracle->window_end, engine->window_end, true},
        {"dropped", oracle->dropped, engine->dropped, false},
        {"in flight, at most", oracle->in_flight_max, engine->in_flight_max, false},
        {"in flight, integrated", oracle->in_flight_ns, engine->in_flight_ns, false},
        {"work", oracle->work_ns, engine->work_ns, false},
        {"attempts", oracle->attempts, engine->attempts, false},
        {"withheld", oracle->withheld, engine->withheld, false},
        {"cancelled", oracle->cancelled, engine->cancelled, false},
        {"wasted", oracle->wasted, engine->wasted, false},
        {"throttled", oracle->throttled, engine->throttled, false},
        {"periods", oracle->periods, engine->periods, false},
        {"stalls", oracle->stalls, engine->stalls, false},
        {"has an answer", oracle->has_answer, engine->has_answer, false},
        {"last answer", oracle->last_answer, engine->last_answer, false},
    };
    bool equal = true;
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++)
        if (!cut || !totals[i].ahead)
            equal &= totals_equal(totals[i].name, totals[i].oracle, totals[i].engine);
    return equal & running_equal(plan, oracle, engine);
}

bool answers_equal(const struct plan *plan, struct oracle_answer *oracle,
                   struct oracle_answer *engine, const char *text)
{
    sort_rows(oracle);
    sort_rows(engine);
    size_t most = oracle->count > engine->count ? oracle->count : engine->count;
    bool equal = true;
    for (size_t i = 0; i < most && equal; i++) {
        equal = i < oracle->count && i < engine->count &&
                by_columns(&oracle->rows[i], &engine->rows[i]) == 0;
        if (equal)
            continue;
        print_row("oracle", oracle, i);
        print_row("engine", engine, i);
    }
    equal &= all_totals_equal(plan, oracle, engine);
    if (!equal)
        print_error("in %s\n", text);
    return equal;
}

struct oracle_answer both_ways(const char *server, const char *load, const char *run)
{
    char *text = scene(server, load, run);
    struct plan *plan = plan_from(text);
    struct oracle_question question = {.plan = plan};
    struct oracle_answer oracle, engine;
    oracle_run(&question, &oracle);
    engine_answer(engine_run, &question, &engine);
    assert_true(answers_equal(plan, &oracle, &engine, text));
    oracle_free(&oracle);
    oracle_free(&engine);
    oracle_run(&question, &oracle); /* once more: now by number */
    plan_free(plan);
    free(text);
    return oracle;
}

static const char *became(enum status status)
{
    switch (status) {
    case STATUS_ANSWERED: return "";
    case STATUS_TIMED_OUT: return " given up";
    case STATUS_REFUSED: return " refused";
    case STATUS_CUT: return " cut";
    }
    BUG("a status outside its enum");
}

/* The rows as timeline() takes them; owned by the caller. */
static char *told(const struct oracle_answer *a)
{
    char *text = must_copy("");
    for (size_t i = 0; i < a->count; i++) {
        const struct oracle_row *r = &a->rows[i];
        const ns_t at[] = {r->number, r->due, r->sent, r->started, r->finished};
        for (size_t k = 0; k < sizeof at / sizeof at[0]; k++) {
            char *more = must_format("%s%s%llu", text,
                                     k > 0   ? " "
                                     : i > 0 ? " | "
                                             : "",
                                     (unsigned long long)at[k]);
            free(text);
            text = more;
        }
        char *left = r->ended == r->finished
                         ? must_copy("")
                         : must_format(", left %llu", (unsigned long long)r->ended);
        char *more = must_format("%s%s%s", text, became(r->status), left);
        free(left);
        free(text);
        text = more;
    }
    return text;
}

void timeline(const char *server, const char *load, const char *run, const char *rows)
{
    struct oracle_answer got = both_ways(server, load, run);
    char *text = told(&got);
    assert_string_equal(text, rows);
    free(text);
    oracle_free(&got);
}

void stalled(const char *server, const char *load, const char *run, const char *rows)
{
    struct oracle_answer got = both_ways(server, load, run);
    char *text = must_copy("");
    for (size_t i = 0; i < got.count; i++) {
        const struct oracle_row *r = &got.rows[i];
        char *more = must_format(
            "%s%s%llu %llu %llu %llu", text, i > 0 ? " | " : "", (unsigned long long)r->number,
            (unsigned long long)r->waited_stalled, (unsigned long long)r->served_stalled,
            (unsigned long long)r->waited_behind);
        free(text);
        text = more;
    }
    assert_string_equal(text, rows);
    free(text);
    oracle_free(&got);
}
