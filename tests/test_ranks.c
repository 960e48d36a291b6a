/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "models/ranks/rank.h"
#include "models/registry.h"
#include "tests/claim.h"

static const struct rank_type *rule(const char *name)
{
    const struct variant *v = variant_find(&set_ranks, name);
    assert_non_null(v);
    return (const struct rank_type *)(const void *)v;
}

static struct ratio percent(uint64_t num, uint64_t den)
{
    return ratio_make(num, den * 100);
}

/* The percentile of sorted x[0..n-1] in thousandths. */
static uint64_t milli(const char *name, struct ratio p, const ns_t *x, uint64_t n)
{
    struct rank_at at = rule(name)->at(p, n);
    assert_in_range(at.rank, 1, n);
    ns_t upper = at.num != 0 ? x[at.rank] : x[at.rank - 1];
    struct quantity q = rank_interpolate(at, x[at.rank - 1], upper);
    return q.ns * 1000 + q.thousandths;
}

static void p999_of_1000_is_rank_999(void **state)
{
    (void)state;
    assert_int_equal(rule("nearest")->at(percent(999, 10), 1000).rank, 999);
    assert_int_equal(rule("hdr")->at(percent(999, 10), 1000).rank, 999);
    assert_int_equal(rule("nearest")->at(percent(9999, 100), 10000).rank, 9999);
    assert_int_equal(rule("hdr")->at(percent(9999, 100), 5000).rank, 5000);
}

/* FR-09, FR-13: where doubles go one too high or one too low. */
static void no_double_lifts_or_drops_a_rank(void **state)
{
    (void)state;
    static const uint64_t thousands[] = {1000, 2000, 3000, 5000, 7000, 10000, 20000, 50000, 100000};
    for (size_t i = 0; i < sizeof thousands / sizeof thousands[0]; i++)
        assert_int_equal(rule("nearest")->at(percent(999, 10), thousands[i]).rank,
                         thousands[i] / 1000 * 999);
    assert_int_equal(rule("nearest")->at(percent(14, 1), 50).rank, 7);
    assert_int_equal(rule("nearest")->at(percent(28, 1), 50).rank, 14);
    assert_int_equal(rule("nearest")->at(percent(56, 1), 50).rank, 28);
    assert_int_equal(rule("nearest")->at(percent(999, 10), 999).rank, 999);
    assert_int_equal(rule("nearest")->at(percent(999, 10), 99999).rank, 99900);
    assert_int_equal(rule("nearest")->at(percent(50, 1), 1).rank, 1);
    assert_int_equal(rule("nearest")->at(percent(99, 1), 151).rank, 150);
    assert_int_equal(rule("nearest")->at(percent(99, 1), 401).rank, 397);
    assert_int_equal(rule("nearest")->at(percent(70, 1), 5).rank, 4);
}

/* Every n to 100,000 with many decimal percentiles, by the definition: the least k with k >= p n.
 */
static void nearest_rank_is_the_least_rank_at_or_above_pn(void **state)
{
    (void)state;
    static const uint64_t tenths_of_percent[] = {0, 1, 140, 500, 680, 810, 900, 990, 999, 1000};
    for (uint64_t n = 1; n <= 100000; n += n < 3000 ? 1 : 97)
        for (size_t i = 0; i < 10; i++) {
            uint64_t a = tenths_of_percent[i];
            uint64_t k = rule("nearest")->at(ratio_make(a, 1000), n).rank;
            assert_true(k * 1000 >= a * n && k >= 1 && k <= n);
            assert_true(k == 1 || (k - 1) * 1000 < a * n);
        }
}

/* FR-35, both lists, Hyndman and Fan's nine definitions. */
static void nine_definitions_give_their_own_values(void **state)
{
    (void)state;
    static const ns_t a[] = {21, 22, 25, 29, 33, 40, 41, 55, 60, 900};
    static const ns_t b[] = {6, 11, 15, 28, 120, 900};
    static const uint64_t a90[] = {60000,  480000, 60000,  60000, 480000,
                                   816000, 144000, 592000, 564000};
    static const uint64_t b75[] = {120000, 120000, 28000,  74000, 120000,
                                   315000, 97000,  185000, 168750};
    static const uint64_t b90[] = {900000, 900000, 120000, 432000, 822000,
                                   900000, 510000, 900000, 900000};
    static const bool a50_lower[] = {true, false, true, true, false, false, false, false, false};
    for (int t = 0; t < 9; t++) {
        char name[] = "type0";
        name[4] = (char)('1' + t);
        assert_int_equal(milli(name, percent(90, 1), a, 10), a90[t]);
        assert_int_equal(milli(name, percent(75, 1), b, 6), b75[t]);
        assert_int_equal(milli(name, percent(90, 1), b, 6), b90[t]);
        assert_int_equal(milli(name, percent(50, 1), a, 10), a50_lower[t] ? 33000 : 36500);
    }
}

