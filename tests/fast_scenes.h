/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TESTS_FAST_SCENES_H
#define DUETIME_TESTS_FAST_SCENES_H

/* Random scenarios of one load such as the paths beside the event engine take, most of them. */

#include <stdint.h>

enum scene_kind {
    SCENE_OPEN, /* with a window or without */
    SCENE_PACED,
    SCENE_CLOSED,
};
#define SCENE_KINDS (SCENE_CLOSED + 1)

/* The scenario of that seed, as JSON; owned by the caller.  unit: so many ns is one unit of time;
   with 1 ties are common.  most: requests.  workers: at most so many. */
char *fast_scene(uint64_t seed, enum scene_kind kind, unsigned unit, unsigned most,
                 unsigned workers);

/* The same of an open load whose clients send further copies, give up and take copies back, and of
   replicas of so many workers each, perhaps with a limit to their queues. */
char *fast_scene_of_copies(uint64_t seed, unsigned unit, unsigned most, unsigned workers);

#endif
