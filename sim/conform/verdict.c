/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Each figure against the truth. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "sim/conform/judge.h"

#define POWER_MOST 3 /* ns, us, ms, s */

static double in_double(i128 value)
{
    return (double)value;
}

/* Samples below a value, or at most that value. */
static uint64_t count_to(const struct population *sorted, i128 milli, bool inclusive)
{
    size_t low = 0, high = sorted->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        i128 there = (i128)sorted->items[middle].ns * 1000;
        if (there < milli || (inclusive && there == milli))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many ranks off: 0 where what is said lies between the neighbours of the right rank. */
static int64_t rank_error(const struct bench *bench, struct ratio p, i128 said)
{
    uint64_t n = bench->sorted.count;
    if (n == 0)
        return 0;
    struct rank_at at = rank_rule(bench->asked.rank)->at(p, n);
    uint64_t below = count_to(&bench->sorted, said, false);
    uint64_t up_to = count_to(&bench->sorted, said, true);
    if (at.rank > up_to)
        return -(int64_t)(at.rank - (up_to > 0 ? up_to : 1)) - (up_to == 0);
    return at.rank <= below ? (int64_t)(below + 1 - at.rank) : 0;
}

/* Names of the rules whose sample it would be. */
static char *right_ranks(const struct bench *bench, size_t index, struct ratio p, struct said said)
{
    char *names = must_copy("");
    for (size_t i = 0; i < set_ranks.count && bench->sorted.count > 0; i++) {
        struct choice rule = {.type = set_ranks.variants[i]};
        uint64_t n = bench->sorted.count;
        struct rank_at at = rank_rule(rule)->at(p, n);
        ns_t lower_ns = bench->sorted.items[at.rank - 1].ns;
        ns_t upper_ns = at.num != 0 ? bench->sorted.items[at.rank].ns : lower_ns;
        struct quantity q = rank_interpolate(at, lower_ns, upper_ns);
        struct said truth = {true, (i128)q.ns * 1000 + q.thousandths};
        if (!may_say(bench, index, truth, said))
            continue;
        char *longer = must_format("%s%s%s", names, names[0] != '\0' ? " " : "", rule.type->name);
        free(names);
        names = longer;
    }
    return names;
}

static char *figure_name(const struct bench *bench, size_t index)
{
    static const char *const names[] = {"count", "min", "max", "mean", "sum"};
    if (index < FIGURE_FIRST_PERCENTILE)
        return must_copy(names[index]);
    return must_format("p%s", bench->asked.percentiles[index - FIGURE_FIRST_PERCENTILE].text);
}

static void judge(const struct bench *bench, size_t index, struct said said,
                  struct figure_verdict *out)
{
    struct said truth = figure_of(&bench->truth, index);
    *out = (struct figure_verdict){
        .name = figure_name(bench, index), .truth = truth, .said = said, .error_percent = NAN};
    bool right = is_right(bench, index, said);
    out->judged = !said.known && truth.known && !(right && index >= FIGURE_FIRST_PERCENTILE)
                      ? JUDGED_SILENT
                  : right ? JUDGED_RIGHT
                          : JUDGED_WRONG;
    if (said.known && truth.known && truth.milli != 0)
        out->error_percent =
            100.0 * in_double(said.milli - truth.milli) / fabs(in_double(truth.milli));
    if (index < FIGURE_FIRST_PERCENTILE || !said.known) {
        out->ranks = must_copy("");
        return;
    }
    struct ratio p = bench->asked.percentiles[index - FIGURE_FIRST_PERCENTILE].p;
    out->rank_error = right ? 0 : rank_error(bench, p, said.milli);
    out->ranks = right_ranks(bench, index, p, said);
}

/* Whether all times are 1000^power of what they should be. */
static bool is_unit(const struct bench *bench, const struct report *report, int power)
{
    bool any = false;
    for (size_t i = FIGURE_MIN; i < figures_in(report); i++) {
        struct said said = figure_of(report, i), truth = figure_of(&bench->truth, i);
        i128 scale = 1;
        if (!said.known || !truth.known)
            continue;
        for (int k = 0; k < (power < 0 ? -power : power); k++)
            scale *= 1000;
        struct said scaled = said;
        scaled.milli = power < 0 ? said.milli * scale : said.milli / scale;
        /* A thousandth of what was said is as close as it can be told. */
        i128 off =
            scaled.milli > truth.milli ? scaled.milli - truth.milli : truth.milli - scaled.milli;
        if (!may_say(bench, i, truth, scaled) && !(power < 0 && off <= scale))
            return false;
        any |= truth.milli != 0;
    }
    return any;
}

static int unit_power(const struct bench *bench, const struct report *report)
{
    for (int power = 1; power <= POWER_MOST; power++) {
        if (is_unit(bench, report, power))
            return power;
        if (is_unit(bench, report, -power))
            return -power;
    }
    return 0;
}

/* A recorder that was asked for percentiles and says none has not answered. */
static bool says_enough(const struct conformance *verdict)
{
    bool asked = false, answered = false;
    for (size_t i = FIGURE_FIRST_PERCENTILE; i < verdict->figure_count; i++) {
        asked |= verdict->figures[i].truth.known;
        answered |= verdict->figures[i].judged == JUDGED_RIGHT;
    }
    return answered || !asked;
}

void verdict_make(const struct trial *trial, const struct report *report,
                  const struct declared *declared, struct conformance *out)
{
    struct bench bench;
    judge_open(&bench, trial, declared);
    BUG_IF(report->percentile_count != bench.truth.percentile_count);
    *out = (struct conformance){.conforms = true, .figure_count = figures_in(report)};
    out->figures = must_alloc(out->figure_count, sizeof *out->figures);
    for (size_t i = 0; i < out->figure_count; i++) {
        judge(&bench, i, figure_of(report, i), &out->figures[i]);
        out->conforms &= out->figures[i].judged != JUDGED_WRONG;
    }
    if (!out->conforms)
        out->unit_power = unit_power(&bench, report);
    out->conforms &= says_enough(out);
    judge_close(&bench);
    struct evidence evidence = {trial, report, declared, NULL};
    struct suspects suspects;
    suite_suspects(&evidence, 1, &suspects);
    out->suspects = suspects.items;
    out->suspect_count = out->fault_count = suspects.count;
    out->faults = must_alloc(suspects.count, sizeof *out->faults);
    for (size_t i = 0; i < suspects.count; i++)
        out->faults[i] = suspects.items[i].fault;
}

void verdict_free(struct conformance *verdict)
{
    for (size_t i = 0; i < verdict->figure_count; i++) {
        free((char *)(uintptr_t)verdict->figures[i].name);
        free(verdict->figures[i].ranks);
    }
    free(verdict->figures);
    free(verdict->faults);
    suspects_free(&(struct suspects){verdict->suspects, verdict->suspect_count});
    *verdict = (struct conformance){0};
}
