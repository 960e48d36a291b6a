/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/scenario/reader.h"

#include "sim/scenario/sha256.h"
#include "sim/scenario/spliced.h"

static struct plan *read_plan(const char *file, const char *text, size_t length,
                              const struct setting *settings, size_t setting_count, bool trial,
                              struct errors *errors)
{
    char sha256[65];
    sha256_hex(text, length, sha256);
    struct spliced spliced;
    struct plan *plan = NULL;
    spliced_open(&spliced, text, length, setting_count);
    if (length > SCAN_BYTES_MOST || spliced_apply(&spliced, settings, setting_count, errors))
        plan = spliced_read(&spliced, file, sha256, trial, errors);
    spliced_free(&spliced);
    return plan;
}

struct plan *plan_read(const char *file, const char *text, size_t length,
                       const struct setting *settings, size_t setting_count, struct errors *errors)
{
    return read_plan(file, text, length, settings, setting_count, false, errors);
}

struct plan *plan_try(const char *file, const char *text, size_t length,
                      const struct setting *settings, size_t setting_count, struct errors *errors)
{
    return read_plan(file, text, length, settings, setting_count, true, errors);
}
