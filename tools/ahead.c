/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/ahead.h"

#include <stdlib.h>
#include <time.h>

#include "sim/threads.h"
#include "tools/interrupt.h"

#define HELD_PER_THREAD 64
#define LOOK_NS 5000000    /* no row that is done waits longer */

struct held {
    struct ran ran;
    struct worker *by;
    struct held *next; /* where it is spent */
};

struct worker {
    struct ahead *ahead;
    pthread_t thread;
    /* What it ran and nobody wants any more, for it to give back: memory that one thread takes and
       another gives back makes both wait.  Under the lock. */
    struct held *spent;
    double done; /* of the point it is at; under the terminal's lock */
};

/* Points [next, begun) are held or being run, at most `room` of them: point i in held[i % room],
   NULL until it is done. */
struct ahead {
    struct ahead_points points;
    unsigned threads, started; /* started 0: the one that asks is the first worker */
    struct worker *workers;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t many;  /* are ready, or these are the last */
    pthread_cond_t room_again;
    struct held **held, *lent; /* lent: what ahead_next gave last */
    uint64_t room, next, begun, ready;
    bool closing;
    pthread_mutex_t terminal; /* of all below */
    struct progress *progress;
    double done; /* points that were run */
};

static void tell(void *self, double done)
{
    struct worker *worker = self;
    struct ahead *ahead = worker->ahead;
    pthread_mutex_lock(&ahead->terminal);
    worker->done = done;
    double all = ahead->done;
    for (unsigned i = 0; i < ahead->threads; i++)
        all += ahead->workers[i].done;
    progress_tell(ahead->progress, all / (double)ahead->points.count);
    pthread_mutex_unlock(&ahead->terminal);
}

static void count_done(struct worker *worker)
{
    struct ahead *ahead = worker->ahead;
    if (ahead->progress == NULL || !ahead->progress->shown)
        return;
    pthread_mutex_lock(&ahead->terminal);
    ahead->done++;
    pthread_mutex_unlock(&ahead->terminal);
    tell(worker, 0);
}

static struct ran run_point(struct worker *worker, uint64_t point)
{
    const struct ahead *ahead = worker->ahead;
    const struct ahead_points *all = &ahead->points;
    struct ran ran = {.end = RAN_UNREADABLE};
    /* The last points, fewer than threads, share these. */
    uint64_t left = all->count - point;
    bool shown = ahead->progress != NULL && ahead->progress->shown;
    struct run_options options = all->run;
    options.threads = left < ahead->threads ? ahead->threads / (unsigned)left : 1;
    options.stop = interrupt_flag();
    options.progress = shown ? tell : NULL;
    options.progress_self = worker;
    const char **values = must_alloc(all->knob_count, sizeof *values);
    all->values(all->self, point, values);
    struct plan *plan =
        point_plan(all->source, all->base, all->knobs, values, all->knob_count, &ran.errors);
    free(values);
    if (plan != NULL) {
        struct result *result = run_scenario(plan, &options, &ran.errors);
        ran_keep(&ran, result);
        if (result != NULL)
            result_free(result);
    }
    plan_free(plan);
    count_done(worker);
    return ran;
}

static void free_spent(struct held *spent)
{
    while (spent != NULL) {
        struct held *next = spent->next;
        ran_free(&spent->ran);
        free(spent);
        spent = next;
    }
}

static void take_back(struct held *held)
{
    if (held == NULL)
        return;
    held->next = held->by->spent;
    held->by->spent = held;
}

/* Runs the point that none has begun yet; false: there is none, or no room for it.  The lock is
   held before and after, not meanwhile. */
static bool run_next(struct worker *worker)
{
    struct ahead *ahead = worker->ahead;
    if (ahead->begun == ahead->points.count || ahead->begun - ahead->next >= ahead->room)
        return false;
    uint64_t point = ahead->begun++;
    struct held *spent = worker->spent;
    worker->spent = NULL;
    pthread_mutex_unlock(&ahead->lock);
    free_spent(spent);
    struct held *held = must_alloc(1, sizeof *held);
    *held = (struct held){.ran = run_point(worker, point), .by = worker};
    pthread_mutex_lock(&ahead->lock);
    ahead->held[point % ahead->room] = held;
    ahead->ready++;
    if (ahead->ready >= ahead->room / 2 || ahead->begun == ahead->points.count)
        pthread_cond_signal(&ahead->many);
    return true;
}

