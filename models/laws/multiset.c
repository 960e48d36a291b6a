/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/multiset.h"

#include <stdlib.h>

#include "models/base/error.h"

/* Every stored progression rises: y(k) = y0 + k * step >= 0 with step >= 0, and value k is
   floor(y(k) / den), so its whole units are w(k) = floor(y(k) / wide), wide = den * unit.  A
   threshold splits such a line into a front and a back, and counts are sums of floors of a line,
   which Euclid's algorithm gives in logarithmic time. */
struct line {
    i128 y0, step;
    i128 count;
};

static i128 mul(i128 a, i128 b)
{
    i128 product;
    BUG_IF(__builtin_mul_overflow(a, b, &product));
    return product;
}

static i128 add(i128 a, i128 b)
{
    i128 sum;
    BUG_IF(__builtin_add_overflow(a, b, &sum));
    return sum;
}

static i128 least(i128 a, i128 b)
{
    return a < b ? a : b;
}

static i128 line_at(struct line l, i128 k)
{
    return l.y0 + k * l.step;
}

/* The part of the line from element k on. */
static struct line line_from(struct line l, i128 k)
{
    return (struct line){line_at(l, k), l.step, l.count - k};
}

/* The first element with y >= bound; count when there is none. */
static i128 line_reaches(struct line l, i128 bound)
{
    if (l.y0 >= bound)
        return 0;
    if (l.step == 0)
        return l.count;
    return least(l.count, ceil_div(bound - l.y0, l.step));
}

/* Sum of floor((l.y(k) + shift) / m) over the line, every term >= 0. */
static i128 floor_sum(struct line l, i128 shift, i128 m)
{
    i128 n = l.count, a = l.step, b = l.y0 + shift, sum = 0;
    while (n > 0) {
        if (a >= m)
            sum = add(sum, mul(n * (n - 1) / 2, a / m));
        if (b >= m)
            sum = add(sum, mul(n, b / m));
        a %= m;
        b %= m;
        i128 top = a * n + b;
        if (top < m)
            break;
        n = top / m;
        b = top % m;
        i128 old = m;
        m = a;
        a = old;
    }
    return sum;
}

/* Sums over k = 0..n of F = floor((a k + b) / m): of F, of k F and of F squared. */
struct sums {
    i128 f, kf, ff;
};

static struct sums sums_of_floors(i128 n, i128 a, i128 b, i128 m)
{
    i128 slope = a / m, base = b / m;
    if (slope == 0 && base == 0) {
        i128 top = (a * n + b) / m;
        if (top == 0)
            return (struct sums){0, 0, 0};
        struct sums t = sums_of_floors(top - 1, m, m - b - 1, a);
        struct sums s;
        s.f = mul(n, top) - t.f;
        s.kf = (mul(mul(n, top), n + 1) - t.ff - t.f) / 2;
        s.ff = mul(mul(n, top), top + 1) - 2 * t.kf - 2 * t.f - s.f;
        return s;
    }
    struct sums t = sums_of_floors(n, a % m, b % m, m);
    i128 ones = n + 1, ks = mul(n, n + 1) / 2, squares = mul(ks, 2 * n + 1) / 3;
    struct sums s;
    s.f = add(t.f, add(mul(ks, slope), mul(ones, base)));
    s.kf = add(t.kf, add(mul(squares, slope), mul(ks, base)));
    s.ff = add(t.ff, add(mul(mul(squares, slope), slope), mul(mul(ones, base), base)));
    s.ff = add(s.ff, mul(mul(2 * ks, slope), base));
    s.ff = add(s.ff, add(mul(2 * base, t.f), mul(2 * slope, t.kf)));
    return s;
}

