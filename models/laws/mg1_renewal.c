/* SPDX-License-Identifier: GPL-3.0-or-later */
/* With G(u) = P(S > u), the tail of the response T of an M/G/1 queue is the solution of
       P(T > t) = lambda int_t^inf G + (1-rho) G(t) + lambda int_0^t P(T > t-u) G(u) du,
   the renewal equation of Pollaczek and Khinchine's geometric sum of residual services with the
   service itself added on both sides.  Every term is positive, so the tail keeps its digits however
   small it is.  It is solved from left to right in pieces, by collocation at Gauss's points; pieces
   begin where the solution has a jump or kink, at sums of those of G, and are as long as the
   polynomial through their points allows.  After each piece the equation is checked at a point
   between, and what it is off by, summed over all pieces, is the error stated. */
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/laws/mg1.h"
#include "models/laws/mg1_service.h"

enum { POINTS = 16, PIECES_MOST = 1500, ROW = POINTS + 2, LEVELS = 10, STEEP_MOST = 400 };

/* Where the table ends, and the least tail whose own digits count. */
#define SMALLEST_TAIL 1e-15
#define SMALLEST_EXACT 1e-12

/* A piece [start, end) and the solution at its Gauss points. */
struct piece {
    double start, end;
    double at[POINTS];
};

/* Gauss's points on [-1, 1], their weights, and the weights of the interpolation through them. */
struct rule {
    double x[POINTS], weight[POINTS], barycentric[POINTS];
    double legendre[2][POINTS]; /* the last two Legendre coefficients, from the values */
};

struct solver {
    struct mg1_service service;
    struct mg1_traffic traffic;
    struct rule rule;
    struct piece *pieces;
    size_t count;
    double *breaks; /* ascending */
    size_t break_count;
    double error;
};

static double legendre(int n, double x)
{
    double before = 1.0, here = x;
    for (int k = 1; k < n; k++) {
        double next = ((2 * k + 1) * x * here - k * before) / (k + 1);
        before = here;
        here = next;
    }
    return here;
}

static void rule_init(struct rule *r)
{
    gsl_integration_glfixed_table *t = gsl_integration_glfixed_table_alloc(POINTS);
    for (size_t i = 0; i < POINTS; i++) {
        gsl_integration_glfixed_point(-1.0, 1.0, i, &r->x[i], &r->weight[i], t);
        r->barycentric[i] = (i % 2 ? -1.0 : 1.0) * sqrt((1.0 - r->x[i] * r->x[i]) * r->weight[i]);
        for (int k = 0; k < 2; k++) {
            int n = POINTS - 2 + k;
            r->legendre[k][i] = (n + 0.5) * r->weight[i] * legendre(n, r->x[i]);
        }
    }
    gsl_integration_glfixed_table_free(t);
}

/* The weight of each point's value in that at x in [-1, 1]. */
static void interpolation(const struct rule *r, double x, double out[POINTS])
{
    double sum = 0.0;
    for (size_t i = 0; i < POINTS; i++) {
        double off = x - r->x[i];
        if (off == 0.0) {
            memset(out, 0, POINTS * sizeof *out);
            out[i] = 1.0;
            return;
        }
        out[i] = r->barycentric[i] / off;
        sum += out[i];
    }
    for (size_t i = 0; i < POINTS; i++)
        out[i] /= sum;
}

/* Adds to out[k] the integral over u in [from, to] of G(u) times the interpolation weight of point
   k at t - u in the piece [start, end]. */
static void add_weights(const struct solver *s, double t, double from, double to, double start,
                        double end, double out[POINTS])
{
    double half_piece = (end - start) / 2.0;
    while (from < to) {
        double next = fmin(mg1_service_smooth_until(&s->service, from), to);
        double half = (next - from) / 2.0;
        for (size_t i = 0; i < POINTS; i++) {
            double u = from + half * (1.0 + s->rule.x[i]), weights[POINTS];
            double g = half * s->rule.weight[i] * mg1_service_tail(&s->service, u);
            interpolation(&s->rule, ((t - u) - start) / half_piece - 1.0, weights);
            for (size_t k = 0; k < POINTS; k++)
                out[k] += g * weights[k];
        }
        from = next;
    }
}

