/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Due instants of the arrivals that are not random, against a walk through every ns and against
   figures found by integer square roots elsewhere. */

#include <stdlib.h>

#include "models/arrivals/arrivals.h"
#include "models/base/random.h"
#include "models/registry.h"
#include "tests/claim.h"

enum { DUES_MOST = 4000, WALK_NS = 3000 };

static struct stream dice(uint64_t seed)
{
    return stream_open(seed, 0, 0, PURPOSE_SERVICE);
}

/* All due instants up to `most`, asked for in pieces of changing size. */
static size_t dues(const struct arrivals_type *type, const void *params, struct pace pace,
                   ns_t *out_ns, size_t most)
{
    struct arrival_cursor cursor = {.pace = pace, .stream = dice(77)};
    size_t count = 0, piece = 1, wrote = 1;
    while (wrote > 0 && count < most) {
        piece = piece % 150 + 7 < most - count ? piece % 150 + 7 : most - count;
        wrote = type->due(params, &cursor, out_ns + count, piece);
        count += wrote;
    }
    if (wrote == 0)
        assert_int_equal(type->due(params, &cursor, out_ns, 1), 0);
    return count;
}

/* ---- a walk through every ns, with the rate in it as parts of a request ---- */

struct walk {
    uint64_t parts[WALK_NS]; /* of each ns */
    uint64_t request;        /* parts of one */
    size_t length_ns;
};

/* Request i is due in the ns that takes the sum above i: so often is it due in this one. */
static size_t walk_dues(const struct walk *w, ns_t *out_ns)
{
    size_t count = 0;
    u128 sum = 0;
    for (size_t t = 0; t < w->length_ns; t++) {
        sum += w->parts[t];
        while ((u128)count * w->request < sum && count < DUES_MOST)
            out_ns[count++] = t;
    }
    return count;
}

static size_t hold_against_walk(const struct arrivals_type *type, const void *params,
                                struct pace pace, const struct walk *w)
{
    static const size_t room = DUES_MOST + 1;
    ns_t *want = must_alloc(room, sizeof *want), *got = must_alloc(room, sizeof *got);
    size_t count = walk_dues(w, want);
    bool ends = type->ends != NULL && type->ends(params) && count < DUES_MOST;
    size_t found = dues(type, params, pace, got, ends ? room : count);
    assert_int_equal(found, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(got[i], want[i]);
    free(want);
    free(got);
    return count;
}

static uint64_t roll(struct stream s, uint64_t *at, uint64_t low, uint64_t high)
{
    return low + below(stream_word(s, (*at)++), high - low + 1);
}

static void steps_are_due_where_the_walk_is(void **state)
{
    (void)state;
    struct walk *w = must_alloc(1, sizeof *w);
    size_t seen = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct stream s = dice(seed);
        uint64_t at = 0;
        struct phase phases[6];
        struct steps steps = {{phases, roll(s, &at, 1, 6)}, SPACING_EVEN};
        *w = (struct walk){.request = 60 * NS_PER_S};
        uint64_t all = 0;
        for (size_t p = 0; p < steps.phases.count; p++) {
            uint64_t den = roll(s, &at, 1, 6), num = roll(s, &at, 0, 3) * 137000001;
            phases[p] = (struct phase){ratio_make(num, den), roll(s, &at, 1, 400)};
            all += num;
            for (uint64_t k = 0; k < phases[p].for_ns; k++)
                w->parts[w->length_ns++] = num * (60 / den);
        }
        if (all == 0)
            continue;
        assert_null(arrivals_steps.is.refuses(&steps));
        seen += hold_against_walk(&arrivals_steps, &steps, (struct pace){0, 1}, w);
    }
    assert_true(seen > 10000);
    free(w);
}

