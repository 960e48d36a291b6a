/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Poisson arrivals, one exponential worker, periodic suspend stalls.

   The number in system follows a periodic law (phases.h).  A request that is due at phase u and
   finds N takes longer than x when fewer than N + 1 services fit into the available time B in
   [u, u + x]: with probability sum over m of P(Poisson(mu B) = m) P(N >= m).  Arrivals over whole
   periods are uniform in phase, so this is integrated over u, between the four phases at which
   either end of [u, u + x] passes an end of a stall: there B is constant or grows or falls by 1 a
   ns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/laws/gammas.h"
#include "models/laws/periods.h"
#include "models/laws/phases.h"
#include "models/loads/load.h"

/* Times in mean services.  The table holds, panel by panel, where it begins, its length, the
   integrals of P(N >= m) up to its end, and the P(N >= m) at its nodes. */
enum { MEAN_NS, UP, DOWN, STATES, PANELS };
enum { SERVICES_A_PIECE = 8 }; /* over which a Gauss rule is exact to 1e-15 */

struct panel {
    double at, length;
    const double *until, *reach;
};

static struct panel panel_of(const struct law_distribution *d, size_t i)
{
    size_t states = (size_t)d->parameters[STATES];
    const double *from = d->table + i * (2 + (1 + GAUSS_NODES) * states);
    return (struct panel){from[0], from[1], from + 2, from + 2 + states};
}

/* P(Poisson(z) = m) for the m at which it is not negligible, m < states. */
struct weights {
    size_t low, count;
    double at[4096];
};

/* False where all are negligible. */
static bool weigh(struct weights *w, double z, size_t states)
{
    size_t start = z < (double)(states - 1) ? (size_t)z : states - 1, low = start;
    double first = poisson_weight((double)start, z), weight = first;
    if (first < 1e-25)
        return false;
    while (low > 0 && weight > 1e-25 && start - low < 2000)
        weight *= (double)low-- / z;
    w->low = low;
    w->count = 0;
    w->at[w->count++] = weight;
    for (size_t m = low + 1; m < states && w->count < 4096; m++) {
        weight *= z / (double)m;
        if (m > start && weight < 1e-25)
            break;
        w->at[w->count++] = weight;
    }
    return true;
}

/* P(more than x | due where the reach is) with z = mu B. */
static double beyond(const double *reach, const struct weights *w)
{
    double sum = 0.0;
    for (size_t i = 0; i < w->count; i++)
        sum += w->at[i] * reach[w->low + i];
    return sum;
}

/* Lagrange's polynomials of the nodes at a point of (-1, 1), by the second barycentric form. */
static void lagrange(double at, double value[GAUSS_NODES])
{
    double sum = 0.0;
    for (int j = 0; j < GAUSS_NODES; j++) {
        if (at == gauss_node[j]) {
            memset(value, 0, GAUSS_NODES * sizeof value[0]);
            value[j] = 1.0;
            return;
        }
        double w = sqrt((1.0 - gauss_node[j] * gauss_node[j]) * gauss_weight[j]);
        value[j] = (j % 2 == 0 ? w : -w) / (at - gauss_node[j]);
        sum += value[j];
    }
    for (int j = 0; j < GAUSS_NODES; j++)
        value[j] /= sum;
}

/* The available time of requests due at u in [from, to]: at_from + slope (u - from). */
struct stretch {
    double from, to, at_from, slope;
};

/* A piece of a panel by a Gauss rule of its own. */
static double piece(const struct law_distribution *d, struct panel p, struct stretch s, double from,
                    double to, struct weights *w)
{
    size_t states = (size_t)d->parameters[STATES];
    double half = (to - from) / 2.0, sum = 0.0;
    for (int i = 0; i < GAUSS_NODES; i++) {
        double u = from + half * (1.0 + gauss_node[i]), at[GAUSS_NODES], share = 0.0;
        if (!weigh(w, s.at_from + s.slope * (u - s.from), states))
            continue;
        lagrange(2.0 * (u - p.at) / p.length - 1.0, at);
        for (size_t j = 0; j < GAUSS_NODES; j++)
            share += at[j] * beyond(p.reach + j * states, w);
        sum += gauss_weight[i] * share;
    }
    return half * sum;
}

