/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The statistical check judged by simulation: draws straight from a law, fixed seeds, nothing of
   the engine.  Counts of rejections are held to binomial bounds whose false alarm is stated. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

#include "models/loads/load.h"
#include "sim/check.h"

enum { RUNS = 32 };

/* Service times of unlimited workers: independent, so the inflation is 1. */
struct scene {
    struct server server;
    struct exponential exponential;
    struct constant constant;
    struct load_plan load;
    struct open_load open;
    struct run_plan run;
    struct law law;
};

static void find_law(struct scene *s)
{
    s->server.workers = UNLIMITED;
    s->server.queue_limit = UNLIMITED;
    s->open = (struct open_load){
        .every_ns = 1000000, .arrivals = {&arrivals_poisson.is, NULL}, .max_in_flight = UNLIMITED};
    s->load.kind = (struct choice){&load_open.is, &s->open};
    struct law_question q = {.server = &s->server,
                             .load = &s->load,
                             .run = &s->run,
                             .from = INSTANT_DUE,
                             .to = INSTANT_FINISHED};
    law_find(&q, &s->law);
    assert_int_equal(s->law.shape, LAW_RANDOM);
}

static void exponential_scene(struct scene *s, ns_t mean_ns)
{
    *s = (struct scene){.exponential = {mean_ns}};
    s->server.service = (struct choice){&distribution_exponential.is, &s->exponential};
    find_law(s);
}

static gsl_rng *dice(unsigned long seed)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    assert_non_null(rng);
    gsl_rng_set(rng, seed);
    return rng;
}

/* What a run shows whose samples fall at or below the threshold with probability `share`. */
struct shown {
    uint64_t at_most[RUNS], samples[RUNS];
};

static void show(gsl_rng *rng, double share, unsigned samples, struct shown *out)
{
    for (size_t r = 0; r < RUNS; r++) {
        out->samples[r] = samples;
        out->at_most[r] = samples - gsl_ran_binomial(rng, 1.0 - share, samples);
    }
}

static struct judgement judge(const struct law *law, struct ratio p, const struct shown *shown,
                              double level)
{
    struct evidence e = {.law = law,
                         .p = p,
                         .threshold_ns = law_percentile(law, p),
                         .at_most = shown->at_most,
                         .samples = shown->samples,
                         .requests = shown->samples,
                         .replications = RUNS};
    struct judgement out;
    check_statistical(&e, level, &out);
    return out;
}

/* 5 standard deviations either way: false alarm below 1e-6 for counts of this size. */
static void count_fits(unsigned count, unsigned trials, double probability)
{
    double mean = trials * probability, deviation = sqrt(mean * (1.0 - probability));
    if (fabs(count - mean) > 5.0 * deviation)
        fail_msg("%u of %u, wanted %g +- %g", count, trials, mean, 5.0 * deviation);
}

static void a_right_law_is_rejected_as_often_as_the_level_says(void **state)
{
    (void)state;
    struct scene s;
    exponential_scene(&s, 1000000);
    gsl_rng *rng = dice(1);
    struct ratio levels[] = {{1, 2}, {9, 10}, {99, 100}};
    for (size_t i = 0; i < 3; i++) {
        unsigned rejected = 0, low = 0, trials = 4000;
        double share = law_cdf(&s.law, law_percentile(&s.law, levels[i]));
        for (unsigned t = 0; t < trials; t++) {
            struct shown shown;
            show(rng, share, 100000, &shown);
            struct judgement j = judge(&s.law, levels[i], &shown, 0.01);
            assert_int_equal(j.check, CHECK_STATISTICAL);
            assert_true(j.rejects == (j.p_value < 0.01));
            rejected += j.rejects;
            low += j.sign < 0;
        }
        count_fits(rejected, trials, 0.01);
        count_fits(low, trials, 0.5);
    }
    gsl_rng_free(rng);
}

/* The fewest clusters that are judged, where counts are most skewed: two runs that agree must stay
   rare.  A run is wrongly rejected at most four times as often as its level of 1e-3 says (590 times
   in 400,000 with this seed), so of 8,000 pairs 0.13 at most may agree, and three or more would be
   chance once in 3,000 tries. */
static void at_the_fewest_clusters_two_runs_hardly_ever_agree_to_reject(void **state)
{
    (void)state;
    struct scene s;
    exponential_scene(&s, 1000000);
    gsl_rng *rng = dice(2);
    struct ratio p = {99, 100};
    double share = law_cdf(&s.law, law_percentile(&s.law, p));
    unsigned both = 0, single = 0, pairs = 8000;
    for (unsigned t = 0; t < pairs; t++) {
        struct shown first, second;
        show(rng, share, 313, &first);
        show(rng, share, 313, &second);
        struct judgement a = judge(&s.law, p, &first, 1e-3), b = judge(&s.law, p, &second, 1e-3);
        assert_int_equal(a.check, CHECK_STATISTICAL);
        assert_int_equal(b.check, CHECK_STATISTICAL);
        single += a.rejects + b.rejects;
        both += a.rejects && b.rejects && a.sign == b.sign;
    }
    gsl_rng_free(rng);
    assert_true(single > 0 && single < 2 * pairs * 4e-3);
    assert_true(both <= 2);
}

