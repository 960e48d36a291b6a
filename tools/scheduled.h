/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SCHEDULED_H
#define DUETIME_SCHEDULED_H

/* A scheduler that was heard and judged; on paper. */

#include "tools/report/report.h"
#include "tools/scheduler_pipe.h"

struct scheduled {
    const struct plan *plan; /* owned where owns_plan */
    bool owns_plan;
    size_t load;
    struct offered offered;
    struct schedule_run runs[SCHEDULE_ROUNDS];
    size_t rounds; /* heard */
    char *problem; /* why there is not all of it to judge, owned; NULL: there is */
    bool refused;  /* it does not do loads of this kind */
    bool machine;  /* it could not even be started */
    struct schedule_judgement judgement;
    struct schedule_suspects suspects;
    bool opened, judged;
};

/* The load of that name, or the plan's first that has a schedule.  False and *errors.
   scheduled_free releases *out. */
bool scheduled_open(struct scheduled *out, const struct plan *plan, const char *load,
                    struct errors *errors);
/* Runs the command over all rounds.  False: it was stopped, or not even started. */
bool scheduled_hear(struct scheduled *s, const struct dialogue *limits);
void scheduled_free(struct scheduled *s);
bool scheduled_conforms(const struct scheduled *s);

/* What several of them say together. */
struct scheduled_together {
    size_t count, conforming, refused;              /* count: without those that it refused */
    const struct schedule_suspect *const *suspects; /* borrowed, the most likely first */
    size_t suspect_count;
    const char *separation; /* in words; NULL: nothing to tell */
};

void scheduled_write(FILE *out, const struct scheduled *s, const struct report_style *style,
                     bool brief);
void scheduled_write_together(FILE *out, const struct scheduled_together *all,
                              const struct report_style *style);
void scheduled_write_json(FILE *out, const struct scheduled *s, const char *command);
void scheduled_write_json_together(FILE *out, const struct scheduled_together *all,
                                   const char *command);
void scheduled_write_junit(FILE *out, const struct scheduled *s);

#endif
