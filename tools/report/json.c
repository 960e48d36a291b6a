/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "tools/report/figures.h"
#include "tools/report/findings.h"
#include "tools/report/report.h"
#include "tools/report/table.h"
#include "tools/report/utf8.h"

#define DIGITS 12    /* of decimals */
#define DIGITS_LAW 9 /* of what special functions give beyond a value: p-values, errors */
#define EXACT_MOST (UINT64_C(1) << 53) /* what a reader that uses doubles still takes exactly */

/* Writes one line of JSON; comma says whether the next member follows another. */
struct json {
    FILE *out;
    bool comma;
};

void json_write_string(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text) {
        uint32_t point;
        size_t length = utf8_next(text, &point);
        if (point == UTF8_INVALID)
            fputs("\xef\xbf\xbd", out);
        else if (point == '"' || point == '\\')
            fprintf(out, "\\%c", (int)point);
        else if (utf8_is_hidden(point))
            fprintf(out, "\\u%04x", (unsigned)point);
        else
            fwrite(text, 1, length, out);
        text += length;
    }
    fputc('"', out);
}

static void next(struct json *j, const char *key)
{
    if (j->comma)
        fputs(", ", j->out);
    j->comma = true;
    if (!key)
        return;
    json_write_string(j->out, key);
    fputs(": ", j->out);
}

static void begin(struct json *j, const char *key, char bracket)
{
    next(j, key);
    fputc(bracket, j->out);
    j->comma = false;
}

static void end(struct json *j, char bracket)
{
    fputc(bracket, j->out);
    j->comma = true;
}

static void text(struct json *j, const char *key, const char *value)
{
    next(j, key);
    if (value)
        json_write_string(j->out, value);
    else
        fputs("null", j->out);
}

static void truth_value(struct json *j, const char *key, bool value)
{
    next(j, key);
    fputs(value ? "true" : "false", j->out);
}

static void verdict(struct json *j, const char *key, enum verdict holds)
{
    next(j, key);
    switch (holds) {
    case VERDICT_UNKNOWN: fputs("null", j->out); return;
    case VERDICT_HOLDS: fputs("true", j->out); return;
    case VERDICT_FAILS: fputs("false", j->out); return;
    }
}

static void wide(struct json *j, const char *key, bool known, u128 value)
{
    char digits[48];
    next(j, key);
    if (!known)
        fputs("null", j->out);
    else
        fprintf(j->out, value > EXACT_MOST ? "\"%s\"" : "%s", format_i128((i128)value, digits));
}

static void count(struct json *j, const char *key, bool known, uint64_t value)
{
    wide(j, key, known, value);
}

static void real(struct json *j, const char *key, double value, int digits)
{
    char number[FIGURE_TEXT];
    next(j, key);
    real_write(value, digits, number);
    if (!isfinite(value))
        fputs("null", j->out);
    else
        fprintf(j->out, fabs(value) > (double)EXACT_MOST ? "\"%s\"" : "%s", number);
}

static void figure(struct json *j, const char *key, struct figure f)
{
    switch (f.kind) {
    case FIGURE_UNKNOWN: text(j, key, NULL); return;
    case FIGURE_EXACT:
        if (f.exact.thousandths == 0)
            count(j, key, true, f.exact.ns);
        else
            real(j, key, (double)f.exact.ns + f.exact.thousandths / 1000.0, DIGITS);
        return;
    case FIGURE_REAL: real(j, key, f.real, DIGITS); return;
    }
}

/* What it cost beside its answers. */
static void write_efforts(struct json *j, const struct load_result *l, bool ran)
{
    real(j, "answered_per_s", ran ? l->answered_per_s : NAN, DIGITS);
    real(j, "goodput_per_s", ran ? l->goodput_per_s : NAN, DIGITS);
    real(j, "amplification", ran ? l->amplification : NAN, DIGITS);
    count(j, "withheld", ran, l->withheld);
    count(j, "cancelled", ran, l->cancelled);
    count(j, "wasted", ran, l->wasted);
    count(j, "throttled", ran, l->throttled);
    count(j, "periods", ran, l->periods);
    count(j, "send_lag_p99_ns", ran, l->lag_p99_ns);
    begin(j, "utilisation", '{');
    for (size_t s = 0; s < STAGE_COUNT; s++)
        real(j, stage_name((enum stage)s), ran ? l->utilisation[s] : NAN, DIGITS);
    end(j, '}');
}

