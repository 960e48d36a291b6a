/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/error.h"
#include "models/faults/pipeline.h"
#include "tests/vector_made.h"

static void open_made(struct made *made, size_t most)
{
    *made = (struct made){.due = must_alloc(most, sizeof *made->due),
                          .sent = must_alloc(most, sizeof *made->sent),
                          .started = must_alloc(most, sizeof *made->started),
                          .finished = must_alloc(most, sizeof *made->finished),
                          .status = must_alloc(most, sizeof *made->status),
                          .client = must_alloc(most, sizeof *made->client)};
    made->requests = (struct requests){
        0,           made->due, made->sent, made->sent, made->started, made->finished, made->status,
        made->client};
}

void vector_unmake(struct made *made)
{
    free(made->due);
    free(made->sent);
    free(made->started);
    free(made->finished);
    free(made->status);
    free(made->client);
}

static size_t value_count(const struct vector_case *c)
{
    size_t count = 0;
    for (size_t r = 0; r < VECTOR_RUNS; r++)
        count += c->runs[r].times;
    return count;
}

static ns_t longest_ns(const struct vector_case *c)
{
    ns_t most_ns = 0;
    for (size_t r = 0; r < VECTOR_RUNS && c->runs[r].times > 0; r++) {
        ns_t last_ns = c->runs[r].first_ns + (c->runs[r].times - 1) * c->runs[r].step_ns;
        most_ns = last_ns > most_ns ? last_ns : most_ns;
    }
    return most_ns;
}

/* Values as requests one after the other, far enough apart that they finish in that order. */
static void make_values(const struct vector_case *c, struct made *made)
{
    ns_t gap_ns = longest_ns(c) + 1;
    for (size_t r = 0; r < VECTOR_RUNS; r++)
        for (uint64_t k = 0; k < c->runs[r].times; k++) {
            size_t i = made->requests.count++;
            made->due[i] = made->sent[i] = made->started[i] = i * gap_ns;
            made->finished[i] = made->due[i] + c->runs[r].first_ns + k * c->runs[r].step_ns;
            made->status[i] = STATUS_ANSWERED;
            made->client[i] = c->runs[r].worker;
        }
}

static void make_load(const struct stalled_load *load, struct made *made)
{
    ns_t free_ns = 0;
    for (size_t i = 0; i < load->requests; i++) {
        bool failed = i >= load->requests - load->failures;
        bool slow = failed || (i == 0 && load->failures == 0);
        ns_t slot_ns = i * load->every_ns, begin_ns = slot_ns > free_ns ? slot_ns : free_ns;
        made->due[i] = load->sends == SENDS_CLOSED ? free_ns : slot_ns;
        made->started[i] = load->sends == SENDS_CLOSED ? free_ns : begin_ns;
        made->sent[i] = load->sends == SENDS_OPEN ? slot_ns : made->started[i];
        free_ns = made->started[i] + (slow ? load->first_service_ns : load->service_ns);
        made->finished[i] = free_ns;
        made->status[i] = (uint8_t)(failed ? load->failed_as : STATUS_ANSWERED);
        made->client[i] = 0;
    }
    made->requests.count = load->requests;
}

const char *vector_status(uint8_t status)
{
    switch ((enum status)status) {
    case STATUS_ANSWERED: return "ok";
    case STATUS_TIMED_OUT: return "timeout";
    case STATUS_REFUSED: return "refused";
    case STATUS_CUT: return "cut";
    }
    BUG("a status outside its enum");
}

void vector_ask(const struct vector_case *c, struct percentile *percentiles, struct asked *asked)
{
    *asked =
        (struct asked){.from = c->from,
                       .failures = c->failures,
                       .interval_ns = c->correction != NULL ? c->interval_ns : c->load.every_ns,
                       .rank = rank_named("nearest"),
                       .percentiles = percentiles};
    if (c->correction != NULL)
        asked->correction = correction_named(c->correction);
    for (size_t k = 0; k < VECTOR_PERCENTILES && c->percentiles[k] != NULL; k++) {
        struct percentile *p = &percentiles[asked->percentile_count++];
        if (!ratio_parse(c->percentiles[k], strlen(c->percentiles[k]), &p->p))
            BUG("a percentile that is no number");
        p->p = ratio_make(p->p.num, p->p.den * 100);
    }
}

void vector_make(const struct vector_case *c, struct made *made)
{
    open_made(made, value_count(c) + c->load.requests);
    if (c->load.sends == SENDS_NONE)
        make_values(c, made);
    else
        make_load(&c->load, made);
}

const char *vector_from(const struct asked *asked)
{
    return asked->from == INSTANT_DUE ? "due" : "sent";
}

bool vector_figure(const struct vector_case *c, const struct report *report, size_t index,
                   char name[32], struct said *said)
{
    static const char *const names[] = {"count", "min", "max", "mean", "sum"};
    const struct said figures[] = {
        {true, (i128)report->count * 1000}, report->min, report->max, report->mean, report->sum};
    if (index < 5) {
        snprintf(name, 32, "%s", names[index]);
        *said = figures[index];
        return true;
    }
    if (index - 5 >= report->percentile_count)
        return false;
    snprintf(name, 32, "p%s", c->percentiles[index - 5]);
    *said = report->percentiles[index - 5];
    return true;
}

bool vector_same(struct said a, struct said b)
{
    return a.known == b.known && (!a.known || a.milli == b.milli);
}

void vector_write(struct said said, const char *none)
{
    if (!said.known) {
        fputs(none, stdout);
        return;
    }
    i128 size = said.milli < 0 ? -said.milli : said.milli;
    printf("%s%" PRIu64, said.milli < 0 ? "-" : "", (uint64_t)(size / 1000));
    unsigned rest = (unsigned)(size % 1000), width = 3;
    for (; rest != 0 && rest % 10 == 0; width--)
        rest /= 10;
    if (rest != 0)
        printf(".%0*u", (int)width, rest);
}
