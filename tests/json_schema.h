/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TESTS_JSON_SCHEMA_H
#define DUETIME_TESTS_JSON_SCHEMA_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Whether the value is valid under the schema, for the part of JSON Schema 2020-12 that our own
   schema uses.  A keyword outside that part fails the test that asks. */
bool schema_holds(const cJSON *root, const cJSON *schema, const cJSON *value);

#endif
