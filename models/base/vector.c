/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/base/vector.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static enum vector of_processor(void)
{
#ifdef __x86_64__
    /* What the kernels are compiled with, and nothing else. */
    bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    bool widest = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
    return !wide ? VECTOR_PLAIN : !widest ? VECTOR_AVX2 : VECTOR_AVX512;
#else
    return VECTOR_PLAIN;
#endif
}

/* At most so wide; VECTOR_COUNT: the environment names no width that there is. */
static unsigned widest_wanted(void)
{
    static const char *const names[VECTOR_COUNT] = {"plain", "avx2", "avx512"};
    const char *wanted = getenv("DUETIME_VECTOR");
    unsigned v = VECTOR_AVX512;
    if (wanted == NULL || wanted[0] == '\0')
        return v;
    for (v = 0; v < VECTOR_COUNT && strcmp(names[v], wanted) != 0; v++)
        ;
    return v;
}

bool vector_is_known(void)
{
    return widest_wanted() < VECTOR_COUNT;
}

static enum vector looked_up(void)
{
    unsigned best = (unsigned)of_processor(), most = widest_wanted();
    return (enum vector)(best < most ? best : most);
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
