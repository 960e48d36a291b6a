/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TESTS_RANDOM_TEXT_H
#define DUETIME_TESTS_RANDOM_TEXT_H

/* Dice that write: for random_plan.c, random_server.c and fast_scenes.c alone. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/base/random.h"

/* What a scenario may have beyond a queue with pauses, each by itself or together. */
enum mechanism {
    MECHANISM_QUEUE,
    MECHANISM_SLOWS,
    MECHANISM_HALVES,
    MECHANISM_REJECTS,
    MECHANISM_TARGETS,
    MECHANISM_QUOTA,
    MECHANISM_DEPENDENCE,
    MECHANISM_BEHIND,
    MECHANISM_NETWORK,
    MECHANISM_GENERATOR,
    MECHANISM_OVERHEAD,
    MECHANISM_BACKOFF,
    MECHANISM_BUDGET,
    MECHANISM_PERCENTILE,
    MECHANISM_TIED,
    MECHANISM_ABANDONS,
    MECHANISM_PER_REQUEST,
    MECHANISM_WAIT_FOR,
    MECHANISM_LEAST,
    MECHANISM_UNSAFE,
};
#define MECHANISM_COUNT (MECHANISM_UNSAFE + 1)

struct writer {
    char *text;
    size_t length;
    struct stream dice;
    uint64_t thrown;
    uint32_t mechanisms; /* bits by enum mechanism */
    bool bare;           /* nothing else */
};

#define TEXT_SIZE 8192

void put(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
unsigned roll(struct writer *w, unsigned low, unsigned high); /* uniform on low .. high */
bool one_in(struct writer *w, unsigned n);
bool wants(struct writer *w, enum mechanism mechanism); /* most of the time, where it may be */
void put_list(struct writer *w, unsigned count, unsigned low, unsigned high, bool rising);
void put_distribution(struct writer *w, unsigned high);

/* ---- random_server.c ---- */

/* The key "server" and its value; returns how many replicas there are. */
unsigned put_server(struct writer *w, bool plain);

#endif
