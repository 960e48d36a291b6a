/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/arrivals/even_kernels.h"

static void ramp(ns_t first_ns, ns_t step_ns, ns_t *out_ns, size_t count)
{
    for (size_t i = 0; i < count; i++, first_ns += step_ns)
        out_ns[i] = first_ns;
}

const struct even_kernels VECTOR_NAME(even_kernels) = {ramp};
