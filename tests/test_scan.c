/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The scan that goes before any JSON library. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "models/base/error.h"
#include "sim/scenario/scan.h"

/* Every fault as "line:column path what\n".  Owned by the caller. */
static char *faults_of(const char *text, size_t length)
{
    struct scan scan;
    scan_text(&scan, text, length);
    assert_true(scan.whole || scan.fault_count > 0);
    char *all = must_copy("");
    for (size_t i = 0; i < scan.fault_count; i++) {
        struct scan_place at = {0};
        scan_place(&scan, scan.faults[i].offset, &at);
        char *path = scan_path(&scan, scan.faults[i].value);
        char *longer =
            must_format("%s%zu:%zu %s %s\n", all, at.line, at.column, path, scan.faults[i].text);
        free(path);
        free(all);
        all = longer;
    }
    scan_free(&scan);
    return all;
}

static void expect_faults(const char *text, size_t length, const char *wanted)
{
    char *found = faults_of(text, length);
    assert_string_equal(found, wanted);
    free(found);
}

#define TEXT(literal) literal, sizeof(literal) - 1

static void everything_in_the_grammar_is_accepted(void **state)
{
    (void)state;
    static const char *const good[] = {
        "{}",
        "[]",
        " \t\r\n{ } \n",
        "0",
        "-0",
        "-0.0e+00",
        "1E9",
        "1.25e-7",
        "1.7976931348623157e308",
        "1e-999",
        "\"\"",
        "true",
        "false",
        "null",
        "[1,[2,[3]],{\"a\":{\"a\":1},\"b\":[]}]",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\uD834\\uDD1E\\uffff\"",
        "\"\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\"",
        "\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"",
        "{\"a\":1,\"A\":2,\"\\u0061a\":3,\"\":4}",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        expect_faults(good[i], strlen(good[i]), "");
}

static void each_fault_of_a_number_is_named_at_its_place(void **state)
{
    (void)state;
#define NO_NUMBER(shown)                                                             \
    "found " shown                                                                   \
    "; allowed: a JSON number, without leading zeros or +, and with digits on both " \
    "sides of a point\n"
    expect_faults(TEXT("[01]"), "1:2 /0 " NO_NUMBER("01"));
    expect_faults(TEXT("[1.]"), "1:2 /0 " NO_NUMBER("1."));
    expect_faults(TEXT("[.5]"), "1:2 /0 " NO_NUMBER(".5"));
    expect_faults(TEXT("[+5]"), "1:2 /0 " NO_NUMBER("+5"));
    expect_faults(TEXT("[-]"), "1:2 /0 " NO_NUMBER("-"));
    expect_faults(TEXT("[-01, 1e, 1e+]"),
                  "1:2 /0 " NO_NUMBER("-01") "1:7 /1 " NO_NUMBER("1e") "1:11 /2 " NO_NUMBER("1e+"));
    expect_faults(TEXT("[0x10]"), "1:2 /0 " NO_NUMBER("0x10"));
    expect_faults(TEXT("{\"a\": 5ms}"),
                  "1:7 /a found 5ms; allowed: a number, or with a unit in quotes: \"5ms\"\n");
    expect_faults(TEXT("[1e999,\n -1e999]"),
                  "1:2 /0 found 1e999; allowed: numbers below 1.8e308\n"
                  "2:2 /1 found -1e999; allowed: numbers below 1.8e308\n");
    expect_faults(TEXT("[1.7976931348623159e308]"),
                  "1:2 /0 found 1.7976931348623159e308; allowed: numbers below 1.8e308\n");
    char digits[1100];
    memset(digits, '1', sizeof digits);
    expect_faults(digits, 310,
                  "1:1 / found 1111111111111111111111111111111111111111...; allowed: "
                  "numbers below 1.8e308\n");
    expect_faults(digits, 309, "");
    expect_faults(digits, 1100, "1:1 / found a number of 1100 characters; allowed: at most 1000\n");
}

static void each_fault_of_a_string_is_named_at_its_place(void **state)
{
    (void)state;
#define BROKEN(why) \
    "found " why " in a string; allowed: UTF-8 characters, control characters as escapes\n"
#define ESCAPE(why)                                                                                \
    "found " why " in a string; allowed: \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX, in pairs " \
    "beyond U+FFFF\n"
    expect_faults(TEXT("[\"a\tb\"]"), "1:4 /0 " BROKEN("a control character"));
    expect_faults(TEXT("[\"a\0b\"]"), "1:4 /0 " BROKEN("a NUL byte"));
    static const char *const broken[] = {
        "\x80",
        "\xbf",
        "\xc0\xaf",
        "\xc1\xbf",
        "\xe0\x80\xaf",
        "\xe0\x9f\xbf",
        "\xf0\x8f\xbf\xbf",
        "\xed\xa0\x80",
        "\xed\xbf\xbf",
        "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80",
        "\xff",
        "\xe2\x82",
        "\xf0\x9f\x92",
        "\xc3(",
    };
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        char text[16];
        int length = snprintf(text, sizeof text, "[\"%s\"]", broken[i]);
        expect_faults(text, (size_t)length, "1:3 /0 " BROKEN("a byte that is no UTF-8"));
    }
    expect_faults(TEXT("[\"\\x\"]"), "1:3 /0 " ESCAPE("a backslash that begins no escape"));
    expect_faults(TEXT("[\"\\u12g4\"]"), "1:3 /0 " ESCAPE("a \\u without four hexadecimal digits"));
    expect_faults(TEXT("[\"\\u0000\"]"), "1:3 /0 " ESCAPE("the escape \\u0000, a NUL character"));
    expect_faults(TEXT("[\"\\ud800\"]"), "1:3 /0 " ESCAPE("half of a surrogate pair"));
    expect_faults(TEXT("[\"\\udc00\\ud800\"]"), "1:3 /0 " ESCAPE("half of a surrogate pair"));
    expect_faults(TEXT("[\"\\ud800\\u0041\"]"), "1:3 /0 " ESCAPE("half of a surrogate pair"));
    expect_faults(
        TEXT("[\"\\ud800x\", \"\x01\"]"),
        "1:3 /0 " ESCAPE("half of a surrogate pair") "1:14 /1 " BROKEN("a control character"));
    expect_faults(TEXT("[\"abc\n\"]"),
                  "1:2 /0 found a string that does not end on its line; allowed: "
                  "a closing quote\n");
    expect_faults(TEXT("[\"abc"), "1:2 /0 found a string that does not end on its line; allowed: a "
                                  "closing quote\n");
}