static void an_on_off_schedule_is_due_where_the_walk_is(void **state)
{
    (void)state;
    struct walk *w = must_alloc(1, sizeof *w);
    size_t seen = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct stream s = dice(1000 + seed);
        uint64_t at = 0;
        struct on_off o = {roll(s, &at, 1, 300), roll(s, &at, 0, 300), SPACING_EVEN};
        struct pace pace = {roll(s, &at, 1, 5000), roll(s, &at, 1, 97)};
        *w = (struct walk){.request = pace.num * o.on_ns, .length_ns = WALK_NS};
        for (size_t t = 0; t < WALK_NS; t++)
            w->parts[t] = t % (o.on_ns + o.off_ns) < o.on_ns ? pace.den * (o.on_ns + o.off_ns) : 0;
        assert_null(arrivals_on_off.refuses_pace(&o, pace));
        seen += hold_against_walk(&arrivals_on_off, &o, pace, w);
    }
    assert_true(seen > 10000);
    free(w);
}

static void a_ramp_is_due_where_the_walk_is(void **state)
{
    (void)state;
    struct walk *w = must_alloc(1, sizeof *w);
    size_t seen = 0, ended = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct stream s = dice(2000 + seed);
        uint64_t at = 0, d = roll(s, &at, 1, 2000);
        uint64_t a = roll(s, &at, 1, 4), b = roll(s, &at, 1, 4);
        uint64_t from = roll(s, &at, 0, 3) * 71000003, to = roll(s, &at, 0, 3) * 53000001;
        if (from + to == 0)
            continue;
        struct ramp ramp = {ratio_make(from, a), ratio_make(to, b), d, SPACING_EVEN};
        *w = (struct walk){.request = 2 * d * 12 * NS_PER_S, .length_ns = WALK_NS};
        from *= 12 / a;
        to *= 12 / b;
        /* The rates at both ends of the ns, each over d, added up: a straight line between. */
        for (uint64_t t = 0; t < WALK_NS; t++)
            w->parts[t] = t < d ? from * (2 * d - 2 * t - 1) + to * (2 * t + 1) : 2 * d * to;
        assert_null(arrivals_ramp.is.refuses(&ramp));
        assert_int_equal(arrivals_ramp.ends(&ramp), to == 0);
        seen += hold_against_walk(&arrivals_ramp, &ramp, (struct pace){0, 1}, w);
        ended += to == 0;
    }
    assert_true(seen > 10000 && ended > 50);
    free(w);
}

/* ---- figures from elsewhere ---- */

static ns_t due_of(const struct arrivals_type *type, const void *params, struct pace pace,
                   uint64_t i)
{
    struct arrival_cursor cursor = {.pace = pace, .next = i};
    ns_t due_ns = 0;
    return type->due(params, &cursor, &due_ns, 1) == 1 ? due_ns : UINT64_MAX;
}

struct due {
    uint64_t i;
    ns_t ns;
};

static void expect_dues(const struct ramp *ramp, const struct due *want, size_t count)
{
    for (size_t k = 0; k < count; k++)
        assert_int_equal(due_of(&arrivals_ramp, ramp, (struct pace){0, 1}, want[k].i), want[k].ns);
}

/* Up: 500 t^2 requests after t seconds.  Down: 500 - 5 (10 - t)^2.  Both: 37.5 t + 12.5 t^2, 225 at
   3 s, then 112.5/s. */
