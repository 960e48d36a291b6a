/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Scenarios nobody meant well, and the cost of those somebody did. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/fuzz_scenario.h"
#include "tests/scenario_text.h"

#define SCENARIO_KEYS                                                                           \
    "its keys: \"$schema\", \"title\", \"about\", \"claims\", \"server\", \"loads\", \"run\", " \
    "\"report\", \"recorders\", \"expect\", \"sweep\", \"experiment\""

static const char seed_text[] =
    "{\"title\": \"A \\u00fc\", \"about\": [\"one\", \"two\"], \"claims\": [\"S2-1\"],\n"
    "\"server\": {\"service\": {\"two-point\": {\"usual\": \"1ms\", \"rare\": \"20ms\", "
    "\"probability\": "
    "0.125}}, \"workers\": 3, \"queue_limit\": \"unlimited\", \"stalls\": [{\"mode\": \"suspend\", "
    "\"first\": \"500ms\", \"every\": \"1s\", \"last\": \"200ms\"}, {\"mode\": \"gate\", "
    "\"first\": 3, "
    "\"last\": 0}, {\"mode\": \"neighbour\", \"share\": \"12.5%\", \"halves\": \"5ms\", \"up\": "
    "{\"exponential\": \"1s\"}, \"down\": {\"constant\": 9}, \"target\": \"network\"}, {\"mode\": "
    "\"slowdown\", \"factor\": 0.5, \"first\": 1, \"last\": 2, \"target\": {\"replica\": 1}}], "
    "\"queue\": \"random\", \"replicas\": 2, \"routing\": \"least-in-flight\", "
    "\"load_dependence\": "
    "0.5, \"quota\": {\"budget\": \"20ms\", \"period\": \"100ms\"}, \"behind\": {\"service\": "
    "{\"constant\": 7}, \"workers\": 3, \"keeps_worker\": true}, \"network\": {\"delay\": "
    "{\"constant\": 7}, \"probability\": 0.25}},\n"
    "\"loads\": {\"one\": {\"paced\": {\"rate\": 5000, \"connections\": 4, \"late\": "
    "{\"catch-up\": "
    "1.5}}}, \"open\": {\"open\": {\"every\": \"200us\", \"arrivals\": \"poisson\", "
    "\"max_in_flight\": "
    "64}, \"timeout\": \"2s\", \"timeout_cancel\": \"queued\", \"retry\": {\"after\": 5, "
    "\"backoff\": 1.5, \"jitter\": 0.5, \"budget\": 0.1}, \"generator\": {\"cost\": \"1us\", "
    "\"threads\": 2}, \"overhead\": 3, \"work\": \"per-request\"}, \"times\": {\"open\": "
    "{\"arrivals\": {\"times\": [0, \"1us\", "
    "2000]}}}, "
    "\"closed\": {\"closed\": {\"clients\": 128, \"think\": {\"exponential\": \"1ms\"}, "
    "\"stagger\": 5}, "
    "\"fan_out\": 2, \"wait_for\": 1}, \"hedged\": {\"closed\": 1, \"hedge\": {\"percentile\": "
    "99.5}}},\n"
    "\"recorders\": {\"a\": {\"load\": \"one\", \"from\": \"sent\", \"expected_interval\": "
    "\"200us\"}, "
    "\"b\": {\"load\": \"open\", \"from\": \"due\", \"to\": \"sent\", \"rank\": \"type7\", "
    "\"failures\": "
    "\"timeout\"}, \"c\": {\"load\": \"closed\", \"from\": \"sent\", \"truth\": \"open\", "
    "\"store\": "
    "{\"hdr\": {\"digits\": 3, \"highest\": \"10s\", \"clamp\": false}}, \"correction\": {\"wrk\": "
    "\"auto\"}, \"warmup\": \"1ms\"}, "
    "\"d\": {\"load\": \"closed\", \"part\": \"stall\", \"per\": {\"window\": \"1s\"}, \"merge\": "
    "\"average\"}, \"e\": {\"load\": \"closed\", \"from\": \"due\", \"per\": \"client\"}},\n"
    "\"sweep\": {\"/server/workers\": [3, 4], \"/run/requests\": {\"from\": 10, \"to\": 20, "
    "\"step\": 2}, \"/loads/one/paced/rate\": {\"from\": 1, \"to\": 2, \"count\": 5}},\n"
    "\"experiment\": \"capacity\",\n"
    "\"run\": {\"requests\": 1000, \"duration\": \"60s\", \"replications\": 40, \"seed\": "
    "\"12345678901234567890\", \"start\": \"empty\"},\n"
    "\"report\": {\"percentiles\": [50, 99.9, 100], \"rank\": \"hdr\", \"above\": [\"1ms\"], "
    "\"unit\": "
    "\"us\"},\n"
    "\"expect\": {\"a\": {\"p99.9\": \"1.5ms\", \"above 1ms\": \"12.5%\", \"sum\": "
    "12345678901234567890, "
    "\"max\": null}, \"open\": {\"sent\": 1000}}}\n";

