/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/family.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "models/base/error.h"

#define KILL_ROUNDS 500
#define KILL_PAUSE_NS 2000000

struct process {
    pid_t pid, parent, group, session;
    char state;
    uint64_t pages;
    bool ours;
};

struct processes {
    struct process *items;
    size_t count, capacity;
};

void family_adopt(bool on)
{
#ifdef __linux__
    prctl(PR_SET_CHILD_SUBREAPER, on ? 1UL : 0UL, 0UL, 0UL, 0UL);
#else
    (void)on;
#endif
}

/* The name in the line is the program's to choose: what follows its last bracket is not. */
static bool read_process(const char *pid, struct process *out)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t length = read(fd, line, sizeof line - 1);
    close(fd);
    if (length <= 0)
        return false;
    line[length] = '\0';
    const char *rest = strrchr(line, ')');
    int parent, group, session;
    unsigned long pages;
    if (rest == NULL || sscanf(rest + 1,
                               " %c %d %d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
                               "%*d %*d %*d %*u %*u %lu",
                               &out->state, &parent, &group, &session, &pages) != 5)
        return false;
    out->pid = (pid_t)strtol(pid, NULL, 10);
    out->parent = parent;
    out->group = group;
    out->session = session;
    out->pages = pages;
    out->ours = false;
    return true;
}

bool family_is_seen(void)
{
    struct process self;
    return read_process("self", &self);
}

static bool is_found(const struct processes *all, pid_t parent)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].ours && all->items[i].pid == parent)
            return true;
    return false;
}

/* Children of children, until there are no more. */
static void mark(struct processes *all, pid_t leader)
{
    pid_t self = getpid();
    for (size_t i = 0; i < all->count; i++) {
        struct process *p = &all->items[i];
        p->ours =
            p->pid != self && (p->session == leader || p->group == leader || p->parent == self);
    }
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < all->count; i++) {
            struct process *p = &all->items[i];
            if (p->ours || p->pid == self || !is_found(all, p->parent))
                continue;
            p->ours = more = true;
        }
    }
}

static void list(pid_t leader, struct processes *out)
{
    *out = (struct processes){0};
    DIR *folder = opendir("/proc");
    if (folder == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        struct process found;
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9' ||
            !read_process(entry->d_name, &found))
            continue;
        if (out->count == out->capacity) {
            out->capacity = out->capacity == 0 ? 256 : 2 * out->capacity;
            out->items = must_grow(out->items, out->capacity, sizeof *out->items);
        }
        out->items[out->count++] = found;
    }
    closedir(folder);
    mark(out, leader);
}

static bool is_living(const struct process *p)
{
    return p->ours && p->state != 'Z' && p->state != 'X';
}

/* The process's own part of the pages it has; `bytes` where that is not told. */
static uint64_t fair_bytes(pid_t pid, uint64_t bytes)
{
    char path[64], line[256];
    unsigned long long kib;
    snprintf(path, sizeof path, "/proc/%ld/smaps_rollup", (long)pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return bytes;
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "Pss: %llu kB", &kib) == 1) {
            bytes = (uint64_t)kib << 10;
            break;
        }
    fclose(file);
    return bytes;
}

static struct family look(pid_t leader, bool fair)
{
    struct processes all;
    struct family family = {0};
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    list(leader, &all);
    for (size_t i = 0; i < all.count; i++) {
        if (!is_living(&all.items[i]))
            continue;
        uint64_t bytes = all.items[i].pages * page;
        family.others += all.items[i].pid != leader;
        family.bytes += fair ? fair_bytes(all.items[i].pid, bytes) : bytes;
    }
    free(all.items);
    return family;
}

struct family family_look(pid_t leader)
{
    return look(leader, false);
}

struct family family_look_closely(pid_t leader)
{
    return look(leader, true);
}

/* A process that forks as fast as it can is met by the next round. */
void family_kill(pid_t leader)
{
    struct timespec pause = {0, KILL_PAUSE_NS};
    for (int round = 0; round < KILL_ROUNDS; round++) {
        struct processes all;
        size_t left = 0;
        kill(-leader, SIGKILL);
        list(leader, &all);
        for (size_t i = 0; i < all.count; i++) {
            const struct process *p = &all.items[i];
            if (is_living(p))
                kill(p->pid, SIGKILL);
            bool orphan = p->ours && p->pid != leader && p->parent == getpid();
            if (orphan)
                waitpid(p->pid, NULL, WNOHANG);
            left += is_living(p) || orphan;
        }
        free(all.items);
        if (left == 0)
            return;
        nanosleep(&pause, NULL);
    }
}