static void ramps_of_seconds_are_integer_square_roots(void **state)
{
    (void)state;
    static const struct due up[] = {
        {0, 0},
        {1, 44721359},
        {2, 63245553},
        {3, 77459666},
        {499999, 31622744978},
        {500000, 31622776601},
        {123456789, 496903992739},
        {499999999, 999999998999},
        {500000000, 1000000000000},
        {500000001, 1000000001000},
    };
    static const struct due down[] = {{0, 0},
                                      {1, 10005005},
                                      {250, 2928932188},
                                      {375, 5000000000},
                                      {498, 9367544467},
                                      {499, 9552786404},
                                      {500, UINT64_MAX},
                                      {501, UINT64_MAX}};
    static const struct due both[] = {{0, 0},
                                      {1, 26433752},
                                      {2, 52417469},
                                      {100, 1701562118},
                                      {224, 2991102314},
                                      {225, 3000000000},
                                      {226, 3008888888},
                                      {1000000, 8889888888888}};
    struct ramp r = {{0, 1}, {1000000, 1}, 1000 * NS_PER_S, SPACING_EVEN};
    expect_dues(&r, up, FIELD_COUNT_OF(up));
    r = (struct ramp){{100, 1}, {0, 1}, 10 * NS_PER_S, SPACING_EVEN};
    expect_dues(&r, down, FIELD_COUNT_OF(down));
    r = (struct ramp){{75, 2}, {225, 2}, 3 * NS_PER_S, SPACING_EVEN};
    expect_dues(&r, both, FIELD_COUNT_OF(both));
}

/* Twice the ramp's length times the requests up to t: its straight line's area, in signed sums. */
static i128 twice_area(i128 from, i128 to, i128 d, i128 t)
{
    return 2 * d * from * t + (to - from) * t * t;
}

/* Long ramps, down to nothing and up from it too: each instant is the last that is not too late. */
static void a_long_ramp_is_due_at_the_last_ns_that_is_not_too_late(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        struct stream s = dice(3000 + seed);
        uint64_t at = 0, d = roll(s, &at, 1, NS_PER_S) << roll(s, &at, 0, 14);
        uint64_t from = roll(s, &at, 0, 2) * roll(s, &at, 1, 100000);
        uint64_t to = roll(s, &at, from == 0, 2) * roll(s, &at, 1, 100000);
        struct ramp ramp = {{from, 1}, {to, 1}, d, SPACING_EVEN};
        assert_null(arrivals_ramp.is.refuses(&ramp));
        i128 request = (i128)d * (i128)(2 * NS_PER_S);
        uint64_t most = (uint64_t)(twice_area(from, to, d, d) / request);
        uint64_t i = below(stream_word(s, at), most + 1);
        i = seed % 3 == 0 ? most - below(stream_word(s, at), most / 1000 + 1) : i;
        ns_t t = due_of(&arrivals_ramp, &ramp, (struct pace){0, 1}, i);
        if (t >= d) /* the area of the ramp is a whole number of requests, and this is the next */
            assert_true(twice_area(from, to, d, d) == request * (i128)i);
        else
            assert_true(twice_area(from, to, d, t) <= request * (i128)i &&
                        twice_area(from, to, d, t + 1) > request * (i128)i);
    }
}

/* One rate throughout is the even schedule, however it is said, far out too. */
static void a_constant_rate_is_the_even_schedule_in_every_form(void **state)
{
    (void)state;
    static const struct ratio rates[] = {{3, 1}, {7, 1}, {56900, 1}, {1, 3}, {123457, 1000}};
    for (size_t k = 0; k < FIELD_COUNT_OF(rates); k++) {
        struct pace pace = pace_of(rates[k], 0);
        struct phase one = {rates[k], UINT64_C(1) << 60};
        struct steps steps = {{&one, 1}, SPACING_EVEN};
        struct ramp ramp = {rates[k], rates[k], 7 * NS_PER_S, SPACING_EVEN};
        struct on_off always = {5 * NS_PER_MS, 0, SPACING_EVEN};
        struct jittered still = {0};
        struct bursts single = {1, 0, false};
        for (uint64_t i = 0; i < 3000000; i = i < 500 ? i + 1 : i * 2 + 1) {
            ns_t want = due_of(&arrivals_even, NULL, pace, i);
            assert_int_equal(due_of(&arrivals_steps, &steps, pace, i), want);
            assert_int_equal(due_of(&arrivals_ramp, &ramp, pace, i), want);
            assert_int_equal(due_of(&arrivals_on_off, &always, pace, i), want);
            assert_int_equal(due_of(&arrivals_jittered, &still, pace, i), want);
            assert_int_equal(due_of(&arrivals_bursts, &single, pace, i), want);
        }
    }
}

