/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "models/base/random.h"
#include "models/loads/load.h"
#include "sim/fast.h"
#include "tests/fast_both.h"
#include "tests/two_ways.h"

static const char *const column_names[COLUMNS] = {
    "due",    "acquired", "sent",    "started",        "finished",       "ended",
    "status", "client",   "replica", "waited stalled", "served stalled", "waited behind"};

void fast_gather(void *self, const struct batch *b)
{
    struct fast_rows *rows = self;
    bool failed = false;
    rows->batches++;
    for (size_t i = 0; i < b->count; i++) {
        if (rows->count == rows->room) {
            rows->room = 2 * rows->room + 64;
            rows->row = must_grow(rows->row, rows->room, sizeof *rows->row);
        }
        const uint64_t row[COLUMNS] = {
            b->due[i],      b->acquired[i],       b->sent[i],           b->started[i],
            b->finished[i], b->ended[i],          b->status[i],         b->client[i],
            b->replica[i],  b->waited_stalled[i], b->served_stalled[i], b->waited_behind[i]};
        memcpy(rows->row[rows->count++], row, sizeof row);
        failed |= b->status[i] != STATUS_ANSWERED;
    }
    rows->wrong_answered |= b->count > BATCH_ROWS || b->answered == failed;
}

bool fast_rows_equal(const struct fast_rows *engine, const struct fast_rows *fast)
{
    for (size_t i = 0; i < engine->count && i < fast->count; i++)
        for (size_t k = 0; k < COLUMNS; k++)
            if (engine->row[i][k] != fast->row[i][k]) {
                print_error("row %zu, %s: engine %llu, fast %llu\n", i, column_names[k],
                            (unsigned long long)engine->row[i][k],
                            (unsigned long long)fast->row[i][k]);
                return false;
            }
    if (engine->count != fast->count)
        print_error("engine %zu rows, fast %zu\n", engine->count, fast->count);
    return engine->count == fast->count && !fast->wrong_answered && !engine->wrong_answered;
}

#define TOTAL(field)                       \
    {                                      \
#field, engine->field, fast->field \
    }
bool fast_totals_equal(const struct engine_totals *engine, const struct engine_totals *fast)
{
    const struct {
        const char *name;
        u128 engine, fast;
    } totals[] = {TOTAL(due),
                  TOTAL(window_end_ns),
                  TOTAL(record_from_ns),
                  TOTAL(window_known),
                  TOTAL(window_ends),
                  TOTAL(last_due_ns),
                  TOTAL(sent),
                  TOTAL(answered),
                  TOTAL(timed_out),
                  TOTAL(refused),
                  TOTAL(dropped),
                  TOTAL(attempts),
                  TOTAL(resent),
                  TOTAL(withheld),
                  TOTAL(cancelled),
                  TOTAL(wasted),
                  TOTAL(throttled),
                  TOTAL(periods),
                  TOTAL(running_ns[STAGE_SERVER]),
                  TOTAL(running_ns[STAGE_CLIENT]),
                  TOTAL(in_flight_at_end),
                  TOTAL(in_flight_max),
                  TOTAL(stalls),
                  TOTAL(first_send_ns),
                  TOTAL(last_answer_ns),
                  TOTAL(end_ns),
                  TOTAL(flight_area),
                  TOTAL(initial_time_ns),
                  TOTAL(initial_left),
                  TOTAL(busy_area),
                  TOTAL(work_done)};
    bool equal = true;
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
        if (totals[i].engine == totals[i].fast)
            continue;
        char a[48], b[48];
        print_error("%s: engine %s, fast %s\n", totals[i].name,
                    format_i128((i128)totals[i].engine, a), format_i128((i128)totals[i].fast, b));
        equal = false;
    }
    return equal;
}

/* What a run starts with, by the seed: mostly nothing. */
#define MOST_JOBS 40
static void start_with(struct engine_request *request, uint64_t seed, unsigned unit, ns_t *jobs_ns,
                       size_t *stations)
{
    struct stream dice = stream_open(seed, 1, 0, PURPOSE_START);
    const struct load_plan *load = &request->plan->loads[0];
    uint64_t count = below(stream_word(dice, 0), 12);
    uint64_t replicas = request->plan->server.replicas;
    for (uint64_t i = 0; i < MOST_JOBS; i++) {
        jobs_ns[i] = below(stream_word(dice, 10 + i), 6 * unit);
        stations[i] = (size_t)below(stream_word(dice, 10 + MOST_JOBS + i), replicas);
    }
    if (load_kind(load->kind) == &load_closed)
        count = ((const struct closed_load *)load->kind.params)->clients;
    request->run = (uint32_t)(seed % 2);
    request->replication = (uint32_t)(seed % 5);
    if (seed % 3 == 0 && count <= MOST_JOBS)
        request->initial = (struct initial_jobs){
            .work_ns = jobs_ns, .station = replicas > 1 ? stations : NULL, .count = count};
    if (seed % 7 == 0)
        request->settle_ns = below(stream_word(dice, 1), 100 * unit);
    else if (seed % 11 == 0)
        request->settle_requests = below(stream_word(dice, 2), 60);
}

static void count_runs(struct fast_tally *tally, const struct engine_totals *t)
{
    tally->resent += t->resent > 0;
    tally->withheld += t->withheld > 0;
    tally->cancelled += t->cancelled > 0;
    tally->wasted += t->wasted > 0;
    tally->timed_out += t->timed_out > 0;
    tally->refused += t->refused > 0;
}

/* One scenario both ways, if it is one that the fast paths take. */
void fast_try_both(const char *text, uint64_t seed, unsigned unit, struct fast_tally *tally)
{
    struct plan *plan = plan_from(text);
    ns_t jobs_ns[MOST_JOBS];
    size_t stations[MOST_JOBS];
    struct fast_rows engine = {0}, fast = {0};
    struct engine_totals engine_totals, fast_totals;
    struct engine_request request = {
        .plan = plan, .wants = WANTS_ALL, .consumer = {fast_gather, NULL}};
    start_with(&request, seed, unit, jobs_ns, stations);
    if (fast_accepts(&request)) {
        tally->taken++;
        request.consumer.self = &engine;
        assert_int_equal(engine_run(&request, &engine_totals), ENGINE_DONE);
        request.consumer.self = &fast;
        assert_int_equal(fast_run(&request, &fast_totals), ENGINE_DONE);
        tally->batches += fast.batches;
        count_runs(tally, &fast_totals);
        bool same_rows = fast_rows_equal(&engine, &fast);
        bool same_totals = fast_totals_equal(&engine_totals, &fast_totals);
        if (!same_rows || !same_totals) {
            print_error("with %zu jobs, settling %llu ns, %llu requests: %s\n",
                        request.initial.count, (unsigned long long)request.settle_ns,
                        (unsigned long long)request.settle_requests, text);
            tally->differ++;
        }
    }
    free(engine.row);
    free(fast.row);
    plan_free(plan);
}

/* FAST_TIMES=k in the environment: k times as many. */
uint64_t fast_so_many(uint64_t seeds)
{
    const char *times = getenv("FAST_TIMES");
    uint64_t k = times ? strtoull(times, NULL, 10) : 1;
    return k > 0 ? k * seeds : seeds;
}
