/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Windows, clients and replicas apart: what each says, that together they are the whole, and that
   what is not whole is found out. */

#include <stdlib.h>
#include <string.h>

#include "sim/work.h"
#include "tests/claim.h"
#include "tests/whole_run.h"

/* Service 1 ms at one worker; windows of 10 ms hold 1 2 3, 1, none, and 1 2 ms. */
#define WINDOWS                                                                            \
    "{\"server\": {\"service\": {\"constant\": \"1ms\"}},"                                 \
    "\"loads\": {\"l\": {\"open\": {\"arrivals\": {\"times\": [\"0ms\", \"0ms\", \"0ms\"," \
    "\"10ms\", \"30ms\", \"30ms\"]}}}},"                                                   \
    "\"recorders\": {\"r\": {\"load\": \"l\", \"from\": \"due\","                          \
    "\"per\": {\"window\": \"10ms\"}%s}},"                                                 \
    "\"run\": {\"requests\": 6}, \"report\": {\"percentiles\": [50, 100]}}"

struct ran {
    struct plan *plan;
    struct result *result;
};

static struct ran run(const char *format, const char *more)
{
    char *text = must_alloc(strlen(format) + strlen(more) + 1, 1);
    const char *at = strstr(format, "%s");
    memcpy(text, format, (size_t)(at - format));
    strcat(text, more);
    strcat(text, at + 2);
    struct ran ran = {.plan = whole_plan(text)};
    ran.result = whole_run(ran.plan, NULL);
    free(text);
    return ran;
}

static void end(struct ran ran)
{
    result_free(ran.result);
    plan_free(ran.plan);
}

static void assert_value(struct figure f, ns_t ns, unsigned thousandths)
{
    assert_int_equal(f.kind, FIGURE_EXACT);
    assert_int_equal(f.exact.ns, ns);
    assert_int_equal(f.exact.thousandths, thousandths);
}

static void assert_identity(const struct result *result, const char *name)
{
    size_t found = 0;
    for (size_t i = 0; i < result->identity_count; i++)
        if (strcmp(result->identities[i].name, name) == 0) {
            found++;
            assert_true(result->identities[i].holds);
        }
    assert_true(found > 0);
}

static void windows_hold_what_was_due_in_them_and_merge_exactly(void **state)
{
    (void)state;
    static const char *const labels[] = {"0 to 10ms", "10ms to 20ms", "30ms to 40ms"};
    static const uint64_t counts[] = {3, 1, 2}, indexes[] = {0, 1, 3};
    static const ns_t medians_ns[] = {2000000, 1000000, 1000000};
    static const ns_t maxima_ns[] = {3000000, 1000000, 2000000};
    struct ran ran = run(WINDOWS, "");
    const struct recorder_result *r = &ran.result->recorders[0];
    assert_int_equal(r->group_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(r->groups[i].label, labels[i]);
        assert_int_equal(r->groups[i].count, counts[i]);
        assert_int_equal(r->groups[i].index, indexes[i]);
        assert_value(r->groups[i].cells[0].value, medians_ns[i], 0);
        assert_value(r->groups[i].cells[1].value, maxima_ns[i], 0);
    }
    assert_value(r->cells[0].value, 1000000, 0);
    assert_identity(ran.result, "merge");
    assert_int_equal(ran.result->holds, VERDICT_HOLDS);
    end(ran);
}

static void an_average_of_percentiles_is_rounded_once_and_never_checked(void **state)
{
    (void)state;
    struct ran ran = run(WINDOWS, ", \"merge\": \"average\"");
    const struct recorder_result *r = &ran.result->recorders[0];
    assert_value(r->cells[0].value, 1333333, 333); /* (2 + 1 + 1) / 3 ms */
    assert_value(r->cells[1].value, 2000000, 0);   /* (3 + 1 + 2) / 3 ms; of all: 3 ms */
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(r->cells[i].check, CHECK_NONE);
        assert_int_equal(r->cells[i].holds, VERDICT_UNKNOWN);
        assert_int_equal(r->cells[i].law.kind, FIGURE_UNKNOWN);
        assert_string_equal(r->cells[i].why, "an average of percentiles is no percentile");
    }
    assert_int_equal(r->warning_count, 1);
    assert_non_null(strstr(r->warnings[0], "p50 1ms, p100 3ms"));
    assert_identity(ran.result, "merge");
    end(ran);
}