static void a_law_wrong_by_a_few_percent_is_rejected_with_the_right_sign(void **state)
{
    (void)state;
    struct scene right, wrong;
    gsl_rng *rng = dice(3);
    struct ratio p = {99, 100};
    exponential_scene(&right, 1000000);
    for (int side = -1; side <= 1; side += 2) {
        exponential_scene(&wrong, (ns_t)(1000000 + side * 30000));
        double share = law_cdf(&right.law, law_percentile(&wrong.law, p));
        for (int run = 0; run < 50; run++) {
            struct shown shown;
            show(rng, share, 200000, &shown);
            struct judgement j = judge(&wrong.law, p, &shown, 1e-5);
            assert_true(j.rejects);
            assert_int_equal(j.sign, side); /* too high a percentile has more below it */
        }
    }
    gsl_rng_free(rng);
}

/* Both runs, same sign, 99 times in 100, for the worse of the two directions and better for the
   other; the law's percentile is moved by exactly the detectable error. */
static void the_detectable_error_is_detected_99_times_in_100(void **state)
{
    (void)state;
    struct scene s;
    exponential_scene(&s, 1000000000);
    gsl_rng *rng = dice(4);
    struct ratio levels[] = {{1, 2}, {99, 100}};
    double test_levels[] = {1e-3, 1e-5};
    for (size_t i = 0; i < 2; i++) {
        struct ratio p = levels[i];
        struct shown shown;
        show(rng, law_cdf(&s.law, law_percentile(&s.law, p)), 100000000, &shown);
        double e = judge(&s.law, p, &shown, test_levels[i]).detectable;
        assert_true(e > 1e-5 && e < 0.01);
        unsigned detected[2] = {0}, trials = 4000;
        for (int side = 0; side < 2; side++) {
            struct scene wrong;
            double mean_ns = 1e9 * (side ? 1.0 + e : 1.0 - e);
            exponential_scene(&wrong, (ns_t)llround(mean_ns));
            double share = law_cdf(&s.law, law_percentile(&wrong.law, p));
            for (unsigned t = 0; t < trials; t++) {
                struct shown a, b;
                show(rng, share, 100000000, &a);
                show(rng, share, 100000000, &b);
                struct judgement first = judge(&wrong.law, p, &a, test_levels[i]);
                struct judgement second = judge(&wrong.law, p, &b, test_levels[i]);
                detected[side] += first.rejects && second.rejects && first.sign == second.sign;
            }
        }
        unsigned worse = detected[0] < detected[1] ? detected[0] : detected[1];
        count_fits(worse, trials, 0.99);
    }
    gsl_rng_free(rng);
}

/* P(T' > critical) by drawing T' itself. */
static void the_noncentrality_has_the_power_it_is_asked_for(void **state)
{
    (void)state;
    gsl_rng *rng = dice(5);
    size_t runs[] = {32, 100, 1000};
    for (size_t i = 0; i < 3; i++) {
        double level = 0.01, nu = (double)runs[i] - 1.0;
        double shift = check_noncentrality(runs[i], level, 0.9);
        double critical = gsl_cdf_tdist_Qinv(level / 2.0, nu);
        unsigned beyond = 0, trials = 100000;
        for (unsigned t = 0; t < trials; t++) {
            double z = gsl_ran_ugaussian(rng) + shift;
            beyond += z / sqrt(gsl_ran_chisq(rng, nu) / nu) > critical;
        }
        count_fits(beyond, trials, 0.9);
    }
    gsl_rng_free(rng);
}

static void too_few_says_what_length_would_do(void **state)
{
    (void)state;
    struct scene s;
    exponential_scene(&s, 1000000);
    gsl_rng *rng = dice(6);
    struct ratio p = {99, 100};
    struct shown shown;
    show(rng, 0.99, 156, &shown); /* 2 * 32 * 156 * 0.01 = 99.84 clusters */
    struct judgement j = judge(&s.law, p, &shown, 1e-3);
    assert_int_equal(j.check, CHECK_TOO_FEW);
    assert_false(j.rejects);
    assert_true(fabs(j.clusters - 99.84) < 0.01);
    assert_true(isnan(j.detectable));
    assert_non_null(strstr(j.why, "2.2 times as many requests would do"));
    show(rng, 0.99, 328, &shown); /* and that length does */
    assert_int_equal(judge(&s.law, p, &shown, 1e-3).check, CHECK_STATISTICAL);
    /* Below the median it is the samples at or below that are few. */
    show(rng, 0.01, 156, &shown);
    assert_int_equal(judge(&s.law, (struct ratio){1, 100}, &shown, 1e-3).check, CHECK_TOO_FEW);
    gsl_rng_free(rng);
}

