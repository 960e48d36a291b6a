/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Poisson arrivals, exponential service, one worker, from an empty start: the first n requests, or
   those due before an end, whatever the load. */
#include <math.h>
#include <stdlib.h>

#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/laws/stages.h"
#include "models/loads/load.h"

/* Arrivals see N present, N' = (N + 1 - B)^+ with P(B = b) = a r^b, a = lambda/(lambda+mu), r =
   1-a. So P(N_{k+1} >= m) = F_k(m) = P(a walk that never steps up by more than 1 has reached m
   within k steps); the hitting time theorem gives f_k(m), the probability that it does so at step
   k, in closed form, and F_k - F_{k-1} = f_k turns the first step's equation into pi_k(m-1) =
   pi_k(m) / rho + f_k(m-1),        pi_k(m) = F_k(m) - F_k(m+1), and the same averaged over k = 0 ..
   n-1, pi(m-1) = pi(m) / rho + F_{n-1}(m-1) / n: two recursions from the far end down with positive
   terms only, at a cost that grows with the longest queue and not with n times it.  f is needed up
   to a factor, as the pi_k sum to 1. For requests due in [0, T) the same holds of continuous time:
   f_t(m) = (m/t) e^(-(lambda+mu) t) rho^(m/2) I_m(2 sqrt(lambda mu) t), and pi(m-1) = pi(m)/rho +
   f(m)/lambda or + F(m)/(lambda T). Where rho < 1, pi(m) = c(m) rho^m is computed as c(m). */

/* Longest queue the law reckons with, and how small a share of the arrivals may be beyond it. */
enum { QUEUE_MOST = 1 << 22 };
#define LOG_NEGLIGIBLE (-230.0) /* 1e-100 */
#define SMALLEST 1e-250         /* of the terms f, against their largest */

enum { MEAN_NS };

static double tail(const struct law_distribution *d, double x_ns)
{
    struct stages s = {d->table, d->table_count, 1.0, d->parameters[MEAN_NS]};
    return stages_tail(&s, x_ns);
}

/* ---- the hitting probabilities, up to a factor, times rho^-m where rho < 1 ---- */

struct hits {
    double rho;
    bool timed;      /* for the requests due before an end, else for the first n */
    double step;     /* n-1 */
    double argument; /* z = 2 sqrt(lambda mu) T */
    double requests; /* n, or lambda T: how many are expected */
};

/* f(m+1) / f(m), m >= 1, which falls with m.  ratio: I_{m+1}(z) / I_m(z). */
static double growth(const struct hits *h, double m, double ratio)
{
    double tilt = h->rho < 1.0 ? h->rho : 1.0 / h->rho;
    if (h->timed)
        return (m + 1.0) / m * ratio / sqrt(tilt);
    if (m >= h->step)
        return 0.0;
    /* the smaller of a and r is tilt / (1 + tilt) */
    return (m + 1.0) / m * (h->step - m) / (2.0 * h->step - m - 1.0) * (1.0 + tilt) / tilt;
}

/* Between the two simple bounds on the ratio (D. E. Amos, Mathematics of Computation 28, 1974). */
static double rough_ratio(const struct hits *h, double m)
{
    double z = h->argument;
    return z / (m + 0.5 + sqrt((m + 1.0) * (m + 1.0) + z * z));
}

static double rough_growth(const struct hits *h, double m)
{
    return growth(h, m, rough_ratio(h, m));
}

/* The m at which f is largest, or about. */
static double peak_of(const struct hits *h)
{
    double low = 0.0, high = 1.0;
    while (rough_growth(h, high) > 1.0)
        high *= 2.0;
    while (high - low > 1.0) {
        double at = floor((low + high) / 2.0);
        if (at <= low || at >= high)
            break;
        if (rough_growth(h, at) > 1.0)
            low = at;
        else
            high = at;
    }
    return high;
}

/* The longest queue that matters, in *top, and f there against its largest; false beyond
   QUEUE_MOST. */
static bool find_top(const struct hits *h, double *top, double *f)
{
    *f = 1.0;
    for (*top = peak_of(h); *top < QUEUE_MOST; *top += 1.0) {
        double next = *f * rough_growth(h, *top);
        if (next < SMALLEST)
            return true;
        *f = next;
    }
    return false;
}

/* ---- the table of P(N >= m), averaged over the requests ---- */

/* Long after the start, rho < 1: every f that matters lies far beyond the queues that do, F(m) is
   rho^m there, and the average rho^m (1 - m s / (1-rho)), s the source of one m.  As growth falls
   with m, f(mid) / f(most) is at least growth(mid)^(mid - most). */
static bool forgets(const struct hits *h, double most)
{
    double mid = floor((most + peak_of(h)) / 2.0);
    return mid > most && (mid - most) * log(rough_growth(h, mid)) > 60.0;
}

static void fill_forgetting(struct law_distribution *d, const struct hits *h, double spare)
{
    double source = (h->timed ? h->rho : 1.0) / h->requests, decay = log1p(-spare);
    d->table_count = (size_t)(LOG_NEGLIGIBLE / decay) + 2;
    d->table = must_alloc(d->table_count, sizeof *d->table);
    for (size_t m = 0; m < d->table_count; m++)
        d->table[m] = exp((double)m * decay) * (1.0 - (double)m * source / spare);
}

/* I_{m+1}/I_m at m = top, by its recursion from far enough above: errors fall by the square of
   the ratio at each step. */
static double ratio_above(const struct hits *h, double top)
{
    double z = h->argument, from = top + 2.0 + ceil(40.0 * z / top + 40.0);
    double ratio = rough_ratio(h, from);
    for (double m = from - 1.0; m >= top; m -= 1.0)
        ratio = z / (2.0 * (m + 1.0) + z * ratio);
    return ratio;
}

