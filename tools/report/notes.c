/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/laws/law.h"
#include "tools/report/figures.h"
#include "tools/report/findings.h"
#include "tools/report/table.h"

/* What stands under the table: loads, warnings, reasons, identities, gates, expectations and the
   verdict. */

/* Appends; frees both. */
static char *longer(char *text, char *more)
{
    char *both = must_format("%s%s", text, more);
    free(text);
    free(more);
    return both;
}

/* ", 3 timed out, 1 stall": what did not happen is not worth a reader's time.  Owned by the caller.
 */
static char *outcome_words(const struct result *r, size_t index)
{
    const struct load_result *load = &r->loads[index];
    const struct {
        uint64_t count;
        const char *what;
    } outcomes[] = {
        {load->timed_out, "timed out"},
        {load->refused, "refused"},
        {load->dropped, "dropped"},
        {load->withheld, "copies withheld by the budget"},
        {load_tells_copies(r, index) ? load->cancelled : 0, "copies cancelled"},
        {load_tells_copies(r, index) ? load->wasted : 0, "copies served for nothing"},
        {load->in_flight_at_end, "in flight at the end"},
        {load->stalls, load->stalls == 1 ? "stall" : "stalls"},
    };
    char *text = must_copy("");
    for (size_t i = 0; i < sizeof outcomes / sizeof outcomes[0]; i++)
        if (outcomes[i].count > 0)
            text = longer(text, must_format(", %llu %s", (unsigned long long)outcomes[i].count,
                                            outcomes[i].what));
    return text;
}

/* ", 20 of 40 quota periods throttled, send lag p99 195ms"; owned by the caller. */
static char *quota_and_lag_words(const struct load_result *load)
{
    char *text = must_copy(""), lag[32];
    if (load->periods > 0)
        text = longer(text, must_format(", %llu of %llu quota periods throttled",
                                        (unsigned long long)load->throttled,
                                        (unsigned long long)load->periods));
    if (load->lag_p99_ns > 0) {
        duration_format(load->lag_p99_ns, lag);
        text = longer(text, must_format(", send lag p99 %s", lag));
    }
    return text;
}

static void add_loads(struct table *t, const struct result *r)
{
    for (size_t i = 0; i < r->plan->load_count && !r->law_only; i++) {
        const struct load_result *load = &r->loads[i];
        char last[32] = "";
        if (load->has_answer)
            duration_format(load->last_answer_ns, last);
        char copies[64] = "", settled[64] = "";
        if (load->attempts > load->sent)
            snprintf(copies, sizeof copies, " in %llu copies", (unsigned long long)load->attempts);
        if (load->settle_ns > 0) {
            char time[32];
            duration_format(load->settle_ns, time);
            snprintf(settled, sizeof settled, ", after %s that is not recorded", time);
        }
        char *others = longer(outcome_words(r, i), quota_and_lag_words(load));
        table_note(t, TONE_PLAIN,
                   must_format("load \"%s\": %llu sent%s, %llu answered%s, %s%s%s",
                               r->plan->loads[i].name, (unsigned long long)load->sent, copies,
                               (unsigned long long)load->answered, others,
                               load->has_answer ? "last answer at " : "no answer", last, settled));
        free(others);
    }
}

/* One note for all percentiles of a recorder that share a reason. */
static void add_reasons(struct table *t, const struct result *r, size_t recorder)
{
    const struct recorder_result *rec = &r->recorders[recorder];
    const struct report_plan *report = &r->plan->report;
    for (size_t i = 0; i < report->percentile_count; i++) {
        const char *why = rec->cells[i].why;
        bool told = !why || (rec->law_why && strcmp(rec->law_why, why) == 0);
        for (size_t k = 0; k < i && !told; k++)
            told = rec->cells[k].why && strcmp(rec->cells[k].why, why) == 0;
        if (told)
            continue;
        char *which = must_copy("");
        for (size_t k = i; k < report->percentile_count; k++) {
            if (!rec->cells[k].why || strcmp(rec->cells[k].why, why) != 0)
                continue;
            which = longer(which,
                           must_format("%sp%s", which[0] ? ", " : "", report->percentiles[k].text));
        }
        bool bad = rec->cells[i].holds == VERDICT_FAILS;
        table_note(
            t, bad ? TONE_BAD : TONE_PLAIN,
            must_format("recorder \"%s\", %s: %s", r->plan->recorders[recorder].name, which, why));
        free(which);
    }
}

static bool lacks_law(const struct result *r, size_t recorder, const char *why)
{
    const struct recorder_result *rec = &r->recorders[recorder];
    return !rec->law_name && rec->law_why && (!why || strcmp(rec->law_why, why) == 0);
}

