/* SPDX-License-Identifier: GPL-3.0-or-later */

/* True recorders of every precision pass the whole suite, and those that are not as exact as they
   declare do not. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "models/stores/store.h"
#include "sim/conform/judge.h"
#include "tests/claim.h"
#include "tests/suite_trials.h"

/* What a recorder makes of an exact value, in thousandths of a ns. */
typedef i128 (*keeps_fn)(const void *how, ns_t ns);

/* The true report with every value but count, mean and sum passed through the recorder's cells. */
static void report_kept(const struct trial *trial, keeps_fn keeps, const void *how,
                        struct report *out)
{
    report_true(&trial->requests, &trial->asked, out);
    struct said *ends[] = {&out->min, &out->max};
    for (size_t i = 0; i < 2; i++)
        if (ends[i]->known)
            ends[i]->milli = keeps(how, (ns_t)(ends[i]->milli / 1000));
    for (size_t k = 0; k < out->percentile_count; k++)
        if (out->percentiles[k].known)
            out->percentiles[k].milli = keeps(how, (ns_t)(out->percentiles[k].milli / 1000));
}

static bool conforms(const struct trial *trial, const struct report *report,
                     const struct declared *declared)
{
    struct conformance verdict;
    verdict_make(trial, report, declared, &verdict);
    bool good = verdict.conforms;
    assert_true(good ? verdict.suspect_count == 0 : true);
    verdict_free(&verdict);
    return good;
}

/* In how many scenarios of the suite a recorder of those cells conforms. */
static size_t passes(const struct scenes *scenes, keeps_fn keeps, const void *how,
                     const struct declared *declared)
{
    size_t passed = 0;
    for (size_t s = 0; s < scenes->count; s++) {
        struct report report;
        struct bench bench;
        judge_open(&bench, &scenes->items[s].trial, declared);
        report_kept(&scenes->items[s].trial, keeps, how, &report);
        passed += heard_is_right(&bench, &report);
        judge_close(&bench);
        report_free(&report);
    }
    return passed;
}

/* The project's own store: params as `store_hdr` reads them, in a unit. */
struct cells {
    struct {
        uint64_t digits;
        ns_t lowest_ns, highest_ns;
        bool clamp;
    } params;
    ns_t unit_ns;
    bool lowest;
};

static i128 in_cells(const void *how, ns_t ns)
{
    const struct cells *c = how;
    const struct store_type *store =
        (const struct store_type *)(const void *)variant_find(&set_stores, "hdr");
    struct stored cell = store->cell(&c->params, ns / c->unit_ns);
    return (i128)(c->lowest ? cell.low_ns : cell.high_ns) * (i128)c->unit_ns * 1000;
}

static void histograms_of_one_to_five_digits_pass_in_ns_and_us(void **state)
{
    struct scenes *scenes = *state;
    for (uint64_t digits = 1; digits <= 5; digits++)
        for (size_t variant = 0; variant < 6; variant++) {
            struct cells cells = {{digits, variant % 3 == 1 ? 1000 : 1, UINT64_C(1) << 60, false},
                                  variant % 3 == 2 ? 1000 : 1,
                                  variant >= 3};
            struct declared declared = {.precision = PRECISION_DIGITS, .digits = (unsigned)digits};
            assert_int_equal(passes(scenes, in_cells, &cells, &declared), scenes->count);
        }
}

static void canary_a_histogram_of_a_digit_less_than_it_declares_fails(void **state)
{
    struct scenes *scenes = *state;
    for (uint64_t digits = 1; digits <= 4; digits++) {
        struct cells cells = {{digits, 1, UINT64_C(1) << 60, false}, 1, false};
        struct declared declared = {.precision = PRECISION_DIGITS, .digits = (unsigned)digits + 1};
        assert_true(passes(scenes, in_cells, &cells, &declared) < scenes->count);
        declared = (struct declared){.precision = PRECISION_EXACT};
        assert_int_equal(passes(scenes, in_cells, &cells, &declared), 0);
    }
}

/* DDSketch: buckets of ratio (1 + a)/(1 - a), each told as its value of least relative error. */
static i128 in_ratios(const void *how, ns_t ns)
{
    double a = *(const double *)how, ratio = (1 + a) / (1 - a);
    if (ns == 0)
        return 0;
    return (i128)(2 * pow(ratio, ceil(log((double)ns) / log(ratio))) / (ratio + 1) * 1000);
}

