/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FAULT_H
#define DUETIME_FAULT_H

/* Ways in which people's recorders are wrong.  A new one is one file here and one name in
   meson.build.  All run through one pipeline (pipeline.c), and a fault is a hook in it. */

#include "models/corrections/correction.h"
#include "models/plan.h"
#include "models/ranks/rank.h"

/* All requests of a run in the order in which a recorder is told of them: as they finish.  Borrowed
   columns; instants in ns. */
struct requests {
    size_t count;
    const ns_t *due, *acquired, *sent, *started, *finished;
    const uint8_t *status; /* enum status */
    const uint64_t *client;
};

/* What a recorder is asked for. */
struct asked {
    enum instant from;        /* its stopwatch starts there and stops at finished */
    enum failures failures;   /* what becomes of requests without an answer; `end` is as `timeout`:
                                 a recorder is told of no other end */
    struct choice correction; /* type NULL: none; with its interval in interval_ns */
    ns_t interval_ns;         /* of the correction, or of the schedule; 0: unknown */
    ns_t warmup_ns;           /* requests due before it are left out */
    struct choice rank;       /* which sample a percentile is */
    const struct percentile *percentiles; /* borrowed */
    size_t percentile_count;
    uint64_t connections; /* of the load; 0: no limit */
};

/* What a recorder says it found.  All times in ns, thousandths allowed; unknown where it does not
   say. */
struct said {
    bool known;
    i128 milli; /* thousandths of a ns */
};
struct report {
    bool has_count;
    uint64_t count;
    struct said min, max, mean, sum;
    struct said *percentiles; /* one a percentile asked for; owned: report_free */
    size_t percentile_count;
};

/* What a hook may look at. */
struct step {
    const struct requests *requests;
    const struct asked *asked; /* as the fault has changed it */
    uint64_t parameter;
    uint64_t found; /* by `finds`, once */
};

/* A recorder's samples.  SAMPLE_INFINITE: a failure that counts as infinite. */
#define SAMPLE_INFINITE UINT64_MAX
struct sample {
    ns_t ns;
    uint32_t request; /* whose: a row of the requests */
    bool added;       /* by the correction */
};
struct population {
    struct sample *items; /* owned */
    size_t count, capacity;
    bool too_many; /* more than SAMPLES_KEPT_MOST: what it has is worth nothing */
};

/* Where a fault takes hold; each is told what is right, as far as it came, and says what it makes
   of it.  NULL: right. */
struct hooks {
    uint64_t (*finds)(
        const struct step *step); /* what the other hooks look up; asked is as it was */
    void (*asks)(const struct step *step, struct asked *asked);
    bool (*keeps)(const struct step *step, size_t request);
    /* True: the request is a sample of *value_ns; `has` and *value_ns come in as is right. */
    bool (*value)(const struct step *step, size_t request, bool has, ns_t *value_ns);
    void (*rule)(const struct step *step, struct correction_rule *rule);
    /* Before the correction, in the order in which they came. */
    void (*raw)(const struct step *step, struct population *samples);
    /* Behind the correction, in the order in which they came. */
    void (*samples)(const struct step *step, struct population *samples);
    int (*compares)(const void *a, const void *b); /* of two struct sample; NULL: by size */
    bool unsorted;                                 /* they stay in the order of `samples` */
    void (*percent)(const struct step *step, struct ratio *p);
    void (*at)(const struct step *step, struct ratio p, uint64_t n, struct rank_at *at);
    /* The histogram each of the samples stands in, where there are several that are averaged, and
       how.  Owned by the caller. */
    size_t *(*groups)(const struct step *step, const struct population *sorted);
    /* The last word: `sorted` has every sample. */
    void (*reports)(const struct step *step, const struct population *sorted,
                    struct report *report);
};

#define GUESSES_MOST 16

struct fault_type {
    struct variant is; /* its name, and what it does in a sentence */
    const char *item;  /* where it is told of: "S2-6", "FR-11", "wrk" ... */
    struct hooks does;
    /* What it may be wrong by, tried in turn; NULL: 0 .. parameter_count - 1, and just 0 where that
       is 0.  Where there are guesses these are examples. */
    const uint64_t *parameters;
    size_t parameter_count;
    /* Further parameters that would explain what was heard, where one can be told from it. */
    size_t (*guesses)(const struct requests *requests, const struct asked *asked,
                      const struct report *truth, const struct report *heard,
                      uint64_t out[GUESSES_MOST]);
    ns_t slack_ns; /* so much each of its samples may be off, where a recorder's fractions of a ns
                      are whole ns here */
    bool varies;   /* the parameter may be another in every run */
    /* The parameter in words, "at 1s": owned by the caller.  NULL: there is nothing to tell. */
    char *(*tells)(uint64_t parameter);
};

static inline const struct fault_type *fault(const struct variant *type)
{
    return (const struct fault_type *)(const void *)type;
}

/* A fault with what it is wrong by. */
struct fault_use {
    const struct fault_type *fault;
    uint64_t parameter;
};

#define USES_MOST 2

/* What a recorder with these faults (at most USES_MOST), in turn, would say.  False: more samples
   than are worth keeping; *out needs no report_free then. */
bool report_faulty(const struct requests *requests, const struct asked *asked,
                   const struct fault_use *uses, size_t use_count, struct report *out);

/* The right answer, made by the same pipeline without a fault in it. */
void report_true(const struct requests *requests, const struct asked *asked, struct report *out);
void report_free(struct report *report);

/* The samples that the right answer is made of, sorted; samples_free releases them.  False: more
   than are worth keeping. */
bool samples_true(const struct requests *requests, const struct asked *asked,
                  struct population *out);
void samples_free(struct population *samples);

#endif
