/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/conform/schedule_looks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What there is to see, counted over the requests of the schedule. */
struct looks {
    const struct offered *offered;
    const struct schedule_run *seen, *right, *later;
    size_t count;
    size_t due_right, due_sent, due_later, due_sooner; /* claims: right; as sent; off */
    size_t sent_early, sent_late, numbers_gone, beyond;
    size_t same_instant; /* sent together with the one before */
    size_t at_answer;    /* sent at an answer's instant, and not when due */
    size_t busy;         /* sent before the answer of the one before on its connection */
    size_t most_in_flight;
    uint64_t highest;
    ns_t median_gap_ns;                              /* between due instants, in order */
    ns_t offset_ns, offset_least_ns, offset_most_ns; /* the last, the least, the most */
    size_t offset_steps;  /* how often the distance from the schedule grows, by connection */
    ns_t *last_offset_ns; /* of each connection; owned */
};

static int ascending(const void *left, const void *right)
{
    const ns_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static ns_t *column(const struct schedule_run *run, bool finished)
{
    ns_t *ns = must_alloc(run->count, sizeof *ns);
    for (size_t i = 0; i < run->count; i++)
        ns[i] = finished ? run->rows[i].finished_ns : run->rows[i].due_ns;
    qsort(ns, run->count, sizeof *ns, ascending);
    return ns;
}

static void look_at_gaps(struct looks *l)
{
    ns_t *due_ns = column(l->seen, false);
    for (size_t i = 0; i + 1 < l->count; i++)
        due_ns[i] = due_ns[i + 1] - due_ns[i];
    if (l->count > 1) {
        qsort(due_ns, l->count - 1, sizeof *due_ns, ascending);
        l->median_gap_ns = due_ns[(l->count - 1) / 2];
    }
    free(due_ns);
}

static void look_at_flight(struct looks *l)
{
    ns_t *finished_ns = column(l->seen, true);
    size_t gone = 0;
    for (size_t i = 0; i < l->count; i++) {
        const struct schedule_row *row = &l->seen->rows[i];
        while (gone < l->count && finished_ns[gone] <= row->sent_ns)
            gone++;
        size_t flight = i + 1 - (gone < i ? gone : i);
        l->most_in_flight = flight > l->most_in_flight ? flight : l->most_in_flight;
        l->same_instant += i > 0 && l->seen->rows[i - 1].sent_ns == row->sent_ns;
        bool answer = gone > 0 && finished_ns[gone - 1] == row->sent_ns;
        l->at_answer += answer;
    }
    free(finished_ns);
}

/* Against the slot of its number. */
static void look_at_row(struct looks *l, const struct schedule_row *row)
{
    const struct offered *o = l->offered;
    l->due_sent += row->due_ns == row->sent_ns;
    l->highest = row->number > l->highest ? row->number : l->highest;
    if (row->number >= o->slots) {
        l->beyond++;
        return;
    }
    ns_t right_ns = schedule_due_ns(o, row->number);
    ns_t offset_ns = row->due_ns > right_ns ? row->due_ns - right_ns : 0;
    bool right = schedule_due_is(o, row->number, row->due_ns);
    l->due_right += right;
    l->due_later += !right && row->due_ns > right_ns;
    l->due_sooner += !right && row->due_ns < right_ns;
    l->sent_early += row->sent_ns < right_ns;
    l->sent_late += row->sent_ns > right_ns;
    ns_t *last_ns = &l->last_offset_ns[row->number % o->connections];
    l->offset_steps += offset_ns > *last_ns;
    *last_ns = l->offset_ns = offset_ns;
    l->offset_least_ns = offset_ns < l->offset_least_ns ? offset_ns : l->offset_least_ns;
    l->offset_most_ns = offset_ns > l->offset_most_ns ? offset_ns : l->offset_most_ns;
}

static void look(struct looks *l)
{
    l->count = l->seen->count;
    l->offset_least_ns = NS_LIMIT;
    l->last_offset_ns = must_alloc(l->offered->connections, sizeof *l->last_offset_ns);
    for (size_t i = 0; i < l->count; i++)
        look_at_row(l, &l->seen->rows[i]);
    free(l->last_offset_ns);
    look_at_gaps(l);
    look_at_flight(l);
}

/* The largest round unit that every claimed instant is a multiple of, though not every slot. */
static ns_t common_unit_ns(const struct looks *l, bool of_sends)
{
    static const ns_t units_ns[] = {NS_PER_S,        100 * NS_PER_MS, 10 * NS_PER_MS, NS_PER_MS,
                                    100 * NS_PER_US, 10 * NS_PER_US,  NS_PER_US};
    for (size_t u = 0; u < sizeof units_ns / sizeof units_ns[0]; u++) {
        size_t fit = 0, right = 0;
        for (size_t i = 0; i < l->count; i++)
            fit +=
                (of_sends ? l->seen->rows[i].sent_ns : l->seen->rows[i].due_ns) % units_ns[u] == 0;
        for (size_t i = 0; i < l->right->count; i++)
            right += l->right->rows[i].due_ns % units_ns[u] == 0;
        if (fit == l->count && right < l->right->count)
            return units_ns[u];
    }
    return 0;
}

/* Every due instant is said as it should be. */
static const char *looks_of_sends(const struct looks *l)
{
    const struct offered *o = l->offered;
    if (l->beyond > 0)
        return "one-too-many";
    if (l->seen->count < l->right->count) {
        bool tail = l->highest + 1 == l->count;
        size_t gone = l->right->count - l->seen->count;
        return !tail ? "skips" : gone <= o->connections ? "one-too-few" : "gives-up";
    }
    if (l->seen->count > l->right->count)
        return "catches-up";
    if (o->window != UINT64_MAX && l->most_in_flight > o->window)
        return l->most_in_flight > 2 * o->window ? "no-window" : "wrong-window";
    if (o->window != UINT64_MAX && l->most_in_flight < o->window)
        return l->most_in_flight > 1 ? "wrong-window" : "closed-loop";
    if (l->sent_early > 0)
        return "early";
    if (common_unit_ns(l, true) != 0)
        return "tick";
    if (!o->paced && l->at_answer > 0)
        return "closed-loop";
    return o->paced ? "limits" : "tick";
}

/* Claimed per second, over what was asked. */
static double rate_ratio(const struct looks *l)
{
    ns_t *due_ns = column(l->seen, false);
    double span = l->count > 1 ? (double)(due_ns[l->count - 1] - due_ns[0]) : 0.0;
    free(due_ns);
    double mean = l->offered->pace.den != 0
                      ? (double)l->offered->pace.num / (double)l->offered->pace.den
                      : (double)schedule_due_ns(l->offered, l->offered->slots - 1) /
                            (double)l->offered->slots;
    return span > 0.0 ? mean * (double)(l->count - 1) / span : NAN;
}

static bool is_about(double a, double b)
{
    return fabs(a - b) < 1e-4 * b;
}

static const char *looks_of_rate(const struct looks *l, double ratio)
{
    const struct offered *o = l->offered;
    static const double units[] = {1000.0, 1e-3, 1e6, 1e-6, 60.0, 1.0 / 60.0};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (fabs(ratio - units[i]) < 0.02 * units[i])
            return "unit";
    double whole = ratio >= 1.0 ? ratio : 1.0 / ratio;
    if (whole > 1.5 && fabs(whole - round(whole)) < 0.02 * whole)
        return "per-connection";
    double rate = o->pace.den != 0 ? 1e9 * (double)o->pace.den / (double)o->pace.num : NAN;
    for (double senders = 1.0; senders <= 16.0; senders++)
        if (is_about(ratio, senders * floor(rate / senders) / rate) ||
            is_about(ratio, senders * ceil(rate / senders) / rate))
            return "integer-rate";
    return NULL;
}

/* Ever later: by the schedule itself, or because each lateness is kept, which a clock that wakes
   late shows. */
static const char *slow(const struct looks *l)
{
    if (l->later == NULL || l->later->count != l->count)
        return "drift";
    ns_t *due_ns = column(l->seen, false), *later_ns = column(l->later, false);
    bool same = memcmp(due_ns, later_ns, l->count * sizeof *due_ns) == 0;
    free(due_ns);
    free(later_ns);
    return same ? "period" : "drift";
}

/* How many requests follow on the answer before them on their connection, or on its send, after the
   time that is the usual one. */
static size_t usual_gaps(const struct looks *l, bool after_answer)
{
    uint64_t connections = l->offered->connections;
    const struct schedule_row **last = must_alloc(connections, sizeof *last);
    ns_t *gaps_ns = must_alloc(l->count, sizeof *gaps_ns);
    size_t count = 0, usual = 0;
    for (size_t i = 0; i < l->count; i++) {
        const struct schedule_row *row = &l->seen->rows[i];
        const struct schedule_row **before = &last[row->number % connections];
        if (*before != NULL)
            gaps_ns[count++] =
                row->sent_ns - (after_answer ? (*before)->finished_ns : (*before)->sent_ns);
        *before = row;
    }
    qsort(gaps_ns, count, sizeof *gaps_ns, ascending);
    for (size_t i = 0; i < count; i++)
        usual += gaps_ns[i] == gaps_ns[count / 2];
    free(gaps_ns);
    free(last);
    return usual;
}

/* They are said to be due when they leave. */
static const char *looks_of_claims(const struct looks *l)
{
    const struct offered *o = l->offered;
    if (2 * l->offset_steps > l->count)
        return usual_gaps(l, true) > usual_gaps(l, false) ? "think" : slow(l);
    if (!o->paced && l->at_answer > l->due_right / 2 && l->most_in_flight == 1)
        return "closed-loop";
    return l->offset_ns == 0 && l->due_later > 0 ? "claims-now" : "rebases";
}

const char *schedule_looks(const struct offered *offered, const struct schedule_run *seen,
                           const struct schedule_run *right, const struct schedule_run *later)
{
    struct looks l = {.offered = offered, .seen = seen, .right = right, .later = later};
    if (seen->count == 0)
        return NULL;
    look(&l);
    if (l.due_right + l.beyond == l.count)
        return looks_of_sends(&l);
    if (l.due_right == 0 && l.offset_least_ns > 0 && l.offset_most_ns - l.offset_least_ns <= 2)
        return "first-late";
    double ratio = rate_ratio(&l);
    if (l.due_sooner > 0 && l.same_instant * 3 > l.count && fabs(ratio - 1.0) < 0.05 &&
        common_unit_ns(&l, false) == 0)
        return "in-phase";
    const char *by_rate = fabs(ratio - 1.0) > 0.005 ? looks_of_rate(&l, ratio) : NULL;
    bool even = l.median_gap_ns > 0 && l.due_later + l.due_sooner > l.count / 2;
    if (by_rate != NULL && (even || l.same_instant * 3 > l.count) && l.at_answer * 2 < l.count)
        return by_rate;
    if (common_unit_ns(&l, false) != 0)
        return "grain";
    if (l.highest + 1 == l.count && l.count < right->count && l.due_later > 0)
        return l.due_sent == l.count ? looks_of_claims(&l) : "uncounted";
    if (l.due_sent * 10 > l.count * 9)
        return looks_of_claims(&l);
    if (2 * l.offset_steps > l.count)
        return slow(&l);
    return l.due_later > 0 ? "rebases" : "period";
}

const char *schedule_looks_random(const struct offered *offered, const struct schedule_run *run)
{
    struct looks l = {.offered = offered, .seen = run, .count = run->count};
    size_t together = 0;
    ns_t *due_ns = column(run, false);
    for (size_t i = 1; i < run->count; i++)
        together += due_ns[i] == due_ns[i - 1];
    free(due_ns);
    if (run->count < 2)
        return NULL;
    if (5 * together > run->count)
        return "same-seed";
    double ratio = rate_ratio(&l);
    double whole = ratio >= 1.0 ? ratio : 1.0 / ratio;
    /* The mean of n gaps wanders by 1/sqrt(n): well within this from thirty on. */
    if (whole > 1.7 && whole < 20.0)
        return "per-connection";
    return whole >= 20.0 ? "unit" : "not-poisson";
}
