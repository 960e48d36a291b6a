/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/experiments/quarantine.h"

#include <stdlib.h>
#include <string.h>

void quarantine_add(struct quarantine *q, const char *group, const struct seen *seen,
                    size_t recorder)
{
    struct group_point *last = q->count > 0 ? &q->points[q->count - 1] : NULL;
    if (last != NULL && last->number == seen->number) {
        const char *more = seen->recorders[recorder].gates;
        bool both = last->gates[0] != '\0' && more[0] != '\0';
        bool same = strcmp(last->gates, more) == 0;
        char *all = must_format("%s%s%s", last->gates, both && !same ? " " : "", same ? "" : more);
        free(last->gates);
        last->gates = all;
        return;
    }
    if (q->count == q->capacity) {
        q->capacity = q->capacity > 0 ? 2 * q->capacity : 16;
        q->points = must_grow(q->points, q->capacity, sizeof *q->points);
    }
    q->points[q->count++] = (struct group_point){must_copy(group), seen->number,
                                                 must_copy(seen->recorders[recorder].gates)};
}

bool quarantine_stands(const struct quarantine *q, const char *group)
{
    for (size_t i = 0; i < q->count; i++)
        if (strcmp(q->points[i].group, group) == 0 && q->points[i].gates[0] != '\0')
            return false;
    return true;
}

static char *longer(char *text, const char *more, size_t number)
{
    char *out = must_format("%s%s%zu%s", text, text[0] != '\0' ? ", " : "", number, more);
    free(text);
    return out;
}

static void tell_group(const struct quarantine *q, size_t first, const struct lab *lab)
{
    const char *name = q->points[first].group;
    char *caught = must_copy(""), *lost = must_copy("");
    size_t caught_count = 0, count = 0;
    for (size_t i = first; i < q->count; i++) {
        const struct group_point *point = &q->points[i];
        if (strcmp(point->group, name) != 0)
            continue;
        count++;
        lost = longer(lost, "", point->number);
        if (point->gates[0] == '\0')
            continue;
        char *why = must_format(" (%s)", point->gates);
        caught = longer(caught, why, point->number);
        caught_count++;
        free(why);
    }
    lab_find(lab, "quarantined", name,
             "gates fail at %zu of its %zu points: %s; the group is set aside as a whole, and with "
             "it points %s",
             caught_count, count, caught, lost);
    free(caught);
    free(lost);
}

void quarantine_tell(const struct quarantine *q, const struct lab *lab)
{
    bool any = false;
    for (size_t i = 0; i < q->count; i++) {
        bool first = true;
        for (size_t k = 0; k < i && first; k++)
            first = strcmp(q->points[k].group, q->points[i].group) != 0;
        if (!first || quarantine_stands(q, q->points[i].group))
            continue;
        tell_group(q, i, lab);
        any = true;
    }
    if (!any && q->count > 0)
        lab_find(lab, "quarantined", "none", "no gate fails at any point");
}

void quarantine_free(struct quarantine *q)
{
    for (size_t i = 0; i < q->count; i++) {
        free(q->points[i].group);
        free(q->points[i].gates);
    }
    free(q->points);
    *q = (struct quarantine){0};
}
