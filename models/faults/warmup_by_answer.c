/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

enum { BY_ANSWER, BY_SEND };

static uint64_t finds(const struct step *step)
{
    return step->asked->warmup_ns;
}

static bool keeps(const struct step *step, size_t request)
{
    const struct requests *r = step->requests;
    ns_t instant_ns = step->parameter == BY_ANSWER ? r->finished[request] : r->sent[request];
    return instant_ns >= step->found;
}

static char *tells(uint64_t parameter)
{
    return must_copy(parameter == BY_ANSWER ? "by the answer" : "by the send");
}

static void asks(const struct step *step, struct asked *asked)
{
    (void)step;
    asked->warmup_ns = 0;
}

const struct fault_type fault_warmup_by_answer = {
    .is = {"warmup-by-answer", "cuts the warm-up by another instant than the due one", NULL, 0, 0,
           NULL},
    .item = "S3-23, TOOLS 2.2",
    .does = {.finds = finds, .asks = asks, .keeps = keeps},
    .parameter_count = 2,
    .tells = tells,
};
