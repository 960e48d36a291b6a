/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether a fault explains what was said in one trial. */

#include <stdlib.h>

#include "models/registry.h"
#include "sim/conform/judge.h"

/* Beyond so many requests only the commonest parameters are tried: each costs a sort of them. */
#define REQUESTS_FOR_ALL 20000
#define PARAMETERS_OF_MANY 3

bool heard_is_right(const struct bench *bench, const struct report *heard)
{
    for (size_t i = 0; i < figures_in(heard); i++) {
        struct said said = figure_of(heard, i);
        if (said.known && !is_right(bench, i, said))
            return false;
    }
    return true;
}

/* Ends are kept apart from the rest by many: p0 and p100 may be right beside wrong percentiles. */
static bool is_end(const struct bench *bench, size_t index)
{
    struct ratio p = bench->asked.percentiles[index - FIGURE_FIRST_PERCENTILE].p;
    return p.num == 0 || p.num == p.den;
}

/* Within what whole ns leave of fractions. */
static bool is_close(const struct report *faulty, size_t index, ns_t slack_ns, struct said said)
{
    struct said figure = figure_of(faulty, index);
    i128 slack = (i128)slack_ns * 1000 * (index == FIGURE_SUM ? (i128)faulty->count : 1);
    if (slack_ns == 0 || index == FIGURE_COUNT || !figure.known || !said.known)
        return false;
    return figure.milli - said.milli <= slack && said.milli - figure.milli <= slack;
}

enum fit fit_of(const struct bench *bench, const struct report *faulty, ns_t slack_ns,
                const struct report *heard)
{
    enum fit fit = FIT_WHOLE;
    for (size_t i = 0; i < figures_in(heard); i++) {
        struct said said = figure_of(heard, i);
        if (!said.known)
            continue;
        if (may_say(bench, i, figure_of(faulty, i), said) || is_close(faulty, i, slack_ns, said))
            continue;
        bool apart = i < FIGURE_FIRST_PERCENTILE || is_end(bench, i);
        if (!apart || !is_right(bench, i, said))
            return FIT_NONE;
        fit = FIT_PERCENTILES;
    }
    return fit;
}

static ns_t slack_of(const struct fault_use *uses, size_t use_count)
{
    ns_t slack_ns = 0;
    for (size_t u = 0; u < use_count; u++)
        if (uses[u].fault->slack_ns > slack_ns)
            slack_ns = uses[u].fault->slack_ns;
    return slack_ns;
}

enum fit fit_of_uses(const struct bench *bench, const struct fault_use *uses, size_t use_count,
                     const struct report *heard)
{
    struct report faulty;
    if (!report_faulty(&bench->trial->requests, &bench->asked, uses, use_count, &faulty))
        return FIT_NONE;
    enum fit fit = fit_of(bench, &faulty, slack_of(uses, use_count), heard);
    report_free(&faulty);
    return fit;
}

struct known_reports {
    size_t *first; /* of each fault, in set_faults */
    struct report *reports;
    bool *made; /* false: more samples than are worth keeping */
    size_t count;
};

struct known_reports *known_make(const struct trial *trial, const struct variant *rank)
{
    struct known_reports *known = must_alloc(1, sizeof *known);
    struct asked asked = trial->asked;
    if (rank != NULL)
        asked.rank = (struct choice){.type = rank};
    known->first = must_alloc(set_faults.count, sizeof *known->first);
    for (size_t i = 0; i < set_faults.count; i++) {
        known->first[i] = known->count;
        known->count += parameters_tried(fault(set_faults.variants[i]), trial->requests.count);
    }
    known->reports = must_alloc(known->count, sizeof *known->reports);
    known->made = must_alloc(known->count, sizeof *known->made);
    for (size_t i = 0; i < set_faults.count; i++) {
        const struct fault_type *type = fault(set_faults.variants[i]);
        for (size_t k = 0; k < parameters_tried(type, trial->requests.count); k++) {
            struct fault_use use = {type, parameter_at(type, k)};
            size_t at = known->first[i] + k;
            known->made[at] = report_faulty(&trial->requests, &asked, &use, 1, &known->reports[at]);
        }
    }
    return known;
}

void known_free(struct known_reports *known)
{
    for (size_t i = 0; i < known->count; i++)
        if (known->made[i])
            report_free(&known->reports[i]);
    free(known->first);
    free(known->reports);
    free(known->made);
    free(known);
}

enum fit fit_of_known(const struct bench *bench, const struct known_reports *known, size_t index,
                      size_t parameter, const struct report *heard)
{
    const struct fault_type *type = fault(set_faults.variants[index]);
    struct fault_use use = {type, parameter_at(type, parameter)};
    if (known == NULL)
        return fit_of_uses(bench, &use, 1, heard);
    size_t at = known->first[index] + parameter;
    return known->made[at] ? fit_of(bench, &known->reports[at], type->slack_ns, heard) : FIT_NONE;
}

size_t parameters_tried(const struct fault_type *type, size_t request_count)
{
    size_t count = type->parameter_count > 0 ? type->parameter_count : 1;
    bool many = request_count > REQUESTS_FOR_ALL;
    return many && count > PARAMETERS_OF_MANY ? PARAMETERS_OF_MANY : count;
}

uint64_t parameter_at(const struct fault_type *type, size_t index)
{
    return type->parameters != NULL ? type->parameters[index] : index;
}

static char *text_of(size_t index, uint64_t parameter)
{
    const struct fault_type *type = fault(set_faults.variants[index]);
    char *with = type->tells != NULL ? type->tells(parameter) : NULL;
    char *text = must_format("%s%s%s: %s (%s)", type->is.name, with != NULL ? ", " : "",
                             with != NULL ? with : "", type->is.says, type->item);
    free(with);
    return text;
}

char *suspect_text(const struct suspect *suspect)
{
    char *first = text_of(suspect->fault, suspect->parameter);
    if (suspect->joined) {
        char *longer = must_format("%s - so in most scenarios, in others another way of it", first);
        free(first);
        return longer;
    }
    if (suspect->second == NO_INDEX)
        return first;
    char *second = text_of(suspect->second, suspect->second_parameter);
    char *both = must_format("%s; and %s", first, second);
    free(first);
    free(second);
    return both;
}

bool reports_equal(const struct report *a, const struct report *b)
{
    for (size_t i = 0; i < figures_in(a); i++) {
        struct said x = figure_of(a, i), y = figure_of(b, i);
        if (x.known != y.known || (x.known && x.milli != y.milli))
            return false;
    }
    return true;
}
