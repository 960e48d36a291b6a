/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TESTS_RANDOM_QUESTION_H
#define DUETIME_TESTS_RANDOM_QUESTION_H

/* Questions to the laws of random scenarios, asked without a scenario file. */

#include "models/laws/law.h"
#include "models/loads/load.h"
#include "models/policies/late.h"
#include "models/stalls/stall.h"

/* A question with all it points to; starts as zeros. */
struct asked {
    struct server server;
    struct stall stall;
    struct constant constant;
    struct exponential exponential;
    struct load_plan load;
    struct open_load open;
    struct closed_load closed;
    struct paced_load paced;
    struct catch_up catch_up;
    struct run_plan run;
    struct law_question q;
};

/* Who sends: one worker, unlimited queue, from due to the answer, until changed. */
void offer_open(struct asked *a, const struct arrivals_type *arrivals_type, ns_t every_ns);
void offer_open_rate(struct asked *a, const struct arrivals_type *arrivals_type, const char *per_s);
void offer_closed(struct asked *a, uint64_t clients);
void offer_paced(struct asked *a, ns_t every_ns, uint64_t connections);

/* Who serves. */
void serve_exponential(struct asked *a, ns_t mean_ns);
void serve_constant(struct asked *a, ns_t value_ns);

/* The law of that name must be the one found; the caller frees it. */
struct law found(const struct asked *a, const char *name);

/* There must be no law, for a reason with that word. */
void refused(const struct asked *a, const char *word);

void near(double got, double wanted, double relative);
struct ratio level(const char *percent);
double quantile(const struct law *law, const char *percent);

/* Every percentile's whole ns must be the first at which its share is reached. */
void percentiles_are_first(const struct law *law);

#endif
