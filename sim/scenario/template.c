/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/scenario/template.h"

#include <stdlib.h>
#include <string.h>

#include "sim/scenario/settings.h"
#include "sim/scenario/sha256.h"
#include "sim/scenario/spliced.h"

struct template
{
    const char *file;
    struct spliced shared; /* by the shared settings, and then by taking out the sweep */
    struct reading scanned;
    char sha256[65];
};

/* The sweep's value gives way to an empty one.  No place moves by that, as faults find back to the
   file as it was written; but a long list is not scanned again for each of its values. */
static void take_out_sweep(struct template *made)
{
    struct spliced *shared = &made->shared;
    uint32_t sweep = member(&made->scanned, 0, "sweep");
    if (sweep == SCAN_NONE)
        return;
    const struct scan_value value = made->scanned.scan.values[sweep];
    size_t behind = shared->length - value.end;
    char *text = must_alloc(shared->length + 3, 1);
    memcpy(text, shared->text, value.start);
    memcpy(text + value.start, "{}", 2);
    memcpy(text + value.start + 2, shared->text + value.end, behind);
    spliced_take(shared, &(struct setting){"/sweep", "{}", NULL}, text,
                 (size_t)value.start + 2 + behind);
    struct errors none = {0};
    reading_close(&made->scanned, &none);
    reading_open(&made->scanned, made->file, shared->text, shared->length);
}

struct template *template_new(const char *file, const char *text, size_t length,
                              const struct setting *settings, size_t setting_count)
{
    struct errors errors = {0};
    struct template *made = NULL;
    struct spliced shared;
    spliced_open(&shared, text, length, setting_count + 1);
    if (length <= SCAN_BYTES_MOST && spliced_apply(&shared, settings, setting_count, &errors)) {
        made = must_alloc(1, sizeof *made);
        *made = (struct template){.file = file, .shared = shared};
        sha256_hex(text, length, made->sha256);
        reading_open(&made->scanned, file, shared.text, shared.length);
    } else {
        spliced_free(&shared);
    }
    errors_free(&errors);
    if (made != NULL && (made->scanned.failed || type_of(&made->scanned, 0) != SCAN_OBJECT)) {
        template_free(made);
        return NULL;
    }
    if (made != NULL)
        take_out_sweep(made);
    return made;
}

void template_free(struct template *made)
{
    if (made == NULL)
        return;
    struct errors none = {0};
    reading_close(&made->scanned, &none);
    errors_free(&none);
    spliced_free(&made->shared);
    free(made);
}

struct plan *template_read(const struct template *made, const struct setting *settings,
                           size_t setting_count, struct errors *errors)
{
    struct spliced own;
    spliced_copy(&own, &made->shared, setting_count);
    struct plan *plan = NULL;
    bool good = setting_count == 0;
    if (!good) {
        size_t length = 0;
        char *first = setting_apply_scanned(&made->scanned, &settings[0], &length, errors);
        good = first != NULL;
        if (good)
            spliced_take(&own, &settings[0], first, length);
        /* The others are judged too, by the text without the one that does not fit. */
        good &= spliced_apply(&own, settings + 1, setting_count - 1, errors);
    }
    if (good)
        plan = spliced_read(&own, made->file, made->sha256, true, errors);
    spliced_free(&own);
    return plan;
}