static void each_fault_between_values_is_named_at_its_place(void **state)
{
    (void)state;
    expect_faults(
        "", 0, "1:1 / found an empty text; allowed here: a scenario, which is one JSON object\n");
    expect_faults(TEXT(" \n"),
                  "2:1 / found an empty text; allowed here: a scenario, which is one JSON "
                  "object\n");
    expect_faults(TEXT("{} x"),
                  "1:4 / found \"x\"; allowed here: nothing after the scenario's closing "
                  "brace\n");
    expect_faults(TEXT("{}\0"),
                  "1:3 / found a NUL byte; allowed here: nothing after the scenario's "
                  "closing brace\n");
    expect_faults(TEXT("[1,]"),
                  "1:4 / found \"]\" after a comma or colon; allowed here: a value\n");
    expect_faults(TEXT("{\"a\": 1,}"),
                  "1:9 / found \"}\" after a comma or colon; allowed here: a key in "
                  "double quotes\n");
    expect_faults(TEXT("{\"a\" 1}"),
                  "1:6 / found something else after a key; allowed here: a colon\n");
    expect_faults(TEXT("{\"a\": }"),
                  "1:7 / found \"}\" after a comma or colon; allowed here: a value\n");
    expect_faults(TEXT("[1 2]"), "1:4 / found \"2\"; allowed here: , or ]\n");
    expect_faults(TEXT("{\"a\": [1}"), "1:9 /a found \"}\"; allowed here: , or ]\n");
    expect_faults(TEXT("{\n // no\n}"),
                  "2:2 / found \"/\" (JSON has no comments); allowed here: a key in "
                  "double quotes or }\n");
    expect_faults(TEXT("{'a': 1}"),
                  "1:2 / found ' (JSON text is written in double quotes); allowed here: "
                  "a key in double quotes or }\n");
    expect_faults(TEXT("{a: 1}"), "1:2 / found \"a\"; allowed here: a key in double quotes or }\n");
    expect_faults(TEXT("[yes]"),
                  "1:2 /0 found the bare word yes; allowed: true, false, null, or text in "
                  "double quotes\n");
    expect_faults(
        TEXT("[NaN, True]"),
        "1:2 /0 found the bare word NaN; allowed: true, false, null, or text in double quotes\n"
        "1:7 /1 found the bare word True; allowed: true, false, null, or text in double "
        "quotes\n");
    expect_faults(TEXT("{\"a\":\n{\"b\": ["),
                  "2:8 /a/b found the end of the text inside the list of line "
                  "2; allowed here: a value or ]\n");
    expect_faults(TEXT("\xef\xbb\xbf{}"),
                  "1:1 / found a byte order mark; allowed here: UTF-8 without "
                  "one\n");
    expect_faults(TEXT("\xff\xfe{\0}\0"), "1:1 / found UTF-16 text; allowed here: UTF-8\n");
    expect_faults(TEXT("[\xc3\xa9]"), "1:2 / found \"\xc3\xa9\"; allowed here: a value or ]\n");
    expect_faults(TEXT("[\xc3]"),
                  "1:2 / found the byte 0xc3, which is no UTF-8; allowed here: a value "
                  "or ]\n");
}