/* One note for all recorders that share a reason, at the first of them. */
static void add_no_law(struct table *t, const struct result *r, size_t recorder)
{
    if (!lacks_law(r, recorder, NULL))
        return;
    const char *why = r->recorders[recorder].law_why;
    for (size_t i = 0; i < recorder; i++)
        if (lacks_law(r, i, why))
            return;
    char *who = must_copy("");
    size_t count = 0;
    for (size_t i = recorder; i < r->plan->recorder_count; i++)
        if (lacks_law(r, i, why))
            who = longer(who,
                         must_format("%s\"%s\"", count++ ? ", " : "", r->plan->recorders[i].name));
    table_note(t, TONE_PLAIN,
               must_format("no law for recorder%s %s: %s", count > 1 ? "s" : "", who, why));
    free(who);
}

/* How much of its figures the recorder wrote itself. */
static void add_added_share(struct table *t, const struct result *r, size_t recorder)
{
    const struct recorder_result *rec = &r->recorders[recorder];
    char share[FIGURE_TEXT];
    if (r->law_only || rec->added == 0)
        return;
    rate_write(100.0 * (double)rec->added / (double)rec->count, 2, share);
    table_note(t, TONE_PLAIN,
               must_format("recorder \"%s\": %s %% of its samples are added, not measured",
                           r->plan->recorders[recorder].name, share));
}

static void add_recorder_notes(struct table *t, const struct result *r)
{
    for (size_t i = 0; i < r->plan->recorder_count; i++) {
        const struct recorder_result *rec = &r->recorders[i];
        const char *name = r->plan->recorders[i].name;
        for (size_t k = 0; k < rec->warning_count; k++)
            table_note(t, TONE_BAD,
                       must_format("warning: recorder \"%s\": %s", name, rec->warnings[k]));
        add_added_share(t, r, i);
        add_no_law(t, r, i);
        if (rec->law_note)
            table_note(t, TONE_PLAIN,
                       must_format("law of recorder \"%s\": %s", name, rec->law_note));
        add_reasons(t, r, i);
        if (rec->tally_why && rec->tally_holds == VERDICT_FAILS)
            table_note(t, TONE_BAD, must_format("recorder \"%s\": %s", name, rec->tally_why));
    }
}

/* What each law is that somebody is held against, where there is nothing else to show. */
static void add_laws(struct table *t, const struct result *r)
{
    for (size_t i = 0; i < law_list_count; i++) {
        const struct law_type *law = law_list[i];
        bool used = false;
        for (size_t k = 0; k < r->plan->recorder_count; k++) {
            const struct recorder_result *rec = &r->recorders[k];
            used |= rec->law_name && strcmp(rec->law_name, law->is.name) == 0;
            used |= rec->truth_name && strcmp(rec->truth_name, law->is.name) == 0;
        }
        if (used)
            table_note(t, TONE_PLAIN,
                       must_format("law %s: %s. Formula: %s. Source: %s", law->is.name,
                                   law->is.says, law->formula, law->source));
    }
}

static bool named_before(const struct result *r, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(r->identities[i].name, r->identities[index].name) == 0)
            return true;
    return false;
}

static void add_identities(struct table *t, const struct result *r, const struct findings *f)
{
    size_t failed = 0;
    for (size_t i = 0; i < f->count; i++)
        if (f->items[i].kind == FINDING_IDENTITY && f->items[i].holds == VERDICT_FAILS) {
            failed++;
            table_note(t, TONE_BAD,
                       must_format("identity FAILS: %s, %s: %s", f->items[i].subject,
                                   f->items[i].figure, f->items[i].text));
        }
    if (r->identity_count == 0 || failed > 0)
        return;
    char *text = must_copy("identities hold:");
    for (size_t i = 0; i < r->identity_count; i++)
        if (!named_before(r, i))
            text = longer(text, must_format("%s %s", i ? "," : "", r->identities[i].name));
    table_note(t, TONE_PLAIN, text);
}

/* Two gates that differ in whom they are about, at most. */
static bool same_gate(const struct finding *a, const struct finding *b)
{
    return a->kind == FINDING_GATE && b->kind == FINDING_GATE && a->holds == b->holds &&
           strcmp(a->figure, b->figure) == 0 && strcmp(a->text, b->text) == 0;
}

/* `recorders "a", "b"`, or every recorder: whom the gates like this one, from it on, are about.
   Owned by the caller. */
static char *whom(const struct result *r, const struct findings *f, size_t first)
{
    const char *subject = f->items[first].subject, *name = strchr(subject, ' ');
    if (!name)
        return must_copy(subject);
    int kind = (int)(name - subject);
    size_t count = 1, all = subject[0] == 'r' ? r->plan->recorder_count : r->plan->load_count;
    char *names = must_copy(name + 1), *others = must_copy("");
    for (size_t k = first + 1; k < f->count; k++) {
        const char *other = f->items[k].subject;
        if (!same_gate(&f->items[k], &f->items[first]))
            continue;
        if (strncmp(other, subject, (size_t)kind + 1) == 0) {
            names = longer(names, must_format(", %s", other + kind + 1));
            count++;
        } else {
            others = longer(others, must_format(", %s", other));
        }
    }
    char *text = count == all && all > 2 ? must_format("every %.*s%s", kind, subject, others)
                                         : must_format("%.*s%s %s%s", kind, subject,
                                                       count > 1 ? "s" : "", names, others);
    free(names);
    free(others);
    return text;
}

