/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_STORES_RADIX_H
#define DUETIME_STORES_RADIX_H

#include "models/base/time.h"

/* Sorts upwards; scratch has room for as many, and is left with anything. */
void radix_sort(ns_t *values_ns, ns_t *scratch, size_t count);

#endif