/* S3-21: 990 fast and 10 slow. */
static void the_boundary_sample_is_fast_or_slow_by_the_rule(void **state)
{
    (void)state;
    ns_t x[1000];
    for (int i = 0; i < 1000; i++)
        x[i] = i < 990 ? 1000 : 50000;
    assert_int_equal(milli("nearest", percent(99, 1), x, 1000), 1000000);
    assert_int_equal(milli("hdr", percent(99, 1), x, 1000), 1000000);
    assert_int_equal(milli("floor-plus-one", percent(99, 1), x, 1000), 50000000);
    assert_int_equal(milli("type7", percent(99, 1), x, 1000), 1490000);
}

/* Against the formulas of Hyndman and Fan in long double, away from jumps. */
static void interpolated_rules_agree_with_their_formula(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        long double a, b; /* position p (n + a) + b */
    } rules[] = {{"type4", 0, 0},
                 {"type5", 0, 0.5L},
                 {"type6", 1, 0},
                 {"type7", -1, 1},
                 {"type8", 1.0L / 3, 1.0L / 3},
                 {"type9", 0.25L, 0.375L}};
    for (uint64_t n = 1; n < 200; n++)
        for (uint64_t p = 0; p <= 1000; p += 7)
            for (size_t r = 0; r < 6; r++) {
                struct rank_at at = rule(rules[r].name)->at(ratio_make(p, 1000), n);
                long double want =
                    (long double)p / 1000 * ((long double)n + rules[r].a) + rules[r].b;
                want = want < 1 ? 1 : want > (long double)n ? (long double)n : want;
                long double got = (long double)at.rank + (long double)at.num / (long double)at.den;
                assert_true(fabsl(got - want) < 1e-12L);
            }
}

static void every_rule_stays_within_the_samples(void **state)
{
    (void)state;
    static const struct ratio levels[] = {
        {0, 1},
        {1, 1},
        {1, UINT64_C(1000000000000000000)},
        {UINT64_C(999999999999999999), UINT64_C(1000000000000000000)}};
    static const uint64_t sizes[] = {1, 2, 3, UINT64_C(1) << 50};
    for (size_t v = 0; v < set_ranks.count; v++)
        for (size_t i = 0; i < 4; i++)
            for (size_t k = 0; k < 4; k++) {
                const struct rank_type *r = (const void *)set_ranks.variants[v];
                struct rank_at at = r->at(levels[i], sizes[k]);
                assert_true(at.rank >= 1 && at.rank <= sizes[k] && at.num < at.den);
                assert_true(at.num == 0 || at.rank < sizes[k]);
            }
}

static void interpolation_rounds_half_to_even(void **state)
{
    (void)state;
    struct quantity q = rank_interpolate((struct rank_at){1, 1, 2000}, 10, 11);
    assert_int_equal(q.ns * 1000 + q.thousandths, 10000); /* 10.0005 */
    q = rank_interpolate((struct rank_at){1, 3, 2000}, 10, 11);
    assert_int_equal(q.ns * 1000 + q.thousandths, 10002); /* 10.0015 */
    q = rank_interpolate((struct rank_at){1, 9999, 10000}, 10, 11);
    assert_int_equal(q.ns * 1000 + q.thousandths, 11000); /* 10.9999 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p999_of_1000_is_rank_999),
        cmocka_unit_test(no_double_lifts_or_drops_a_rank),
        cmocka_unit_test(nearest_rank_is_the_least_rank_at_or_above_pn),
        cmocka_unit_test(nine_definitions_give_their_own_values),
        cmocka_unit_test(the_boundary_sample_is_fast_or_slow_by_the_rule),
        cmocka_unit_test(interpolated_rules_agree_with_their_formula),
        cmocka_unit_test(every_rule_stays_within_the_samples),
        cmocka_unit_test(interpolation_rounds_half_to_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
