/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/made_lab.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/scenario_text.h"

static void append(char **text, char *more)
{
    char *longer = must_format("%s%s", *text, more);
    free(*text);
    free(more);
    *text = longer;
}

static void knobs(void *self, const struct knob *all, size_t count)
{
    struct made_lab *made = self;
    made->knob_count = count;
    for (size_t i = 0; i < count; i++)
        append(&made->knobs, must_format("%s=%s ", all[i].name ? all[i].name : "",
                                         all[i].path ? all[i].path : ""));
}

/* "a b\n". */
static char *line_of(const struct made_lab *made, const char *const *values)
{
    char *line = must_copy("");
    for (size_t i = 0; i < made->knob_count; i++)
        append(&line, must_format("%s%s", i > 0 ? " " : "", values[i] ? values[i] : "-"));
    append(&line, must_copy("\n"));
    return line;
}

static void ahead(void *self, const char *const *values, size_t count)
{
    struct made_lab *made = self;
    assert_string_equal(made->ahead, "");
    for (size_t i = 0; i < count; i++)
        append(&made->ahead, line_of(made, values + i * made->knob_count));
}

static bool point(void *self, const char *group, size_t load, const char *const *values,
                  struct seen *out)
{
    struct made_lab *made = self;
    const struct plan *plan = made->lab.plan;
    size_t percentiles = plan->report.percentile_count;
    (void)load;
    *out = (struct seen){0};
    char *line = line_of(made, values);
    size_t length = strlen(line);
    if (made->ahead[0] != '\0') {
        assert_int_equal(strncmp(made->ahead, line, length), 0);
        memmove(made->ahead, made->ahead + length, strlen(made->ahead + length) + 1);
    }
    append(&made->values, line);
    if (made->stop_after > 0 && made->points == made->stop_after)
        return false;
    *out =
        (struct seen){.number = ++made->points,
                      .load_count = plan->load_count,
                      .recorder_count = plan->recorder_count,
                      .loads = must_alloc(plan->load_count, sizeof(struct seen_load)),
                      .recorders = must_alloc(plan->recorder_count, sizeof(struct seen_recorder))};
    for (size_t i = 0; i < plan->recorder_count; i++) {
        struct seen_recorder *r = &out->recorders[i];
        *r = (struct seen_recorder){.gates = must_copy("")};
        r->p_ns = must_alloc(3 * percentiles, sizeof(double));
        r->low_ns = r->p_ns + percentiles;
        r->high_ns = r->low_ns + percentiles;
    }
    made->show(made, group, values, out);
    return true;
}

static void table(void *self, const char *name, const struct column *columns, size_t count)
{
    struct made_lab *made = self;
    free(made->table);
    made->table = must_copy(name);
    made->columns = count;
    for (size_t i = 0; i < count; i++)
        made->kinds[i] = columns[i].kind;
}

static void row(void *self, const struct cell_value *cells)
{
    struct made_lab *made = self;
    append(&made->rows, must_copy(made->table));
    for (size_t i = 0; i < made->columns; i++) {
        bool words = made->kinds[i] == COLUMN_TEXT || made->kinds[i] == COLUMN_VALUE;
        append(&made->rows, words ? must_format("|%s", cells[i].text ? cells[i].text : "")
                                  : must_format("|%.10g", cells[i].number));
    }
    append(&made->rows, must_copy("\n"));
}

static void find(void *self, const char *name, const char *value, const char *says)
{
    append(&((struct made_lab *)self)->found, must_format("%s: %s; %s\n", name, value, says));
}

static void refuse(void *self, const char *why)
{
    append(&((struct made_lab *)self)->refused, must_copy(why));
}

static char *differences(void *self, size_t a, size_t b)
{
    (void)self;
    return must_format("%zu %zu", a, b);
}

void made_lab_run(struct made_lab *made, const struct plan *plan)
{
    made->lab =
        (struct lab){plan, made, knobs, point, ahead, table, row, find, refuse, differences};
    made->knobs = must_copy("");
    made->found = must_copy("");
    made->rows = must_copy("");
    made->refused = must_copy("");
    made->values = must_copy("");
    made->ahead = must_copy("");
    experiment(plan->experiment)->run(plan->experiment.params, &made->lab);
    if (made->stop_after == 0)
        assert_string_equal(made->ahead, "");
}

void made_lab_free(struct made_lab *made)
{
    free(made->knobs);
    free(made->found);
    free(made->rows);
    free(made->refused);
    free(made->values);
    free(made->ahead);
    free(made->table);
}

void made_times(struct seen *seen, const struct plan *plan, size_t recorder, double ns)
{
    struct seen_recorder *r = &seen->recorders[recorder];
    r->count = 1000;
    r->mean_ns = r->min_ns = r->max_ns = ns;
    for (size_t i = 0; i < plan->report.percentile_count; i++)
        r->p_ns[i] = r->low_ns[i] = r->high_ns[i] = ns;
}

char *made_value(const struct made_lab *made, const char *name)
{
    char *start = must_format("%s: ", name);
    const char *at = strstr(made->found, start);
    if (at == NULL)
        fail_msg("no finding \"%s\" in\n%s", name, made->found);
    size_t skip = strlen(start);
    free(start);
    return must_format("%.*s", (int)strcspn(at + skip, ";"), at + skip);
}

#define LOADS "{\"closed\": {\"closed\": {\"clients\": 1}}, \"open\": {\"open\": {\"rate\": 100}}}"
#define RECORDERS                                                                           \
    "{\"from send\": {\"load\": \"closed\", \"from\": \"sent\"}, \"from due\": {\"load\": " \
    "\"open\", \"from\": \"due\"}}"

struct plan *made_plan(const char *experiment)
{
    char *more = must_format(", \"experiment\": %s", experiment);
    char *text = scenario_of((struct parts){
        .loads = LOADS, .recorders = RECORDERS, .run = "{\"duration\": \"1s\"}", .more = more});
    struct plan *plan = plan_of(text);
    free(text);
    free(more);
    return plan;
}

void made_value_is(const struct made_lab *made, const char *name, const char *wanted)
{
    char *value = made_value(made, name);
    assert_string_equal(value, wanted);
    free(value);
}

size_t made_count(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        count++;
    return count;
}
