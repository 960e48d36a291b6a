/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/plan.h"

#include <stdlib.h>

static void choice_free(struct choice *choice);
static void items_free(struct item_list *list, const struct item *item);
static void texts_free(char **texts, size_t count);

/* Parameters own what their fields point to: the tables say where that is. */
static void fields_free(const struct field *fields, size_t count, void *params)
{
    for (size_t i = 0; i < count; i++) {
        void *at = (char *)params + fields[i].offset;
        switch (fields[i].kind) {
        case FIELD_VARIANT: choice_free(at); break;
        case FIELD_DURATIONS: free(((struct durations *)at)->ns); break;
        case FIELD_LIST: items_free(at, fields[i].item); break;
        case FIELD_VALUES:
            texts_free(((struct value_list *)at)->texts, ((struct value_list *)at)->count);
            break;
        case FIELD_DURATION:
        case FIELD_COUNT:
        case FIELD_RATIO:
        case FIELD_BOOL:
        case FIELD_WORD: break;
        }
    }
}

static void items_free(struct item_list *list, const struct item *item)
{
    for (size_t i = 0; i < list->count; i++)
        fields_free(item->fields, item->field_count, (char *)list->items + i * item->size);
    free(list->items);
}

static void choice_free(struct choice *choice)
{
    if (choice->type != NULL)
        fields_free(choice->type->fields, choice->type->field_count, choice->params);
    free(choice->params);
    *choice = (struct choice){0};
}

static void texts_free(char **texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
}

static void recorder_free(struct recorder_plan *recorder)
{
    free(recorder->name);
    choice_free(&recorder->correction);
    choice_free(&recorder->store);
    choice_free(&recorder->rank);
}

static void report_free(struct report_plan *report)
{
    for (size_t i = 0; i < report->above_count; i++)
        free(report->above[i].text);
    free(report->percentiles);
    free(report->above);
    choice_free(&report->rank);
}

static void server_free(struct server *server)
{
    choice_free(&server->service);
    choice_free(&server->queue);
    choice_free(&server->routing);
    choice_free(&server->behind.service);
    choice_free(&server->behind.queue);
    choice_free(&server->network.delay);
    for (size_t i = 0; i < server->stall_count; i++) {
        choice_free(&server->stalls[i].up);
        choice_free(&server->stalls[i].down);
    }
    free(server->stalls);
}

static void sweeps_free(struct sweep *sweeps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(sweeps[i].path);
        texts_free(sweeps[i].values, sweeps[i].value_count);
    }
    free(sweeps);
}

void plan_free(struct plan *plan)
{
    if (plan == NULL)
        return;
    free(plan->file);
    free(plan->title);
    texts_free(plan->about, plan->about_count);
    texts_free(plan->claims, plan->claim_count);
    server_free(&plan->server);
    for (size_t i = 0; i < plan->load_count; i++) {
        free(plan->loads[i].name);
        choice_free(&plan->loads[i].kind);
        choice_free(&plan->loads[i].resend);
    }
    free(plan->loads);
    for (size_t i = 0; i < plan->recorder_count; i++)
        recorder_free(&plan->recorders[i]);
    free(plan->recorders);
    report_free(&plan->report);
    for (size_t i = 0; i < plan->expectation_count; i++) {
        free(plan->expectations[i].figure);
        free(plan->expectations[i].text);
    }
    free(plan->expectations);
    sweeps_free(plan->sweeps, plan->sweep_count);
    choice_free(&plan->experiment);
    free(plan);
}
