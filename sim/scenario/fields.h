/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FIELDS_H
#define DUETIME_FIELDS_H

/* Values by their tables of fields.  Each reader returns false after putting every fault it found
   into the reading; what it read until then stays in place, for plan_free. */

#include "sim/scenario/reading.h"

/* The value of one field, into params + field->offset. */
bool read_field(struct reading *r, const struct field *field, uint32_t value, void *params);

/* The field's default, into params + field->offset. */
void read_default(const struct field *field, void *params);

/* A variant by its name, alone or with its parameters. */
bool read_variant(struct reading *r, const struct variant_set *set, uint32_t value,
                  struct choice *out);

/* A variant's parameters: an object of its fields, or its first field alone. */
bool read_params(struct reading *r, const struct variant *type, uint32_t value, struct choice *out);

/* The name of a variant, for sets whose members take no parameters here.  NULL after a fault. */
const struct variant *read_variant_name(struct reading *r, const struct variant_set *set,
                                        uint32_t value);

/* A list of durations, or the name of a file of them beside the scenario. */
bool read_durations(struct reading *r, const struct field *field, uint32_t value,
                    struct durations *out);

/* A list of objects, as the field's item says; at least one, or as many as the field's range says.
 */
bool read_items(struct reading *r, const struct field *field, uint32_t value,
                struct item_list *out);

/* One of the words, which NULL ends; its index. */
bool read_named(struct reading *r, const char *const *words, uint32_t value, unsigned *out);

/* A whole number from 0 to 2^64 - 1, however JSON writes it. */
bool read_whole(const struct reading *r, uint32_t value, uint64_t *out);

/* True where v lies in the field's range. */
bool in_range(const struct field *field, uint64_t v);

/* Why a text is no duration, for messages. */
const char *duration_why(enum duration_fault fault);

/* Faults a value with what was found, why it is none, and what the field allows; returns false. */
bool refuse_field(struct reading *r, const struct field *field, uint32_t value, const char *why);

/* Lists of objects hold no more than this, where the field names no limit of its own. */
#define ITEMS_MOST 1000

/* What a field allows, for messages.  Owned by the caller. */
char *field_allows(const struct field *field);

#endif
