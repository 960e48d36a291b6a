/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A closed loop served in random order: how often a request is passed over.

   The workers begin together, in rounds of one service.  While sending goes on, c of the N that are
   there are picked in each round.  When it has ended the N become fewer by c a round, so those sent
   last are passed over less often; how many requests are sent so long before the end is known.

   Let b = 1 - c/N and B(i) the probability of being passed over i times from the first round that
   fewer than N stand before.  A request with d full rounds ahead of it is passed over j times with
   probability b^j while j <= d, and b^d B(j - d) beyond.  There are c with d = 1, as many with
   d = 2, and so on up to D; and, where a count ends the run, r < c with d = 0.  So of all of them
   together, with g(i) = B(i) / b^i, which stays below e,

       c b^j (max(D - j, 0) + g(i) + ... + g(j - 1)) + r B(j),    i = max(j - D, 0),

   are beyond j rounds. */
#include <math.h>
#include <string.h>

#include "models/laws/mechanisms.h"
#include "models/laws/saturated.h"

/* Clients for each worker; more rounds than that are not computed. */
#define ROUNDS_MOST 1000000

/* What ends the run. */
struct ending {
    double service_ns, passed_over; /* S, b */
    double full, last;              /* D, r */
    double workers, rounds;         /* c; how long the last requests may take, in rounds */
};
_Static_assert(sizeof(struct ending) <= sizeof(((struct law_distribution *)0)->parameters),
               "a law's parameters hold how the run ends");

/* Three columns of `rounds`: g(i), the sum of g up to i, and that from i on. */
enum { TERM, UP_TO, FROM, COLUMNS };

static double column(const struct law_distribution *d, const struct ending *e, size_t which,
                     double i)
{
    return i < e->rounds ? d->table[which * (size_t)e->rounds + (size_t)i] : 0.0;
}

/* P(passed over at least j times). */
static double passed(const struct law_distribution *d, double j)
{
    struct ending e;
    memcpy(&e, d->parameters, sizeof e);
    if (j <= 0.0)
        return 1.0;
    double sum = fmax(e.full - j, 0.0), first = fmax(j - e.full, 0.0);
    if (j >= e.rounds)
        sum += column(d, &e, FROM, first);
    else
        sum +=
            column(d, &e, UP_TO, j - 1.0) - (first > 0.0 ? column(d, &e, UP_TO, first - 1.0) : 0.0);
    sum = e.workers * sum + e.last * column(d, &e, TERM, j);
    return pow(e.passed_over, j) * sum / (e.workers * e.full + e.last);
}

static double tail(const struct law_distribution *d, double x_ns)
{
    return x_ns < 0.0 ? 1.0 : passed(d, floor(x_ns / d->parameters[0]));
}

static double tail_from(const struct law_distribution *d, double x_ns)
{
    return passed(d, ceil(x_ns / d->parameters[0]) - 1.0);
}

/* The requests with D and r of them; false, and why, where none is asked about. */
static bool counts(const struct law_question *q, const struct saturated *s, struct ending *out,
                   char why[LAW_WHY_SIZE])
{
    uint64_t sends = UINT64_MAX, last = 0;
    uint64_t early = q->warmup_ns / s->service_ns; /* the run begins when time 0 is over */
    if (q->run->requests != 0) {
        sends = q->run->requests / s->workers;
        last = q->run->requests % s->workers;
    }
    if (q->run->duration_ns != 0 && q->run->duration_ns / s->service_ns <= sends) {
        sends = q->run->duration_ns / s->service_ns;
        last = 0;
    }
    if (early > sends || (early == sends && last == 0))
        return law_refuses(why, "Nothing is sent after the warm-up.");
    out->full = (double)(sends - early);
    out->last = (double)last;
    return true;
}

/* Fills the table; returns how many rounds the last requests take in the mean. */
static double empty_out(struct law_distribution *out, const struct saturated *s, struct ending *e)
{
    double present = (double)(s->clients - s->workers) + e->last;
    double beyond = 1.0, mean = 0.0, scale = 1.0;
    size_t rows = 0, most = (size_t)(s->clients / s->workers) + 2;
    double *g = must_alloc(COLUMNS * most, sizeof *g);
    for (; rows < most && beyond > 0.0; rows++, present -= e->workers) {
        g[rows] = beyond / scale;
        mean += beyond;
        beyond *= present > e->workers ? 1.0 - e->workers / present : 0.0;
        scale *= e->passed_over;
    }
    for (size_t i = 0; i < rows; i++) {
        g[UP_TO * rows + i] = g[i] + (i > 0 ? g[UP_TO * rows + i - 1] : 0.0);
        size_t k = rows - 1 - i;
        g[FROM * rows + k] = g[k] + (i > 0 ? g[FROM * rows + k + 1] : 0.0);
    }
    e->rounds = (double)rows;
    out->table = g;
    out->table_count = COLUMNS * rows;
    return mean;
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    struct saturated s;
    struct ending e = {0};
    if (!saturated_of(q, &queue_random, &s, why) || !counts(q, &s, &e, why))
        return false;
    if (s.clients / s.workers > ROUNDS_MOST)
        return law_refuses(why, "There are more than 1,000,000 clients for each worker.");
    double round = (double)s.clients / (double)s.workers;
    *out = (struct law_distribution){.tail = tail, .tail_from = tail_from};
    e.service_ns = (double)s.service_ns;
    e.passed_over = (double)(s.clients - s.workers) / (double)s.clients;
    e.workers = (double)s.workers;
    double last = empty_out(out, &s, &e);
    /* d full rounds: 1/(1-b) of them in the mean, less b^d of those that do not follow */
    double cut = e.passed_over * -expm1(e.full * log(e.passed_over)) * round;
    double sum = e.workers * (e.full * round - (round - last) * cut) + e.last * last;
    out->mean_ns = e.service_ns * sum / (e.workers * e.full + e.last);
    memcpy(out->parameters, &e, sizeof e);
    /* Those sent at time 0 find workers idle; every later one is one of N. */
    *start = (struct start_law){.state = STATE_SETTLED, .settle_ns = 1};
    return true;
}

const struct law_type law_closed_random_order = {
    .is = {.name = "closed-random-order",
           .says = "a closed loop served in random order, constant service: geometric, less at the "
                   "end of the run"},
    .formula =
        "P(V > k S) = (1 - c/N)^k while sending goes on; then N, N - c, N - 2c .. are there, "
        "and the mean over all that the run sends is taken",
    .symbols = "N clients, c workers, S service (ns)",
    .domain = "queue random; closed load of more clients than workers, no think time, no stagger, "
              "from the send; constant service, one server, no stalls, no timeout; requests sent "
              "after time 0",
    .source = "at each round c of those that wait, the ones that have just come included, are "
              "taken at random",
    .check = "N = 128, c = 1, S = 17544 ns, endless: p50 = 89 S = 1.561416 ms, mean 2.245632 ms, "
             "equal to that of first come, first served",
    .knows = KNOWS(ORDER),
    .distribution = holds,
};