/* The part of a stretch in a panel. */
static double part(const struct law_distribution *d, struct panel p, struct stretch s,
                   struct weights *w)
{
    double from = fmax(s.from, p.at), to = fmin(s.to, p.at + p.length), sum = 0.0;
    double pieces = s.slope == 0.0 ? 1.0 : ceil((to - from) / SERVICES_A_PIECE);
    for (double k = 0.0; k < pieces && to > from; k += 1.0)
        sum += piece(d, p, s, from + (to - from) * k / pieces,
                     from + (to - from) * (k + 1.0) / pieces, w);
    return sum;
}

/* Whole panels with the same available time are one sum, by the integrals at their ends. */
static double over(const struct law_distribution *d, struct stretch s)
{
    struct weights w;
    const double *first = NULL, *last = NULL; /* integrals where the whole panels begin and end */
    double sum = 0.0;
    for (size_t i = 0; i < (size_t)d->parameters[PANELS]; i++) {
        struct panel p = panel_of(d, i);
        double slack = 1e-14 * p.length;
        bool is_whole = s.from <= p.at + slack && s.to >= p.at + p.length - slack;
        if (s.slope != 0.0 || !is_whole) {
            sum += part(d, p, s, &w);
            continue;
        }
        if (last == NULL)
            first = i > 0 ? panel_of(d, i - 1).until : NULL;
        last = p.until;
    }
    if (last != NULL && weigh(&w, s.at_from, (size_t)d->parameters[STATES]))
        sum += beyond(last, &w) - (first != NULL ? beyond(first, &w) : 0.0);
    return sum;
}

/* Time available up to t, from the end of a stall. */
static double available(double up, double period, double t)
{
    double periods = floor(t / period);
    return periods * up + fmin(t - periods * period, up);
}

static double tail(const struct law_distribution *d, double x_ns)
{
    if (x_ns <= 0.0)
        return 1.0;
    double x = x_ns / d->parameters[MEAN_NS], up = d->parameters[UP];
    double period = up + d->parameters[DOWN], y = fmod(x, period), sum = 0.0;
    double edges[] = {0.0, up, fmod(up - y + period, period), period - y, period};
    enum { EDGES = sizeof edges / sizeof edges[0] };
    for (int i = 1; i < EDGES; i++)
        for (int j = i; j > 0 && edges[j] < edges[j - 1]; j--) {
            double kept = edges[j];
            edges[j] = edges[j - 1];
            edges[j - 1] = kept;
        }
    for (int i = 1; i < EDGES; i++) {
        double from = edges[i - 1], to = edges[i], middle = from + (to - from) / 2.0;
        if (!(to - from > 1e-15 * period))
            continue;
        double end = fmod(middle + y, period);
        double slope = (end < up ? 1.0 : 0.0) - (middle < up ? 1.0 : 0.0);
        double at_middle = available(up, period, middle + x) - available(up, period, middle);
        double at_from = fmax(0.0, at_middle - slope * (middle - from));
        sum += over(d, (struct stretch){from, to, at_from, slope});
    }
    return sum / period;
}

static void pack(const struct phases *p, struct law_distribution *out)
{
    size_t states = p->states, size = 2 + (1 + GAUSS_NODES) * states;
    double *sums = must_alloc(states, sizeof *sums);
    memset(sums, 0, states * sizeof *sums);
    out->table_count = p->count * size;
    out->table = must_alloc(out->table_count, sizeof *out->table);
    for (size_t i = 0; i < p->count; i++) {
        struct phases_panel panel = p->panels[i];
        double *to = out->table + i * size;
        to[0] = panel.at;
        to[1] = panel.length;
        for (size_t j = 0; j < GAUSS_NODES; j++)
            for (size_t m = 0; m < states; m++)
                sums[m] += panel.length / 2.0 * gauss_weight[j] * panel.reach[j * states + m];
        memcpy(to + 2, sums, states * sizeof *to);
        memcpy(to + 2 + states, panel.reach, GAUSS_NODES * states * sizeof *to);
    }
    free(sums);
    out->parameters[STATES] = (double)states;
    out->parameters[PANELS] = (double)p->count;
}

