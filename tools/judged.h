/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_JUDGED_H
#define DUETIME_JUDGED_H

/* A recorder that was heard and judged, on paper. */

#include "tools/report/report.h"
#include "tools/subject.h"

struct heard {
    const char *command;
    const struct trial *trial;
    const struct hearing *hearing;
    const struct conformance *verdict; /* of no use where the hearing has a problem */
};

/* Several of them, taken together. */
struct judged_together {
    const char *command;
    size_t count, conforming;
    const struct suspects *suspects; /* that explain all of it */
    const char *separation;          /* what tells them apart, in words; NULL: nothing to tell */
    const char *beyond;              /* NULL, or why nothing explains it */
    bool only_separation;            /* the rest is told already */
};

bool judged_conforms(const struct heard *heard);

/* Of one that answered: why it does not conform although nothing it says is wrong; NULL: it is not
   so. */
const char *judged_silence(const struct heard *heard);

/* "+250us", "-0.5ns", "150.1ms": thousandths of a ns, exactly.  Owned by the caller. */
char *judged_time(i128 milli, bool sign);

/* What the recorder declares, in words.  Owned by the caller. */
char *judged_declared(const struct declared *declared);

/* Text or Markdown; JSON, one object a line; a JUnit test suite.  `brief`: where it conforms, no
   more than a line. */
void judged_write(FILE *out, const struct heard *heard, const struct report_style *style,
                  bool brief);
void judged_write_together(FILE *out, const struct judged_together *all,
                           const struct report_style *style);
void judged_write_json(FILE *out, const struct heard *heard);
void judged_write_json_together(FILE *out, const struct judged_together *all);
void judged_write_junit(FILE *out, const struct heard *heard);

#endif
