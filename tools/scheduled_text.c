/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "models/loads/load.h"
#include "tools/report/utf8.h"
#include "tools/scheduled.h"
#include "tools/words.h"

#define INDENT 2

static void say(FILE *out, const struct report_style *style, size_t indent, char *text)
{
    paragraph_write(out, text, style->format == FORMAT_MARKDOWN ? 0 : indent, style->width);
    free(text);
}

static void write_head(FILE *out, const struct scheduled *s, const struct report_style *style)
{
    const struct load_plan *load = &s->plan->loads[s->load];
    char *sends = load_kind(load->kind)->describe(load->kind.params);
    say(out, style, 0,
        must_format("%s%s: %s", style->format == FORMAT_MARKDOWN ? "### " : "", s->plan->file,
                    scheduled_conforms(s) ? "conforms" : "DOES NOT CONFORM"));
    say(out, style, INDENT, must_format("load \"%s\": %s", load->name, sends));
    free(sends);
}

static void write_number(FILE *out, bool markdown, const char *label, char *value)
{
    if (markdown)
        fprintf(out, "| %s | %s |\n", label, value);
    else
        fprintf(out, "%*s%-34s %s\n", INDENT, "", label, value);
    free(value);
}

static char *count(uint64_t n)
{
    return must_format("%" PRIu64, n);
}

static char *rate(double per_s)
{
    return isnan(per_s) ? must_copy("") : must_format("%.6g", per_s);
}

static char *off(ns_t ns, uint64_t number)
{
    char text[32];
    duration_format(ns, text);
    return ns == 0 ? must_copy("0") : must_format("%s (request %" PRIu64 ")", text, number);
}

static void write_numbers(FILE *out, const struct scheduled *s, bool markdown)
{
    const struct schedule_judgement *j = &s->judgement;
    if (markdown)
        fputs("\n| | |\n| :--- | ---: |\n", out);
    write_number(out, markdown, "slots", count(j->slots));
    write_number(out, markdown, "sent", count(j->sent));
    write_number(out, markdown, "given up, as the load asks", count(j->given_up));
    write_number(out, markdown, "missing", count(j->missing));
    write_number(out, markdown, "no slot of the schedule", count(j->extra));
    write_number(out, markdown, "due at another instant", count(j->due_wrong));
    write_number(out, markdown, "left too early", count(j->early));
    write_number(out, markdown, "left too late", count(j->late));
    if (!s->offered.random)
        write_number(out, markdown, "due instant off at most", off(j->drift_ns, j->drift_number));
    write_number(out, markdown, "send off at most", off(j->off_ns, j->off_number));
    write_number(out, markdown, "asked for, per s", rate(j->offered_per_s));
    write_number(out, markdown, "said to be due, per s", rate(j->claimed_per_s));
    write_number(out, markdown, "sent, per s", rate(j->achieved_per_s));
    if (j->chance_known)
        write_number(out, markdown, "p of rate, gaps, order",
                     must_format("%.3g, %.3g, %.3g", j->p_rate, j->p_gaps, j->p_order));
    if (markdown)
        fputc('\n', out);
}

static void write_first(FILE *out, const struct scheduled *s, const struct report_style *style)
{
    const struct schedule_judgement *j = &s->judgement;
    char late[32];
    if (j->first == NULL)
        return;
    duration_format(schedule_late_ns(&s->offered, j->first_round), late);
    char *with = j->first_round == 0 ? must_copy("")
                                     : must_format(", with a clock that wakes it %s late", late);
    say(out, style, INDENT, must_format("The first difference%s: %s.", with, j->first));
    free(with);
}

static void write_suspect(FILE *out, const struct schedule_suspect *suspect,
                          const struct report_style *style)
{
    bool markdown = style->format == FORMAT_MARKDOWN;
    say(out, style, 2 * INDENT, must_format("%s%s", markdown ? "- " : "", suspect->text));
}

static void write_suspects(FILE *out, const struct scheduled *s, const struct report_style *style)
{
    const struct schedule_suspects *all = &s->suspects;
    if (all->count == 0) {
        say(out, style, INDENT, must_copy("No fault of the catalogue sends like this."));
        return;
    }
    bool exact = all->items[0].way != NO_INDEX;
    say(out, style, INDENT,
        must_copy(!exact           ? "No fault of the catalogue sends like this to the ns; by its "
                                     "looks it is:"
                  : all->count > 1 ? "Faults of the catalogue that send just like this, the most "
                                     "likely first:"
                                   : "One fault of the catalogue sends just like this:"));
    for (size_t i = 0; i < all->count; i++)
        write_suspect(out, &all->items[i], style);
}

void scheduled_write(FILE *out, const struct scheduled *s, const struct report_style *style,
                     bool brief)
{
    bool markdown = style->format == FORMAT_MARKDOWN;
    if (brief && !markdown && scheduled_conforms(s)) {
        char *file = utf8_clean(s->plan->file);
        fprintf(out, "%s: conforms, %" PRIu64 " sent\n", file, s->judgement.sent);
        free(file);
        return;
    }
    if (brief && s->refused) {
        say(out, style, 0, must_format("%s: it does not do this kind of load", s->plan->file));
        return;
    }
    write_head(out, s, style);
    if (s->refused)
        say(out, style, INDENT, must_copy("It says that it does not do this kind of load."));
    if (s->problem != NULL)
        say(out, style, INDENT, must_format("It was not heard out: %s.", s->problem));
    /* Of one that was lost half-way what is missing says nothing. */
    bool whole = s->judged && s->runs[s->rounds - 1].end != SCHEDULE_OUT;
    if (whole)
        write_numbers(out, s, markdown);
    if (whole && !scheduled_conforms(s)) {
        write_first(out, s, style);
        if (s->problem == NULL || s->suspects.count > 0)
            write_suspects(out, s, style);
    }
    fputc('\n', out);
}

void scheduled_write_together(FILE *out, const struct scheduled_together *all,
                              const struct report_style *style)
{
    say(out, style, 0,
        must_format("%s%zu of %zu scenarios: the scheduler %s",
                    style->format == FORMAT_MARKDOWN ? "### " : "", all->conforming, all->count,
                    all->count == 0                 ? "was not judged: it does none of the loads"
                    : all->conforming == all->count ? "conforms"
                                                    : "DOES NOT CONFORM"));
    if (all->refused > 0 && all->count > 0)
        say(out, style, INDENT,
            must_format("%zu more have kinds of load that it does not do.", all->refused));
    if (all->suspect_count > 0)
        say(out, style, INDENT,
            must_copy(all->suspect_count > 1
                          ? "Faults that explain the most of it, the most likely first:"
                          : "The fault that explains the most of it:"));
    for (size_t i = 0; i < all->suspect_count; i++)
        write_suspect(out, all->suspects[i], style);
    if (all->separation != NULL)
        say(out, style, INDENT, must_copy(all->separation));
}