static uint64_t next_word(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* What a change may put in. */
static const char *const tokens[] = {
    "{",
    "}",
    "[",
    "]",
    "\"",
    ",",
    ":",
    "0",
    "-1",
    "1e999",
    "null",
    "true",
    "\"\"",
    "\\u0000",
    "\\ud800",
    "\xff",
    "\xc0\x80",
    "{}",
    "[]",
    "99999999999999999999",
    "1.5",
    "\"open\"",
    "\"1s\"",
    "0.000000000000000001",
    "\"unlimited\"",
    "\"auto\"",
    "\"/\"",
    "1e-5",
    "\n",
};

/* One random change: a byte, a bit, a piece left out, doubled, moved, or a token put in. */
static size_t change(char *text, size_t length, size_t capacity, uint64_t *state)
{
    size_t at = next_word(state) % (length + 1), span = next_word(state) % 40;
    if (span > length - at)
        span = length - at;
    const char *put = tokens[next_word(state) % (sizeof tokens / sizeof tokens[0])];
    char piece[64];
    size_t count = strlen(put);
    memcpy(piece, put, count);
    switch (next_word(state) % 8) {
    case 0: /* a bit */
        if (at < length)
            text[at] = (char)(text[at] ^ (1 << next_word(state) % 8));
        return length;
    case 1: /* left out */ count = 0; break;
    case 2: /* put in */ span = 0; break;
    case 3: /* a piece of the same text put in */
        count = span;
        memcpy(piece, text + at, count);
        at = next_word(state) % (length + 1);
        span = 0;
        break;
    case 5: /* another digit */
    case 6:
    case 7:
        at += strcspn(text + at, "0123456789");
        if (at < length)
            text[at] = (char)('0' + next_word(state) % 10);
        return length;
    default: /* one value instead of what stands between two separators */
        span = strcspn(text + at, ",]}\n");
        break;
    }
    if (length - span + count > capacity)
        return length;
    memmove(text + at + count, text + at + span, length - at - span);
    memcpy(text + at, piece, count);
    text[length - span + count] = '\0';
    return length - span + count;
}

static void thousands_of_mutations_are_read_or_refused(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    size_t capacity = 2 * sizeof seed_text;
    char *text = must_alloc(capacity + 1, 1);
    size_t read = 0, refused = 0;
    for (int i = 0; i < 8000; i++) {
        size_t length = sizeof seed_text - 1;
        memcpy(text, seed_text, sizeof seed_text);
        for (size_t changes = 1 + next_word(&state) % 4; changes > 0; changes--)
            length = change(text, length, capacity, &state);
        /* Exactly as many bytes, so that a step past the end is seen. */
        uint8_t *bytes = must_alloc(length, 1);
        memcpy(bytes, text, length);
        LLVMFuzzerTestOneInput(bytes, length);
        char *faults = faults_of((const char *)bytes, length);
        read += *faults == '\0';
        refused += *faults != '\0';
        free(faults);
        free(bytes);
    }
    free(text);
    print_message("# %zu read, %zu refused\n", read, refused);
    assert_true(read > 500 && refused > 4000);
}

static void every_beginning_of_a_scenario_is_refused_but_the_whole(void **state)
{
    (void)state;
    for (size_t length = 0; length < sizeof seed_text - 2; length++) {
        char *bytes = must_alloc(length, 1);
        memcpy(bytes, seed_text, length);
        char *faults = faults_of(bytes, length);
        assert_true(*faults != '\0');
        free(faults);
        free(bytes);
    }
    char *faults = faults_of(seed_text, sizeof seed_text - 1);
    assert_string_equal(faults, "");
    free(faults);
}

static void what_is_no_scenario_is_refused_in_one_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        const char *fault;
    } cases[] = {
        {"", 0,
         "s:1:1: /: found an empty text; allowed here: a scenario, which is one JSON object\n"},
        {"\0\0\0", 3, "s:1:1: /: found a NUL byte; allowed here: a value\n"},
        {"{}\0", 3,
         "s:1:3: /: found a NUL byte; allowed here: nothing after the scenario's closing brace\n"},
        {"[]", 2,
         "s:1:1: /: found a list; allowed: an object: a server, loads and recorders; " SCENARIO_KEYS
         "\n"},
        {"null", 4,
         "s:1:1: /: found null; allowed: an object: a server, loads and recorders; " SCENARIO_KEYS
         "\n"},
        {"{\"a\x1b[31m\": 1}", 13, NULL},
        {"{\"a\\u001b[31m\": {\"\\u001b\": 1}, \"loads\": {\"\\u001b\": {\"\\u001b\": 0}}}", 66,
         NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *faults = faults_of(cases[i].text, cases[i].length);
        if (cases[i].fault != NULL)
            assert_string_equal(faults, cases[i].fault);
        assert_null(strchr(faults, 0x1b)); /* nothing that a terminal would obey */
        free(faults);
    }
}

