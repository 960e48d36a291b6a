/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a response time whose law is that of another question. */
#include "models/laws/another.h"
#include "models/laws/domain.h"
#include "models/laws/mechanisms.h"

/* A quota is none of these stalls: it may stop a service between two whole ns. */
static bool stands_still(const struct server *server)
{
    return domain_stalls(server);
}

/* Whether stalls change neither which requests there are nor which are answered. */
static bool counts_alike(const struct law_question *q)
{
    bool counted =
        q->load->kind.type == &load_closed.is && q->run->duration_ns == 0 && q->warmup_ns == 0;
    return (counted || q->load->kind.type == &load_open.is) && q->load->timeout_ns == 0;
}

static bool holds(const struct law_question *q, struct law *out, char why[LAW_WHY_SIZE])
{
    struct another *other = NULL;
    switch (q->part) {
    case PART_NONE: return law_refuses(why, LAW_ELSEWHERE "a part of the response time.");
    case PART_STALL:
        return law_refuses(why, "How long a request waits for stalls has no law of its own here.");
    case PART_QUEUE:
        if (stands_still(q->server))
            return law_refuses(why, "The wait less what of it was a stall has no law here.");
        other = another_of(q);
        other->asked.from = INSTANT_SENT;
        other->asked.to = INSTANT_STARTED;
        break;
    case PART_SERVICE:
        if (!domain_sends_once(q, why))
            return false;
        if (stands_still(q->server) && !counts_alike(q))
            return law_refuses(why, "How many requests there are depends on the stalls, and what "
                                    "of their service was none has no law here.");
        other = another_of(q);
        other->asked.from = INSTANT_STARTED;
        other->asked.to = INSTANT_FINISHED;
        other->server.stall_count = 0; /* what of it was a stall is left out */
        break;
    }
    other->asked.part = PART_NONE;
    return another_law(other, 0, out, why);
}

const struct law_type law_part = {
    .is = {.name = "part",
           .says = "the service or the wait alone, by the law of those two instants"},
    .formula = "service: the time from start to finish without stalls; queue: from send to start",
    .symbols = "none",
    .domain = "recorder part service, one copy; or part queue, no stalls; no quota; whatever "
              "has a law between those instants",
    .source = "by definition of the parts",
    .check = "a suspend of 1 s in a service of 1 ms: the part service is 1 ms",
    .knows = KNOWS(PART) | KNOWS(ORDER),
    .by_another = holds,
};
