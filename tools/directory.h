/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_DIRECTORY_H
#define DUETIME_DIRECTORY_H

/* Operands that are directories stand for the scenarios in them. */

#include "models/base/error.h"

struct file_list {
    char **names; /* owned */
    size_t count, capacity;
};

/* Each name as it is or, of a directory, its *.json files that are scenarios, by name; those that
   are well-formed JSON and no scenario are left out, with a word on standard error.  Faults, such
   as a directory without one, go to *errors.  file_list_free releases it. */
void files_expand(const char *const *names, size_t count, struct file_list *out,
                  struct errors *errors);
void file_list_free(struct file_list *files);

#endif
