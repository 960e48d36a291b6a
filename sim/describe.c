/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "models/loads/load.h"
#include "models/policies/late.h"
#include "models/ranks/rank.h"
#include "models/stores/store.h"
#include "sim/texts.h"
#include "sim/work.h"

static char *correction_text(const struct recorder_plan *recorder, struct correction_rule rule,
                             bool ran)
{
    char every[32];
    if (recorder->correction.type == NULL)
        return NULL;
    const struct correction_params *params = recorder->correction.params;
    if (!ran && params->interval_ns == INTERVAL_AUTO)
        return must_format("%s, valid if %s interval that is taken from the run",
                           recorder->correction.type->name, CORRECTION_ASSUMES);
    duration_format(rule.interval * rule.unit_ns, every);
    return must_format("%s, valid if %s %s", recorder->correction.type->name, CORRECTION_ASSUMES,
                       every);
}

static void warn(struct recorder_result *out, char *text)
{
    out->warnings = must_grow(out->warnings, out->warning_count + 1, sizeof *out->warnings);
    out->warnings[out->warning_count++] = text;
}

static void warn_of_correction(const struct plan *plan, const struct recorder_plan *recorder,
                               struct correction_rule rule, bool ran, struct recorder_result *out)
{
    const struct load_plan *load = &plan->loads[recorder->load];
    bool is_paced = load_kind(load->kind) == &load_paced;
    const struct paced_load *paced = is_paced ? load->kind.params : NULL;
    struct open_load user;
    if (recorder->correction.type == NULL)
        return;
    if (recorder->from == INSTANT_DUE && load_kind(load->kind)->offers(load->kind.params, &user))
        warn(out, must_copy("the correction invents samples that exist: times from due already "
                            "hold the wait of every late request"));
    else if (is_paced && paced->late.type == &late_catch_up.is)
        warn(out, must_copy("the correction invents samples that exist: this schedule sends its "
                            "late requests, and they are recorded"));
    if (rule.interval == 0 && ran)
        warn(out, must_copy("the interval from the run is 0: nothing is corrected"));
}

/* An interval in the wrong unit back-fills everything: the count gives it away. */
static void warn_of_count(struct recorder_result *out)
{
    uint64_t real = out->count - out->added;
    if (real > 0 && out->added / real > 100)
        warn(out, must_format("the correction added %" PRIu64 " samples to %" PRIu64
                              " real ones: is its interval in the right unit?",
                              out->added, real));
}

static char *store_text(const struct work *work, size_t recorder)
{
    const char *name = work->plan->recorders[recorder].store.type->name;
    unsigned passes = work->replaying != NULL ? work->replaying->passes[recorder] : 0;
    return passes > 0 ? must_format("%s, replayed in %u passes", name, passes) : must_copy(name);
}

void work_describe(struct work *work)
{
    const struct plan *plan = work->plan;
    work->result->server_text = server_text(&plan->server);
    for (size_t i = 0; i < plan->load_count; i++)
        work->result->loads[i].text = load_text(&plan->loads[i]);
    for (size_t i = 0; i < plan->recorder_count; i++) {
        const struct recorder_plan *recorder = &plan->recorders[i];
        struct recorder_result *out = &work->result->recorders[i];
        struct correction_rule rule = work->recorders[i].law.rule;
        out->correction_text = correction_text(recorder, rule, !work->result->law_only);
        out->store_text = store_text(work, i);
        out->rank_text = must_copy(recorder->rank.type->name);
        warn_of_correction(plan, recorder, rule, !work->result->law_only, out);
        warn_of_count(out);
    }
}

/* "/loads/NAME" as a JSON pointer, owned by the caller. */
static char *load_path(const char *name)
{
    char *path = must_alloc(2 * strlen(name) + sizeof "/loads/", 1), *end = path;
    for (const char *from = "/loads/"; *from != '\0'; from++)
        *end++ = *from;
    for (; *name != '\0'; name++) {
        bool escaped = *name == '~' || *name == '/';
        *end++ = escaped ? '~' : *name;
        if (escaped)
            *end++ = *name == '~' ? '0' : '1';
    }
    *end = '\0';
    return path;
}

void work_add_load_error(struct errors *errors, const struct plan *plan, size_t load,
                         const char *what)
{
    const struct load_plan *at = &plan->loads[load];
    char *path = load_path(at->name);
    errors_add(errors, (struct place){plan->file, at->line, at->column, path}, "%s", what);
    free(path);
}
