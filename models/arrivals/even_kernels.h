/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_EVEN_KERNELS_H
#define DUETIME_EVEN_KERNELS_H

#include "models/base/time.h"
#include "models/base/vector.h"

struct even_kernels {
    /* out[i] = first + i * step. */
    void (*ramp)(ns_t first_ns, ns_t step_ns, ns_t *out_ns, size_t count);
};
VECTOR_TABLES(even_kernels)

#endif
