/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/output.h"
#include "tools/report/findings.h"
#include "tools/report/utf8.h"
#include "tools/report/xml.h"
#include "tools/session.h"

struct check_state {
    bool require_law, gates;
    FILE *junit; /* NULL: none asked for */
};

/* Whether this finding makes the command fail, under its options. */
static bool fails(const struct check_state *state, const struct finding *f)
{
    if (f->kind == FINDING_GATE)
        return state->gates && f->holds == VERDICT_FAILS;
    if (f->kind == FINDING_PERCENTILE && state->require_law && f->holds == VERDICT_UNKNOWN)
        return !f->unbounded;
    return f->holds == VERDICT_FAILS;
}

static const char *kind_words(enum finding_kind kind)
{
    switch (kind) {
    case FINDING_PERCENTILE:
    case FINDING_TALLY:
    case FINDING_ABOVE: return "check";
    case FINDING_IDENTITY: return "identity";
    case FINDING_EXPECT: return "expectation";
    case FINDING_GATE: return "gate";
    }
    BUG("finding outside its enum");
}

static void junit_case(const struct check_state *state, const struct finding *f, const char *file)
{
    FILE *out = state->junit;
    char *name = must_format("%s %s, %s", kind_words(f->kind), f->figure, f->subject);
    fputs("    <testcase", out);
    xml_attribute(out, "classname", file);
    xml_attribute(out, "name", name);
    if (fails(state, f)) {
        fputs("><failure", out);
        xml_attribute(out, "message", f->text);
        fputs("/></testcase>\n", out);
    } else if (f->holds == VERDICT_UNKNOWN) {
        fputs("><skipped", out);
        xml_attribute(out, "message", f->text);
        fputs("/></testcase>\n", out);
    } else {
        fputs("/>\n", out);
    }
    free(name);
}

static void junit_suite(const struct check_state *state, const struct findings *findings,
                        const char *file)
{
    size_t tests = 0, failures = 0, skipped = 0;
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *f = &findings->items[i];
        if (f->kind == FINDING_GATE && !state->gates)
            continue;
        bool failed = fails(state, f);
        tests++;
        failures += failed;
        skipped += !failed && f->holds == VERDICT_UNKNOWN;
    }
    fputs("  <testsuite", state->junit);
    xml_attribute(state->junit, "name", file);
    fprintf(state->junit, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n", tests,
            failures, skipped);
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].kind != FINDING_GATE || state->gates)
            junit_case(state, &findings->items[i], file);
    fputs("  </testsuite>\n", state->junit);
}

static void unreadable(void *self, const char *file, const struct errors *errors)
{
    const struct check_state *state = self;
    if (!state->junit)
        return;
    fputs("  <testsuite", state->junit);
    xml_attribute(state->junit, "name", file);
    fputs(" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">\n    <testcase", state->junit);
    xml_attribute(state->junit, "classname", file);
    fputs(" name=\"scenario\"><error", state->junit);
    xml_attribute(state->junit, "message",
                  errors->count > 0 ? errors->texts[0] : "could not be run");
    fputs("/></testcase>\n  </testsuite>\n", state->junit);
}

/* What fails, a line each, then one line for the scenario. */
static void tell(const struct check_state *state, const struct findings *findings, bool bad,
                 const char *file, FILE *out)
{
    struct finding_counts n = findings_count(findings);
    char *clean = utf8_clean(file);
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *f = &findings->items[i];
        if (!fails(state, f))
            continue;
        /* A required check that was not made is not one that failed. */
        char *what = f->holds == VERDICT_FAILS   ? must_format("%s FAILS", kind_words(f->kind))
                     : f->check == CHECK_TOO_FEW ? must_copy("too few samples")
                                                 : must_copy("no law");
        fprintf(out, "%s: %s: %s, %s%s%s\n", clean, what, f->subject, f->figure,
                f->text[0] ? ": " : "", f->text);
        free(what);
    }
    fprintf(out, "%s: %s; percentiles: %zu exact, %zu statistical, %zu too few, %zu without a law",
            clean,
            bad            ? "FAILS"
            : n.judged > 0 ? "holds"
                           : "not judged",
            n.exact, n.statistical, n.too_few, n.no_law);
    fputc('\n', out);
    free(clean);
}

static int visit(void *self, const struct options *options, const struct plan *plan, FILE *out,
                 bool first)
{
    struct check_state *state = self;
    int status;
    struct result *result = session_run(options, plan, &status);
    if (!result) {
        if (status < EXIT_SIGNAL)
            unreadable(state, plan->file, &(struct errors){0});
        return status;
    }
    struct findings findings;
    findings_collect(result, &findings);
    bool bad = result->holds == VERDICT_FAILS;
    for (size_t i = 0; i < findings.count; i++)
        bad = bad || fails(state, &findings.items[i]);
    struct report_style style = session_style(options, first);
    if (options->format == FORMAT_TEXT)
        tell(state, &findings, bad, plan->file, out);
    else
        report_write(out, result, &style);
    if (state->junit)
        junit_suite(state, &findings, plan->file);
    findings_free(&findings);
    result_free(result);
    return bad ? EXIT_FAILS : EXIT_HOLDS;
}

static int write_junit(const char *path, const char *text, size_t length)
{
    struct errors errors = {0};
    struct output output;
    if (output_open(&output, path, &errors)) {
        output_write(&output, text, length, &errors);
        output_close(&output, *interrupt_flag() == 0, &errors);
    }
    int status = session_tell(&errors);
    errors_free(&errors);
    return status;
}

static int run(const struct options *options)
{
    struct check_state state = {
        .require_law = (options->given & OPTION_BIT(OPTION_REQUIRE_LAW)) != 0,
        .gates = (options->given & OPTION_BIT(OPTION_GATES)) != 0,
    };
    char *junit = NULL;
    size_t length = 0;
    if (options->junit) {
        state.junit = open_memstream(&junit, &length);
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"duetime\">\n",
              state.junit);
    }
    int status = session_each(
        options, &(struct visitor){.visit = visit, .unreadable = unreadable, .self = &state});
    if (state.junit) {
        fputs("</testsuites>\n", state.junit);
        fclose(state.junit);
        int written = EXIT_HOLDS;
        if (status < EXIT_SIGNAL)
            written = write_junit(options->junit, junit, length);
        status = written > status ? written : status;
        free(junit);
    }
    return status;
}

const struct command command_check = {
    .name = "check",
    .operands = "FILE...",
    .says = "run scenarios quietly; print only what fails and a summary",
    .options = OPTION_BIT(OPTION_FORMAT) | OPTION_BIT(OPTION_SET) | OPTION_BIT(OPTION_SEED) |
               OPTION_BIT(OPTION_THREADS) | OPTION_BIT(OPTION_EXACT_LIMIT) |
               OPTION_BIT(OPTION_OUTPUT) | OPTION_BIT(OPTION_JUNIT) |
               OPTION_BIT(OPTION_REQUIRE_LAW) | OPTION_BIT(OPTION_GATES),
    .formats = 1u << FORMAT_TEXT | 1u << FORMAT_MARKDOWN | 1u << FORMAT_CSV | 1u << FORMAT_JSON,
    .operands_least = 1,
    .operands_most = SIZE_MAX,
    .run = run,
    .help = "Runs each scenario FILE (- is standard input) for its exit status: a line for each "
            "check, identity or expectation that fails, and one for the scenario. With a --format "
            "other than text the whole report is printed instead.",
};
