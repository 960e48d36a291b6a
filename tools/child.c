/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/child.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "models/base/error.h"
#include "tools/family.h"
#include "tools/spawn.h"

#define READ_BYTES 65536
#define COMPLAINTS_KEPT 4096
#define LOOK_NS (20 * NS_PER_MS)   /* how often the clock and the leader are looked at */
#define WATCH_NS (50 * NS_PER_MS)  /* and the memory */
#define GRACE_NS (200 * NS_PER_MS) /* for what the pipe still holds, when the leader is gone */
#define WRITES_A_ROUND 16

struct child {
    const struct child_request *request;
    struct child_result *result;
    struct spawned spawned;
    const char *bytes; /* fed and not yet written */
    size_t left;
    bool watches, over, leader_gone;
    ns_t begun_ns, watched_ns, gone_ns;
};

static ns_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (ns_t)now.tv_sec * NS_PER_S + (ns_t)now.tv_nsec;
}

static void finish(struct child *c, enum child_end end)
{
    if (!c->over)
        c->result->end = end;
    c->over = true;
}

/* One write; false: no more for now. */
static bool write_some(struct child *c)
{
    while (c->left == 0)
        if (!c->request->feed(c->request->self, &c->bytes, &c->left)) {
            c->result->took_all = true; /* or the pipe did: what stays in it nobody sees */
            spawned_close(&c->spawned, SPAWN_IN);
            return false;
        }
    ssize_t written = write(c->spawned.pipes[SPAWN_IN], c->bytes, c->left);
    if (written < 0) {
        if (errno != EAGAIN && errno != EINTR)
            spawned_close(&c->spawned, SPAWN_IN);
        return false;
    }
    c->bytes += written;
    c->left -= (size_t)written;
    return true;
}

static void append(char **text, size_t *length, const char *bytes, size_t count)
{
    *text = must_grow(*text, *length + count, 1);
    memcpy(*text + *length, bytes, count);
    *length += count;
}

/* Of complaints the last are kept: there programs say what the matter is. */
static void keep_last(struct child_result *r)
{
    if (r->complaints_length <= COMPLAINTS_KEPT)
        return;
    size_t cut = r->complaints_length - COMPLAINTS_KEPT;
    memmove(r->complaints, r->complaints + cut, COMPLAINTS_KEPT);
    r->complaints_length = COMPLAINTS_KEPT;
}

static void read_some(struct child *c, int which)
{
    char bytes[READ_BYTES];
    struct child_result *r = c->result;
    ssize_t got = read(c->spawned.pipes[which], bytes, sizeof bytes);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        spawned_close(&c->spawned, which);
        return;
    }
    if (which == SPAWN_ERR) {
        append(&r->complaints, &r->complaints_length, bytes, (size_t)got);
        keep_last(r);
        return;
    }
    size_t room = c->request->output_most - r->output_length;
    append(&r->output, &r->output_length, bytes, (size_t)got < room ? (size_t)got : room);
    if ((size_t)got > room)
        finish(c, CHILD_FLOODED);
}

static void exchange(struct child *c)
{
    struct pollfd polled[SPAWN_PIPES];
    for (int i = 0; i < SPAWN_PIPES; i++)
        polled[i] =
            (struct pollfd){.fd = c->spawned.pipes[i], .events = i == SPAWN_IN ? POLLOUT : POLLIN};
    /* With its standard output closed nothing but its end is awaited. */
    int wait_ms =
        c->spawned.pipes[SPAWN_OUT] < 0 || c->leader_gone ? 1 : (int)(LOOK_NS / NS_PER_MS);
    if (poll(polled, SPAWN_PIPES, wait_ms) <= 0)
        return;
    if (polled[SPAWN_IN].revents & (POLLERR | POLLHUP | POLLNVAL))
        spawned_close(&c->spawned, SPAWN_IN);
    for (int i = 0; i < WRITES_A_ROUND && c->spawned.pipes[SPAWN_IN] >= 0 &&
                    (polled[SPAWN_IN].revents & POLLOUT);
         i++)
        if (!write_some(c))
            break;
    for (int i = SPAWN_OUT; i <= SPAWN_ERR && !c->over; i++)
        if (polled[i].revents != 0)
            read_some(c, i);
}

/* Its end is seen and not yet taken: until then no other process can have its number. */
static void look_at_leader(struct child *c, ns_t at_ns)
{
    siginfo_t info = {0};
    if (!c->leader_gone &&
        waitid(P_PID, (id_t)c->spawned.pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == c->spawned.pid) {
        c->leader_gone = true;
        c->gone_ns = at_ns;
        spawned_close(&c->spawned, SPAWN_IN);
    }
    bool silent = c->spawned.pipes[SPAWN_OUT] < 0 && c->spawned.pipes[SPAWN_ERR] < 0;
    if (c->leader_gone && (silent || at_ns - c->gone_ns > GRACE_NS))
        finish(c, CHILD_EXITED);
}

static void watch(struct child *c, ns_t at_ns)
{
    if (!c->watches || at_ns - c->watched_ns < WATCH_NS)
        return;
    c->watched_ns = at_ns;
    uint64_t most_bytes = c->request->memory_bytes;
    struct family family = family_look(c->spawned.pid);
    if (family.bytes > most_bytes) /* unless the same pages were counted more than once */
        family = family_look_closely(c->spawned.pid);
    if (family.bytes > c->result->most_bytes)
        c->result->most_bytes = family.bytes;
    if (family.bytes > most_bytes)
        finish(c, CHILD_OUT_OF_MEMORY);
}

/* Ends whatever is left of it, and takes the leader's status. */
static void clear(struct child *c)
{
    int status = 0;
    c->result->left_behind = c->leader_gone && c->watches && family_look(c->spawned.pid).others > 0;
    family_kill(c->spawned.pid);
    while (waitpid(c->spawned.pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (c->result->end != CHILD_EXITED)
        return;
    if (WIFSIGNALED(status)) {
        c->result->end = CHILD_SIGNALLED;
        c->result->value = WTERMSIG(status);
    } else {
        c->result->value = WEXITSTATUS(status);
    }
}

static void converse(struct child *c)
{
    c->begun_ns = now_ns();
    while (!c->over) {
        exchange(c);
        ns_t at_ns = now_ns();
        look_at_leader(c, at_ns);
        watch(c, at_ns);
        if (at_ns - c->begun_ns > c->request->timeout_ns)
            finish(c, CHILD_TIMED_OUT);
        if (c->request->stop != NULL && *c->request->stop != 0)
            finish(c, CHILD_STOPPED);
    }
    c->result->wall_ns = now_ns() - c->begun_ns;
    clear(c);
}

void child_run(const struct child_request *request, struct child_result *out)
{
    *out = (struct child_result){.end = CHILD_NOT_STARTED};
    struct child c = {.request = request, .result = out, .watches = family_is_seen()};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, &before);
    family_adopt(true);
    if (spawn(request->command, c.watches ? 0 : request->memory_bytes, &c.spawned))
        converse(&c);
    else
        out->value = c.spawned.error;
    for (int i = 0; i < SPAWN_PIPES; i++)
        spawned_close(&c.spawned, i);
    family_adopt(false);
    sigaction(SIGPIPE, &before, NULL);
}

void child_result_free(struct child_result *result)
{
    free(result->output);
    free(result->complaints);
    *result = (struct child_result){0};
}
