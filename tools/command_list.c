/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "models/laws/law.h"
#include "models/registry.h"
#include "tools/command.h"
#include "tools/keys.h"
#include "tools/session.h"
#include "tools/words.h"

#define LAWS "laws"
#define LAWS_SAY "closed forms that recorders are checked against"
#define KEYS "keys"
#define KEYS_SAY "all that a scenario may say; list server, load, recorder, run ...: a part of it"

static const struct variant_set *const sets[] = {
    &set_loads,  &set_arrivals,    &set_distributions, &set_late,        &set_resend,
    &set_queues, &set_routing,     &set_stalls,        &set_corrections, &set_stores,
    &set_ranks,  &set_experiments, &set_faults,        &set_schedulers,
};
#define SET_TOTAL (sizeof sets / sizeof sets[0])

/* What belongs together under a word that people look for. */
struct group {
    const char *name, *says;
    const struct variant_set *sets[4];
};

static const struct group groups[] = {
    {"servers",
     "what a server is made of: distributions, queues, routing and stalls",
     {&set_distributions, &set_queues, &set_routing, &set_stalls}},
    {"policies", "what a client does: late and resend", {&set_late, &set_resend}},
    {"recorders",
     "what a recorder is made of: corrections, stores and ranks",
     {&set_corrections, &set_stores, &set_ranks}},
};
#define GROUP_TOTAL (sizeof groups / sizeof groups[0])
#define GROUP_SETS (sizeof groups[0].sets / sizeof groups[0].sets[0])

/* What to list: all NULL and false is the list of lists. */
struct request {
    const struct variant_set *set;
    const struct group *group;
    const char *single; /* none of these, but objects, keys, variants and laws of that name */
    bool laws;
    size_t width;
};

static void write_part(FILE *out, size_t width, const char *name, const char *text)
{
    if (!text)
        return;
    char *line = must_format("%s: %s", name, text);
    paragraph_write(out, line, 4, width);
    free(line);
}

static void write_law(FILE *out, const struct law_type *law, size_t width)
{
    fprintf(out, "%s\n", law->is.name);
    paragraph_write(out, law->is.says, 4, width);
    write_part(out, width, "formula", law->formula);
    write_part(out, width, "symbols", law->symbols);
    write_part(out, width, "domain", law->domain);
    write_part(out, width, "source", law->source);
    write_part(out, width, "check value", law->check);
}

static void write_laws(FILE *out, size_t width)
{
    for (size_t i = 0; i < law_list_count; i++) {
        fputs(i ? "\n" : "", out);
        write_law(out, law_list[i], width);
    }
}

static void write_variant(FILE *out, const struct variant *variant, size_t width)
{
    fprintf(out, "%s\n", variant->name);
    paragraph_write(out, variant->says, 4, width);
    for (size_t k = 0; k < variant->field_count; k++) {
        const struct field *field = &variant->fields[k];
        char *words = field_words(field);
        char *text = must_format("%s: %s (%s)", field->key, field->says ? field->says : "", words);
        paragraph_write(out, text, 4, width);
        free(words);
        free(text);
    }
}

static void write_set(FILE *out, const struct variant_set *set, size_t width)
{
    for (size_t i = 0; i < set->count; i++) {
        fputs(i ? "\n" : "", out);
        write_variant(out, set->variants[i], width);
    }
}

static void write_title(FILE *out, const struct variant_set *set, size_t width)
{
    char *title = must_format("%s: %s", set->name, set->says);
    paragraph_write(out, title, 0, width);
    fputc('\n', out);
    free(title);
}

static void write_group(FILE *out, const struct group *group, size_t width)
{
    for (size_t i = 0; i < GROUP_SETS && group->sets[i]; i++) {
        fputs(i ? "\n" : "", out);
        write_title(out, group->sets[i], width);
        write_set(out, group->sets[i], width);
    }
}

