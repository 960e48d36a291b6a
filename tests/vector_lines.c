/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The cases of results/vectors/ in lines of words, for languages that read no JSON. */

#include <inttypes.h>
#include <stdio.h>

#include "models/base/error.h"
#include "models/registry.h"
#include "tests/vector_made.h"

static void write_head(void)
{
    puts("# SPDX-License-Identifier: 0BSD");
    puts("# The exact answers by the nearest rank, in lines of words; README.md tells of them.");
    puts("version 1");
}

static void write_input(const struct vector_case *c, const struct requests *r,
                        const struct asked *asked)
{
    printf("asked %s %s %s %" PRIu64 "\n", vector_from(asked),
           asked->failures == FAILURES_DROPPED ? "dropped" : "timeout",
           c->correction != NULL ? c->correction : "none",
           c->correction != NULL ? asked->interval_ns : 0);
    for (size_t k = 0; k < VECTOR_RUNS && c->runs[k].times > 0; k++)
        printf("value %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", c->runs[k].first_ns,
               c->runs[k].times, c->runs[k].step_ns, c->runs[k].worker);
    for (size_t i = 0; i < r->count && c->load.sends != SENDS_NONE; i++)
        printf("request %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", r->due[i],
               r->sent[i], r->started[i], r->finished[i], vector_status(r->status[i]));
}

/* False: all figures are right. */
static bool write_figures(const struct vector_case *c, const char *word, const struct report *right,
                          const struct report *said)
{
    struct said is, other;
    bool any = false;
    char name[32];
    for (size_t k = 0; vector_figure(c, said, k, name, &is); k++) {
        if (right != NULL && vector_figure(c, right, k, name, &other) && vector_same(is, other))
            continue;
        printf("%s %s ", word, name);
        vector_write(is, "nan");
        putchar('\n');
        any = true;
    }
    return any;
}

static bool write_case(const struct vector *v, const struct vector_case *c)
{
    struct percentile percentiles[VECTOR_PERCENTILES];
    struct made made;
    struct asked asked;
    struct report truth, report;
    bool good = true;
    vector_make(c, &made);
    vector_ask(c, percentiles, &asked);
    report_true(&made.requests, &asked, &truth);
    printf("case %s: %s\n", v->title, c->name);
    write_input(c, &made.requests, &asked);
    write_figures(c, "is", NULL, &truth);
    for (size_t k = 0; k < VECTOR_WRONG && c->wrong[k].fault != NULL; k++) {
        struct fault_use use = {fault(variant_find(&set_faults, c->wrong[k].fault)),
                                c->wrong[k].parameter};
        printf("fault %s\n", c->wrong[k].fault);
        if (!report_faulty(&made.requests, &asked, &use, 1, &report))
            return false;
        good &= write_figures(c, "says", &truth, &report);
        report_free(&report);
    }
    puts("end");
    report_free(&truth);
    vector_unmake(&made);
    return good;
}

bool vector_lines(void)
{
    bool good = true;
    write_head();
    for (size_t v = 0; v < vector_count; v++)
        for (size_t k = 0; k < vectors[v].case_count; k++)
            good &= write_case(&vectors[v], &vectors[v].cases[k]);
    return good;
}
