/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_RULES_H
#define DUETIME_RULES_H

/* What holds between the keys of one object or of the whole scenario, and no table can say. */

#include "sim/scenario/reading.h"

void rules_server(struct reading *r, uint32_t value, void *read);
void rules_load(struct reading *r, uint32_t value, void *read);
void rules_stall(struct reading *r, uint32_t value, void *read);
void rules_recorder(struct reading *r, uint32_t value, void *read);
void rules_run(struct reading *r, uint32_t value, void *read);
void rules_scenario(struct reading *r, uint32_t value, void *read);

#endif
