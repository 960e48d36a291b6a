/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Poisson arrivals, one exponential worker that is up and down for exponential times in turn.

   T has the transform (c/s) (z + s) / (z^2 + b z + c), s = alpha + beta, so its tail is a mixture
   of two exponentials whose rates r1 < s < r2 are the roots of r^2 - b r + c.  Written from s: the
   distances y of the roots solve y^2 + (s - e) y - alpha mu = 0, e = mu - lambda, in which nothing
   cancels.

   Settling, from a server that is empty and up.  A stationary server can run beside it, never with
   fewer requests and never up where it is down.  The two are up or down together after a time of
   rate s, and from then on the one with more, once empty, is the same as the other.  With f = h
   z^n, h of up and down the positive eigenvector of the generator on functions of that form and
   -g(z) its eigenvalue, P(not empty after t) <= E f e^(-g t) / min h; E z^N = E e^(lambda (z-1) T)
   at stationarity.  Each of the two is given half of 1e-12, z is chosen for the largest g. */
#include <math.h>

#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/laws/updown.h"
#include "models/loads/load.h"

enum { RATE_1, RATE_2, WEIGHT_1, WEIGHT_2 };

static double tail(const struct law_distribution *d, double x_ns)
{
    const double *p = d->parameters;
    if (x_ns <= 0.0)
        return 1.0;
    return p[WEIGHT_1] * exp(-p[RATE_1] * x_ns) + p[WEIGHT_2] * exp(-p[RATE_2] * x_ns);
}

struct rates {
    double lambda, mu, alpha, beta; /* a ns: arrivals, services, going down, coming up */
    double spare;                   /* of the time up, the share that is not needed */
};

/* Both rates and weights; false where the server cannot keep up. */
static bool solve(struct rates r, struct law_distribution *out)
{
    double s = r.alpha + r.beta, e = r.mu - r.lambda, middle = (e - s) / 2.0;
    double apart = hypot(middle, sqrt(r.alpha * r.mu)); /* half the roots' distance */
    double above = middle > 0.0 ? middle + apart : r.alpha * r.mu / (apart - middle);
    double below = r.alpha * r.mu / above; /* s - r1 */
    double *p = out->parameters;
    p[RATE_2] = s + above;
    p[RATE_1] = r.beta * r.mu * r.spare / p[RATE_2];
    p[WEIGHT_1] = p[RATE_2] * below / (s * 2.0 * apart);
    p[WEIGHT_2] = p[RATE_1] * above / (s * 2.0 * apart);
    out->mean_ns = p[WEIGHT_1] / p[RATE_1] + p[WEIGHT_2] / p[RATE_2];
    return p[RATE_1] > 0.0 && isfinite(out->mean_ns);
}

/* The eigenvalue -g(z) nearest to 0, and by how much the eigenvector's entries differ. */
static double fall(struct rates r, double z, double *unequal)
{
    double arrivals = r.lambda * (z - 1.0), answers = r.mu * (1.0 / z - 1.0);
    double up = arrivals + answers - r.alpha, down = arrivals - r.beta;
    double half = (up - down) / 2.0;
    double eigenvalue = (up + down) / 2.0 + hypot(half, sqrt(r.alpha * r.beta));
    double ratio = (eigenvalue - up) / r.alpha; /* h of down over h of up */
    *unequal = fmax(ratio, 1.0 / ratio);
    return -eigenvalue;
}

static double settle_ns(struct rates r, const struct law_distribution *d)
{
    const double *p = d->parameters;
    double best = INFINITY;
    for (int i = 1; i < 200; i++) {
        double share = i / 200.0, z = 1.0 + share * p[RATE_1] / r.lambda, unequal;
        double g = fall(r, z, &unequal);
        double moment =
            p[WEIGHT_1] / (1.0 - share) + p[WEIGHT_2] * p[RATE_2] / (p[RATE_2] - share * p[RATE_1]);
        if (g > 0.0)
            best = fmin(best, log(2e12 * moment * unequal) / g);
    }
    return best + log(2e12) / (r.alpha + r.beta);
}

static bool in_domain(const struct law_question *q, struct updown *server, char why[LAW_WHY_SIZE])
{
    const struct open_load *load = q->load->kind.params;
    if (q->load->kind.type != &load_open.is || load->arrivals.type != &arrivals_poisson.is)
        return law_refuses(why, LAW_ELSEWHERE "an open load with Poisson arrivals.");
    if (!updown_of(q->server, server, why))
        return false;
    if (!domain_whole_time(q, why))
        return false;
    return domain_serves_all(q, why);
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    struct updown server;
    if (!in_domain(q, &server, why))
        return false;
    const struct open_load *load = q->load->kind.params;
    struct utilisation u =
        domain_utilisation(pace_of(load->rate_per_s, load->every_ns), (ns_t)server.service_ns);
    struct rates r = {u.per_ns, 1.0 / server.service_ns, 1.0 / server.up_ns, 1.0 / server.down_ns,
                      u.spare - u.rho * (server.down_ns / server.up_ns)};
    if (!(r.spare > 1e-9))
        return law_refuses(
            why, "The load is at or beyond the server's capacity while it is up: response "
                 "times grow with the length of the run and have no stationary law.");
    struct law_distribution law = {.tail = tail};
    if (!solve(r, &law))
        return law_refuses(why, "The means are too far apart to compute with.");
    double settle = settle_ns(r, &law);
    if (!(settle < 0x1p60))
        return law_refuses(why, "The server takes more than 36 years to settle.");
    *out = law;
    *start = (struct start_law){.state = STATE_SETTLED, .settle_ns = (ns_t)ceil(settle)};
    return true;
}

const struct law_type law_updown_open = {
    .is = {.name = "updown-open",
           .says = "Poisson arrivals, one exponential worker, up and down for exponential times"},
    .formula =
        "P(T > x) = sum of c (s - r_i) / (s r_i (r_j - r_i)) e^(-r_i x), r_1 and r_2 the roots "
        "of r^2 - b r + c; s = alpha + beta, b = s + mu - lambda, c = beta (mu - lambda) - "
        "alpha lambda; mean b/c - 1/s",
    .symbols =
        "lambda the rate of arrivals, 1/mu the mean service time, 1/alpha and 1/beta the mean "
        "times up and down",
    .domain =
        "open load, poisson, from due; one worker, one random suspend stall, no timeout, no full "
        "queue; lambda / mu < beta / (alpha + beta), all means at least 1 us",
    .source =
        "H. White, L. Christie, Oper. Res. 6 (1958); J. Keilson, L. Servi, Oper. Res. Lett. 7 "
        "(1988)",
    .check = "1/mu = 1, lambda = 0.5, 1/alpha = 50, 1/beta = 10: p50 = 2.65272747102, p99 = "
             "52.0648151888, mean 7.16666666667",
    .distribution = holds,
};
