/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/another.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/laws/domain.h"
#include "models/laws/workers.h"

struct another *another_of(const struct law_question *q)
{
    struct another *another = must_alloc(1, sizeof *another);
    *another = (struct another){.asked = *q, .server = *q->server, .load = *q->load};
    another->asked.server = &another->server;
    another->asked.load = &another->load;
    return another;
}

void another_free(struct another *another)
{
    if (another != NULL)
        free(another->stalls);
    free(another);
}

/* The constant that a choice is, if it is one. */
static bool constant_of(struct choice think, ns_t *value_ns)
{
    *value_ns = 0;
    if (think.type == NULL)
        return true;
    if (think.type != &distribution_constant.is)
        return false;
    *value_ns = ((const struct constant *)think.params)->value_ns;
    return true;
}

bool another_thinks(struct another *another, ns_t more_ns, char why[LAW_WHY_SIZE])
{
    struct load_plan *load = &another->load;
    struct choice thinks = {&distribution_constant.is, &another->think};
    ns_t think_ns = 0;
    bool constant = true;
    if (load->kind.type == &load_closed.is) {
        another->closed = *(const struct closed_load *)load->kind.params;
        constant = constant_of(another->closed.think, &think_ns);
        another->closed.think = thinks;
        load->kind.params = &another->closed;
    } else if (load->kind.type == &load_sessions.is) {
        another->sessions = *(const struct sessions_load *)load->kind.params;
        constant = constant_of(another->sessions.think, &think_ns);
        another->sessions.think = thinks;
        load->kind.params = &another->sessions;
    } else if (load->kind.type != &load_open.is || !domain_sent_when_due(load)) {
        return law_refuses(why, "Connections are held while an answer is on its way or worked on, "
                                "and for a limited number of them that has no law here.");
    }
    another->think.value_ns = think_ns + more_ns;
    if (!constant)
        return law_refuses(why, "The clients think for a random time, and its sum with the time "
                                "an answer takes to reach them has no law here.");
    return true;
}

/* ---- a constant more ---- */

static const struct law_distribution *under(const struct law_distribution *d, double x_ns,
                                            double *rest_ns)
{
    *rest_ns = x_ns - d->parameters[0];
    return d->under;
}

static double tail(const struct law_distribution *d, double x_ns)
{
    double rest_ns;
    const struct law_distribution *first = under(d, x_ns, &rest_ns);
    return rest_ns < 0.0 ? 1.0 : first->tail(first, rest_ns);
}

static double tail_from(const struct law_distribution *d, double x_ns)
{
    double rest_ns;
    const struct law_distribution *first = under(d, x_ns, &rest_ns);
    return rest_ns <= 0.0 ? 1.0 : first->tail_from(first, rest_ns);
}

static double inflation(const struct law_distribution *d, double p, double q)
{
    return d->under->inflation(d->under, p, q);
}

static double inflation_bound(const struct law_distribution *d, double p, double q)
{
    return d->under->inflation_bound(d->under, p, q);
}

static void add_constant(struct law *law, ns_t by_ns)
{
    if (law->shape == LAW_EXACT) {
        struct multiset *set = &law->values;
        for (size_t i = 0; i < set->count; i++)
            set->items[i].first += (i128)by_ns * (i128)set->den;
        return;
    }
    struct law_distribution *first = must_alloc(1, sizeof *first);
    *first = law->distribution;
    law->distribution = (struct law_distribution){
        .tail = tail,
        .tail_from = first->tail_from != NULL ? tail_from : NULL,
        .inflation = first->inflation != NULL ? inflation : NULL,
        .inflation_bound = first->inflation_bound != NULL ? inflation_bound : NULL,
        .mean_ns = first->mean_ns + (double)by_ns,
        .costly = first->costly,
        .under = first};
    law->distribution.parameters[0] = (double)by_ns;
}

bool another_law(struct another *another, ns_t by_ns, struct law *out, char why[LAW_WHY_SIZE])
{
    law_find(&another->asked, out);
    if (out->shape == LAW_NONE) {
        memcpy(why, out->why, LAW_WHY_SIZE);
        another_free(another);
        return false;
    }
    add_constant(out, by_ns);
    if (out->shape == LAW_EXACT) {
        another_free(another);
        return true;
    }
    free(another->stalls); /* only exact laws walk over stalls, and only while they answer */
    another->stalls = NULL;
    out->distribution.lent = another; /* the law underneath may borrow its parameters */
    snprintf(out->distribution.note, LAW_NOTE_SIZE, "The law underneath is %s.",
             out->type->is.name);
    return true;
}

/* From an empty start, after which the server of a Poisson load is stationary to within 1e-12; 0
   where that is not known.

   Constant service: an empty queue and a stationary one under the same arrivals are one from when
   the latter is empty.  That takes longer than t with probability at most E e^(a V) e^(-r t), r =
   a - lambda (e^(a S) - 1), by Chernoff's bound on the work V there and all that has come; the best
   a is ln(1/rho) / S, and E e^(a V) = (1 - rho) a / r by Pollaczek and Khinchine. */
static double settle_ns(const struct law_question *q)
{
    struct pace pace;
    struct workers workers;
    char why[LAW_WHY_SIZE];
    if (!domain_poisson_pace(q, &pace, why) || q->server->workers != 1)
        return 0.0;
    if (q->server->service.type == &distribution_exponential.is) {
        ns_t mean_ns = ((const struct exponential *)q->server->service.params)->mean_ns;
        bool known = workers_of(pace, mean_ns, 1, &workers, why) && workers_stable(&workers, why);
        return known ? (double)workers_settle(&workers, UNLIMITED).settle_ns : 0.0;
    }
    if (q->server->service.type != &distribution_constant.is)
        return 0.0;
    ns_t service_ns = ((const struct constant *)q->server->service.params)->value_ns;
    struct utilisation u = domain_utilisation(pace, service_ns);
    double a = -log(u.rho), r = a - u.spare; /* both times S */
    return u.stable && r > 0.0 ? log(1e12 * u.spare * a / r) / r * (double)service_ns : 0.0;
}

void another_later(struct law *law, ns_t by_ns)
{
    if (law->shape != LAW_RANDOM)
        return;
    const struct another *other = law->distribution.lent;
    double settles_ns;
    switch (law->start.state) {
    case STATE_NONE:
    case STATE_IDLE:
    case STATE_ANY: return;
    case STATE_SETTLED: law->start.settle_ns += by_ns; return;
    case STATE_RESIDUALS:
    case STATE_EPOCH:
    case STATE_CLIENTS:
        settles_ns = settle_ns(&other->asked);
        law->start = (struct start_law){.state = STATE_NONE};
        if (settles_ns > 0.0 && settles_ns < (double)NS_LIMIT / 16.0)
            law->start = (struct start_law){.state = STATE_SETTLED,
                                            .settle_ns = (ns_t)settles_ns + 1 + by_ns};
        return;
    }
    BUG("a start state outside its enum");
}
