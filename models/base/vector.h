/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_BASE_VECTOR_H
#define DUETIME_BASE_VECTOR_H

#include <stdbool.h>

/* Of a line of the cache, and of the widest vector. */
#define LINE_BYTES 64

/* Which vector instructions there are.  A file of kernels, one of those that meson.build lists as
   such, is compiled once for each of these under names of its own and picked at run time.  Kernels
   are C without a branch, in a fixed order of operations where it counts, so that all give the same
   bits; one that is written for one width alone works on whole numbers. */

enum vector { VECTOR_PLAIN, VECTOR_AVX2, VECTOR_AVX512 };
#define VECTOR_COUNT (VECTOR_AVX512 + 1)

/* The best that the processor has; at most what the environment's DUETIME_VECTOR says ("plain",
   "avx2", "avx512"), which is for tests and measurements.  Cheap enough for once a batch. */
enum vector vector_level(void);

/* Whether DUETIME_VECTOR, if it is there, is one of them. */
bool vector_is_known(void);

/* In a file of kernels: the name of its table of functions, draw_kernels_avx2 say.  VECTOR comes
   from the build. */
#define VECTOR_JOIN(name, vector) name##_##vector
#define VECTOR_NAMED(name, vector) VECTOR_JOIN(name, vector)
#define VECTOR_NAME(name) VECTOR_NAMED(name, VECTOR)

/* In a file of kernels: how many numbers of 64 bits the widest vector there has. */
#if defined __AVX512F__
#define VECTOR_LANES 8
#elif defined __AVX2__
#define VECTOR_LANES 4
#else
#define VECTOR_LANES 2
#endif

/* In its header: declares the three tables, and name() that picks one. */
#define VECTOR_TABLES(name)                                                              \
    extern const struct name name##_plain, name##_avx2, name##_avx512;                   \
    static inline const struct name *name(void)                                          \
    {                                                                                    \
        static const struct name *const by[VECTOR_COUNT] = {&name##_plain, &name##_avx2, \
                                                            &name##_avx512};             \
        return by[vector_level()];                                                       \
    }

#endif
