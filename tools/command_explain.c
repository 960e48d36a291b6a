/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "models/corrections/correction.h"
#include "sim/start.h"
#include "tools/command.h"
#include "tools/explain.h"
#include "tools/report/table.h"
#include "tools/report/utf8.h"
#include "tools/session.h"
#include "tools/words.h"

void say(const struct page *page, char *text)
{
    paragraph_write(page->out, text, 0, page->width);
    free(text);
}

char *grown(char *text, char *more)
{
    char *longer = must_format("%s%s", text, more);
    free(text);
    free(more);
    return longer;
}

char *duration_words(ns_t ns)
{
    char text[32];
    duration_format(ns, text);
    return must_copy(text);
}

static const char *failures_words(enum failures failures)
{
    switch (failures) {
    case FAILURES_DROPPED: return "are left out";
    case FAILURES_TIMEOUT:
        return "count as answered at their timeout, refused ones when they were refused";
    case FAILURES_END:
        return "count as answered when their work left the server, which refused ones never "
               "entered: "
               "when they were refused";
    case FAILURES_INFINITE: return "count as infinitely slow";
    }
    BUG("failures outside its enum");
}

static char *correction_words(struct choice choice)
{
    if (!choice.type)
        return must_copy(" Correction: none; every sample is a request.");
    const struct correction_params *params = choice.params;
    bool automatic = params->interval_ns == INTERVAL_AUTO;
    char *words = choice_words(choice);
    char *interval = automatic ? must_copy("that interval") : duration_words(params->interval_ns);
    char *text = must_format(" Correction: %s, which %s; valid if %s %s.", words, choice.type->says,
                             CORRECTION_ASSUMES, interval);
    free(words);
    free(interval);
    return text;
}

static const char *part_says(enum part part)
{
    switch (part) {
    case PART_NONE: return "the whole";
    case PART_QUEUE: return "what of it was spent in the queue, stalls apart";
    case PART_STALL:
        return "what of it stalls took: the server could not begin it, stood still or "
               "held its answer back";
    case PART_SERVICE: return "what of it was spent in service, stalls apart";
    }
    BUG("part outside its enum");
}

static char *watch_words(const struct recorder_plan *recorder)
{
    if (recorder->part == PART_NONE)
        return must_format("its stopwatch runs from %s to %s.", instant_name(recorder->from),
                           instant_name(recorder->to));
    return must_format("of the time from send to finish it takes %s.", part_says(recorder->part));
}

static char *group_words(const struct recorder_plan *recorder)
{
    static const char *const each[] = {[PER_RUN] = "run",
                                       [PER_WINDOW] = "window",
                                       [PER_CLIENT] = "client",
                                       [PER_REPLICA] = "replica"};
    if (recorder->per == PER_RUN)
        return must_copy("");
    char *window = duration_words(recorder->window_ns);
    char *text = must_format(
        " It keeps a histogram for each %s%s%s; the figures are %s.", each[recorder->per],
        recorder->per == PER_WINDOW ? " of " : "", recorder->per == PER_WINDOW ? window : "",
        recorder->merge == MERGE_AVERAGE ? "the averages of their percentiles, a mistake"
                                         : "those of all their counts together");
    free(window);
    return text;
}

static void say_recorder(const struct page *page, const struct plan *plan, size_t index)
{
    const struct recorder_plan *recorder = &plan->recorders[index];
    char *store = choice_words(recorder->store), *rank = choice_words(recorder->rank);
    char *warmup = duration_words(recorder->warmup_ns);
    char *text = must_format("Recorder \"%s\": watches load \"%s\"; ", recorder->name,
                             plan->loads[recorder->load].name);
    text = grown(text, watch_words(recorder));
    text = grown(text, group_words(recorder));
    text = grown(text, correction_words(recorder->correction));
    text = grown(text, must_format(" Store: %s. Rank rule: %s, %s. Requests that failed %s.", store,
                                   rank, recorder->rank.type ? recorder->rank.type->says : "",
                                   failures_words(recorder->failures)));
    if (recorder->warmup_ns)
        text = grown(text, must_format(" Requests due before %s are not recorded.", warmup));
    if (recorder->truth != NO_INDEX)
        text = grown(text, must_format(" The user's truth is taken from the schedule of load "
                                       "\"%s\".",
                                       plan->loads[recorder->truth].name));
    free(store);
    free(rank);
    free(warmup);
    say(page, text);
}

static const char *start_words(enum start start)
{
    switch (start) {
    case START_DEFAULT:
        return "from the stationary state for each load that is random and of which a law gives "
               "that state, the others empty";
    case START_EMPTY: return "empty";
    case START_STATIONARY: return "from the stationary state";
    }
    BUG("start outside its enum");
}

/* A share in percent. */
static char *percent_words(struct ratio share)
{
    uint64_t common = gcd_u64(100, share.den);
    return ratio_words((struct ratio){share.num * (100 / common), share.den / common});
}

