/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Other people's files that nobody meant well. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/error.h"
#include "sim/formats/imported.h"
#include "sim/formats/trace_rows.h"
#include "tests/fuzz_formats.h"

static const char *const seeds[] = {
    "# times\n5\n1.5ms\n1e3\n0.0001\n",
    "upper,count\n1,2\n2.5,3\n4ms,0\n+Inf,1\ncount,6\nsum,5ms\nmin,1\nmax,9s\n",
    "le,cumulative\n\"1\",2\n2,3\n4,3\n+Inf,9\n",
    "{\"upper\": [1, 2, \"4s\", \"+Inf\"], \"cumulative\": [0, 3, 3, 8], \"count\": 8, \"sum\": "
    "\"21s\", "
    "\"min\": 1.5, \"max\": null, \"unit\": \"ms\"}",
    "       Value     Percentile TotalCount 1/(1-Percentile)\n\n"
    "       0.100 0.000000000000          1           1.00\n"
    "       0.200 0.500000000000         94           2.00\n"
    "     150.209 0.943750000000         99          17.78\n"
    "     200.147 1.000000000000        100\n"
    "#[Mean    =        9.598, StdDeviation   =       37.886]\n"
    "#[Max     =      200.147, Total count    =          100]\n"
    "#[Buckets =           32, SubBuckets     =         2048]\n",
    "#[Histogram log format version 1.3]\n"
    "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
    "1.500,1.000,200.147,HISTFAAAADN42pNpmSzMwMAgyAABzFCaEch0M9ixgMH+A0RguzjbUQ6mjRFbGHevZOT6zsoEA"
    "NFVCio=\n"
    "Tag=A,2.500,1.000,200.147,HISTFAAAADN42pNpmSzMwMAgyAABzFCaEch0M9ixgMH+A0RguzjbUQ6mjRFbGHevZOT6"
    "zsoEANFVCio=\n",
    "number,load,client,replica,due_ns,acquired_ns,sent_ns,started_ns,finished_ns,ended_ns,status,"
    "recorded,send_lag_ns,queue_ns,stall_ns,service_ns,response_ns\n"
    "0,\"a, \"\"b\"\"\",1,0,5,6,7,8,20,20,answered,1,2,1,3,9,15\n"
    "1,c,0,0,5,6,7,,9,20,timed out,0,2,,,,\n",
    "{\"number\": 0, \"load\": \"a\\u00fc\", \"client\": 1, \"replica\": 0, \"due_ns\": 5, "
    "\"acquired_ns\": 6, \"sent_ns\": 7, \"started_ns\": 8, \"finished_ns\": 20, \"ended_ns\": 20, "
    "\"status\": \"answered\", \"recorded\": true, \"send_lag_ns\": 2, \"queue_ns\": 1, "
    "\"stall_ns\": 3, \"service_ns\": 9, \"response_ns\": 15}\n"
    "{\"due_ns\": \"5\", \"sent_ns\": 7, \"finished_ns\": 9, \"status\": \"cut\", \"stall_ns\": "
    "null}\n",
};
#define SEEDS (sizeof seeds / sizeof seeds[0])

static const char *const tokens[] = {
    "",    ",",    "\n",  "\"",   "-1",      "0",      "1e999", "99999999999999999999",
    "inf", "+Inf", "nan", "null", "\\ud800", "\xff",   "{",     "}",
    "[",   "]",    "ms",  " ",    "\r\n",    "HISTF",  "=",     "4611686018427387903",
    "#[",  "a",    ":",   "1.0",  "count,",  "1e-300", "#",     "18446744073709551615",
};