static void two_thirds_round_up(void **state)
{
    (void)state;
    struct ran ran = run("{\"server\": {\"service\": {\"constant\": \"1ms\"}},"
                         "\"loads\": {\"l\": {\"open\": {\"arrivals\": {\"times\": [\"0ms\","
                         "\"0ms\", \"10ms\", \"30ms\", \"30ms\"]}}}},"
                         "\"recorders\": {\"r\": {\"load\": \"l\", \"from\": \"due\","
                         "\"per\": {\"window\": \"10ms\"}, \"merge\": \"average\"%s}},"
                         "\"run\": {\"requests\": 5}, \"report\": {\"percentiles\": [100]}}",
                         "");
    assert_value(ran.result->recorders[0].cells[0].value, 1666666, 667); /* (2 + 1 + 2) / 3 ms */
    end(ran);
}

/* Each second the server is away for 200 ms: every window has the same p99, and so has the run. */
static void the_average_of_equal_windows_is_the_percentile_of_the_run(void **state)
{
    (void)state;
    struct ran ran =
        run("{\"server\": {\"service\": {\"constant\": \"100us\"}, \"stalls\": [{\"mode\": "
            "\"suspend\", \"first\": \"500ms\", \"every\": \"1s\", \"last\": \"200ms\"}]},"
            "\"loads\": {\"l\": {\"open\": {\"rate\": 5000, \"arrivals\": \"even\"}}},"
            "\"recorders\": {\"r\": {\"load\": \"l\", \"from\": \"due\","
            "\"per\": {\"window\": \"1s\"}, \"merge\": \"average\"}%s},"
            "\"run\": {\"requests\": 100000}, \"report\": {\"percentiles\": [99]}}",
            ", \"w\": {\"load\": \"l\", \"from\": \"due\"}");
    assert_int_equal(ran.result->recorders[0].group_count, 20);
    assert_value(ran.result->recorders[0].cells[0].value, 195100000, 0);
    assert_value(ran.result->recorders[1].cells[0].value, 195100000, 0);
    end(ran);
}

#define LOOP                                                                                       \
    "{\"server\": {\"service\": {\"exponential\": \"1ms\"}, \"replicas\": 3, \"routing\": "        \
    "\"random\"}, \"loads\": {\"l\": {\"closed\": {\"clients\": 5}}},"                             \
    "\"recorders\": {\"c\": {\"load\": \"l\", \"from\": \"sent\", \"per\": \"client\"%s},"         \
    "\"r\": {\"load\": \"l\", \"from\": \"sent\", \"per\": \"replica\", \"store\": {\"hdr\": 2}}," \
    "\"w\": {\"load\": \"l\", \"from\": \"sent\", \"per\": {\"window\": \"100ms\"},"               \
    "\"expected_interval\": \"400us\"}},"                                                          \
    "\"run\": {\"requests\": 3000, \"replications\": 4}}"

static void clients_and_replicas_merge_over_replications_stores_and_corrections(void **state)
{
    (void)state;
    struct ran ran = run(LOOP, "");
    static const size_t groups[] = {5, 3};
    for (size_t r = 0; r < 2; r++) {
        const struct recorder_result *rec = &ran.result->recorders[r];
        uint64_t total = 0;
        assert_int_equal(rec->group_count, groups[r]);
        for (size_t g = 0; g < rec->group_count; g++)
            total += rec->groups[g].count;
        assert_int_equal(total, rec->count);
    }
    assert_true(ran.result->recorders[2].added > 0);
    assert_identity(ran.result, "merge");
    assert_string_equal(ran.result->recorders[0].groups[4].label, "client 4");
    assert_string_equal(ran.result->recorders[1].groups[2].label, "replica 2");
    end(ran);
}

static void groups_do_not_depend_on_the_number_of_threads(void **state)
{
    (void)state;
    struct ran two = run(LOOP, "");
    struct errors errors = {0};
    struct run_options options = {.threads = 1};
    struct result *one = run_scenario(two.plan, &options, &errors);
    for (size_t r = 0; r < 3; r++) {
        const struct recorder_result *a = &two.result->recorders[r], *b = &one->recorders[r];
        assert_int_equal(a->group_count, b->group_count);
        for (size_t g = 0; g < a->group_count; g++) {
            assert_int_equal(a->groups[g].count, b->groups[g].count);
            for (size_t i = 0; i < two.plan->report.percentile_count; i++)
                assert_int_equal(a->groups[g].cells[i].value.exact.ns,
                                 b->groups[g].cells[i].value.exact.ns);
        }
    }
    result_free(one);
    errors_free(&errors);
    end(two);
}

