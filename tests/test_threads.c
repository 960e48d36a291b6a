/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifdef __linux__
#define _GNU_SOURCE /* processors of a thread */
#endif
#include "sim/threads.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <time.h>
#include <unistd.h>

#include "tests/claim.h"

#define THREADS_MOST 9

static void *count_up(void *self)
{
    atomic_uint *count = self;
    atomic_fetch_add(count, 1);
    return NULL;
}

static void each_thread_does_its_work_once_however_many_there_are(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= THREADS_MOST; threads++) {
        pthread_t others[THREADS_MOST];
        atomic_uint count = 0;
        for (unsigned i = 1; i < threads; i++)
            assert_true(thread_begin(&others[i], i, threads, count_up, &count));
        for (unsigned i = 1; i < threads; i++)
            pthread_join(others[i], NULL);
        assert_int_equal(atomic_load(&count), threads - 1);
    }
}

static void threads_are_as_many_as_asked_for_or_as_there_are_processors(void **state)
{
    (void)state;
    assert_int_equal(threads_of(1), 1);
    assert_int_equal(threads_of(77), 77);
    assert_int_equal(threads_of(0), sysconf(_SC_NPROCESSORS_ONLN));
}

#ifdef __linux__

static bool no_processors;

/* Instead of the C library's: as the kernel says, or none, as when the last of those that a process
   may use has gone and others are not yet found for it. */
int sched_getaffinity(pid_t process, size_t size, cpu_set_t *processors)
{
    memset(processors, 0, size);
    return no_processors || syscall(SYS_sched_getaffinity, process, size, processors) > 0 ? 0 : -1;
}

static void a_process_that_has_no_processors_begins_its_threads_all_the_same(void **state)
{
    (void)state;
    pthread_t other;
    atomic_uint count = 0;
    no_processors = true;
    bool begun = thread_begin(&other, 1, 2, count_up, &count);
    no_processors = false;
    assert_true(begun);
    pthread_join(other, NULL);
    assert_int_equal(atomic_load(&count), 1);
}

/* Whether this thread comes to be free to run where the process may, within two seconds. */
static void *await_freedom(void *self)
{
    cpu_set_t all, own;
    bool free_to_move = false;
    sched_getaffinity(getpid(), sizeof all, &all);
    for (int i = 0; i < 2000 && !free_to_move; i++) {
        sched_getaffinity(0, sizeof own, &own);
        free_to_move = CPU_EQUAL(&all, &own) != 0;
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    *(bool *)self = free_to_move;
    return NULL;
}

/* Wherever it began it is held nowhere, and nor is the one that begins it. */
static void a_thread_may_be_moved_to_any_processor_of_the_process(void **state)
{
    (void)state;
    cpu_set_t before, after;
    bool free_to_move[THREADS_MOST] = {false};
    pthread_t others[THREADS_MOST];
    sched_getaffinity(0, sizeof before, &before);
    for (unsigned i = 1; i < THREADS_MOST; i++)
        assert_true(thread_begin(&others[i], i, 1024, await_freedom, &free_to_move[i]));
    for (unsigned i = 1; i < THREADS_MOST; i++) {
        pthread_join(others[i], NULL);
        assert_true(free_to_move[i]);
    }
    sched_getaffinity(0, sizeof after, &after);
    assert_true(CPU_EQUAL(&before, &after));
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_thread_does_its_work_once_however_many_there_are),
        cmocka_unit_test(threads_are_as_many_as_asked_for_or_as_there_are_processors),
#ifdef __linux__
        cmocka_unit_test(a_process_that_has_no_processors_begins_its_threads_all_the_same),
        cmocka_unit_test(a_thread_may_be_moved_to_any_processor_of_the_process),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
