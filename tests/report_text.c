/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/report_text.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *report_written(const struct made_result *m, struct report_style style)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    report_write(out, &m->result, &style);
    assert_int_equal(fclose(out), 0);
    return text;
}

char *report_as(const struct made_result *m, enum report_format format)
{
    return report_written(m, (struct report_style){.format = format, .width = 100, .first = true});
}

char *line_of(const char *text, const char *label)
{
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n");
        if (strncmp(at, label, strlen(label)) == 0)
            return must_format("%.*s", (int)length, at);
        at += length + (at[length] == '\n');
    }
    fail_msg("no line begins with \"%s\" in:\n%s", label, text);
    return NULL;
}

void assert_line(const char *text, const char *label, const char *wanted)
{
    char *line = line_of(text, label);
    assert_string_equal(line, wanted);
    free(line);
}

void assert_contains(const char *text, const char *wanted)
{
    if (!strstr(text, wanted))
        fail_msg("\"%s\" is not in:\n%s", wanted, text);
}

size_t count_of(const char *text, const char *part)
{
    size_t count = 0, length = strlen(text);
    for (size_t i = 0; i < length; i++)
        count += strncmp(text + i, part, strlen(part)) == 0;
    return count;
}
