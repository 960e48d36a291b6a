/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The client's own time for each answer: the same law, later. */
#include "models/laws/another.h"
#include "models/laws/mechanisms.h"

static bool holds(const struct law_question *q, struct law *out, char why[LAW_WHY_SIZE])
{
    ns_t overhead_ns = q->load->overhead_ns;
    if (overhead_ns == 0)
        return law_refuses(why, LAW_ELSEWHERE "answers that cost the client time.");
    if (q->part != PART_NONE)
        return law_refuses(why, "A part of the response time has no law here where answers cost "
                                "the client time.");
    if (q->load->resend.type != NULL || q->load->timeout_ns != 0)
        return law_refuses(why, "While the client works on an answer its timers go on, and that "
                                "has no law here.");
    struct another *other = another_of(q);
    other->load.overhead_ns = 0;
    if (!another_thinks(other, overhead_ns, why)) {
        another_free(other);
        return false;
    }
    bool ends = q->to == INSTANT_FINISHED && q->from != INSTANT_FINISHED;
    return another_law(other, ends ? overhead_ns : 0, out, why);
}

const struct law_type law_overhead = {
    .is = {.name = "overhead", .says = "the client's own time for each answer: so much more"},
    .formula = "V = W + h; P(V > x) = P(W > x - h)",
    .symbols = "h the client's time for an answer, W the time of the same question without it, of "
               "clients that think for h longer",
    .domain = "overhead; open load without a window, or closed load or sessions that think for a "
              "constant time; no timeout, no copies; whatever has a law without it",
    .source = "by definition: the answer is there h after it is back",
    .check = "M/M/1, mean service 10 ms, utilisation 0.5, h = 3 ms: p99 = 20 ms ln 100 + 3 ms = "
             "95.1034 ms",
    .knows = KNOWS_ALL,
    .by_another = holds,
};
