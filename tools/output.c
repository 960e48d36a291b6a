/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* realpath */
#include "tools/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/interrupt.h"

#define HELD_MOST ((size_t)4 << 20) /* bytes of a file that wait in memory for its end */

void errors_add_file(struct errors *errors, const char *file, const char *doing, int number)
{
    static const int of_machine[] = {EIO, ENOMEM, ENOSPC, EMFILE, ENFILE, EDQUOT, EBADF, EFBIG};
    for (size_t i = 0; i < sizeof of_machine / sizeof of_machine[0]; i++)
        if (number == of_machine[i]) {
            errors_add_machine(errors, "%s: %s: %s", file, doing, strerror(number));
            return;
        }
    errors_add(errors, (struct place){.file = file}, "%s: %s", doing, strerror(number));
}

/* The directory of a path, owned by the caller. */
static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return must_copy(".");
    return must_format("%.*s", (int)(slash == path ? 1 : slash - path), path);
}

static bool can_appear(const char *path)
{
    struct stat there;
    if (stat(path, &there) == 0) {
        if (S_ISDIR(there.st_mode)) {
            errno = EISDIR;
            return false;
        }
        if (!S_ISREG(there.st_mode))
            return access(path, W_OK) == 0;
    }
    char *directory = directory_of(path);
    struct stat parent;
    bool ok = stat(directory, &parent) == 0;
    if (ok && !S_ISDIR(parent.st_mode)) {
        errno = ENOTDIR;
        ok = false;
    }
    ok = ok && access(directory, W_OK | X_OK) == 0;
    free(directory);
    return ok;
}

/* Two places where no file is: the same name in the same directory. */
static bool same_place(const char *a, const char *b)
{
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    if (strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) != 0)
        return false;
    char *directory_a = directory_of(a), *directory_b = directory_of(b);
    struct stat at_a, at_b;
    bool same = stat(directory_a, &at_a) == 0 && stat(directory_b, &at_b) == 0 &&
                at_a.st_dev == at_b.st_dev && at_a.st_ino == at_b.st_ino;
    free(directory_a);
    free(directory_b);
    return same;
}

bool output_same_file(const char *a, const char *b)
{
    struct stat at_a, at_b;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
        return false;
    bool has_a = stat(a, &at_a) == 0, has_b = stat(b, &at_b) == 0;
    if (has_a && has_b)
        return S_ISREG(at_a.st_mode) && at_a.st_dev == at_b.st_dev && at_a.st_ino == at_b.st_ino;
    return !has_a && !has_b && same_place(a, b);
}

bool output_open(struct output *output, const char *path, struct errors *errors)
{
    bool is_stdout = !path || strcmp(path, "-") == 0;
    *output = (struct output){.path = is_stdout ? NULL : path};
    if (is_stdout || (path[0] != '\0' && can_appear(path)))
        return true;
    errors_add_file(errors, path, "cannot be written", path[0] == '\0' ? ENOENT : errno);
    output->state = OUTPUT_FAILED;
    return false;
}

/* Returns 0, or the errno of the write that failed. */
static int write_all(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t wrote = write(fd, text, length);
        if (wrote < 0 && errno == EINTR && *interrupt_flag() == 0)
            continue;
        if (wrote < 0)
            return errno;
        text += wrote;
        length -= (size_t)wrote;
    }
    return 0;
}

/* A file that is to be replaced comes to stand beside it first; a device or a pipe cannot be
   replaced by a rename (and must not: /dev/null).  Returns 0 or an errno. */
static int begin_file(struct output *output)
{
    struct stat there;
    bool exists = stat(output->path, &there) == 0;
    output->begun = true;
    if (exists && !S_ISREG(there.st_mode)) {
        output->fd = open(output->path, O_WRONLY | O_CLOEXEC);
        return output->fd < 0 ? errno : 0;
    }
    char *target = realpath(output->path, NULL); /* through a link, not over it */
    output->path_of_file = must_copy(target ? target : output->path);
    free(target);
    output->temporary = must_format("%s.%ld.part", output->path_of_file, (long)getpid());
    output->fd = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (output->fd < 0) {
        int number = errno;
        free(output->temporary);
        output->temporary = NULL; /* whose it is, if it is there, is not ours to delete */
        return number;
    }
    return exists && fchmod(output->fd, there.st_mode & 07777) != 0 ? errno : 0;
}

/* What is held goes to the file.  Returns 0 or an errno. */
static int write_held(struct output *output)
{
    int number = output->begun ? 0 : begin_file(output);
    if (number == 0)
        number = write_all(output->fd, output->text, output->length);
    output->length = 0;
    return number;
}

/* Takes its place, or never was.  Returns 0 or an errno. */
static int end_file(struct output *output, bool keep)
{
    int number = 0;
    if (output->temporary && keep && fsync(output->fd) != 0 && errno != EINVAL)
        number = errno;
    if (output->fd >= 0 && close(output->fd) != 0 && number == 0)
        number = errno;
    if (output->temporary && keep && number == 0 &&
        rename(output->temporary, output->path_of_file) != 0)
        number = errno;
    if (output->temporary && (!keep || number != 0))
        unlink(output->temporary);
    free(output->temporary);
    free(output->path_of_file);
    output->temporary = output->path_of_file = NULL;
    output->begun = false;
    return keep ? number : 0;
}

static void note_file_failure(struct output *output, int number, struct errors *errors)
{
    if (number == EPIPE)
        output->state = OUTPUT_CLOSED;
    else if (number != 0) {
        output->state = OUTPUT_FAILED;
        if (number != EINTR)
            errors_add_file(errors, output->path, "cannot be written", number);
    }
}

static void hold(struct output *output, const char *text, size_t length)
{
    while (output->capacity - output->length < length) {
        output->capacity = output->capacity ? 2 * output->capacity : 65536;
        output->text = must_grow(output->text, output->capacity, 1);
    }
    memcpy(output->text + output->length, text, length);
    output->length += length;
}

enum output_state output_write(struct output *output, const char *text, size_t length,
                               struct errors *errors)
{
    if (output->state != OUTPUT_OPEN)
        return output->state;
    if (output->path) {
        hold(output, text, length);
        if (output->length > HELD_MOST)
            note_file_failure(output, write_held(output), errors);
        return output->state;
    }
    int number = write_all(STDOUT_FILENO, text, length);
    if (number == EPIPE)
        output->state = OUTPUT_CLOSED;
    else if (number != 0) {
        output->state = OUTPUT_FAILED;
        if (number != EINTR)
            errors_add_machine(errors, "standard output: cannot be written: %s", strerror(number));
    }
    return output->state;
}

enum output_state output_close(struct output *output, bool keep, struct errors *errors)
{
    keep = keep && output->path && output->state == OUTPUT_OPEN;
    if (keep)
        note_file_failure(output, write_held(output), errors);
    keep = keep && output->state == OUTPUT_OPEN;
    if (output->begun)
        note_file_failure(output, end_file(output, keep), errors);
    free(output->text);
    output->text = NULL;
    output->length = output->capacity = 0;
    return output->state;
}
