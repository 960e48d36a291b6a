/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_READER_H
#define DUETIME_READER_H

/* Scenario text in, validated plan out. */

#include <stdio.h>

#include "models/plan.h"

/* --set PATH=VALUE: path as /run/requests, value as JSON text; what is no JSON, such as 50ms, is
   taken as a string.  A key that is not there yet is put at the end of the object around it, with
   that object where it is not there either. */
struct setting {
    const char *path, *value;
    const char *option; /* that gave it, for messages; NULL: --set */
};

/* Reads one scenario.  file is for messages and for finding files the scenario names, beside it.
   On success a plan that plan_free releases; on failure NULL and every fault in *errors. */
struct plan *plan_read(const char *file, const char *text, size_t length,
                       const struct setting *settings, size_t setting_count, struct errors *errors);

/* The same without its sweep, which is not read. */
struct plan *plan_try(const char *file, const char *text, size_t length,
                      const struct setting *settings, size_t setting_count, struct errors *errors);

/* The scenario with every default filled, as JSON that plan_read accepts and reads the same. */
void plan_write_json(const struct plan *plan, FILE *out);

/* The JSON Schema of scenarios, from the same tables. */
void schema_write(FILE *out);

#endif