static void more_windows_than_4096_are_refused(void **state)
{
    (void)state;
    struct plan *plan = whole_plan(
        "{\"server\": {\"service\": {\"constant\": \"1us\"}},"
        "\"loads\": {\"l\": {\"open\": {\"every\": \"1ms\"}}},"
        "\"recorders\": {\"r\": {\"load\": \"l\", \"from\": \"due\", \"per\": {\"window\": "
        "\"1ms\"}}}, \"run\": {\"requests\": 4097}}");
    struct errors errors = {0};
    struct run_options options = {.threads = 1};
    assert_null(run_scenario(plan, &options, &errors));
    assert_int_equal(errors.count, 1);
    assert_non_null(strstr(errors.texts[0], "/recorders/r"));
    assert_non_null(strstr(errors.texts[0], "4096"));
    errors_free(&errors);
    plan->run.requests = 4096;
    struct result *result = run_scenario(plan, &options, &errors);
    assert_int_equal(result->recorders[0].group_count, 4096);
    result_free(result);
    plan_free(plan);
}

static void failures_count_in_their_group(void **state)
{
    (void)state;
    struct ran ran = run(
        "{\"server\": {\"service\": {\"constant\": \"4ms\"}},"
        "\"loads\": {\"l\": {\"open\": {\"arrivals\": {\"times\": [\"0ms\", \"0ms\", \"20ms\"]}},"
        "\"timeout\": \"5ms\"}},"
        "\"recorders\": {\"i\": {\"load\": \"l\", \"from\": \"due\", \"failures\": \"infinite\","
        "\"per\": {\"window\": \"10ms\"}}, \"t\": {\"load\": \"l\", \"from\": \"due\","
        "\"failures\": \"timeout\", \"per\": {\"window\": \"10ms\"}}%s},"
        "\"run\": {\"requests\": 3}, \"report\": {\"percentiles\": [50, 100]}}",
        "");
    const struct recorder_result *infinite = &ran.result->recorders[0];
    const struct recorder_result *censored = &ran.result->recorders[1];
    assert_int_equal(infinite->groups[0].count, 2);
    assert_false(infinite->groups[0].cells[0].infinite);
    assert_true(infinite->groups[0].cells[1].infinite);
    assert_false(infinite->groups[1].cells[1].infinite);
    assert_value(censored->groups[0].cells[0].value, 4000000, 0);
    assert_int_equal(censored->groups[0].cells[1].value.kind, FIGURE_UNKNOWN);
    assert_value(censored->groups[0].cells[1].at_least, 5000000, 0);
    assert_identity(ran.result, "merge");
    end(ran);
}

/* A recorder that has taken 1 .. 1000 ms in 10 groups, ready for the judgement of its merge. */
struct bench {
    struct plan *plan;
    struct work work;
    struct run_options options;
};

static void take_thousand(struct recorder *recorder)
{
    static const uint8_t answered[1000];
    static const ns_t nothing[1000];
    static const uint32_t replica[1000];
    ns_t due[1000], finished[1000];
    for (size_t i = 0; i < 1000; i++) {
        due[i] = i * NS_PER_MS;
        finished[i] = due[i] + (i * 387 % 1000 + 1) * NS_PER_MS;
    }
    struct batch batch = {1000,    true,    true,     0,        due,      due,
                          due,     due,     finished, finished, answered, nothing,
                          replica, nothing, nothing,  nothing,  0,        0};
    struct columns columns;
    columns_begin(&columns, &batch);
    recorder_take(recorder, &columns);
}

static struct bench *bench_open(void)
{
    struct bench *b = must_alloc(1, sizeof *b);
    b->plan = whole_plan("{\"server\": {\"service\": {\"constant\": \"1us\"}},"
                         "\"loads\": {\"l\": {\"open\": {\"every\": \"1ms\"}}},"
                         "\"recorders\": {\"r\": {\"load\": \"l\", \"from\": \"due\","
                         "\"per\": {\"window\": \"100ms\"}}}, \"run\": {\"requests\": 1000}}");
    b->work = (struct work){.plan = b->plan, .options = &b->options};
    b->work.recorders = must_alloc(1, sizeof *b->work.recorders);
    b->work.recorders[0].percentiles =
        must_alloc(b->plan->report.percentile_count, sizeof(struct percentile_work));
    pass_init(&b->work.first, b->plan, &b->options, 0);
    struct recorder *found = &b->work.first.recorders[0].found;
    recorder_open(found, &b->plan->recorders[0], (struct correction_rule){.unit_ns = 1}, true, NULL,
                  0);
    take_thousand(found);
    work_find_percentiles(&b->work, 0);
    return b;
}

static void bench_close(struct bench *b)
{
    pass_free(&b->work.first);
    free(b->work.recorders[0].percentiles);
    free(b->work.recorders[0].recount_ns);
    free(b->work.recorders);
    plan_free(b->plan);
    free(b);
}

static void assert_found_out(struct bench *b, const char *part)
{
    char *why = work_merge_fault(&b->work, 0);
    assert_non_null(why);
    assert_non_null(strstr(why, part));
    free(why);
    bench_close(b);
}

