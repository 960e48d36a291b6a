/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies or parts that all take the same work, where none waits: the first of them is the answer,
   and nothing is gained by the others. */
#include "models/laws/another.h"
#include "models/laws/mechanisms.h"

static bool holds(const struct law_question *q, struct law *out, char why[LAW_WHY_SIZE])
{
    if (q->load->work != WORK_PER_REQUEST)
        return law_refuses(why, LAW_ELSEWHERE "copies or parts that take the same work.");
    if (q->server->workers != UNLIMITED)
        return law_refuses(why, "The copies or parts of a request take the same work, and where "
                                "they queue that has no law here.");
    if (q->load->timeout_ns != 0)
        return law_refuses(why, "The client gives up after a timeout, which cuts the law's tail.");
    struct another *other = another_of(q);
    other->load.work = WORK_PER_ATTEMPT;
    other->load.resend = (struct choice){NULL, NULL};
    other->load.fan_out = 0;
    other->load.wait_for = 0;
    return another_law(other, 0, out, why);
}

const struct law_type law_shared_work = {
    .is = {.name = "shared-work",
           .says = "copies or parts of the same work, nothing waits: that of one"},
    .formula = "V = W",
    .symbols = "W the time of the same question with one copy in one part",
    .domain = "work per-request, copies or parts in any number, on unlimited workers; no timeout; "
              "whatever has a law with one copy",
    .source = "parts that begin together end together; a copy that begins later ends later",
    .check = "100 parts of one draw that is slow with 1 %: 1 % of the requests are slow, of parts "
             "with draws of their own 1 - 0.99^100 = 63.4 %",
    .knows = KNOWS(SHARED_WORK) | KNOWS(TIED) | KNOWS(PERCENTILE) | KNOWS(WAITS) | KNOWS(BUDGET) |
             KNOWS(FIRST_PARTS),
    .by_another = holds,
};