static double seconds_to_read(const char *text, size_t length, bool good)
{
    struct timespec from, to;
    struct errors errors = {0};
    clock_gettime(CLOCK_MONOTONIC, &from);
    struct plan *plan = plan_read("s", text, length, NULL, 0, &errors);
    clock_gettime(CLOCK_MONOTONIC, &to);
    assert_true((plan != NULL) == good);
    assert_true(errors.count <= ERRORS_MOST);
    errors_free(&errors);
    plan_free(plan);
    return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

/* head, then piece again and again up to about `length` bytes, then tail. */
static char *long_text(const char *head, const char *piece, const char *tail, size_t *length)
{
    char *text = must_alloc(*length + strlen(head) + strlen(piece) + strlen(tail) + 1, 1);
    size_t used = strlen(head), step = strlen(piece);
    memcpy(text, head, used);
    for (; used < *length; used += step)
        memcpy(text + used, piece, step);
    memcpy(text + used, tail, strlen(tail) + 1);
    *length = used + strlen(tail);
    return text;
}

static void fifteen_megabytes_of_anything_are_answered_in_seconds(void **state)
{
    (void)state;
    static const struct {
        const char *head, *piece, *tail;
    } cases[] = {
        {"{\"server\": {", "\"x\": 1, ", "\"y\": 1}}"},
        {"{\"about\": [", "\"\\u00e9\", ", "5]}"},
        {"{\"about\": [", "0,", "5]}"},
        {"{\"loads\": {", "\"a\": {\"opne\": 1},", "\"b\": 1}}"},
        {"{\"expect\": {\"r\": {", "\"p50\": 1,", "\"p51\": 1}}}"},
        {"{\"report\": {\"percentiles\": [", "99.9,", "5]}}"},
        {"{\"server\": {\"service\": {\"samples\": [", "\"1 ms\",", "5]}}}"},
        {"{\"a\": \"", "\\ud83d\\ude00", "\"}"},
        {"{\"a\": ", "                ", "1}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t length = 15000000;
        char *text = long_text(cases[i].head, cases[i].piece, cases[i].tail, &length);
        assert_true(seconds_to_read(text, length, false) < 20.0);
        free(text);
    }
}

static void a_megabyte_of_scenario_is_read_in_a_moment(void **state)
{
    (void)state;
    size_t length = 1000000;
    char *text = long_text(
        "{\"server\": {\"service\": {\"constant\": 1}}, \"loads\": {\"a\": {\"open\": "
        "{\"arrivals\": {\"times\": [",
        "\"17us\", 17000,\n",
        "\"17us\"]}}}}, \"recorders\": {\"r\": {\"load\": \"a\", \"from\": \"due\"}}}", &length);
    double best = 1e9;
    for (int i = 0; i < 5; i++) {
        double seconds = seconds_to_read(text, length, true);
        best = seconds < best ? seconds : best;
    }
    free(text);
    print_message("# 1 MB read in %.1f ms\n", best * 1e3);
    assert_true(best < 0.5); /* 20 ms in a plain build; this one may be under sanitizers */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thousands_of_mutations_are_read_or_refused),
        cmocka_unit_test(every_beginning_of_a_scenario_is_refused_but_the_whole),
        cmocka_unit_test(what_is_no_scenario_is_refused_in_one_line),
        cmocka_unit_test(fifteen_megabytes_of_anything_are_answered_in_seconds),
        cmocka_unit_test(a_megabyte_of_scenario_is_read_in_a_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
