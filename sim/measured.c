/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"

/* The first look, and the last: from then on the percentile stays. */
#define FIRST_LOOK 100
#define LAST_LOOK 102400

static int by_size(const void *a, const void *b)
{
    ns_t x = *(const ns_t *)a, y = *(const ns_t *)b;
    return (x > y) - (x < y);
}

/* By nearest rank: p is a percentile, 0 .. 100. */
static void look(struct measured *m, struct ratio p)
{
    ns_t *sorted_ns = must_alloc((size_t)m->count, sizeof *sorted_ns);
    memcpy(sorted_ns, m->times_ns, (size_t)m->count * sizeof *sorted_ns);
    qsort(sorted_ns, (size_t)m->count, sizeof *sorted_ns, by_size);
    u128 above = (u128)p.num * m->count, below = (u128)p.den * 100;
    size_t rank = (size_t)((above + below - 1) / below);
    m->percentile_ns = sorted_ns[rank - 1];
    m->known = true;
    free(sorted_ns);
}

void measured_add(struct sim *sim, ns_t time_ns)
{
    struct measured *m = &sim->measured;
    if (sim->resend == NULL || sim->resend->percentile.num == 0 || m->count == LAST_LOOK)
        return;
    if (m->next == 0)
        m->next = FIRST_LOOK;
    if (m->count == 0 || m->count == m->next / 2)
        m->times_ns = must_grow(m->times_ns, (size_t)m->next, sizeof *m->times_ns);
    m->times_ns[m->count++] = time_ns;
    if (m->count < m->next)
        return;
    look(m, sim->resend->percentile);
    m->next *= 2;
}
