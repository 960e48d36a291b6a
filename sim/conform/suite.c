/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Faults that explain all that was said, in one trial or in several. */

#include <stdlib.h>

#include "models/registry.h"
#include "sim/conform/judge.h"

#define PAIRS_MOST 5              /* that are told of */
#define PAIR_PARAMETERS 2         /* of each of the two that are tried */
#define PAIR_GROWTH_MOST 8        /* times as many samples as there should be */
#define PAIR_SAMPLES_MOST 1500000 /* that all pairs may cost in the trial that is tried first */

struct heard {
    struct bench bench;
    const struct report *report;
    const struct known_reports *known;
    bool right;
};

/* Everything that was heard, what is wrong first. */
struct inquiry {
    struct heard *heard;
    size_t count, wrong;
};

static void inquiry_open(struct inquiry *q, const struct evidence *evidence, size_t count)
{
    *q = (struct inquiry){.heard = must_alloc(count, sizeof *q->heard), .count = count};
    for (size_t i = 0; i < count; i++) {
        struct heard *heard = &q->heard[i];
        judge_open(&heard->bench, evidence[i].trial, evidence[i].declared);
        heard->report = evidence[i].report;
        heard->known = evidence[i].known;
        heard->right = heard_is_right(&heard->bench, heard->report);
        if (heard->right)
            continue;
        struct heard first = q->heard[q->wrong];
        q->heard[q->wrong++] = *heard;
        if (heard != &q->heard[q->wrong - 1])
            *heard = first;
    }
}

static void inquiry_close(struct inquiry *q)
{
    for (size_t i = 0; i < q->count; i++)
        judge_close(&q->heard[i].bench);
    free(q->heard);
}

static enum fit lesser(enum fit a, enum fit b)
{
    return a < b ? a : b;
}

/* Of a fault in all trials; those that were right must be so with the fault, too. */
static enum fit fit_everywhere(const struct inquiry *q, size_t index, size_t parameter)
{
    enum fit fit = FIT_WHOLE;
    for (size_t i = 0; i < q->count && fit != FIT_NONE; i++) {
        const struct heard *heard = &q->heard[i];
        fit =
            lesser(fit, fit_of_known(&heard->bench, heard->known, index, parameter, heard->report));
    }
    return fit;
}

static enum fit fit_of_all(const struct inquiry *q, const struct fault_use *uses, size_t use_count)
{
    enum fit fit = FIT_WHOLE;
    for (size_t i = 0; i < q->count && fit != FIT_NONE; i++)
        fit = lesser(fit, fit_of_uses(&q->heard[i].bench, uses, use_count, q->heard[i].report));
    return fit;
}

/* The best of the guesses that one answer suggests, in that trial or in all. */
static enum fit best_guess(const struct inquiry *q, const struct fault_type *type,
                           const struct heard *from, bool everywhere, uint64_t *parameter)
{
    uint64_t guesses[GUESSES_MOST];
    enum fit best = FIT_NONE;
    size_t count = type->guesses(&from->bench.trial->requests, &from->bench.asked,
                                 &from->bench.truth, from->report, guesses);
    for (size_t g = 0; g < count; g++) {
        struct fault_use use = {type, guesses[g]};
        enum fit fit =
            everywhere ? fit_of_all(q, &use, 1) : fit_of_uses(&from->bench, &use, 1, from->report);
        if (fit <= best)
            continue;
        best = fit;
        *parameter = guesses[g];
    }
    return best;
}

/* One parameter for all trials, which any of the answers may suggest. */
static enum fit fit_by_guess(const struct inquiry *q, const struct fault_type *type,
                             uint64_t *parameter)
{
    enum fit best = FIT_NONE;
    for (size_t i = 0; i < q->wrong && best != FIT_WHOLE; i++) {
        uint64_t guessed = 0;
        enum fit fit = best_guess(q, type, &q->heard[i], true, &guessed);
        if (fit <= best)
            continue;
        best = fit;
        *parameter = guessed;
    }
    return best;
}

/* Another parameter in each trial. */
static enum fit fit_varying(const struct inquiry *q, const struct fault_type *type,
                            uint64_t *parameter)
{
    enum fit fit = FIT_WHOLE;
    for (size_t i = 0; i < q->wrong && fit != FIT_NONE; i++)
        fit = lesser(fit, best_guess(q, type, &q->heard[i], false, parameter));
    return fit;
}

