/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TEXTS_H
#define DUETIME_TEXTS_H

#include "models/plan.h"

/* In few words, for tables: "open 400/s, even, timeout 1s, retry after 5ms, 3 copies".  Owned by
   the caller. */
char *load_text(const struct load_plan *load);

/* "1 worker, exponential of mean 5ms, fifo; suspend 200ms every 1s".  Owned by the caller. */
char *server_text(const struct server *server);

#endif