static void columns_count_characters_and_paths_escape_slashes(void **state)
{
    (void)state;
    expect_faults(
        TEXT("{\"\xc3\xa9\xf0\x9f\x98\x80\": 01,\r\n\t\"a/b~c\": [0, {\"\": 01}]}"),
        "1:8 /\xc3\xa9\xf0\x9f\x98\x80 " NO_NUMBER("01") "2:20 /a~1b~0c/1/ " NO_NUMBER("01"));
}

static void a_key_that_stands_twice_is_found_however_it_is_written(void **state)
{
    (void)state;
    expect_faults(
        TEXT("{\"ab\": 1,\n \"b\": {\"ab\": 0}, \"\\u0061b\": 2, \"ab\": 3}"),
        "2:18 /\\u0061b found the key \"\\u0061b\" again; allowed: each key once (the first is "
        "at 1:2)\n"
        "2:32 /ab found the key \"ab\" again; allowed: each key once (the first is at 1:2)\n");
    expect_faults(
        TEXT("{\"\\ud834\\udd1e\": 1, \"\xf0\x9d\x84\x9e\": 2}"),
        "1:21 /\xf0\x9d\x84\x9e found the key \"\xf0\x9d\x84\x9e\" again; allowed: each key "
        "once (the first is at 1:2)\n");
}

