/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "tools/judged.h"
#include "tools/report/xml.h"

#define EXACT_MOST ((i128)1 << 53) /* what a reader that uses doubles still takes exactly */

/* Whole ns, or with their thousandths; in quotes past 2^53. */
static void write_milli(FILE *out, const char *key, struct said said)
{
    char digits[48];
    fprintf(out, ", \"%s\": ", key);
    if (!said.known) {
        fputs("null", out);
        return;
    }
    i128 size = said.milli < 0 ? -said.milli : said.milli;
    const char *quote = size / 1000 > EXACT_MOST ? "\"" : "";
    fprintf(out, "%s%s%s", quote, said.milli < 0 ? "-" : "", format_i128(size / 1000, digits));
    if (size % 1000 != 0)
        fprintf(out, ".%03u", (unsigned)(size % 1000));
    fputs(quote, out);
}

static const char *judged_key(enum judged judged)
{
    switch (judged) {
    case JUDGED_RIGHT: return "true";
    case JUDGED_WRONG: return "false";
    case JUDGED_SILENT: return "null";
    }
    BUG("a judgement outside its enum");
}

/* "a b c" as ["a", "b", "c"]. */
static void write_words(FILE *out, const char *words)
{
    fputc('[', out);
    for (const char *at = words; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, " ");
        if (length > 0)
            fprintf(out, "%s\"%.*s\"", at > words ? ", " : "", (int)length, at);
        at += length + strspn(at + length, " ");
    }
    fputc(']', out);
}

static void write_figure(FILE *out, const struct figure_verdict *f)
{
    bool is_count = strcmp(f->name, "count") == 0;
    struct said error = {f->said.known && f->truth.known, f->said.milli - f->truth.milli};
    fputs("{\"name\": ", out);
    json_write_string(out, f->name);
    write_milli(out, is_count ? "truth" : "truth_ns", f->truth);
    write_milli(out, is_count ? "reported" : "reported_ns", f->said);
    write_milli(out, is_count ? "error" : "error_ns", error);
    if (error.known && isfinite(f->error_percent))
        fprintf(out, ", \"error_percent\": %.9g", f->error_percent);
    else
        fputs(", \"error_percent\": null", out);
    if (f->name[0] == 'p') {
        if (error.known)
            fprintf(out, ", \"rank_error\": %" PRId64, f->rank_error);
        else
            fputs(", \"rank_error\": null", out);
        fputs(", \"right_under\": ", out);
        write_words(out, f->ranks);
    }
    fprintf(out, ", \"right\": %s}", judged_key(f->judged));
}

static const char *fault_name(size_t index)
{
    return set_faults.variants[index]->name;
}

static void write_suspects(FILE *out, const struct suspect *suspects, size_t count)
{
    fputs(", \"faults\": [", out);
    for (size_t i = 0; i < count; i++) {
        const struct suspect *s = &suspects[i];
        fprintf(out, "%s{\"name\": \"%s\", \"with\": ", i > 0 ? ", " : "", fault_name(s->fault));
        if (s->second != NO_INDEX)
            fprintf(out, "\"%s\"", fault_name(s->second));
        else
            fputs("null", out);
        fprintf(out, ", \"whole\": %s, \"text\": ", s->whole ? "true" : "false");
        json_write_string(out, s->text);
        fputc('}', out);
    }
    fputc(']', out);
}

static void write_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, ", \"%s\": ", key);
    if (text != NULL)
        json_write_string(out, text);
    else
        fputs("null", out);
}

static void write_verdict(FILE *out, const struct heard *j)
{
    char *declared = judged_declared(&j->hearing->declared);
    write_text(out, "declares", declared);
    free(declared);
    fputs(", \"figures\": [", out);
    for (size_t i = 0; i < j->verdict->figure_count; i++) {
        fputs(i > 0 ? ", " : "", out);
        write_figure(out, &j->verdict->figures[i]);
    }
    fprintf(out, "], \"unit_power\": %d", j->verdict->unit_power);
    write_suspects(out, j->verdict->suspects, j->verdict->suspect_count);
}

