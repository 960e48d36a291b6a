/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What constant service on an even schedule must show, from the runs of lanes.h. */

#include "models/laws/lanes.h"
#include "models/laws/mechanisms.h"
#include "models/policies/late.h"

/* What is collected: to - from of the requests from number `first` on. */
struct wanted {
    enum instant from, to;
    uint64_t first;
    struct multiset *out;
};

/* Requests that go in step: request k of a lane is the first of `count`. */
struct piece {
    uint64_t lane, k, count;
    struct instants sent, start, done;
};

static struct instants instants_of(const struct piece *piece, enum instant which)
{
    switch (which) {
    case INSTANT_DUE: break;
    case INSTANT_ACQUIRED:
    case INSTANT_SENT: return piece->sent;
    case INSTANT_STARTED: return piece->start;
    case INSTANT_FINISHED: return piece->done;
    }
    return (struct instants){true, 0, 0};
}

/* The values of a piece from its j-th request on.  An instant less a due instant is
   x - floor(y) = ceil(x - y), which is what a progression holds.  Once an instant of a request has
   left its due instant behind, no later one goes back to it. */
static struct progression values_of(const struct schedule *s, const struct piece *piece,
                                    const struct wanted *want, uint64_t j)
{
    struct instants from = instants_of(piece, want->from), to = instants_of(piece, want->to);
    i128 den = s->pace.den, due = due_num(s, piece->lane, piece->k + j);
    struct progression p = {((i128)to.at_ns - (i128)from.at_ns) * den, 0, piece->count - j, 1};
    p.first += ((i128)to.step_ns - (i128)from.step_ns) * (i128)j * den;
    p.step = ((i128)to.step_ns - (i128)from.step_ns) * den;
    BUG_IF(to.after_due && !from.after_due);
    if (from.after_due && !to.after_due) {
        p.first -= due;
        p.step -= due_step(s);
    }
    return p;
}

static void take_piece(const struct schedule *s, const struct piece *piece,
                       const struct wanted *want)
{
    u128 request = (u128)piece->lane + (u128)piece->k * s->lane_count;
    u128 skip =
        want->first > request ? (want->first - request + s->lane_count - 1) / s->lane_count : 0;
    if (skip < piece->count)
        multiset_add(want->out, values_of(s, piece, want, (uint64_t)skip));
}

static struct instants instants_from(struct instants instants, uint64_t j)
{
    instants.at_ns += j * instants.step_ns;
    return instants;
}

static struct piece piece_from(struct piece piece, uint64_t j, uint64_t count)
{
    return (struct piece){piece.lane,
                          piece.k + j,
                          count,
                          instants_from(piece.sent, j),
                          instants_from(piece.start, j),
                          instants_from(piece.done, j)};
}

/* The piece's requests are let go by `freed`.  Those freed after their due instant leave then; lag
   is a line, so these are one end of the piece. */
static void take_freed(const struct schedule *s, struct piece piece, struct instants freed,
                       const struct wanted *want)
{
    i128 lag = (i128)freed.at_ns * s->pace.den - due_num(s, piece.lane, piece.k);
    i128 step = (i128)freed.step_ns * s->pace.den - due_step(s);
    i128 cut = piece.count; /* requests before the split */
    if (lag > 0 && step < 0)
        cut = ceil_div(lag, -step);
    else if (lag <= 0 && step > 0)
        cut = floor_div(-lag, step) + 1;
    uint64_t head = cut < piece.count ? (uint64_t)cut : piece.count;
    struct piece early = piece_from(piece, 0, head);
    struct piece late = piece_from(piece, head, piece.count - head);
    if (lag > 0)
        early.sent = freed;
    else
        late.sent = instants_from(freed, head);
    take_piece(s, &early, want);
    take_piece(s, &late, want);
}

/* A lane beside the lane that frees its requests, each by the one a window earlier.  An answer that
   kept an idle server's time came before the freed request was due. */
static void take_lane(const struct schedule *s, uint64_t lane, const struct wanted *want)
{
    uint64_t length = lane_length(s, lane), unfreed = length;
    const struct run *run = s->lanes[lane].runs, *freeing = NULL;
    uint64_t partner = 0; /* number, in the freeing lane, of the one that frees `unfreed` */
    if (s->window < s->requests) {
        unfreed = lane < s->window ? (s->window - lane - 1) / s->lane_count + 1 : 0;
        i128 first = (i128)lane + (i128)unfreed * s->lane_count - (i128)s->window;
        freeing = s->lanes[first % s->lane_count].runs;
        partner = (uint64_t)(first / s->lane_count);
    }
    for (uint64_t k = 0; k < length;) {
        uint64_t j = k - run->first, count = run->count - j;
        struct instants freed = {true, 0, 0};
        if (k < unfreed && unfreed - k < count)
            count = unfreed - k;
        if (k >= unfreed) {
            uint64_t by = partner + (k - unfreed);
            while (by - freeing->first >= freeing->count)
                freeing++;
            freed = instants_from(freeing->done, by - freeing->first);
            if (freeing->first + freeing->count - by < count)
                count = freeing->first + freeing->count - by;
        }
        struct piece whole = {lane, run->first, run->count, {true, 0, 0}, run->start, run->done};
        struct piece piece = piece_from(whole, j, count);
        if (freed.after_due)
            take_piece(s, &piece, want);
        else
            take_freed(s, piece, freed, want);
        k += count;
        if (k == run->first + run->count)
            run++;
    }
}

