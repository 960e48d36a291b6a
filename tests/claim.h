/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_CLAIM_H
#define DUETIME_CLAIM_H

/* What every test program starts with. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
