/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FINDINGS_H
#define DUETIME_FINDINGS_H

/* Everything a report judges, as one flat list: what `check` prints, what JUnit gets and what the
   exit status rests on. */

#include "sim/result.h"

enum finding_kind {
    FINDING_PERCENTILE,
    FINDING_TALLY, /* count, sum, min, max, mean of a recorder */
    FINDING_ABOVE,
    FINDING_IDENTITY,
    FINDING_EXPECT,
    FINDING_GATE, /* never part of the verdict */
};

struct finding {
    enum finding_kind kind;
    enum verdict holds; /* unknown: not judged, text says why */
    enum check check;   /* of a percentile or tally */
    bool unbounded;     /* the maximum of a random run, which no law bounds */
    char *subject;      /* recorder "open", load "open"; clean text */
    char *figure;       /* p99.9, above 1ms, Little's law ... */
    char *text;         /* found and wanted, or the reason; clean; may be empty */
};

struct findings {
    struct finding *items;
    size_t count, capacity;
};

void findings_collect(const struct result *result, struct findings *out);
void findings_free(struct findings *findings);

/* How many of what was judged; gates left out. */
struct finding_counts {
    size_t exact, statistical, too_few, no_law; /* percentiles */
    size_t judged, failed;                      /* all kinds */
    size_t failed_gates;
};
struct finding_counts findings_count(const struct findings *findings);

const char *check_name(enum check check); /* "exact", "statistical", "too-few", "none" */

/* How many bytes of a failing gate's reason are new: the rule in it, behind a semicolon, is told at
   the first gate of that name. */
int finding_new(const struct findings *findings, size_t index);

#endif
