/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SPAWN_H
#define DUETIME_SPAWN_H

/* Starts somebody else's program with a pipe to each of its three standard streams. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { SPAWN_IN, SPAWN_OUT, SPAWN_ERR, SPAWN_PIPES };

struct spawned {
    pid_t pid;              /* leader of a session of its own */
    int pipes[SPAWN_PIPES]; /* our ends, which never block; -1: closed */
    int error;              /* errno, where it was not started */
};

/* Through sh -c, without signals held back or cores dumped; memory_bytes of address space at most,
   0: no limit of that kind. */
bool spawn(const char *command, uint64_t memory_bytes, struct spawned *out);
void spawned_close(struct spawned *spawned, int pipe);

#endif
