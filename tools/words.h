/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_WORDS_H
#define DUETIME_WORDS_H

/* Parameters and tables of fields as words; everything follows from the table of the variant. */

#include <stdio.h>

#include "models/variant.h"

/* "two-point (usual 1ms, rare 10ms, probability 0.01)"; owned by the caller. */
char *choice_words(struct choice choice);

/* An exact decimal, "0.999"; owned by the caller. */
char *ratio_words(struct ratio ratio);

/* A text wrapped to the width, every line `indent` columns in; cleaned first. */
void paragraph_write(FILE *out, const char *text, size_t indent, size_t width);

/* What a field takes: "a duration, at least 1ns; default 0ns"; owned by the caller. */
char *field_words(const struct field *field);

/* The end of it: "required", "default 0ns" or "may be left out"; owned by the caller. */
char *need_words(const struct field *field);

#endif
