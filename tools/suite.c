/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/suite.h"

#include <stdlib.h>
#include <string.h>

#include "models/registry.h"

#define RESTS_SHOWN 4

/* The index of the recorder asked for; NO_INDEX and an error where there is none. */
static size_t find_recorder(const struct plan *plan, const char *name, struct errors *errors)
{
    if (name == NULL)
        return 0;
    const char **names = must_alloc(plan->recorder_count, sizeof *names);
    size_t found = NO_INDEX;
    for (size_t i = 0; i < plan->recorder_count; i++) {
        names[i] = plan->recorders[i].name;
        if (strcmp(name, names[i]) == 0)
            found = i;
    }
    const char *nearest = nearest_name(name, names, plan->recorder_count);
    if (found == NO_INDEX)
        errors_add(errors, (struct place){.file = plan->file, .path = "/recorders"},
                   "there is no recorder \"%s\"; %s \"%s\"", name,
                   nearest ? "the nearest is" : "the first is", nearest ? nearest : names[0]);
    free(names);
    return found;
}

bool case_open(struct suite_case *c, const struct plan *plan, const char *recorder,
               const struct run_options *run, struct errors *errors)
{
    size_t index = find_recorder(plan, recorder, errors);
    c->opened = index != NO_INDEX && trial_run(plan, index, run, &c->trial, errors);
    return c->opened;
}

void case_hear(struct suite_case *c, const struct subject *subject)
{
    subject_hear(subject, &c->trial, &c->hearing);
    c->heard = true;
    if (c->hearing.problem == NULL)
        verdict_make(&c->trial, &c->hearing.report, &c->hearing.declared, &c->verdict);
}

void case_free(struct suite_case *c)
{
    if (c->heard && c->hearing.problem == NULL)
        verdict_free(&c->verdict);
    if (c->heard)
        hearing_free(&c->hearing);
    if (c->opened)
        trial_free(&c->trial);
    if (c->owns_plan)
        plan_free(c->plan);
    *c = (struct suite_case){0};
}

struct heard case_heard(const struct suite_case *c, const char *command)
{
    return (struct heard){command, &c->trial, &c->hearing, &c->verdict};
}

static bool open_text(struct suite_case *c, const struct suite_text *text,
                      const struct options *options, const struct run_options *run,
                      struct errors *errors)
{
    c->plan = plan_read(text->file, text->text, text->length, options->settings,
                        options->setting_count, errors);
    c->owns_plan = c->plan != NULL;
    return c->owns_plan &&
           case_open(c, c->plan, option_value(options, OPTION_RECORDER), run, errors);
}

bool cases_open(struct cases *cases, const char *only, const struct options *options,
                const struct run_options *run, struct errors *errors)
{
    *cases = (struct cases){.items = must_alloc(suite_text_count, sizeof *cases->items)};
    bool good = true;
    for (size_t i = 0; i < suite_text_count && good; i++)
        if (only == NULL || strcmp(only, suite_texts[i].file) == 0)
            good = open_text(&cases->items[cases->count++], &suite_texts[i], options, run, errors);
    BUG_IF(cases->count == 0);
    return good;
}

void cases_free(struct cases *cases)
{
    for (size_t i = 0; i < cases->count; i++)
        case_free(&cases->items[i]);
    free(cases->items);
    *cases = (struct cases){0};
}

void cases_suspects(const struct cases *cases, const struct suite_case *first, struct suspects *out)
{
    struct evidence *evidence = must_alloc(cases->count + 1, sizeof *evidence);
    size_t count = 0;
    for (size_t i = 0; i <= cases->count; i++) {
        const struct suite_case *c = i < cases->count ? &cases->items[i] : first;
        if (c != NULL && c->heard && c->hearing.problem == NULL)
            evidence[count++] =
                (struct evidence){&c->trial, &c->hearing.report, &c->hearing.declared, NULL};
    }
    suite_suspects(evidence, count, out);
    free(evidence);
}

static bool is_failing(const struct suite_case *c)
{
    return c != NULL && c->heard && c->hearing.problem == NULL && !c->verdict.conforms;
}

