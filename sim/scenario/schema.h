/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SCHEMA_H
#define DUETIME_SCHEMA_H

/* The JSON Schema of what variants' tables of fields describe. */

#include "models/variant.h"
#include "sim/scenario/emit.h"

#define DURATION_PATTERN "^[0-9]+([.][0-9]+)?(ns|us|ms|s|min)$"

/* A duration in both of its forms; of the text form only zero can be told. */
void schema_duration_forms(struct emit *e, const struct field *field);

/* The members that say what a field may be. */
void schema_field_type(struct emit *e, const struct field *field);

/* A variant's parameters: its fields, or the first alone where no other is needed. */
void schema_params(struct emit *e, const struct variant *type);

/* A member of $defs: any variant of the set. */
void schema_set(struct emit *e, const struct variant_set *set);

#endif
