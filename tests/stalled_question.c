/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/stalled_question.h"

void stall_periodically(struct asked *a, ns_t first_ns, ns_t every_ns, ns_t last_ns,
                        uint64_t periods)
{
    a->stall = (struct stall){
        .mode = &stall_suspend, .first_ns = first_ns, .every_ns = every_ns, .last_ns = last_ns};
    a->server.stall_count = 1;
    a->run.requests = 0;
    a->run.duration_ns = periods * every_ns;
}

void stall_randomly(struct stalled *s, ns_t up_ns, ns_t down_ns)
{
    s->up.mean_ns = up_ns;
    s->down.mean_ns = down_ns;
    s->a.stall = (struct stall){.mode = &stall_suspend,
                                .up = {&distribution_exponential.is, &s->up},
                                .down = {&distribution_exponential.is, &s->down}};
    s->a.server.stall_count = 1;
}

void think(struct stalled *s, ns_t mean_ns)
{
    s->think.mean_ns = mean_ns;
    s->a.closed.think = (struct choice){&distribution_exponential.is, &s->think};
}

/* The mean is the integral of the tail. */
void mean_is_area_to(const struct law *law, double relative)
{
    const struct law_distribution *d = &law->distribution;
    double step = d->mean_ns / 400.0, sum = 0.5;
    for (double i = 1.0; i < 1e6; i += 1.0) {
        double t = d->tail(d, i * step);
        sum += t;
        if (t < 1e-13)
            break;
    }
    near(sum * step, d->mean_ns, relative);
}

void mean_is_area(const struct law *law)
{
    mean_is_area_to(law, 1e-5);
}

void tails_fall(const struct law *law, double to_ns)
{
    const struct law_distribution *d = &law->distribution;
    double last = 1.0;
    for (int i = 0; i <= 400; i++) {
        double t = d->tail(d, to_ns * i / 400.0);
        assert_true(t >= 0.0 && t <= last + 1e-13);
        last = t;
    }
    assert_true(d->tail(d, 1e300) <= 1e-20);
    assert_true(d->tail(d, -1.0) == 1.0);
}