static void collect(const struct schedule *s, struct wanted want)
{
    for (uint64_t lane = 0; lane < s->lane_count; lane++)
        take_lane(s, lane, &want);
    multiset_seal(want.out);
}

/* Pace and window of the loads this law knows; false, and why, for others. */
static bool load_of(struct schedule *s, const struct load_plan *load, char why[LAW_WHY_SIZE])
{
    if (load->kind.type == &load_open.is) {
        const struct open_load *open = load->kind.params;
        if (open->arrivals.type != &arrivals_even.is)
            return law_refuses(why, "The arrivals are not even.");
        s->pace = pace_of(open->rate_per_s, open->every_ns);
        s->window = open->max_in_flight;
        return true;
    }
    if (load->kind.type != &load_paced.is)
        return law_refuses(why, LAW_ELSEWHERE "an even schedule.");
    const struct paced_load *paced = load->kind.params;
    if (paced->late.type != &late_catch_up.is)
        return law_refuses(why,
                           LAW_ELSEWHERE "a schedule whose late slots are all sent, back to back.");
    if (((const struct catch_up *)paced->late.params)->factor.num != 0)
        return law_refuses(why, "The pace of catching up is limited, and no law here knows how "
                                "long the rest then waits.");
    s->pace = pace_of(paced->rate_per_s, paced->every_ns);
    s->window = paced->connections;
    return true;
}

/* Walks all lanes and fills the multiset; false, and why, when the walk or a timeout forbids it. */
static bool answer(struct schedule *s, const struct law_question *q, struct multiset *out,
                   char why[LAW_WHY_SIZE])
{
    lanes_walk(s);
    if (s->time.fault != NULL)
        return law_refuses(why, s->time.fault);
    if (q->load->timeout_ns > 0) {
        struct multiset from_send;
        multiset_init(&from_send, s->pace.den);
        collect(s, (struct wanted){INSTANT_SENT, INSTANT_FINISHED, 0, &from_send});
        ns_t longest_ns = multiset_max(&from_send);
        multiset_free(&from_send);
        if (longest_ns > q->load->timeout_ns)
            return law_refuses(why, "Some answers come after the client's timeout.");
    }
    u128 first = slots_before(s->pace, q->warmup_ns);
    multiset_init(out, s->pace.den);
    collect(s, (struct wanted){q->from, q->to, first < s->requests ? (uint64_t)first : s->requests,
                               out});
    return true;
}

static bool exact(const struct law_question *q, struct multiset *out, char why[LAW_WHY_SIZE])
{
    struct schedule s = {.lanes = NULL};
    if (!load_of(&s, q->load, why) || !slots_in_run(s.pace, q->run, &s.requests, why) ||
        !timeline_open(&s.time, q, why))
        return false;
    bool known = answer(&s, q, out, why);
    lanes_free(&s);
    timeline_close(&s.time);
    return known;
}

const struct law_type law_schedule = {
    .is = {"schedule", "constant service on an even schedule, with stalls: exact", NULL, 0, 0,
           NULL},
    .formula = "start(i) = first free instant >= max(due(i), done(i - min(c, W))), "
               "done(i) = H(A^-1(A(start(i)) + S)), sent(i) = max(due(i), done(i - W)); "
               "one worker, stall at b, S < tau: b + D + S - due, falling by tau - S a request",
    .symbols = "due(i) = floor(i tau) ns, tau interval (ns), S service (ns), c workers, W window "
               "or connections, A(t) time up to t not suspended (ns), H(t) the end of the blackout "
               "that began before t "
               "and lasts beyond it, else t, b begin, D length of a stall (ns)",
    .domain =
        "constant service; even open load, with or without max_in_flight, or paced load that "
        "catches up back to back; suspend, gate and blackout stalls; first come, first served, no "
        "queue limit, no answer after a timeout, no cut",
    .source = "(max,+) recursion of a first come, first served queue: Baccelli et al., "
              "Synchronization and Linearity (1992)",
    .check = "S = 100 us, tau = 200 us, stalls of 200 ms from 0.5 s each second, n = 100000: each "
             "of 20 stalls delays 2000 requests by 200100 us falling by 100 us, so the 1001st "
             "largest is 200100 - 100 * 50 = 195100 us",
    .knows = KNOWS(TIMEOUT_CANCEL),
    .exact = exact,
};
