/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Every fault of schedulers against every scenario for them, as Markdown.  Ends with status 1 where
   one slips through, or the scenarios together do not have it among those that explain it all. */

#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "sim/conform/schedule.h"
#include "sim/scenario/reader.h"
#include "tools/suite.h"

struct play {
    struct plan *plan;
    struct offered offered;
    char name[64];
};

/* Faults that explain what was seen everywhere so far, by index. */
struct common {
    bool *all;
    size_t seen;
};

static void open_plays(struct play *plays)
{
    for (size_t i = 0; i < schedule_text_count; i++) {
        const struct suite_text *text = &schedule_texts[i];
        struct errors errors = {0};
        const char *slash = strrchr(text->file, '/');
        plays[i].plan = plan_read(text->file, text->text, text->length, NULL, 0, &errors);
        BUG_IF(plays[i].plan == NULL);
        BUG_IF(!schedule_offered(plays[i].plan, 0, &plays[i].offered, &errors));
        snprintf(plays[i].name, sizeof plays[i].name, "%.*s", (int)strcspn(slash + 1, "."),
                 slash + 1);
    }
}

static void intersect(struct common *common, const struct schedule_suspects *suspects)
{
    bool *now = must_alloc(set_schedulers.count, sizeof *now);
    for (size_t i = 0; i < suspects->count; i++)
        now[suspects->items[i].fault] = true;
    for (size_t i = 0; i < set_schedulers.count; i++)
        common->all[i] = common->seen == 0 ? now[i] : common->all[i] && now[i];
    common->seen++;
    free(now);
}

/* A scheduler of that manner, judged as if it were somebody else's. */
static bool judge(const struct play *play, const struct manner *manner,
                  struct schedule_suspects *suspects)
{
    struct schedule_run runs[SCHEDULE_ROUNDS];
    struct schedule_judgement judgement;
    size_t rounds = schedule_rounds(&play->offered);
    struct schedule_request request = {.plan = play->plan, .offered = &play->offered};
    for (size_t round = 0; round < rounds; round++) {
        request.late_ns = schedule_late_ns(&play->offered, round);
        schedule_run_manner(&request, manner, &runs[round]);
    }
    schedule_judge(&play->offered, runs, rounds, &judgement);
    bool caught = !judgement.conforms;
    *suspects = (struct schedule_suspects){0};
    if (caught)
        schedule_name(&request, runs, rounds, suspects);
    schedule_judgement_free(&judgement);
    for (size_t round = 0; round < rounds; round++)
        schedule_run_free(&runs[round]);
    return caught;
}

/* Whether there is such a way here, and what becomes of it. */
static bool try_way(const struct play *play, size_t fault, size_t way, bool *caught,
                    struct schedule_suspects *suspects)
{
    const struct scheduler_type *type = scheduler(set_schedulers.variants[fault]);
    struct manner manner = schedule_right(&play->offered);
    if (play->offered.random || !type->twists(&play->offered, way, &manner) || manner.senders == 0)
        return false;
    *caught = judge(play, &manner, suspects);
    return true;
}

static bool has(const struct schedule_suspects *suspects, size_t fault)
{
    for (size_t i = 0; i < suspects->count; i++)
        if (suspects->items[i].fault == fault)
            return true;
    return false;
}

/* The first of its ways that is seen there at all. */
static bool write_cell(const struct play *play, size_t fault, struct common *common)
{
    const struct scheduler_type *type = scheduler(set_schedulers.variants[fault]);
    bool possible = false;
    for (size_t way = 0; way < type->ways; way++) {
        struct schedule_suspects suspects;
        bool caught;
        if (!try_way(play, fault, way, &caught, &suspects))
            continue;
        possible = true;
        if (!caught)
            continue;
        bool named = has(&suspects, fault);
        if (!named)
            fputs(" NOT |", stdout);
        else if (suspects.count == 1)
            fputs(" alone |", stdout);
        else
            printf(" of %zu |", suspects.count);
        intersect(common, &suspects);
        schedule_suspects_free(&suspects);
        return named;
    }
    fputs(possible ? " |" : " - |", stdout);
    return true;
}

