/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unlimited workers, Poisson arrivals, periodic suspend stalls, any service time.

   Nobody waits for another, so a request takes longer than x exactly when its service is longer
   than the available time B in the x after it is due.  Poisson arrivals over whole periods are
   uniform in phase.  With x = m P + y, B is m L plus what is available in a window of length y: the
   window's overlap with a stall rises from its least to its most, stays, and falls again as the
   phase moves through the period.  So B has two values with a probability of their own and a
   uniform part between them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/laws/gauss.h"
#include "models/laws/periods.h"
#include "models/laws/series.h"
#include "models/loads/load.h"

enum { UP_NS = 2, DOWN_NS, KINK_0, KINK_1 };

/* The distribution lends its own tail: parameters 0 and 1 hold two pointers. */
struct lent {
    const struct distribution_type *type;
    const void *params;
};
_Static_assert(sizeof(struct lent) <= 2 * sizeof(double), "two parameters hold two pointers");

static struct lent lent_by(const struct law_distribution *d)
{
    struct lent lent;
    memcpy(&lent, d->parameters, sizeof lent);
    return lent;
}

static double service_tail(const void *context, double x_ns)
{
    const struct lent *lent = context;
    return lent->type->tail(lent->params, x_ns);
}

/* Halved until halves agree with the whole. */
static double halving(const struct lent *lent, double from_ns, double to_ns, double whole,
                      int depth)
{
    double middle_ns = from_ns + (to_ns - from_ns) / 2.0;
    double left = gauss_area(service_tail, lent, from_ns, middle_ns),
           right = gauss_area(service_tail, lent, middle_ns, to_ns);
    if (depth == 0 || fabs(left + right - whole) <= 1e-14 * (left + right))
        return left + right;
    return halving(lent, from_ns, middle_ns, left, depth - 1) +
           halving(lent, middle_ns, to_ns, right, depth - 1);
}

/* The integral of the service's tail over an interval on which it is smooth. */
static double smooth_area(const struct lent *lent, double from_ns, double to_ns)
{
    if (!(to_ns > from_ns))
        return 0.0;
    if (lent->type == &distribution_exponential) {
        double mean_ns = (double)((const struct exponential *)lent->params)->mean_ns;
        return mean_ns * exp(-from_ns / mean_ns) * -expm1(-(to_ns - from_ns) / mean_ns);
    }
    return halving(lent, from_ns, to_ns, gauss_area(service_tail, lent, from_ns, to_ns), 12);
}

/* The same over any interval: split at the jumps and kinks of the tail. */
static double area(const struct law_distribution *d, double from_ns, double to_ns)
{
    struct lent lent = lent_by(d);
    double first = fmin(fmax(d->parameters[KINK_0], from_ns), to_ns);
    double second = fmin(fmax(d->parameters[KINK_1], first), to_ns);
    return smooth_area(&lent, from_ns, first) + smooth_area(&lent, first, second) +
           smooth_area(&lent, second, to_ns);
}

static double tail(const struct law_distribution *d, double x_ns)
{
    if (x_ns < 0.0)
        return 1.0;
    struct lent lent = lent_by(d);
    double up = d->parameters[UP_NS], down = d->parameters[DOWN_NS], period = up + down;
    double m = floor(x_ns / period), y = x_ns - m * period;
    double least = m * up + fmax(0.0, y - down), most = m * up + fmin(y, up);
    double rise = fmin(y, up) - fmax(0.0, y - down); /* and fall, of the overlap with the stall */
    double least_phases = fabs(down - y); /* the window inside the stall, or the stall inside it */
    double most_phases = fmax(0.0, period - least_phases - 2.0 * rise);
    /* Whoever is due and still in the same stall has not even begun. */
    double least_tail = m == 0.0 && y < down ? 1.0 : service_tail(&lent, least);
    return (least_phases * least_tail + most_phases * service_tail(&lent, most) +
            2.0 * area(d, least, most)) /
           period;
}

static double tail_from(const struct law_distribution *d, double x_ns)
{
    return tail(d, nextafter(x_ns, -1.0));
}

/* Services and phases are independent. */
static double inflation(const struct law_distribution *d, double p, double q)
{
    (void)d;
    (void)p;
    (void)q;
    return 1.0;
}

