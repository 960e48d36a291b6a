/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/fast_patience.h"

#include <stdlib.h>
#include <string.h>

#include "sim/queue_kernels.h"

void patience_close(struct patience *p)
{
    free(p->answers.at_ns);
    free(p->endings.at_ns);
    free(p->sent.at_ns);
    free(p->done.at_ns);
}

/* One more, for what ends a list. */
static void make_room(struct instants *in, size_t more)
{
    if (in->end + more < in->room)
        return;
    size_t over = in->next < in->end ? in->next : in->end;
    if (over > 0)
        memmove(in->at_ns, in->at_ns + over, (in->end - over) * sizeof *in->at_ns);
    in->next -= over;
    in->end -= over;
    if (in->end + more >= in->room / 2) {
        in->room = 2 * (in->end + more + 1);
        in->at_ns = must_grow(in->at_ns, in->room, sizeof *in->at_ns);
    }
}

static void count_most(struct patience *p, struct fast *f, const ns_t *sent_ns, const ns_t *done_ns,
                       size_t rows)
{
    struct instants *answers = &p->answers, *endings = &p->endings;
    const ns_t *answers_ns = answers->at_ns, *endings_ns = endings->at_ns;
    size_t answered = answers->next, ended = endings->next;
    uint64_t before = p->in_flight + answered + ended, most = f->totals->in_flight_max;
    answers->at_ns[answers->end] = endings->at_ns[endings->end] = UINT64_MAX;
    for (size_t i = 0; i < rows; i++) {
        while (answers_ns[answered] <= sent_ns[i])
            answered++;
        while (endings_ns[ended] <= sent_ns[i])
            ended++;
        uint64_t there = before + 1 - answered - ended;
        most = there > most ? there : most;
        before += done_ns[i] > sent_ns[i];
    }
    f->totals->in_flight_max = most;
    p->in_flight = before - answered - ended;
    answers->next = answered;
    endings->next = ended;
}

static void add(struct instants *in, const ns_t *at_ns, size_t rows)
{
    make_room(in, rows);
    memcpy(in->at_ns + in->end, at_ns, rows * sizeof *at_ns);
    in->end += rows;
}

void patience_sent(struct patience *p, const ns_t *sent_ns, const ns_t *done_ns, size_t rows)
{
    add(&p->sent, sent_ns, rows);
    add(&p->done, done_ns, rows);
}

/* One that takes no time at all is there at its own send alone, and none of the answers. */
static void add_answers(struct patience *p, ns_t patience_ns, const ns_t *sent_ns,
                        const ns_t *done_ns, size_t rows)
{
    struct instants *answers = &p->answers;
    make_room(answers, rows);
    for (size_t i = 0; i < rows; i++) {
        answers->at_ns[answers->end] = done_ns[i];
        answers->end += done_ns[i] > sent_ns[i] && done_ns[i] - sent_ns[i] <= patience_ns;
    }
}

static void count_rows(struct patience *p, struct fast *f, const ns_t *sent_ns, const ns_t *done_ns,
                       size_t rows)
{
    struct instants *endings = &p->endings;
    ns_t patience_ns = f->senders.patience_ns;
    uint64_t gave_up =
        queue_kernels()->give_up(sent_ns, done_ns, patience_ns, p->over_ns, p->gave_up, rows);
    f->totals->timed_out += gave_up;
    f->totals->wasted += gave_up;
    make_room(endings, rows);
    for (size_t i = 0; i < rows; i++) {
        p->last_over_ns = p->over_ns[i] > p->last_over_ns ? p->over_ns[i] : p->last_over_ns;
        endings->at_ns[endings->end] = p->over_ns[i];
        endings->end += p->gave_up[i];
    }
    fast_count_time(f, sent_ns, p->over_ns, sent_ns[rows - 1] + patience_ns, NULL, rows);
    if (!f->request->again)
        count_most(p, f, sent_ns, done_ns, rows);
}

void patience_over(struct patience *p, struct fast *f, const ns_t *sent_ns, const ns_t *done_ns,
                   size_t rows)
{
    add_answers(p, f->senders.patience_ns, sent_ns, done_ns, rows);
    count_rows(p, f, p->sent.at_ns + p->sent.next, p->done.at_ns + p->done.next, rows);
    p->sent.next += rows;
    p->done.next += rows;
}

const ns_t *patience_leave(struct patience *p, struct fast *f, const ns_t *sent_ns,
                           const ns_t *done_ns, size_t rows, bool *answered)
{
    uint64_t gave_up = 0;
    size_t last = rows;
    if (f->senders.patience_ns > 0)
        gave_up = queue_kernels()->give_up(sent_ns, done_ns, f->senders.patience_ns, p->over_ns,
                                           f->status, rows);
    while (gave_up > 0 && last > 0 && f->status[last - 1] != STATUS_ANSWERED)
        last--;
    if (last > 0)
        f->totals->last_answer_ns = done_ns[last - 1];
    f->totals->answered += rows - gave_up;
    *answered = gave_up == 0;
    return f->senders.patience_ns > 0 ? p->over_ns : done_ns;
}
