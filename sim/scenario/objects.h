/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_OBJECTS_H
#define DUETIME_OBJECTS_H

/* The scenario's own objects and shapes, by their tables.  Each reader returns false after putting
   every fault it found into the reading. */

#include "sim/scenario/fields.h"
#include "sim/scenario/tables.h"

/* Reads an object into *read.  value SCAN_NONE: all by default, which `at` is faulted for. */
bool read_object(struct reading *r, const struct object *object, uint32_t value, uint32_t at,
                 void *read);

/* The shapes that are no objects (shapes.c, expectations.c). */
bool read_text(struct reading *r, uint32_t value, char **out);
bool read_texts(struct reading *r, uint32_t value, char ***out, size_t *count);
bool read_load_name(struct reading *r, uint32_t value, size_t *out);
bool read_mode(struct reading *r, const struct key *key, uint32_t value, void *read);
bool read_interval(struct reading *r, const struct key *key, uint32_t value, struct choice *out);
bool read_seed(struct reading *r, uint32_t value, uint64_t *out);
bool read_percentiles(struct reading *r, uint32_t value, struct report_plan *out);
bool read_percentile(struct reading *r, uint32_t value, struct ratio *out);
bool read_share(struct reading *r, uint32_t value, struct ratio *out);
bool read_factor(struct reading *r, uint32_t value, struct ratio *out);
bool read_target(struct reading *r, uint32_t value, struct stall *out);
bool read_per(struct reading *r, uint32_t value, struct recorder_plan *out);
bool read_thresholds(struct reading *r, uint32_t value, struct report_plan *out);
bool read_expectations(struct reading *r, uint32_t value, struct plan *out);

/* The words of a target and of per, by their enums, but those that stand in an object. */
extern const char *const target_words[];
extern const char *const per_words[];

/* A percentile without trailing zeros, as "99.9", from its exact value in [0, 100]. */
void percentile_text(struct ratio p, char text[PERCENTILE_TEXT]);

/* Faults a value with what was found and what is allowed; returns false. */
bool refuse_value(struct reading *r, uint32_t value, const char *allowed);

#endif
