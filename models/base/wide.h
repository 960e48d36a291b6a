/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_BASE_WIDE_H
#define DUETIME_BASE_WIDE_H

/* Memory that is read here and there: items of a power of two bytes lie in as few lines of a cache
   as they can; and of many MB a processor knows the places of a few thousand pages at once, and has
   to look up that of any other, so the system is asked for large ones. */

#include <stddef.h>

/* As must_grow, of an array in which old_count items are of use: the others are not carried over.
 */
void *must_grow_wide(void *old, size_t old_count, size_t count, size_t size);

#endif