/* Where the tail jumps or bends. */
static void find_kinks(struct choice service, double kink[2])
{
    kink[0] = kink[1] = 0.0;
    if (service.type == &distribution_constant.is) {
        kink[0] = (double)((const struct constant *)service.params)->value_ns;
    } else if (service.type == &distribution_two_point.is) {
        const struct two_point *p = service.params;
        kink[0] = fmin((double)p->usual_ns, (double)p->rare_ns);
        kink[1] = fmax((double)p->usual_ns, (double)p->rare_ns);
    } else if (service.type == &distribution_uniform.is) {
        kink[0] = (double)((const struct uniform *)service.params)->low_ns;
        kink[1] = (double)((const struct uniform *)service.params)->high_ns;
    } else if (service.type == &distribution_pareto.is) {
        kink[0] = (double)((const struct pareto *)service.params)->minimum_ns;
    }
}

static double outlasts(const void *context, double stalls)
{
    const struct law_distribution *d = context;
    struct lent lent = lent_by(d);
    return service_tail(&lent, stalls * d->parameters[UP_NS]);
}

/* Due outside a stall, a service of r meets r / L stalls on average.  Due inside one, it waits D /
   2 on average for its end and then meets every whole L that is less than r. */
static double mean_of(const struct law_distribution *d)
{
    struct lent lent = lent_by(d);
    struct series_rules rules = {0};
    double down = d->parameters[DOWN_NS], period = d->parameters[UP_NS] + down;
    double met = series_sum(&rules, outlasts, d, floor((double)NS_LIMIT / d->parameters[UP_NS]));
    return lent.type->mean_ns(lent.params) * (1.0 + down / period) +
           down * (down / period) * (0.5 + met);
}

static bool in_domain(const struct law_question *q, struct periods *periods, char why[LAW_WHY_SIZE])
{
    const struct open_load *load = q->load->kind.params;
    if (q->server->workers != UNLIMITED)
        return law_refuses(why, LAW_ELSEWHERE "unlimited workers.");
    if (q->load->kind.type != &load_open.is || load->arrivals.type != &arrivals_poisson.is)
        return law_refuses(why, LAW_ELSEWHERE "an open load with Poisson arrivals.");
    if (!periods_of(q->server, periods, why))
        return false;
    if (!domain_from_due(q) || !domain_sent_when_due(q->load))
        return law_refuses(why, "The law is that of the time from due to the answer, without a "
                                "window.");
    if (distribution(q->server->service)->tail == NULL)
        return law_refuses(why, "The service times are a list taken in turn: they have no law.");
    return domain_serves_all(q, why) && periods_fill(q, *periods, why);
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    struct periods periods;
    if (!in_domain(q, &periods, why))
        return false;
    struct lent lent = {distribution(q->server->service), q->server->service.params};
    *out = (struct law_distribution){.tail = tail, .tail_from = tail_from, .inflation = inflation};
    memcpy(out->parameters, &lent, sizeof lent);
    out->parameters[UP_NS] = (double)periods.up_ns;
    out->parameters[DOWN_NS] = (double)periods.down_ns;
    find_kinks(q->server->service, &out->parameters[KINK_0]);
    out->mean_ns = mean_of(out);
    *start = (struct start_law){.state = STATE_ANY};
    if (periods.late_ns > 0)
        *start = (struct start_law){.state = STATE_SETTLED, .settle_ns = periods.late_ns};
    return true;
}

const struct law_type law_stalled_unlimited = {
    .is = {.name = "stalled-unlimited",
           .says =
               "unlimited workers, Poisson arrivals, periodic suspend stalls, any service time"},
    .formula =
        "P(T > x) = E G(B), B the available time in the x from a uniform phase on: with x = m P "
        "+ y it is m L + max(0, y - D) with probability |D - y| / P, uniform up to m L + "
        "min(y, L) twice that rise over P, and else that; constant S, S + D <= P: (2 S + D - "
        "x) / P for S <= x < S + D",
    .symbols =
        "G the tail of the service time, S a constant one, D the length of a stall, P from one "
        "to the next, L = P - D",
    .domain =
        "open load, poisson, no window, from due; unlimited workers, one periodic suspend stall, "
        "no timeout; a duration of whole periods",
    .source = "nobody waits for another; Poisson arrivals are uniform in phase",
    .check = "S = 10 ms, D = 50 ms, P = 200 ms: p90 = 50 ms, by counting phases",
    .distribution = holds,
};