/* The integral of the solution over a whole earlier piece times G. */
static double past_piece(const struct solver *s, const struct piece *p, double t)
{
    double from = t - p->end, to = t - p->start, sum = 0.0;
    if (from >= s->service.longest_ns)
        return 0.0;
    if (mg1_service_smooth_until(&s->service, from) >= to) {
        double half = (p->end - p->start) / 2.0;
        for (size_t i = 0; i < POINTS; i++) {
            double u = from + half * (1.0 - s->rule.x[i]);
            sum += s->rule.weight[i] * p->at[i] * mg1_service_tail(&s->service, u);
        }
        return half * sum;
    }
    double weights[POINTS] = {0.0};
    add_weights(s, t, from, fmin(to, s->service.longest_ns), p->start, p->end, weights);
    for (size_t i = 0; i < POINTS; i++)
        sum += weights[i] * p->at[i];
    return sum;
}

/* What is known of the right side at t: all but the integral over the piece that holds t. */
static double known_side(const struct solver *s, double t)
{
    double sum = 0.0;
    for (size_t i = s->count; i-- > 0;) {
        if (t - s->pieces[i].end >= s->service.longest_ns)
            break;
        sum += past_piece(s, &s->pieces[i], t);
    }
    return s->traffic.per_ns * (mg1_service_excess(&s->service, t) + sum) +
           s->traffic.spare * mg1_service_tail(&s->service, t);
}

/* Solves a x = b in place, by elimination with the largest pivot. */
static void eliminate(double a[POINTS][POINTS], double b[POINTS])
{
    for (size_t c = 0; c < POINTS; c++) {
        size_t best = c;
        for (size_t r = c + 1; r < POINTS; r++)
            if (fabs(a[r][c]) > fabs(a[best][c]))
                best = r;
        for (size_t k = 0; k < POINTS && best != c; k++) {
            double swap = a[c][k];
            a[c][k] = a[best][k];
            a[best][k] = swap;
        }
        double swap = b[c];
        b[c] = b[best];
        b[best] = swap;
        for (size_t r = c + 1; r < POINTS; r++) {
            double factor = a[r][c] / a[c][c];
            for (size_t k = c; k < POINTS; k++)
                a[r][k] -= factor * a[c][k];
            b[r] -= factor * b[c];
        }
    }
    for (size_t c = POINTS; c-- > 0;) {
        for (size_t k = c + 1; k < POINTS; k++)
            b[c] -= a[c][k] * b[k];
        b[c] /= a[c][c];
    }
}

static double node(const struct solver *s, const struct piece *p, size_t i)
{
    return p->start + (p->end - p->start) / 2.0 * (1.0 + s->rule.x[i]);
}

static double piece_value(const struct rule *r, double start, double end, const double *at,
                          double t)
{
    double weights[POINTS], sum = 0.0;
    interpolation(r, (t - start) / ((end - start) / 2.0) - 1.0, weights);
    for (size_t i = 0; i < POINTS; i++)
        sum += weights[i] * at[i];
    return sum;
}

/* By what share of itself the solution misses the equation where the piece starts.  A piece so long
   that its first point hardly sees what lies before it would not be tied to that. */
static double start_gap(const struct solver *s, const struct piece *p)
{
    double value = piece_value(&s->rule, p->start, p->end, p->at, p->start);
    return fabs(known_side(s, p->start) - value) / fmax(value, SMALLEST_EXACT);
}

/* The solution over the piece; returns how badly a polynomial fits it: its last coefficients over
   its least value, or what it misses at the start. */
