/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/options.h"

#include <stdlib.h>
#include <string.h>

const struct option_text option_texts[OPTION_VERSION + 1] = {
    [OPTION_FORMAT] = {"format", "FORMAT", NULL /* the command's own */},
    [OPTION_SET] = {"set", "PATH=VALUE",
                    "change the scenario before it runs: --set /run/requests=1000; repeatable"},
    [OPTION_SEED] = {"seed", "N", "the seed of the random streams: --set /run/seed=N"},
    [OPTION_THREADS] = {"threads", "N",
                        "threads to run on, by default as many as processors; results never depend "
                        "on it"},
    [OPTION_EXACT_LIMIT] = {"exact-limit", "N",
                            "samples that an exact recorder keeps, by default 4000000; beyond it "
                            "the requests are run again until its percentiles are known to the ns"},
    [OPTION_OUTPUT] = {"output", "FILE",
                       "write to FILE, which appears whole or not at all; - is standard output"},
    [OPTION_JUNIT] = {"junit", "FILE", "also write what was judged as JUnit XML"},
    [OPTION_REQUIRE_LAW] = {"require-law", NULL,
                            "a percentile without an exact or statistical check fails, but for "
                            "the maximum of a random run, which no law bounds"},
    [OPTION_GATES] = {"gates", NULL, "a failing gate fails"},
    [OPTION_CONNECTIONS] = {"connections", "N", "connections, or clients, of the closed loop"},
    [OPTION_RATE] = {"rate", "R", "answers per second that it printed"},
    [OPTION_REQUESTS] = {"requests", "N", "requests that were answered"},
    [OPTION_DURATION] = {"duration", "D", "how long it ran: 300s"},
    [OPTION_MEAN] = {"mean", "D", "the mean latency that it printed: 5.61ms"},
    [OPTION_MAX] = {"max", "D", "the longest latency that it printed"},
    [OPTION_PERCENTILE] = {"pNN", "D", "a percentile that it printed: --p99 37ms; repeatable"},
    [OPTION_TIMEOUT] = {"timeout", "D", "after which a request was given up and left out"},
    [OPTION_INTERVAL] = {"interval", "D",
                         "the expected interval of the correction: a duration; wrk, the default: "
                         "the run's own mean in whole us, as wrk computes it; or exact: the same "
                         "as a fraction"},
    [OPTION_REAL_MEAN] = {"real-mean", "D",
                          "the mean before correction, by default the most that Little's law "
                          "allows"},
    [OPTION_PAUSE] = {"pause", "D", "the longest pause known from elsewhere: a log of the server"},
    [OPTION_STUDIED] = {"studied", "PATH",
                        "a field that is meant to differ: /server/workers; repeatable"},
    [OPTION_VARY] = {"vary", "PATH=VALUES",
                     "sweep this path, instead of what the scenario sweeps: V1,V2,... or "
                     "FROM..TO..STEP; repeatable"},
    [OPTION_LOAD] = {"load", "NAME", "the load whose requests are wanted; by default all of them"},
    [OPTION_REPLICATION] = {"replication", "K", "which of its replications, by default 0"},
    [OPTION_FIRST] = {"first", "N", "stop after so many requests"},
    [OPTION_COMMAND] = {"command", "CMD", "the recorder to judge: a command for sh -c"},
    [OPTION_SCHEDULER] = {"scheduler", "CMD",
                          "the send loop to judge, instead of a recorder: a command for sh -c"},
    [OPTION_RECORDER] = {"recorder", "NAME",
                         "what is asked for is what this recorder of the scenario reports; by "
                         "default its first"},
    [OPTION_BINARY] = {"binary", NULL, "hand the requests over in binary batches, not as text"},
    [OPTION_MEMORY] = {"memory", "BYTES",
                       "memory it may use, with all that it starts; by default 1 GiB"},
    [OPTION_DECLARES] = {"declares", "JSON",
                         "how exact it is, where it does not say so itself: {\"digits\": 3}"},
    [OPTION_SUITE] = {"suite", NULL, "run the whole conformance suite"},
    [OPTION_SEPARATE] = {"separate", NULL, "where several faults fit, run what tells them apart"},
    [OPTION_UNIT] = {"unit", "UNIT", "of numbers in the file: ns, us, ms, s or min"},
    [OPTION_WINDOW] = {"window", "D", "the length of each interval of a log, by default 1s"},
    [OPTION_DIGITS] = {"digits", "N",
                       "significant digits, 1 to 5, where the recorder's store has none itself; by "
                       "default 3"},
    [OPTION_AGAINST] = {"against", "SCENARIO",
                        "judge it as what --recorder of this scenario reports"},
    [OPTION_COMPARE] = {"compare", "BASE", "the baseline to hold the results against"},
    [OPTION_HELP] = {"help", NULL, "say how to use it"},
    [OPTION_VERSION] = {"version", NULL, "say which version this is"},
};

