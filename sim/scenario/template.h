/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TEMPLATE_H
#define DUETIME_TEMPLATE_H

/* A scenario's text made ready to be read many times, each time with other settings: what all of
   them share is set, the sweep is taken out, and the rest is scanned once. */

#include "sim/scenario/reader.h"

struct template;

/* The text and the settings are borrowed, and outlive it.  NULL: the text is no JSON, or a setting
   does not fit it, which plan_read tells.  template_free releases it. */
struct template *template_new(const char *file, const char *text, size_t length,
                              const struct setting *settings, size_t setting_count);
void template_free(struct template *made);

/* What plan_try gives for the text with the shared settings and then these: the same plan, the same
   faults at the same places.  Any number of threads may read at once. */
struct plan *template_read(const struct template *made, const struct setting *settings,
                           size_t setting_count, struct errors *errors);

#endif
