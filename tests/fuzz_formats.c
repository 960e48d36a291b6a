/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One input of a fuzzer, to every reader of other people's files: it is read or refused with a
   reason, and what is read says nothing impossible.  Builds with -fsanitize=fuzzer;
   tests/test_hostile_formats.c drives it too. */

#include "tests/fuzz_formats.h"

#include <stdlib.h>

#include "models/registry.h"
#include "sim/formats/imported.h"
#include "tools/trace_write.h"

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Bins in order, counts that add up, and percentiles that never fall. */
static void judge_imported(const struct imported *m)
{
    uint64_t count = 0;
    for (size_t i = 0; i < m->bin_count; i++) {
        const struct bin *bin = &m->bins[i];
        require(bin->count > 0 && bin->low_milli >= 0);
        require(bin->open ? i + 1 == m->bin_count : bin->low_milli <= bin->high_milli);
        require(i == 0 || m->bins[i - 1].high_milli <= bin->low_milli);
        count += bin->count;
    }
    require(count == m->count && count > 0);
    for (size_t r = 0; r < set_ranks.count; r++) {
        const struct rank_type *rank =
            (const struct rank_type *)(const void *)set_ranks.variants[r];
        i128 last = 0;
        for (uint64_t num = 0; num <= 10; num++) {
            struct known_percentile k = imported_percentile(m, ratio_make(num, 10), rank);
            require(k.known != KNOWN_NOT && k.low_milli >= last);
            require(k.known == KNOWN_FROM_BELOW || k.low_milli <= k.high_milli);
            last = k.low_milli;
        }
    }
}

static void judge_trace(const struct trace_rows *rows)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    require(out != NULL);
    trace_write(out, rows);
    fclose(out);
    struct errors errors = {0};
    struct trace_rows again;
    /* A trace that leaves parts out may not be whole again; one that is has all its rows. */
    if (trace_read("again", text, length, &again, &errors)) {
        require(again.count == rows->count && again.whole);
        trace_rows_free(&again);
    } else {
        require(errors.count > 0);
    }
    errors_free(&errors);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct errors errors = {0};
    struct imported m;
    bool good = imported_read("fuzz", text, size, 0, &m, &errors);
    require(good == (errors.count == 0));
    if (good) {
        struct imported twice = {0};
        judge_imported(&m);
        if (imported_merge(&twice, &m) && imported_merge(&twice, &m))
            judge_imported(&twice);
        imported_free(&twice);
        imported_free(&m);
    }
    errors_free(&errors);
    struct trace_rows rows;
    good = trace_read("fuzz", text, size, &rows, &errors);
    require(good == (errors.count == 0));
    if (good) {
        judge_trace(&rows);
        trace_rows_free(&rows);
    }
    errors_free(&errors);
    return 0;
}