/* Both recursions in one pass down, with what they need as they need it: C = c(m), D = F(m), the
   averages of both, the last three times rho^-m where rho < 1; all in units of the unknown factor
   of f. */
static void fill_counting(struct law_distribution *d, const struct hits *h, double top, double f)
{
    double keep = fmin(1.0, 1.0 / h->rho), tilt = fmin(1.0, h->rho);
    double c = 0.0, reached = 0.0, mean_c = 0.0, average = 0.0, above = 0.0;
    double ratio = ratio_above(h, top);
    size_t count = (size_t)top + 1;
    d->table = must_alloc(count, sizeof *d->table);
    for (size_t m = count; m-- > 0;) {
        c = keep * c + (h->timed ? above : f);
        double source = tilt * reached;
        reached = c + tilt * reached;
        mean_c = keep * mean_c + (h->timed ? source : reached) / h->requests;
        average = mean_c + tilt * average;
        d->table[m] = average;
        above = f;
        if (m > 1)
            ratio = h->argument / (2.0 * (double)m + h->argument * ratio);
        f = m > 1 ? f / growth(h, (double)m - 1.0, ratio) : 0.0;
    }
    double whole = d->table[0], decay = log(tilt);
    d->table_count = 0;
    for (size_t m = 0; m < count; m++) {
        d->table[m] *= exp((double)m * decay) / whole;
        if (d->table[m] < 1e-300)
            break;
        d->table_count++;
    }
}

static bool fill_table(struct law_distribution *d, const struct hits *h, double spare,
                       char why[LAW_WHY_SIZE])
{
    if (!h->timed && h->step == 0.0) { /* the first finds nobody */
        d->table = must_alloc(1, sizeof *d->table);
        d->table[0] = 1.0;
        d->table_count = 1;
        return true;
    }
    double top, f, most = spare > 0.0 ? LOG_NEGLIGIBLE / log1p(-spare) : INFINITY;
    if (most < QUEUE_MOST && forgets(h, most)) {
        fill_forgetting(d, h, spare);
        return true;
    }
    if (!find_top(h, &top, &f))
        return law_refuses(why, "The run is so long and so near capacity, or so far beyond it, "
                                "that more than 4,194,304 requests may be there at once.");
    fill_counting(d, h, top, f);
    return true;
}

static bool in_domain(const struct law_question *q, bool stable, char why[LAW_WHY_SIZE])
{
    if (q->run->start == START_STATIONARY || (q->run->start == START_DEFAULT && stable))
        return law_refuses(why, LAW_ELSEWHERE "a run that starts empty.");
    if (!domain_whole_time(q, why))
        return false;
    if (!domain_single_worker(q, why))
        return false;
    if (!domain_counts_from_empty(q))
        return law_refuses(why, "From an empty start the law is that of all requests of a run that "
                                "is limited by their number, or else by its duration, without a "
                                "warm-up.");
    return true;
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    struct pace pace;
    if (!domain_poisson_pace(q, &pace, why))
        return false;
    if (q->server->service.type != &distribution_exponential.is)
        return law_refuses(why, LAW_ELSEWHERE "exponential service.");
    ns_t mean_ns = ((const struct exponential *)q->server->service.params)->mean_ns;
    struct utilisation u = domain_utilisation(pace, mean_ns);
    if (!in_domain(q, u.stable, why))
        return false;
    if (mean_ns < NS_PER_US)
        return law_refuses(why,
                           "The mean service time is below 1 us, where rounding durations to whole "
                           "ns shows in the law.");
    bool timed = q->run->requests == 0;
    double duration_ns = (double)q->run->duration_ns, requests = (double)q->run->requests;
    struct hits h = {
        .rho = u.rho,
        .timed = timed,
        .step = requests - 1.0,
        .argument = 2.0 * sqrt(u.per_ns / (double)mean_ns) * duration_ns,
        .requests = timed ? u.per_ns * duration_ns : requests,
    };
    struct law_distribution d = {.tail = tail};
    if (!fill_table(&d, &h, u.spare, why))
        return false;
    d.parameters[MEAN_NS] = (double)mean_ns;
    struct stages s = {d.table, d.table_count, 1.0, (double)mean_ns};
    d.mean_ns = stages_mean_ns(&s);
    *out = d;
    *start = (struct start_law){.state = STATE_IDLE};
    return true;
}

const struct law_type law_transient = {
    .is = {.name = "transient",
           .says = "M/M/1 from an empty start, at any load: the average over the run's requests"},
    .formula = "P(T > x) = (1/n) sum_{k<=n} P(Erlang(N_k + 1, mu) > x), N_1 = 0, N_{k+1} = (N_k + "
               "1 - B)^+, P(B = b) = lambda mu^b / (lambda + mu)^(b+1)",
    .symbols = "1/mu the mean service time, lambda the rate of arrivals, n the run's requests, N_k "
               "how many the k-th finds there; with a duration instead the average over all "
               "instants of it",
    .domain = "open load, poisson, from due, run.start empty (or load at or beyond capacity), "
              "run.requests or run.duration but not both, no warm-up; one worker, unlimited queue, "
              "no stalls, no timeout; mean service at least 1 us; what is less likely than 1e-100 "
              "is left out",
    .source = "W. Feller, An Introduction to Probability Theory, vol. II (1971), chapter XII: a "
              "queue is the maximum of a walk, and the walk's hitting times are known",
    .check = "1/mu = 1, lambda = 1.1, n = 2000: p50 = 92.4153155101, p99 = 269.919973892; lambda = "
             "0.8, n = 100: mean wait 3.1001",
    .distribution = holds,
};
