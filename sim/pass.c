/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/pass.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "sim/sharing.h"
#include "sim/threads.h"

/* A load's replication: what a worker takes next. */
struct task {
    size_t load, replication;
};

struct crew {
    struct pass *pass;
    struct task *tasks;
    size_t task_count;
    atomic_size_t next;
    atomic_uint_fast64_t rows; /* for progress */
    atomic_size_t kept;        /* entries of censuses */
    atomic_int end;            /* enum engine_end: the worst so far */
    atomic_size_t failed_load;
};

/* Of the replication that runs.  In one piece, as it is large and had anew by each run. */
struct seen_rows {
    struct columns columns;
    struct gather gather;
};

/* One thread's share, merged at the end. */
struct worker {
    struct crew *crew;
    bool reports_progress;
    struct recorder *recorders;
    struct recorder_watch **watches;
    struct row_sums *sums; /* one a load */
    struct seen_rows *rows;
    struct task task;
    pthread_t thread;
};

static double total_rows(const struct pass *pass)
{
    double rows = 0.0;
    for (size_t i = 0; i < pass->plan->load_count; i++)
        if (pass->loads[i].active)
            rows += run_load_requests(pass->plan, i) * (double)pass->loads[i].replications;
    return rows;
}

static void report_progress(struct worker *worker, size_t rows)
{
    struct crew *crew = worker->crew;
    const struct run_options *options = crew->pass->options;
    if (options->progress == NULL)
        return;
    uint64_t done = atomic_fetch_add(&crew->rows, rows) + rows;
    if (!worker->reports_progress)
        return;
    double total = total_rows(crew->pass);
    double share = total > 0.0 ? (double)done / total : 0.0;
    double from = crew->pass->progress_from, to = crew->pass->progress_to;
    options->progress(options->progress_self, from + (to - from) * (share < 1.0 ? share : 1.0));
}

static void take(void *self, const struct batch *batch)
{
    struct worker *worker = self;
    struct pass *pass = worker->crew->pass;
    struct columns *columns = &worker->rows->columns;
    size_t load = worker->task.load;
    columns_begin(columns, batch);
    for (size_t i = 0; i < pass->plan->recorder_count; i++) {
        if (pass->plan->recorders[i].load != load)
            continue;
        if (pass->recorders[i].active && pass->recorders[i].leader == i)
            recorder_take(&worker->recorders[i], columns);
        if (worker->watches[i] != NULL)
            recorder_watch_take(worker->watches[i], columns);
    }
    if (!pass->again)
        row_sums_take(&worker->sums[load], columns);
    struct load_watch *all = pass->loads[load].watch;
    struct load_watch *window = all != NULL ? &all[worker->task.replication] : NULL;
    if (pass->loads[load].watches || (pass->loads[load].gathers && window->known))
        load_watch_take(window, columns);
    else if (pass->loads[load].gathers)
        gather_take(&worker->rows->gather, columns);
    if (batch->count > 0) /* rows come in the order in which requests leave */
        pass->loads[load].ended_ns[worker->task.replication] = batch->ended[batch->count - 1];
    report_progress(worker, batch->count);
}

/* All censuses together at most, in entries of 8 bytes: 16 MB. */
#define CENSUS_KEPT_MOST ((size_t)1 << 21)

static void keep_census(struct worker *worker, size_t recorder)
{
    struct crew *crew = worker->crew;
    struct pass_recorder *r = &crew->pass->recorders[recorder];
    struct census_list list = {NULL, 0};
    recorder_end_replication(&worker->recorders[recorder], &list);
    if (atomic_fetch_add(&crew->kept, list.length) + list.length <= CENSUS_KEPT_MOST) {
        r->census[worker->task.replication] = list;
        return;
    }
    free(list.entries);
}

/* Per-replication counts are what the worker's own counters gained while it ran. */
static void note_replication(struct worker *worker, bool after)
{
    struct pass *pass = worker->crew->pass;
    for (size_t i = 0; i < pass->plan->recorder_count; i++) {
        struct pass_recorder *r = &pass->recorders[i];
        if (!r->active || pass->plan->recorders[i].load != worker->task.load)
            continue;
        struct recorder *mine = &worker->recorders[i];
        size_t k = worker->task.replication;
        uint64_t *above = r->above + k * r->threshold_count;
        if (after && r->leader == i && r->census != NULL)
            keep_census(worker, i);
        else if (after && r->leader == i)
            recorder_end_replication(mine, NULL);
        if (!after && r->leader == i)
            sharing_begin(mine);
        for (size_t t = 0; t < r->threshold_count; t++)
            above[t] = mine->counter.above[t] - (after ? above[t] : 0);
        r->samples[k] = recorder_samples(mine) - (after ? r->samples[k] : 0);
        r->requests[k] = mine->tally.requests - (after ? r->requests[k] : 0);
        r->infinite[k] = mine->tally.infinite - (after ? r->infinite[k] : 0);
    }
}

