/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LAWS_PERIODS_H
#define DUETIME_LAWS_PERIODS_H

/* What the laws of periodic stalls ask about a scenario: one suspend stall that comes at regular
   intervals, and a run whose recorded window is a whole number of them. */

#include "models/laws/law.h"

struct periods {
    ns_t up_ns, down_ns, period_ns; /* period = up + down */
    ns_t begin_ns;                  /* of the first stall */
    ns_t late_ns; /* whole periods until the stalls are as if they had always come; mostly 0 */
};

/* False, and a sentence in why, where the stalls are not so. */
bool periods_of(const struct server *server, struct periods *out, char why[LAW_WHY_SIZE]);

/* False, and a sentence in why, where [warm-up, duration) is no whole number of periods: only over
   whole periods are sends spread evenly over the phase. */
bool periods_fill(const struct law_question *q, struct periods p, char why[LAW_WHY_SIZE]);

#endif
