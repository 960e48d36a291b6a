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
    OPTION_OUTPUT,
    OPTION_JUNIT,
    OPTION_REQUIRE_LAW,
    OPTION_GATES,
    OPTION_HELP,
    OPTION_VERSION,
};
#define OPTION_BIT(id) (1u << (id))

/* How an option is written and what it does, for --help. */
struct option_text {
    const char *name, *value, *says; /* value NULL: takes none */
};
extern const struct option_text option_texts[OPTION_VERSION + 1];

struct options {
    const char *command;   /* the first operand; NULL: none */
    const char **operands; /* the rest; borrowed from argv */
    size_t operand_count;
    unsigned given; /* set of OPTION_BIT(id) */
    enum report_format format;
    const char *format_name;  /* as given; NULL: not given */
    bool format_known;        /* the name given is that of a format */
    struct setting *settings; /* --set and --seed, in order; paths owned, values too */
    size_t setting_count;
    unsigned threads;   /* 0: as many as there are processors */
    const char *output; /* NULL: standard output */
    const char *junit;  /* NULL: none */
};

/* Parses all of argv; every fault goes to *errors. */
void options_parse(int argc, char **argv, struct options *out, struct errors *errors);
void options_free(struct options *options);

/* Those of a set of 1u << enum report_format: "text (the default) or json"; owned by the caller. */
char *format_words(unsigned formats);

/* The name nearest to a misspelt one, or NULL when none is near. */
const char *nearest_name(const char *name, const char *const *names, size_t count);

#endif
