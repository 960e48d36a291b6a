/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/unqueued.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/laws/domain.h"
#include "models/laws/integral.h"

_Static_assert(sizeof(struct unqueued) <= sizeof(((struct law_distribution *)0)->parameters),
               "a law's parameters hold its services");

bool unqueued_question(const struct law_question *q, struct unqueued *out, char why[LAW_WHY_SIZE])
{
    const struct distribution_type *service = distribution(q->server->service);
    if (q->to != INSTANT_FINISHED || !domain_from_send(q))
        return law_refuses(why, "The law is that of the time from the send to the answer.");
    if (domain_stalls(q->server))
        return law_refuses(why, "The server has stalls, and the law is that of one without.");
    if (service->tail == NULL)
        return law_refuses(why, "The service times are a list taken in turn: they have no law.");
    if (q->load->timeout_ns != 0)
        return law_refuses(why, "The client gives up after a timeout, which cuts the law's tail.");
    if (q->run->cut_ns != 0)
        return law_refuses(why, "The run is cut, and a cut loses long responses first.");
    *out = (struct unqueued){.service = service, .params = q->server->service.params};
    return true;
}

double unqueued_service_tail(const struct unqueued *u, double x_ns)
{
    return x_ns < 0.0 ? 1.0 : u->service->tail(u->params, x_ns);
}

void unqueued_keep(struct law_distribution *d, struct unqueued u)
{
    memcpy(d->parameters, &u, sizeof u);
}

struct unqueued unqueued_of(const struct law_distribution *d)
{
    struct unqueued u;
    memcpy(&u, d->parameters, sizeof u);
    return u;
}

double unqueued_tail_from(const struct law_distribution *d, double x_ns)
{
    return d->tail(d, nextafter(x_ns, -1.0));
}

double unqueued_inflation(const struct law_distribution *d, double p, double q)
{
    (void)d;
    (void)p;
    (void)q;
    return 1.0;
}

static double tail_of(const void *context, double x_ns)
{
    const struct law_distribution *d = context;
    return d->tail(d, x_ns);
}

/* Where the tail of one service jumps or bends; how many places, at most 2. */
static size_t bends(const struct unqueued *u, double at_ns[2])
{
    const struct variant *type = &u->service->is;
    if (type == &distribution_constant.is) {
        at_ns[0] = (double)((const struct constant *)u->params)->value_ns;
        return 1;
    }
    if (type == &distribution_two_point.is) {
        const struct two_point *t = u->params;
        at_ns[0] = (double)t->usual_ns;
        at_ns[1] = (double)t->rare_ns;
        return 2;
    }
    if (type == &distribution_uniform.is) {
        const struct uniform *f = u->params;
        at_ns[0] = (double)f->low_ns;
        at_ns[1] = (double)f->high_ns;
        return 2;
    }
    if (strcmp(type->name, "pareto") == 0) {
        at_ns[0] = (double)((const struct pareto *)u->params)->minimum_ns;
        return 1;
    }
    return 0;
}

double unqueued_mean_ns(const struct law_distribution *d)
{
    struct unqueued u = unqueued_of(d);
    double at_ns[2], scale_ns = u.service->mean_ns(u.params);
    size_t each = bends(&u, at_ns), count = 0, sends = u.after_ns == 0 ? 1 : (size_t)u.count;
    double *breaks = must_alloc(sends * (each + 1), sizeof *breaks);
    for (size_t j = 0; j < sends; j++) {
        double sent_ns = (double)j * (double)u.after_ns;
        breaks[count++] = sent_ns;
        for (size_t i = 0; i < each; i++)
            breaks[count++] = sent_ns + at_ns[i];
    }
    double mean_ns = scale_ns > 0.0 ? integral_of_tail(tail_of, d, scale_ns,
                                                       (struct integral_breaks){breaks, count})
                                    : 0.0;
    free(breaks);
    return mean_ns;
}
