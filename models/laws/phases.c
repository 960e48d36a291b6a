/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/error.h"
#include "models/laws/gammas.h"

#define STEPS_MOST 5e8        /* multiplications: half a second */
#define VALUES_MOST 6000000.0 /* doubles kept */
#define EVENTS_AT_ONCE 256.0
#define SMOOTH 1e-13
#define LEFT_OUT 1e-18 /* probability of more than `states` */

/* Probabilities of N, with room to work. */
struct chain {
    double *now, *event, *next, *sum; /* owned */
    size_t states;
    double steps;
};

static struct chain chain_open(size_t states)
{
    struct chain c = {.states = states};
    c.now = must_alloc(states, sizeof *c.now);
    c.event = must_alloc(states, sizeof *c.event);
    c.next = must_alloc(states, sizeof *c.next);
    c.sum = must_alloc(states, sizeof *c.sum);
    memset(c.now, 0, states * sizeof *c.now);
    c.now[0] = 1.0;
    return c;
}

static void chain_close(struct chain *c)
{
    free(c->now);
    free(c->event);
    free(c->next);
    free(c->sum);
}

static void swap(double **a, double **b)
{
    double *kept = *a;
    *a = *b;
    *b = kept;
}

/* One event of the clock: an arrival with probability up, else a service; at the ends nothing. */
static void one_event(struct chain *c, double up, double down)
{
    size_t last = c->states - 1;
    c->next[0] = down * c->event[0] + down * c->event[1];
    for (size_t n = 1; n < last; n++)
        c->next[n] = up * c->event[n - 1] + down * c->event[n + 1];
    c->next[last] = up * c->event[last - 1] + up * c->event[last];
    swap(&c->event, &c->next);
}

static void pass(struct chain *c, double arrivals, double services, double time)
{
    double rate = arrivals + services, z = rate * time, passed = 0.0;
    double weight = exp(-z);
    memcpy(c->event, c->now, c->states * sizeof *c->now);
    memset(c->sum, 0, c->states * sizeof *c->sum);
    for (double k = 1.0;; k += 1.0) {
        for (size_t n = 0; n < c->states; n++)
            c->sum[n] += weight * c->event[n];
        c->steps += 5.0 * (double)c->states;
        passed += weight;
        if (k > z && weight < 1e-18)
            break;
        one_event(c, arrivals / rate, services / rate);
        weight *= z / k;
    }
    for (size_t n = 0; n < c->states; n++)
        c->now[n] = c->sum[n] / passed;
}

/* Lets time pass. */
static void evolve(struct chain *c, double arrivals, double services, double time)
{
    double parts = ceil((arrivals + services) * time / EVENTS_AT_ONCE);
    for (double i = 0.0; i < parts && c->steps < STEPS_MOST; i += 1.0)
        pass(c, arrivals, services, time / parts);
}

static void one_period(struct chain *c, struct phases_queue q)
{
    evolve(c, q.arrivals, q.services, q.up);
    evolve(c, q.arrivals, 0.0, q.down);
}

/* What the means of N still lack after a period, from the last two gains: a sum of geometric
   sequences whose ratios grow towards the largest; the share left of 1 - ratio is made smaller. */
struct approach {
    double gain, ratio, lacks;
};

static void approach_next(struct approach *a, double gain, double mean)
{
    if (a->gain > 1e-9 * (1.0 + mean) && gain > 0.0 && gain < a->gain)
        a->ratio = gain / a->gain;
    a->gain = gain;
    a->lacks = fmax(gain, 0.0) * a->ratio / (0.8 * (1.0 - a->ratio));
}

/* Follows periods from an empty server at the end of a stall.  An empty server never has more
   requests than a stationary one beside it, so the difference of the means bounds the probability
   that they differ. */
static bool find_periodic(struct chain *c, struct phases *out)
{
    struct approach a = {INFINITY, 0.0, INFINITY};
    double *before = must_alloc(c->states, sizeof *before);
    out->settling = 0.0;
    for (double periods = 1.0; c->steps < STEPS_MOST; periods += 1.0) {
        double gain = 0.0, mean = 0.0;
        memcpy(before, c->now, c->states * sizeof *before);
        one_period(c, out->queue);
        for (size_t n = c->states - 1; n > 0; n--) {
            gain += (double)n * (c->now[n] - before[n]);
            mean += (double)n * c->now[n];
        }
        approach_next(&a, gain, mean);
        if (periods < 2.0 || a.lacks > 1e-14 * (1.0 + mean))
            continue;
        out->settling = periods + 1.0;
        if (a.ratio > 0.0)
            out->settling += ceil(fmax(0.0, log(1e-14 * (1.0 + mean) / 1e-12) / -log(a.ratio)));
        out->error = a.lacks;
        break;
    }
    free(before);
    return out->settling > 0.0;
}

static void reach_of(const struct chain *c, double *reach)
{
    double sum = 0.0;
    for (size_t n = c->states; n-- > 0;) {
        sum += c->now[n];
        reach[n] = sum;
    }
}

