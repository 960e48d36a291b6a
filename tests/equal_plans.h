/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_EQUAL_PLANS_H
#define DUETIME_EQUAL_PLANS_H

#include "models/plan.h"

/* Fails the test where anything in two plans differs but their files. */
void equal_plans(const struct plan *a, const struct plan *b);

#endif