static double solve_piece(const struct solver *s, struct piece *p)
{
    double a[POINTS][POINTS];
    for (size_t i = 0; i < POINTS; i++) {
        double t = node(s, p, i), weights[POINTS] = {0.0};
        add_weights(s, t, 0.0, fmin(t - p->start, s->service.longest_ns), p->start, p->end,
                    weights);
        for (size_t k = 0; k < POINTS; k++)
            a[i][k] = (i == k ? 1.0 : 0.0) - s->traffic.per_ns * weights[k];
        p->at[i] = known_side(s, t);
    }
    eliminate(a, p->at);
    double least = p->at[0], last[2] = {0.0, 0.0};
    for (size_t i = 0; i < POINTS; i++) {
        least = fmin(least, p->at[i]);
        for (int k = 0; k < 2; k++)
            last[k] += s->rule.legendre[k][i] * p->at[i];
    }
    if (!(least > 0.0))
        return INFINITY;
    double misfit = fmax(fabs(last[0]), fabs(last[1])) / fmax(least, SMALLEST_EXACT);
    return fmax(misfit, start_gap(s, p) / 16.0);
}

/* By what share of itself the solution misses the equation between two of its points. */
static double residual(const struct solver *s, const struct piece *p)
{
    double t = p->start + 0.97 * (p->end - p->start), weights[POINTS] = {0.0};
    double side = known_side(s, t), value = piece_value(&s->rule, p->start, p->end, p->at, t);
    add_weights(s, t, 0.0, fmin(t - p->start, s->service.longest_ns), p->start, p->end, weights);
    for (size_t k = 0; k < POINTS; k++)
        side += s->traffic.per_ns * weights[k] * p->at[k];
    return fabs(side - value) / fmax(value, SMALLEST_EXACT) + start_gap(s, p);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sums of up to LEVELS kinks of G (further ones are too smooth), and points near a steep begin. */
static void find_breaks(struct solver *s)
{
    const struct mg1_service *service = &s->service;
    s->breaks = must_alloc((LEVELS + 1) * (LEVELS + 1) + STEEP_MOST, sizeof *s->breaks);
    for (int i = 0; i <= LEVELS && service->kink_count > 0; i++)
        for (int j = 0; i + j <= LEVELS && (j == 0 || service->kink_count > 1); j++)
            if (i + j > 0)
                s->breaks[s->break_count++] =
                    i * service->kinks_ns[0] + (j > 0 ? j * service->kinks_ns[1] : 0.0);
    double at_ns = service->shape > 0.0 && service->shape < 1.0 ? service->flat_ns : INFINITY;
    for (int i = 0; i < STEEP_MOST && at_ns < service->mean_ns; i++, at_ns *= 4.0)
        s->breaks[s->break_count++] = at_ns;
    qsort(s->breaks, s->break_count, sizeof *s->breaks, by_value);
}

static double next_break(const struct solver *s, double t)
{
    for (size_t i = 0; i < s->break_count; i++)
        if (s->breaks[i] > t)
            return s->breaks[i];
    return INFINITY;
}

/* Whether shortening a piece has shown that what is left is rounding: a smooth misfit would have
   fallen by 2^15. */
static bool is_noise(double misfit, double before)
{
    return misfit < 1e-11 && misfit > before / 16.0;
}

/* The next piece from t on, as long as a polynomial fits it, tried from *step; leaves in *step what
   to try next. */
static void add_piece(struct solver *s, double t, double *step)
{
    double stop = next_break(s, t), length = *step, misfit = INFINITY, before = INFINITY;
    double fits = 1e-13 + 5e-15 / s->traffic.spare; /* rounding errors grow by 1/(1-rho) */
    struct piece *p = &s->pieces[s->count];
    int attempts = 0;
    while (misfit > fits && attempts < 60 && t + length > t && !is_noise(misfit, before)) {
        before = misfit;
        p->start = t;
        p->end = t + length * 1.25 >= stop ? stop : t + length;
        misfit = solve_piece(s, p);
        length = (p->end - t) / 2.0;
        attempts++;
    }
    bool first = attempts == 1 || is_noise(misfit, before);
    *step = first ? fmax(4.0 * length, *step) : 2.0 * length;
    s->error += residual(s, p);
    s->count++;
}

/* False where the table would grow too long. */
static bool solve(struct solver *s)
{
    double t = 0.0, step = s->service.mean_ns / 4.0, reached = 1.0;
    s->pieces = must_alloc(PIECES_MOST, sizeof *s->pieces);
    while (reached > SMALLEST_TAIL && t < (double)NS_LIMIT) {
        if (s->count == PIECES_MOST)
            return false;
        add_piece(s, t, &step);
        t = s->pieces[s->count - 1].end;
        reached = s->pieces[s->count - 1].at[POINTS - 1];
    }
    return true;
}

/* ---- the table: Gauss's points, their weights in the interpolation, and a row for each piece of
   its start, its end and its values ---- */

enum { PIECES, LAST, SLOPE, BOUNDED };

/* Beyond the table: as an exponential where the longest service is, else as a power. */
static double beyond(const struct law_distribution *d, double end, double x_ns)
{
    double far = d->parameters[BOUNDED] != 0.0 ? x_ns - end : log(x_ns / end);
    return d->parameters[LAST] * exp(-d->parameters[SLOPE] * far);
}

/* The value at x of the piece that holds it; where one piece ends and the next starts, of the
   former if `before`. */
static double table_value(const struct law_distribution *d, double x_ns, bool before)
{
    size_t low = 0, high = (size_t)d->parameters[PIECES];
    const double *x = d->table, *barycentric = x + POINTS, *pieces = x + 2 * POINTS;
    double end = pieces[(high - 1) * ROW + 1];
    if (x_ns > end)
        return beyond(d, end, x_ns);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        double start = pieces[middle * ROW];
        if (start < x_ns || (start == x_ns && !before))
            low = middle;
        else
            high = middle;
    }
    const double *p = pieces + low * ROW;
    double at = (x_ns - p[0]) / ((p[1] - p[0]) / 2.0) - 1.0, over = 0.0, under = 0.0;
    for (size_t i = 0; i < POINTS; i++) {
        if (at == x[i])
            return p[2 + i];
        over += barycentric[i] / (at - x[i]) * p[2 + i];
        under += barycentric[i] / (at - x[i]);
    }
    return fmin(over / under, 1.0);
}