void judged_write_json(FILE *out, const struct heard *j)
{
    const struct plan *plan = j->trial->plan;
    const struct recorder_plan *recorder = &plan->recorders[j->trial->recorder];
    fputs("{\"duetime\": \"" DUETIME_VERSION "\", \"command\": ", out);
    json_write_string(out, j->command);
    fputs(", \"scenario\": {\"file\": ", out);
    json_write_string(out, plan->file);
    write_text(out, "title", plan->title);
    fprintf(out, ", \"sha256\": \"%s\"}", plan->sha256);
    write_text(out, "recorder", recorder->name);
    write_text(out, "load", plan->loads[recorder->load].name);
    fprintf(out, ", \"requests\": %zu", j->trial->requests.count);
    fprintf(out, ", \"conforms\": %s", judged_conforms(j) ? "true" : "false");
    write_text(out, "problem",
               j->hearing->problem != NULL ? j->hearing->problem : judged_silence(j));
    write_text(out, "beside", j->hearing->beside);
    if (j->hearing->problem == NULL)
        write_verdict(out, j);
    fputs("}\n", out);
}

void judged_write_json_together(FILE *out, const struct judged_together *all)
{
    fputs("{\"duetime\": \"" DUETIME_VERSION "\", \"command\": ", out);
    json_write_string(out, all->command);
    fprintf(out, ", \"scenarios\": %zu, \"conforming\": %zu, \"conforms\": %s", all->count,
            all->conforming, all->count == all->conforming ? "true" : "false");
    write_suspects(out, all->suspects->items, all->suspects->count);
    write_text(out, "separation", all->separation);
    write_text(out, "beyond", all->beyond);
    fputs("}\n", out);
}

static void junit_case(FILE *out, const struct heard *j, const char *name)
{
    fputs("    <testcase", out);
    xml_attribute(out, "classname", j->trial->plan->file);
    xml_attribute(out, "name", name);
}

static void junit_failure(FILE *out, const struct heard *j, const char *name, const char *why)
{
    junit_case(out, j, name);
    fputs("><failure", out);
    xml_attribute(out, "message", why);
    fputs("/></testcase>\n", out);
}

static char *wrong_words(const struct figure_verdict *f, const struct conformance *v)
{
    if (strcmp(f->name, "count") == 0)
        return must_format("%" PRId64 " samples off",
                           (int64_t)((f->said.milli - f->truth.milli) / 1000));
    char *truth = judged_time(f->truth.milli, false), *said = judged_time(f->said.milli, false);
    char *words = must_format("reported %s, the truth is %s%s%s", said, truth,
                              v->suspect_count > 0 ? "; " : "",
                              v->suspect_count > 0 ? v->suspects[0].text : "");
    free(truth);
    free(said);
    return words;
}

static void junit_figure(FILE *out, const struct heard *j, const struct figure_verdict *f)
{
    if (f->judged == JUDGED_WRONG) {
        char *words = wrong_words(f, j->verdict);
        junit_failure(out, j, f->name, words);
        free(words);
        return;
    }
    junit_case(out, j, f->name);
    fputs(f->judged == JUDGED_RIGHT ? "/>\n" : "><skipped message=\"not said\"/></testcase>\n",
          out);
}

void judged_write_junit(FILE *out, const struct heard *j)
{
    const struct conformance *v = j->verdict;
    size_t wrong = 0, silent = 0;
    bool answered = j->hearing->problem == NULL;
    const char *why = answered ? judged_silence(j) : j->hearing->problem;
    size_t figures = answered ? v->figure_count : 0, whole = why != NULL;
    for (size_t i = 0; i < figures; i++) {
        wrong += v->figures[i].judged == JUDGED_WRONG;
        silent += v->figures[i].judged == JUDGED_SILENT;
    }
    fputs("  <testsuite", out);
    xml_attribute(out, "name", j->trial->plan->file);
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n", figures + whole,
            wrong + whole, silent);
    if (why != NULL)
        junit_failure(out, j, "answer", why);
    for (size_t i = 0; i < figures; i++)
        junit_figure(out, j, &v->figures[i]);
    fputs("  </testsuite>\n", out);
}
