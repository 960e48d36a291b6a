/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_OPTIONS_H
#define DUETIME_OPTIONS_H

/* The command line, shared by all commands: --option value or --option=value, before or after the
   files, `--` ends options. */

#include "sim/scenario/reader.h"
#include "tools/report/report.h"

enum option_id {
    OPTION_FORMAT,
    OPTION_SET,
    OPTION_SEED,
    OPTION_THREADS,
    OPTION_EXACT_LIMIT,
    OPTION_OUTPUT,
    OPTION_JUNIT,
    OPTION_REQUIRE_LAW,
    OPTION_GATES,
    /* From here to --help the value is the command's to read: option_value. */
    OPTION_CONNECTIONS,
    OPTION_RATE,
    OPTION_REQUESTS,
    OPTION_DURATION,
    OPTION_MEAN,
    OPTION_MAX,
    OPTION_PERCENTILE, /* --p99 37ms: any p and a decimal; repeatable */
    OPTION_TIMEOUT,
    OPTION_INTERVAL,
    OPTION_REAL_MEAN,
    OPTION_PAUSE,
    OPTION_STUDIED, /* repeatable */
    OPTION_VARY,    /* repeatable */
    OPTION_LOAD,
    OPTION_REPLICATION,
    OPTION_FIRST,
    OPTION_COMMAND,
    OPTION_SCHEDULER,
    OPTION_RECORDER,
    OPTION_BINARY,
    OPTION_MEMORY,
    OPTION_DECLARES,
    OPTION_SUITE,
    OPTION_SEPARATE,
    OPTION_UNIT,
    OPTION_WINDOW,
    OPTION_DIGITS,
    OPTION_AGAINST,
    OPTION_COMPARE,
    OPTION_HELP,
    OPTION_VERSION,
};
#define OPTION_BIT(id) (UINT64_C(1) << (id))

/* How an option is written and what it does, for --help. */
struct option_text {
    const char *name, *value, *says; /* value NULL: takes none */
};
extern const struct option_text option_texts[OPTION_VERSION + 1];

/* An option as it was given; the name without "--". Owned name, borrowed value. */
struct given {
    enum option_id id;
    char *name;
    const char *value;
};

struct options {
    const char *command;   /* the first operand; NULL: none */
    const char **operands; /* the rest; borrowed from argv */
    size_t operand_count;
    uint64_t given; /* set of OPTION_BIT(id) */
    enum report_format format;
    const char *format_name;  /* as given; NULL: not given */
    bool format_known;        /* the name given is that of a format */
    struct setting *settings; /* --set and --seed, in order; paths owned, values too */
    size_t setting_count;
    unsigned threads;     /* 0: as many as there are processors */
    uint64_t exact_limit; /* of a recorder's samples; 0: the usual one */
    const char *output;   /* NULL: standard output */
    const char *junit;    /* NULL: none */
    struct given *values; /* of the options that the command reads itself, in order */
    size_t value_count;
};

/* Parses all of argv; every fault goes to *errors. */
void options_parse(int argc, char **argv, struct options *out, struct errors *errors);
void options_free(struct options *options);

/* A whole number of at most `most` from its digits; false: it is none. */
bool option_count(const char *text, uint64_t most, uint64_t *out);

/* The value given last, or NULL. */
const char *option_value(const struct options *options, enum option_id id);

/* Those of a set of 1u << enum report_format: "text (the default) or json"; owned by the caller. */
char *format_words(unsigned formats);

/* The name nearest to a misspelt one, or NULL when none is near. */
const char *nearest_name(const char *name, const char *const *names, size_t count);

#endif