static void say_run(const struct page *page, const struct run_plan *run)
{
    char *text = must_copy("Run:"), *duration = duration_words(run->duration_ns);
    char *cut = duration_words(run->cut_ns);
    if (run->detect_p.num) {
        char *p = percent_words(run->detect_p), *within = percent_words(run->detect_within);
        text = grown(text, must_format(" as many requests as a check needs to find out, nearly "
                                       "always, a law that is off by %s %% of p%s.",
                                       within, p));
        free(p);
        free(within);
    }
    if (run->requests)
        text = grown(text,
                     must_format(" %llu requests of each load%s", (unsigned long long)run->requests,
                                 run->duration_ns ? ", or" : "."));
    if (run->duration_ns)
        text = grown(text, must_format(" those due before %s%s.", duration,
                                       run->requests ? ", whichever ends first" : ""));
    text =
        grown(text, run->cut_ns
                        ? must_format(" What is still in flight at %s is cut off and counted.", cut)
                        : must_copy(" Every request sent is followed to its end."));
    text =
        grown(text, run->replications
                        ? must_format(" %llu replication%s,", (unsigned long long)run->replications,
                                      run->replications == 1 ? "" : "s")
                        : must_copy(" 32 replications if anything in it is random, else one,"));
    text = grown(text, must_format(" seed %llu, starting %s.", (unsigned long long)run->seed,
                                   start_words(run->start)));
    free(duration);
    free(cut);
    say(page, text);
}

static void say_report(const struct page *page, const struct plan *plan)
{
    const struct report_plan *report = &plan->report;
    char *text = must_copy("Report: percentiles");
    for (size_t i = 0; i < report->percentile_count; i++)
        text = grown(text, must_format("%s %s", i ? "," : "", report->percentiles[i].text));
    for (size_t i = 0; i < report->above_count; i++)
        text = grown(text, must_format("%s %s", i ? "," : "; shares above", report->above[i].text));
    text = grown(text, must_copy("."));
    if (plan->expectation_count)
        text = grown(text,
                     must_format(" The scenario states %zu figure%s that must come out.",
                                 plan->expectation_count, plan->expectation_count == 1 ? "" : "s"));
    say(page, text);
}

static void write_words(const struct page *page, const struct plan *plan)
{
    if (plan->title && plan->title[0])
        say(page, must_copy(plan->title));
    char *about = must_copy(""); /* its lines are the lines of the file, not of this page */
    for (size_t i = 0; i < plan->about_count; i++)
        about = grown(about, must_format("%s%s", i ? " " : "", plan->about[i]));
    say(page, about);
    fputc('\n', page->out);
    explain_server(page, &plan->server);
    for (size_t i = 0; i < plan->load_count; i++)
        explain_load(page, &plan->loads[i]);
    for (size_t i = 0; i < plan->recorder_count; i++)
        say_recorder(page, plan, i);
    say_run(page, &plan->run);
    say_report(page, plan);
    explain_points(page, plan);
    fputc('\n', page->out);
}

/* The scenario as JSON.  What a terminal must not see stands only inside strings of it, where an
   escape means the same. */
static void write_json(FILE *out, const struct plan *plan)
{
    char *json = NULL;
    size_t length = 0;
    FILE *raw = open_memstream(&json, &length);
    if (raw)
        plan_write_json(plan, raw);
    if (!raw || fclose(raw) != 0)
        BUG("no memory for a scenario that was read into memory");
    for (const char *at = json; *at;) {
        uint32_t point;
        size_t bytes = utf8_next(at, &point);
        if (utf8_is_hidden(point) && point != '\n')
            fprintf(out, "\\u%04x", (unsigned)point);
        else
            fwrite(at, 1, bytes, out);
        at += bytes;
    }
    free(json);
}

static int visit(void *self, const struct options *options, const struct plan *plan, FILE *out,
                 bool first)
{
    (void)self;
    struct plan filled = *plan;
    filled.run.start = start_of_run(plan);
    if (options->format == FORMAT_TEXT) {
        if (!first)
            fputc('\n', out);
        write_words(&(struct page){out, session_style(options, first).width}, &filled);
    }
    write_json(out, &filled);
    return EXIT_HOLDS;
}

static int run(const struct options *options)
{
    return session_each(options, &(struct visitor){.visit = visit});
}

const struct command command_explain = {
    .name = "explain",
    .operands = "FILE...",
    .says = "print scenarios with every default filled, in words and as JSON",
    .options = OPTION_BIT(OPTION_FORMAT) | OPTION_BIT(OPTION_SET) | OPTION_BIT(OPTION_SEED) |
               OPTION_BIT(OPTION_OUTPUT),
    .formats = 1u << FORMAT_TEXT | 1u << FORMAT_JSON,
    .operands_least = 1,
    .operands_most = SIZE_MAX,
    .run = run,
    .help = "Says in words what each scenario FILE (- is standard input) means, defaults "
            "included, then prints it whole as JSON. With --format json it prints the JSON alone, "
            "which is a scenario again and runs the same.",
};
