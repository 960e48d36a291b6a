/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/base/error.h"
#include "tools/child.h"

/* Programs that do what they like: each comes to its end, and nothing of it stays. */

#define MUCH ((size_t)3 << 20) /* far more than a pipe holds */

/* So many bytes to be told, a chunk at a time. */
struct speech {
    size_t left;
    char chunk[4096];
};

static bool speak(void *self, const char **bytes, size_t *length)
{
    struct speech *s = self;
    *length = s->left < sizeof s->chunk ? s->left : sizeof s->chunk;
    *bytes = s->chunk;
    s->left -= *length;
    return *length > 0;
}

static struct child_result run_with(const char *command, size_t told, struct child_request limits)
{
    struct speech speech = {.left = told};
    struct child_result result;
    memset(speech.chunk, 'x', sizeof speech.chunk);
    limits.command = command;
    limits.feed = speak;
    limits.self = &speech;
    limits.timeout_ns = limits.timeout_ns == 0 ? 60 * NS_PER_S : limits.timeout_ns;
    limits.memory_bytes = limits.memory_bytes == 0 ? UINT64_MAX : limits.memory_bytes;
    limits.output_most = limits.output_most == 0 ? 4 * MUCH : limits.output_most;
    child_run(&limits, &result);
    return result;
}

static void assert_printed(const struct child_result *r, const char *text)
{
    assert_int_equal(r->output_length, strlen(text));
    assert_memory_equal(r->output, text, strlen(text));
}

/* Whether the process whose number stands in the output is there no more. */
static void assert_gone(const struct child_result *r)
{
    char *number = must_format("%.*s", (int)r->output_length, r->output);
    long pid = strtol(number, NULL, 10);
    assert_true(pid > 1);
    assert_int_equal(kill((pid_t)pid, 0), -1);
    assert_int_equal(errno, ESRCH);
    free(number);
}

static void a_program_is_told_all_and_heard_and_its_status_known(void **state)
{
    (void)state;
    struct child_result r =
        run_with("wc -c; echo oops >&2; exit 7", MUCH, (struct child_request){0});
    assert_int_equal(r.end, CHILD_EXITED);
    assert_int_equal(r.value, 7);
    char *count = must_format("%.*s", (int)r.output_length, r.output);
    assert_int_equal(strtoul(count, NULL, 10), MUCH);
    assert_int_equal(r.complaints_length, 5);
    assert_memory_equal(r.complaints, "oops\n", 5);
    assert_true(r.took_all);
    assert_false(r.left_behind);
    free(count);
    child_result_free(&r);
}

/* More than both pipes hold, written by either side while the other writes too. */
static void neither_side_waits_for_the_other_to_read(void **state)
{
    (void)state;
    struct child_result r =
        run_with("head -c 3145728 /dev/zero; cat", MUCH, (struct child_request){0});
    assert_int_equal(r.end, CHILD_EXITED);
    assert_int_equal(r.value, 0);
    assert_int_equal(r.output_length, 2 * MUCH);
    child_result_free(&r);
}

static void one_that_reads_nothing_still_answers(void **state)
{
    (void)state;
    struct child_result r = run_with("echo hello", MUCH, (struct child_request){0});
    assert_int_equal(r.end, CHILD_EXITED);
    assert_printed(&r, "hello\n");
    assert_false(r.took_all);
    child_result_free(&r);
    r = run_with("exec <&-; sleep 0.2; echo later", MUCH, (struct child_request){0});
    assert_int_equal(r.end, CHILD_EXITED);
    assert_printed(&r, "later\n");
    assert_false(r.took_all);
    child_result_free(&r);
}

static void a_signal_of_its_own_is_told_apart_from_an_exit(void **state)
{
    (void)state;
    struct child_result r = run_with("kill -SEGV $$", 0, (struct child_request){0});
    assert_int_equal(r.end, CHILD_SIGNALLED);
    assert_int_equal(r.value, SIGSEGV);
    child_result_free(&r);
    r = run_with("no-such-command-anywhere", 0, (struct child_request){0});
    assert_int_equal(r.end, CHILD_EXITED);
    assert_int_equal(r.value, 127);
    child_result_free(&r);
}

static void one_that_hangs_is_ended_in_time_with_all_it_started(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "sleep 100 & echo $!; exec sleep 100",
        "trap '' TERM INT HUP; sleep 100 & echo $!; wait",
        "setsid sleep 100 & echo $!; sleep 100",
        "(setsid sh -c 'sleep 100 & echo $!; exec sleep 100') & sleep 100",
    };
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        struct child_result r =
            run_with(commands[i], 100, (struct child_request){.timeout_ns = 400 * NS_PER_MS});
        assert_int_equal(r.end, CHILD_TIMED_OUT);
        assert_true(r.wall_ns >= 400 * NS_PER_MS && r.wall_ns < 20 * NS_PER_S);
        assert_gone(&r);
        child_result_free(&r);
    }
}

