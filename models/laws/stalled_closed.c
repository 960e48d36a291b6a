/* SPDX-License-Identifier: GPL-3.0-or-later */
/* N clients that never think, one exponential worker, periodic suspend stalls.

   All N are at the server at every instant, and in available time (while it is not suspended) the
   worker never rests nor remembers: sends form a Poisson process in available time, which over
   whole periods is spread evenly over the phase, and each finds the same state.  So the law holds
   for the sends of any whole number of periods from the start with all N at the server.

   R ~ Erlang(N, mu) of available time passes until the answer, U until the last stall ended,
   uniform on (0, L), and floor((U + R) / L) stalls are met.  Given R = r the response exceeds x,
   with m = floor(x / P), never up to a = max(m L, x - (m+1) D), always beyond b = min((m+1) L, x -
   m D), and in between with probability f(r) = r / L - m, the share of phases from which one stall
   more is met. Integrating the tail Q of R against the growth of that probability leaves three
   terms, none negative. */
#include <math.h>

#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/laws/gammas.h"
#include "models/laws/periods.h"
#include "models/loads/load.h"

enum { CLIENTS, MEAN_NS, UP_NS, DOWN_NS };
enum { CLIENTS_MOST = 100000 };

static double tail(const struct law_distribution *d, double x_ns)
{
    if (x_ns <= 0.0)
        return 1.0;
    double n = d->parameters[CLIENTS], mean = d->parameters[MEAN_NS];
    double up = d->parameters[UP_NS], down = d->parameters[DOWN_NS];
    double m = floor(x_ns / (up + down)), low = m * up;
    double a = fmax(low, x_ns - (m + 1.0) * down);
    double b = fmax(a, fmin(low + up, x_ns - m * down));
    double from_a = (a - low) / up, from_b = (b - low) / up;
    return from_a * erlang_tail(n, a / mean) + (1.0 - from_b) * erlang_tail(n, b / mean) +
           mean / up * erlang_area(n, a / mean, b / mean);
}

static bool in_domain(const struct law_question *q, struct periods *periods, char why[LAW_WHY_SIZE])
{
    const struct closed_load *load = q->load->kind.params;
    if (q->load->kind.type != &load_closed.is)
        return law_refuses(why, LAW_ELSEWHERE "a closed loop.");
    if (q->server->service.type != &distribution_exponential.is)
        return law_refuses(why, LAW_ELSEWHERE "exponential service.");
    if (!periods_of(q->server, periods, why))
        return false;
    if (!domain_from_due(q))
        return law_refuses(why, LAW_ELSEWHERE "the time from the send to the answer.");
    if (!domain_no_think(load))
        return law_refuses(why,
                           "The clients think between requests, and with stalls the law is that "
                           "of clients that never do.");
    if (q->server->workers != 1 || q->server->replicas > 1)
        return law_refuses(why, "With stalls the law is that of one worker.");
    if (load->stagger_ns != 0)
        return law_refuses(why, "The clients do not all start at once, and it takes a while until "
                                "all of them are at the server.");
    if (load->clients > CLIENTS_MOST)
        return law_refuses(why, "There are more than 100,000 clients.");
    if (((const struct exponential *)q->server->service.params)->mean_ns < NS_PER_US)
        return law_refuses(why,
                           "The mean service time is below 1 us, where rounding durations to whole "
                           "ns shows in the law.");
    return domain_serves_all(q, why) && periods_fill(q, *periods, why);
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    struct periods periods;
    if (!in_domain(q, &periods, why))
        return false;
    double clients = (double)((const struct closed_load *)q->load->kind.params)->clients;
    double mean_ns = (double)((const struct exponential *)q->server->service.params)->mean_ns;
    double up_ns = (double)periods.up_ns, down_ns = (double)periods.down_ns;
    *out = (struct law_distribution){.tail = tail,
                                     .mean_ns = clients * mean_ns * ((up_ns + down_ns) / up_ns)};
    out->parameters[CLIENTS] = clients;
    out->parameters[MEAN_NS] = mean_ns;
    out->parameters[UP_NS] = up_ns;
    out->parameters[DOWN_NS] = down_ns;
    *start = (struct start_law){.state = STATE_CLIENTS};
    if (periods.late_ns > 0)
        *start = (struct start_law){.state = STATE_SETTLED, .settle_ns = periods.late_ns};
    return true;
}

const struct law_type law_stalled_closed = {
    .is = {.name = "stalled-closed",
           .says = "N clients that never think, one exponential worker, periodic suspend stalls"},
    .formula = "T = R + D floor((U + R) / L); P(T > x) = f(a) Q(a) + (1 - f(b)) Q(b) + (1/L) the "
               "integral of Q from a to b, a = max(m L, x - (m+1) D), b = min((m+1) L, x - m D), "
               "m = floor(x/P), f(r) = r/L - m",
    .symbols =
        "R ~ Erlang(N, mu) with tail Q, U uniform on (0, L), D the length of a stall, P from "
        "one to the next, L = P - D; N clients, 1/mu the mean service time",
    .domain =
        "closed load of at most 100,000 clients, no think time, no stagger, from the send; one "
        "worker, one periodic suspend stall, no timeout, no full queue; a duration of whole "
        "periods; mean service at least 1 us",
    .source = "in available time sends are a Poisson process that knows nothing of the phase",
    .check =
        "N = 8, 1/mu = 1, D = 40, P = 200: p50 = 7.80137643622, p99 = 51.3797729106, mean 10, by "
        "numerical integration over R and U",
    .distribution = holds,
};