static i128 gcd_i128(i128 a, i128 b)
{
    while (b != 0) {
        i128 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static struct line line_of(const struct multiset *set, const struct progression *p)
{
    return (struct line){p->first + (i128)set->den - 1, p->step, p->count};
}

static i128 highest(const struct multiset *set, struct line l)
{
    return line_at(l, l.count - 1) / set->den;
}

/* The elements that the correction adds to, and its numbers with the units worked in. */
struct corrected {
    struct line l;
    i128 wide;             /* y of one unit */
    i128 interval, lowest; /* in units */
};

/* False when the rule adds nothing to any element. */
static bool corrected_part(const struct multiset *set, struct correction_rule rule, struct line l,
                           struct corrected *out)
{
    i128 reach = (i128)rule.interval + rule.lowest;
    if (rule.interval == 0 || highest(set, l) / rule.unit_ns < reach)
        return false;
    i128 wide = (i128)set->den * rule.unit_ns;
    struct line part = line_from(l, line_reaches(l, reach * wide));
    *out = (struct corrected){part, wide, rule.interval, rule.lowest};
    return true;
}

/* How many values are added: the sum of floor((w - lowest) / interval). */
static i128 added_total(struct corrected c)
{
    return floor_sum(c.l, -c.lowest * c.wide, c.interval * c.wide);
}

/* How many added values are <= bound units.  Below an element of w > bound + interval those are
   j = ceil((w - bound) / interval) .. a; below a smaller one all a of them. */
static i128 added_at_most(struct corrected c, i128 bound)
{
    if (bound < c.lowest)
        return 0;
    i128 all = added_total(c), top = line_at(c.l, c.l.count - 1) / c.wide;
    if (top <= bound + c.interval)
        return all;
    struct line high = line_from(c.l, line_reaches(c.l, (bound + c.interval + 1) * c.wide));
    i128 above = floor_sum(high, (c.interval - 1 - bound) * c.wide, c.interval * c.wide);
    return all - above + high.count;
}

/* Sum of the added values, in units, where w rises by the whole number `rise`: with
   a = floor((w - lowest) / interval), the sum over the elements of a w - interval a (a + 1) / 2. */
static i128 added_sum_even(struct corrected c, i128 w0, i128 rise, i128 count)
{
    struct sums s = sums_of_floors(count - 1, rise, w0 - c.lowest, c.interval);
    return add(add(mul(w0, s.f), mul(rise, s.kf)), -mul(c.interval, (s.ff + s.f) / 2));
}

/* The same for any line.  Two ways, the cheaper is taken: elements `stride` apart differ by a whole
   number of units, so there are at most min(stride, count) even lines; or the j-th added value of
   all elements that have one, for each j. */
static i128 added_sum(struct corrected c)
{
    i128 stride = c.wide / gcd_i128(c.wide, c.l.step), sum = 0;
    i128 period = c.interval * c.wide;
    i128 most = (line_at(c.l, c.l.count - 1) - c.lowest * c.wide) / period;
    if (most < least(stride, c.l.count)) {
        for (i128 j = 1; j <= most; j++) {
            struct line deep = line_from(c.l, line_reaches(c.l, j * period + c.lowest * c.wide));
            sum = add(sum, floor_sum(deep, 0, c.wide) - mul(j * c.interval, deep.count));
        }
        return sum;
    }
    i128 rise = c.l.step / gcd_i128(c.wide, c.l.step);
    for (i128 k = 0; k < least(stride, c.l.count); k++) {
        i128 count = (c.l.count - 1 - k) / stride + 1;
        sum = add(sum, added_sum_even(c, line_at(c.l, k) / c.wide, rise, count));
    }
    return sum;
}

static i128 item_total(const struct multiset *set, struct correction_rule rule, size_t i)
{
    struct line l = line_of(set, &set->items[i]);
    struct corrected c;
    i128 n = l.count;
    if (corrected_part(set, rule, l, &c))
        n = add(n, added_total(c));
    return mul(n, set->items[i].times);
}

static i128 item_at_most(const struct multiset *set, struct correction_rule rule, size_t i,
                         ns_t x_ns)
{
    struct line l = line_of(set, &set->items[i]);
    struct corrected c;
    i128 top = highest(set, l);
    i128 bound = least(top, (i128)x_ns);
    i128 n = line_reaches(l, (bound + 1) * set->den);
    if (corrected_part(set, rule, l, &c))
        n = add(n, added_at_most(c, bound / rule.unit_ns));
    return mul(n, set->items[i].times);
}

void multiset_init(struct multiset *set, uint64_t den)
{
    BUG_IF(den == 0);
    *set = (struct multiset){NULL, 0, 0, den};
}

void multiset_free(struct multiset *set)
{
    free(set->items);
    set->items = NULL;
    set->count = set->capacity = 0;
}

static int compare(const void *left, const void *right)
{
    const struct progression *a = left, *b = right;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    return 0;
}

void multiset_seal(struct multiset *set)
{
    if (set->count == 0)
        return;
    qsort(set->items, set->count, sizeof set->items[0], compare);
    size_t kept = 0;
    for (size_t i = 1; i < set->count; i++) {
        if (compare(&set->items[kept], &set->items[i]) == 0)
            set->items[kept].times += set->items[i].times;
        else
            set->items[++kept] = set->items[i];
    }
    set->count = kept + 1;
}

void multiset_add(struct multiset *set, struct progression p)
{
    if (p.count == 0 || p.times == 0)
        return;
    if (p.step < 0) {
        p.first += (i128)(p.count - 1) * p.step;
        p.step = -p.step;
    }
    BUG_IF(p.first + (i128)set->den - 1 < 0);
    if (p.step == 0) {
        p.times *= p.count;
        p.count = 1;
    }
    if (p.count == 1)
        p.step = 0;
    if (set->count > 0 && compare(&set->items[set->count - 1], &p) == 0) {
        set->items[set->count - 1].times += p.times;
        return;
    }
    /* Folding before growing keeps memory at twice the number of different progressions. */
    if (set->count == set->capacity) {
        multiset_seal(set);
        if (set->count >= set->capacity / 2) {
            set->capacity = set->capacity == 0 ? 16 : set->capacity * 2;
            set->items = must_grow(set->items, set->capacity, sizeof set->items[0]);
        }
    }
    set->items[set->count++] = p;
}

void multiset_repeat(struct multiset *set, uint64_t times)
{
    for (size_t i = 0; i < set->count; i++)
        set->items[i].times *= times;
}

u128 multiset_total(const struct multiset *set, struct correction_rule rule)
{
    i128 n = 0;
    for (size_t i = 0; i < set->count; i++)
        n = add(n, item_total(set, rule, i));
    return (u128)n;
}

u128 multiset_at_most(const struct multiset *set, struct correction_rule rule, ns_t x_ns)
{
    i128 n = 0;
    for (size_t i = 0; i < set->count; i++)
        n = add(n, item_at_most(set, rule, i, x_ns));
    return (u128)n;
}

u128 multiset_sum(const struct multiset *set, struct correction_rule rule)
{
    i128 sum = 0;
    for (size_t i = 0; i < set->count; i++) {
        struct line l = line_of(set, &set->items[i]);
        struct corrected c;
        i128 one = floor_sum(l, 0, set->den);
        if (corrected_part(set, rule, l, &c))
            one = add(one, mul(added_sum(c), rule.unit_ns));
        sum = add(sum, mul(one, set->items[i].times));
    }
    return (u128)sum;
}

/* A binary search for the smallest x with enough values at or below it.  Items that lie wholly
   on one side of what is left of the search are counted once and put aside. */
ns_t multiset_select(const struct multiset *set, struct correction_rule rule, u128 rank)
{
    BUG_IF(rank == 0);
    size_t few[16], left = set->count;
    size_t *open = left <= sizeof few / sizeof few[0] ? few : must_alloc(left, sizeof *open);
    for (size_t i = 0; i < left; i++)
        open[i] = i;
    ns_t low = 0, high = multiset_max(set);
    i128 below = 0;
    while (low < high) {
        ns_t middle = low + (high - low) / 2;
        i128 n = below;
        for (size_t i = 0; i < left; i++)
            n = add(n, item_at_most(set, rule, open[i], middle));
        if ((u128)n >= rank)
            high = middle;
        else
            low = middle + 1;
        size_t kept = 0;
        for (size_t i = 0; i < left; i++) {
            struct line l = line_of(set, &set->items[open[i]]);
            bool settled = highest(set, l) < low;
            bool beyond = rule.interval == 0 && l.y0 / set->den > high;
            if (settled)
                below = add(below, item_total(set, rule, open[i]));
            else if (!beyond)
                open[kept++] = open[i];
        }
        left = kept;
    }
    if (open != few)
        free(open);
    return low;
}

ns_t multiset_min(const struct multiset *set, struct correction_rule rule)
{
    if (set->count == 0)
        return 0;
    return multiset_select(set, rule, 1);
}

ns_t multiset_max(const struct multiset *set)
{
    i128 most = 0;
    for (size_t i = 0; i < set->count; i++) {
        i128 top = highest(set, line_of(set, &set->items[i]));
        if (top > most)
            most = top;
    }
    return (ns_t)most;
}
