/* SPDX-License-Identifier: GPL-3.0-or-later */

/* bench_child TIMES BUDGET_MS PROGRAM [ARGUMENT...]: runs the program up to TIMES times, but starts
   no further run after BUDGET_MS, and prints in one line the least of
     CPU ns, wall ns, peak KiB, ns to the first byte of output,
   each of its own, and the exit status.  It is small itself because a program's peak memory begins
   at that of the one that started it. */

#define _DEFAULT_SOURCE /* wait4 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct costs {
    int64_t cpu_ns, wall_ns, peak_kib, first_ns;
    int status;
};

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Reads all there is and gives the instant of the first byte, or of the end where there is none. */
static int64_t drain(int fd)
{
    char bytes[65536];
    int64_t first_ns = 0;
    for (;;) {
        ssize_t got = read(fd, bytes, sizeof bytes);
        if (first_ns == 0)
            first_ns = now_ns();
        if (got <= 0)
            return first_ns;
    }
}

static int64_t cpu_ns(const struct rusage *usage)
{
    return ((int64_t)usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000 +
           ((int64_t)usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000;
}

static struct costs run_once(char **command)
{
    int ends[2], status = 0;
    struct rusage usage;
    if (pipe(ends) != 0)
        exit(3);
    int64_t begin_ns = now_ns();
    pid_t child = fork();
    if (child < 0)
        exit(3);
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execv(command[0], command);
        _exit(127);
    }
    close(ends[1]);
    int64_t first_ns = drain(ends[0]) - begin_ns;
    close(ends[0]);
    if (wait4(child, &status, 0, &usage) != child)
        exit(3);
    return (struct costs){cpu_ns(&usage), now_ns() - begin_ns, usage.ru_maxrss, first_ns,
                          WIFEXITED(status) ? WEXITSTATUS(status) : 128};
}

static int64_t less(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    long times = strtol(argv[1], NULL, 10);
    int64_t until_ns = now_ns() + strtoll(argv[2], NULL, 10) * 1000000;
    struct costs least = run_once(argv + 3);
    for (long i = 1; i < times && least.status == 0 && now_ns() < until_ns; i++) {
        struct costs one = run_once(argv + 3);
        least.cpu_ns = less(least.cpu_ns, one.cpu_ns);
        least.wall_ns = less(least.wall_ns, one.wall_ns);
        least.peak_kib = less(least.peak_kib, one.peak_kib);
        least.first_ns = less(least.first_ns, one.first_ns);
        least.status = one.status;
    }
    printf("%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d\n", least.cpu_ns, least.wall_ns,
           least.peak_kib, least.first_ns, least.status);
    return 0;
}
