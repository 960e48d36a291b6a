/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_EXPERIMENT_H
#define DUETIME_EXPERIMENT_H

/* An experiment runs one scenario several times, each time with other settings, and says what is
   to be seen in all of them together.  A new one is one file here and one name in meson.build. */

#include "models/plan.h"

/* Something an experiment turns from point to point. */
struct knob {
    const char *name; /* of its column */
    const char *path; /* of the setting, as /run/seed; NULL: nothing is turned, and no column */
    bool written;     /* a path into the scenario as it was written; else into the full one, in
                         which every default stands */
};

/* What one point showed.  NAN is unknown. */
struct seen_load {
    double offered_per_s, achieved_per_s;
};

struct seen_recorder {
    uint64_t count;
    double mean_ns, min_ns, max_ns;
    /* One a percentile of the plan's report, with its 95 % interval; where there is no chance both
       ends are the percentile itself.  In one piece that p_ns owns. */
    double *p_ns, *low_ns, *high_ns;
    char *gates; /* those that failed, of it and of its load, with blanks between; but not "closed",
                    which is no accident of one point */
};

struct seen {
    size_t number; /* of the point, from 1 */
    size_t load_count, recorder_count;
    struct seen_load *loads;
    struct seen_recorder *recorders;
};

void seen_free(struct seen *seen);

/* Tables of what was found. */
enum column_kind {
    COLUMN_TEXT,
    COLUMN_VALUE, /* JSON text of a setting */
    COLUMN_NUMBER,
    COLUMN_TIME, /* ns */
};

struct column {
    const char *name;
    enum column_kind kind;
    int width; /* columns of text; 0: as its name needs */
};

/* text of COLUMN_TEXT and COLUMN_VALUE, NULL: nothing; number of the others, NAN: unknown. */
struct cell_value {
    const char *text;
    double number;
};

/* What runs the points and prints what is found; tests put their own in its place. */
struct lab {
    const struct plan *plan; /* the scenario as it stands */
    void *self;

    /* Names the knobs; once, before the first point. */
    void (*knobs)(void *self, const struct knob *knobs, size_t count);

    /* Runs one point: values are JSON texts, one a knob, NULL: as the scenario has it.  load: whose
       recorders are shown; NO_INDEX: all.  False: told already, stop.  seen_free releases *out. */
    bool (*point)(void *self, const char *group, size_t load, const char *const *values,
                  struct seen *out);

    /* Announces the next points, in this order and whatever they will show: they may run at once.
       `values` as for `point`, one row a point, copied.  NULL: nobody wants to know. */
    void (*ahead)(void *self, const char *const *values, size_t count);

    void (*table)(void *self, const char *name, const struct column *columns, size_t count);
    void (*row)(void *self, const struct cell_value *cells);

    /* One finding: a name, a value ("" for none), and what it means. */
    void (*find)(void *self, const char *name, const char *value, const char *says);

    /* The experiment cannot be made of this scenario, and why. */
    void (*refuse)(void *self, const char *why);

    /* Where two loads of the plan differ: paths with blanks between.  Owned by the caller. */
    char *(*differences)(void *self, size_t load_a, size_t load_b);
};

struct experiment_type {
    struct variant is;
    void (*run)(const void *params, const struct lab *lab);
};

static inline const struct experiment_type *experiment(struct choice c)
{
    return (const struct experiment_type *)(const void *)c.type;
}

/* For experiments. */

void lab_find(const struct lab *lab, const char *name, const char *value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void lab_refuse(const struct lab *lab, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* lab->ahead, where there is one. */
void lab_ahead(const struct lab *lab, const char *const *values, size_t count);

/* The load that `named` names, or where it names none the first of that role.  NO_INDEX: refused
   already. */
enum load_role { ROLE_RATE /* all but closed ones */, ROLE_CLOSED, ROLE_ANY };
size_t lab_load(const struct lab *lab, const struct value_list *named, enum load_role role);

/* The first recorder on a load, with or without a correction; NO_INDEX: there is none. */
size_t lab_recorder(const struct lab *lab, size_t load, bool corrected);

/* The same without one, refused where there is none. */
size_t lab_plain_recorder(const struct lab *lab, size_t load);

/* The index in the report of a percentile (99 for p99); NO_INDEX: refused already. */
size_t lab_percentile(const struct lab *lab, struct ratio p);

/* "p99.9".  Owned by the caller. */
char *percentile_name(const struct plan *plan, size_t percentile);

/* The path that a list of one JSON string holds; NULL: the list is empty.  Owned by the caller. */
char *path_text(const struct value_list *list);

/* "/loads/NAME/KIND/KEY" with ~ and / of the name escaped.  Owned by the caller. */
char *load_path(const struct plan *plan, size_t load, const char *key);

/* A number of seven significant digits, as few as it needs; NAN: the empty text. */
char *number_text(double number);

/* ns with a unit in which it is at least 1: "195.1 ms".  NAN: "unknown".  Owned by the caller. */
char *time_text(double ns);

/* The JSON text of a seed: the scenario's and so many further. */
char *seed_text(const struct plan *plan, uint64_t further);

/* The field that names a load, and the one of a percentile. */
#define FIELD_OF_LOAD(type)                                                \
    {                                                                      \
        "load", FIELD_VALUES, offsetof(struct type, load),                 \
            .says = "the load it is about; by default the first that fits" \
    }
#define FIELD_OF_PERCENTILE(type)                                            \
    {                                                                        \
        "percentile", FIELD_RATIO, offsetof(struct type, percentile),        \
            .max = 100, .absent = "99", .says = "the percentile it looks at" \
    }

#endif
