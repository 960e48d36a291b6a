/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _DEFAULT_SOURCE /* madvise */

#include "models/base/wide.h"

#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "models/base/error.h"

#define LINE ((size_t)64)
#define LARGE_PAGE ((size_t)1 << 21)

/* Not in place: pages that are there stay small.  Whether it gives large ones is the system's
   affair. */
void *must_grow_wide(void *old, size_t old_count, size_t count, size_t size)
{
    size_t bytes = count * size, page = bytes < 2 * LARGE_PAGE ? LINE : LARGE_PAGE;
    BUG_IF(old_count > count || bytes / size != count);
    bytes = (bytes + page - 1) & -page;
    void *large = aligned_alloc(page, bytes);
    if (large == NULL)
        return must_grow(old, count, size);
#ifdef MADV_HUGEPAGE
    if (page == LARGE_PAGE)
        (void)madvise(large, bytes, MADV_HUGEPAGE);
#endif
    if (old_count > 0)
        memcpy(large, old, old_count * size);
    free(old);
    return large;
}
