/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/report/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/figures.h"
#include "tools/report/utf8.h"

const char *check_name(enum check check)
{
    switch (check) {
    case CHECK_NONE: return "none";
    case CHECK_EXACT: return "exact";
    case CHECK_STATISTICAL: return "statistical";
    case CHECK_TOO_FEW: return "too-few";
    }
    BUG("check outside its enum");
}

static char *clean_and_free(char *text)
{
    char *clean = utf8_clean(text);
    free(text);
    return clean;
}

/* Takes ownership of subject, figure and text. */
static struct finding *add(struct findings *out, enum finding_kind kind, enum verdict holds,
                           char *subject, char *figure, char *text)
{
    if (out->count == out->capacity) {
        out->capacity = out->capacity ? 2 * out->capacity : 64;
        out->items = must_grow(out->items, out->capacity, sizeof *out->items);
    }
    struct finding *f = &out->items[out->count++];
    *f = (struct finding){.kind = kind,
                          .holds = holds,
                          .subject = clean_and_free(subject),
                          .figure = clean_and_free(figure),
                          .text = clean_and_free(text)};
    return f;
}

static char *recorder_subject(const struct result *r, size_t recorder)
{
    return must_format("recorder \"%s\"", r->plan->recorders[recorder].name);
}

static char *load_subject(const struct result *r, size_t load)
{
    return must_format("load \"%s\"", r->plan->loads[load].name);
}

static char *cell_text(const struct cell *cell)
{
    if (cell->check == CHECK_NONE || cell->check == CHECK_TOO_FEW)
        return must_copy(cell->why ? cell->why : "no reason given");
    char value[FIGURE_TEXT], law[FIGURE_TEXT];
    figure_write_words(cell->value, value);
    figure_write_words(cell->law, law);
    if (cell->infinite)
        snprintf(value, sizeof value, "infinite");
    if (cell->why)
        return must_format("%s, its law says %s: %s", value, law, cell->why);
    return must_format("%s, its law says %s", value, law);
}

static void collect_recorder(const struct result *r, size_t index, struct findings *out)
{
    const struct recorder_result *rec = &r->recorders[index];
    const struct report_plan *report = &r->plan->report;
    for (size_t i = 0; i < report->percentile_count; i++) {
        const struct cell *cell = &rec->cells[i];
        struct finding *f = add(out, FINDING_PERCENTILE, cell->holds, recorder_subject(r, index),
                                must_format("p%s", report->percentiles[i].text), cell_text(cell));
        f->check = cell->check;
        f->unbounded = report->percentiles[i].p.num == report->percentiles[i].p.den &&
                       r->loads[r->plan->recorders[index].load].random;
    }
    struct finding *tally = add(out, FINDING_TALLY, rec->tally_holds, recorder_subject(r, index),
                                must_copy("count, sum, min, max, mean"),
                                must_copy(rec->tally_why ? rec->tally_why : ""));
    tally->check = rec->tally_check;
    for (size_t i = 0; i < report->above_count; i++) {
        const struct above_result *above = &rec->above[i];
        char *text =
            above->law_count.kind == FIGURE_EXACT
                ? must_format("%llu sample%s, its law says %llu", (unsigned long long)above->count,
                              above->count == 1 ? "" : "s",
                              (unsigned long long)above->law_count.exact.ns)
                : must_format("%llu sample%s", (unsigned long long)above->count,
                              above->count == 1 ? "" : "s");
        add(out, FINDING_ABOVE, above->holds, recorder_subject(r, index),
            must_format("above %s", report->above[i].text), text);
    }
}

static char *gate_subject(const struct result *r, const struct gate_result *gate)
{
    if (gate->recorder != NO_INDEX)
        return recorder_subject(r, gate->recorder);
    if (gate->load != NO_INDEX)
        return load_subject(r, gate->load);
    return must_copy("run");
}

void findings_collect(const struct result *r, struct findings *out)
{
    *out = (struct findings){0};
    for (size_t i = 0; i < r->plan->recorder_count; i++)
        collect_recorder(r, i, out);
    for (size_t i = 0; i < r->identity_count; i++) {
        const struct identity_result *identity = &r->identities[i];
        add(out, FINDING_IDENTITY, identity->holds ? VERDICT_HOLDS : VERDICT_FAILS,
            identity->load == NO_INDEX ? must_copy("run") : load_subject(r, identity->load),
            must_copy(identity->name), must_copy(identity->why ? identity->why : ""));
    }
    for (size_t i = 0; i < r->expect_count; i++) {
        const struct expectation *wanted = r->expects[i].expectation;
        add(out, FINDING_EXPECT, r->expects[i].holds ? VERDICT_HOLDS : VERDICT_FAILS,
            wanted->of_load ? load_subject(r, wanted->subject)
                            : recorder_subject(r, wanted->subject),
            must_copy(wanted->figure),
            must_format("%s, the scenario expects %s", r->expects[i].found, wanted->text));
    }
    for (size_t i = 0; i < r->gate_count; i++) {
        const struct gate_result *gate = &r->gates[i];
        add(out, FINDING_GATE, gate->passes ? VERDICT_HOLDS : VERDICT_FAILS, gate_subject(r, gate),
            must_copy(gate->name), must_copy(gate->reason ? gate->reason : ""));
    }
}

void findings_free(struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        free(findings->items[i].subject);
        free(findings->items[i].figure);
        free(findings->items[i].text);
    }
    free(findings->items);
    *findings = (struct findings){0};
}

static void count_percentile(const struct finding *f, struct finding_counts *counts)
{
    switch (f->check) {
    case CHECK_NONE: counts->no_law++; return;
    case CHECK_EXACT: counts->exact++; return;
    case CHECK_STATISTICAL: counts->statistical++; return;
    case CHECK_TOO_FEW: counts->too_few++; return;
    }
}

struct finding_counts findings_count(const struct findings *findings)
{
    struct finding_counts counts = {0};
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *f = &findings->items[i];
        if (f->kind == FINDING_GATE) {
            counts.failed_gates += f->holds == VERDICT_FAILS;
            continue;
        }
        if (f->kind == FINDING_PERCENTILE)
            count_percentile(f, &counts);
        counts.judged += f->holds != VERDICT_UNKNOWN;
        counts.failed += f->holds == VERDICT_FAILS;
    }
    return counts;
}

int finding_new(const struct findings *f, size_t index)
{
    const struct finding *gate = &f->items[index];
    const char *rule = strchr(gate->text, ';');
    for (size_t k = 0; k < index && rule; k++) {
        const struct finding *other = &f->items[k];
        const char *told = other->kind == FINDING_GATE && other->holds == VERDICT_FAILS
                               ? strchr(other->text, ';')
                               : NULL;
        if (told && strcmp(other->figure, gate->figure) == 0 && strcmp(told, rule) == 0)
            return (int)(rule - gate->text);
    }
    return (int)strlen(gate->text);
}
