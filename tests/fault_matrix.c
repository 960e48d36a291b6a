/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Every fault against every scenario of the suite, as Markdown.  Ends with
   status 1 where a fault slips through or the suite does not name it alone. */

#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "tests/suite_trials.h"

/* A scene with all that the catalogue would say of it. */
struct prepared {
    struct scene scene;
    struct known_reports *known;
};

static const struct declared exact = {.precision = PRECISION_EXACT};

static bool is_named(const struct suspects *suspects, size_t index)
{
    for (size_t i = 0; i < suspects->count; i++)
        if (suspects->items[i].fault == index && suspects->items[i].second == NO_INDEX)
            return true;
    return false;
}

/* What one recorder says everywhere. */
struct answers {
    struct report *reports;
    struct evidence *evidence;
    size_t count;
};

static void answer(const struct prepared *prepared, size_t count, const struct fault_use *use,
                   struct answers *out)
{
    *out = (struct answers){must_alloc(count, sizeof *out->reports),
                            must_alloc(count, sizeof *out->evidence), 0};
    for (size_t s = 0; s < count; s++) {
        const struct trial *trial = &prepared[s].scene.trial;
        struct report *report = &out->reports[out->count];
        if (!report_faulty(&trial->requests, &trial->asked, use, 1, report))
            continue; /* more samples than it could keep: it gives no answer there */
        out->evidence[out->count++] = (struct evidence){trial, report, &exact, prepared[s].known};
    }
}

static void free_answers(struct answers *answers)
{
    for (size_t s = 0; s < answers->count; s++)
        report_free(&answers->reports[s]);
    free(answers->reports);
    free(answers->evidence);
}

/* One cell: empty where the figures are right, "yes" where the fault is the only one that explains
   them, else how many explain them. */
static bool write_cell(const struct evidence *evidence, size_t index)
{
    struct suspects suspects;
    suite_suspects(evidence, 1, &suspects);
    bool caught = suspects.count > 0;
    if (!caught)
        fputs(" |", stdout);
    else if (!is_named(&suspects, index))
        fputs(" NOT |", stdout);
    else if (suspects.count == 1)
        fputs(" alone |", stdout);
    else
        printf(" of %zu |", suspects.count);
    suspects_free(&suspects);
    return caught;
}

static bool write_together(const struct answers *answers, size_t index)
{
    struct suspects suspects;
    suite_suspects(answers->evidence, answers->count, &suspects);
    bool alone = suspects.count == 1 && suspects.items[0].fault == index;
    if (alone)
        fputs(" alone |", stdout);
    for (size_t i = 0; i < suspects.count && !alone; i++)
        printf("%s%s", i > 0 ? ", " : " ", set_faults.variants[suspects.items[i].fault]->name);
    fputs(alone ? "" : " |", stdout);
    suspects_free(&suspects);
    return alone;
}

/* Its other parameters: how many the suite rejects, how many it names first, and alone. */
static void write_parameters(const struct prepared *prepared, size_t count, size_t index)
{
    const struct fault_type *type = fault(set_faults.variants[index]);
    size_t caught = 0, first = 0, all = type->parameter_count > 0 ? type->parameter_count : 1;
    for (size_t k = 0; k < all; k++) {
        struct fault_use use = {type, type->parameters != NULL ? type->parameters[k] : k};
        struct answers answers;
        struct suspects suspects;
        answer(prepared, count, &use, &answers);
        suite_suspects(answers.evidence, answers.count, &suspects);
        caught += suspects.count > 0;
        first += suspects.count > 0 && suspects.items[0].fault == index;
        suspects_free(&suspects);
        free_answers(&answers);
    }
    printf(" %zu | %zu | %zu |\n", all, caught, first);
}

static bool write_row(const struct prepared *prepared, size_t count, size_t index)
{
    const struct fault_type *type = fault(set_faults.variants[index]);
    struct fault_use use = {type, type->parameters != NULL ? type->parameters[0] : 0};
    struct answers answers;
    size_t made = 0;
    answer(prepared, count, &use, &answers);
    printf("| %s |", type->is.name);
    for (size_t s = 0; s < count; s++) {
        bool given =
            made < answers.count && answers.evidence[made].trial == &prepared[s].scene.trial;
        if (given)
            write_cell(&answers.evidence[made++], index);
        else
            fputs(" too many |", stdout);
    }
    bool good = write_together(&answers, index);
    write_parameters(prepared, count, index);
    free_answers(&answers);
    return good;
}

static void write_head(const struct prepared *prepared, size_t count)
{
    puts("# Every fault against every scenario\n");
    puts(
        "Made by `tools/faults`. A recorder with one fault of the catalogue, its first parameter,");
    puts("answers each scenario of the suite. A cell is empty where its figures are right all the");
    puts(
        "same; else it says whether the fault is the only one that explains them (`alone`) or one");
    puts("of how many. `together` takes all answers as one: it must be `alone`. Behind it: how");
    puts("many parameters of the fault are known, with how many of them the suite catches it, and");
    puts("with how many it names it first.\n");
    fputs("| fault |", stdout);
    for (size_t s = 0; s < count; s++)
        printf(" %s |", prepared[s].scene.name);
    puts(" together | parameters | caught | named first |");
    fputs("| --- |", stdout);
    for (size_t s = 0; s < count; s++)
        fputs(" --- |", stdout);
    puts(" --- | ---: | ---: | ---: |");
}

static void write_catalogue(void)
{
    puts("\n## The catalogue\n\n| fault | what such a recorder does | told of in |\n"
         "| --- | --- | --- |");
    for (size_t i = 0; i < set_faults.count; i++) {
        const struct fault_type *type = fault(set_faults.variants[i]);
        printf("| %s | %s | %s |\n", type->is.name, type->is.says, type->item);
    }
}

int main(void)
{
    struct scenes scenes;
    scenes_open(&scenes);
    struct prepared *prepared = must_alloc(scenes.count, sizeof *prepared);
    bool good = scenes.count > 0;
    for (size_t s = 0; s < scenes.count; s++)
        prepared[s] = (struct prepared){scenes.items[s], known_make(&scenes.items[s].trial, NULL)};
    write_head(prepared, scenes.count);
    for (size_t i = 0; i < set_faults.count; i++)
        good &= write_row(prepared, scenes.count, i);
    write_catalogue();
    for (size_t s = 0; s < scenes.count; s++)
        known_free(prepared[s].known);
    free(prepared);
    scenes_close(&scenes);
    return good ? 0 : 1;
}
