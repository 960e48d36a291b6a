/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_WANTED_H
#define DUETIME_WANTED_H

/* What a command's own options name: a recorder of the scenario, a unit. */

#include "models/plan.h"
#include "tools/options.h"

/* The recorder of --recorder, or the first; NO_INDEX and an error where there is none such. */
size_t wanted_recorder(const struct options *options, const struct plan *plan,
                       struct errors *errors);

/* The unit of --unit in ns; `otherwise` where it is not given; 0 and an error where it is none. */
ns_t wanted_unit(const struct options *options, ns_t otherwise, struct errors *errors);

/* An error where --output would replace the file that this option names. */
void wanted_spared(const struct options *options, enum option_id id, struct errors *errors);

#endif
