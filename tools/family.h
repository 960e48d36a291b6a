/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FAMILY_H
#define DUETIME_FAMILY_H

/* A process and all that came of it, also what left its group and its session. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Orphans of what is started from now on become this process's own, so that they are found. */
void family_adopt(bool on);

/* Whether families can be watched here: else only a limit set beforehand holds their memory. */
bool family_is_seen(void);

/* Living processes, and what memory is theirs; the leader of the session is one of them. */
struct family {
    size_t others;  /* without the leader */
    uint64_t bytes; /* resident */
};

struct family family_look(pid_t leader);

/* The same, with pages that several processes share divided among them, where they count once for
   each in the other: that takes longer. */
struct family family_look_closely(pid_t leader);

/* Kills every one of them, and reaps them all but the leader, who must be waited for. */
void family_kill(pid_t leader);

#endif