/* The best of all its parameters in one trial, by the table or by guess. */
static enum fit fit_in_one(const struct inquiry *q, const struct heard *heard, size_t index,
                           uint64_t *parameter)
{
    const struct fault_type *type = fault(set_faults.variants[index]);
    enum fit best = FIT_NONE;
    size_t tried = parameters_tried(type, heard->bench.trial->requests.count);
    for (size_t k = 0; k < tried && best != FIT_WHOLE; k++) {
        enum fit fit = fit_of_known(&heard->bench, heard->known, index, k, heard->report);
        if (fit <= best)
            continue;
        best = fit;
        *parameter = parameter_at(type, k);
    }
    uint64_t guessed = 0;
    enum fit by_guess = type->guesses != NULL && best != FIT_WHOLE
                            ? best_guess(q, type, heard, false, &guessed)
                            : FIT_NONE;
    if (by_guess <= best)
        return best;
    *parameter = guessed;
    return by_guess;
}

static uint64_t commonest(const uint64_t *values, size_t count)
{
    size_t best = 0, most = 0;
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        for (size_t k = 0; k < count; k++)
            same += values[k] == values[i];
        if (same > most) {
            most = same;
            best = i;
        }
    }
    return values[best];
}

/* Variants of one fault are one suspect; what was right must be so with one of them, too. */
static enum fit fit_joined(const struct inquiry *q, size_t index, uint64_t *parameter)
{
    if (q->wrong < 2)
        return FIT_NONE;
    enum fit fit = FIT_WHOLE;
    uint64_t *chosen = must_alloc(q->count, sizeof *chosen);
    for (size_t i = 0; i < q->count && fit != FIT_NONE; i++)
        fit = lesser(fit, fit_in_one(q, &q->heard[i], index, &chosen[i]));
    *parameter = commonest(chosen, q->wrong);
    free(chosen);
    return fit;
}

static void add(struct suspects *out, struct suspect suspect)
{
    suspect.text = suspect_text(&suspect);
    out->items = must_grow(out->items, out->count + 1, sizeof *out->items);
    out->items[out->count++] = suspect;
}

static size_t most_requests(const struct inquiry *q)
{
    size_t most = 0;
    for (size_t i = 0; i < q->count; i++)
        if (q->heard[i].bench.trial->requests.count > most)
            most = q->heard[i].bench.trial->requests.count;
    return most;
}

/* The best that this fault can do to explain it. */
static void try_fault(const struct inquiry *q, size_t index, struct suspects *out)
{
    const struct fault_type *type = fault(set_faults.variants[index]);
    struct suspect suspect = {.fault = index, .second = NO_INDEX};
    enum fit best = FIT_NONE;
    size_t tried = parameters_tried(type, most_requests(q));
    for (size_t k = 0; k < tried && best != FIT_WHOLE; k++) {
        enum fit fit = fit_everywhere(q, index, k);
        if (fit <= best)
            continue;
        best = fit;
        suspect.parameter = parameter_at(type, k);
    }
    uint64_t guessed = 0;
    enum fit by_guess =
        type->guesses != NULL && best != FIT_WHOLE ? fit_by_guess(q, type, &guessed) : FIT_NONE;
    if (by_guess > best) {
        best = by_guess;
        suspect.parameter = guessed;
    }
    suspect.whole = best == FIT_WHOLE;
    if (best != FIT_NONE)
        add(out, suspect);
}

/* Faults that may be wrong by another number in every run explain much, so they come last. */
static void try_varying(const struct inquiry *q, struct suspects *out)
{
    for (size_t i = 0; i < set_faults.count; i++) {
        const struct fault_type *type = fault(set_faults.variants[i]);
        struct suspect suspect = {.fault = i, .second = NO_INDEX};
        enum fit fit = type->varies ? fit_varying(q, type, &suspect.parameter) : FIT_NONE;
        if (fit == FIT_NONE) {
            fit = fit_joined(q, i, &suspect.parameter);
            suspect.joined = true;
        }
        suspect.whole = fit == FIT_WHOLE;
        if (fit != FIT_NONE)
            add(out, suspect);
    }
}

/* A fault to pair, and how many samples it alone would count in the trial that is tried first. */
struct half {
    struct fault_use use;
    size_t index;
    uint64_t count;
};

/* The trial with the fewest requests of those that were wrong: thousands of pairs are tried there.
 */
