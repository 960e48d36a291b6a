/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The audit of a printed summary: figures of a well-known run worked out by hand, and an inversion
   that knows nothing of the formula. */

#include <math.h>
#include <string.h>

#include "tests/claim.h"
#include "tools/audit.h"

/* 128 connections, 300 s, 133,439 requests on each; printed 5.61 ms, 147.7 ms and p99 37 ms. */
static struct audit_summary well_known(void)
{
    return (struct audit_summary){.connections = 128,
                                  .requests = 128 * 133439,
                                  .duration_ns = 300 * NS_PER_S,
                                  .mean_ns = 5610 * NS_PER_US,
                                  .max_ns = 147700 * NS_PER_US,
                                  .percentiles = {{{99, 100}, "99", 37 * NS_PER_MS}},
                                  .percentile_count = 1};
}

static void near(double found, double wanted, double within)
{
    if (!(fabs(found - wanted) <= within))
        fail_msg("%.9g is not %.9g within %.3g", found, wanted, within);
}

static void the_mean_of_a_closed_loop_cannot_exceed_connections_over_throughput(void **state)
{
    (void)state;
    struct audit_summary s = {.connections = 128, .rate_per_s = {56900, 1}, .mean_ns = 5610000};
    struct audit a = audit_summary(&s);
    near(fraction_double(a.cap_ns), 2249560.632688928, 1e-3);
    near(fraction_double(a.inflation), 5.61 / 2.249560632688928, 1e-9);
    assert_true(a.above_cap && !a.at_cap);
    assert_true(a.requests.lost);
    s.mean_ns = 2250000;
    a = audit_summary(&s);
    assert_true(a.at_cap && !a.above_cap);
    s.mean_ns =
        17500; /* last come, first served: nearly all the time is of requests not answered */
    a = audit_summary(&s);
    assert_true(!a.at_cap && !a.above_cap);
}

static void the_interval_is_the_run_in_whole_us_over_whole_requests_a_connection(void **state)
{
    (void)state;
    struct audit_summary s = well_known();
    struct audit a = audit_summary(&s);
    near(fraction_double(a.cap_ns), 2248218.2870075467, 1e-3);
    assert_int_equal(fraction_floor(a.interval_ns), 2248 * NS_PER_US);
    assert_int_equal(a.interval_ns.den, 1);
    assert_int_equal(a.added_to_max, 64);
    s.max_ns = 148 * NS_PER_MS;
    s.interval = INTERVAL_GIVEN;
    s.interval_ns = 2250 * NS_PER_US;
    assert_int_equal(audit_summary(&s).added_to_max, 64);
}

/* The rule itself, step by step. */
static uint64_t added_one_by_one(ns_t value_ns, ns_t interval_ns)
{
    uint64_t added = 0;
    if (value_ns < 2 * interval_ns)
        return 0;
    for (ns_t v = value_ns - interval_ns; v > interval_ns; v -= interval_ns)
        added++;
    return added;
}

static void added_samples_are_those_of_the_rule_at_its_edges(void **state)
{
    (void)state;
    for (ns_t value = 1; value < 70; value++) {
        struct audit_summary s = well_known();
        s.max_ns = value * NS_PER_MS;
        s.interval = INTERVAL_GIVEN;
        s.interval_ns = 10 * NS_PER_MS;
        assert_int_equal(audit_summary(&s).added_to_max, added_one_by_one(s.max_ns, s.interval_ns));
    }
}

/* With the mean before correction rounded as printed, 2.25 ms, and the interval not rounded. */
static void so_many_slow_responses_are_behind_the_printed_mean(void **state)
{
    (void)state;
    static const struct {
        ns_t max_us;
        double count;
    } cases[] = {{147700, 12991}, {148000, 12935}, {100000, 29705}, {74000, 57105},
                 {50000, 139007}, {40000, 234739}, {25300, 783495}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct audit_summary s = well_known();
        s.max_ns = cases[i].max_us * NS_PER_US;
        s.real_mean_ns = 2250 * NS_PER_US;
        s.interval = INTERVAL_EXACT;
        struct audit a = audit_summary(&s);
        assert_true(a.slow[0].possible);
        near(fraction_double(a.slow[0].count), cases[i].count, 0.5);
    }
    struct audit_summary s = well_known(); /* both rounded to 2.25 ms */
    s.real_mean_ns = s.interval_ns = 2250 * NS_PER_US;
    s.interval = INTERVAL_GIVEN;
    struct audit a = audit_summary(&s);
    near(fraction_double(a.slow[0].count), 13002.393677952608, 1e-6);
    near(1.0 / fraction_double(a.slow[0].share), 1313.6190476190452, 1e-6);
    assert_int_equal(fraction_ceiling(a.slow[0].pauses), 102);
}

/* Put that share back: the mean of all samples is the printed one. */
static void the_share_of_slow_responses_gives_the_printed_mean_again(void **state)
{
    (void)state;
    struct audit_summary s = well_known();
    struct audit a = audit_summary(&s);
    for (size_t i = 0; i < a.slow_count; i++) {
        double x = fraction_double(a.slow[i].share), k = (double)a.slow[i].added, sum = 0.0;
        for (double v = (double)a.slow[i].length_ns - 2248e3; v > 2248e3; v -= 2248e3)
            sum += v;
        near((fraction_double(a.real_mean_ns) + x * sum) / (1.0 + x * k), 5610000.0, 1e-3);
    }
    assert_int_equal(a.slow_count, AUDIT_LENGTHS);
}

