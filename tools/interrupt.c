/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/interrupt.h"

#include <stddef.h>

/* The one mutable object of static storage in the program: a signal handler can reach no other. */
static volatile sig_atomic_t stop_requested;

static void remember(int number)
{
    stop_requested = number;
}

void interrupt_watch(void)
{
    /* No SA_RESTART: a read that waits must return.  SA_RESETHAND: the next one kills. */
    struct sigaction watch = {.sa_handler = remember, .sa_flags = (int)SA_RESETHAND};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&watch.sa_mask);
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGINT, &watch, NULL);
    sigaction(SIGTERM, &watch, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
}

const volatile sig_atomic_t *interrupt_flag(void)
{
    return &stop_requested;
}
