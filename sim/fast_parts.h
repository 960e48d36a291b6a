/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FAST_PARTS_H
#define DUETIME_FAST_PARTS_H

/* What the fast paths have in common: senders, claims, columns and totals.  Nothing else includes
   this. */

#include "models/loads/load.h"
#include "sim/engine.h"
#include "sim/pauses.h"

/* A load whose requests are sent in the order of their numbers: request i at the later of its due
   instant and, where there is a lag, the end of request i - lag and a think time more.  A lag is a
   window, connections in turn that catch up, or clients that wait; these have no schedule. */
struct senders {
    bool closed; /* due when they are sent */
    struct choice arrivals;
    struct pace pace;
    uint64_t lag;        /* 0: none */
    uint64_t clients;    /* they take turns */
    struct choice think; /* type NULL: none */
    ns_t patience_ns;    /* after the send; 0: it has no end */
    bool returns;        /* clients that wait, but send again in another order: no lag tells when */
    ns_t stagger_ns;     /* between their first sends */
};

/* False where the load is no such one. */
bool senders_of(const struct engine_request *request, struct senders *out);

/* The instants at which requests were over, for a while back; in order.  Of those over by seen_ns
   nobody asks any more when it was, but those that a lag reaches. */
struct history {
    ns_t *over_ns; /* owned */
    size_t count, capacity;
    ns_t seen_ns;
};

struct fast {
    const struct engine_request *request;
    const struct plan *plan;
    const struct server *server;
    struct engine_totals *totals;
    struct senders senders;
    struct arrival_cursor cursor;
    struct stream service_stream, think_stream;
    bool same_work, same_think; /* the column has it already, whatever the number */
    bool short_works;           /* below QUEUE_LONG_NS */
    uint64_t number;            /* of the next request: so many are claimed */
    uint64_t settling;          /* of these, what comes before the run has settled */
    struct history history;
    ns_t last_over_ns; /* of initial jobs too */

    uint64_t *columns; /* owned: those that follow, of BATCH_ROWS each, beginning as a line of the
                          cache does */
    ns_t *due_ns, *work_ns, *think_ns, *sent_ns, *started_ns, *done_ns;
    ns_t *worked_ns, *begin_worked_ns, *waited_stalled_ns, *served_stalled_ns;
    uint64_t *client;
    uint8_t *status;
};

/* Columns of zeros. */
extern const ns_t fast_zeros[BATCH_ROWS];

/* A run before its first row; fast_close releases what it owns. */
void fast_open(struct fast *fast, const struct engine_request *request,
               struct engine_totals *totals);
void fast_close(struct fast *fast);

/* How many rows the next batch may have, and one more to see where the run ends. */
size_t fast_wanted(const struct fast *fast);

/* Claims the next requests by their due instants, which never go back: how many of them the run
   has.  Fewer than asked: it is over, and the window's end is known. */
size_t fast_claim(struct fast *fast, const ns_t *due_ns, size_t count);

/* The columns of works and of think times before each send, or where clients return in another
   order after each answer; false where some are so long that their
   sum might not fit. */
bool fast_draw(struct fast *fast, size_t count);

/* How long a client thinks after request k, of those whose order it changes. */
ns_t fast_think_ns(const struct fast *fast, uint64_t k);

/* Where the next rows write when they are over, BATCH_ROWS of them; what is before stays for as far
   back as anybody looks. */
ns_t *history_room(struct fast *fast);
void history_push(struct fast *fast, ns_t over_ns);

/* Counts work that was done from its beginning to its end. */
void fast_count_work(struct fast *fast, u128 work_ns);

/* Counts claimed rows that are sent then, in order. */
void fast_count_sent(struct fast *fast, const ns_t *sent_ns, size_t rows);

/* Counts the time that they are in flight, over then, none later than latest_ns.  sum_ns: that of
   over - sent, modulo 2^64, if it is known; else NULL. */
void fast_count_time(struct fast *fast, const ns_t *sent_ns, const ns_t *over_ns, ns_t latest_ns,
                     const uint64_t *sum_ns, size_t rows);

/* Counts the most that are.  history_ns is the column of ends, in order, at the place of the first
   of them; it goes as far back as history_room says. */
void fast_count_most(struct fast *fast, const ns_t *sent_ns, const ns_t *history_ns, size_t rows);

/* Both of rows each of which is over, after so long a time, when the next one is sent, and so
   is all that was before them. */
void fast_count_alone(struct fast *fast, ns_t each_ns, size_t rows);

/* Hands rows that stood in the columns on; false when the consumer's owner says stop. */
bool fast_hand_on(struct fast *fast, struct batch *batch);

/* An initial job that was over then. */
void fast_count_initial(struct fast *fast, ns_t work_ns, ns_t over_ns);

/* ---- the shapes ---- */

bool fast_line_accepts(const struct engine_request *request);
enum engine_end fast_line_run(const struct engine_request *request, struct engine_totals *totals);
bool fast_crew_accepts(const struct engine_request *request);
enum engine_end fast_crew_run(const struct engine_request *request, struct engine_totals *totals);
bool fast_copies_accepts(const struct engine_request *request);
enum engine_end fast_copies_run(const struct engine_request *request, struct engine_totals *totals);

#endif