#define OPTION_TOTAL (sizeof option_texts / sizeof option_texts[0])

static const char *const format_names[] = {
    [FORMAT_TEXT] = "text", [FORMAT_MARKDOWN] = "markdown", [FORMAT_CSV] = "csv",
    [FORMAT_JSON] = "json", [FORMAT_HGRM] = "hgrm",         [FORMAT_HLOG] = "hlog",
};

static void fault(struct errors *errors, const char *what, const char *found, const char *wanted)
{
    errors_add(errors, (struct place){.file = "duetime"}, "%s%s%s%s", what, found ? " " : "",
               found ? found : "", wanted);
}

/* Edits (insert, delete, replace, swap of neighbours) between two short names. */
static size_t edits(const char *a, const char *b)
{
    enum { MOST = 40 };
    size_t n = strlen(a), m = strlen(b), d[MOST + 1][MOST + 1];
    if (n > MOST || m > MOST)
        return SIZE_MAX;
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            size_t best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            best = d[i - 1][j] + 1 < best ? d[i - 1][j] + 1 : best;
            best = d[i][j - 1] + 1 < best ? d[i][j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[n][m];
}

const char *nearest_name(const char *name, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        size_t distance = edits(name, names[i]);
        /* More than half of it rewritten is another word, not a slip. */
        if (distance < least && 2 * distance <= strlen(names[i]) + 1) {
            least = distance;
            nearest = names[i];
        }
    }
    return nearest;
}