/* A phase of 1.5 requests, a pause, then the missing half: 1/s for 1.5 s, none for 2 s, 2/s. */
static void a_fraction_of_a_request_is_carried_over_a_pause(void **state)
{
    (void)state;
    struct phase phases[] = {
        {{1, 1}, 1500000000}, {{0, 1}, 2000000000}, {{2, 1}, 1000000000}, {{0, 1}, 5}};
    struct steps steps = {{phases, 4}, SPACING_EVEN};
    static const ns_t want[] = {0, 1000000000, 3750000000, 4250000000};
    ns_t got[10];
    assert_int_equal(dues(&arrivals_steps, &steps, (struct pace){0, 1}, got, 10), 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(got[i], want[i]);
    /* After exactly one request the next comes when the pause is over, not where it begins. */
    phases[0].for_ns = 1000000000;
    assert_int_equal(due_of(&arrivals_steps, &steps, (struct pace){0, 1}, 1), 3000000000);
    assert_true(arrivals_steps.mean_gap_ns(&steps) > 1.33e9); /* 4.000000005 s for 3 */
    assert_true(arrivals_steps.mean_gap_ns(&steps) < 1.34e9);
}

/* Thirds of a second do not add up to less than the rate: 7/s stays 7/s, in bursts of three too. */
static void the_mean_rate_is_kept_to_the_last_request(void **state)
{
    (void)state;
    struct pace pace = pace_of((struct ratio){7, 1}, 0);
    struct bursts three = {3, 10 * NS_PER_MS, false};
    struct on_off third = {NS_PER_S, 2 * NS_PER_S, SPACING_EVEN};
    static const ns_t bursts[] = {0,         10000000,  20000000,  428571428, 438571428,
                                  448571428, 857142857, 867142857, 877142857};
    for (uint64_t i = 0; i < 9; i++)
        assert_int_equal(due_of(&arrivals_bursts, &three, pace, i), bursts[i]);
    for (uint64_t s = 3; s <= 3000000; s *= 10) {
        assert_int_equal(due_of(&arrivals_bursts, &three, pace, 7 * s), s * NS_PER_S);
        assert_int_equal(due_of(&arrivals_on_off, &third, pace, 7 * s), s * NS_PER_S);
        assert_true(due_of(&arrivals_bursts, &three, pace, 7 * s - 1) < s * NS_PER_S);
        /* The last of 21 a second: 20/21 s after the last second that was on began. */
        assert_int_equal(due_of(&arrivals_on_off, &third, pace, 7 * s - 1),
                         (s - 3) * NS_PER_S + 952380952);
    }
}

/* ---- what is impossible ---- */

static void what_would_go_back_or_not_fit_is_refused(void **state)
{
    (void)state;
    struct pace pace = pace_of((struct ratio){3, 1}, 0); /* 333,333,333.3 ns */
    struct jittered j = {333333333};
    assert_null(arrivals_jittered.refuses_pace(&j, pace));
    j.jitter_ns++;
    assert_non_null(arrivals_jittered.refuses_pace(&j, pace));
    struct bursts b = {3, 499999999, false};
    assert_null(arrivals_bursts.refuses_pace(&b, pace));
    b.apart_ns++;
    assert_non_null(arrivals_bursts.refuses_pace(&b, pace));
    b = (struct bursts){UINT64_MAX, NS_PER_S, true};
    assert_non_null(arrivals_bursts.refuses_pace(&b, pace));
    struct on_off o = {NS_LIMIT - 1, NS_LIMIT - 2, SPACING_EVEN};
    assert_non_null(arrivals_on_off.refuses_pace(&o, (struct pace){NS_PER_S, 7}));
    struct ramp r = {{0, 1}, {0, 1}, NS_PER_S, SPACING_EVEN};
    assert_non_null(arrivals_ramp.is.refuses(&r));
    r = (struct ramp){{1, 999999937}, {1, 999999929}, NS_PER_S, SPACING_EVEN};
    assert_non_null(arrivals_ramp.is.refuses(&r));
    r = (struct ramp){{1, 1}, {1000, 1}, NS_LIMIT - 1, SPACING_EVEN};
    assert_non_null(arrivals_ramp.is.refuses(&r));
    r.over_ns = 86400 * NS_PER_S;
    r.to_per_s = (struct ratio){1000000, 1};
    assert_null(arrivals_ramp.is.refuses(&r));
}

static void steps_that_make_no_request_or_too_many_are_refused(void **state)
{
    (void)state;
    struct phase phases[] = {{{0, 1}, NS_PER_S}, {{0, 1}, NS_LIMIT - 1}};
    struct steps steps = {{phases, 0}, SPACING_EVEN};
    assert_non_null(arrivals_steps.is.refuses(&steps));
    steps.phases.count = 1;
    assert_non_null(arrivals_steps.is.refuses(&steps));
    phases[0].rate_per_s.num = 1;
    assert_null(arrivals_steps.is.refuses(&steps));
    steps.phases.count = 2;
    assert_non_null(arrivals_steps.is.refuses(&steps));
    phases[1] = (struct phase){{1, 999999937}, 1};
    assert_null(arrivals_steps.is.refuses(&steps));
    phases[0].rate_per_s.den = 999999929;
    assert_non_null(arrivals_steps.is.refuses(&steps));
    phases[0] = (struct phase){{UINT64_MAX, 1}, NS_LIMIT / 2};
    phases[1] = (struct phase){{UINT64_MAX - 1, 1}, NS_LIMIT / 4};
    assert_null(arrivals_steps.is.refuses(&steps));
    phases[1] = (struct phase){{1, 2}, 1};
    assert_non_null(arrivals_steps.is.refuses(&steps));
}

static void an_instant_beyond_the_clock_is_the_limit(void **state)
{
    (void)state;
    struct pace pace = {NS_PER_S, 1};
    struct ramp r = {{1, 1}, {1, 1}, NS_PER_S, SPACING_EVEN};
    struct on_off o = {NS_PER_S, 3 * NS_PER_S, SPACING_EVEN};
    struct bursts b = {5, 1, false};
    struct jittered j = {NS_PER_S};
    uint64_t far = UINT64_C(1) << 60;
    assert_int_equal(due_of(&arrivals_ramp, &r, pace, far), NS_LIMIT);
    assert_int_equal(due_of(&arrivals_on_off, &o, pace, far), NS_LIMIT);
    assert_int_equal(due_of(&arrivals_bursts, &b, pace, far), NS_LIMIT);
    assert_int_equal(due_of(&arrivals_jittered, &j, pace, far), NS_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_due_where_the_walk_is),
        cmocka_unit_test(an_on_off_schedule_is_due_where_the_walk_is),
        cmocka_unit_test(a_ramp_is_due_where_the_walk_is),
        cmocka_unit_test(ramps_of_seconds_are_integer_square_roots),
        cmocka_unit_test(a_long_ramp_is_due_at_the_last_ns_that_is_not_too_late),
        cmocka_unit_test(a_constant_rate_is_the_even_schedule_in_every_form),
        cmocka_unit_test(a_fraction_of_a_request_is_carried_over_a_pause),
        cmocka_unit_test(the_mean_rate_is_kept_to_the_last_request),
        cmocka_unit_test(what_would_go_back_or_not_fit_is_refused),
        cmocka_unit_test(steps_that_make_no_request_or_too_many_are_refused),
        cmocka_unit_test(an_instant_beyond_the_clock_is_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
