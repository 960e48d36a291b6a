/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/averages.h"

#include <stdlib.h>

struct member {
    size_t group;
    ns_t ns;
};

static int by_group_and_size(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

static int by_value(const void *left, const void *right)
{
    const i128 *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Groups' percentiles, and how many samples each stands for. */
struct parts {
    i128 *milli;
    uint64_t *weights;
    size_t count;
};

static i128 aggregate(const struct parts *parts, enum aggregate how)
{
    i128 sum = 0, weight = 0, most = 0;
    for (size_t g = 0; g < parts->count; g++) {
        i128 times = how == AGGREGATE_WEIGHTED ? (i128)parts->weights[g] : 1;
        sum += parts->milli[g] * times;
        weight += times;
        most = parts->milli[g] > most ? parts->milli[g] : most;
    }
    switch (how) {
    case AGGREGATE_PLAIN:
    case AGGREGATE_WEIGHTED: return (2 * sum + weight) / (2 * weight);
    case AGGREGATE_MAX: return most;
    case AGGREGATE_MEDIAN:
        qsort(parts->milli, parts->count, sizeof *parts->milli, by_value);
        return (parts->milli[(parts->count - 1) / 2] + parts->milli[parts->count / 2]) / 2;
    }
    BUG("an aggregate outside its enum");
}

/* One percentile of each group; false: some group's is not known. */
static bool of_groups(const struct step *step, struct ratio p, const struct member *members,
                      size_t count, struct parts *parts)
{
    parts->count = 0;
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && members[end].group == members[first].group;)
            end++;
        struct rank_at at = rank_rule(step->asked->rank)->at(p, end - first);
        struct sample two[2] = {{.ns = members[first + at.rank - 1].ns},
                                {.ns = at.num != 0 ? members[first + at.rank].ns : 0}};
        at.rank = 1;
        struct said value = said_at(&(struct population){.items = two, .count = 2}, at);
        if (!value.known)
            return false;
        parts->milli[parts->count] = value.milli;
        parts->weights[parts->count++] = end - first;
    }
    return true;
}

void averages_report(const struct step *step,
                     size_t *(*groups)(const struct step *, const struct population *),
                     const struct population *sorted, struct report *report)
{
    size_t *group = groups(step, sorted);
    struct member *members = must_alloc(sorted->count, sizeof *members);
    struct parts parts = {.milli = must_alloc(sorted->count, sizeof *parts.milli),
                          .weights = must_alloc(sorted->count, sizeof *parts.weights)};
    for (size_t i = 0; i < sorted->count; i++)
        members[i] = (struct member){group[i], sorted->items[i].ns};
    qsort(members, sorted->count, sizeof *members, by_group_and_size);
    for (size_t k = 0; k < report->percentile_count; k++) {
        struct said *out = &report->percentiles[k];
        out->known = of_groups(step, step->asked->percentiles[k].p, members, sorted->count, &parts);
        if (out->known)
            out->milli = aggregate(&parts, (enum aggregate)(step->parameter % AGGREGATES));
    }
    free(group);
    free(members);
    free(parts.milli);
    free(parts.weights);
}

const char *aggregate_words(uint64_t parameter)
{
    switch ((enum aggregate)(parameter % AGGREGATES)) {
    case AGGREGATE_PLAIN: return "their plain mean";
    case AGGREGATE_WEIGHTED: return "their mean by number of samples";
    case AGGREGATE_MAX: return "the largest of them";
    case AGGREGATE_MEDIAN: return "their median";
    }
    BUG("an aggregate outside its enum");
}
