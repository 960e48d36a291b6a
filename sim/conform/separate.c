/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which trial would tell suspects apart. */

#include <stdlib.h>

#include "models/registry.h"
#include "sim/conform/judge.h"

static bool report_of(const struct suspect *suspect, const struct trial *trial, struct report *out)
{
    struct fault_use uses[2] = {{fault(set_faults.variants[suspect->fault]), suspect->parameter}};
    size_t count = 1;
    if (suspect->second != NO_INDEX)
        uses[count++] = (struct fault_use){fault(set_faults.variants[suspect->second]),
                                           suspect->second_parameter};
    return report_faulty(&trial->requests, &trial->asked, uses, count, out);
}

/* How many different answers the suspects would give there. */
static size_t kinds_in(const struct suspect *suspects, size_t count, const struct trial *trial)
{
    struct report *reports = must_alloc(count, sizeof *reports);
    size_t kinds = 0, made = 0;
    for (size_t i = 0; i < count; i++) {
        if (!report_of(&suspects[i], trial, &reports[made]))
            continue;
        bool seen = false;
        for (size_t k = 0; k < made && !seen; k++)
            seen = reports_equal(&reports[k], &reports[made]);
        kinds += !seen;
        made++;
    }
    for (size_t i = 0; i < made; i++)
        report_free(&reports[i]);
    free(reports);
    return kinds;
}

size_t separating_trial(const struct suspect *suspects, size_t suspect_count,
                        const struct trial *trials, size_t trial_count, size_t *kinds)
{
    size_t best = NO_INDEX;
    *kinds = 1;
    for (size_t t = 0; t < trial_count; t++) {
        size_t found = kinds_in(suspects, suspect_count, &trials[t]);
        if (found <= *kinds)
            continue;
        *kinds = found;
        best = t;
    }
    return best;
}
