/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "sim/check_gaps.h"
#include "sim/conform/schedule.h"
#include "sim/heap.h"

/* One round on its way through the judge. */
struct judging {
    const struct offered *offered;
    const struct schedule_run *run;
    struct schedule_judgement *out;
    size_t round;
    ns_t late_ns, slack_ns;
    uint8_t *seen; /* by number, those of the schedule */
};

/* The first difference of all is the one that is told. */
static void differ(struct judging *g, char *text)
{
    if (g->out->first == NULL) {
        g->out->first = text;
        g->out->first_round = g->round;
    } else {
        free(text);
    }
}

static void differ_due(struct judging *g, const struct schedule_row *row, ns_t right_ns)
{
    char said[32], right[32];
    duration_format(row->due_ns, said);
    duration_format(right_ns, right);
    g->out->due_wrong++;
    differ(g, must_format("request %" PRIu64 " is said to be due at %s; the schedule has it at %s",
                          row->number, said, right));
}

static void note_off(struct judging *g, uint64_t number, ns_t off_ns)
{
    if (off_ns <= g->out->off_ns)
        return;
    g->out->off_ns = off_ns;
    g->out->off_number = number;
}

/* Held to the instant from which it could leave; with a clock that is late, until it has rung. */
static void judge_send(struct judging *g, const struct schedule_row *row, ns_t right_ns)
{
    char sent[32], right[32];
    duration_format(row->sent_ns, sent);
    duration_format(right_ns, right);
    if (row->sent_ns + g->slack_ns < right_ns) {
        g->out->early++;
        note_off(g, row->number, right_ns - row->sent_ns);
        differ(g, must_format("request %" PRIu64 " left at %s, and was not to leave before %s",
                              row->number, sent, right));
    } else if (row->sent_ns > right_ns + g->late_ns + g->slack_ns) {
        g->out->late++;
        note_off(g, row->number, row->sent_ns - right_ns);
        differ(g, must_format("request %" PRIu64 " left at %s, and could have left at %s",
                              row->number, sent, right));
    }
}

static void judge_extra(struct judging *g, const struct schedule_row *row)
{
    g->out->extra++;
    differ(g, must_format("request %" PRIu64 " was sent, and the schedule has no such slot",
                          row->number));
}

static void note_drift(struct judging *g, uint64_t number, ns_t due_ns, ns_t right_ns)
{
    ns_t drift_ns = due_ns > right_ns ? due_ns - right_ns : right_ns - due_ns;
    if (drift_ns <= g->out->drift_ns)
        return;
    g->out->drift_ns = drift_ns;
    g->out->drift_number = number;
}

/* When the next one may leave: due, and fewer than the window in flight. */
static ns_t window_opens(struct heap *flight, uint64_t window, ns_t due_ns)
{
    ns_t at_ns = due_ns;
    while (flight->count > 0 && flight->items[0].high <= at_ns)
        heap_pop(flight);
    while (flight->count >= window) {
        ns_t free_ns = heap_pop(flight).high;
        at_ns = free_ns > at_ns ? free_ns : at_ns;
    }
    return at_ns;
}

static void judge_open_row(struct judging *g, const struct schedule_row *row, struct heap *flight)
{
    const struct offered *o = g->offered;
    ns_t due_ns = row->due_ns;
    if (row->number >= o->slots) {
        judge_extra(g, row);
        return;
    }
    g->seen[row->number] = 1;
    if (!o->random) {
        ns_t right_ns = schedule_due_ns(o, row->number);
        note_drift(g, row->number, due_ns, right_ns);
        if (!schedule_due_is(o, row->number, due_ns)) {
            differ_due(g, row, right_ns);
            due_ns = right_ns;
        }
    }
    ns_t opens_ns = window_opens(flight, o->window, due_ns);
    judge_send(g, row, opens_ns);
    heap_push(flight, (struct node){row->finished_ns, row->number, 0});
}

static void judge_missing(struct judging *g, uint64_t number)
{
    char due[32] = "";
    if (!g->offered->random)
        duration_format(schedule_due_ns(g->offered, number), due);
    g->out->missing++;
    differ(g, must_format("request %" PRIu64 "%s%s%s was never sent", number,
                          due[0] != '\0' ? ", due at " : "", due, due[0] != '\0' ? "," : ""));
}

