/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

/* In the child: only what is safe between fork and exec. */
static void become(const char *command, uint64_t memory_bytes, const int theirs[SPAWN_PIPES])
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    struct rlimit none = {0, 0};
    struct rlimit memory = {(rlim_t)memory_bytes, (rlim_t)memory_bytes};
    sigset_t all;
    sigemptyset(&plain.sa_mask);
    sigemptyset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    sigaction(SIGPIPE, &plain, NULL);
    setsid();
    setrlimit(RLIMIT_CORE, &none);
#ifdef RLIMIT_AS
    if (memory_bytes != 0)
        setrlimit(RLIMIT_AS, &memory);
#else
    (void)memory;
#endif
    for (int i = 0; i < SPAWN_PIPES; i++)
        if (dup2(theirs[i], i) < 0)
            _exit(126);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

/* Above the three standard ones, so that dup2 in the child replaces none of them too early. */
static bool make_pipe(int out[2])
{
    int made[2];
    if (pipe(made) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        out[i] = fcntl(made[i], F_DUPFD_CLOEXEC, SPAWN_PIPES);
        close(made[i]);
    }
    return out[0] >= 0 && out[1] >= 0;
}

/* The other end of this closes when the child has become another program: until then its memory is
   a copy of ours. */
static void await_exec(int fd)
{
    char byte;
    while (read(fd, &byte, 1) < 0 && errno == EINTR)
        continue;
}

static void close_known(int fd)
{
    if (fd >= 0)
        close(fd);
}

bool spawn(const char *command, uint64_t memory_bytes, struct spawned *out)
{
    int theirs[SPAWN_PIPES] = {-1, -1, -1}, becoming[2] = {-1, -1};
    bool good = make_pipe(becoming);
    for (int i = 0; i < SPAWN_PIPES; i++) {
        int both[2] = {-1, -1};
        good = make_pipe(both) && good;
        theirs[i] = both[i == SPAWN_IN ? 0 : 1];
        out->pipes[i] = both[i == SPAWN_IN ? 1 : 0];
        if (out->pipes[i] >= 0)
            fcntl(out->pipes[i], F_SETFL, O_NONBLOCK);
    }
    out->pid = good ? fork() : -1;
    if (out->pid == 0)
        become(command, memory_bytes, theirs);
    out->error = errno;
    for (int i = 0; i < SPAWN_PIPES; i++)
        close_known(theirs[i]);
    close_known(becoming[1]);
    if (out->pid > 0)
        await_exec(becoming[0]);
    close_known(becoming[0]);
    return out->pid > 0;
}

void spawned_close(struct spawned *spawned, int pipe)
{
    if (spawned->pipes[pipe] >= 0)
        close(spawned->pipes[pipe]);
    spawned->pipes[pipe] = -1;
}