static bool in_domain(const struct law_question *q, struct periods *periods, char why[LAW_WHY_SIZE])
{
    const struct open_load *load = q->load->kind.params;
    if (q->load->kind.type != &load_open.is || load->arrivals.type != &arrivals_poisson.is)
        return law_refuses(why, LAW_ELSEWHERE "an open load with Poisson arrivals.");
    if (q->server->service.type != &distribution_exponential.is)
        return law_refuses(why, LAW_ELSEWHERE "exponential service.");
    if (q->server->workers != 1)
        return law_refuses(why, LAW_ELSEWHERE "one worker.");
    if (!periods_of(q->server, periods, why))
        return false;
    if (!domain_whole_time(q, why))
        return false;
    if (q->server->replicas > 1)
        return law_refuses(why, "The load is shared by replicas, each with a queue of its own, and "
                                "the law is that of a single one.");
    if (((const struct exponential *)q->server->service.params)->mean_ns < NS_PER_US)
        return law_refuses(why,
                           "The mean service time is below 1 us, where rounding durations to whole "
                           "ns shows in the law.");
    return domain_serves_all(q, why) && periods_fill(q, *periods, why);
}

/* Whole periods from an empty start that cover the first stall and what follows it. */
static bool settle(struct periods periods, double settling, struct start_law *start)
{
    double count = ceil((double)(periods.begin_ns + periods.down_ns) / (double)periods.period_ns);
    count += settling;
    if (!(count * (double)periods.period_ns < 0x1p60))
        return false;
    *start =
        (struct start_law){.state = STATE_SETTLED, .settle_ns = (ns_t)count * periods.period_ns};
    return true;
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    struct periods periods;
    struct phases phases;
    if (!in_domain(q, &periods, why))
        return false;
    const struct open_load *load = q->load->kind.params;
    ns_t mean_ns = ((const struct exponential *)q->server->service.params)->mean_ns;
    struct utilisation u = domain_utilisation(pace_of(load->rate_per_s, load->every_ns), mean_ns);
    double up = (double)periods.up_ns / (double)mean_ns;
    double down = (double)periods.down_ns / (double)mean_ns;
    if (!(u.rho * (up + down) < up * (1.0 - 1e-9)))
        return law_refuses(why,
                           "The load is at or beyond what the server does between its stalls: "
                           "response times grow with the length of the run and have no stationary "
                           "law.");
    if (!phases_find((struct phases_queue){u.rho, 1.0, up, down}, &phases))
        return law_refuses(why, "The load is too near the server's capacity, or a period too long "
                                "beside a service, to compute the law in a few seconds.");
    bool settles = settle(periods, phases.settling, start);
    if (settles) {
        *out = (struct law_distribution){.tail = tail, .costly = true};
        pack(&phases, out);
        out->parameters[MEAN_NS] = (double)mean_ns;
        out->parameters[UP] = up;
        out->parameters[DOWN] = down;
        out->mean_ns = phases.mean / u.rho * (double)mean_ns;
        snprintf(out->note, sizeof out->note,
                 "Numerical: its shares are estimated to be exact to %.0e.", phases.error);
    } else {
        law_refuses(why, "The server takes more than 36 years to settle.");
    }
    phases_free(&phases);
    return settles;
}

const struct law_type law_stalled_open = {
    .is = {.name = "stalled-open",
           .says = "Poisson arrivals, one exponential worker, periodic suspend stalls"},
    .formula =
        "P(T > x) = (1/P) times the integral over phases u of the sum over m of e^(-mu B) (mu "
        "B)^m / m! P(N(u) >= m), B the available time in [u, u + x]; N birth-death while up, "
        "pure birth while not, and periodic",
    .symbols =
        "N(u) the number in system at phase u, P the time from one stall to the next, lambda "
        "the rate of arrivals, 1/mu the mean service time",
    .domain =
        "open load, poisson, from due; one worker, one periodic suspend stall of length D, no "
        "timeout, no full queue; lambda / mu < 1 - D/P; a duration of whole periods; mean "
        "service at least 1 us",
    .source =
        "uniformisation (A. Jensen, 1953) and the fixed point of the map of a period; Poisson "
        "arrivals are uniform in phase",
    .check = "1/mu = 5 ms, 100/s, D = 500 ms, P = 5.5 s: p50 = 9.43441768 ms, p90 = 245.000000 ms, "
             "p99.9 = 528.751312 ms, by eigen-decomposition",
    .distribution = holds,
};
