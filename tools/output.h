/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_OUTPUT_H
#define DUETIME_OUTPUT_H

/* Where results go: standard output as they come, or a file that appears whole or not at all. */

#include <stdbool.h>
#include <stddef.h>

#include "models/base/error.h"

enum output_state {
    OUTPUT_OPEN,
    OUTPUT_CLOSED, /* the reader has gone: no error, but no use going on */
    OUTPUT_FAILED, /* could not be written; *errors says why */
};

struct output {
    const char *path; /* NULL: standard output; borrowed */
    char *text;       /* of a file: what is not written yet */
    size_t length, capacity;
    bool begun;         /* of a file: some of it is written, */
    int fd;             /* to this one, */
    char *temporary;    /* of this name; NULL: to a device, in its place */
    char *path_of_file; /* the name that it takes in the end */
    enum output_state state;
};

/* path NULL or "-" is standard output.  False and *errors where no file can come to stand there, so
   that a long run does not find out at its end. */
bool output_open(struct output *output, const char *path, struct errors *errors);

enum output_state output_write(struct output *output, const char *text, size_t length,
                               struct errors *errors);

/* Whether writing one would replace the other: the same file by whatever names, or the same place
   where there is none yet.  Devices, pipes and "-" are nobody's to replace. */
bool output_same_file(const char *a, const char *b);

/* keep: the file takes its place, replacing what was there; else it never appears.  Releases. */
enum output_state output_close(struct output *output, bool keep, struct errors *errors);

/* A fault of the request (no such directory) or of the machine (disk full)? */
void errors_add_file(struct errors *errors, const char *file, const char *doing, int number);

#endif
