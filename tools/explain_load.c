/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/explain.h"

#include <stdlib.h>

#include "tools/words.h"

static const char *cancel_says(enum cancel cancel)
{
    switch (cancel) {
    case CANCEL_NONE: return "its copies stay where they are";
    case CANCEL_QUEUED:
        return "each copy is taken back that long after its own send if it has "
               "not begun";
    case CANCEL_IN_SERVICE:
        return "each copy is taken back that long after its own send, begun "
               "or not";
    }
    BUG("cancel outside its enum");
}

static char *patience_words(const struct load_plan *load)
{
    if (load->timeout_ns == 0)
        return must_copy("Its client waits for every answer.");
    char *timeout = duration_words(load->timeout_ns);
    char *text = must_format("Its client gives a request up %s after it was sent; %s.", timeout,
                             cancel_says(load->timeout_cancel));
    free(timeout);
    return text;
}

static void say_copies(const struct page *page, const struct load_plan *load)
{
    char *resend = choice_words(load->resend);
    say(page, must_format("Copies of load \"%s\": %s: %s. %s%s", load->name, resend,
                          load->resend.type->says,
                          load->work == WORK_PER_REQUEST ? "All copies of a request bring the same "
                                                           "work."
                                                         : "Each copy draws its own work.",
                          load->idempotent ? ""
                                           : " But a copy might do harm here, so none is "
                                             "sent."));
    free(resend);
}

static void say_parts(const struct page *page, const struct load_plan *load)
{
    uint64_t wait_for = load->wait_for == 0 ? load->fan_out : load->wait_for;
    char *when = wait_for == load->fan_out
                     ? must_copy("all of them are")
                     : must_format("%llu of them %s", (unsigned long long)wait_for,
                                   wait_for == 1 ? "is" : "are");
    say(page, must_format("Parts of load \"%s\": every request is %llu parts, each to another "
                          "replica, and is answered when %s. %s",
                          load->name, (unsigned long long)load->fan_out, when,
                          load->work == WORK_PER_REQUEST ? "All parts bring the same work."
                                                         : "Each part draws its own work."));
    free(when);
}

static void say_costs(const struct page *page, const struct load_plan *load)
{
    const struct generator *generator = &load->generator;
    char *cost = duration_words(generator->cost_ns), *overhead = duration_words(load->overhead_ns);
    char *text = must_format("Client of load \"%s\":", load->name);
    if (generator->cost_ns)
        text = grown(text, must_format(" each send takes %s of one of its %llu thread%s.", cost,
                                       (unsigned long long)generator->threads,
                                       generator->threads == 1 ? "" : "s"));
    if (load->overhead_ns)
        text = grown(text, must_format(" Each answer costs %s more before it counts.", overhead));
    say(page, text);
    free(cost);
    free(overhead);
}

void explain_load(const struct page *page, const struct load_plan *load)
{
    char *kind = choice_words(load->kind), *patience = patience_words(load);
    say(page,
        must_format("Load \"%s\": %s: %s. %s", load->name, kind, load->kind.type->says, patience));
    free(kind);
    free(patience);
    if (load->resend.type)
        say_copies(page, load);
    if (load->fan_out > 1)
        say_parts(page, load);
    if (load->generator.cost_ns || load->overhead_ns)
        say_costs(page, load);
}

void explain_points(const struct page *page, const struct plan *plan)
{
    enum { SHOWN = 8 };
    size_t runs = 1;
    for (size_t i = 0; i < plan->sweep_count; i++) {
        const struct sweep *sweep = &plan->sweeps[i];
        char *text = must_format("Sweep: %s takes %zu value%s:", sweep->path, sweep->value_count,
                                 sweep->value_count == 1 ? "" : "s");
        for (size_t k = 0; k < sweep->value_count && k < SHOWN; k++)
            text = grown(text, must_format("%s %s", k ? "," : "", sweep->values[k]));
        say(page, grown(text, must_copy(sweep->value_count > SHOWN ? ", ..." : ".")));
        runs *= sweep->value_count;
    }
    if (plan->sweep_count > 1)
        say(page, must_format("Every combination is a run: %zu of them.", runs));
    if (plan->experiment.type == NULL)
        return;
    char *experiment = choice_words(plan->experiment);
    say(page, must_format("Experiment: %s: %s.", experiment, plan->experiment.type->says));
    free(experiment);
}
