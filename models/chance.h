/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_CHANCE_H
#define DUETIME_CHANCE_H

/* Whether anything is drawn at random: without chance one run tells all. */

#include "models/plan.h"

bool chance_in_server(const struct server *server);
bool chance_in_load(const struct load_plan *load);

#endif
