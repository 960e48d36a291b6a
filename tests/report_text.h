/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_REPORT_TEXT_H
#define DUETIME_REPORT_TEXT_H

/* A made result as text, and what stands in a text.  Texts are owned by the caller. */

#include "tests/made_result.h"
#include "tools/report/report.h"

char *report_written(const struct made_result *m, struct report_style style);
char *report_as(const struct made_result *m, enum report_format format); /* 100 columns wide */

/* The line that begins with `label`; fails the test where there is none. */
char *line_of(const char *text, const char *label);
void assert_line(const char *text, const char *label, const char *wanted);
void assert_contains(const char *text, const char *wanted);
size_t count_of(const char *text, const char *part);

#endif
