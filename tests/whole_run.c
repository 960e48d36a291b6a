/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/whole_run.h"

#include <string.h>

#include "sim/scenario/reader.h"
#include "tests/claim.h"

struct plan *whole_plan(const char *text)
{
    struct errors errors = {0};
    struct plan *plan = plan_read("test", text, strlen(text), NULL, 0, &errors);
    for (size_t i = 0; i < errors.count; i++)
        print_error("%s\n%s\n", errors.texts[i], text);
    assert_non_null(plan);
    errors_free(&errors);
    return plan;
}

struct result *whole_run(const struct plan *plan, const struct plan *law_plan)
{
    struct errors errors = {0};
    struct run_options options = {.threads = 2, .law_plan = law_plan};
    struct result *result = run_scenario(plan, &options, &errors);
    for (size_t i = 0; i < errors.count; i++)
        print_error("%s\n", errors.texts[i]);
    assert_non_null(result);
    errors_free(&errors);
    return result;
}

enum verdict whole_verdict(const char *text, const char *law_text)
{
    struct plan *plan = whole_plan(text), *law = whole_plan(law_text);
    struct result *result = whole_run(plan, law);
    enum verdict holds = result->holds;
    result_free(result);
    plan_free(plan);
    plan_free(law);
    return holds;
}