/* Of all its ways: how many change anything anywhere, are caught there, and named first. */
static bool write_ways(const struct play *plays, size_t fault)
{
    const struct scheduler_type *type = scheduler(set_schedulers.variants[fault]);
    size_t caught_count = 0, named = 0, first = 0;
    for (size_t way = 0; way < type->ways; way++)
        for (size_t i = 0; i < schedule_text_count; i++) {
            struct schedule_suspects suspects;
            bool caught;
            if (!try_way(&plays[i], fault, way, &caught, &suspects) || !caught)
                continue;
            caught_count++;
            named += has(&suspects, fault);
            first += suspects.count > 0 && suspects.items[0].fault == fault;
            schedule_suspects_free(&suspects);
        }
    printf(" %zu | %zu | %zu |\n", caught_count, named, first);
    return caught_count > 0 && named == caught_count;
}

static bool write_row(const struct play *plays, size_t fault)
{
    struct common common = {.all = must_alloc(set_schedulers.count, sizeof(bool))};
    bool good = true;
    printf("| %s |", set_schedulers.variants[fault]->name);
    for (size_t i = 0; i < schedule_text_count; i++)
        if (!plays[i].offered.random)
            good = write_cell(&plays[i], fault, &common) && good;
    bool alone = true;
    for (size_t i = 0; i < set_schedulers.count; i++)
        alone = alone && common.all[i] == (i == fault);
    if (alone)
        fputs(" alone", stdout);
    for (size_t i = 0; i < set_schedulers.count && !alone; i++)
        if (common.all[i])
            printf(" %s", set_schedulers.variants[i]->name);
    fputs(" |", stdout);
    good = common.seen > 0 && common.all[fault] && good;
    free(common.all);
    return write_ways(plays, fault) && good;
}

static void write_head(const struct play *plays)
{
    puts("# Every fault of schedulers against every scenario\n");
    puts("Made by `tools/faults`. A send loop with one fault of the catalogue keeps to each load "
         "of");
    puts("`scenarios/schedules/`. A cell is empty where what it does is right all the same, and "
         "`-`");
    puts("where the fault has no place; else it says whether the fault is the only one of the");
    puts("catalogue that sends just like that (`alone`), or one of how many. `together` names "
         "those");
    puts(
        "that send like that in all of them. Behind it, over all the ways of having the fault and");
    puts("all scenarios: how often it is caught, is among those named, and is named first.\n");
    fputs("| fault |", stdout);
    for (size_t i = 0; i < schedule_text_count; i++)
        if (!plays[i].offered.random)
            printf(" %s |", plays[i].name);
    fputs(" together | caught | named | first |\n| --- |", stdout);
    for (size_t i = 0; i < schedule_text_count; i++)
        if (!plays[i].offered.random)
            fputs(" --- |", stdout);
    puts(" --- | ---: | ---: | ---: |");
}

static void write_catalogue(void)
{
    puts("\nPoisson arrivals are judged by their law, and their faults named by their looks.\n");
    puts("## The catalogue\n\n| fault | what such a send loop does | told of in |\n"
         "| --- | --- | --- |");
    for (size_t i = 0; i < set_schedulers.count; i++) {
        const struct scheduler_type *type = scheduler(set_schedulers.variants[i]);
        printf("| %s | %s | %s |\n", type->is.name, type->is.says, type->item);
    }
}

int main(void)
{
    struct play *plays = must_alloc(schedule_text_count, sizeof *plays);
    bool good = schedule_text_count > 0;
    open_plays(plays);
    write_head(plays);
    for (size_t i = 0; i < set_schedulers.count; i++)
        if (scheduler(set_schedulers.variants[i])->ways > 0)
            good = write_row(plays, i) && good;
    write_catalogue();
    for (size_t i = 0; i < schedule_text_count; i++) {
        schedule_offered_free(&plays[i].offered);
        plan_free(plays[i].plan);
    }
    free(plays);
    return good ? 0 : 1;
}