static bool stands_first(const struct suite_case *c, size_t fault)
{
    return c->verdict.suspect_count > 0 && c->verdict.suspects[0].second == NO_INDEX &&
           c->verdict.suspects[0].fault == fault;
}

/* Failing cases in which that fault stands first. */
static size_t cases_led(struct suite_case *const *failing, size_t count, size_t fault)
{
    size_t led = 0;
    for (size_t i = 0; i < count; i++)
        led += stands_first(failing[i], fault);
    return led;
}

/* "p99, p100 in FILE": what is left to explain.  Takes `text`, and gives the longer one. */
static char *with_rest(char *text, const struct suite_case *c, const char *before)
{
    char *rest = must_copy("");
    size_t wrong = 0;
    for (size_t i = 0; i < c->verdict.figure_count; i++) {
        if (c->verdict.figures[i].judged != JUDGED_WRONG || ++wrong > RESTS_SHOWN)
            continue;
        char *longer = must_format("%s%s%s", rest, rest[0] != '\0' ? ", " : "",
                                   c->verdict.figures[i].name);
        free(rest);
        rest = longer;
    }
    char *more = wrong > RESTS_SHOWN ? must_format(" and %zu more", wrong - RESTS_SHOWN)
                                     : must_copy("");
    char *longer = must_format("%s%s%s%s in %s", text, before,
                               rest[0] != '\0' ? rest : "what is not said", more, c->plan->file);
    free(more);
    free(rest);
    free(text);
    return longer;
}

/* The suspect that leads in the most cases; NULL: none in two of them, or in half. */
static const struct suspect *leading(struct suite_case *const *failing, size_t count, size_t *most)
{
    const struct suspect *best = NULL;
    *most = 0;
    for (size_t i = 0; i < count; i++) {
        const struct conformance *v = &failing[i]->verdict;
        size_t led = v->suspect_count > 0 ? cases_led(failing, count, v->suspects[0].fault) : 0;
        if (led <= *most)
            continue;
        *most = led;
        best = &v->suspects[0];
    }
    return *most >= 2 || *most * 2 >= count ? best : NULL;
}

static char *likeliest(const struct suspect *best, size_t most, size_t count)
{
    const char *name = fault(set_faults.variants[best->fault])->is.name;
    const char *with = best->text + strlen(name);
    return must_format("The likeliest is %s in %zu of %zu scenarios that fail%s", name, most, count,
                       with);
}

char *cases_beyond(const struct cases *cases, const struct suite_case *first)
{
    struct suite_case **failing = must_alloc(cases->count + 1, sizeof(struct suite_case *));
    size_t count = 0, most;
    for (size_t i = 0; i <= cases->count; i++) {
        const struct suite_case *c = i < cases->count ? &cases->items[i] : first;
        if (is_failing(c))
            failing[count++] = (struct suite_case *)(uintptr_t)c;
    }
    const struct suspect *best = leading(failing, count, &most);
    char *text = best == NULL ? must_copy("No fault of the catalogue explains all of it.")
                              : likeliest(best, most, count);
    const char *before = "; not explained: ";
    for (size_t i = 0; i < count && best != NULL; i++)
        if (!stands_first(failing[i], best->fault)) {
            text = with_rest(text, failing[i], before);
            before = "; ";
        }
    free(failing);
    return text;
}

size_t cases_separating(const struct cases *cases, const struct suspects *suspects)
{
    struct trial *trials = must_alloc(cases->count, sizeof *trials);
    size_t *which = must_alloc(cases->count, sizeof *which);
    size_t count = 0, kinds = 0;
    for (size_t i = 0; i < cases->count; i++)
        if (!cases->items[i].heard) {
            which[count] = i;
            trials[count++] = cases->items[i].trial; /* its columns borrowed */
        }
    size_t found = count == 0
                       ? NO_INDEX
                       : separating_trial(suspects->items, suspects->count, trials, count, &kinds);
    size_t index = found == NO_INDEX ? NO_INDEX : which[found];
    free(which);
    free(trials);
    return index;
}
