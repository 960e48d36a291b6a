/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Due instants of the random arrivals: put through the integral of their own rate, which is written
   here once more, the gaps must be exponential (or the offsets uniform). */

#include <math.h>
#include <stdlib.h>

#include "models/arrivals/arrivals.h"
#include "models/base/maths.h"
#include "tests/claim.h"
#include "tests/stream_with.h"

enum { REQUESTS = 200000 };
#define MS 1000000.0

static const struct jittered jitter = {700000};
static const struct bursts batches = {8, 0, true}, trains = {5, 300000, true};
static const struct on_off switched = {3000000, 7000000, SPACING_POISSON};
static struct phase phases[4] = {{{2000, 1}, 10000000000},
                                 {{0, 1}, 5000000000},
                                 {{5001, 2}, 20000000000},
                                 {{100, 1}, 4000000000000}};
static const struct steps ladder = {{phases, 4}, SPACING_POISSON};
static const struct ramp upward = {{0, 1}, {4000, 1}, 50000000000, SPACING_POISSON};
static const struct ramp downward = {{9000, 1}, {1500, 1}, 20000000000, SPACING_POISSON};
static const struct pace every_ms = {1000000, 1};

static double switched_amount(double ns)
{
    double cycles = floor(ns / (10 * MS)), rest = ns - cycles * 10 * MS;
    return cycles * 10 + fmin(rest, 3 * MS) / (0.3 * MS);
}

static double ladder_amount(double ns)
{
    double s = ns * 1e-9;
    return 2000.0 * fmin(s, 10.0) + 2500.5 * fmin(fmax(s - 15.0, 0.0), 20.0) +
           100.0 * fmax(s - 35.0, 0.0);
}

static double upward_amount(double ns)
{
    double s = ns * 1e-9;
    return s < 50.0 ? 40.0 * s * s : 100000.0 + 4000.0 * (s - 50.0);
}

static double downward_amount(double ns)
{
    double s = ns * 1e-9;
    return s < 20.0 ? 9000.0 * s - 187.5 * s * s : 105000.0 + 1500.0 * (s - 20.0);
}

static double even_amount(double ns)
{
    return ns / MS;
}

static const struct {
    const struct arrivals_type *type;
    const void *params;
    double (*amount)(double ns); /* requests due up to then, on the average */
    uint64_t size;               /* of a burst */
    double pause;                /* between bursts, in the mean, as a share of the amount of one */
} kinds[] = {
    {&arrivals_on_off, &switched, switched_amount, 1, 1.0},
    {&arrivals_steps, &ladder, ladder_amount, 1, 1.0},
    {&arrivals_ramp, &upward, upward_amount, 1, 1.0},
    {&arrivals_ramp, &downward, downward_amount, 1, 1.0},
    {&arrivals_bursts, &batches, even_amount, 8, 8.0},
    {&arrivals_bursts, &trains, even_amount, 5, 5.0 - 4 * 0.3},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static struct arrival_cursor cursor_of(uint64_t seed)
{
    return (struct arrival_cursor){.pace = every_ms,
                                   .stream = stream_open(seed, 0, 0, PURPOSE_ARRIVALS)};
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov and Smirnov's sqrt(n) D against the exponential of that mean: above 2.71 with
   probability below 1e-6. */
static double distance(double *x, size_t n, double mean)
{
    double worst = 0.0, count = (double)n;
    qsort(x, n, sizeof *x, by_size);
    for (size_t i = 0; i < n; i++) {
        double p = -expm1(-x[i] / mean);
        worst = fmax(worst, fmax(fabs((double)i / count - p), fabs((double)(i + 1) / count - p)));
    }
    return worst * sqrt(count);
}

/* How far the pauses of a kind are from exponential, their mean being stretched. */
static double kind_distance(size_t k, double stretch)
{
    ns_t *due_ns = must_alloc(REQUESTS, sizeof *due_ns);
    double *pauses = must_alloc(REQUESTS, sizeof *pauses), last = 0.0;
    struct arrival_cursor cursor = cursor_of(31);
    size_t count = 0;
    assert_int_equal(kinds[k].type->due(kinds[k].params, &cursor, due_ns, REQUESTS), REQUESTS);
    for (size_t i = 0; i < REQUESTS; i++) {
        double now = kinds[k].amount((double)due_ns[i]);
        if (i % kinds[k].size == 0)
            pauses[count++] = now - last;
        last = now;
    }
    double d = distance(pauses, count, kinds[k].pause * stretch);
    free(due_ns);
    free(pauses);
    return d;
}

static void pauses_are_exponential_in_the_amount_of_requests(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++)
        assert_true(kind_distance(k, 1.0) < 2.71);
}

static void canary_pauses_ten_percent_longer_are_not(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++)
        assert_true(kind_distance(k, 1.1) > 2.71);
}