static void a_population_at_the_maximum_contradicts_the_printed_percentile(void **state)
{
    (void)state;
    struct audit_summary s = well_known();
    s.real_mean_ns = 2250 * NS_PER_US;
    struct audit a = audit_summary(&s);
    assert_true(a.ranks[0].has_all_at_max && a.ranks[0].contradicts);
    near(fraction_double(a.ranks[0].all_at_max_ns) / 1e6, 118.5, 0.05);
    near(fraction_double(a.ranks[0].all_at_max_fluid_ns) / 1e6, 116.7, 0.05);
    s.percentiles[0].value_ns = 118 * NS_PER_MS;
    assert_false(audit_summary(&s).ranks[0].contradicts);
}

static void a_pause_at_saturation_makes_the_worst_response_itself_and_a_backlog(void **state)
{
    (void)state;
    struct audit_summary s = {.connections = 128, .rate_per_s = {57000, 1}};
    s.pause_ns = 23100 * NS_PER_US;
    s.max_ns = 147700 * NS_PER_US;
    struct audit a = audit_summary(&s);
    near(fraction_double(a.paused_ns) / 1e6, 25.3456, 1e-4);
    near(fraction_double(a.longest_pause_ns) / 1e6, 147.7 - 2.2456, 1e-4);
}

static void percentiles_that_cannot_be_of_one_set_are_told(void **state)
{
    (void)state;
    struct audit_summary s = {.connections = 1,
                              .requests = 3000,
                              .duration_ns = 30 * NS_PER_S,
                              .mean_ns = 10 * NS_PER_MS,
                              .max_ns = 90 * NS_PER_MS,
                              .percentiles = {{{1, 2}, "50", 30 * NS_PER_MS},
                                              {{99, 100}, "99", 20 * NS_PER_MS},
                                              {{999, 1000}, "99.9", 100 * NS_PER_MS}},
                              .percentile_count = 3};
    struct audit a = audit_summary(&s);
    assert_true(a.ranks[0].mean_too_low && !a.ranks[0].out_of_order);
    assert_true(a.ranks[1].out_of_order && !a.ranks[1].mean_too_low);
    assert_true(a.ranks[2].out_of_order);
    assert_true(a.ranks[1].supported && !a.ranks[2].supported);
    assert_int_equal(a.ranks[2].nearest, 2997);
    assert_int_equal(a.ranks[2].floor_plus_one, 2998);
}

static void what_contradicts_itself_is_told_before_anything_is_made_of_it(void **state)
{
    (void)state;
    struct audit_summary s = {.connections = 128,
                              .rate_per_s = {100, 1},
                              .mean_ns = 5 * NS_PER_MS,
                              .max_ns = 1 * NS_PER_MS};
    struct audit a = audit_summary(&s);
    assert_true(a.above_max && !a.rate_differs && !a.too_few);
    s.max_ns = s.mean_ns;
    assert_false(audit_summary(&s).above_max);
    s.requests = 127;
    assert_true(audit_summary(&s).too_few);
    s.requests = 128;
    assert_false(audit_summary(&s).too_few);
    s.requests = 30000;
    s.duration_ns = 300 * NS_PER_S;
    assert_false(audit_summary(&s).rate_differs);
    s.rate_per_s = (struct ratio){101, 1}; /* 1 % is rounding */
    assert_false(audit_summary(&s).rate_differs);
    s.rate_per_s = (struct ratio){102, 1};
    assert_true(audit_summary(&s).rate_differs);
    s.rate_per_s = (struct ratio){98, 1};
    assert_true(audit_summary(&s).rate_differs);
}

static void threads_open_the_same_whole_number_of_connections(void **state)
{
    (void)state;
    struct audit_summary s = {.connections = 22, .threads = 6, .rate_per_s = {1000, 1}};
    assert_int_equal(audit_summary(&s).opened, 18);
}

static void what_does_not_fit_is_lost_and_never_wrong(void **state)
{
    (void)state;
    struct fraction large = fraction_whole((i128)1 << 100);
    assert_true(fraction_multiply(large, large).lost);
    assert_true(fraction_add(fraction_of(1, (i128)1 << 100), fraction_of(1, 3)).lost == false);
    assert_true(fraction_divide(large, fraction_whole(0)).lost);
    assert_true(isnan(fraction_double(fraction_of(1, 0))));
    struct fraction third = fraction_of(-2, -6);
    assert_true(third.num == 1 && third.den == 3);
    assert_true(fraction_floor(fraction_of(-1, 3)) == -1 && fraction_ceiling(third) == 1);
    assert_false(fraction_less(fraction_of(1, 0), third));
    assert_true(fraction_less(third, fraction_of(1, 2)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_of_a_closed_loop_cannot_exceed_connections_over_throughput),
        cmocka_unit_test(the_interval_is_the_run_in_whole_us_over_whole_requests_a_connection),
        cmocka_unit_test(added_samples_are_those_of_the_rule_at_its_edges),
        cmocka_unit_test(so_many_slow_responses_are_behind_the_printed_mean),
        cmocka_unit_test(the_share_of_slow_responses_gives_the_printed_mean_again),
        cmocka_unit_test(a_population_at_the_maximum_contradicts_the_printed_percentile),
        cmocka_unit_test(a_pause_at_saturation_makes_the_worst_response_itself_and_a_backlog),
        cmocka_unit_test(percentiles_that_cannot_be_of_one_set_are_told),
        cmocka_unit_test(what_contradicts_itself_is_told_before_anything_is_made_of_it),
        cmocka_unit_test(threads_open_the_same_whole_number_of_connections),
        cmocka_unit_test(what_does_not_fit_is_lost_and_never_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
