/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "sim/conform/schedule.h"
#include "sim/conform/schedule_looks.h"

/* What is compared: when requests were said to be due, and left; whatever their numbers. */
static int by_instant(const void *left, const void *right)
{
    const struct schedule_row *a = left, *b = right;
    if (a->sent_ns != b->sent_ns)
        return a->sent_ns < b->sent_ns ? -1 : 1;
    if (a->due_ns != b->due_ns)
        return a->due_ns < b->due_ns ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static bool near(ns_t a, ns_t b, ns_t slack_ns)
{
    return a <= b + slack_ns && b <= a + slack_ns;
}

/* 0: differ; 1: the same instants; 2: of the same numbers too.  Both sorted. */
static int alike(const struct schedule_run *a, const struct schedule_run *b, ns_t slack_ns)
{
    int like = 2;
    if (a->count != b->count || a->end == SCHEDULE_UNLIKE)
        return 0;
    for (size_t i = 0; i < a->count; i++) {
        const struct schedule_row *x = &a->rows[i], *y = &b->rows[i];
        if (!near(x->due_ns, y->due_ns, slack_ns) || !near(x->sent_ns, y->sent_ns, slack_ns))
            return 0;
        like = x->number != y->number ? 1 : like;
    }
    return like;
}

static void sort_rows(struct schedule_run *run)
{
    if (run->count > 1)
        qsort(run->rows, run->count, sizeof *run->rows, by_instant);
}

static struct schedule_run sorted_copy(const struct schedule_run *run)
{
    struct schedule_run copy = *run;
    copy.rows = must_alloc(run->count, sizeof *copy.rows);
    if (run->count > 0)
        memcpy(copy.rows, run->rows, run->count * sizeof *run->rows);
    sort_rows(&copy);
    return copy;
}

/* What a scheduler of that manner does in one round, sorted; as long as it is like `seen`, or NULL.
 */
static void run_round(const struct schedule_request *request, const struct manner *manner,
                      size_t round, const struct schedule_run *seen, struct schedule_run *out)
{
    struct schedule_request with = *request;
    with.like = seen;
    with.slack_ns = request->offered->pace.den > 1;
    with.late_ns = schedule_late_ns(request->offered, round);
    schedule_run_manner(&with, manner, out);
    sort_rows(out);
}

struct naming {
    const struct schedule_request *request;
    const struct schedule_run *runs;
    size_t rounds;
    ns_t slack_ns;
    size_t round;             /* the first in which it differs */
    struct schedule_run seen; /* there, sorted; owned */
    struct schedule_run right;
    struct schedule_suspects *out;
    int best; /* of the suspects so far */
};

static void add(struct naming *n, size_t fault, size_t way)
{
    const struct scheduler_type *type = scheduler(set_schedulers.variants[fault]);
    for (size_t i = 0; i < n->out->count; i++)
        if (n->out->items[i].fault == fault)
            return;
    n->out->items = must_grow(n->out->items, n->out->count + 1, sizeof *n->out->items);
    n->out->items[n->out->count++] = (struct schedule_suspect){
        fault, way, must_format("%s: %s (%s)", type->is.name, type->is.says, type->item)};
}

static bool manner_of(const struct offered *offered, size_t fault, size_t way, struct manner *out)
{
    const struct scheduler_type *type = scheduler(set_schedulers.variants[fault]);
    *out = schedule_right(offered);
    return way < type->ways && type->twists(offered, way, out) && out->senders > 0 &&
           out->senders <= SCHEDULE_CONNECTIONS_MOST &&
           (out->pace.den > 0 || out->listed_ns != NULL);
}

/* How well it does in the rounds behind the one that is looked at; 0: not at all, or there are
 * none.
 */
static int later_rounds(const struct naming *n, const struct manner *manner)
{
    int like = 0;
    for (size_t round = n->round + 1; round < n->rounds; round++) {
        struct schedule_run seen = sorted_copy(&n->runs[round]), run;
        run_round(n->request, manner, round, &seen, &run);
        like = alike(&run, &seen, n->slack_ns);
        schedule_run_free(&run);
        schedule_run_free(&seen);
    }
    return like;
}

/* One that gets the numbers or the later rounds right too puts out those that do not. */
static void try_way(struct naming *n, size_t fault, size_t way)
{
    struct manner manner;
    struct schedule_run run;
    if (!manner_of(n->request->offered, fault, way, &manner))
        return;
    run_round(n->request, &manner, n->round, &n->seen, &run);
    int like = alike(&run, &n->seen, n->slack_ns);
    if (like > 0)
        like = 3 * like + later_rounds(n, &manner);
    if (like > n->best) {
        schedule_suspects_free(n->out);
        n->best = like;
    }
    if (like > 0 && like == n->best && alike(&run, &n->right, 0) < 2)
        add(n, fault, way);
    schedule_run_free(&run);
}

static size_t fault_index(const char *name)
{
    for (size_t i = 0; i < set_schedulers.count; i++)
        if (strcmp(set_schedulers.variants[i]->name, name) == 0)
            return i;
    BUG("a fault of schedulers that is not in the list");
}

/* The round to look at, or the number of rounds: nothing differs. */
static size_t first_difference(struct naming *n, const struct schedule_run *runs, size_t rounds)
{
    struct manner right = schedule_right(n->request->offered);
    for (size_t round = 0; round < rounds; round++) {
        n->seen = sorted_copy(&runs[round]);
        run_round(n->request, &right, round, NULL, &n->right);
        if (alike(&n->seen, &n->right, n->slack_ns) < 2)
            return round;
        schedule_run_free(&n->seen);
        schedule_run_free(&n->right);
    }
    return rounds;
}

/* Of each fault the first ways are those that are met most. */
static int by_way(const void *left, const void *right)
{
    const struct schedule_suspect *a = left, *b = right;
    if (a->way != b->way)
        return a->way < b->way ? -1 : 1;
    return (a->fault > b->fault) - (a->fault < b->fault);
}

/* The same to the ns, else by what is seen of it. */
void schedule_name(const struct schedule_request *request, const struct schedule_run *runs,
                   size_t rounds, struct schedule_suspects *out)
{
    const struct offered *o = request->offered;
    *out = (struct schedule_suspects){0};
    struct naming n = {.request = request,
                       .runs = runs,
                       .rounds = rounds,
                       .slack_ns = o->pace.den > 1,
                       .out = out};
    if (o->random) {
        const char *name = schedule_looks_random(o, &runs[0]);
        if (name != NULL)
            add(&n, fault_index(name), NO_INDEX);
        return;
    }
    n.round = first_difference(&n, runs, rounds);
    if (n.round == rounds)
        return;
    for (size_t fault = 0; fault < set_schedulers.count; fault++)
        for (size_t way = 0; way < scheduler(set_schedulers.variants[fault])->ways; way++)
            if (request->stop == NULL || *request->stop == 0)
                try_way(&n, fault, way);
    if (out->count > 1)
        qsort(out->items, out->count, sizeof *out->items, by_way);
    if (out->count == 0) {
        const char *name =
            schedule_looks(o, &n.seen, &n.right, n.round + 1 < rounds ? &runs[n.round + 1] : NULL);
        if (name != NULL)
            add(&n, fault_index(name), NO_INDEX);
    }
    schedule_run_free(&n.seen);
    schedule_run_free(&n.right);
}

void schedule_suspects_free(struct schedule_suspects *suspects)
{
    for (size_t i = 0; i < suspects->count; i++)
        free(suspects->items[i].text);
    free(suspects->items);
    *suspects = (struct schedule_suspects){0};
}

bool schedule_separates(const struct schedule_request *request, const struct schedule_suspect *a,
                        const struct schedule_suspect *b)
{
    struct manner one, two;
    bool separates = false;
    if (!manner_of(request->offered, a->fault, a->way, &one) ||
        !manner_of(request->offered, b->fault, b->way, &two))
        return false;
    for (size_t round = 0; round < schedule_rounds(request->offered) && !separates; round++) {
        struct schedule_run first, second;
        run_round(request, &one, round, NULL, &first);
        run_round(request, &two, round, NULL, &second);
        separates = alike(&first, &second, 0) < 1;
        schedule_run_free(&first);
        schedule_run_free(&second);
    }
    return separates;
}
