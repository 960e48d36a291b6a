/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/baseline.h"
#include "tools/report/figures.h"
#include "tools/report/findings.h"

#define DIGITS 12
#define UNKNOWN "unknown"

/* A subject whose figures are being put down. */
struct putting {
    struct baseline *baseline;
    const char *kind, *subject;
};

static void put(const struct putting *to, const char *figure, const char *value)
{
    char *name = must_format("%s %s: %s", to->kind, to->subject, figure);
    baseline_put(to->baseline, name, value);
    free(name);
}

static void put_count(const struct putting *to, const char *figure, uint64_t count)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, count);
    put(to, figure, text);
}

/* NULL: it is not known. */
static void put_ns(const struct putting *to, const char *figure, const char *digits)
{
    char *text = digits != NULL ? must_format("%s ns", digits) : must_copy(UNKNOWN);
    put(to, figure, text);
    free(text);
}

static void put_figure(const struct putting *to, const char *name, struct figure figure)
{
    char text[FIGURE_TEXT];
    figure_write_ns(figure, DIGITS, text);
    put_ns(to, name, text[0] != '\0' ? text : NULL);
}

static const char *verdict_word(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_UNKNOWN: return "not judged";
    case VERDICT_HOLDS: return "holds";
    case VERDICT_FAILS: return "FAILS";
    }
    BUG("verdict outside its enum");
}

static void put_check(const struct putting *to, const char *figure, enum check check,
                      enum verdict holds)
{
    char *name = must_format("%s, check", figure);
    char *value = must_format("%s, %s", check_name(check), verdict_word(holds));
    put(to, name, value);
    free(name);
    free(value);
}

static void put_cell(const struct putting *to, const char *percentile, const struct cell *cell)
{
    char text[FIGURE_TEXT];
    char *name = must_format("p%s", percentile);
    if (cell->infinite) {
        put(to, name, "infinite");
    } else if (cell->value.kind == FIGURE_UNKNOWN && cell->at_least.kind != FIGURE_UNKNOWN) {
        figure_write_ns(cell->at_least, DIGITS, text);
        char *value = must_format("at least %s ns", text);
        put(to, name, value);
        free(value);
    } else {
        put_figure(to, name, cell->value);
    }
    put_check(to, name, cell->check, cell->holds);
    free(name);
}

static void put_recorder(struct baseline *baseline, const struct result *result, size_t r)
{
    const struct recorder_result *found = &result->recorders[r];
    const struct report_plan *report = &result->plan->report;
    const struct putting to = {baseline, "recorder", result->plan->recorders[r].name};
    char sum[48];
    put_count(&to, "count", found->count);
    put_count(&to, "added", found->added);
    put_count(&to, "left out", found->excluded);
    put_figure(&to, "min", found->min);
    put_figure(&to, "max", found->max);
    put_figure(&to, "mean", found->mean);
    put_ns(&to, "sum", found->sum.known ? format_i128((i128)found->sum.ns, sum) : NULL);
    put_check(&to, "count to sum", found->tally_check, found->tally_holds);
    for (size_t i = 0; i < report->percentile_count; i++)
        put_cell(&to, report->percentiles[i].text, &found->cells[i]);
    for (size_t i = 0; i < report->above_count; i++) {
        char *name = must_format("above %s", report->above[i].text);
        put_count(&to, name, found->above[i].count);
        put_check(&to, name, CHECK_EXACT, found->above[i].holds);
        free(name);
    }
}

static void put_load(struct baseline *baseline, const struct result *result, size_t i)
{
    const struct load_result *load = &result->loads[i];
    const struct putting to = {baseline, "load", result->plan->loads[i].name};
    const struct {
        const char *name;
        uint64_t count;
    } counts[] = {
        {"sent", load->sent},
        {"answered", load->answered},
        {"timed out", load->timed_out},
        {"refused", load->refused},
        {"dropped", load->dropped},
        {"attempts", load->attempts},
        {"in flight at end", load->in_flight_at_end},
        {"in flight, most", load->in_flight_max},
        {"stalls", load->stalls},
    };
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
        put_count(&to, counts[k].name, counts[k].count);
    char last[48];
    put_ns(&to, "last answer",
           load->has_answer ? format_i128((i128)load->last_answer_ns, last) : NULL);
}

static void put_gates(struct baseline *baseline, const struct result *result)
{
    for (size_t i = 0; i < result->gate_count; i++) {
        const struct gate_result *gate = &result->gates[i];
        const struct plan *plan = result->plan;
        bool of_recorder = gate->recorder != NO_INDEX;
        const struct putting to = {baseline, of_recorder ? "recorder" : "load",
                                   of_recorder              ? plan->recorders[gate->recorder].name
                                   : gate->load != NO_INDEX ? plan->loads[gate->load].name
                                                            : ""};
        char *name = must_format("gate %s", gate->name);
        put(&to, name, gate->passes ? "passes" : "fails");
        free(name);
    }
}

void baseline_add(struct baseline *baseline, const struct result *result)
{
    const struct plan *plan = result->plan;
    baseline_begin(baseline, plan->file, plan->title != NULL ? plan->title : "", plan->sha256);
    baseline_put(baseline, "whole", verdict_word(result->holds));
    for (size_t i = 0; i < plan->load_count; i++)
        put_load(baseline, result, i);
    for (size_t r = 0; r < plan->recorder_count; r++)
        put_recorder(baseline, result, r);
    for (size_t i = 0; i < result->identity_count; i++) {
        const struct putting to = {baseline, "load", plan->loads[result->identities[i].load].name};
        char *name = must_format("identity %s", result->identities[i].name);
        put(&to, name, verdict_word(result->identities[i].holds ? VERDICT_HOLDS : VERDICT_FAILS));
        free(name);
    }
    put_gates(baseline, result);
    for (size_t i = 0; i < result->expect_count; i++) {
        const struct expectation *e = result->expects[i].expectation;
        const struct putting to = {baseline, e->of_load ? "load" : "recorder",
                                   e->of_load ? plan->loads[e->subject].name
                                              : plan->recorders[e->subject].name};
        char *name = must_format("expected %s", e->figure);
        put(&to, name, verdict_word(result->expects[i].holds ? VERDICT_HOLDS : VERDICT_FAILS));
        free(name);
    }
}