static unsigned wants_of(const struct pass *pass, size_t load)
{
    unsigned wants = 0;
    for (size_t i = 0; i < pass->plan->recorder_count; i++)
        if (pass->plan->recorders[i].load == load &&
            (pass->recorders[i].active || pass->recorders[i].watch_as != NULL))
            wants |= recorder_wants(&pass->plan->recorders[i]);
    return wants;
}

/* The window of due instants, where neither a number of requests nor the load decides it; false. */
static bool foresee_window(const struct pass *pass, size_t load, struct load_watch *window)
{
    const struct run_plan *run = &pass->plan->run;
    struct start_law start = pass->loads[load].start;
    if (run->requests != 0 || run->duration_ns == 0 ||
        start_settle_requests(pass->plan, load, start) != 0)
        return false;
    ns_t end_ns = start.settle_ns + run->duration_ns;
    window->begin_ns = start.settle_ns + run->warmup_ns;
    window->end_ns = run->cut_ns != 0 && run->cut_ns < end_ns ? run->cut_ns : end_ns;
    return window->known = true;
}

/* What was seen of the window, which is known now. */
static void see_window(struct worker *worker, ns_t begin_ns, ns_t end_ns)
{
    struct pass_load *load = &worker->crew->pass->loads[worker->task.load];
    struct load_watch *seen = &load->watch[worker->task.replication];
    if (seen->known && seen->begin_ns == begin_ns && seen->end_ns == end_ns)
        return; /* as foreseen */
    bool gathered = !seen->known;
    *seen = (struct load_watch){.begin_ns = begin_ns, .end_ns = end_ns};
    if (gathered)
        gather_end(&worker->rows->gather, seen, &load->of_crowd[worker->task.replication]);
}

/* What a replication leaves behind beside its samples. */
static void finish(struct worker *worker, struct engine_totals totals)
{
    struct pass *pass = worker->crew->pass;
    const struct run_plan *run = &pass->plan->run;
    struct pass_load *load = &pass->loads[worker->task.load];
    size_t k = worker->task.replication;
    if (pass->again)
        return;
    totals.window_ends = totals.window_known || run->duration_ns != 0 || run->cut_ns != 0;
    if (!totals.window_known)
        totals.window_end_ns =
            run->duration_ns != 0 ? load->start.settle_ns + run->duration_ns : totals.last_due_ns;
    if (run->cut_ns != 0 && totals.window_end_ns > run->cut_ns)
        totals.window_end_ns = run->cut_ns;
    load->totals[k] = totals;
    if (load->gathers)
        see_window(worker, totals.record_from_ns + run->warmup_ns, totals.window_end_ns);
}

static enum engine_end run_task(struct worker *worker)
{
    struct pass *pass = worker->crew->pass;
    struct pass_load *load = &pass->loads[worker->task.load];
    struct engine_totals totals;
    struct replication_request request = {
        .plan = pass->plan,
        .load = worker->task.load,
        .start = load->start,
        .run = pass->run,
        .replication = (uint32_t)worker->task.replication,
        .again = pass->again,
        .wants = wants_of(pass, worker->task.load),
        .consumer = {take, worker},
        .stop = pass->options->stop,
    };
    if (load->gathers &&
        !foresee_window(pass, worker->task.load, &load->watch[worker->task.replication]))
        gather_begin(&worker->rows->gather, pass->plan->run.warmup_ns, pass->plan->run.requests,
                     !load_is_random(pass->plan, worker->task.load));
    note_replication(worker, false);
    enum engine_end end = replication_run(&request, &totals);
    note_replication(worker, true);
    finish(worker, totals);
    return end;
}

static void *work(void *self)
{
    struct worker *worker = self;
    struct crew *crew = worker->crew;
    for (;;) {
        size_t next = atomic_fetch_add(&crew->next, 1);
        if (next >= crew->task_count || atomic_load(&crew->end) != ENGINE_DONE)
            return NULL;
        worker->task = crew->tasks[next];
        enum engine_end end = run_task(worker);
        if (end == ENGINE_DONE)
            continue;
        atomic_store(&crew->end, (int)end);
        atomic_store(&crew->failed_load, worker->task.load);
    }
}

