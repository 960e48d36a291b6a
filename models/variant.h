/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_VARIANT_H
#define DUETIME_VARIANT_H

/* The head of every variant: its name in a scenario, what it says, and the table of its fields.
   Parsing, range checks, defaults, `list`, `explain` and the JSON Schema all follow from the table.
 */

#include "models/base/error.h"
#include "models/base/time.h"

/* A chosen variant with its parameters, as a scenario names it.  type NULL: none chosen. */
struct choice {
    const struct variant *type;
    void *params; /* owned by the plan; NULL when the variant has no parameters */
};

enum field_kind {
    FIELD_DURATION,  /* ns_t */
    FIELD_COUNT,     /* uint64_t */
    FIELD_RATIO,     /* struct ratio: an exact decimal */
    FIELD_BOOL,      /* bool */
    FIELD_VARIANT,   /* struct choice, from .set */
    FIELD_DURATIONS, /* struct durations: a list, or the name of a file of them, one a line */
    FIELD_LIST,      /* struct item_list of objects, each by .item */
    FIELD_WORD,      /* unsigned: the index of one of .words */
    FIELD_VALUES,    /* struct value_list: any value or a list of them, kept as JSON text */
};

/* The word_value of a ratio whose word means that there is none: den 0. */
#define NO_RATIO UINT64_MAX

/* A list of durations: owned by the plan. */
struct durations {
    ns_t *ns;
    size_t count;
};

/* Values of a scenario as they were written, on one line each: owned by the plan. */
struct value_list {
    char **texts;
    size_t count;
};

/* A list of structs: owned by the plan. */
struct item_list {
    void *items;
    size_t count;
};

struct variant_set;
struct item;

struct field {
    const char *key;
    enum field_kind kind;
    size_t offset; /* into the params */
    bool required;
    uint64_t min, max;   /* of a duration (ns), a count or a ratio (whole); max 0: no upper limit */
    bool above_min;      /* min itself is excluded: a ratio > 0, say */
    bool below_max;      /* max itself is excluded, of a ratio */
    bool percent;        /* a ratio that may also be written as "10%" */
    const char *absent;  /* JSON text of the default; NULL: zero bytes */
    const char *word;    /* a word that may stand instead of a number ("unlimited", "auto") */
    uint64_t word_value; /* and what it stands for */
    const struct variant_set *set;
    bool ascending;           /* of FIELD_DURATIONS: none is below the one before it */
    const struct item *item;  /* of FIELD_LIST */
    const char *const *words; /* of FIELD_WORD; NULL ends them */
    const char *says;
};

/* What the objects of a FIELD_LIST hold. */
struct item {
    const struct field *fields;
    size_t field_count, size;
};

struct variant {
    const char *name;
    const char *says;
    const struct field *fields; /* the first may be written alone: {"constant": "1ms"} */
    size_t field_count;
    size_t params_size;
    /* What the table cannot say: returns NULL, or why these parameters are impossible. */
    const char *(*refuses)(const void *params);
};

/* All variants of a kind, by the plural that `list` takes. */
struct variant_set {
    const char *name;
    const char *says;
    const struct variant *const *variants;
    size_t count;
};

#define FIELD_COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

#endif