static double tail(const struct law_distribution *d, double x_ns)
{
    return x_ns < 0.0 ? 1.0 : table_value(d, x_ns, false);
}

static double tail_from(const struct law_distribution *d, double x_ns)
{
    return x_ns <= 0.0 ? 1.0 : table_value(d, x_ns, true);
}

static void fill(const struct solver *s, struct law_distribution *out)
{
    size_t size = 2 * POINTS + s->count * ROW;
    double *table = must_alloc(size, sizeof *table), *row = table + 2 * POINTS;
    memcpy(table, s->rule.x, sizeof s->rule.x);
    memcpy(table + POINTS, s->rule.barycentric, sizeof s->rule.barycentric);
    for (size_t i = 0; i < s->count; i++, row += ROW) {
        row[0] = s->pieces[i].start;
        row[1] = s->pieces[i].end;
        memcpy(row + 2, s->pieces[i].at, sizeof s->pieces[i].at);
    }
    const struct piece *last = &s->pieces[s->count - 1];
    bool bounded = s->service.longest_ns < last->end;
    double middle = (last->start + last->end) / 2.0;
    double ends = piece_value(&s->rule, last->start, last->end, last->at, last->end);
    double halfway = piece_value(&s->rule, last->start, last->end, last->at, middle);
    double far = bounded ? last->end - middle : log(last->end / middle);
    out->table = table;
    out->table_count = size;
    out->tail = tail;
    out->tail_from = s->service.atoms ? tail_from : NULL;
    out->parameters[PIECES] = (double)s->count;
    out->parameters[LAST] = ends;
    out->parameters[SLOPE] = log(halfway / ends) / far;
    out->parameters[BOUNDED] = bounded ? 1.0 : 0.0;
    out->parameters[MG1_ERROR] = s->error;
}

bool mg1_renewal(struct choice service, struct mg1_traffic traffic, struct law_distribution *out,
                 char why[LAW_WHY_SIZE])
{
    struct solver s = {.traffic = traffic};
    BUG_IF(!mg1_service_init(&s.service, service));
    rule_init(&s.rule);
    find_breaks(&s);
    bool solved = solve(&s) && s.error <= 1e-9;
    if (solved)
        fill(&s, out);
    free(s.breaks);
    free(s.pieces);
    return solved ||
           law_refuses(why, "The estimated error of the law exceeds a relative 1e-9 here.");
}