static uint64_t next_word(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* One random change: a bit, another digit, a piece left out or doubled, a token put in. */
static size_t change(char *text, size_t length, size_t capacity, uint64_t *state)
{
    size_t at = next_word(state) % (length + 1), span = next_word(state) % 30;
    char piece[64];
    span = span > length - at ? length - at : span;
    const char *put = tokens[next_word(state) % (sizeof tokens / sizeof tokens[0])];
    size_t count = strlen(put);
    memcpy(piece, put, count);
    switch (next_word(state) % 6) {
    case 0:
        if (at < length)
            text[at] = (char)(text[at] ^ (1 << next_word(state) % 8));
        return length;
    case 1:
    case 2:
        while (at < length && (text[at] < '0' || text[at] > '9'))
            at++;
        if (at < length)
            text[at] = (char)('0' + next_word(state) % 10);
        return length;
    case 3: count = 0; break;
    case 4:
        count = span;
        memcpy(piece, text + at, count);
        span = 0;
        break;
    default: span = span % 4; break;
    }
    if (length - span + count > capacity)
        return length;
    memmove(text + at + count, text + at + span, length - at - span);
    memcpy(text + at, piece, count);
    return length - span + count;
}

static bool any_reader_takes(const char *text, size_t length)
{
    struct errors errors = {0};
    struct imported m;
    struct trace_rows rows;
    bool imported = imported_read("f", text, length, 0, &m, &errors);
    bool traced = trace_read("f", text, length, &rows, &errors);
    if (imported)
        imported_free(&m);
    if (traced)
        trace_rows_free(&rows);
    errors_free(&errors);
    return imported || traced;
}

static void thousands_of_mutations_are_read_or_refused(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    size_t read = 0, refused = 0;
    for (size_t i = 0; i < 24000; i++) {
        const char *seed = seeds[i % SEEDS];
        size_t length = strlen(seed), capacity = 2 * length + 64;
        char *text = must_alloc(capacity, 1);
        memcpy(text, seed, length);
        for (size_t changes = next_word(&state) % 5; changes > 0; changes--)
            length = change(text, length, capacity, &state);
        /* Exactly as many bytes, so that a step past the end is seen. */
        uint8_t *bytes = must_alloc(length, 1);
        memcpy(bytes, text, length);
        LLVMFuzzerTestOneInput(bytes, length);
        bool taken = any_reader_takes((const char *)bytes, length);
        read += taken;
        refused += !taken;
        free(bytes);
        free(text);
    }
    print_message("# %zu read, %zu refused\n", read, refused);
    assert_true(read > 4000 && refused > 6000);
}

static void every_seed_is_read_and_every_beginning_of_one_survived(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < SEEDS; i++) {
        size_t whole = strlen(seeds[i]);
        if (!any_reader_takes(seeds[i], whole))
            fail_msg("not read: %s", seeds[i]);
        for (size_t length = 0; length < whole; length++) {
            uint8_t *bytes = must_alloc(length, 1);
            memcpy(bytes, seeds[i], length);
            LLVMFuzzerTestOneInput(bytes, length);
            free(bytes);
        }
    }
}

static void megabytes_are_answered_in_moderate_memory(void **unused)
{
    (void)unused;
    static const struct {
        const char *head, *piece;
    } cases[] = {
        {"", "17\n"},
        {"upper,count\n", "1,1\n"},
        {"{\"upper\": [", "1,"},
        {"Value Percentile TotalCount\n", "1.0 0.5 1 2.0\n"},
        {"#[Histogram log format version 1.3]\n0.0,1.0,1.0,HISTF", "AAAA"},
        {"due_ns,sent_ns,finished_ns\n", "1,2,3\n"},
        {"due_ns,sent_ns,finished_ns,load\n1,2,3,\"", "a\n"},
        {"{", "{"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t head = strlen(cases[i].head), piece = strlen(cases[i].piece), length = 2000000;
        char *text = must_alloc(length + piece, 1);
        memcpy(text, cases[i].head, head);
        for (size_t at = head; at < length; at += piece)
            memcpy(text + at, cases[i].piece, piece);
        any_reader_takes(text, length);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thousands_of_mutations_are_read_or_refused),
        cmocka_unit_test(every_seed_is_read_and_every_beginning_of_one_survived),
        cmocka_unit_test(megabytes_are_answered_in_moderate_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