static void groups_that_are_not_the_whole_are_found_out(void **state)
{
    (void)state;
    struct bench *b = bench_open();
    assert_null(work_merge_fault(&b->work, 0));
    b->work.first.recorders[0].found.groups->tallies[3].samples++;
    assert_found_out(b, "number");
    b = bench_open();
    b->work.first.recorders[0].found.groups->tallies[3].infinite++;
    assert_found_out(b, "number");
    b = bench_open();
    b->work.first.recorders[0].found.groups->tallies[9].max_ns += NS_PER_S;
    assert_found_out(b, "maximum");
    b = bench_open();
    counts_add(&b->work.first.recorders[0].found.groups->counts, 4, NS_PER_MS, 1);
    assert_found_out(b, "p50");
    b = bench_open();
    for (size_t i = 0; i < b->work.first.recorders[0].found.groups->counts.capacity; i++) {
        struct count_entry *e = &b->work.first.recorders[0].found.groups->counts.entries[i];
        if (e->count > 0 && e->value_ns == 999 * NS_PER_MS)
            e->value_ns++; /* p99.9 alone, by one ns */
    }
    assert_found_out(b, "p99.9");
}

static double bytes_of(const char *per)
{
    char *text = must_format("{\"server\": {\"service\": {\"constant\": \"1us\"}},"
                             "\"loads\": {\"l\": {\"closed\": {\"clients\": 10}}},"
                             "\"recorders\": {\"r\": {\"load\": \"l\", \"from\": \"sent\"%s}},"
                             "\"run\": {\"requests\": 100000000}}",
                             per);
    struct plan *plan = whole_plan(text);
    double bytes = run_estimate(plan, 0).bytes;
    plan_free(plan);
    free(text);
    return bytes;
}

static void the_estimate_before_a_run_knows_of_groups(void **state)
{
    (void)state;
    double exact = bytes_of(""), exact_groups = bytes_of(", \"per\": \"client\"");
    double hdr = bytes_of(", \"store\": {\"hdr\": 2}");
    double hdr_groups = bytes_of(", \"store\": {\"hdr\": 2}, \"per\": \"client\"");
    assert_true(exact_groups > exact + 1e8 * sizeof(struct count_entry));
    assert_true(hdr_groups > 10.0 * hdr && hdr_groups < 200.0 * hdr);
    assert_true(hdr_groups < 1e8);
}

/* Requests' worth of 1000 requests, 100 a second, service 1 ms. */
static double requests_of(const char *server)
{
    char *text = must_format("{\"server\": {\"service\": {\"constant\": \"1ms\"}%s},"
                             "\"loads\": {\"l\": {\"paced\": {\"rate\": 100}}},"
                             "\"recorders\": {\"r\": {\"load\": \"l\", \"from\": \"sent\"}},"
                             "\"run\": {\"requests\": 1000, \"replications\": 1}}",
                             server);
    struct plan *plan = whole_plan(text);
    double requests = run_estimate(plan, 0).requests;
    plan_free(plan);
    free(text);
    return requests;
}

static void the_estimate_before_a_run_knows_of_stalls_and_of_a_quota_s_periods(void **state)
{
    (void)state;
    assert_true(requests_of("") < 3000.0);
    /* 10 s of 4 ns each, at random or not */
    assert_true(requests_of(", \"stalls\": [{\"mode\": \"suspend\", \"up\": {\"constant\": 3},"
                            "\"down\": {\"constant\": 1}}]") > 2.5e9);
    assert_true(requests_of(", \"stalls\": [{\"mode\": \"suspend\", \"first\": 3, \"every\": 4,"
                            "\"last\": 1}]") > 2.5e9);
    /* 1 s of work, 1 ns of it a period */
    assert_true(requests_of(", \"quota\": {\"budget\": 1, \"period\": 2}") > 1e9);
    assert_true(requests_of(", \"quota\": {\"budget\": 1, \"period\": \"1us\"}") > 1e9);
    assert_true(requests_of(", \"quota\": {\"budget\": 2, \"period\": 2}") < 3000.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_hold_what_was_due_in_them_and_merge_exactly),
        cmocka_unit_test(an_average_of_percentiles_is_rounded_once_and_never_checked),
        cmocka_unit_test(two_thirds_round_up),
        cmocka_unit_test(the_average_of_equal_windows_is_the_percentile_of_the_run),
        cmocka_unit_test(clients_and_replicas_merge_over_replications_stores_and_corrections),
        cmocka_unit_test(groups_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(more_windows_than_4096_are_refused),
        cmocka_unit_test(failures_count_in_their_group),
        cmocka_unit_test(the_estimate_before_a_run_knows_of_groups),
        cmocka_unit_test(the_estimate_before_a_run_knows_of_stalls_and_of_a_quota_s_periods),
        cmocka_unit_test(groups_that_are_not_the_whole_are_found_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
