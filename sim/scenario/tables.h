/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TABLES_H
#define DUETIME_TABLES_H

/* The scenario's own objects as tables: the reader, the writer and the schema all walk them. */

#include "models/plan.h"

struct reading;

/* What a key's value looks like, beyond what a variant's field can. */
enum shape {
    SHAPE_FIELD,        /* as .field.kind says */
    SHAPE_TEXT,         /* a text */
    SHAPE_TEXTS,        /* a text or a list of them */
    SHAPE_LOAD,         /* the name of a load; its index is kept */
    SHAPE_MODE,         /* the name of a variant of .field.set; its pointer is kept */
    SHAPE_INTERVAL,     /* the duration of the correction "hdr" */
    SHAPE_OBJECT,       /* .object */
    SHAPE_LIST,         /* a list of .object */
    SHAPE_MAP,          /* names, each with its .object, which begins with its char *name */
    SHAPE_SEED,         /* 64 bits: a whole number, or a text of one */
    SHAPE_PERCENTILES,  /* numbers in [0, 100] */
    SHAPE_PERCENTILE,   /* a number above 0 and below 100, kept as a share of 1; num 0: none */
    SHAPE_SHARE,        /* "1%" or 0.01, above 0 and below 1; num 0: none */
    SHAPE_FACTOR,       /* the same, and what is left of 1 is kept */
    SHAPE_TARGET,       /* of a stall: a word, or {"replica": k} */
    SHAPE_PER,          /* of a recorder: a word, or {"window": duration} */
    SHAPE_THRESHOLDS,   /* durations and how they were written */
    SHAPE_SWEEP,        /* paths, each with its values */
    SHAPE_EXPECTATIONS, /* names of recorders and loads, each with its figures */
};

struct object;

struct key {
    struct field field; /* key, offset, required, range, default, what it says */
    enum shape shape;
    size_t count_offset; /* of lists and maps: where their size_t count is */
    const struct object *object;
    bool forgotten;  /* accepted, and nothing of it is kept */
    bool falls_back; /* where it is missing, a rule takes its value from elsewhere */
    bool optional;   /* an object that may be missing, and is then all zeros */
    /* True where this key is not written: another has the say, or it is an optional object that
       was not there.  NULL: never. */
    bool (*left_out)(const void *read);
};

/* A set of which one variant's name may be a key: {"open": {...}, "timeout": ...}. */
struct one_of {
    const struct variant_set *set;
    size_t offset; /* of the struct choice */
    bool optional; /* none of them is fine too */
};

struct object {
    const char *name, *says;
    const struct key *keys;
    size_t key_count;
    size_t size; /* of the struct it is read into */
    /* Besides its keys, of each of these sets one name with that variant's parameters. */
    const struct one_of *one_of;
    size_t one_of_count;
    const char *const *needs; /* one of these keys at least; NULL ends them.  NULL: no such need.
                                 The rules tell of it, this is for the schema */
    /* What the table cannot say, once all keys are read: faults go into the reading. */
    void (*rules)(struct reading *r, uint32_t value, void *read);
};

extern const struct object object_scenario, object_server;

/* Lists and maps hold no more than this. */
#define NAMES_MOST 1000

/* Figures that `expect` knows. */
enum figure_value { FIGURE_TIME, FIGURE_NUMBER, FIGURE_SHARE };
struct figure_name {
    const char *name; /* "p" and "above " are followed by more */
    bool of_load;
    enum figure_value value;
    bool prefix;
};
extern const struct figure_name figure_names[];
extern const size_t figure_name_count;

#endif
