/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
/* Poisson arrivals, general service, one worker: M/G/1. */
#include "models/laws/mg1.h"

#include <math.h>

#include "models/base/maths.h"
#include "models/laws/domain.h"
#include "models/laws/mg1_service.h"
#include "models/loads/load.h"

/* Nearer to capacity rounding errors, which grow by 1/(1-rho), take too many digits. */
#define LEAST_SPARE 1e-3

/* E[S^2]; infinite for a Pareto service of shape 2 or less. */
static double square_ns2(struct choice service)
{
    struct mg1_service s;
    if (mg1_service_init(&s, service))
        return s.square_ns2;
    if (service.type == &distribution_erlang.is) {
        const struct erlang *e = service.params;
        return (double)e->mean_ns * (double)e->mean_ns * (1.0 + 1.0 / (double)e->stages);
    }
    const struct hyperexponential *h = service.params;
    const struct branch *branches = h->branches.items;
    double sum = 0.0;
    for (size_t i = 0; i < h->branches.count; i++)
        sum += 2.0 * ratio_double(branches[i].probability) * (double)branches[i].mean_ns *
               (double)branches[i].mean_ns;
    return sum;
}

static bool is_general(struct choice service)
{
    struct mg1_service s;
    return service.type == &distribution_erlang.is ||
           service.type == &distribution_hyperexponential.is || mg1_service_init(&s, service);
}

static bool traffic_of(struct pace pace, double mean_ns, struct mg1_traffic *out,
                       char why[LAW_WHY_SIZE])
{
    if (mean_ns < (double)NS_PER_US)
        return law_refuses(why,
                           "The mean service time is below 1 us, where rounding durations to whole "
                           "ns shows in the law.");
    double interval = (double)pace.num / (double)pace.den, rho = mean_ns / interval;
    if (!(rho < 1.0))
        return law_refuses(why,
                           "The load is at or beyond the server's capacity: response times grow "
                           "with the length of the run and have no stationary law.");
    if (1.0 - rho < LEAST_SPARE)
        return law_refuses(why, "The server is busy more than 99.9 % of the time, where the law "
                                "cannot be computed to enough digits.");
    *out = (struct mg1_traffic){1.0 / interval, rho, (interval - mean_ns) / interval};
    return true;
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    struct pace pace;
    struct choice service = q->server->service;
    if (!domain_poisson_pace(q, &pace, why))
        return false;
    if (!is_general(service))
        return service.type == &distribution_weibull.is
                   ? law_refuses(why, "A Weibull of a shape below 0.3 or above 10 is too steep for "
                                      "the table of the law.")
                   : law_refuses(why, LAW_ELSEWHERE "two-point, uniform, Erlang, hyperexponential, "
                                                    "lognormal, Pareto or Weibull service.");
    if (!domain_whole_time(q, why))
        return false;
    if (!domain_single_worker(q, why))
        return false;
    struct mg1_traffic traffic;
    double mean_ns = distribution(service)->mean_ns(service.params);
    if (!traffic_of(pace, mean_ns, &traffic, why))
        return false;
    struct law_distribution d = {.mean_ns = mean_ns + traffic.per_ns * square_ns2(service) /
                                                          (2.0 * traffic.spare)};
    bool known = false;
    if (service.type == &distribution_erlang.is)
        known = mg1_erlang(service.params, traffic, &d, why);
    else if (service.type == &distribution_hyperexponential.is)
        known = mg1_hyperexponential(service.params, traffic, &d, why);
    else
        known = mg1_renewal(service, traffic, &d, why);
    if (!known)
        return false;
    *out = d;
    snprintf(out->note, sizeof out->note,
             "Shares by this law are within %.0e, as it judges itself.",
             fmax(d.parameters[MG1_ERROR], 1e-15));
    *start = (struct start_law){STATE_RESIDUALS, round_probability(traffic.rho), 0};
    return true;
}

const struct law_type law_mg1 = {
    .is = {.name = "mg1",
           .says = "M/G/1: Poisson arrivals, one worker; two-point, uniform, Erlang, "
                   "hyperexponential, lognormal, Pareto or Weibull service"},
    .formula = "P(T > t) = lambda int_t^inf G(u) du + (1-rho) G(t) + lambda int_0^t P(T > t-u) "
               "G(u) du; solved piece by piece between its kinks, for Erlang service as a queue of "
               "stages, for hyperexponential service as a mixture of exponentials; mean E[S] + "
               "lambda E[S^2] / (2 (1-rho))",
    .symbols = "S the service time, G(u) = P(S > u), lambda the rate of arrivals, rho = lambda "
               "E[S]; the method's estimate of its own relative error is at most 1e-9, or there is "
               "no law",
    .domain = "open load, poisson, from due (behind a window too, which only moves the waiting to "
              "the client); one worker, unlimited queue, no stalls, no timeout; rho at most "
              "0.999, mean service at least 1 us, a Weibull's shape from 0.3 to 10",
    .source = "F. Pollaczek (1930), A. Khinchine (1932); L. Kleinrock, Queueing Systems, vol. I "
              "(1975)",
    .check = "5 ms or (3 %) 100 ms at rho = 0.7: p50 13.4413 ms, p99 330.151 ms, mean 56.0400 ms",
    .distribution = holds,
};
