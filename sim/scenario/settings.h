/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SETTINGS_H
#define DUETIME_SETTINGS_H

#include "sim/scenario/reader.h"

struct reading;

/* The text with one setting applied: the value at its path replaced, or a key put at the end of the
   object around it.  Lines stay where they were.  Owned by the caller; NULL and a fault in *errors
   where the setting cannot be applied.  A text that is no JSON is copied: its faults come later. */
char *setting_apply(const char *text, size_t length, const struct setting *setting,
                    size_t *new_length, struct errors *errors);

/* The same for a text that was scanned already, and is good JSON. */
char *setting_apply_scanned(const struct reading *scanned, const struct setting *setting,
                            size_t *new_length, struct errors *errors);

#endif
