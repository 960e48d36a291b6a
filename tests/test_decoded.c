/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Texts that are decoded while a scenario is read. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/error.h"
#include "sim/scenario/decoded.h"

/* "<length times letter>", between its quotes; the last one escaped where it is asked for. */
static char *quoted(size_t length, char letter, bool escaped)
{
    char escape[8];
    char *text = must_alloc(length + 16, 1);
    text[0] = '"';
    memset(text + 1, letter, length);
    snprintf(escape, sizeof escape, "\\u%04x", (unsigned)letter);
    if (escaped)
        memcpy(text + length, escape, 6);
    strcat(text, "\"");
    return text;
}

/* Every length near where the room of its own ends, and a chunk's: none is cut, none moves, none
   is written over by one that comes after it. */
static void texts_of_any_length_stay_as_they_are_until_they_are_freed(void **state)
{
    (void)state;
    static const size_t lengths[] = {0, 1,    62,   63, 64, 65,   998, 999,
                                     1, 1000, 1001, 30, 33, 5000, 936, 0};
    enum { COUNT = sizeof lengths / sizeof lengths[0], ROUNDS = 5 };
    for (int escaped = 0; escaped < 2; escaped++) {
        struct decoded decoded;
        const char *kept[COUNT * ROUNDS];
        decoded_open(&decoded);
        for (size_t i = 0; i < COUNT * ROUNDS; i++) {
            size_t length = lengths[i % COUNT];
            char *text = quoted(length, (char)('a' + i % 26), escaped == 1 && length > 0);
            kept[i] = decoded_add(&decoded, text + 1, strlen(text) - 2);
            free(text);
        }
        for (size_t i = 0; i < COUNT * ROUNDS; i++) {
            assert_int_equal(strlen(kept[i]), lengths[i % COUNT]);
            assert_int_equal(strspn(kept[i], (char[]){(char)('a' + i % 26), '\0'}),
                             lengths[i % COUNT]);
        }
        decoded_free(&decoded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_any_length_stay_as_they_are_until_they_are_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