/* Objects and keys, variants and laws of one name.  Returns how many; out NULL: only counts. */
static size_t write_single(FILE *out, const char *name, size_t width)
{
    size_t found = keys_write(out, name, width);
    for (size_t i = 0; i < SET_TOTAL; i++) {
        const struct variant *variant = variant_find(sets[i], name);
        if (variant != NULL && out != NULL) {
            fputs(found ? "\n" : "", out);
            write_title(out, sets[i], width);
            write_variant(out, variant, width);
        }
        found += variant != NULL;
    }
    for (size_t i = 0; i < law_list_count; i++) {
        if (strcmp(law_list[i]->is.name, name) != 0)
            continue;
        if (out != NULL) {
            fprintf(out, "%s%s: %s\n\n", found ? "\n" : "", LAWS, LAWS_SAY);
            write_law(out, law_list[i], width);
        }
        found++;
    }
    return found;
}

static void fill(void *self, FILE *out)
{
    const struct request *request = self;
    if (request->laws)
        write_laws(out, request->width);
    if (request->set)
        write_set(out, request->set, request->width);
    if (request->group)
        write_group(out, request->group, request->width);
    if (request->single)
        write_single(out, request->single, request->width);
    if (request->laws || request->set || request->group || request->single)
        return;
    fprintf(out, "%-14s %s\n", KEYS, KEYS_SAY);
    fprintf(out, "%-14s %s\n", LAWS, LAWS_SAY);
    for (size_t i = 0; i < SET_TOTAL; i++)
        fprintf(out, "%-14s %s\n", sets[i]->name, sets[i]->says);
    for (size_t i = 0; i < GROUP_TOTAL; i++)
        fprintf(out, "%-14s %s\n", groups[i].name, groups[i].says);
}

struct names {
    const char **items;
    size_t count;
};

static void take_name(void *self, const char *name)
{
    struct names *names = self;
    names->items = must_grow(names->items, names->count + 1, sizeof *names->items);
    names->items[names->count++] = name;
}

static int unknown_list(const char *name)
{
    struct names names = {0};
    take_name(&names, LAWS);
    take_name(&names, KEYS);
    for (size_t i = 0; i < SET_TOTAL; i++)
        take_name(&names, sets[i]->name);
    for (size_t i = 0; i < GROUP_TOTAL; i++)
        take_name(&names, groups[i].name);
    keys_names(take_name, &names);
    for (size_t i = 0; i < SET_TOTAL; i++)
        for (size_t k = 0; k < sets[i]->count; k++)
            take_name(&names, sets[i]->variants[k]->name);
    for (size_t i = 0; i < law_list_count; i++)
        take_name(&names, law_list[i]->is.name);
    const char *nearest = nearest_name(name, names.items, names.count);
    struct errors errors = {0};
    errors_add(&errors, (struct place){.file = "duetime"}, "there is no list of %s; %s%s", name,
               nearest ? "the nearest is " : "duetime list says what there is",
               nearest ? nearest : "");
    int status = session_tell(&errors);
    errors_free(&errors);
    free(names.items);
    return status;
}

static int run(const struct options *options)
{
    struct request request = {.width = session_style(options, true).width};
    const char *name = options->operand_count > 0 ? options->operands[0] : NULL;
    request.laws = name && strcmp(name, LAWS) == 0;
    for (size_t i = 0; i < SET_TOTAL && name; i++)
        if (strcmp(sets[i]->name, name) == 0)
            request.set = sets[i];
    for (size_t i = 0; i < GROUP_TOTAL && name; i++)
        if (strcmp(groups[i].name, name) == 0)
            request.group = &groups[i];
    if (name && !request.laws && !request.set && !request.group) {
        request.single = strcmp(name, KEYS) == 0 ? "scenario" : name;
        if (write_single(NULL, request.single, request.width) == 0)
            return unknown_list(name);
    }
    return session_once(options, fill, &request);
}

const struct command command_list = {
    .name = "list",
    .operands = "[WHAT]",
    .says = "list keys, laws, loads, distributions and the rest; alone: what can be listed",
    .options = OPTION_BIT(OPTION_OUTPUT),
    .formats = 1u << FORMAT_TEXT,
    .operands_least = 0,
    .operands_most = 1,
    .run = run,
    .help = "WHAT is keys, all that a scenario may say, or one of its parts: server, load, "
            "recorder, run, report, stall, quota, behind, network, generator or a single key. "
            "Or it is laws, loads, arrivals, distributions, late, resend, queues, routing, "
            "stalls, corrections, stores, ranks or experiments; servers, policies or "
            "recorders, which are several of them at once; or the name of one of their entries, "
            "such as retry, sessions or hdr. Each says what it is and what it takes.",
};
