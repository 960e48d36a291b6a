/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/explain.h"

#include <stdlib.h>

#include "models/stalls/stall.h"
#include "tools/words.h"

static void say_random_stall(const struct page *page, const struct stall *stall, char *what)
{
    char *up = choice_words(stall->up), *down = choice_words(stall->down);
    say(page, must_format("%s, at random: it is over for %s, then on for %s, and again.", what, up,
                          down));
    free(up);
    free(down);
    free(what);
}

/* "of replica 2": what it strikes, where that is not the whole server.  Owned by the caller. */
static char *target_words_of(const struct stall *stall)
{
    switch (stall->target) {
    case TARGET_SERVER: return must_copy("");
    case TARGET_REPLICA:
        return must_format(" of replica %llu alone", (unsigned long long)stall->replica);
    case TARGET_BEHIND: return must_copy(" of the station behind");
    case TARGET_NETWORK: return must_copy(" of the network");
    case TARGET_GENERATOR: return must_copy(" of the client's sender threads");
    }
    BUG("target outside its enum");
}

/* "Stall: suspend (work stops ...)". */
static char *stall_words(const struct stall *stall)
{
    const struct stall_type *mode = stall->mode;
    char *target = target_words_of(stall);
    char *text =
        must_format("%s%s: %s (%s)", mode->slows || mode->refuses ? "Disturbance" : "Stall", target,
                    mode->is.name, mode->is.says);
    free(target);
    if (!mode->slows)
        return text;
    struct ratio left = {stall->lost.den - stall->lost.num, stall->lost.den};
    char *share = ratio_words(mode->names_share ? stall->lost : left);
    text = grown(
        text, must_format(", %s of the speed is %s", share, mode->names_share ? "lost" : "left"));
    free(share);
    if (stall->halves_ns == 0)
        return text;
    char *halves = duration_words(stall->halves_ns);
    text = grown(text, must_format(", and what is lost halves every %s", halves));
    free(halves);
    return text;
}

static void say_stall(const struct page *page, const struct stall *stall)
{
    char *what = stall_words(stall);
    if (stall->up.type) {
        say_random_stall(page, stall, what);
        return;
    }
    char *first = duration_words(stall->first_ns), *last = duration_words(stall->last_ns);
    char *every = duration_words(stall->every_ns);
    say(page, must_format("%s, first at %s, each lasting %s, %s%s.", what, first, last,
                          stall->every_ns ? "every " : "once", stall->every_ns ? every : ""));
    free(first);
    free(last);
    free(every);
    free(what);
}

/* "4 workers, fifo (first come, first served)". */
static char *station_words(uint64_t workers, struct choice queue)
{
    if (workers == UNLIMITED)
        return must_copy("every request starts at once, on a worker of its own");
    char *name = choice_words(queue);
    char *text = must_format("%llu worker%s and one queue, %s: %s", (unsigned long long)workers,
                             workers == 1 ? "" : "s", name, queue.type->says);
    free(name);
    return text;
}

static void say_station(const struct page *page, const struct server *server)
{
    char *service = choice_words(server->service);
    char *text = grown(must_copy("Server: "), station_words(server->workers, server->queue));
    text = grown(text, must_copy("."));
    if (server->workers != UNLIMITED)
        text = grown(text, server->queue_limit == UNLIMITED
                               ? must_copy(" The queue has no limit.")
                               : must_format(" At most %llu wait; more are refused.",
                                             (unsigned long long)server->queue_limit));
    text = grown(text, must_format(" Service time: %s.", service));
    free(service);
    if (server->load_dependence.num) {
        char *share = ratio_words(server->load_dependence);
        text = grown(text, must_format(" Each other request there when a service begins makes it "
                                       "longer by %s of itself.",
                                       share));
        free(share);
    }
    if (server->replicas > 1) {
        char *routing = choice_words(server->routing);
        text = grown(text, must_format(" There are %llu of them, each with its own queue and "
                                       "stalls; a request goes to one by the rule %s: %s.",
                                       (unsigned long long)server->replicas, routing,
                                       server->routing.type->says));
        free(routing);
    }
    say(page, text);
}

static void say_quota(const struct page *page, const struct quota *quota)
{
    char *budget = duration_words(quota->budget_ns), *period = duration_words(quota->period_ns);
    say(page, must_format("Quota: %s of work in every %s, over all workers%s; when it is spent, "
                          "everything stops until the next period.",
                          budget, period, quota->shared ? " and the client's sender threads" : ""));
    free(budget);
    free(period);
}

static void say_behind(const struct page *page, const struct behind *behind)
{
    char *service = choice_words(behind->service);
    char *station = station_words(behind->workers, behind->queue);
    say(page, must_format("Behind it every request passes a second station: %s. Service time "
                          "there: %s. %s.",
                          station, service,
                          behind->keeps_worker ? "The first station's worker waits for its answer"
                                               : "The first station's worker is free meanwhile"));
    free(service);
    free(station);
}

static void say_network(const struct page *page, const struct network *network)
{
    char *delay = choice_words(network->delay), *probability = ratio_words(network->probability);
    say(page, must_format("Network: with probability %s a request takes %s on its way to the "
                          "server, else no time.",
                          probability, delay));
    free(delay);
    free(probability);
}

void explain_server(const struct page *page, const struct server *server)
{
    say_station(page, server);
    if (server->quota.budget_ns)
        say_quota(page, &server->quota);
    if (server->behind.service.type)
        say_behind(page, &server->behind);
    if (server->network.delay.type)
        say_network(page, &server->network);
    for (size_t i = 0; i < server->stall_count; i++)
        say_stall(page, &server->stalls[i]);
    if (server->stall_count == 0)
        say(page, must_copy("Stalls: none; the server is always there."));
}