static void write_load(struct json *j, const struct result *r, size_t index)
{
    const struct load_result *l = &r->loads[index];
    bool ran = !r->law_only;
    begin(j, r->plan->loads[index].name, '{');
    real(j, "offered_per_s", ran ? l->offered_per_s : NAN, DIGITS);
    real(j, "achieved_per_s", ran ? l->achieved_per_s : NAN, DIGITS);
    count(j, "sent", ran, l->sent);
    count(j, "attempts", ran, l->attempts);
    count(j, "answered", ran, l->answered);
    count(j, "failed", ran, l->timed_out + l->refused);
    count(j, "timed_out", ran, l->timed_out);
    count(j, "refused", ran, l->refused);
    count(j, "dropped", ran, l->dropped);
    count(j, "in_flight_at_end", ran, l->in_flight_at_end);
    count(j, "in_flight_max", ran, l->in_flight_max);
    real(j, "in_flight_mean", ran ? l->in_flight_mean : NAN, DIGITS);
    count(j, "settle_ns", ran, l->settle_ns);
    count(j, "stalls", ran, l->stalls);
    count(j, "last_answer_ns", ran && l->has_answer, l->last_answer_ns);
    write_efforts(j, l, ran);
    text(j, "says", l->text);
    end(j, '}');
}

static void write_cell(struct json *j, const char *key, const struct cell *cell)
{
    begin(j, key, '{');
    figure(j, "value_ns", cell->infinite ? (struct figure){0} : cell->value);
    figure(j, "at_least_ns", cell->at_least);
    truth_value(j, "infinite", cell->infinite);
    figure(j, "law_ns", cell->law);
    text(j, "check", check_name(cell->check));
    verdict(j, "holds", cell->holds);
    text(j, "why", cell->why);
    real(j, "detectable", cell->detectable, DIGITS_LAW);
    real(j, "clusters", cell->clusters, DIGITS_LAW);
    real(j, "p_value", cell->p_value, DIGITS_LAW);
    figure(j, "low_ns", cell->low);
    figure(j, "high_ns", cell->high);
    text(j, "interval_why", cell->interval_why);
    real(j, "wander", cell->wander, DIGITS_LAW);
    figure(j, "truth_ns", cell->truth);
    real(j, "ratio", cell->ratio, DIGITS);
    end(j, '}');
}

static void write_distribution(struct json *j, const struct result *r, size_t index)
{
    const struct recorder_result *rec = &r->recorders[index];
    const struct report_plan *report = &r->plan->report;
    begin(j, "percentiles", '{');
    for (size_t i = 0; i < report->percentile_count; i++)
        write_cell(j, report->percentiles[i].text, &rec->cells[i]);
    end(j, '}');
    begin(j, "above", '{');
    for (size_t i = 0; i < report->above_count; i++) {
        const struct above_result *above = &rec->above[i];
        begin(j, report->above[i].text, '{');
        count(j, "count", !r->law_only, above->count);
        real(j, "share", r->law_only ? NAN : above->share, DIGITS);
        figure(j, "law_count", above->law_count);
        verdict(j, "holds", above->holds);
        end(j, '}');
    }
    end(j, '}');
}

static const char *merge_name(const struct recorder_plan *plan)
{
    if (plan->per == PER_RUN)
        return NULL;
    switch (plan->merge) {
    case MERGE_COUNTS: return "counts";
    case MERGE_AVERAGE: return "average";
    }
    BUG("a merge outside its enum");
}

static void write_groups(struct json *j, const struct result *r, size_t index)
{
    const struct recorder_result *rec = &r->recorders[index];
    const struct report_plan *report = &r->plan->report;
    text(j, "per", rec->group_text);
    text(j, "merge", merge_name(&r->plan->recorders[index]));
    begin(j, "groups", '[');
    for (size_t g = 0; g < rec->group_count; g++) {
        const struct group_result *group = &rec->groups[g];
        begin(j, NULL, '{');
        text(j, "group", group->label);
        count(j, "index", true, group->index);
        count(j, "count", true, group->count);
        begin(j, "percentiles", '{');
        for (size_t i = 0; i < report->percentile_count; i++) {
            begin(j, report->percentiles[i].text, '{');
            figure(j, "value_ns", group->cells[i].value);
            figure(j, "at_least_ns", group->cells[i].at_least);
            truth_value(j, "infinite", group->cells[i].infinite);
            end(j, '}');
        }
        end(j, '}');
        end(j, '}');
    }
    end(j, ']');
}