/* Within five standard errors: of Poisson's n, and at most of n / size bursts of `size`. */
static void the_mean_rate_is_the_loads(void **state)
{
    (void)state;
    ns_t *due_ns = must_alloc(REQUESTS, sizeof *due_ns);
    for (size_t k = 0; k < KINDS; k++) {
        struct arrival_cursor cursor = cursor_of(8 + k);
        kinds[k].type->due(kinds[k].params, &cursor, due_ns, REQUESTS);
        double n = REQUESTS, amount = kinds[k].amount((double)due_ns[REQUESTS - 1]);
        assert_true(fabs(amount - n) < 5.0 * sqrt(n * (double)kinds[k].size) + 8.0);
    }
    free(due_ns);
}

static void requests_of_a_burst_keep_their_distance(void **state)
{
    (void)state;
    ns_t due_ns[1000];
    struct arrival_cursor cursor = cursor_of(5);
    arrivals_bursts.due(&trains, &cursor, due_ns, 1000);
    for (size_t i = 1; i < 1000; i++)
        if (i % 5 != 0)
            assert_int_equal(due_ns[i] - due_ns[i - 1], 300000);
}

static void nobody_is_due_in_a_pause(void **state)
{
    (void)state;
    ns_t *due_ns = must_alloc(REQUESTS, sizeof *due_ns);
    struct arrival_cursor cursor = cursor_of(6);
    arrivals_on_off.due(&switched, &cursor, due_ns, REQUESTS);
    for (size_t i = 0; i < REQUESTS; i++)
        assert_true(due_ns[i] % 10000000 < 3000000);
    cursor = cursor_of(7);
    arrivals_steps.due(&ladder, &cursor, due_ns, REQUESTS);
    for (size_t i = 0; i < REQUESTS; i++)
        assert_false(due_ns[i] >= 10000000000 && due_ns[i] < 15000000000);
    free(due_ns);
}

/* Offsets from the even instants, told as exponential draws of mean 1 by -log(1 - offset). */
static void jitter_is_uniform_and_below_its_bound(void **state)
{
    (void)state;
    ns_t *due_ns = must_alloc(REQUESTS, sizeof *due_ns);
    double *x = must_alloc(REQUESTS, sizeof *x);
    struct arrival_cursor cursor = cursor_of(9);
    arrivals_jittered.due(&jitter, &cursor, due_ns, REQUESTS);
    for (size_t i = 0; i < REQUESTS; i++) {
        ns_t offset_ns = due_ns[i] - i * 1000000;
        assert_true(offset_ns < 700000);
        x[i] = -log1p(-((double)offset_ns + 0.5) / 700000);
    }
    assert_true(distance(x, REQUESTS, 1.0) < 2.71);
    assert_true(distance(x, REQUESTS, 1.05) > 2.71);
    free(due_ns);
    free(x);
}

/* ---- the ends of a draw ---- */

static ns_t with_stream(const struct arrivals_type *type, const void *params, struct stream stream)
{
    struct arrival_cursor cursor = {.pace = every_ms, .stream = stream};
    ns_t due_ns;
    assert_int_equal(type->due(params, &cursor, &due_ns, 1), 1);
    return due_ns;
}

static ns_t with_word(const struct arrivals_type *type, const void *params, uint64_t word)
{
    return with_stream(type, params, stream_with(0, word));
}

#define LONGEST UINT64_C(0xff00000000)

/* Words of ones and of zeros begin with a gap of nothing, this one with the longest,
   of 49.715547906831 means. */