static const struct heard *smallest(const struct inquiry *q)
{
    const struct heard *best = &q->heard[0];
    for (size_t i = 1; i < q->wrong; i++)
        if (q->heard[i].bench.truth.count < best->bench.truth.count)
            best = &q->heard[i];
    return best;
}

/* Faults worth pairing: those that change something, where that can be seen in one trial. */
static size_t list_halves(const struct heard *heard, bool alone, struct half *halves)
{
    size_t count = 0;
    const struct bench *bench = &heard->bench;
    for (size_t i = 0; i < set_faults.count; i++) {
        const struct fault_type *type = fault(set_faults.variants[i]);
        size_t tried = parameters_tried(type, 0);
        for (size_t k = 0; k < tried && k < PAIR_PARAMETERS; k++) {
            struct fault_use use = {type, parameter_at(type, k)};
            struct report faulty;
            if (!report_faulty(&bench->trial->requests, &bench->asked, &use, 1, &faulty))
                continue;
            bool few = faulty.count <= PAIR_GROWTH_MOST * (bench->truth.count + 1);
            if (few && !(alone && reports_equal(&faulty, &bench->truth)))
                halves[count++] = (struct half){use, i, faulty.count};
            report_free(&faulty);
        }
    }
    return count;
}

/* Two faults of which one at most changes how many samples there are change it as that one does. */
static bool may_count(const struct heard *heard, const struct half *a, const struct half *b)
{
    uint64_t truth = heard->bench.truth.count, said = heard->report->count;
    if (a->index == b->index)
        return false;
    if (!heard->report->has_count)
        return true;
    if (said == truth)
        return a->count == truth && b->count == truth;
    if (a->count != truth && b->count != truth)
        return true;
    return a->count == said || b->count == said;
}

static void try_pair(const struct inquiry *q, const struct half *a, const struct half *b,
                     struct suspects *out)
{
    const struct heard *first = smallest(q);
    struct fault_use uses[2] = {a->use, b->use};
    if (fit_of_uses(&first->bench, uses, 2, first->report) == FIT_NONE)
        return;
    enum fit fit = fit_of_all(q, uses, 2);
    if (fit == FIT_NONE)
        return;
    add(out, (struct suspect){.fault = a->index,
                              .second = b->index,
                              .parameter = a->use.parameter,
                              .second_parameter = b->use.parameter,
                              .whole = fit == FIT_WHOLE});
}

static void try_pairs(const struct inquiry *q, struct suspects *out)
{
    const struct heard *first = smallest(q);
    struct half *halves = must_alloc(set_faults.count * PAIR_PARAMETERS, sizeof *halves);
    size_t count = list_halves(first, q->count == 1, halves), cost = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++) {
            if (out->count == PAIRS_MOST || cost > PAIR_SAMPLES_MOST)
                break;
            if (!may_count(first, &halves[i], &halves[k]))
                continue;
            try_pair(q, &halves[i], &halves[k], out);
            cost += first->bench.truth.count;
        }
    free(halves);
}

/* The more it explains and the less it can be bent to, the likelier. */
static unsigned unlikelihood(const struct suspect *suspect)
{
    const struct fault_type *type = fault(set_faults.variants[suspect->fault]);
    unsigned bends = type->guesses != NULL        ? 3
                     : type->parameter_count > 20 ? 2
                     : type->parameter_count > 1  ? 1
                                                  : 0;
    return bends + (suspect->whole ? 0 : 4);
}

static int by_likelihood(const void *left, const void *right)
{
    const struct suspect *a = left, *b = right;
    unsigned x = unlikelihood(a), y = unlikelihood(b);
    if (x != y)
        return x < y ? -1 : 1;
    return (a->fault > b->fault) - (a->fault < b->fault);
}

void suite_suspects(const struct evidence *evidence, size_t count, struct suspects *out)
{
    struct inquiry q;
    *out = (struct suspects){0};
    inquiry_open(&q, evidence, count);
    for (size_t i = 0; i < set_faults.count && q.wrong > 0; i++)
        try_fault(&q, i, out);
    if (out->count == 0 && q.wrong > 0)
        try_varying(&q, out);
    if (q.wrong > 0 && out->count == 0)
        try_pairs(&q, out);
    if (out->count > 1)
        qsort(out->items, out->count, sizeof *out->items, by_likelihood);
    inquiry_close(&q);
}

void suspects_free(struct suspects *suspects)
{
    for (size_t i = 0; i < suspects->count; i++)
        free(suspects->items[i].text);
    free(suspects->items);
    *suspects = (struct suspects){0};
}
