/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_SHA256_H
#define DUETIME_SHA256_H

#include <stddef.h>

/* The SHA-256 digest (FIPS 180-4) of the bytes, in 64 hexadecimal digits and a NUL. */
void sha256_hex(const void *bytes, size_t length, char out[65]);

#endif
