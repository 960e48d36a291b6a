/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_DOMAIN_H
#define DUETIME_DOMAIN_H

/* Questions that several random laws ask about a scenario before they answer. */

#include "models/arrivals/arrivals.h"
#include "models/laws/law.h"
#include "models/loads/load.h"

/* True where a request is one copy in one part: nothing is sent again, nothing fans out. */
bool domain_sends_once(const struct law_question *q, char why[LAW_WHY_SIZE]);

/* True where every request that is sent is served to its end: no timeout, no cut, no full queue. */
bool domain_serves_all(const struct law_question *q, char why[LAW_WHY_SIZE]);

/* True for one worker, first come first served, never stalled, that serves all; and for a single
   such server, not one of several replicas. */
bool domain_single_worker(const struct law_question *q, char why[LAW_WHY_SIZE]);
bool domain_single_server(const struct law_question *q, char why[LAW_WHY_SIZE]);

/* The pace of an open load's Poisson arrivals at a server, and at each of several replicas where
   they are Poisson there too, independent of the others: each request goes to a random one. */
bool domain_poisson_pace(const struct law_question *q, struct pace *out, char why[LAW_WHY_SIZE]);

/* Whether a stall has any length and strikes a server, not what lies before or behind it. */
bool domain_strikes_server(const struct stall *stall);

/* Whether a stall of any length stops work that has begun, or any service from beginning. */
bool domain_work_stops(const struct server *server);
bool domain_stalls(const struct server *server);
bool domain_holds_answers(const struct server *server); /* a blackout of any length */

/* Most requests a load ever has at the server; UNLIMITED for an open load without a window. */
uint64_t domain_most_in_flight(const struct load_plan *load);

/* Whether requests leave when they are due, so that due, acquired and sent are one instant. */
bool domain_sent_when_due(const struct load_plan *load);

/* Whether the time asked about runs from an instant of the schedule (due, and acquired or sent
   where they are the same) to the answer. */
bool domain_from_due(const struct law_question *q);

/* The same; false, and *why says that this law is of no other time. */
bool domain_whole_time(const struct law_question *q, char why[LAW_WHY_SIZE]);

/* Whether the time asked about starts when the request leaves the client. */
bool domain_from_send(const struct law_question *q);

/* Whether all the run's requests are asked about, and how many there are to be, or until when, is
   fixed: what the law of a run from an empty start needs to know. */
bool domain_counts_from_empty(const struct law_question *q);

/* Whether closed clients send again the instant they are answered. */
bool domain_no_think(const struct closed_load *load);

/* A single server's utilisation: work of mean service_ns every pace.num/pace.den ns. */
struct utilisation {
    double rho;    /* only * and /: it may steer a stationary start */
    double spare;  /* 1 - rho, exact to the last bit near rho = 1 too */
    double per_ns; /* arrivals a ns */
    bool stable;   /* rho < 1 */
};
struct utilisation domain_utilisation(struct pace pace, ns_t service_ns);

/* The utilisation of a stable single server with service_ns of mean work, at least 1 us of it. */
bool domain_stable(struct pace pace, ns_t service_ns, struct utilisation *out,
                   char why[LAW_WHY_SIZE]);

#endif
