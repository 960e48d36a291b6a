/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LOAD_FACTS_H
#define DUETIME_LOAD_FACTS_H

/* What a subject is told of the load whose requests it sees. */

#include "models/plan.h"

/* The interval of its own schedule; 0: it has none, or it does not come to whole ns. */
ns_t load_interval_ns(const struct load_plan *load);

/* Connections or clients; 0: no limit. */
uint64_t load_connections(const struct load_plan *load);

#endif