/* The largest of the two highest coefficients in Legendre polynomials of what the nodes hold. */
static double roughness(const struct phases *p, const double *reach)
{
    double high[2][GAUSS_NODES], worst = 0.0;
    for (int j = 0; j < GAUSS_NODES; j++) {
        double before = 1.0, now = gauss_node[j];
        for (int k = 2; k < GAUSS_NODES; k++) {
            double next = ((2 * k - 1) * gauss_node[j] * now - (k - 1) * before) / k;
            before = now;
            now = next;
        }
        high[0][j] = gauss_weight[j] * before * (2 * GAUSS_NODES - 3) / 2.0;
        high[1][j] = gauss_weight[j] * now * (2 * GAUSS_NODES - 1) / 2.0;
    }
    for (size_t m = 1; m < p->states; m++) {
        double a = 0.0, b = 0.0;
        for (size_t j = 0; j < GAUSS_NODES; j++) {
            a += high[0][j] * reach[j * p->states + m];
            b += high[1][j] * reach[j * p->states + m];
        }
        worst = fmax(worst, fabs(a) + fabs(b));
    }
    return worst;
}

static double mean_of(const struct phases *p, const double *reach)
{
    double mean = 0.0;
    for (size_t j = 0; j < GAUSS_NODES; j++)
        for (size_t m = 1; m < p->states; m++)
            mean += gauss_weight[j] / 2.0 * reach[j * p->states + m];
    return mean;
}

/* One panel from where the chain is; on success the chain is at its end.  False: too rough. */
static bool add_panel(struct phases *p, struct chain *c, double services, double at, double length)
{
    double *reach = must_alloc(GAUSS_NODES * p->states, sizeof *reach), since = 0.0;
    double *kept = must_alloc(p->states, sizeof *kept);
    memcpy(kept, c->now, p->states * sizeof *kept);
    for (size_t j = 0; j < GAUSS_NODES; j++) {
        double offset = length * (1.0 + gauss_node[j]) / 2.0;
        evolve(c, p->queue.arrivals, services, offset - since);
        since = offset;
        reach_of(c, reach + j * p->states);
    }
    double rough = roughness(p, reach);
    if (rough > SMOOTH) {
        memcpy(c->now, kept, p->states * sizeof *kept);
        free(kept);
        free(reach);
        return false;
    }
    evolve(c, p->queue.arrivals, services, length - since);
    free(kept);
    if (p->count == p->capacity) {
        p->capacity = p->capacity == 0 ? 16 : 2 * p->capacity;
        p->panels = must_grow(p->panels, p->capacity, sizeof *p->panels);
    }
    p->panels[p->count++] = (struct phases_panel){at, length, reach};
    p->mean += mean_of(p, reach) * length / (p->queue.up + p->queue.down);
    p->error = fmax(p->error, rough);
    return true;
}

/* Panels over [from, to), halved where too rough and doubled after. */
static bool add_panels(struct phases *p, struct chain *c, double services, double from, double to)
{
    double length = fmin(to - from, 4.0 / (p->queue.arrivals + services));
    for (double at = from; at < to;) {
        bool last = at + length * 1.000001 >= to;
        if (last)
            length = to - at;
        if (c->steps >= STEPS_MOST || length < 1e-12 * (to - from) ||
            (double)(p->count + 1) * GAUSS_NODES * (double)p->states > VALUES_MOST)
            return false;
        if (!add_panel(p, c, services, at, length)) {
            length /= 2.0;
            continue;
        }
        if (last)
            break;
        at += length;
        length *= 2.0;
    }
    return true;
}

void phases_free(struct phases *p)
{
    for (size_t i = 0; i < p->count; i++)
        free(p->panels[i].reach);
    free(p->panels);
}

/* With so many states: 1 found, 0 not in the time, -1 not enough of them. */
static int try_states(struct phases *out, struct phases_queue queue, size_t states, double *steps)
{
    *out = (struct phases){.queue = queue, .states = states};
    struct chain c = chain_open(states);
    c.steps = *steps;
    int found = find_periodic(&c, out) ? 1 : 0;
    if (found == 1 && c.now[states - 1] > LEFT_OUT)
        found = -1;
    if (found == 1 && (!add_panels(out, &c, queue.services, 0.0, queue.up) ||
                       !add_panels(out, &c, 0.0, queue.up, queue.up + queue.down)))
        found = 0;
    *steps = c.steps;
    chain_close(&c);
    if (found != 1)
        phases_free(out);
    return found;
}

/* N's tail falls by the utilisation of the time up, from about what a stall leaves. */
bool phases_find(struct phases_queue queue, struct phases *out)
{
    double period = queue.up + queue.down, steps = 0.0;
    double load = queue.arrivals * period / (queue.services * queue.up);
    double burst = queue.arrivals * queue.down;
    double states = burst + 9.0 * sqrt(burst) + 20.0 - 42.0 / log(load);
    for (int found = -1; found == -1; states *= 1.4) {
        if (!(states < 100000.0))
            return false;
        found = try_states(out, queue, (size_t)states, &steps);
        if (found != -1)
            return found == 1;
    }
    return false;
}
