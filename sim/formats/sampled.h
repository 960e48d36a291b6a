/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FORMATS_SAMPLED_H
#define DUETIME_FORMATS_SAMPLED_H

/* The samples of a scenario's recorder as HdrHistograms: corrected, cut and counted as it does. */

#include "sim/formats/histogram.h"
#include "sim/run.h"

#define SAMPLED_WINDOWS_MOST 100000

struct sample_request {
    const struct plan *plan; /* its length is known: no run.detect */
    size_t recorder;
    unsigned digits; /* 1..5 where the recorder's store is no HdrHistogram; 0: 3 */
    ns_t window_ns;  /* of the instants at which requests finish; 0: one histogram for all */
    const struct run_options *options;
};

struct sampled {
    struct histogram *windows; /* all up to the last with samples; owned */
    size_t count;
    uint64_t left_out;     /* beyond the store's range, or failures that count as infinite */
    uint64_t replications; /* pooled */
    bool interrupted;
};

/* False and *errors where the recorder has no such histogram, or its run no end. */
bool sample_recorder(const struct sample_request *request, struct sampled *out,
                     struct errors *errors);
void sampled_free(struct sampled *sampled);

#endif
