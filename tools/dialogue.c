/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/dialogue.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "models/base/error.h"
#include "tools/family.h"

#define READ_BYTES 65536
#define COMPLAINTS_KEPT 4096
#define LOOK_MS 20
#define WATCH_NS (50 * NS_PER_MS)
#define GRACE_MS 500

static ns_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (ns_t)now.tv_sec * NS_PER_S + (ns_t)now.tv_nsec;
}

static void finish(struct dialogue *d, enum dialogue_end end)
{
    if (d->end == DIALOGUE_GOES_ON)
        d->end = end;
}

static void watch(struct dialogue *d)
{
    ns_t at_ns = now_ns();
    if (at_ns - d->begun_ns > d->timeout_ns)
        finish(d, DIALOGUE_TIMED_OUT);
    if (d->stop != NULL && *d->stop != 0)
        finish(d, DIALOGUE_STOPPED);
    if (!d->watches || at_ns - d->watched_ns < WATCH_NS)
        return;
    d->watched_ns = at_ns;
    if (family_look(d->child.pid).bytes > d->memory_bytes &&
        family_look_closely(d->child.pid).bytes > d->memory_bytes)
        finish(d, DIALOGUE_OUT_OF_MEMORY);
}

static void keep_complaint(struct dialogue *d, const char *bytes, size_t count)
{
    d->complaints = must_grow(d->complaints, d->complaints_length + count, 1);
    memcpy(d->complaints + d->complaints_length, bytes, count);
    d->complaints_length += count;
    if (d->complaints_length <= COMPLAINTS_KEPT)
        return;
    size_t cut = d->complaints_length - COMPLAINTS_KEPT;
    memmove(d->complaints, d->complaints + cut, COMPLAINTS_KEPT);
    d->complaints_length = COMPLAINTS_KEPT;
}

static void read_some(struct dialogue *d, int pipe)
{
    char bytes[READ_BYTES];
    ssize_t got = read(d->child.pipes[pipe], bytes, sizeof bytes);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        spawned_close(&d->child, pipe);
        return;
    }
    if (pipe == SPAWN_ERR) {
        keep_complaint(d, bytes, (size_t)got);
        return;
    }
    d->heard = must_grow(d->heard, d->heard_length + (size_t)got, 1);
    memcpy(d->heard + d->heard_length, bytes, (size_t)got);
    d->heard_length += (size_t)got;
}

/* Waits until something can be read, or written where that is wanted.  What it says while nobody
   listens stays in its pipe, so that a flood fills that and nothing else. */
static bool exchange(struct dialogue *d, bool writes)
{
    struct pollfd polled[SPAWN_PIPES] = {
        {.fd = writes ? d->child.pipes[SPAWN_IN] : -1, .events = POLLOUT},
        {.fd = writes ? -1 : d->child.pipes[SPAWN_OUT], .events = POLLIN},
        {.fd = d->child.pipes[SPAWN_ERR], .events = POLLIN},
    };
    watch(d);
    if (d->end != DIALOGUE_GOES_ON || poll(polled, SPAWN_PIPES, LOOK_MS) <= 0)
        return false;
    if (polled[SPAWN_OUT].revents != 0)
        read_some(d, SPAWN_OUT);
    if (polled[SPAWN_ERR].revents != 0)
        read_some(d, SPAWN_ERR);
    return polled[SPAWN_IN].revents != 0;
}

bool dialogue_open(struct dialogue *d)
{
    d->watches = family_is_seen();
    d->begun_ns = d->watched_ns = now_ns();
    family_adopt(true);
    if (!spawn(d->command, d->watches ? 0 : d->memory_bytes, &d->child)) {
        d->error = d->child.error;
        finish(d, DIALOGUE_NOT_STARTED);
    }
    return d->end == DIALOGUE_GOES_ON;
}

bool dialogue_say(struct dialogue *d, const char *bytes, size_t length)
{
    while (length > 0 && d->end == DIALOGUE_GOES_ON) {
        if (d->child.pipes[SPAWN_IN] < 0)
            return true; /* it listens no more; what it has still to say shows what that means */
        ssize_t written = write(d->child.pipes[SPAWN_IN], bytes, length);
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        } else if (written < 0 && errno == EAGAIN) {
            exchange(d, true);
        } else if (written < 0 && errno != EINTR) {
            spawned_close(&d->child, SPAWN_IN);
        }
    }
    return d->end == DIALOGUE_GOES_ON;
}

/* A whole line of what was read, or NULL. */
static const char *take_line(struct dialogue *d)
{
    char *from = d->heard + d->taken;
    size_t left = d->heard_length - d->taken;
    char *line_end = left > 0 ? memchr(from, '\n', left) : NULL;
    if (line_end == NULL) {
        if (left > 0)
            memmove(d->heard, from, left);
        d->heard_length = left;
        d->taken = 0;
        if (left > DIALOGUE_LINE_MOST)
            finish(d, DIALOGUE_LONG_LINE);
        return NULL;
    }
    d->taken += (size_t)(line_end - from) + 1;
    *line_end = '\0';
    if (line_end > from && line_end[-1] == '\r')
        line_end[-1] = '\0';
    return from;
}

const char *dialogue_hear(struct dialogue *d)
{
    while (d->end == DIALOGUE_GOES_ON) {
        const char *line = take_line(d);
        if (line != NULL)
            return line;
        if (d->child.pipes[SPAWN_OUT] < 0)
            finish(d, DIALOGUE_CLOSED);
        else
            exchange(d, false);
    }
    return NULL;
}

/* Whether it has exited, which is not taken yet. */
static bool has_exited(struct dialogue *d)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)d->child.pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == d->child.pid;
}

void dialogue_close(struct dialogue *d, bool well)
{
    int status = 0;
    if (d->child.pid > 0) {
        spawned_close(&d->child, SPAWN_IN);
        bool patient = well || d->end == DIALOGUE_CLOSED;
        for (int ms = 0; patient && ms < GRACE_MS && !has_exited(d); ms += 2)
            poll(NULL, 0, 2);
        while (d->child.pipes[SPAWN_ERR] >= 0 && d->complaints_length < COMPLAINTS_KEPT) {
            struct pollfd polled = {.fd = d->child.pipes[SPAWN_ERR], .events = POLLIN};
            if (poll(&polled, 1, 0) <= 0)
                break;
            read_some(d, SPAWN_ERR);
        }
        bool exited = has_exited(d);
        family_kill(d->child.pid);
        while (waitpid(d->child.pid, &status, 0) < 0 && errno == EINTR)
            continue;
        d->exited = exited && WIFEXITED(status);
        d->status = d->exited ? WEXITSTATUS(status) : 0;
        d->signal_number = exited && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }
    for (int i = 0; i < SPAWN_PIPES; i++)
        spawned_close(&d->child, i);
    family_adopt(false);
}

void dialogue_free(struct dialogue *d)
{
    free(d->heard);
    free(d->complaints);
    *d = (struct dialogue){0};
}
