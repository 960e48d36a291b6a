/* SPDX-License-Identifier: GPL-3.0-or-later */
/* N clients that never think, one exponential worker that is up and down for exponential times in
   turn.

   Sends happen at answers, when the worker is up, and all N are at the server: each finds the same
   state, whatever came before it, and waits for N completions.  One completion is a service and the
   stalls that fall into it, a mixture of two exponentials of rates r1 < beta < r2.  Counted in
   events of a clock of rate r2, the faster one lasts one event and the slower one a geometric
   number, each the last with probability r1 / r2.  So the tail is a mixture of Poisson
   probabilities with the survival function of the number of events in N completions, found event by
   event; all terms are positive. */
#include <math.h>
#include <stdlib.h>

#include "models/distributions/distribution.h"
#include "models/laws/domain.h"
#include "models/laws/gammas.h"
#include "models/laws/updown.h"
#include "models/loads/load.h"

enum { RATE };

#define EVENTS_MOST (UINT64_C(1) << 21)
#define STEPS_MOST UINT64_C(400000000)
#define NOTHING 1e-40 /* probabilities below it are left out */
#define ENOUGH 1e-30  /* the survival function goes on down to it */

static double tail(const struct law_distribution *d, double x_ns)
{
    if (x_ns <= 0.0)
        return 1.0;
    return poisson_mixture(d->parameters[RATE] * x_ns, d->table, d->table_count);
}

/* A completion at an event of the clock: of one just begun, and of one known to be of the slower
   kind. */
struct completion {
    double rate, fresh, slow;
};

/* The roots of r^2 - (mu + alpha + beta) r + mu beta, written from beta so that nothing cancels. */
static struct completion completion_of(struct updown server)
{
    double mu = 1.0 / server.service_ns, alpha = 1.0 / server.up_ns, beta = 1.0 / server.down_ns;
    double middle = (mu + alpha - beta) / 2.0, apart = hypot(middle, sqrt(alpha * beta));
    double above = middle > 0.0 ? middle + apart : alpha * beta / (apart - middle);
    double fast = beta + above, slow = mu * beta / fast;
    double weight_slow = mu * (alpha * beta / above) / (slow * 2.0 * apart);
    double weight_fast = mu * above / (fast * 2.0 * apart);
    return (struct completion){fast, weight_fast + weight_slow * (slow / fast), slow / fast};
}

/* Who is left: with n completions to go, the present one just begun or known to be slow. */
struct left {
    double *fresh, *slow; /* by n, 1 .. clients */
    size_t low, high;     /* n outside is as good as impossible */
};

/* One event; returns the probability that something is left. */
static double one_event(struct left *l, struct completion c)
{
    double sum = 0.0, stays = 1.0 - c.fresh, stays_slow = 1.0 - c.slow;
    if (l->low > 1)
        l->low--;
    for (size_t n = l->low; n <= l->high; n++) {
        double ended = 0.0;
        if (n < l->high)
            ended = c.fresh * l->fresh[n + 1] + c.slow * l->slow[n + 1];
        l->slow[n] = stays_slow * l->slow[n] + stays * l->fresh[n];
        l->fresh[n] = ended;
        sum += l->slow[n] + ended;
    }
    while (l->high > 1 && l->fresh[l->high] + l->slow[l->high] < NOTHING)
        l->high--;
    return sum;
}

/* The probability that more than m events pass, m = 0, 1, ...; NULL where there are too many. */
static double *survival(size_t clients, struct completion c, size_t *count)
{
    size_t capacity = 1024;
    uint64_t steps = 0;
    struct left l = {must_alloc(clients + 1, sizeof(double)),
                     must_alloc(clients + 1, sizeof(double)), clients, clients};
    for (size_t n = 0; n <= clients; n++)
        l.fresh[n] = l.slow[n] = 0.0;
    l.fresh[clients] = 1.0;
    double *table = must_alloc(capacity, sizeof *table), still = 1.0;
    *count = 0;
    while (still > ENOUGH && *count < EVENTS_MOST && steps < STEPS_MOST) {
        if (*count == capacity) {
            capacity *= 2;
            table = must_grow(table, capacity, sizeof *table);
        }
        table[(*count)++] = still;
        still = one_event(&l, c);
        steps += l.high - l.low + 1;
    }
    free(l.fresh);
    free(l.slow);
    if (still <= ENOUGH)
        return table;
    free(table);
    return NULL;
}

static bool in_domain(const struct law_question *q, struct updown *server, char why[LAW_WHY_SIZE])
{
    const struct closed_load *load = q->load->kind.params;
    if (q->load->kind.type != &load_closed.is)
        return law_refuses(why, LAW_ELSEWHERE "a closed loop.");
    if (!updown_of(q->server, server, why))
        return false;
    if (!domain_from_due(q))
        return law_refuses(why, LAW_ELSEWHERE "the time from the send to the answer.");
    if (!domain_no_think(load))
        return law_refuses(why,
                           "The clients think between requests, and with random stalls the law "
                           "is that of clients that never do.");
    if (load->stagger_ns != 0)
        return law_refuses(why, "The clients do not all start at once, and it takes a while until "
                                "all of them are at the server.");
    return domain_serves_all(q, why);
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    struct updown server;
    size_t count;
    if (!in_domain(q, &server, why))
        return false;
    uint64_t clients = ((const struct closed_load *)q->load->kind.params)->clients;
    struct completion c = completion_of(server);
    if (clients > EVENTS_MOST || !(c.slow > 40.0 / (double)EVENTS_MOST))
        return law_refuses(why,
                           "The stalls are too long beside a service, or the clients too many, "
                           "to follow them event by event.");
    double *table = survival((size_t)clients, c, &count);
    if (table == NULL)
        return law_refuses(why,
                           "The stalls are too long beside a service, or the clients too many, "
                           "to follow them event by event.");
    *out = (struct law_distribution){.tail = tail, .table = table, .table_count = count};
    out->parameters[RATE] = c.rate;
    out->mean_ns = (double)clients * server.service_ns * (1.0 + server.down_ns / server.up_ns);
    *start = (struct start_law){.state = STATE_CLIENTS};
    return true;
}

const struct law_type law_updown_closed = {
    .is = {.name = "updown-closed",
           .says =
               "N clients that never think, one exponential worker, up and down for exponential "
               "times"},
    .formula =
        "T is the sum of N completions of transform mu (z + beta) / (z^2 + (mu + alpha + beta) "
        "z + mu beta); mean N/mu (1 + alpha/beta)",
    .symbols =
        "N clients, 1/mu the mean service time, 1/alpha and 1/beta the mean times up and down",
    .domain =
        "closed load, no think time, no stagger, from the send; one worker, one random suspend "
        "stall, no timeout, no full queue; all means at least 1 us; at most some ten thousand "
        "clients, and stalls of at most some ten thousand services",
    .source = "B. Avi-Itzhak, P. Naor, Oper. Res. 11 (1963): completion times",
    .check =
        "N = 1, 1/mu = 1, 1/alpha = 50, 1/beta = 10: two exponentials, mean 1.2; any N: the sum "
        "over k stalls of their negative binomial probability times the tail of Erlang(N + k, mu "
        "+ alpha) + Erlang(k, beta)",
    .distribution = holds,
};
