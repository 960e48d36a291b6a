/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_RULES_H
#define DUETIME_RULES_H

/* What holds between the keys of one object or of the whole scenario, and no table can say. */

#include "sim/scenario/reading.h"

/* True where the object has that key, right or wrong.  Values faulted before are bad, and then the
   rules say no more. */
static inline bool has(const struct reading *r, uint32_t object, const char *key)
{
    return member(r, object, key) != SCAN_NONE;
}

void rules_server(struct reading *r, uint32_t value, void *read);
void rules_load(struct reading *r, uint32_t value, void *read);
void rules_stall(struct reading *r, uint32_t value, void *read);
void rules_recorder(struct reading *r, uint32_t value, void *read);
void rules_run(struct reading *r, uint32_t value, void *read);
void rules_scenario(struct reading *r, uint32_t value, void *read);

#endif
