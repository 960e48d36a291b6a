/* SPDX-License-Identifier: GPL-3.0-or-later */

/* bench_read FILE: reads a scenario five times and prints the least CPU ns that this took. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sim/scenario/reader.h"

static int64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static char *slurp(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        exit(2);
    long size = ftell(file);
    char *text = must_alloc((size_t)size + 1, 1);
    rewind(file);
    *length = fread(text, 1, (size_t)size, file);
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    size_t length;
    char *text = slurp(argv[1], &length);
    int64_t least_ns = INT64_MAX;
    for (int i = 0; i < 5; i++) {
        struct errors errors = {0};
        int64_t begin_ns = cpu_ns();
        struct plan *plan = plan_read(argv[1], text, length, NULL, 0, &errors);
        int64_t took_ns = cpu_ns() - begin_ns;
        if (!plan)
            return 1;
        plan_free(plan);
        least_ns = took_ns < least_ns ? took_ns : least_ns;
    }
    free(text);
    printf("%" PRId64 "\n", least_ns);
    return 0;
}