bool option_count(const char *text, uint64_t most, uint64_t *out)
{
    uint64_t value = 0;
    if (*text == '\0')
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return false;
        unsigned digit = (unsigned)(*text - '0');
        if (digit > most || value > (most - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    *out = value;
    return true;
}

#define FORMAT_TOTAL (sizeof format_names / sizeof format_names[0])

char *format_words(unsigned formats)
{
    char *text = must_copy("");
    for (size_t i = 0; i < FORMAT_TOTAL; i++) {
        if ((formats & 1u << i) == 0)
            continue;
        bool last = formats >> i == 1;
        char *longer = must_format("%s%s%s%s", text,
                                   text[0] == '\0' ? ""
                                   : last          ? " or "
                                                   : ", ",
                                   format_names[i], text[0] == '\0' ? " (the default)" : "");
        free(text);
        text = longer;
    }
    return text;
}

/* Which of them the command has is for whoever knows the command to say. */
static void take_format(struct options *out, const char *value)
{
    out->format_name = value;
    out->format_known = false;
    for (size_t i = 0; i < FORMAT_TOTAL; i++)
        if (strcmp(value, format_names[i]) == 0) {
            out->format = (enum report_format)i;
            out->format_known = true;
        }
}

static void add_setting(struct options *out, char *path, char *value)
{
    out->settings = must_grow(out->settings, out->setting_count + 1, sizeof *out->settings);
    out->settings[out->setting_count++] = (struct setting){path, value, NULL};
}

static void take_setting(struct options *out, const char *value, struct errors *errors)
{
    const char *equals = strchr(value, '=');
    if (!equals || equals == value) {
        fault(errors, "--set takes PATH=VALUE such as /run/requests=1000, not", value, "");
        return;
    }
    add_setting(out, must_format("%.*s", (int)(equals - value), value), must_copy(equals + 1));
}

static void take_seed(struct options *out, const char *value, struct errors *errors)
{
    uint64_t seed;
    if (!option_count(value, UINT64_MAX, &seed)) {
        fault(errors, "--seed is a whole number below 2^64, not", value, "");
        return;
    }
    /* A string in the scenario keeps all 64 bits. */
    add_setting(out, must_copy("/run/seed"), must_format("\"%llu\"", (unsigned long long)seed));
}

static void take_threads(struct options *out, const char *value, struct errors *errors)
{
    uint64_t threads;
    if (!option_count(value, 1024, &threads))
        fault(errors, "--threads is a whole number from 0 (as many as processors) to 1024, not",
              value, "");
    else
        out->threads = (unsigned)threads;
}

static void take_exact_limit(struct options *out, const char *value, struct errors *errors)
{
    uint64_t limit;
    if (!option_count(value, UINT64_MAX, &limit) || limit == 0)
        fault(errors, "--exact-limit is a whole number of samples from 1, not", value, "");
    else
        out->exact_limit = limit;
}

/* For the command to read. */
static void keep_value(struct options *out, enum option_id id, const char *name, const char *value)
{
    out->values = must_grow(out->values, out->value_count + 1, sizeof *out->values);
    out->values[out->value_count++] = (struct given){id, must_copy(name), value};
}

const char *option_value(const struct options *options, enum option_id id)
{
    const char *value = NULL;
    for (size_t i = 0; i < options->value_count; i++)
        if (options->values[i].id == id)
            value = options->values[i].value;
    return value;
}

static void take_value(struct options *out, enum option_id id, const char *name, const char *value,
                       struct errors *errors)
{
    switch (id) {
    case OPTION_FORMAT: take_format(out, value); return;
    case OPTION_SET: take_setting(out, value, errors); return;
    case OPTION_SEED: take_seed(out, value, errors); return;
    case OPTION_THREADS: take_threads(out, value, errors); return;
    case OPTION_EXACT_LIMIT: take_exact_limit(out, value, errors); return;
    case OPTION_OUTPUT: out->output = value; return;
    case OPTION_JUNIT: out->junit = value; return;
    case OPTION_CONNECTIONS:
    case OPTION_RATE:
    case OPTION_REQUESTS:
    case OPTION_DURATION:
    case OPTION_MEAN:
    case OPTION_MAX:
    case OPTION_PERCENTILE:
    case OPTION_TIMEOUT:
    case OPTION_INTERVAL:
    case OPTION_REAL_MEAN:
    case OPTION_PAUSE:
    case OPTION_STUDIED:
    case OPTION_VARY:
    case OPTION_LOAD:
    case OPTION_REPLICATION:
    case OPTION_FIRST:
    case OPTION_COMMAND:
    case OPTION_SCHEDULER:
    case OPTION_RECORDER:
    case OPTION_MEMORY:
    case OPTION_DECLARES:
    case OPTION_UNIT:
    case OPTION_WINDOW:
    case OPTION_DIGITS:
    case OPTION_AGAINST:
    case OPTION_COMPARE: keep_value(out, id, name, value); return;
    case OPTION_REQUIRE_LAW:
    case OPTION_GATES:
    case OPTION_BINARY:
    case OPTION_SUITE:
    case OPTION_SEPARATE:
    case OPTION_HELP:
    case OPTION_VERSION: return;
    }
}

static void unknown_option(const char *argument, const char *name, struct errors *errors)
{
    const char *names[OPTION_TOTAL];
    for (size_t i = 0; i < OPTION_TOTAL; i++)
        names[i] = option_texts[i].name;
    const char *nearest = nearest_name(name, names, OPTION_TOTAL);
    if (nearest)
        errors_add(errors, (struct place){.file = "duetime"},
                   "there is no option %s; the nearest is --%s", argument, nearest);
    else
        fault(errors, "there is no option", argument, "; duetime --help lists them");
}

/* The option of that name; OPTION_TOTAL: none. */
static size_t find_option(const char *name)
{
    size_t id = 0;
    while (id < OPTION_TOTAL && strcmp(name, option_texts[id].name) != 0)
        id++;
    if (id == OPTION_TOTAL && name[0] == 'p' && name[1] >= '0' && name[1] <= '9')
        id = OPTION_PERCENTILE;
    return id;
}

/* One argument that begins with "-"; *at moves on when the value is the next one. */
static void take_option(int argc, char **argv, int *at, struct options *out, struct errors *errors)
{
    const char *argument = argv[*at];
    bool is_help = strcmp(argument, "-h") == 0;
    const char *body = is_help ? "help" : argument + (argument[1] == '-' ? 2 : 1);
    const char *equals = strchr(body, '=');
    size_t length = equals ? (size_t)(equals - body) : strlen(body);
    char *name = must_format("%.*s", (int)length, body);
    size_t id = find_option(name);
    if (id == OPTION_TOTAL || (argument[1] != '-' && !is_help)) {
        unknown_option(argument, name, errors);
        free(name);
        return;
    }
    out->given |= OPTION_BIT(id);
    const char *value = equals ? equals + 1 : NULL;
    bool takes = option_texts[id].value != NULL;
    if (value && !takes)
        fault(errors, argument, NULL, ": this option takes no value");
    if (!value && takes && *at + 1 < argc)
        value = argv[++*at];
    if (!value && takes)
        fault(errors, argument, NULL, ": the value is missing");
    if (value && takes)
        take_value(out, (enum option_id)id, name, value, errors);
    free(name);
}

void options_parse(int argc, char **argv, struct options *out, struct errors *errors)
{
    *out = (struct options){.operands = must_alloc((size_t)argc + 1, sizeof *out->operands)};
    bool ended = false;
    for (int i = 1; i < argc; i++) {
        if (!ended && strcmp(argv[i], "--") == 0)
            ended = true;
        else if (!ended && argv[i][0] == '-' && argv[i][1] != '\0')
            take_option(argc, argv, &i, out, errors);
        else if (!out->command)
            out->command = argv[i];
        else
            out->operands[out->operand_count++] = argv[i];
    }
}

void options_free(struct options *options)
{
    for (size_t i = 0; i < options->setting_count; i++) {
        free((char *)(uintptr_t)options->settings[i].path);
        free((char *)(uintptr_t)options->settings[i].value);
    }
    for (size_t i = 0; i < options->value_count; i++)
        free(options->values[i].name);
    free(options->values);
    free(options->settings);
    free(options->operands);
    *options = (struct options){0};
}
