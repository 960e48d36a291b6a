/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One input of a fuzzer: whatever the bytes are, they are read or refused with a reason, and what
   is read is written and read back.  Builds with -fsanitize=fuzzer; tests/test_hostile.c drives it
   too. */

#include <stdlib.h>

#include "sim/scenario/reader.h"
#include "tests/fuzz_scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct errors errors = {0};
    struct plan *plan = plan_read("fuzz", (const char *)data, size, NULL, 0, &errors);
    if ((plan == NULL) != (errors.count > 0))
        abort();
    errors_free(&errors);
    if (plan == NULL)
        return 0;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        abort();
    plan_write_json(plan, out);
    fclose(out);
    struct plan *again = plan_read("fuzz", text, length, NULL, 0, &errors);
    if (again == NULL)
        abort();
    plan_free(again);
    plan_free(plan);
    free(text);
    return 0;
}