static void *work(void *self)
{
    struct worker *worker = self;
    struct ahead *ahead = worker->ahead;
    pthread_mutex_lock(&ahead->lock);
    while (!ahead->closing && ahead->begun < ahead->points.count)
        if (!run_next(worker))
            pthread_cond_wait(&ahead->room_again, &ahead->lock);
    pthread_mutex_unlock(&ahead->lock);
    return NULL;
}

/* Being woken for each row would cost a short point's time. */
static void wait_for_rows(struct ahead *ahead)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&ahead->many, &ahead->lock, &until);
}

static void begin_threads(struct ahead *ahead)
{
    unsigned wanted =
        ahead->points.count < ahead->threads ? (unsigned)ahead->points.count : ahead->threads;
    while (wanted > 1 && ahead->started < wanted) {
        struct worker *worker = &ahead->workers[ahead->started];
        if (!thread_begin(&worker->thread, ahead->started + 1, wanted, work, worker))
            break; /* fewer threads than wanted do the same work */
        ahead->started++;
    }
}

struct ahead *ahead_new(const struct ahead_points *points, unsigned threads,
                        struct progress *progress)
{
    struct ahead *ahead = must_alloc(1, sizeof *ahead);
    *ahead =
        (struct ahead){.points = *points, .threads = threads_of(threads), .progress = progress};
    ahead->room = (uint64_t)HELD_PER_THREAD * ahead->threads;
    ahead->held = must_alloc(ahead->room, sizeof(struct held *));
    ahead->workers = must_alloc(ahead->threads, sizeof *ahead->workers);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&ahead->many, &clock);
    pthread_condattr_destroy(&clock);
    pthread_cond_init(&ahead->room_again, NULL);
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_mutex_init(&ahead->terminal, NULL);
    for (unsigned i = 0; i < ahead->threads; i++)
        ahead->workers[i].ahead = ahead;
    begin_threads(ahead);
    return ahead;
}

void ahead_free(struct ahead *ahead)
{
    if (ahead == NULL)
        return;
    pthread_mutex_lock(&ahead->lock);
    ahead->closing = true;
    pthread_cond_broadcast(&ahead->room_again);
    pthread_mutex_unlock(&ahead->lock);
    for (unsigned i = 0; i < ahead->started; i++)
        pthread_join(ahead->workers[i].thread, NULL);
    take_back(ahead->lent);
    for (uint64_t i = 0; i < ahead->room; i++)
        take_back(ahead->held[i]);
    for (unsigned i = 0; i < ahead->threads; i++)
        free_spent(ahead->workers[i].spent);
    pthread_cond_destroy(&ahead->many);
    pthread_cond_destroy(&ahead->room_again);
    pthread_mutex_destroy(&ahead->terminal);
    pthread_mutex_destroy(&ahead->lock);
    free(ahead->held);
    free(ahead->workers);
    free(ahead);
}

struct ran *ahead_next(struct ahead *ahead)
{
    BUG_IF(ahead->next == ahead->points.count);
    pthread_mutex_lock(&ahead->lock);
    take_back(ahead->lent);
    struct held **held = &ahead->held[ahead->next % ahead->room];
    while (*held == NULL) {
        if (ahead->started == 0)
            run_next(&ahead->workers[0]);
        else /* a point that it ran itself could keep back rows that are done */
            wait_for_rows(ahead);
    }
    ahead->lent = *held;
    *held = NULL;
    ahead->next++;
    ahead->ready--;
    pthread_cond_broadcast(&ahead->room_again);
    pthread_mutex_unlock(&ahead->lock);
    return &ahead->lent->ran;
}

void ahead_quiet(struct ahead *ahead)
{
    pthread_mutex_lock(&ahead->terminal);
    if (ahead->progress != NULL)
        progress_end(ahead->progress);
}

void ahead_loud(struct ahead *ahead)
{
    pthread_mutex_unlock(&ahead->terminal);
}