static void what_goes_on_behind_one_that_ends_is_ended_too(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "sleep 100 & echo $!",
        "sleep 100 >/dev/null 2>&1 & echo $!",
        "setsid sleep 100 >/dev/null 2>&1 & echo $!; sleep 0.2",
    };
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        struct child_result r = run_with(commands[i], 0, (struct child_request){0});
        assert_int_equal(r.end, CHILD_EXITED);
        assert_int_equal(r.value, 0);
        assert_true(r.left_behind);
        assert_true(r.wall_ns < 20 * NS_PER_S);
        assert_gone(&r);
        child_result_free(&r);
    }
}

static void one_that_prints_without_end_is_cut_and_ended(void **state)
{
    (void)state;
    struct child_result r = run_with("yes", 0, (struct child_request){.output_most = 100000});
    assert_int_equal(r.end, CHILD_FLOODED);
    assert_int_equal(r.output_length, 100000);
    child_result_free(&r);
    r = run_with("yes >&2", 0, (struct child_request){.timeout_ns = 300 * NS_PER_MS});
    assert_int_equal(r.end, CHILD_TIMED_OUT);
    assert_true(r.complaints_length > 0 && r.complaints_length <= 4096);
    child_result_free(&r);
}

static void memory_is_watched_in_all_it_starts(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "exec python3 -c 'x = b\"x\" * 300000000; import time; time.sleep(100)'",
        "setsid python3 -c 'x = b\"x\" * 300000000; import time; time.sleep(100)' & sleep 100",
    };
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        struct child_result r =
            run_with(commands[i], 0, (struct child_request){.memory_bytes = 100 << 20});
        assert_int_equal(r.end, CHILD_OUT_OF_MEMORY);
        assert_true(r.most_bytes > 100 << 20);
        child_result_free(&r);
    }
}

/* Six processes with the same 60 MB, of which each changes nothing. */
static void memory_that_is_shared_is_counted_once(void **state)
{
    (void)state;
    struct child_result r = run_with(
        "exec python3 -c 'import os, time; x = b\"x\" * 60000000\n"
        "for i in range(6):\n    if os.fork() == 0: break\ntime.sleep(0.3)\nprint(len(x))'",
        0, (struct child_request){.memory_bytes = 200 << 20});
    assert_int_equal(r.end, CHILD_EXITED);
    assert_int_equal(r.value, 0);
    assert_true(r.output_length >= 9);
    child_result_free(&r);
}

/* It reserves 2 GiB, as runtimes do, and uses next to nothing of them. */
static void memory_that_is_only_reserved_is_not_counted(void **state)
{
    (void)state;
    struct child_result r =
        run_with("exec python3 -c 'import mmap, time; m = mmap.mmap(-1, 1 << 31); time.sleep(0.3)'",
                 0, (struct child_request){.memory_bytes = 100 << 20});
    assert_int_equal(r.end, CHILD_EXITED);
    assert_int_equal(r.value, 0);
    child_result_free(&r);
}

static void the_stop_flag_ends_it_at_once(void **state)
{
    (void)state;
    volatile sig_atomic_t stop = SIGINT;
    struct child_result r =
        run_with("echo $$; sleep 100", 0, (struct child_request){.stop = &stop});
    assert_int_equal(r.end, CHILD_STOPPED);
    assert_true(r.wall_ns < 20 * NS_PER_S);
    child_result_free(&r);
}

/* Nothing is left of hundred runs: no descriptor, no zombie. */
static void runs_leave_nothing_in_this_process(void **state)
{
    (void)state;
    int before = open("/dev/null", O_RDONLY);
    close(before);
    for (int i = 0; i < 100; i++) {
        struct child_result r = run_with("exit 0", i % 2 == 0 ? 100000 : 0,
                                         (struct child_request){.timeout_ns = 20 * NS_PER_S});
        assert_int_equal(r.end, CHILD_EXITED);
        child_result_free(&r);
    }
    int after = open("/dev/null", O_RDONLY);
    close(after);
    assert_int_equal(before, after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_told_all_and_heard_and_its_status_known),
        cmocka_unit_test(neither_side_waits_for_the_other_to_read),
        cmocka_unit_test(one_that_reads_nothing_still_answers),
        cmocka_unit_test(a_signal_of_its_own_is_told_apart_from_an_exit),
        cmocka_unit_test(one_that_hangs_is_ended_in_time_with_all_it_started),
        cmocka_unit_test(what_goes_on_behind_one_that_ends_is_ended_too),
        cmocka_unit_test(one_that_prints_without_end_is_cut_and_ended),
        cmocka_unit_test(memory_is_watched_in_all_it_starts),
        cmocka_unit_test(memory_that_is_shared_is_counted_once),
        cmocka_unit_test(memory_that_is_only_reserved_is_not_counted),
        cmocka_unit_test(the_stop_flag_ends_it_at_once),
        cmocka_unit_test(runs_leave_nothing_in_this_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