static void judge_open(struct judging *g)
{
    struct heap flight = {0};
    uint64_t highest = 0;
    for (size_t i = 0; i < g->run->count; i++) {
        const struct schedule_row *row = &g->run->rows[i];
        judge_open_row(g, row, &flight);
        if (i > 0 && row->number < highest && row->sent_ns > g->run->rows[i - 1].sent_ns) {
            g->out->late++;
            differ(g, must_format("request %" PRIu64 " left after request %" PRIu64, row->number,
                                  highest));
        }
        highest = row->number > highest ? row->number : highest;
    }
    for (uint64_t i = 0; i < g->offered->slots; i++)
        if (!g->seen[i])
            judge_missing(g, i);
    free(flight.items);
}

/* A connection of the paced load, as the judge follows it. */
struct line {
    struct connection is;
    ns_t free_ns;
    bool lost; /* its last request has no answer: nothing more is known */
};

static bool within(const struct offered *o, uint64_t slot, ns_t due_ns)
{
    return (o->requests == 0 || slot < o->requests) &&
           (o->duration_ns == 0 || due_ns < o->duration_ns);
}

/* Slots that the policy gives up, as far as the run has them. */
static void give_up(struct judging *g, struct line *line, uint64_t slots)
{
    for (uint64_t k = 0; k < slots; k++) {
        uint64_t slot = line->is.slot;
        if (!within(g->offered, slot, pace_due(line->is.pace, slot)))
            return;
        g->out->given_up++;
        g->seen[slot] = 1;
        line->is.slot += line->is.stride;
    }
}

/* The row's number against the slot that was to be sent. */
static bool judge_number(struct judging *g, const struct line *line, const struct schedule_row *row)
{
    uint64_t expected = line->is.slot;
    if (row->number == expected)
        return true;
    differ(g, must_format("request %" PRIu64 " was sent where slot %" PRIu64
                          " of the schedule was to be",
                          row->number, expected));
    if (row->number < expected)
        g->out->extra++;
    return false;
}

static void judge_paced_due(struct judging *g, struct line *line, const struct schedule_row *row,
                            ns_t right_ns, bool *right)
{
    ns_t off_ns = row->due_ns > right_ns ? row->due_ns - right_ns : right_ns - row->due_ns;
    note_drift(g, row->number, row->due_ns, right_ns);
    *right = off_ns <= g->slack_ns;
    if (*right)
        return;
    differ_due(g, row, right_ns);
    ns_t plain_ns = pace_due(line->is.pace, row->number);
    line->is.shift_ns = row->due_ns > plain_ns ? row->due_ns - plain_ns : 0;
}

static void judge_paced_row(struct judging *g, struct line *line, const struct schedule_row *row)
{
    const struct offered *o = g->offered;
    struct late_step step = late_policy(o->late)->next(o->late.params, &line->is, line->free_ns);
    give_up(g, line, step.drop_before);
    if (row->number >= o->slots && !within(o, row->number, step.due_ns)) {
        judge_extra(g, row);
        return;
    }
    bool right;
    bool expected = judge_number(g, line, row);
    if (!expected)
        step.due_ns = pace_due(line->is.pace, row->number) +
                      (o->late.type == &late_rebase.is ? line->is.shift_ns : 0);
    judge_paced_due(g, line, row, step.due_ns, &right);
    if (row->client != row->number % o->connections)
        differ(g, must_format("request %" PRIu64 " left on connection %" PRIu64
                              ", and belongs to %" PRIu64,
                              row->number, row->client, row->number % o->connections));
    ns_t due_ns = right ? row->due_ns : step.due_ns;
    ns_t send_ns = step.send_ns > due_ns || !expected ? step.send_ns : due_ns;
    send_ns = send_ns > line->free_ns ? send_ns : line->free_ns;
    judge_send(g, row, send_ns);
    if (row->number < o->slots)
        g->seen[row->number] = 1;
    line->is.slot = row->number + line->is.stride;
    line->is.sent_ns = row->sent_ns;
    line->is.has_sent = true;
    if (expected)
        give_up(g, line, step.drop_after);
    line->free_ns = row->finished_ns;
    line->lost = row->finished_ns >= NS_LIMIT;
}

