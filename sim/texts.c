/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/texts.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/loads/load.h"
#include "models/policies/resend.h"
#include "models/stalls/stall.h"

/* A duration as text, by value: many stand in one sentence. */
struct words {
    char text[40];
};

static struct words time_of(ns_t ns)
{
    struct words words;
    duration_format(ns, words.text);
    return words;
}

/* Ratios of a scenario are short decimals. */
static struct words number_of(struct ratio ratio)
{
    struct words words;
    snprintf(words.text, sizeof words.text, "%.9g", ratio_double(ratio));
    return words;
}

static struct words mean_of(struct choice choice)
{
    struct words words;
    double mean_ns = distribution(choice)->mean_ns(choice.params);
    if (isfinite(mean_ns) && mean_ns < (double)NS_LIMIT)
        return time_of((ns_t)llround(mean_ns));
    snprintf(words.text, sizeof words.text, "without end");
    return words;
}

/* Appends to a text, which is freed. */
__attribute__((format(printf, 2, 3))) static char *with(char *text, const char *format, ...)
{
    va_list args;
    char more[200];
    va_start(args, format);
    vsnprintf(more, sizeof more, format, args);
    va_end(args);
    char *longer = must_format("%s%s", text, more);
    free(text);
    return longer;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static char *with_copies(char *text, const struct load_plan *load)
{
    const struct resend *resend = load->resend.params;
    if (!load->idempotent)
        return with(text, ", not idempotent: no copies");
    text = with(text, ", %s", load->resend.type->name);
    if (resend->percentile.num != 0)
        text = with(text, " after p%s", number_of(resend->percentile).text);
    else if (load->resend.type != &resend_tied.is)
        text = with(text, " after %s", time_of(resend->after_ns).text);
    text = with(text, ", %" PRIu64 " copies", resend->copies);
    if (resend->backoff.num > resend->backoff.den)
        text = with(text, ", back-off %s", number_of(resend->backoff).text);
    if (resend->jitter.num != 0)
        text = with(text, ", jitter %s", number_of(resend->jitter).text);
    if (resend->budget.den != 0)
        text = with(text, ", budget %s", number_of(resend->budget).text);
    if (resend->cancel != CANCEL_NONE)
        text = with(text, ", cancels %s", cancel_words[resend->cancel]);
    return load->work == WORK_PER_REQUEST ? with(text, ", all of the same work") : text;
}

static char *with_parts(char *text, const struct load_plan *load)
{
    if (load->wait_for != 0 && load->wait_for < load->fan_out)
        text = with(text, ", %" PRIu64 " of %" PRIu64 " parts", load->wait_for, load->fan_out);
    else
        text = with(text, ", %" PRIu64 " parts", load->fan_out);
    return load->work == WORK_PER_REQUEST ? with(text, " of the same work") : text;
}

char *load_text(const struct load_plan *load)
{
    char *text = load_kind(load->kind)->describe(load->kind.params);
    if (load->timeout_ns != 0)
        text = with(text, ", timeout %s", time_of(load->timeout_ns).text);
    if (load->timeout_ns != 0 && load->timeout_cancel != CANCEL_NONE)
        text = with(text, " cancels %s", cancel_words[load->timeout_cancel]);
    if (load->resend.type != NULL)
        text = with_copies(text, load);
    if (load->fan_out > 1)
        text = with_parts(text, load);
    const struct generator *generator = &load->generator;
    if (generator->cost_ns != 0)
        text = with(text, ", %s a send on %" PRIu64 " thread%s", time_of(generator->cost_ns).text,
                    generator->threads, plural(generator->threads));
    if (load->overhead_ns != 0)
        text = with(text, ", %s an answer", time_of(load->overhead_ns).text);
    return text;
}

static char *with_station(char *text, uint64_t workers, struct choice service, struct choice queue)
{
    if (workers == UNLIMITED)
        text = with(text, "unlimited workers");
    else
        text = with(text, "%" PRIu64 " worker%s", workers, plural(workers));
    bool constant = service.type == &distribution_constant.is;
    text = with(text, ", %s %s%s", service.type->name, constant ? "" : "of mean ",
                mean_of(service).text);
    return queue.type == NULL ? text : with(text, ", %s", queue.type->name);
}

static char *with_target(char *text, const struct stall *stall)
{
    switch (stall->target) {
    case TARGET_SERVER: return text;
    case TARGET_REPLICA: return with(text, " of replica %" PRIu64, stall->replica);
    case TARGET_BEHIND: return with(text, " of the station behind");
    case TARGET_NETWORK: return with(text, " of the network");
    case TARGET_GENERATOR: return with(text, " of the generator");
    }
    BUG("target outside its enum");
}

static char *with_stall(char *text, const struct stall *stall)
{
    struct ratio left = {stall->lost.den - stall->lost.num, stall->lost.den};
    text = with(text, "; %s", stall->mode->is.name);
    if (stall->mode->slows && stall->mode->names_share)
        text = with(text, " of %s", number_of(stall->lost).text);
    else if (stall->mode->slows)
        text = with(text, " to %s", number_of(left).text);
    text = with_target(text, stall);
    if (stall->up.type != NULL)
        return with(text, " at random, mean %s after %s", mean_of(stall->down).text,
                    mean_of(stall->up).text);
    text = with(text, " %s", time_of(stall->last_ns).text);
    if (stall->every_ns != 0)
        return with(text, " every %s", time_of(stall->every_ns).text);
    return with(text, " at %s", time_of(stall->first_ns).text);
}

char *server_text(const struct server *server)
{
    enum { STALLS_SHOWN = 3 };
    char *text = must_copy("");
    if (server->replicas > 1)
        text = with(text, "%" PRIu64 " replicas (%s), each ", server->replicas,
                    server->routing.type->name);
    text = with_station(text, server->workers, server->service, server->queue);
    if (server->queue_limit != UNLIMITED)
        text = with(text, ", %" PRIu64 " wait at most", server->queue_limit);
    if (server->load_dependence.num != 0)
        text = with(text, ", slower by %s for each other request",
                    number_of(server->load_dependence).text);
    if (server->quota.budget_ns != 0)
        text = with(text, "; quota %s in %s%s", time_of(server->quota.budget_ns).text,
                    time_of(server->quota.period_ns).text,
                    server->quota.shared ? ", shared with the generator" : "");
    if (server->behind.service.type != NULL) {
        text = with(text, "; behind it ");
        text = with_station(text, server->behind.workers, server->behind.service,
                            server->behind.queue);
        if (server->behind.keeps_worker)
            text = with(text, ", keeps the worker");
    }
    if (server->network.delay.type != NULL)
        text = with(text, "; network %s of mean %s with probability %s",
                    server->network.delay.type->name, mean_of(server->network.delay).text,
                    number_of(server->network.probability).text);
    for (size_t i = 0; i < server->stall_count && i < STALLS_SHOWN; i++)
        text = with_stall(text, &server->stalls[i]);
    if (server->stall_count > STALLS_SHOWN)
        text = with(text, "; %zu more", server->stall_count - STALLS_SHOWN);
    return text;
}
