/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/audit.h"
#include "tools/audit_words.h"
#include "tools/command.h"
#include "tools/session.h"

#define COUNT_MOST (UINT64_C(1) << 50)

static const struct place here = {.file = "duetime"};

static void read_count(const struct options *options, enum option_id id, uint64_t *out,
                       struct errors *errors)
{
    const char *text = option_value(options, id);
    struct ratio value;
    if (!text)
        return;
    if (ratio_parse(text, strlen(text), &value) && value.den == 1 && value.num > 0 &&
        value.num <= COUNT_MOST)
        *out = value.num;
    else
        errors_add(errors, here, "--%s is a whole number from 1 to 2^50, not %s",
                   option_texts[id].name, text);
}

static void read_time(const char *name, const char *text, ns_t *out, struct errors *errors)
{
    ns_t ns;
    if (!text)
        return;
    if (duration_parse(text, strlen(text), &ns) == DURATION_OK && ns > 0 && ns <= AUDIT_MOST_NS)
        *out = ns;
    else
        errors_add(errors, here,
                   "--%s is a duration such as 5.61ms, above 0 and up to 13 days, "
                   "not %s",
                   name, text);
}

static void read_interval(const char *text, struct audit_summary *s, struct errors *errors)
{
    s->interval = INTERVAL_WRK;
    if (!text || strcmp(text, "wrk") == 0)
        return;
    s->interval = strcmp(text, "exact") == 0 ? INTERVAL_EXACT : INTERVAL_GIVEN;
    if (s->interval == INTERVAL_GIVEN)
        read_time("interval", text, &s->interval_ns, errors);
}

static void read_percentile(const struct given *given, struct audit_summary *s,
                            struct errors *errors)
{
    struct ratio percent;
    const char *text = given->name + 1;
    bool good = ratio_parse(text, strlen(text), &percent) && percent.den <= UINT64_MAX / 100 &&
                percent.num > 0 && percent.num / percent.den <= 100;
    struct ratio p = good ? ratio_make(percent.num, percent.den * 100) : ratio_make(1, 1);
    if (!good || p.num > p.den) {
        errors_add(errors, here,
                   "--%s is no percentile: p and a decimal above 0 and up to 100, "
                   "such as --p99.9",
                   given->name);
        return;
    }
    if (s->percentile_count == AUDIT_PERCENTILES) {
        errors_add(errors, here, "more than %d percentiles", AUDIT_PERCENTILES);
        return;
    }
    for (size_t i = 0; i < s->percentile_count; i++)
        if (s->percentiles[i].p.num == p.num && s->percentiles[i].p.den == p.den) {
            errors_add(errors, here, "--%s is given twice: a percentile has one value",
                       given->name);
            return;
        }
    struct audit_percentile *out = &s->percentiles[s->percentile_count++];
    *out = (struct audit_percentile){.p = p, .text = text};
    read_time(given->name, given->value, &out->value_ns, errors);
}

static void read_rate(const char *text, struct audit_summary *s, struct errors *errors)
{
    struct ratio rate;
    if (!text)
        return;
    if (ratio_parse(text, strlen(text), &rate) && rate.num > 0)
        s->rate_per_s = rate;
    else
        errors_add(errors, here, "--rate is a number of answers per second above 0, not %s", text);
}

/* The last one would win in silence; percentiles are many, and judged where they are read. */
static void judge_once(const struct options *options, struct errors *errors)
{
    for (size_t i = 0; i < options->value_count; i++)
        for (size_t k = 0; k < i; k++)
            if (options->values[i].id == options->values[k].id &&
                options->values[i].id != OPTION_PERCENTILE) {
                errors_add(errors, here, "--%s is given twice: a summary has one",
                           options->values[i].name);
                break;
            }
}

