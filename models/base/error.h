/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_BASE_ERROR_H
#define DUETIME_BASE_ERROR_H

/* What is wrong with a request: every fault is collected, none stops the reading of the rest.
   A fault of the program itself is not an error but a BUG, which aborts in every build. */

#include <stdbool.h>
#include <stddef.h>

/* Where a fault stands.  line 0: the fault has no line (a command-line argument). */
struct place {
    const char *file; /* borrowed */
    size_t line, column;
    const char *path; /* JSON path such as /loads/open/rate; borrowed; may be NULL */
};

struct errors {
    char **texts; /* each "file:line:column: path: what", owned */
    size_t count, capacity;
    size_t left_out; /* faults beyond ERRORS_MOST: counted, not kept */
    bool machine;    /* at least one is the machine's (no memory, disk full): status 3 */
};

#define ERRORS_MOST 200

void errors_add(struct errors *errors, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A failure of the machine, not of the request. */
void errors_add_machine(struct errors *errors, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void errors_free(struct errors *errors);

#define BUG_IF(condition) ((condition) ? bug_report(__FILE__, __LINE__, #condition) : (void)0)
#define BUG(text) bug_report(__FILE__, __LINE__, text)
_Noreturn void bug_report(const char *file, int line, const char *text);

/* Allocation that never returns NULL: out of memory prints one line and exits with status 3. */
void *must_alloc(size_t count, size_t size);
/* For columns: it begins where a line of the cache does, so that no vector crosses one, and holds
   whatever it held, as what a short run does not use should cost it nothing. */
void *must_alloc_lines(size_t count, size_t size);
void *must_grow(void *old, size_t count, size_t size);
char *must_copy(const char *text);
char *must_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
