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
                                                      .status = (enum status)batch->status[i]};
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
    assert_true(totals.busy_area_ns == totals.work_done_ns);
    out->claimed = totals.due;
    out->dropped = totals.dropped;
    out->in_flight_max = totals.in_flight_max;
    out->in_flight_ns = totals.flight_area;
    out->work_ns = totals.work_done_ns;
    out->attempts = totals.attempts;
    out->stalls = totals.stalls;
    out->has_answer = totals.answered > 0;
    out->last_answer = totals.last_answer_ns;
    out->has_window_end = totals.window_known;
    out->window_end = totals.window_end_ns;
}

/* By every instant, so that equal multisets of rows become equal lists. */
static int by_instants(const void *a, const void *b)
{
    const struct oracle_row *x = a, *y = b;
    const ns_t xs[] = {x->due, x->sent, x->acquired, x->started, x->finished, x->ended, x->status};
    const ns_t ys[] = {y->due, y->sent, y->acquired, y->started, y->finished, y->ended, y->status};
    for (size_t i = 0; i < sizeof xs / sizeof xs[0]; i++)
        if (xs[i] != ys[i])
            return xs[i] < ys[i] ? -1 : 1;
    return 0;
}

static void sort_rows(struct oracle_answer *a)
{
    if (a->count > 0)
        qsort(a->rows, a->count, sizeof *a->rows, by_instants);
}

static void print_row(const char *who, const struct oracle_answer *a, size_t i)
{
    if (i >= a->count) {
        print_error("%s: only %zu rows\n", who, a->count);
        return;
    }
    const struct oracle_row *r = &a->rows[i];
    print_error("%s: request %llu due %llu acquired %llu sent %llu started %llu finished %llu "
                "ended %llu status %d\n",
                who, (unsigned long long)r->number, (unsigned long long)r->due,
                (unsigned long long)r->acquired, (unsigned long long)r->sent,
                (unsigned long long)r->started, (unsigned long long)r->finished,
                (unsigned long long)r->ended, (int)r->status);
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

bool answers_equal(const struct plan *plan, struct oracle_answer *oracle,
                   struct oracle_answer *engine, const char *text)
{
    sort_rows(oracle);
    sort_rows(engine);
    size_t most = oracle->count > engine->count ? oracle->count : engine->count;
    bool equal = true;
    for (size_t i = 0; i < most && equal; i++) {
        equal = i < oracle->count && i < engine->count &&
                by_instants(&oracle->rows[i], &engine->rows[i]) == 0;
        if (equal)
            continue;
        print_row("oracle", oracle, i);
        print_row("engine", engine, i);
    }
    /* Where a cut ends the run, how far ahead a load has claimed is its own affair. */
    if (plan->run.cut_ns == 0) {
        equal &= totals_equal("claimed", oracle->claimed, engine->claimed);
        equal &= totals_equal("has a window", oracle->has_window_end, engine->has_window_end);
        equal &= totals_equal("window end", oracle->window_end, engine->window_end);
    }
    equal &= totals_equal("dropped", oracle->dropped, engine->dropped);
    equal &= totals_equal("in flight, at most", oracle->in_flight_max, engine->in_flight_max);
    equal &= totals_equal("in flight, integrated", oracle->in_flight_ns, engine->in_flight_ns);
    equal &= totals_equal("work", oracle->work_ns, engine->work_ns);
    equal &= totals_equal("attempts", oracle->attempts, engine->attempts);
    equal &= totals_equal("stalls", oracle->stalls, engine->stalls);
    equal &= totals_equal("has an answer", oracle->has_answer, engine->has_answer);
    equal &= totals_equal("last answer", oracle->last_answer, engine->last_answer);
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
