/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The service itself: where no request waits for another, or the watch starts when service does. */
#include <math.h>
#include <string.h>

#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/laws/mechanisms.h"
#include "models/loads/load.h"

/* The distribution lends its own tail: parameters[0] holds its struct choice's two pointers. */
struct lent {
    const struct distribution_type *type;
    const void *params;
};
_Static_assert(sizeof(struct lent) <= sizeof(((struct law_distribution *)0)->parameters),
               "a law's parameters hold two pointers");

static struct lent lent_by(const struct law_distribution *d)
{
    struct lent lent;
    memcpy(&lent, d->parameters, sizeof lent);
    return lent;
}

static double tail(const struct law_distribution *d, double x_ns)
{
    struct lent lent = lent_by(d);
    return x_ns < 0.0 ? 1.0 : lent.type->tail(lent.params, x_ns);
}

static double tail_from(const struct law_distribution *d, double x_ns)
{
    return tail(d, nextafter(x_ns, -1.0));
}

/* Services are independent. */
static double inflation(const struct law_distribution *d, double p, double q)
{
    (void)d;
    (void)p;
    (void)q;
    return 1.0;
}

/* Whether every request finds a free worker; *state is what that takes at the start. */
static bool never_waits(const struct law_question *q, enum start_state *state)
{
    *state = STATE_ANY;
    if (q->server->workers == UNLIMITED)
        return true;
    /* A closed load's clients count wherever they are; requests left from before time 0 would stand
       in a paced connection's way. */
    if (q->load->kind.type != &load_closed.is)
        *state = STATE_IDLE;
    return domain_most_in_flight(q->load) <= q->server->workers;
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    const struct distribution_type *service = distribution(q->server->service);
    enum start_state needed = STATE_ANY;
    if (q->to != INSTANT_FINISHED)
        return law_refuses(why, LAW_ELSEWHERE "the time until the answer, not until the send.");
    uint64_t used = mechanisms_of(q);
    if ((used & KNOWS(REFUSES)) != 0 && q->failures != FAILURES_DROPPED)
        return law_refuses(why, "What a stall refuses is recorded too, and the law is that of what "
                                "is answered.");
    if (q->from != INSTANT_STARTED) {
        if ((used & KNOWS(NETWORK)) != 0)
            return law_refuses(why, LAW_ELSEWHERE "requests that take no time on their way.");
        if ((used & KNOWS(GENERATOR)) != 0 && q->from != INSTANT_SENT)
            return law_refuses(why, LAW_ELSEWHERE "sends that cost the client nothing.");
        if (!domain_from_send(q) || !never_waits(q, &needed))
            return law_refuses(why,
                               LAW_ELSEWHERE "requests that wait for no other, or are timed from "
                                             "the start of their service.");
        if (domain_stalls(q->server))
            return law_refuses(why, LAW_ELSEWHERE "a server without stalls.");
    }
    if (domain_work_stops(q->server))
        return law_refuses(why,
                           "Stalls extend the services they meet, and the law leaves them whole.");
    if (domain_holds_answers(q->server))
        return law_refuses(why,
                           "A blackout holds answers back until it ends, and the law lets them "
                           "go at once.");
    if (service->tail == NULL)
        return law_refuses(why, "The service times are a list taken in turn: they have no law.");
    if (!domain_serves_all(q, why))
        return false;
    struct lent lent = {service, q->server->service.params};
    *out = (struct law_distribution){.tail = tail,
                                     .tail_from = tail_from,
                                     .inflation = inflation,
                                     .mean_ns = service->mean_ns(lent.params)};
    memcpy(out->parameters, &lent, sizeof lent);
    *start = (struct start_law){.state = needed};
    return true;
}

const struct law_type law_service = {
    .is = {.name = "service", .says = "the service time itself, where nothing waits"},
    .formula = "P(V > x) = G(x)",
    .symbols = "G the tail of the service time",
    .domain =
        "from `started`, any load, gate and reject stalls at most, whatever came before; or from "
        "the send, reject stalls at most, no network, and never more requests at the server than "
        "workers; no timeout, no full queue",
    .source = "by definition",
    .check = "exponential, mean 10 ms: p99 = 10 ms * ln 100 = 46.0517 ms",
    .knows = KNOWS(ORDER) | KNOWS(NETWORK) | KNOWS(GENERATOR) | KNOWS(REFUSES),
    .distribution = holds,
};
