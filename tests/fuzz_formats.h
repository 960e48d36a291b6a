/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FUZZ_FORMATS_H
#define DUETIME_FUZZ_FORMATS_H

#include <stddef.h>
#include <stdint.h>

/* Aborts where a reader of other people's files does what it must not. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
