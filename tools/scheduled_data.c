/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "models/registry.h"
#include "tools/report/xml.h"
#include "tools/scheduled.h"

static void write_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, ", \"%s\": ", key);
    if (text != NULL)
        json_write_string(out, text);
    else
        fputs("null", out);
}

static void write_real(FILE *out, const char *key, double value)
{
    if (isfinite(value))
        fprintf(out, ", \"%s\": %.12g", key, value);
    else
        fprintf(out, ", \"%s\": null", key);
}

static void write_count(FILE *out, const char *key, uint64_t value)
{
    const char *quote = value > UINT64_C(1) << 53 ? "\"" : "";
    fprintf(out, ", \"%s\": %s%" PRIu64 "%s", key, quote, value, quote);
}

static void write_suspect(FILE *out, const struct schedule_suspect *s, bool first)
{
    fprintf(out, "%s{\"name\": \"%s\", \"exact\": %s, \"text\": ", first ? "" : ", ",
            set_schedulers.variants[s->fault]->name, s->way != NO_INDEX ? "true" : "false");
    json_write_string(out, s->text);
    fputc('}', out);
}

static void write_judgement(FILE *out, const struct schedule_judgement *j, bool random)
{
    write_text(out, "first_difference", j->first);
    write_count(out, "slots", j->slots);
    write_count(out, "sent", j->sent);
    write_count(out, "given_up", j->given_up);
    write_count(out, "missing", j->missing);
    write_count(out, "extra", j->extra);
    write_count(out, "due_wrong", j->due_wrong);
    write_count(out, "early", j->early);
    write_count(out, "late", j->late);
    if (random)
        fputs(", \"drift_ns\": null", out);
    else
        write_count(out, "drift_ns", j->drift_ns);
    write_count(out, "off_ns", j->off_ns);
    write_real(out, "offered_per_s", j->offered_per_s);
    write_real(out, "claimed_per_s", j->claimed_per_s);
    write_real(out, "achieved_per_s", j->achieved_per_s);
    write_real(out, "p_rate", j->chance_known ? j->p_rate : NAN);
    write_real(out, "p_gaps", j->chance_known ? j->p_gaps : NAN);
    write_real(out, "p_order", j->chance_known ? j->p_order : NAN);
}

static void write_head(FILE *out, const char *command)
{
    fputs("{\"duetime\": \"" DUETIME_VERSION "\", \"scheduler\": ", out);
    json_write_string(out, command);
}

void scheduled_write_json(FILE *out, const struct scheduled *s, const char *command)
{
    write_head(out, command);
    fputs(", \"scenario\": {\"file\": ", out);
    json_write_string(out, s->plan->file);
    write_text(out, "title", s->plan->title);
    fprintf(out, ", \"sha256\": \"%s\"}", s->plan->sha256);
    write_text(out, "load", s->plan->loads[s->load].name);
    fprintf(out, ", \"conforms\": %s",
            s->refused              ? "null"
            : scheduled_conforms(s) ? "true"
                                    : "false");
    write_text(out, "problem", s->problem);
    if (s->judged)
        write_judgement(out, &s->judgement, s->offered.random);
    fputs(", \"faults\": [", out);
    for (size_t i = 0; i < s->suspects.count; i++)
        write_suspect(out, &s->suspects.items[i], i == 0);
    fputs("]}\n", out);
}

void scheduled_write_json_together(FILE *out, const struct scheduled_together *all,
                                   const char *command)
{
    write_head(out, command);
    write_count(out, "scenarios", all->count);
    write_count(out, "conforming", all->conforming);
    write_count(out, "refused", all->refused);
    fprintf(out, ", \"conforms\": %s, \"faults\": [",
            all->count == 0                 ? "null"
            : all->count == all->conforming ? "true"
                                            : "false");
    for (size_t i = 0; i < all->suspect_count; i++)
        write_suspect(out, all->suspects[i], i == 0);
    fputc(']', out);
    write_text(out, "separation", all->separation);
    fputs("}\n", out);
}

/* One case a scenario: a schedule is kept as a whole or not at all. */
void scheduled_write_junit(FILE *out, const struct scheduled *s)
{
    bool good = scheduled_conforms(s);
    fputs("  <testsuite", out);
    xml_attribute(out, "name", s->plan->file);
    fprintf(out, " tests=\"1\" failures=\"%d\" errors=\"0\" skipped=\"%d\">\n    <testcase",
            good || s->refused ? 0 : 1, s->refused ? 1 : 0);
    xml_attribute(out, "classname", s->plan->file);
    char *name = must_format("schedule of %s", s->plan->loads[s->load].name);
    xml_attribute(out, "name", name);
    free(name);
    if (s->refused) {
        fputs("><skipped message=\"it does not do this kind of load\"/></testcase>\n", out);
    } else if (good) {
        fputs("/>\n", out);
    } else {
        const char *what = s->problem != NULL ? s->problem : s->judgement.first;
        char *message =
            must_format("%s%s%s", what != NULL ? what : "", s->suspects.count > 0 ? "; " : "",
                        s->suspects.count > 0 ? s->suspects.items[0].text : "");
        fputs("><failure", out);
        xml_attribute(out, "message", message);
        fputs("/></testcase>\n", out);
        free(message);
    }
    fputs("  </testsuite>\n", out);
}
