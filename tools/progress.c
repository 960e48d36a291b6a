/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tools/report/utf8.h"

#define LONG_S 20.0
#define MUCH_BYTES 1e9
#define FIRST_AFTER_S 1.0
#define EVERY_S 0.25

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void progress_begin(struct progress *progress, const char *file, struct run_cost cost)
{
    double began_s = now_s();
    *progress = (struct progress){.file = file,
                                  .shown = isatty(STDERR_FILENO) == 1,
                                  .began_s = began_s,
                                  .told_s = began_s + FIRST_AFTER_S - EVERY_S};
    char *clean = utf8_clean(file);
    double time_s = cost.time_ns / 1e9;
    if (time_s > LONG_S)
        fprintf(stderr, "%s: warning: %.3g requests to simulate, about %.0f s on one processor\n",
                clean, cost.requests, time_s);
    if (cost.bytes > MUCH_BYTES)
        fprintf(stderr,
                "%s: warning: this run may need %.1f GB of memory; a store such as "
                "{\"hdr\": 3} needs little\n",
                clean, cost.bytes / 1e9);
    free(clean);
}

void progress_tell(void *self, double done)
{
    struct progress *progress = self;
    double now = now_s();
    if (now - progress->told_s < EVERY_S)
        return;
    progress->told_s = now;
    progress->written = true;
    double left_s = done > 0.01 ? (now - progress->began_s) * (1 - done) / done : 0;
    char *clean = utf8_clean(progress->file);
    fprintf(stderr, "\r%.60s: %3.0f %%", clean, 100 * done);
    if (left_s >= 1)
        fprintf(stderr, ", about %.0f s left", left_s);
    fputs("        ", stderr);
    free(clean);
}

void progress_end(struct progress *progress)
{
    if (progress->written)
        fprintf(stderr, "\r%100s\r", "");
    progress->written = false;
}
