/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_WRITE_FIELDS_H
#define DUETIME_WRITE_FIELDS_H

#include "models/variant.h"
#include "sim/scenario/emit.h"

void write_duration(struct emit *e, ns_t ns);
void write_ratio(struct emit *e, struct ratio ratio);

/* A field's value out of params. */
void write_field(struct emit *e, const struct field *field, const void *params);

/* A variant by its name, with its parameters where it has any; the parameters alone. */
void write_choice(struct emit *e, struct choice choice);
void write_params(struct emit *e, struct choice choice);

/* True where the field says nothing: it may be left out, and is empty. */
bool field_is_empty(const struct field *field, const void *params);

#endif
