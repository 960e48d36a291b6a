/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_TESTS_FUZZ_SCENARIO_H
#define DUETIME_TESTS_FUZZ_SCENARIO_H

#include <stddef.h>
#include <stdint.h>

/* Reads the bytes as a scenario; aborts where that breaks a promise of the reader.  Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