static void the_ends_of_a_draw_are_whole_instants(void **state)
{
    (void)state;
    assert_int_equal(with_stream(&arrivals_jittered, &jitter, stream_with(0, 0)), 0);
    assert_int_equal(with_stream(&arrivals_jittered, &jitter, stream_with(0, UINT64_MAX)), 699999);
    for (size_t k = 0; k < KINDS; k++) {
        assert_int_equal(with_word(kinds[k].type, kinds[k].params, 0), 0);
        assert_int_equal(with_word(kinds[k].type, kinds[k].params, UINT64_MAX), 0);
    }
    assert_int_equal(with_word(&arrivals_bursts, &batches, LONGEST), 397724383);
    /* So many requests are four times 10 ms and 9.7155 of the ten in the next 3 ms; at 2000/s
       24.86 ms; and sqrt(49.7155 / 40) s. */
    assert_int_equal(with_word(&arrivals_on_off, &switched, LONGEST), 42914664);
    assert_int_equal(with_word(&arrivals_steps, &ladder, LONGEST), 24857773);
    assert_int_equal(with_word(&arrivals_ramp, &upward, LONGEST), 1114849181);
}

static void instants_do_not_depend_on_how_many_are_asked_for(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        ns_t all[1000], one;
        struct arrival_cursor a = cursor_of(4), b = cursor_of(4);
        kinds[k].type->due(kinds[k].params, &a, all, 1000);
        for (size_t i = 0; i < 1000; i++) {
            kinds[k].type->due(kinds[k].params, &b, &one, 1);
            assert_int_equal(one, all[i]);
            assert_true(i == 0 || all[i] >= all[i - 1]);
        }
    }
}

/* A step and a ramp down of 100 requests each: the same draws go up to the end of both. */
static void a_process_that_ends_stays_ended(void **state)
{
    (void)state;
    struct phase short_phase = {{1000, 1}, 100 * NS_PER_MS};
    struct steps s = {{&short_phase, 1}, SPACING_POISSON};
    struct ramp r = {{1000, 1}, {0, 1}, 200 * NS_PER_MS, SPACING_POISSON};
    size_t sum[2] = {0, 0};
    for (uint64_t seed = 1; seed <= 400; seed++) {
        ns_t due_ns[500];
        struct arrival_cursor a = cursor_of(seed), b = cursor_of(seed);
        size_t first = arrivals_steps.due(&s, &a, due_ns, 500);
        size_t second = arrivals_ramp.due(&r, &b, due_ns, 500);
        assert_int_equal(first, second);
        assert_int_equal(arrivals_steps.due(&s, &a, due_ns, 500), 0);
        assert_int_equal(arrivals_ramp.due(&r, &b, due_ns, 1), 0);
        sum[0] += first;
        sum[1] += first * first;
    }
    /* Poisson's count has mean 100 and variance 100: five standard errors of both. */
    double mean = (double)sum[0] / 400, variance = (double)sum[1] / 400 - mean * mean;
    assert_true(fabs(mean - 100.0) < 5.0 * 10.0 / 20.0);
    assert_true(fabs(variance - 100.0) < 5.0 * 100.0 * sqrt(2.0 / 400));
}

/* With one rate and no pause the draws are those of the plain Poisson process, ns for ns. */
static void without_pauses_it_is_the_poisson_process(void **state)
{
    (void)state;
    struct on_off always = {NS_PER_MS, 0, SPACING_POISSON};
    struct bursts single = {1, 0, true};
    ns_t want[500], got[500];
    struct arrival_cursor a = cursor_of(3), b = cursor_of(3), c = cursor_of(3);
    arrivals_poisson.due(NULL, &a, want, 500);
    arrivals_on_off.due(&always, &b, got, 500);
    assert_memory_equal(got, want, sizeof want);
    arrivals_bursts.due(&single, &c, got, 500);
    assert_memory_equal(got, want, sizeof want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pauses_are_exponential_in_the_amount_of_requests),
        cmocka_unit_test(canary_pauses_ten_percent_longer_are_not),
        cmocka_unit_test(the_mean_rate_is_the_loads),
        cmocka_unit_test(requests_of_a_burst_keep_their_distance),
        cmocka_unit_test(nobody_is_due_in_a_pause),
        cmocka_unit_test(jitter_is_uniform_and_below_its_bound),
        cmocka_unit_test(the_ends_of_a_draw_are_whole_instants),
        cmocka_unit_test(instants_do_not_depend_on_how_many_are_asked_for),
        cmocka_unit_test(a_process_that_ends_stays_ended),
        cmocka_unit_test(without_pauses_it_is_the_poisson_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
