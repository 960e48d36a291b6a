/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/base/vector.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static enum vector of_processor(void)
{
#ifdef __x86_64__
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
              __builtin_cpu_supports("fma");
    bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl");
    return !v3 ? VECTOR_PLAIN : !v4 ? VECTOR_AVX2 : VECTOR_AVX512;
#else
    return VECTOR_PLAIN;
#endif
}

static enum vector looked_up(void)
{
    enum vector best = of_processor();
    const char *most = getenv("DUETIME_VECTOR");
    if (most != NULL && strcmp(most, "plain") == 0)
        return VECTOR_PLAIN;
    if (most != NULL && strcmp(most, "avx2") == 0 && best > VECTOR_AVX2)
        return VECTOR_AVX2;
    return best;
}

enum vector vector_level(void)
{
    static atomic_int known; /* 1 more than the level; 0: not looked up yet */
    int level = atomic_load_explicit(&known, memory_order_relaxed);
    if (level == 0) {
        level = (int)looked_up() + 1;
        atomic_store_explicit(&known, level, memory_order_relaxed);
    }
    return (enum vector)(level - 1);
}