static void worker_open(struct worker *worker, struct crew *crew)
{
    const struct plan *plan = crew->pass->plan;
    worker->crew = crew;
    worker->recorders = must_alloc(plan->recorder_count, sizeof *worker->recorders);
    worker->watches = must_alloc(plan->recorder_count, sizeof(struct recorder_watch *));
    worker->sums = must_alloc(plan->load_count, sizeof *worker->sums);
    worker->rows = must_alloc_lines(1, sizeof *worker->rows);
    gather_open(&worker->rows->gather);
    for (size_t i = 0; i < plan->recorder_count; i++) {
        const struct pass_recorder *r = &crew->pass->recorders[i];
        if (r->watch_as != NULL)
            worker->watches[i] = recorder_watch_new(r->watch_as);
        if (!r->active)
            continue;
        worker->sums[plan->recorders[i].load].takes_parts |= plan->recorders[i].part != PART_NONE;
        recorder_open(&worker->recorders[i], &plan->recorders[i], r->rule, r->stores,
                      r->leader == i ? r->counted_ns : r->thresholds_ns,
                      r->leader == i ? r->counted_count : r->threshold_count);
        if (r->leader != i)
            recorder_follow(&worker->recorders[i], &worker->recorders[r->leader]);
        worker->recorders[i].counts_certain = r->counts_certain;
        worker->recorders[i].stop = crew->pass->options->stop;
        worker->recorders[i].certain_limit_ns = r->certain_limit_ns;
    }
}

static void close_recorder(struct worker *worker, size_t i, bool first)
{
    struct pass_recorder *r = &worker->crew->pass->recorders[i];
    if (first) {
        r->found = worker->recorders[i];
        r->found.followed_by = NULL;
        corrected_settle(&r->found);
        r->watch = worker->watches[i];
        return;
    }
    if (r->active) {
        recorder_merge(&r->found, &worker->recorders[i]);
        recorder_close(&worker->recorders[i]);
    }
    if (r->watch != NULL)
        recorder_watch_merge(r->watch, worker->watches[i]);
    recorder_watch_free(worker->watches[i]);
}

/* Hands what the worker found to the pass: the first worker's as it is, the others' merged in. */
static void worker_close(struct worker *worker, bool first)
{
    struct pass *pass = worker->crew->pass;
    for (size_t i = 0; i < pass->plan->recorder_count; i++)
        close_recorder(worker, i, first);
    for (size_t i = 0; i < pass->plan->load_count; i++) {
        row_sums_merge(&pass->loads[i].sums, &worker->sums[i]);
        row_sums_free(&worker->sums[i]);
    }
    free(worker->recorders);
    free(worker->watches);
    free(worker->sums);
    gather_close(&worker->rows->gather);
    free(worker->rows);
}

static unsigned thread_count(const struct pass *pass, size_t tasks)
{
    unsigned threads = threads_of(pass->options->threads);
    return threads > tasks ? (unsigned)tasks : threads;
}

/* False: there are none. */
static bool list_tasks(struct crew *crew)
{
    struct pass *pass = crew->pass;
    size_t capacity = 0;
    for (size_t i = 0; i < pass->plan->load_count; i++)
        capacity += pass->loads[i].active ? pass->loads[i].replications : 0;
    if (capacity == 0)
        return false;
    crew->tasks = must_alloc(capacity, sizeof *crew->tasks);
    for (size_t i = 0; i < pass->plan->load_count; i++)
        for (size_t k = 0; pass->loads[i].active && k < pass->loads[i].replications; k++)
            crew->tasks[crew->task_count++] = (struct task){i, k};
    return true;
}

enum engine_end pass_run(struct pass *pass)
{
    struct crew crew = {.pass = pass};
    pass_prepare(pass);
    if (!list_tasks(&crew))
        return ENGINE_DONE;
    unsigned threads = thread_count(pass, crew.task_count);
    struct worker *workers = must_alloc(threads, sizeof *workers);
    unsigned started = 1;
    for (unsigned t = 0; t < threads; t++)
        worker_open(&workers[t], &crew);
    while (started < threads &&
           thread_begin(&workers[started].thread, started, threads, work, &workers[started]))
        started++; /* fewer threads than wanted do the same work */
    workers[0].reports_progress = true;
    work(&workers[0]);
    for (unsigned t = 1; t < started; t++)
        pthread_join(workers[t].thread, NULL);
    for (unsigned t = 0; t < threads; t++)
        worker_close(&workers[t], t == 0);
    free(workers);
    free(crew.tasks);
    pass->census_lost = atomic_load(&crew.kept) > CENSUS_KEPT_MOST;
    pass->failed_load = atomic_load(&crew.failed_load);
    return (enum engine_end)atomic_load(&crew.end);
}
