/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/wanted.h"

#include <stdlib.h>
#include <string.h>

#include "sim/formats/text.h"
#include "tools/output.h"

size_t wanted_recorder(const struct options *options, const struct plan *plan,
                       struct errors *errors)
{
    const char *name = option_value(options, OPTION_RECORDER);
    const char **names = must_alloc(plan->recorder_count, sizeof *names);
    size_t found = name == NULL ? 0 : NO_INDEX;
    for (size_t i = 0; i < plan->recorder_count; i++) {
        names[i] = plan->recorders[i].name;
        if (name != NULL && strcmp(name, names[i]) == 0)
            found = i;
    }
    const char *nearest = name != NULL ? nearest_name(name, names, plan->recorder_count) : NULL;
    if (found == NO_INDEX)
        errors_add(errors, (struct place){.file = plan->file, .path = "/recorders"},
                   "there is no recorder \"%s\"; %s \"%s\"", name,
                   nearest != NULL ? "the nearest is" : "the first is",
                   nearest != NULL ? nearest : names[0]);
    free(names);
    return found;
}

ns_t wanted_unit(const struct options *options, ns_t otherwise, struct errors *errors)
{
    const char *name = option_value(options, OPTION_UNIT);
    if (name == NULL)
        return otherwise;
    ns_t unit_ns = unit_of_name((struct piece){name, strlen(name)});
    if (unit_ns == 0)
        errors_add(errors, (struct place){.file = "duetime"},
                   "--unit is ns, us, ms, s or min, not %s", name);
    return unit_ns;
}

void wanted_spared(const struct options *options, enum option_id id, struct errors *errors)
{
    const char *file = option_value(options, id);
    if (file != NULL && options->output != NULL && output_same_file(options->output, file))
        errors_add(errors, (struct place){.file = "duetime"},
                   "--output %s is the same file as --%s %s, which it would replace",
                   options->output, option_texts[id].name, file);
}
