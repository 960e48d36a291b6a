/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifdef __linux__
#define _GNU_SOURCE /* processors of a thread */
#endif
#include "sim/threads.h"

#include <sched.h>
#include <unistd.h>

unsigned threads_of(unsigned threads)
{
    if (threads != 0)
        return threads; /* asking costs as much as a short run */
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 0 ? (unsigned)processors : 1;
}

#if defined __linux__ && defined __GLIBC__ /* others cannot say where a thread begins */

/* The processor so many behind this one, in turn. */
static size_t processor_behind(const cpu_set_t *all, unsigned steps)
{
    int here = sched_getcpu();
    size_t at = here > 0 ? (size_t)here : 0;
    for (unsigned left = steps % (unsigned)CPU_COUNT(all); left > 0;) {
        at = (at + 1) % CPU_SETSIZE;
        left -= CPU_ISSET(at, all) ? 1 : 0;
    }
    return at;
}

/* Linux begins a thread on the processor of the one that makes it, and for some ms both may share
   it while another idles.  Where there are enough for every processor, each begins on its own, and
   then may be moved as ever.  False: it could not be so. */
static bool begin_apart(pthread_t *thread, unsigned number, unsigned threads, void *(*work)(void *),
                        void *self)
{
    cpu_set_t all, one;
    pthread_attr_t where;
    /* The first thread's, as it is never held; the one that calls may be, for a moment. */
    if (sched_getaffinity(getpid(), sizeof all, &all) != 0 || CPU_COUNT(&all) == 0 ||
        threads < (unsigned)CPU_COUNT(&all) || pthread_attr_init(&where) != 0)
        return false;
    CPU_ZERO(&one);
    CPU_SET(processor_behind(&all, number), &one);
    bool begun = pthread_attr_setaffinity_np(&where, sizeof one, &one) == 0 &&
                 pthread_create(thread, &where, work, self) == 0;
    pthread_attr_destroy(&where);
    if (begun)
        pthread_setaffinity_np(*thread, sizeof all, &all);
    return begun;
}

#else

static bool begin_apart(pthread_t *thread, unsigned number, unsigned threads, void *(*work)(void *),
                        void *self)
{
    (void)thread, (void)number, (void)threads, (void)work, (void)self;
    return false;
}

#endif

bool thread_begin(pthread_t *thread, unsigned number, unsigned threads, void *(*work)(void *),
                  void *self)
{
    return begin_apart(thread, number, threads, work, self) ||
           pthread_create(thread, NULL, work, self) == 0;
}