static void relative_sketches_pass_and_looser_ones_do_not(void **state)
{
    struct scenes *scenes = *state;
    static const uint64_t per_mille[] = {1, 5, 10, 50};
    for (size_t i = 0; i < 4; i++) {
        double a = (double)per_mille[i] / 1000;
        struct declared declared = {.precision = PRECISION_RELATIVE,
                                    .relative = ratio_make(per_mille[i], 1000)};
        assert_int_equal(passes(scenes, in_ratios, &a, &declared), scenes->count);
        a *= 3;
        assert_true(passes(scenes, in_ratios, &a, &declared) < scenes->count);
    }
}

/* Upper bounds of buckets; above the last: the last. */
static i128 upper_bound(const void *how, ns_t ns)
{
    const struct durations *bounds = how;
    size_t k = 0;
    while (k + 1 < bounds->count && bounds->ns[k] < ns)
        k++;
    return (i128)bounds->ns[k] * 1000;
}

static i128 inside_bucket(const void *how, ns_t ns)
{
    const struct durations *bounds = how;
    size_t k = 0;
    while (bounds->ns[k] < ns)
        k++;
    ns_t low_ns = k > 0 ? bounds->ns[k - 1] : 0;
    return ((i128)low_ns * 2 + (i128)bounds->ns[k]) * 1000 / 3;
}

static void buckets_pass_by_their_bounds_and_between_them_where_they_interpolate(void **state)
{
    struct scenes *scenes = *state;
    ns_t powers[48];
    for (size_t i = 0; i < 48; i++)
        powers[i] = UINT64_C(1) << i;
    struct durations bounds = {powers, 48};
    struct declared declared = {.precision = PRECISION_BOUNDS, .bounds = bounds};
    assert_int_equal(passes(scenes, upper_bound, &bounds, &declared), scenes->count);
    assert_true(passes(scenes, inside_bucket, &bounds, &declared) < scenes->count);
    declared.interpolates = true;
    assert_int_equal(passes(scenes, inside_bucket, &bounds, &declared), scenes->count);
    ns_t own[46]; /* told by bounds that are not those declared */
    for (size_t i = 0; i < 46; i++)
        own[i] = UINT64_C(3) << i;
    struct durations other = {own, 46};
    declared.interpolates = false;
    assert_int_equal(passes(scenes, upper_bound, &other, &declared), 0);
}

static void above_the_last_bound_there_is_no_value(void **state)
{
    const struct trial *trial = scene_named(*state, "spread");
    ns_t last = NS_PER_S;
    struct durations bounds = {&last, 1};
    struct declared declared = {.precision = PRECISION_BOUNDS, .bounds = bounds};
    struct report report;
    report_kept(trial, upper_bound, &bounds, &report);
    report.min.known = report.max.known = false;
    assert_false(conforms(trial, &report, &declared));
    for (size_t k = 0; k < report.percentile_count; k++) {
        struct report truth;
        report_true(&trial->requests, &trial->asked, &truth);
        report.percentiles[k].known = truth.percentiles[k].milli <= (i128)last * 1000;
        report_free(&truth);
    }
    assert_true(conforms(trial, &report, &declared));
    report_free(&report);
}

static void every_rank_rule_passes_where_it_is_asked_for_or_declared(void **state)
{
    struct scenes *scenes = *state;
    for (size_t i = 0; i < set_ranks.count; i++)
        for (size_t s = 0; s < scenes->count; s++) {
            const struct trial *trial = &scenes->items[s].trial;
            struct trial other = with_rank(trial, set_ranks.variants[i]->name);
            struct declared silent = {.precision = PRECISION_EXACT};
            struct declared declared = {.precision = PRECISION_EXACT,
                                        .rank = set_ranks.variants[i]};
            struct report report;
            report_true(&other.requests, &other.asked, &report);
            assert_true(conforms(&other, &report, &silent));
            assert_true(conforms(trial, &report, &declared));
            report_free(&report);
        }
}

static const struct figure_verdict *figure_of_name(const struct conformance *v, const char *name)
{
    for (size_t i = 0; i < v->figure_count; i++)
        if (strcmp(v->figures[i].name, name) == 0)
            return &v->figures[i];
    fail_msg("no figure %s", name);
    return NULL;
}

static void a_rank_error_is_counted_in_samples_and_the_rules_it_fits_are_named(void **state)
{
    const struct trial *trial = scene_named(*state, "spread");
    struct declared exact = {.precision = PRECISION_EXACT};
    static const struct {
        const char *fault;
        int64_t error;
    } known[] = {{"rank-high", 1}, {"rank-low", -1}, {"rank-floor-plus-one", 1}};
    for (size_t i = 0; i < 3; i++) {
        struct fault_use use = {fault(variant_find(&set_faults, known[i].fault)), 0};
        struct report report;
        struct conformance v;
        assert_true(report_faulty(&trial->requests, &trial->asked, &use, 1, &report));
        verdict_make(trial, &report, &exact, &v);
        const struct figure_verdict *p90 = figure_of_name(&v, "p90");
        assert_int_equal(p90->judged, JUDGED_WRONG);
        assert_int_equal(p90->rank_error, known[i].error);
        assert_int_equal(strstr(p90->ranks, "floor-plus-one") != NULL, known[i].error == 1);
        assert_null(strstr(p90->ranks, "nearest"));
        assert_int_equal(figure_of_name(&v, "count")->judged, JUDGED_RIGHT);
        verdict_free(&v);
        report_free(&report);
    }
}

