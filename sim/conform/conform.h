/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_CONFORM_H
#define DUETIME_CONFORM_H

/* Somebody else's recorder, asked about the same requests: what it is told, what it answers, and
   what is to be said of that. */

#include <stdio.h>

#include "models/faults/fault.h"
#include "sim/run.h"

/* All requests of one load in one replication, in the order in which they finish; owned. */
struct trial {
    const struct plan *plan; /* borrowed */
    size_t recorder;         /* of the plan: what is asked for, and of which load */
    struct requests requests;
    struct asked asked;
};

/* Runs the recorder's load once.  False and *errors when it did not run to its end. */
bool trial_run(const struct plan *plan, size_t recorder, const struct run_options *options,
               struct trial *out, struct errors *errors);
void trial_free(struct trial *trial);

/* How exact a recorder says its values are. */
enum precision { PRECISION_EXACT, PRECISION_RELATIVE, PRECISION_DIGITS, PRECISION_BOUNDS };
struct declared {
    enum precision precision;
    struct ratio relative;   /* PRECISION_RELATIVE: |value - truth| <= relative * truth */
    unsigned digits;         /* PRECISION_DIGITS: cells of an HdrHistogram */
    struct durations bounds; /* PRECISION_BOUNDS: upper bounds of its buckets, ascending; owned */
    bool interpolates;       /* between samples, or inside a bucket */
    const struct variant *rank; /* its rank rule; NULL: as asked */
};

/* wire.c: the language of the pipe, version 1; tools/examples/ shows it. */
#define CONFORM_VERSION 1
void wire_hello(const struct trial *trial, bool binary, FILE *out); /* version, what is asked */
void wire_requests(const struct trial *trial, size_t first, size_t count, bool binary, FILE *out);
void wire_end(bool binary, FILE *out);
/* answer.c: the answer, one line of JSON.  NULL, or why it is none: owned by the caller.  Fills
 *report and *declared in any case. */
char *wire_answer(const char *text, size_t length, const struct trial *trial, struct report *report,
                  struct declared *declared);
/* The same for what stands under "declares", by itself. */
char *wire_declares(const char *text, size_t length, struct declared *declared);
void declared_free(struct declared *declared);

/* verdict.c: each figure against the truth. */
enum judged { JUDGED_RIGHT, JUDGED_WRONG, JUDGED_SILENT /* it does not say */ };
struct figure_verdict {
    const char *name; /* "p99", "count", "min" ...; owned by the verdict */
    enum judged judged;
    struct said truth, said; /* of "count": the number itself, times 1000 */
    double error_percent;    /* NAN where it has no meaning */
    int64_t rank_error;      /* how many samples lie between; of percentiles */
    char *ranks;             /* rank rules under which it would be right, with blanks; owned */
};

/* What would explain it: one fault, or two where no single one does. */
struct suspect {
    size_t fault, second; /* indices into set_faults; second NO_INDEX: one explains it */
    uint64_t parameter, second_parameter;
    bool whole; /* all figures are its own; else count, min, max, mean or sum are as the truth's */
    bool joined; /* in some trials with another parameter than this, the commonest */
    char *text; /* "NAME, WITH WHAT: what it does (items)"; owned */
};
struct conformance { /* sim/result.h has an enum verdict */
    bool conforms;
    struct figure_verdict *figures; /* owned */
    size_t figure_count;
    int unit_power; /* every time is 1000^unit_power of the truth: the wrong unit; 0: no */
    /* Faults whose figures are what was said, and not the truth: the most likely first.  Owned. */
    struct suspect *suspects;
    size_t suspect_count;
    size_t *faults; /* the first fault of each suspect */
    size_t fault_count;
};
void verdict_make(const struct trial *trial, const struct report *report,
                  const struct declared *declared, struct conformance *out);
void verdict_free(struct conformance *verdict);

/* suite.c: what was said in several trials, taken together: faults that explain all of it. */
struct evidence {
    const struct trial *trial;
    const struct report *report;
    const struct declared *declared;
    const struct known_reports *known; /* of the trial, for many answers to it; NULL: not at hand */
};
struct suspects {
    struct suspect *items; /* owned */
    size_t count;
};
void suite_suspects(const struct evidence *evidence, size_t count, struct suspects *out);
void suspects_free(struct suspects *suspects);

/* diagnosis.c: what every fault would say in a trial, for those who ask about many answers by the
   same rank rule (NULL: as asked).  known_free releases it. */
struct known_reports *known_make(const struct trial *trial, const struct variant *rank);
void known_free(struct known_reports *known);

/* separate.c: the trial in which the suspects would say the most different things, or NO_INDEX when
   none tells any two of them apart.  *kinds: how many different reports there would be. */
size_t separating_trial(const struct suspect *suspects, size_t suspect_count,
                        const struct trial *trials, size_t trial_count, size_t *kinds);

#endif
