/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What comes from beside the scenario: lists in files and --set; and the digest of its text. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/loads/load.h"
#include "sim/scenario/sha256.h"
#include "tests/scenario_text.h"

static void a_list_may_stand_in_a_file_beside_the_scenario(void **state)
{
    (void)state;
    char directory[] = "/tmp/duetime-test-XXXXXX";
    assert_non_null(mkdtemp(directory));
    char *list = must_format("%s/list.txt", directory), *file = must_format("%s/s.json", directory);
    FILE *out = fopen(list, "wb");
    assert_non_null(out);
    fputs("# due times\r\n0\r\n\r\n  1us # one\n1.5us\t\n 2000", out);
    fclose(out);
    char *text = scenario_of((struct parts){
        .loads = "{\"a\": {\"open\": {\"arrivals\": {\"times\": \"list.txt\"}}}}", .run = "{}"});
    struct errors errors = {0};
    struct plan *plan = plan_read(file, text, strlen(text), NULL, 0, &errors);
    assert_non_null(plan);
    const struct open_load *open = plan->loads[0].kind.params;
    const struct durations *times = open->arrivals.params;
    static const ns_t wanted[] = {0, 1000, 1500, 2000};
    assert_int_equal(times->count, 4);
    assert_memory_equal(times->ns, wanted, sizeof wanted);
    plan_free(plan);
    out = fopen(list, "wb");
    assert_non_null(out);
    fputs("5ms\n5 ms\n4ms\n", out);
    fclose(out);
    assert_null(plan_read(file, text, strlen(text), NULL, 0, &errors));
    assert_int_equal(errors.count, 2);
    char *first =
        must_format("%s:2:1: /loads/a/open/arrivals/times: found 5 ms (no known unit after the "
                    "digits); allowed: one duration a line, as 1.5ms: decimal digits and one of "
                    "ns us ms s min, or a whole number of ns",
                    list);
    char *second =
        must_format("%s:3:1: /loads/a/open/arrivals/times: found 4ms, below the one before it; "
                    "allowed: lists that never go back",
                    list);
    assert_string_equal(errors.texts[0], first);
    assert_string_equal(errors.texts[1], second);
    errors_free(&errors);
    remove(list);
    remove(directory);
    free(first);
    free(second);
    free(list);
    free(file);
    free(text);
}

/* The plan after one setting, or NULL and the only fault in *fault (owned by the caller). */
static struct plan *with_setting(const char *text, const char *path, const char *value,
                                 char **fault)
{
    struct errors errors = {0};
    struct plan *plan =
        plan_read("s", text, strlen(text), &(struct setting){path, value, NULL}, 1, &errors);
    assert_true(errors.count == (plan == NULL));
    *fault = plan == NULL ? must_copy(errors.texts[0]) : NULL;
    errors_free(&errors);
    return plan;
}

static void a_setting_replaces_adds_or_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *path, *value, *fault; /* NULL: it is taken */
    } cases[] = {
        {"/run/requests", "20", NULL},
        {"/run/duration", "5s", NULL},
        {"/run/seed", "18446744073709551615", NULL},
        {"/report/unit", "us", NULL},
        {"/report", "{\"unit\":\n\"us\"}", NULL},
        {"/server/stalls", "[]", NULL},
        {"/loads/b", "{\"closed\": 1}", NULL},
        {"/loads/a/open/rate", "-5",
         "--set: /loads/a/open/rate: found -5; allowed: a number of at most "
         "18 digits, above 0"},
        {"/run/requests", "x y",
         "--set: /run/requests: found \"x y\"; allowed: a whole number, at least 1"},
        {"/run/requests", "{",
         "--set: /run/requests: the value is no JSON: found the end of the text "
         "inside the object of line 1; allowed here: a key in double quotes or }"},
        {"/loads/aa/open/rate", "5",
         "--set: /loads/aa/open/rate: the scenario has no \"aa\" at /loads; "
         "nearest: \"a\"; allowed: \"a\""},
        {"/recorders/rr/from", "due",
         "--set: /recorders/rr/from: the scenario has no \"rr\" at /recorders; nearest: \"r\"; "
         "allowed: \"r\""},
        {"/server/quotas/budget", "5ms",
         "--set: /server/quotas: unknown key \"quotas\"; nearest: \"quota\"; allowed: "
         "\"service\", "
         "\"workers\", \"queue\", \"queue_limit\", \"stalls\", \"replicas\", \"routing\", "
         "\"load_dependence\", \"quota\", \"behind\", \"network\""},
        {"/server/quota/budget/x", "5ms",
         "--set: /server/quota/budget/x: the scenario has no \"quota\" at /server; allowed: "
         "\"service\""},
        {"/run/requests/x", "5",
         "--set: /run/requests/x: the scenario has no \"x\" at /run/requests"},
        {"run/requests", "5",
         "--set: run/requests: found no path; allowed: one that begins with /, as "
         "/run/requests=1000"},
        {"/run/reqests", "5",
         "--set: /run/reqests: unknown key \"reqests\"; nearest: \"requests\"; "
         "allowed: \"requests\", \"duration\", \"warmup\", \"replications\", "
         "\"seed\", \"start\", \"cut\", \"detect\""},
    };
    char *text = scenario_of((struct parts){0}), *fault;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        plan_free(with_setting(text, cases[i].path, cases[i].value, &fault));
        if (cases[i].fault == NULL)
            assert_null(fault);
        else
            assert_string_equal(fault, cases[i].fault);
        free(fault);
    }
    struct plan *plan = with_setting(text, "/run/requests", "20", &fault);
    assert_int_equal(plan->run.requests, 20);
    char digest[65];
    sha256_hex(text, strlen(text), digest);
    assert_string_equal(plan->sha256, digest);
    plan_free(plan);
    free(text);
}

static void digests_are_those_of_the_standard(void **state)
{
    (void)state;
    static const struct {
        const char *text, *digest;
    } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrl"
         "mnopqrs"
         "mnopqrstnopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    };
    char digest[65];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sha256_hex(cases[i].text, strlen(cases[i].text), digest);
        assert_string_equal(digest, cases[i].digest);
    }
    char *million = must_alloc(1000000, 1);
    memset(million, 'a', 1000000);
    sha256_hex(million, 1000000, digest);
    assert_string_equal(digest, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_may_stand_in_a_file_beside_the_scenario),
        cmocka_unit_test(a_setting_replaces_adds_or_is_refused),
        cmocka_unit_test(digests_are_those_of_the_standard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
