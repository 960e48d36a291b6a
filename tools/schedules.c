/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/schedules.h"

#include <stdlib.h>
#include <string.h>

#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/scheduled.h"
#include "tools/session.h"
#include "tools/suite.h"

#define SUSPECTS_TOLD 5

/* One call of the command. */
struct scheduling {
    const struct options *options;
    const struct dialogue *limits;
    FILE *junit;
};

/* All that are heard in it, the scenarios of the suite among them. */
struct book {
    struct scheduled *items; /* owned */
    size_t count, capacity;
};

static void write_one(const struct scheduling *g, const struct scheduled *s, FILE *out, bool brief)
{
    struct report_style style = session_style(g->options, true);
    if (style.format == FORMAT_JSON)
        scheduled_write_json(out, s, g->limits->command);
    else
        scheduled_write(out, s, &style, brief);
    if (g->junit != NULL)
        scheduled_write_junit(g->junit, s);
}

static int hear(const struct scheduling *g, struct scheduled *s, struct errors *errors)
{
    if (scheduled_hear(s, g->limits))
        return EXIT_HOLDS;
    if (!s->machine)
        return EXIT_SIGNAL + (int)*interrupt_flag();
    errors_add_machine(errors, "duetime: %s", s->problem);
    return EXIT_MACHINE;
}

static struct scheduled *add(struct book *book)
{
    if (book->count == book->capacity) {
        book->capacity = book->capacity == 0 ? 16 : 2 * book->capacity;
        book->items = must_grow(book->items, book->capacity, sizeof *book->items);
    }
    book->items[book->count] = (struct scheduled){0};
    return &book->items[book->count++];
}

static void book_free(struct book *book)
{
    for (size_t i = 0; i < book->count; i++)
        scheduled_free(&book->items[i]);
    free(book->items);
    *book = (struct book){0};
}

static struct scheduled *open_text(const struct scheduling *g, const struct suite_text *text,
                                   struct book *book, struct errors *errors)
{
    struct plan *plan = plan_read(text->file, text->text, text->length, g->options->settings,
                                  g->options->setting_count, errors);
    struct scheduled *s = add(book);
    s->owns_plan = plan != NULL;
    return plan != NULL && scheduled_open(s, plan, NULL, errors) ? s : NULL;
}

/* A fault that is among the suspects of more scenarios comes first. */
struct standing {
    const struct schedule_suspect *suspect;
    size_t exact, firsts, looks, order; /* scenarios: to the ns, named first, by looks */
};

