/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_INTERRUPT_H
#define DUETIME_INTERRUPT_H

/* SIGINT and SIGTERM ask a command to finish soon; SIGPIPE becomes a write error.  A second SIGINT
   ends the program at once. */

#include <signal.h>

void interrupt_watch(void);

/* The signal that came, or 0.  Never NULL. */
const volatile sig_atomic_t *interrupt_flag(void);

#endif