static void the_wrong_unit_is_recognised(void **state)
{
    struct scenes *scenes = *state;
    struct declared exact = {.precision = PRECISION_EXACT};
    for (int power = -2; power <= 2; power++)
        for (size_t s = 0; s < scenes->count; s += 5) {
            const struct trial *trial = &scenes->items[s].trial;
            struct report report;
            struct conformance v;
            uint64_t factor = power == -2 || power == 2 ? 1000000 : 1000;
            struct fault_use use = {fault(variant_find(&set_faults, "wrong-unit")),
                                    2 * factor + (power < 0)};
            assert_true(report_faulty(&trial->requests, &trial->asked, &use, power != 0, &report));
            verdict_make(trial, &report, &exact, &v);
            assert_int_equal(v.unit_power, power);
            assert_int_equal(v.conforms, power == 0);
            verdict_free(&v);
            report_free(&report);
        }
}

static void what_it_does_not_say_is_silence_and_no_percentile_at_all_no_answer(void **state)
{
    const struct trial *trial = scene_named(*state, "few");
    struct declared exact = {.precision = PRECISION_EXACT};
    struct report report;
    struct conformance v;
    report_true(&trial->requests, &trial->asked, &report);
    report.mean.known = report.has_count = report.percentiles[1].known = false;
    verdict_make(trial, &report, &exact, &v);
    assert_true(v.conforms);
    assert_int_equal(figure_of_name(&v, "mean")->judged, JUDGED_SILENT);
    assert_int_equal(figure_of_name(&v, "count")->judged, JUDGED_SILENT);
    assert_int_equal(figure_of_name(&v, "p2")->judged, JUDGED_SILENT);
    verdict_free(&v);
    for (size_t k = 0; k < report.percentile_count; k++)
        report.percentiles[k].known = false;
    assert_false(conforms(trial, &report, &exact));
    report_free(&report);
}

/* A clock in doubles of seconds is off by parts of a ns: that is not a fault. */
static void figures_worked_out_in_doubles_pass(void **state)
{
    struct scenes *scenes = *state;
    struct declared exact = {.precision = PRECISION_EXACT};
    for (size_t s = 0; s < scenes->count; s++) {
        const struct trial *trial = &scenes->items[s].trial;
        struct report report;
        report_true(&trial->requests, &trial->asked, &report);
        for (size_t k = 0; k < report.percentile_count; k++) {
            double seconds = (double)report.percentiles[k].milli / 1e12;
            report.percentiles[k].milli = (i128)(seconds * 1e12);
        }
        double sum = 0;
        for (uint64_t i = 0; i < report.count; i++)
            sum += (double)report.sum.milli / 1e12 / (double)report.count;
        report.mean.milli = (i128)(sum / (double)report.count * 1e12);
        report.sum.milli = (i128)(sum * 1e12);
        struct bench bench;
        judge_open(&bench, trial, &exact);
        assert_true(heard_is_right(&bench, &report));
        report.sum.milli += report.sum.milli / 1000000;
        assert_false(heard_is_right(&bench, &report));
        judge_close(&bench);
        report_free(&report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(histograms_of_one_to_five_digits_pass_in_ns_and_us),
        cmocka_unit_test(canary_a_histogram_of_a_digit_less_than_it_declares_fails),
        cmocka_unit_test(relative_sketches_pass_and_looser_ones_do_not),
        cmocka_unit_test(buckets_pass_by_their_bounds_and_between_them_where_they_interpolate),
        cmocka_unit_test(above_the_last_bound_there_is_no_value),
        cmocka_unit_test(every_rank_rule_passes_where_it_is_asked_for_or_declared),
        cmocka_unit_test(a_rank_error_is_counted_in_samples_and_the_rules_it_fits_are_named),
        cmocka_unit_test(the_wrong_unit_is_recognised),
        cmocka_unit_test(what_it_does_not_say_is_silence_and_no_percentile_at_all_no_answer),
        cmocka_unit_test(figures_worked_out_in_doubles_pass),
    };
    return cmocka_run_group_tests(tests, scenes_set_up, scenes_tear_down);
}
