/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_KEYS_H
#define DUETIME_KEYS_H

/* The keys of a scenario's own objects, told from the tables that read them. */

#include <stdio.h>

#include "sim/scenario/tables.h"

/* Tells of the objects and of the single keys of that name, "scenario" being all there are.
   Returns how many it found; out NULL: only counts. */
size_t keys_write(FILE *out, const char *name, size_t width);

/* Hands on the name of every object and key. */
void keys_names(void (*take)(void *self, const char *name), void *self);

#endif
