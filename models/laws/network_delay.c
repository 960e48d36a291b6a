/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A network that delays some requests, and a server where nothing waits. */
#include <math.h>
#include <string.h>

#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/laws/mechanisms.h"

/* One of the two is a constant: the other is only moved. */
struct delayed {
    struct choice service, delay;
    ns_t constant_ns; /* of the delay, or else of the service */
    bool delay_is_constant;
    double share; /* of requests that are delayed */
};
_Static_assert(sizeof(struct delayed) <= sizeof(((struct law_distribution *)0)->parameters),
               "a law's parameters hold what it adds");

static struct delayed delayed_of(const struct law_distribution *d)
{
    struct delayed delayed;
    memcpy(&delayed, d->parameters, sizeof delayed);
    return delayed;
}

static double tail_of(struct choice c, double x_ns)
{
    return x_ns < 0.0 ? 1.0 : distribution(c)->tail(c.params, x_ns);
}

static double tail(const struct law_distribution *d, double x_ns)
{
    struct delayed v = delayed_of(d);
    double rest_ns = x_ns - (double)v.constant_ns, kept = 1.0 - v.share;
    if (v.delay_is_constant)
        return v.share * tail_of(v.service, rest_ns) + kept * tail_of(v.service, x_ns);
    return rest_ns < 0.0 ? 1.0 : v.share * tail_of(v.delay, rest_ns);
}

static double tail_from(const struct law_distribution *d, double x_ns)
{
    return tail(d, nextafter(x_ns, -1.0));
}

/* Requests are independent. */
static double inflation(const struct law_distribution *d, double p, double q)
{
    (void)d;
    (void)p;
    (void)q;
    return 1.0;
}

static bool is_constant(struct choice c, ns_t *value_ns)
{
    if (c.type != &distribution_constant.is)
        return false;
    *value_ns = ((const struct constant *)c.params)->value_ns;
    return true;
}

static bool nobody_waits(const struct law_question *q, char why[LAW_WHY_SIZE])
{
    const struct server *server = q->server;
    if (server->workers != UNLIMITED && domain_most_in_flight(q->load) > server->workers)
        return law_refuses(why, "Requests overtake each other on the way, and what then waits at "
                                "the server has no law here.");
    if (domain_stalls(server))
        return law_refuses(why, "The server has stalls, and a law of a network that delays at "
                                "random is of one without.");
    if (q->to != INSTANT_FINISHED || !domain_from_send(q))
        return law_refuses(why, "With a network that delays at random the law is that of the time "
                                "from the send to the answer.");
    return domain_serves_all(q, why);
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    const struct network *network = &q->server->network;
    if (network->delay.type == NULL)
        return law_refuses(why, LAW_ELSEWHERE "requests that take time on their way.");
    if (!nobody_waits(q, why))
        return false;
    struct delayed v = {.service = q->server->service, .delay = network->delay};
    v.share = (double)network->probability.num / (double)network->probability.den;
    v.delay_is_constant = is_constant(v.delay, &v.constant_ns);
    if (!v.delay_is_constant && !is_constant(v.service, &v.constant_ns))
        return law_refuses(why, "Neither the delay nor the service is constant, and their sum has "
                                "no law here.");
    if (distribution(v.service)->tail == NULL || distribution(v.delay)->tail == NULL)
        return law_refuses(why, "The service times or the delays are a list taken in turn: they "
                                "have no law.");
    *out = (struct law_distribution){.tail = tail, .tail_from = tail_from, .inflation = inflation};
    out->mean_ns = v.share * distribution(v.delay)->mean_ns(v.delay.params) +
                   distribution(v.service)->mean_ns(v.service.params);
    memcpy(out->parameters, &v, sizeof v);
    bool idle = q->server->workers != UNLIMITED && q->load->kind.type != &load_closed.is;
    *start = (struct start_law){.state = idle ? STATE_IDLE : STATE_ANY};
    return true;
}

const struct law_type law_network_delay = {
    .is = {.name = "network-delay",
           .says = "a network that delays some requests, and a server where nothing waits"},
    .formula =
        "P(V > x) = p G(x - d) + (1 - p) G(x), d constant; or p D(x - S), x >= S, S constant",
    .symbols = "p the share of requests that are delayed, d the delay or D its tail, S the service "
               "time or G its tail",
    .domain = "network delay; from the send; never more requests in flight than workers; the delay "
              "or the service constant; no stalls, no timeout, no copies",
    .source = "a mixture, and a sum of which one part is constant",
    .check = "d = 200 ms with p = 2 %, S = 1 ms: 98 % of the requests take 1 ms, the others 201 ms",
    .knows = KNOWS(NETWORK),
    .distribution = holds,
};