static double seconds_for(const char *text, size_t length, size_t *faults)
{
    struct timespec from, to;
    struct scan scan;
    clock_gettime(CLOCK_MONOTONIC, &from);
    scan_text(&scan, text, length);
    clock_gettime(CLOCK_MONOTONIC, &to);
    *faults = scan.fault_count + scan.faults_left_out;
    scan_free(&scan);
    return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

static void ten_thousand_levels_are_refused_at_the_sixty_fifth(void **state)
{
    (void)state;
    char *text = must_alloc(10000, 1);
    memset(text, '[', 10000);
    char *found = faults_of(text, 10000);
    assert_non_null(strstr(found, "1:65 /0/0/0"));
    assert_non_null(strstr(found,
                           "found a value inside 64 others; allowed here: no nesting as deep as "
                           "that\n"));
    free(found);
    memset(text + 64, ']', 64);
    expect_faults(text, 128, "");
    free(text);
}

static void a_hundred_million_bytes_are_refused_at_once(void **state)
{
    (void)state;
    size_t length = 100000000, faults;
    char *text = must_alloc(length, 1);
    memset(text, '[', length);
    assert_true(seconds_for(text, length, &faults) < 1.0);
    assert_int_equal(faults, 1);
    expect_faults(text, length,
                  "1:1 / found 100000000 bytes; allowed here: at most 16 MiB of text\n");
    free(text);
}

/* Sixteen MiB of the same short piece, between brackets. */
static char *repeated(char open, const char *piece, char close, size_t *length)
{
    size_t step = strlen(piece), used = 1;
    char *text = must_alloc(SCAN_BYTES_MOST, 1);
    text[0] = open;
    for (; used + step + 1 < SCAN_BYTES_MOST; used += step)
        memcpy(text + used, piece, step);
    text[used - 1] = close;
    *length = used;
    return text;
}

static void the_largest_texts_take_seconds_whatever_they_hold(void **state)
{
    (void)state;
    static const struct {
        char open, close;
        const char *piece;
        size_t faults;
    } cases[] = {
        {'[', ']', "1234567,", 0},
        {'[', ']', "1,", 1},
        {'[', ']', "1e999,", 2097152 + 1},
        {'{', '}', "\"same\":0,", SCAN_BYTES_MOST / 9 - 1},
        {'[', ']', "{\"a\":0,\"a\":1},", SCAN_BYTES_MOST / 14},
        {'[', ']', "\"\\ud800\",", SCAN_BYTES_MOST / 9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t length, faults;
        char *text = repeated(cases[i].open, cases[i].piece, cases[i].close, &length);
        assert_true(seconds_for(text, length, &faults) < 20.0);
        assert_in_range(faults, cases[i].faults > 700000 ? 600000 : cases[i].faults,
                        cases[i].faults + 1);
        free(text);
    }
}

/* What the scan accepts cJSON accepts too, with the same shape. */
static void same_shape(const struct scan *scan, uint32_t value, const cJSON *other)
{
    static const int types[] = {cJSON_NULL,   cJSON_False, cJSON_True,  cJSON_Number,
                                cJSON_String, cJSON_Array, cJSON_Object};
    assert_int_equal(other->type & 0xff, types[scan->values[value].type]);
    const cJSON *inner = other->child;
    for (uint32_t v = scan_first(scan, value); v != SCAN_NONE; v = scan_beside(scan, v)) {
        assert_non_null(inner);
        same_shape(scan, v, inner);
        inner = inner->next;
    }
    assert_null(inner);
}

static void what_the_scan_accepts_of_random_text_a_lenient_parser_accepts_alike(void **state)
{
    (void)state;
    static const char alphabet[] = "{{}}[[]]\"\"\":,,,0123-+.eE\\u truefalsn\n\x01\x80\xc3";
    uint64_t word = 20240611, accepted = 0;
    for (int i = 0; i < 300000; i++) {
        char text[12];
        word = word * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t length = 1 + (size_t)(word >> 61);
        for (size_t k = 0; k < length; k++) {
            word = word * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            text[k] = alphabet[(word >> 33) % (sizeof alphabet - 1)];
        }
        struct scan scan;
        scan_text(&scan, text, length);
        assert_true(scan.whole || scan.fault_count > 0);
        if (scan.whole && scan.fault_count == 0) {
            text[length] = '\0';
            cJSON *other = cJSON_ParseWithOpts(text, NULL, 1);
            assert_non_null(other);
            same_shape(&scan, 0, other);
            cJSON_Delete(other);
            accepted++;
        }
        scan_free(&scan);
    }
    assert_true(accepted > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_in_the_grammar_is_accepted),
        cmocka_unit_test(each_fault_of_a_number_is_named_at_its_place),
        cmocka_unit_test(each_fault_of_a_string_is_named_at_its_place),
        cmocka_unit_test(each_fault_between_values_is_named_at_its_place),
        cmocka_unit_test(columns_count_characters_and_paths_escape_slashes),
        cmocka_unit_test(a_key_that_stands_twice_is_found_however_it_is_written),
        cmocka_unit_test(ten_thousand_levels_are_refused_at_the_sixty_fifth),
        cmocka_unit_test(a_hundred_million_bytes_are_refused_at_once),
        cmocka_unit_test(the_largest_texts_take_seconds_whatever_they_hold),
        cmocka_unit_test(what_the_scan_accepts_of_random_text_a_lenient_parser_accepts_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