static void no_variance_and_few_replications_are_no_evidence(void **state)
{
    (void)state;
    struct scene s;
    exponential_scene(&s, 1000000);
    struct shown shown;
    for (size_t r = 0; r < RUNS; r++) {
        shown.samples[r] = 100000;
        shown.at_most[r] = 99000;
    }
    struct judgement j = judge(&s.law, (struct ratio){99, 100}, &shown, 1e-3);
    assert_int_equal(j.check, CHECK_TOO_FEW);
    assert_non_null(strstr(j.why, "variance"));
    struct evidence few = {.law = &s.law,
                           .p = {1, 2},
                           .threshold_ns = 693147,
                           .at_most = shown.at_most,
                           .samples = shown.samples,
                           .requests = shown.samples,
                           .replications = 31};
    check_statistical(&few, 1e-3, &j);
    assert_int_equal(j.check, CHECK_TOO_FEW);
    assert_non_null(strstr(j.why, "32"));
    memset(&shown, 0, sizeof shown);
    assert_int_equal(judge(&s.law, (struct ratio){1, 2}, &shown, 1e-3).check, CHECK_TOO_FEW);
}

static void a_percentile_on_an_atom_is_checked_but_has_no_detectable_error(void **state)
{
    (void)state;
    struct scene s = {.constant = {1000000000}};
    s.server.service = (struct choice){&distribution_constant.is, &s.constant};
    s.server.workers = 1;
    s.server.queue_limit = UNLIMITED;
    s.open = (struct open_load){.every_ns = 2000000000,
                                .arrivals = {&arrivals_poisson.is, NULL},
                                .max_in_flight = UNLIMITED};
    s.load.kind = (struct choice){&load_open.is, &s.open};
    struct law_question q = {.server = &s.server,
                             .load = &s.load,
                             .run = &s.run,
                             .from = INSTANT_DUE,
                             .to = INSTANT_FINISHED};
    law_find(&q, &s.law); /* M/D/1 at rho = 1/2: half of all requests take 1 s exactly */
    assert_string_equal(s.law.type->is.name, "md1");
    gsl_rng *rng = dice(7);
    struct ratio p = {3, 10};
    assert_int_equal(law_percentile(&s.law, p), 1000000000);
    struct shown shown;
    show(rng, 0.5, 100000, &shown);
    struct judgement j = judge(&s.law, p, &shown, 1e-3);
    assert_int_equal(j.check, CHECK_STATISTICAL);
    assert_false(j.rejects);
    assert_true(isnan(j.detectable));
    show(rng, 0.3, 100000, &shown); /* what a law without the atom would show */
    assert_true(judge(&s.law, p, &shown, 1e-3).rejects);
    show(rng, 0.99, 100000, &shown);
    assert_true(judge(&s.law, (struct ratio){99, 100}, &shown, 1e-3).detectable < 0.1);
    law_free(&s.law);
    gsl_rng_free(rng);
}

/* Corrected samples come in runs of their request: the variance is taken from the replications, and
   it is the ratio of expectations that the statistic is held to. */
static void corrected_samples_are_judged_by_their_own_variance(void **state)
{
    (void)state;
    struct scene s;
    exponential_scene(&s, 1000000);
    s.law.rule = (struct correction_rule){1, 300000, 300000};
    gsl_rng *rng = dice(8);
    struct ratio p = {9, 10};
    ns_t threshold_ns = law_percentile(&s.law, p);
    unsigned rejected = 0, trials = 300;
    for (unsigned t = 0; t < trials; t++) {
        struct shown shown = {{0}, {0}};
        for (size_t r = 0; r < RUNS; r++)
            for (int i = 0; i < 2000; i++) {
                ns_t value_ns = (ns_t)llround(gsl_ran_exponential(rng, 1e6));
                uint64_t added = correction_adds(s.law.rule, value_ns);
                shown.samples[r] += 1 + added;
                for (uint64_t j = 0; j <= added; j++)
                    shown.at_most[r] += value_ns - j * 300000 <= threshold_ns;
            }
        struct judgement j = judge(&s.law, p, &shown, 0.01);
        assert_int_equal(j.check, CHECK_STATISTICAL);
        /* 6234 samples a run, a tenth beyond, and fewer clusters than independent ones have */
        assert_true(j.clusters > 2000 && j.clusters < 0.2 * 32 * 6234);
        assert_true(j.detectable > 0.0 && j.detectable < 0.2);
        rejected += j.rejects;
    }
    count_fits(rejected, trials, 0.01);
    gsl_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_law_is_rejected_as_often_as_the_level_says),
        cmocka_unit_test(at_the_fewest_clusters_two_runs_hardly_ever_agree_to_reject),
        cmocka_unit_test(a_law_wrong_by_a_few_percent_is_rejected_with_the_right_sign),
        cmocka_unit_test(the_detectable_error_is_detected_99_times_in_100),
        cmocka_unit_test(the_noncentrality_has_the_power_it_is_asked_for),
        cmocka_unit_test(too_few_says_what_length_would_do),
        cmocka_unit_test(no_variance_and_few_replications_are_no_evidence),
        cmocka_unit_test(a_percentile_on_an_atom_is_checked_but_has_no_detectable_error),
        cmocka_unit_test(corrected_samples_are_judged_by_their_own_variance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