/* Each failing gate with its reason, once for all whom it is about. */
static void add_failing_gates(struct table *t, const struct result *r, const struct findings *f)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct finding *gate = &f->items[i];
        bool told = gate->kind != FINDING_GATE || gate->holds != VERDICT_FAILS;
        for (size_t k = 0; k < i && !told; k++)
            told = same_gate(&f->items[k], gate);
        if (told)
            continue;
        char *who = whom(r, f, i);
        table_note(t, TONE_BAD,
                   must_format("gate %s FAILS, %s%s%.*s", gate->figure, who,
                               gate->text[0] ? ": " : "", finding_new(f, i), gate->text));
        free(who);
    }
}

static bool gate_named_before(const struct findings *f, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (f->items[i].kind == FINDING_GATE &&
            strcmp(f->items[i].figure, f->items[index].figure) == 0)
            return true;
    return false;
}

/* The passing ones in one line: their reasons are in the JSON. */
static void add_passing_gates(struct table *t, const struct findings *f)
{
    char *text = must_copy("");
    for (size_t i = 0; i < f->count; i++) {
        if (f->items[i].kind != FINDING_GATE || gate_named_before(f, i))
            continue;
        size_t passing = 0, all = 0;
        for (size_t k = i; k < f->count; k++) {
            bool same = f->items[k].kind == FINDING_GATE &&
                        strcmp(f->items[k].figure, f->items[i].figure) == 0;
            all += same;
            passing += same && f->items[k].holds == VERDICT_HOLDS;
        }
        if (passing > 0)
            text = longer(text, must_format("%s %s (%zu of %zu)",
                                            text[0] ? "," : "gates that pass:", f->items[i].figure,
                                            passing, all));
    }
    if (text[0])
        table_note(t, TONE_PLAIN, text);
    else
        free(text);
}

static void add_expectations(struct table *t, const struct result *r, const struct findings *f)
{
    size_t failed = 0;
    for (size_t i = 0; i < f->count; i++)
        if (f->items[i].kind == FINDING_EXPECT && f->items[i].holds == VERDICT_FAILS) {
            failed++;
            table_note(t, TONE_BAD,
                       must_format("expectation FAILS: %s, %s: %s", f->items[i].subject,
                                   f->items[i].figure, f->items[i].text));
        }
    if (r->expect_count > 0 && failed == 0)
        table_note(
            t, TONE_PLAIN,
            r->expect_count == 1
                ? must_copy("expectations: the one of this scenario is met")
                : must_format("expectations: all %zu of this scenario are met", r->expect_count));
}

/* "15 percentiles checked exactly, 2 without a law"; owned by the caller. */
static char *percentile_words(struct finding_counts n)
{
    const struct {
        size_t count;
        const char *how;
    } parts[] = {{n.exact, "checked exactly"},
                 {n.statistical, "checked statistically"},
                 {n.too_few, "with too few samples to check"},
                 {n.no_law, "without a law"}};
    char *text = must_copy("");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].count > 0)
            text = longer(text, must_format("%s%zu %s", text[0] ? ", " : "percentiles: ",
                                            parts[i].count, parts[i].how));
    return text;
}

static struct note verdict_of(const struct result *r, struct finding_counts n)
{
    if (r->law_only)
        return (struct note){must_copy("laws only: nothing was judged"), TONE_PLAIN};
    char *checks = percentile_words(n);
    struct note verdict;
    if (n.failed > 0 || r->holds == VERDICT_FAILS)
        verdict = (struct note){
            must_format("FAILS: %zu of %zu checks; %s", n.failed, n.judged, checks), TONE_BAD};
    else if (n.judged == 0)
        verdict = (struct note){must_format("not judged; %s", checks), TONE_PLAIN};
    else
        verdict = (struct note){must_format("holds: %zu checks; %s", n.judged, checks), TONE_GOOD};
    free(checks);
    return verdict;
}

/* Whether something else runs at the server, or on the way to it. */
static bool is_disturbed(const struct server *server)
{
    return server->stall_count > 0 || server->quota.budget_ns > 0 || server->network.delay.type;
}

void table_add_notes(struct table *t, const struct result *r)
{
    struct findings findings;
    findings_collect(r, &findings);
    if (r->sizing)
        table_note(t, TONE_PLAIN, must_format("run length: %s", r->sizing));
    if (is_disturbed(&r->plan->server) && r->server_text)
        table_note(t, TONE_PLAIN, must_format("server: %s", r->server_text));
    add_loads(t, r);
    add_recorder_notes(t, r);
    if (r->law_only)
        add_laws(t, r);
    if (!r->law_only) {
        add_identities(t, r, &findings);
        add_failing_gates(t, r, &findings);
        add_passing_gates(t, &findings);
        add_expectations(t, r, &findings);
    }
    t->verdict = verdict_of(r, findings_count(&findings));
    findings_free(&findings);
}
