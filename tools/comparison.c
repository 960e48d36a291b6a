/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/loads/load.h"
#include "sim/scenario/difference.h"

#define CONSTANT_WITHIN 0.01 /* two products of throughput and latency that are the same */

const char *standing_name(enum standing standing)
{
    switch (standing) {
    case STANDING_ELIGIBLE: return "comparison-eligible";
    case STANDING_EXPLORATORY: return "exploratory";
    case STANDING_DESCRIPTIVE: return "descriptive-only";
    }
    BUG("standing outside its enum");
}

enum standing standing_of(const struct result *result)
{
    enum standing standing = STANDING_ELIGIBLE;
    for (size_t i = 0; i < result->gate_count; i++) {
        if (result->gates[i].passes)
            continue;
        if (strcmp(result->gates[i].name, "closed") == 0)
            return STANDING_DESCRIPTIVE;
        standing = STANDING_EXPLORATORY;
    }
    return standing;
}

/* The path a difference begins with is that path, or lies under it. */
static bool lies_under(const char *difference, const char *path)
{
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] == '/')
        length--;
    return strncmp(difference, path, length) == 0 &&
           (difference[length] == '\0' || difference[length] == '/');
}

static void warn(struct comparison *c, char *text)
{
    c->warnings = must_grow(c->warnings, c->warning_count + 1, sizeof *c->warnings);
    c->warnings[c->warning_count++] = text;
}

static bool has_any(const struct comparison *c, const char *path)
{
    char *trimmed = must_copy(path);
    for (size_t length = strlen(trimmed); length > 0 && trimmed[length - 1] == '/'; length--)
        trimmed[length - 1] = '\0';
    bool has = plan_has(c->sides[0].plan, trimmed) || plan_has(c->sides[1].plan, trimmed);
    free(trimmed);
    return has;
}

static void judge_fields(struct comparison *c, const char *const *studied, size_t studied_count)
{
    c->differs = plan_differences(c->sides[0].plan, c->sides[1].plan, &c->differ_count);
    c->studied = must_alloc(c->differ_count, sizeof *c->studied);
    for (size_t i = 0; i < c->differ_count; i++) {
        for (size_t k = 0; k < studied_count; k++)
            c->studied[i] |= lies_under(c->differs[i], studied[k]);
        c->unstudied += !c->studied[i];
    }
    for (size_t k = 0; k < studied_count; k++) {
        bool differs = false;
        for (size_t i = 0; i < c->differ_count; i++)
            differs |= lies_under(c->differs[i], studied[k]);
        if (!differs)
            warn(c, must_format(has_any(c, studied[k])
                                    ? "%s is studied, and is the same in both"
                                    : "%s is studied, and neither scenario has anything there",
                                studied[k]));
    }
}

/* Clients of a closed loop without think time; 0: it is something else. */
static uint64_t clients_of(const struct load_plan *load)
{
    struct open_load user;
    const struct load_type *type = load_kind(load->kind);
    return type->offers(load->kind.params, &user) ? 0 : type->in_flight_limit(load->kind.params);
}

static size_t load_named(const struct plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->load_count; i++)
        if (strcmp(plan->loads[i].name, name) == 0)
            return i;
    return NO_INDEX;
}

/* The mean time in flight of a load's answered requests, in s, by Little's law; NAN: unknown. */
static double mean_s(const struct load_result *load)
{
    return load->in_flight_mean / load->achieved_per_s;
}

/* With as many clients in both, throughput times latency is the number of clients in both: that the
   one rises as the other falls is one finding, not two. */
static void judge_product(struct comparison *c, size_t load)
{
    const struct load_plan *plan = &c->sides[0].plan->loads[load];
    size_t other = load_named(c->sides[1].plan, plan->name);
    uint64_t clients = clients_of(plan);
    if (other == NO_INDEX || clients == 0 || clients_of(&c->sides[1].plan->loads[other]) != clients)
        return;
    const struct load_result *a = &c->sides[0].result->loads[load];
    const struct load_result *b = &c->sides[1].result->loads[other];
    double rise = b->achieved_per_s / a->achieved_per_s, fall = mean_s(a) / mean_s(b);
    if (!(fabs(rise - 1.0) > CONSTANT_WITHIN) || !(fabs(rise / fall - 1.0) <= CONSTANT_WITHIN))
        return;
    warn(c,
         must_format("load \"%s\": throughput went from %.6g/s to %.6g/s and the mean from %.6g "
                     "ms to %.6g ms, which with the same %llu client%s is the same number twice: "
                     "throughput x mean = clients in flight",
                     plan->name, a->achieved_per_s, b->achieved_per_s, 1e3 * mean_s(a),
                     1e3 * mean_s(b), (unsigned long long)clients, clients == 1 ? "" : "s"));
}

void comparison_judge(struct comparison *comparison, const char *const *studied,
                      size_t studied_count)
{
    struct comparison *c = comparison;
    judge_fields(c, studied, studied_count);
    for (size_t i = 0; i < 2; i++)
        c->standings[i] = standing_of(c->sides[i].result);
    if (c->standings[0] != c->standings[1])
        warn(c, must_format("one is %s, the other %s: figures of different standing are never like "
                            "for like",
                            standing_name(c->standings[0]), standing_name(c->standings[1])));
    for (size_t i = 0; i < c->sides[0].plan->load_count; i++)
        judge_product(c, i);
    c->comparable = c->unstudied == 0 && c->standings[0] == STANDING_ELIGIBLE &&
                    c->standings[1] == STANDING_ELIGIBLE;
}

void comparison_free(struct comparison *comparison)
{
    differences_free(comparison->differs, comparison->differ_count);
    for (size_t i = 0; i < comparison->warning_count; i++)
        free(comparison->warnings[i]);
    free(comparison->studied);
    free(comparison->warnings);
}
