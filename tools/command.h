/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_COMMAND_H
#define DUETIME_COMMAND_H

/* What a subcommand is.  A new one is one file command_NAME.c and one line in duetime.c. */

#include "tools/options.h"

/* Exit statuses; over several files the largest is the program's. */
enum exit_status {
    EXIT_HOLDS = 0,
    EXIT_FAILS = 1,    /* a check or an expectation failed */
    EXIT_REQUEST = 2,  /* the request was wrong: usage, scenario */
    EXIT_MACHINE = 3,  /* no memory, disk full */
    EXIT_SIGNAL = 128, /* plus the signal's number */
};

struct command {
    const char *name;
    const char *operands; /* for the usage line */
    const char *says;
    uint64_t options; /* the set of OPTION_BIT(id) it takes, beside --help and --version */
    unsigned formats; /* the set of 1u << enum report_format */
    size_t operands_least, operands_most;
    int (*run)(const struct options *options); /* returns an exit status */
    const char *help;                          /* the paragraph under the usage line */
    const char *threads_say;  /* what --threads is to it; NULL: what it is to the others */
    const char *timeout_says; /* the same of --timeout */
};

extern const struct command command_run, command_check, command_law, command_explain, command_list,
    command_schema, command_sweep, command_experiment, command_trace, command_audit,
    command_compare, command_conform, command_export, command_import, command_baseline;

#endif
