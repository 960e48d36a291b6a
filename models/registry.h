/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_REGISTRY_H
#define DUETIME_REGISTRY_H

/* Every variant there is, from the one list in meson.build. */

#include "models/variant.h"

extern const struct variant_set set_distributions;
extern const struct variant_set set_arrivals;
extern const struct variant_set set_loads;
extern const struct variant_set set_late;
extern const struct variant_set set_resend;
extern const struct variant_set set_queues;
extern const struct variant_set set_routing;
extern const struct variant_set set_stalls;
extern const struct variant_set set_corrections;
extern const struct variant_set set_stores;
extern const struct variant_set set_ranks;
extern const struct variant_set set_experiments;
extern const struct variant_set set_schedulers;
extern const struct variant_set set_faults;

/* The variant of that name, or NULL. */
const struct variant *variant_find(const struct variant_set *set, const char *name);

#endif