static int by_votes(const void *left, const void *right)
{
    const struct standing *a = left, *b = right;
    if (a->exact != b->exact)
        return a->exact > b->exact ? -1 : 1;
    if (a->firsts != b->firsts)
        return a->firsts > b->firsts ? -1 : 1;
    if (a->looks != b->looks)
        return a->looks > b->looks ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static size_t count_votes(const struct book *book, struct standing **out)
{
    struct standing *all = NULL;
    size_t count = 0;
    for (size_t i = 0; i < book->count; i++)
        for (size_t k = 0; k < book->items[i].suspects.count; k++) {
            const struct schedule_suspect *suspect = &book->items[i].suspects.items[k];
            size_t at = 0;
            while (at < count && all[at].suspect->fault != suspect->fault)
                at++;
            if (at == count) {
                all = must_grow(all, count + 1, sizeof *all);
                all[count] = (struct standing){suspect, 0, 0, 0, count};
                count++;
            }
            bool exact = suspect->way != NO_INDEX;
            all[at].exact += exact;
            all[at].looks += !exact;
            all[at].firsts += exact && k == 0;
        }
    if (count > 0)
        qsort(all, count, sizeof *all, by_votes);
    *out = all;
    return count;
}

/* What is the same to the ns says more than looks do.  Told are those that explain as many
 * scenarios as the first does. */
static void conclude(const struct scheduling *g, const struct book *book, FILE *out)
{
    struct standing *standings;
    const struct schedule_suspect *told[SUSPECTS_TOLD];
    struct scheduled_together all = {.suspects = told};
    size_t count = count_votes(book, &standings);
    for (size_t i = 0; i < book->count; i++) {
        all.refused += book->items[i].refused;
        all.count += !book->items[i].refused;
        all.conforming += scheduled_conforms(&book->items[i]);
    }
    while (all.suspect_count < count && all.suspect_count < SUSPECTS_TOLD &&
           standings[all.suspect_count].exact == standings[0].exact &&
           (standings[0].exact > 0 || standings[all.suspect_count].looks == standings[0].looks)) {
        told[all.suspect_count] = standings[all.suspect_count].suspect;
        all.suspect_count++;
    }
    struct report_style style = session_style(g->options, true);
    if (style.format == FORMAT_JSON)
        scheduled_write_json_together(out, &all, g->limits->command);
    else
        scheduled_write_together(out, &all, &style);
    free(standings);
}

static int judge_suite(const struct scheduling *g, FILE *out, struct errors *errors)
{
    struct book book = {0};
    int status = EXIT_HOLDS;
    bool judged = false;
    for (size_t i = 0; i < schedule_text_count && status < EXIT_REQUEST; i++) {
        struct scheduled *s = open_text(g, &schedule_texts[i], &book, errors);
        if (s == NULL) {
            status = EXIT_REQUEST;
            break;
        }
        int heard = hear(g, s, errors);
        if (heard != EXIT_HOLDS) {
            status = heard;
            break;
        }
        write_one(g, s, out, true);
        judged = judged || !s->refused;
        status = scheduled_conforms(s) || s->refused ? status : EXIT_FAILS;
    }
    status = status == EXIT_HOLDS && !judged ? EXIT_FAILS : status;
    if (status < EXIT_REQUEST)
        conclude(g, &book, out);
    book_free(&book);
    return status;
}

/* The scenario of the suite that would tell the two first suspects apart, or NULL. */
static struct scheduled *find_separating(const struct scheduling *g, const struct scheduled *s,
                                         struct book *book, struct errors *errors)
{
    for (size_t i = 0; i < schedule_text_count; i++) {
        struct scheduled *next = open_text(g, &schedule_texts[i], book, errors);
        if (next == NULL)
            return NULL;
        struct schedule_request request = {
            .plan = next->plan, .load = next->load, .offered = &next->offered};
        if (next->offered.paced == s->offered.paced && !next->offered.random &&
            schedule_separates(&request, &s->suspects.items[0], &s->suspects.items[1]))
            return next;
    }
    return NULL;
}

static void tell(const struct scheduling *g, FILE *out, const char *text)
{
    struct scheduled_together all = {.separation = text};
    if (session_style(g->options, true).format == FORMAT_JSON)
        scheduled_write_json_together(out, &all, g->limits->command);
    else
        fprintf(out, "%s\n", text);
}

/* Where several fit, what would tell them apart; with --separate it is run. */
static int separate(const struct scheduling *g, const struct scheduled *s, FILE *out,
                    struct errors *errors)
{
    const struct schedule_suspects *all = &s->suspects;
    if (all->count < 2 || all->items[0].way == NO_INDEX)
        return EXIT_HOLDS;
    struct book book = {0};
    int status = EXIT_HOLDS;
    struct scheduled *next = find_separating(g, s, &book, errors);
    if (next == NULL) {
        tell(g, out, "No scenario of the suite tells the first two apart.");
    } else if ((g->options->given & OPTION_BIT(OPTION_SEPARATE)) == 0) {
        char *text =
            must_format("%s tells the first two apart; --separate runs it.", next->plan->file);
        if (session_style(g->options, true).format != FORMAT_JSON)
            tell(g, out, text);
        free(text);
    } else {
        status = hear(g, next, errors);
        if (status == EXIT_HOLDS)
            write_one(g, next, out, false);
    }
    book_free(&book);
    return status;
}

static int visit(void *self, const struct options *options, const struct plan *plan, FILE *out,
                 bool first)
{
    (void)first;
    const struct scheduling *g = self;
    struct errors errors = {0};
    struct scheduled s = {0};
    int status = EXIT_REQUEST;
    if (scheduled_open(&s, plan, option_value(options, OPTION_LOAD), &errors))
        status = hear(g, &s, &errors);
    if (status == EXIT_HOLDS) {
        write_one(g, &s, out, false);
        status = separate(g, &s, out, &errors);
    }
    if (status == EXIT_HOLDS && !scheduled_conforms(&s))
        status = EXIT_FAILS;
    scheduled_free(&s);
    int told = session_tell(&errors);
    errors_free(&errors);
    return told > status ? told : status;
}

static int judge_built_in(const struct scheduling *g)
{
    struct errors errors = {0};
    struct output_text text = {0};
    int status = EXIT_MACHINE;
    FILE *out = open_memstream(&text.bytes, &text.length);
    if (out == NULL) {
        errors_add_machine(&errors, "duetime: no memory for the report");
    } else {
        status = judge_suite(g, out, &errors);
        fclose(out);
    }
    int told = session_tell(&errors);
    errors_free(&errors);
    status = told > status ? told : status;
    if (*interrupt_flag() != 0) {
        fputs("duetime: interrupted\n", stderr);
        status = EXIT_SIGNAL + (int)*interrupt_flag();
    } else if (status < EXIT_REQUEST) {
        int written = session_once(g->options, session_fill_text, &text);
        status = written > status ? written : status;
    }
    free(text.bytes);
    return status;
}

int schedules_run(const struct options *options, const struct dialogue *limits, FILE *junit)
{
    struct scheduling g = {options, limits, junit};
    if (options->operand_count == 0)
        return judge_built_in(&g);
    return session_each(options, &(struct visitor){.visit = visit, .self = &g});
}