static void write_recorder(struct json *j, const struct result *r, size_t index)
{
    const struct recorder_plan *plan = &r->plan->recorders[index];
    const struct recorder_result *rec = &r->recorders[index];
    bool ran = !r->law_only;
    begin(j, plan->name, '{');
    text(j, "load", r->plan->loads[plan->load].name);
    bool part = plan->part != PART_NONE;
    text(j, "from", part ? NULL : instant_name(plan->from));
    text(j, "to", part ? NULL : instant_name(plan->to));
    text(j, "part", part_name(plan->part));
    text(j, "correction", rec->correction_text);
    text(j, "store", rec->store_text);
    text(j, "rank", rec->rank_text);
    count(j, "count", ran, rec->count);
    count(j, "added", ran, rec->added);
    count(j, "excluded", ran, rec->excluded);
    count(j, "from_below", ran, rec->from_below);
    figure(j, "min_ns", rec->min);
    figure(j, "max_ns", rec->max);
    figure(j, "mean_ns", rec->mean);
    wide(j, "sum_ns", ran && rec->sum.known, rec->sum.ns);
    write_distribution(j, r, index);
    text(j, "law", rec->law_name);
    text(j, "law_why", rec->law_why);
    text(j, "law_note", rec->law_note);
    text(j, "truth_law", rec->truth_name);
    begin(j, "tally", '{');
    text(j, "check", check_name(rec->tally_check));
    verdict(j, "holds", rec->tally_holds);
    text(j, "why", rec->tally_why);
    figure(j, "law_mean_ns", rec->law_mean);
    figure(j, "law_max_ns", rec->law_max);
    end(j, '}');
    begin(j, "warnings", '[');
    for (size_t i = 0; i < rec->warning_count; i++)
        text(j, NULL, rec->warnings[i]);
    end(j, ']');
    write_groups(j, r, index);
    end(j, '}');
}

static const char *load_name(const struct result *r, size_t load)
{
    return load == NO_INDEX ? NULL : r->plan->loads[load].name;
}

static void write_judgements(struct json *j, const struct result *r)
{
    begin(j, "identities", '[');
    for (size_t i = 0; i < r->identity_count; i++) {
        begin(j, NULL, '{');
        text(j, "name", r->identities[i].name);
        text(j, "load", load_name(r, r->identities[i].load));
        truth_value(j, "holds", r->identities[i].holds);
        text(j, "why", r->identities[i].why);
        end(j, '}');
    }
    end(j, ']');
    begin(j, "gates", '[');
    for (size_t i = 0; i < r->gate_count; i++) {
        const struct gate_result *gate = &r->gates[i];
        begin(j, NULL, '{');
        text(j, "name", gate->name);
        text(j, "load", load_name(r, gate->load));
        text(j, "recorder",
             gate->recorder == NO_INDEX ? NULL : r->plan->recorders[gate->recorder].name);
        truth_value(j, "passes", gate->passes);
        text(j, "reason", gate->reason);
        end(j, '}');
    }
    end(j, ']');
    begin(j, "expect", '[');
    for (size_t i = 0; i < r->expect_count; i++) {
        const struct expectation *e = r->expects[i].expectation;
        begin(j, NULL, '{');
        text(j, "load", e->of_load ? r->plan->loads[e->subject].name : NULL);
        text(j, "recorder", e->of_load ? NULL : r->plan->recorders[e->subject].name);
        text(j, "figure", e->figure);
        text(j, "expected", e->text);
        text(j, "found", r->expects[i].found);
        truth_value(j, "holds", r->expects[i].holds);
        end(j, '}');
    }
    end(j, ']');
}

/* What the run's length was chosen for, and how. */
static void write_detect(struct json *j, const struct result *r)
{
    const struct run_plan *run = &r->plan->run;
    if (run->detect_p.num == 0) {
        text(j, "detect", NULL);
        return;
    }
    begin(j, "detect", '{');
    real(j, "percentile", 100.0 * ratio_double(run->detect_p), DIGITS);
    real(j, "within", ratio_double(run->detect_within), DIGITS);
    text(j, "says", r->sizing);
    end(j, '}');
}

void report_json(FILE *out, const struct result *r, const struct report_style *style)
{
    (void)style;
    struct json j = {.out = out};
    begin(&j, NULL, '{');
    text(&j, "duetime", DUETIME_VERSION);
    begin(&j, "scenario", '{');
    text(&j, "file", r->plan->file);
    text(&j, "title", r->plan->title);
    text(&j, "sha256", r->plan->sha256);
    end(&j, '}');
    count(&j, "seed", true, r->plan->run.seed);
    count(&j, "replications", !r->law_only, r->replications);
    text(&j, "start", r->start);
    text(&j, "server", r->server_text);
    write_detect(&j, r);
    begin(&j, "loads", '{');
    for (size_t i = 0; i < r->plan->load_count; i++)
        write_load(&j, r, i);
    end(&j, '}');
    begin(&j, "recorders", '{');
    for (size_t i = 0; i < r->plan->recorder_count; i++)
        write_recorder(&j, r, i);
    end(&j, '}');
    write_judgements(&j, r);
    verdict(&j, "holds", r->holds);
    truth_value(&j, "law_only", r->law_only);
    end(&j, '}');
    fputc('\n', out);
}
