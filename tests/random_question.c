/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "tests/random_question.h"

static void ask_server(struct asked *a)
{
    a->server.workers = 1;
    a->server.queue_limit = UNLIMITED;
    a->server.stalls = &a->stall;
    a->run.requests = 1000;
    a->q = (struct law_question){.server = &a->server,
                                 .load = &a->load,
                                 .run = &a->run,
                                 .from = INSTANT_DUE,
                                 .to = INSTANT_FINISHED};
}

void serve_exponential(struct asked *a, ns_t mean_ns)
{
    a->exponential.mean_ns = mean_ns;
    a->server.service = (struct choice){&distribution_exponential.is, &a->exponential};
}

void serve_constant(struct asked *a, ns_t value_ns)
{
    a->constant.value_ns = value_ns;
    a->server.service = (struct choice){&distribution_constant.is, &a->constant};
}

void offer_open(struct asked *a, const struct arrivals_type *arrivals_type, ns_t every_ns)
{
    ask_server(a);
    a->open = (struct open_load){
        .every_ns = every_ns, .arrivals = {&arrivals_type->is, NULL}, .max_in_flight = UNLIMITED};
    a->load.kind = (struct choice){&load_open.is, &a->open};
}

void offer_open_rate(struct asked *a, const struct arrivals_type *arrivals_type, const char *per_s)
{
    offer_open(a, arrivals_type, 0);
    assert_true(ratio_parse(per_s, strlen(per_s), &a->open.rate_per_s));
}

void offer_closed(struct asked *a, uint64_t clients)
{
    ask_server(a);
    a->closed = (struct closed_load){.clients = clients,
                                     .think = {&distribution_constant.is, &a->constant}};
    a->load.kind = (struct choice){&load_closed.is, &a->closed};
}

void offer_paced(struct asked *a, ns_t every_ns, uint64_t connections)
{
    ask_server(a);
    a->paced = (struct paced_load){.every_ns = every_ns,
                                   .connections = connections,
                                   .late = {&late_catch_up.is, &a->catch_up}};
    a->load.kind = (struct choice){&load_paced.is, &a->paced};
}

struct law found(const struct asked *a, const char *name)
{
    struct law law;
    law_find(&a->q, &law);
    assert_int_equal(law.shape, LAW_RANDOM);
    assert_string_equal(law.type->is.name, name);
    return law;
}

void refused(const struct asked *a, const char *word)
{
    struct law law;
    law_find(&a->q, &law);
    if (law.shape != LAW_NONE || strstr(law.why, word) == NULL)
        fail_msg("shape %d, why \"%s\", wanted \"%s\"", (int)law.shape, law.why, word);
    law_free(&law);
}

void near(double got, double wanted, double relative)
{
    if (!(fabs(got - wanted) <= relative * fabs(wanted)))
        fail_msg("%.17g, wanted %.17g to %g", got, wanted, relative);
}

struct ratio level(const char *percent)
{
    struct ratio r;
    assert_true(ratio_parse(percent, strlen(percent), &r));
    return ratio_make(r.num, r.den * 100);
}

double quantile(const struct law *law, const char *percent)
{
    return law_quantile(law, level(percent));
}

void percentiles_are_first(const struct law *law)
{
    const char *percents[] = {"0.01", "1", "25", "50", "90", "99", "99.9", "99.99", "99.9999999"};
    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
        struct ratio p = level(percents[i]);
        double q = (double)(p.den - p.num) / (double)p.den;
        ns_t x_ns = law_percentile(law, p);
        assert_true(law_tail(law, x_ns) <= q * (1.0 + 1e-11));
        assert_true(x_ns == 0 || law_tail(law, x_ns - 1) > q * (1.0 - 1e-11));
    }
    assert_int_equal(law_percentile(law, (struct ratio){1, 1}), NS_LIMIT);
    assert_true(law_tail(law, law_percentile(law, (struct ratio){0, 1})) < 1.0);
}
