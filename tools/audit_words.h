/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_AUDIT_WORDS_H
#define DUETIME_AUDIT_WORDS_H

/* An audit as paragraphs, and as one JSON object with its figures and the same paragraphs. */

#include <stdio.h>

#include "tools/audit.h"

void audit_write_text(FILE *out, const struct audit_summary *summary, const struct audit *audit,
                      size_t width);
void audit_write_json(FILE *out, const struct audit_summary *summary, const struct audit *audit);

#endif