static void judge_enough(const struct options *options, const struct audit_summary *s,
                         struct errors *errors)
{
    uint64_t given = options->given;
    bool counted = (given & OPTION_BIT(OPTION_REQUESTS)) && (given & OPTION_BIT(OPTION_DURATION));
    if (!(given & OPTION_BIT(OPTION_CONNECTIONS)))
        errors_add(errors, here,
                   "audit needs --connections: Little's law is about those in flight");
    if (!(given & OPTION_BIT(OPTION_RATE)) && !counted)
        errors_add(errors, here,
                   "audit needs the throughput: --rate, or --requests and --duration");
    if ((given & OPTION_BIT(OPTION_THREADS)) && s->threads == 0)
        errors_add(errors, here, "--threads are those of the tool, which had at least 1, not 0");
    if (s->connections != 0 && s->threads > s->connections)
        errors_add(errors, here, "fewer connections than threads: each thread would have none");
}

static struct audit_summary read_summary(const struct options *options, struct errors *errors)
{
    static const enum option_id times[] = {OPTION_DURATION, OPTION_MEAN,      OPTION_MAX,
                                           OPTION_TIMEOUT,  OPTION_REAL_MEAN, OPTION_PAUSE};
    struct audit_summary s = {.threads = options->threads};
    ns_t *const to[] = {&s.duration_ns, &s.mean_ns,      &s.max_ns,
                        &s.timeout_ns,  &s.real_mean_ns, &s.pause_ns};
    read_count(options, OPTION_CONNECTIONS, &s.connections, errors);
    read_count(options, OPTION_REQUESTS, &s.requests, errors);
    read_rate(option_value(options, OPTION_RATE), &s, errors);
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        read_time(option_texts[times[i]].name, option_value(options, times[i]), to[i], errors);
    read_interval(option_value(options, OPTION_INTERVAL), &s, errors);
    for (size_t i = 0; i < options->value_count; i++)
        if (options->values[i].id == OPTION_PERCENTILE)
            read_percentile(&options->values[i], &s, errors);
    judge_once(options, errors);
    judge_enough(options, &s, errors);
    return s;
}

struct page {
    const struct options *options;
    const struct audit_summary *summary;
    const struct audit *audit;
};

static void fill(void *self, FILE *out)
{
    const struct page *page = self;
    if (page->options->format == FORMAT_JSON)
        audit_write_json(out, page->summary, page->audit);
    else
        audit_write_text(out, page->summary, page->audit, session_style(page->options, true).width);
}

static int run(const struct options *options)
{
    struct errors errors = {0};
    struct audit_summary summary = read_summary(options, &errors);
    int status = session_tell(&errors);
    if (status == EXIT_HOLDS) {
        struct audit audit = audit_summary(&summary);
        if (audit.lost) {
            errors_add(&errors, here, "these figures together are too large for exact arithmetic");
            status = session_tell(&errors);
        } else {
            status = session_once(options, fill, &(struct page){options, &summary, &audit});
        }
    }
    errors_free(&errors);
    return status;
}

const struct command command_audit = {
    .name = "audit",
    .operands = "",
    .says = "hold the printed summary of a closed-loop run against Little's law",
    .options = OPTION_BIT(OPTION_FORMAT) | OPTION_BIT(OPTION_OUTPUT) | OPTION_BIT(OPTION_THREADS) |
               OPTION_BIT(OPTION_CONNECTIONS) | OPTION_BIT(OPTION_RATE) |
               OPTION_BIT(OPTION_REQUESTS) | OPTION_BIT(OPTION_DURATION) | OPTION_BIT(OPTION_MEAN) |
               OPTION_BIT(OPTION_MAX) | OPTION_BIT(OPTION_PERCENTILE) | OPTION_BIT(OPTION_TIMEOUT) |
               OPTION_BIT(OPTION_INTERVAL) | OPTION_BIT(OPTION_REAL_MEAN) |
               OPTION_BIT(OPTION_PAUSE),
    .formats = 1u << FORMAT_TEXT | 1u << FORMAT_JSON,
    .operands_least = 0,
    .operands_most = 0,
    .run = run,
    .help = "Says what arithmetic alone knows about a summary that a closed-loop tool printed: "
            "whether its mean can be, how many slow responses are behind it, which of its "
            "percentiles contradict one another, and which the run was too short for. It needs "
            "--connections and the throughput: --rate, or --requests and --duration. The status is "
            "0 whatever it finds: it judges no run of ours.",
    .threads_say = "threads of the tool: each opens the same whole number of connections",
};
