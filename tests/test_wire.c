/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/claim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/conform/conform.h"
#include "sim/conform/decimal_text.h"
#include "tests/whole_run.h"

/* What is told to a recorder of others, and what it answers, by the letter. */

#define REFUSES                                                                                    \
    "{'title': 't', 'server': {'service': {'constant': '2ms'}, 'queue_limit': 0}, "                \
    "'loads': {'a': {'open': {'every': '1ms'}}}, 'recorders': {'r': {'load': 'a', 'from': 'due'}}" \
    ", 'run': {'requests': 3}, 'report': {'percentiles': [50, 99.90]}}"
#define GIVES_UP                                                                                \
    "{'title': 't', 'server': {'service': {'samples': ['5ms', '1ms', '1ms']}, 'workers': 2}, "  \
    "'loads': {'a': {'paced': {'every': '1ms', 'connections': 3}, 'timeout': '2ms'}}, "         \
    "'recorders': {'r': {'load': 'a', 'from': 'sent', 'failures': 'timeout', 'warmup': '1ms', " \
    "'rank': 'hdr', 'expected_interval': '300us'}}, 'run': {'requests': 3}}"

struct trying {
    struct plan *plan;
    struct trial trial;
};

/* The first recorder's trial of a scenario in which ' stands for ". */
static struct trying open_trial(const char *scenario)
{
    char *text = must_copy(scenario);
    for (char *at = text; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    struct trying t = {.plan = whole_plan(text)};
    struct errors errors = {0};
    struct run_options run = {0};
    assert_true(trial_run(t.plan, 0, &run, &t.trial, &errors));
    assert_int_equal(errors.count, 0);
    free(text);
    return t;
}

static void close_trial(struct trying *t)
{
    trial_free(&t->trial);
    plan_free(t->plan);
}

struct told {
    char *text; /* owned */
    size_t length;
};

static void tell(const struct trial *trial, bool binary, size_t batch, struct told *told)
{
    FILE *out = open_memstream(&told->text, &told->length);
    wire_hello(trial, binary, out);
    for (size_t i = 0; i < trial->requests.count; i += batch) {
        size_t left = trial->requests.count - i;
        wire_requests(trial, i, left < batch ? left : batch, binary, out);
    }
    wire_end(binary, out);
    fclose(out);
}

static void the_pipe_tells_what_is_asked_and_every_request_as_it_finishes(void **state)
{
    (void)state;
    struct trying t = open_trial(REFUSES);
    struct told told;
    tell(&t.trial, false, 2, &told);
    assert_string_equal(
        told.text, "duetime-conform 1\n"
                   "{\"from\": \"due\", \"failures\": \"dropped\", \"correction\": null, "
                   "\"interval_ns\": 1000000, \"warmup_ns\": 0, \"rank\": \"nearest\", "
                   "\"percentiles\": [\"50\", \"99.9\"], \"connections\": null, \"requests\": 3, "
                   "\"binary\": false}\n"
                   "1000000 1000000 1000000 1000000 refused 1000000 0\n"
                   "0 0 0 2000000 ok 0 0\n"
                   "2000000 2000000 2000000 4000000 ok 2000000 0\n"
                   "end\n");
    free(told.text);
    close_trial(&t);
}

/* Request 0 works for 5 ms and is given up at 2 ms, before request 1 is answered at 2 ms too: at
   one instant in the order in which they left the server. */
static void a_request_given_up_stands_where_it_was_given_up(void **state)
{
    (void)state;
    struct trying t = open_trial(GIVES_UP);
    static const char wanted[] =
        "{\"from\": \"sent\", \"failures\": \"timeout\", \"correction\": \"hdr\", "
        "\"interval_ns\": 300000, \"warmup_ns\": 1000000, \"rank\": \"hdr\", ";
    struct told told;
    tell(&t.trial, false, 100, &told);
    const char *asked = strchr(told.text, '\n') + 1;
    assert_memory_equal(asked, wanted, strlen(wanted));
    assert_non_null(strstr(asked, "\"connections\": 3, \"requests\": 3, "));
    assert_string_equal(strchr(asked, '\n') + 1, "1000000 1000000 1000000 2000000 ok 1000000 1\n"
                                                 "0 0 0 2000000 timeout 0 0\n"
                                                 "2000000 2000000 2000000 3000000 ok 2000000 2\n"
                                                 "end\n");
    free(told.text);
    close_trial(&t);
}

static uint64_t little_endian(const char *bytes, size_t count)
{
    uint64_t value = 0;
    while (count-- > 0)
        value = value << 8 | (unsigned char)bytes[count];
    return value;
}

static void binary_batches_say_the_same_as_the_lines(void **state)
{
    (void)state;
    struct trying t = open_trial(GIVES_UP);
    static const char *const lines[] = {"ok", "timeout", "refused", "cut"};
    struct told bytes, lines_told;
    tell(&t.trial, true, 2, &bytes);
    tell(&t.trial, false, 2, &lines_told);
    const char *at = strchr(strchr(bytes.text, '\n') + 1, '\n') + 1;
    const char *end = bytes.text + bytes.length;
    assert_non_null(strstr(bytes.text, "\"binary\": true}\n"));
    const char *line = strchr(strchr(lines_told.text, '\n') + 1, '\n') + 1;
    for (uint64_t left; (left = little_endian(at, 4)) > 0;) {
        at += 4;
        for (; left > 0; left--, at += 56) {
            uint64_t n[7];
            for (size_t k = 0; k < 7; k++)
                n[k] = little_endian(at + 8 * k, 8);
            assert_true(n[4] < 4);
            char *wanted = must_format(
                "%llu %llu %llu %llu %s %llu %llu\n", (unsigned long long)n[0],
                (unsigned long long)n[1], (unsigned long long)n[2], (unsigned long long)n[3],
                lines[n[4]], (unsigned long long)n[5], (unsigned long long)n[6]);
            assert_memory_equal(line, wanted, strlen(wanted));
            line += strlen(wanted);
            free(wanted);
        }
    }
    assert_ptr_equal(at + 4, end);
    assert_string_equal(line, "end\n");
    free(bytes.text);
    free(lines_told.text);
    close_trial(&t);
}

static void what_cannot_be_asked_of_others_is_refused_with_the_reason(void **state)
{
    (void)state;
    static const struct {
        const char *recorder, *run, *why;
    } cases[] = {
        {"\"from\": \"due\", \"to\": \"sent\"", "\"requests\": 3", "stopwatch"},
        {"\"from\": \"due\", \"failures\": \"infinite\"", "\"requests\": 3", "infinite"},
        {"\"from\": \"sent\", \"correction\": {\"wrk\": {}}", "\"requests\": 3", "interval"},
        {"\"from\": \"due\"", "\"requests\": 1100000", "1048576"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = must_format("{\"server\": {\"service\": {\"constant\": \"1ms\"}}, \"loads\": "
                                 "{\"a\": {\"paced\": {\"every\": \"2ms\", \"connections\": 1}}}, "
                                 "\"recorders\": {\"r\": {\"load\": \"a\", %s}}, \"run\": {%s}}",
                                 cases[i].recorder, cases[i].run);
        struct plan *plan = whole_plan(text);
        struct errors errors = {0};
        struct run_options run = {0};
        struct trial trial;
        assert_false(trial_run(plan, 0, &run, &trial, &errors));
        assert_int_equal(errors.count, 1);
        assert_non_null(strstr(errors.texts[0], "/recorders/r: "));
        assert_non_null(strstr(errors.texts[0], cases[i].why));
        errors_free(&errors);
        plan_free(plan);
        free(text);
    }
}

static void answers_are_read_exactly_in_any_unit(void **state)
{
    (void)state;
    static const char answer[] =
        " {\"count\": 3e0, \"min\": -0.1, \"max\": \"12345678901234567890\", \"mean\": "
        "0.30000000000000004, \"sum\": null, \"percentiles\": {\"50.0\": 1.0000005, \"99.90\": "
        "2e-9}, \"unit\": \"ms\", \"declares\": {\"precision\": {\"digits\": 3}, \"interpolates\": "
        "true, \"rank\": \"hdr\"}, \"version\": \"of a library\"}\r\n\n";
    struct trying t = open_trial(REFUSES);
    struct report report;
    struct declared declared;
    char *why = wire_answer(answer, strlen(answer), &t.trial, &report, &declared);
    assert_null(why);
    assert_true(report.has_count && report.count == 3);
    assert_true(report.min.known && report.min.milli == -100000000);
    assert_true(report.max.milli == (i128)12345678901234567890u * 1000000000);
    assert_true(report.mean.milli == 300000000);
    assert_false(report.sum.known);
    assert_int_equal(report.percentile_count, 2);
    assert_true(report.percentiles[0].milli == 1000000500);
    assert_true(report.percentiles[1].milli == 2);
    assert_int_equal(declared.precision, PRECISION_DIGITS);
    assert_true(declared.digits == 3 && declared.interpolates);
    assert_string_equal(declared.rank->name, "hdr");
    report_free(&report);
    declared_free(&declared);
    close_trial(&t);
}

static void bounds_and_relative_errors_are_declared_in_the_units_of_the_answer(void **state)
{
    (void)state;
    struct declared d;
    static const char relative[] = "{\"precision\": {\"relative\": 0.0100}}";
    assert_null(wire_declares(relative, strlen(relative), &d));
    assert_int_equal(d.precision, PRECISION_RELATIVE);
    assert_true(d.relative.num == 1 && d.relative.den == 100);
    declared_free(&d);
    static const char answer[] = "{\"count\": 1, \"unit\": \"us\", \"declares\": {\"precision\": "
                                 "{\"bounds\": [0.5, 2, 3.9999]}}}";
    static const ns_t wanted[] = {500, 2000, 3999};
    struct trying t = open_trial(REFUSES);
    struct report report;
    assert_null(wire_answer(answer, strlen(answer), &t.trial, &report, &d));
    assert_int_equal(d.precision, PRECISION_BOUNDS);
    assert_int_equal(d.bounds.count, 3);
    assert_memory_equal(d.bounds.ns, wanted, sizeof wanted);
    report_free(&report);
    declared_free(&d);
    close_trial(&t);
}

static const struct {
    const char *answer, *why;
} odd_answers[] = {
    {"", "printed no answer"},
    {" \n\t\n", "printed no answer"},
    {"starting up\n{\"count\": 1}\n", "printed 2 lines where the answer is one line of JSON; "
                                      "the first is: starting up"},
    {"p99 is 12 ms\n", "it printed: p99 is 12 ms"},
    {"{\"count\": 1", "found the end of the text"},
    {"[1]", "found a list; allowed: an object"},
    {"17", "found 17; allowed: an object"},
    {"{}", "it answers none of what was asked"},
    {"{\"count\": null, \"percentiles\": {\"50\": null}}", "it answers none"},
    {"{\"percentiles\": {\"50\": NaN}}", "found the bare word NaN"},
    {"{\"percentiles\": {\"50\": \"NaN\"}}", "allowed: a number or null"},
    {"{\"percentiles\": {\"50\": [3]}}", "found a list; allowed: a number or null"},
    {"{\"percentiles\": {\"50\": true}}", "allowed: a number or null"},
    {"{\"percentiles\": {\"98\": 3}}", "found \"98\", which is no percentile that was asked for"},
    {"{\"percentiles\": {\"0.5\": 3}}", "no percentile that was asked for"},
    {"{\"percentiles\": {\"p50\": 3}}", "no percentile that was asked for"},
    {"{\"percentiles\": {\"50\": 3, \"50.0\": 3}}", "is there already"},
    {"{\"percentiles\": {\"50\": 3, \"50\": 3}}", "50"},
    {"{\"percentiles\": [3]}", "found a list; allowed: an object"},
    {"{\"percentile\": {\"50\": 3}}", "nearest: \"percentiles\""},
    {"{\"max\": 1e40}", "below 10^30 ns"},
    {"{\"max\": 1e999}", "1e999"},
    {"{\"max\": \"12 ms\"}", "allowed: a number or null"},
    {"{\"max\": 0x10}", "0x10"},
    {"{\"count\": 1.5}", "a whole number of samples"},
    {"{\"count\": -3}", "answer:1:11: /count: found -3; "
                        "allowed: a number that is not below 0"},
    {"{\"count\": 18446744073709551616}", "a whole number of samples"},
    {"{\"count\": 1, \"unit\": \"sec\"}", "\"ns\", \"us\", \"ms\" or \"s\""},
    {"{\"count\": 1, \"unit\": 3}", "\"ns\", \"us\", \"ms\" or \"s\""},
    {"{\"count\": 1, \"declares\": \"exact\"}", "allowed: an object"},
    {"{\"count\": 1, \"declares\": {\"precision\": \"good\"}}", "\"exact\""},
    {"{\"count\": 1, \"declares\": {\"precision\": {\"relative\": 1}}}", "below 1"},
    {"{\"count\": 1, \"declares\": {\"precision\": {\"relative\": 0}}}", "above 0"},
    {"{\"count\": 1, \"declares\": {\"precision\": {\"digits\": 6}}}", "from 1 to 5"},
    {"{\"count\": 1, \"declares\": {\"precision\": {\"digits\": 2.5}}}", "from 1 to 5"},
    {"{\"count\": 1, \"declares\": {\"precision\": {\"bounds\": []}}}", "upper bounds"},
    {"{\"count\": 1, \"declares\": {\"precision\": {\"bounds\": [2, 2]}}}", "upper bounds"},
    {"{\"count\": 1, \"declares\": {\"precision\": {}}}", "\"exact\""},
    {"{\"count\": 1, \"declares\": {\"precision\": {\"digits\": 3, \"relative\": 0.1}}}",
     "\"exact\""},
    {"{\"count\": 1, \"declares\": {\"rank\": \"nerest\"}}", "nearest: \"nearest\""},
    {"{\"count\": 1, \"declares\": {\"interpolates\": 1}}", "true or false"},
    {"{\"count\": 1, \"declares\": {\"presision\": \"exact\"}}", "nearest: \"precision\""},
    {"{\"count\": 1} {\"count\": 1}", "allowed here: nothing after"},
};

static void every_odd_answer_has_a_reason(void **state)
{
    (void)state;
    struct trying t = open_trial(REFUSES);
    for (size_t i = 0; i < sizeof odd_answers / sizeof odd_answers[0]; i++) {
        struct report report;
        struct declared declared;
        size_t length = strlen(odd_answers[i].answer);
        char *why = wire_answer(odd_answers[i].answer, length, &t.trial, &report, &declared);
        if (why == NULL || strstr(why, odd_answers[i].why) == NULL)
            fail_msg("%s: %s", odd_answers[i].answer, why ? why : "accepted");
        free(why);
        report_free(&report);
        declared_free(&declared);
    }
    close_trial(&t);
}

/* Every byte of a good answer replaced by each of these: under the sanitizers. */
static void no_answer_however_garbled_does_any_harm(void **state)
{
    (void)state;
    static const char good[] =
        "{\"count\": 3, \"max\": \"12\", \"percentiles\": {\"50\": 1.5e3, \"99.9\": 2}, \"unit\": "
        "\"us\", \"declares\": {\"precision\": {\"bounds\": [1, 2]}, \"interpolates\": true, "
        "\"rank\": \"hdr\"}}";
    static const char bytes[] = "\"\\{}[],:.0-eEx \n\t\x01\xff";
    struct trying t = open_trial(REFUSES);
    size_t accepted = 0, refused = 0;
    for (size_t i = 0; i < strlen(good); i++)
        for (size_t k = 0; k < sizeof bytes; k++) {
            struct report report;
            struct declared declared;
            char *text = must_copy(good);
            text[i] = bytes[k];
            char *why = wire_answer(text, strlen(good), &t.trial, &report, &declared);
            accepted += why == NULL;
            refused += why != NULL;
            free(why);
            report_free(&report);
            declared_free(&declared);
            free(text);
        }
    assert_true(accepted > 0 && refused > accepted);
    close_trial(&t);
}

static void decimals_of_any_length_are_scaled_without_a_double(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int exponent;
        const char *whole;
        bool exact, negative;
    } cases[] = {
        {"0", 5, "0", true, false},
        {"-0.0", 5, "0", true, false},
        {"1.5", 3, "1500", true, false},
        {"0.0005", 3, "0", false, false},
        {"0.0015", 3, "2", false, false},
        {"0.0025", 3, "2", false, false},
        {"0.00250000000000000000000000000000000000000000001", 3, "3", false, false},
        {"0.0004999999999999999999999999999999999999999999", 3, "0", false, false},
        {"0.00001", 3, "0", false, false},
        {"123456789012345678901234567890", 3, "123456789012345678901234567890000", true, false},
        {"1e3", 0, "1000", true, false},
        {"1E+3", 0, "1000", true, false},
        {"12345e-2", 1, "1234", false, false},
        {"12355e-2", 1, "1236", false, false},
        {"000000000000000000000000000000000000000000000007", 0, "7", true, false},
        {"1e-999999999", 3, "0", false, false},
        {"-2.5", 0, "2", false, true},
        {"999999999999999999999999999999999999", 0, "999999999999999999999999999999999999", true,
         false},
    };
    static const char *const none[] = {"",   "-",  "1.",    ".5",  "1e",  "1e+", "+1",
                                       "1 ", " 1", "1.2.3", "0x1", "NaN", "--1", "1e5.0"};
    static const char *const large[] = {"1e36", "1000000000000000000000000000000000000", "1e999999",
                                        "123456789e300"};
    struct decimal d;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char found[48];
        assert_true(decimal_scaled(cases[i].text, strlen(cases[i].text), cases[i].exponent, &d));
        assert_false(d.too_large);
        assert_string_equal(format_i128(d.whole, found), cases[i].whole);
        assert_int_equal(d.exact, cases[i].exact);
        assert_int_equal(d.negative, cases[i].negative);
    }
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_false(decimal_scaled(none[i], strlen(none[i]), 3, &d));
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++)
        assert_true(decimal_scaled(large[i], strlen(large[i]), 0, &d) && d.too_large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pipe_tells_what_is_asked_and_every_request_as_it_finishes),
        cmocka_unit_test(a_request_given_up_stands_where_it_was_given_up),
        cmocka_unit_test(binary_batches_say_the_same_as_the_lines),
        cmocka_unit_test(what_cannot_be_asked_of_others_is_refused_with_the_reason),
        cmocka_unit_test(answers_are_read_exactly_in_any_unit),
        cmocka_unit_test(bounds_and_relative_errors_are_declared_in_the_units_of_the_answer),
        cmocka_unit_test(every_odd_answer_has_a_reason),
        cmocka_unit_test(no_answer_however_garbled_does_any_harm),
        cmocka_unit_test(decimals_of_any_length_are_scaled_without_a_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