static void judge_paced(struct judging *g)
{
    const struct offered *o = g->offered;
    struct line *lines = must_alloc(o->connections, sizeof *lines);
    for (uint64_t j = 0; j < o->connections; j++)
        lines[j].is = (struct connection){.pace = o->pace, .stride = o->connections, .slot = j};
    for (size_t i = 0; i < g->run->count; i++) {
        struct line *line = &lines[g->run->rows[i].number % o->connections];
        if (!line->lost)
            judge_paced_row(g, line, &g->run->rows[i]);
    }
    for (uint64_t j = 0; j < o->connections; j++) {
        struct line *line = &lines[j];
        if (line->lost)
            continue;
        struct late_step step =
            late_policy(o->late)->next(o->late.params, &line->is, line->free_ns);
        give_up(g, line, step.drop_before);
    }
    /* A rebased schedule ends when its own duration is over, wherever its slots were to be. */
    for (uint64_t i = 0; i < o->slots; i++) {
        const struct line *line = &lines[i % o->connections];
        if (!g->seen[i] && within(o, i, pace_due(o->pace, i) + line->is.shift_ns))
            judge_missing(g, i);
    }
    free(lines);
}

/* Poisson arrivals have no instants to be held to, but a law. */
static void judge_chance(struct judging *g)
{
    const struct schedule_run *run = g->run;
    ns_t *due_ns = must_alloc(run->count, sizeof *due_ns);
    for (size_t i = 0; i < run->count; i++)
        due_ns[i] = run->rows[i].due_ns;
    double mean_ns = (double)g->offered->pace.num / (double)g->offered->pace.den;
    struct gaps_check check = check_gaps(due_ns, run->count, mean_ns);
    free(due_ns);
    g->out->chance_known = check.known;
    if (!check.known)
        return;
    g->out->p_rate = check.p_rate;
    g->out->p_gaps = check.p_gaps;
    g->out->p_order = check.p_order;
    const double p[] = {check.p_rate, check.p_gaps, check.p_order};
    static const char *const what[] = {"their mean rate is not the one asked for",
                                       "the gaps between them are not exponential",
                                       "the gaps between them are not independent"};
    for (size_t i = 0; i < 3; i++)
        if (p[i] < GAPS_LEVEL) {
            g->out->due_wrong++;
            differ(g, must_format("the arrivals are not poisson: %s (p = %.2g)", what[i], p[i]));
        }
}

static void fill_rates(const struct offered *o, const struct schedule_run *run,
                       struct schedule_judgement *out)
{
    ns_t first_ns = NS_LIMIT, last_ns = 0, last_sent_ns = 0;
    for (size_t i = 0; i < run->count; i++) {
        const struct schedule_row *row = &run->rows[i];
        first_ns = row->due_ns < first_ns ? row->due_ns : first_ns;
        last_ns = row->due_ns > last_ns ? row->due_ns : last_ns;
        last_sent_ns = row->sent_ns;
    }
    out->sent = run->count;
    double s = (double)NS_PER_S;
    out->offered_per_s = o->pace.den != 0 ? s * (double)o->pace.den / (double)o->pace.num : NAN;
    bool spans = run->count > 1 && last_ns > first_ns;
    out->claimed_per_s = spans ? s * (double)(run->count - 1) / (double)(last_ns - first_ns) : NAN;
    bool moves = run->count > 1 && last_sent_ns > run->rows[0].sent_ns;
    out->achieved_per_s =
        moves ? s * (double)(run->count - 1) / (double)(last_sent_ns - run->rows[0].sent_ns) : NAN;
}

void schedule_judge(const struct offered *offered, const struct schedule_run *runs, size_t rounds,
                    struct schedule_judgement *out)
{
    *out = (struct schedule_judgement){.slots = offered->slots};
    bool heard = true;
    for (size_t round = 0; round < rounds && out->first == NULL; round++) {
        uint64_t given_up = out->given_up;
        struct judging g = {.offered = offered, .run = &runs[round], .out = out, .round = round};
        g.late_ns = schedule_late_ns(offered, round);
        g.slack_ns = offered->pace.den > 1;
        g.seen = must_alloc(offered->slots, 1);
        if (offered->paced)
            judge_paced(&g);
        else
            judge_open(&g);
        if (offered->random && runs[round].end == SCHEDULE_ENDED)
            judge_chance(&g);
        free(g.seen);
        if (round > 0)
            out->given_up = given_up;
        heard = heard && runs[round].end == SCHEDULE_ENDED;
    }
    fill_rates(offered, &runs[0], out);
    out->conforms = heard && out->first == NULL;
}

void schedule_judgement_free(struct schedule_judgement *judgement)
{
    free(judgement->first);
    *judgement = (struct schedule_judgement){0};
}
