/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Writes one file of results/vectors/, by its name; without one, the names.  Status 1 where an
   answer that is called wrong is not. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/error.h"
#include "models/faults/pipeline.h"
#include "models/registry.h"
#include "tests/vector_made.h"

static void write_said(struct said said)
{
    vector_write(said, "null");
}

static void write_input(const struct vector_case *c, const struct requests *r)
{
    const char *separator = "";
    if (c->load.sends == SENDS_NONE) {
        fputs("      \"values\": [", stdout);
        for (size_t k = 0; k < VECTOR_RUNS && c->runs[k].times > 0; k++, separator = ", ")
            printf("%s[%" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", separator,
                   c->runs[k].first_ns, c->runs[k].times, c->runs[k].step_ns, c->runs[k].worker);
        puts("],");
        return;
    }
    fputs("      \"requests\": [", stdout);
    for (size_t i = 0; i < r->count; i++, separator = ",")
        printf("%s\n        [%" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", \"%s\"]",
               separator, r->due[i], r->sent[i], r->started[i], r->finished[i],
               vector_status(r->status[i]));
    puts("\n      ],");
}

static void write_asked(const struct asked *asked)
{
    printf("      \"asked\": {\"from\": \"%s\", \"failures\": \"%s\", \"correction\": ",
           vector_from(asked), asked->failures == FAILURES_DROPPED ? "dropped" : "timeout");
    if (asked->correction.type != NULL)
        printf("\"%s\", ", asked->correction.type->name);
    else
        fputs("null, ", stdout);
    if (asked->interval_ns > 0)
        printf("\"interval_ns\": %" PRIu64 "},\n", asked->interval_ns);
    else
        puts("\"interval_ns\": null},");
}

static void write_figures(const struct report *truth)
{
    printf("      \"count\": %" PRIu64 ", \"min\": ", truth->count);
    write_said(truth->min);
    fputs(", \"max\": ", stdout);
    write_said(truth->max);
    fputs(", \"mean\": ", stdout);
    write_said(truth->mean);
    fputs(", \"sum\": ", stdout);
    write_said(truth->sum);
    puts(",");
}

static void write_by_rank(const struct vector_case *c, const struct requests *requests,
                          const struct asked *asked, const struct variant *rank,
                          const char *separator)
{
    struct asked other = *asked;
    struct report report;
    other.rank = (struct choice){.type = rank};
    report_true(requests, &other, &report);
    printf("%s\n        {\"precision\": \"exact\", \"rank\": \"%s\", \"percentiles\": {", separator,
           rank->name);
    for (size_t k = 0; k < asked->percentile_count; k++) {
        printf("%s\"%s\": ", k > 0 ? ", " : "", c->percentiles[k]);
        write_said(report.percentiles[k]);
    }
    fputs("}}", stdout);
    report_free(&report);
}

/* Both ends of the values between which a percentile may lie. */
static void write_range(ns_t low_ns, ns_t high_ns, bool open)
{
    if (open)
        printf("[%" PRIu64 ", null]", low_ns);
    else
        printf("[%" PRIu64 ", %" PRIu64 "]", low_ns, high_ns);
}

static void write_cell(ns_t value_ns, unsigned digits, ns_t highest_ns)
{
    unsigned kept_bits = 1, length = 0;
    uint64_t resolution = 2;
    for (unsigned d = 0; d < digits; d++)
        resolution *= 10;
    while (UINT64_C(1) << kept_bits < resolution)
        kept_bits++;
    while (length < 64 && value_ns >> length != 0)
        length++;
    unsigned shift = length > kept_bits ? length - kept_bits : 0;
    ns_t low_ns = value_ns >> shift << shift;
    bool beyond = highest_ns > 0 && value_ns > highest_ns;
    write_range(beyond ? highest_ns : low_ns, low_ns + (UINT64_C(1) << shift) - 1, beyond);
}

static void write_bucket(ns_t value_ns, const ns_t *bounds_ns)
{
    size_t k = 0;
    while (bounds_ns[k] != 0 && bounds_ns[k] < value_ns)
        k++;
    write_range(k > 0 ? bounds_ns[k - 1] : 0, bounds_ns[k], bounds_ns[k] == 0);
}

/* digits 0: as buckets. */
static void write_by_cells(const struct vector_case *c, const struct report *truth, unsigned digits)
{
    fputs(",\n        {\"precision\": {", stdout);
    if (digits > 0)
        printf("\"digits\": %u", digits);
    if (digits > 0 && c->highest_ns > 0)
        printf(", \"highest\": %" PRIu64, c->highest_ns);
    for (size_t k = 0; digits == 0 && c->bounds_ns[k] != 0; k++)
        printf("%s%" PRIu64, k > 0 ? ", " : "\"bounds\": [", c->bounds_ns[k]);
    printf("%s}, \"rank\": \"nearest\", \"percentiles\": {", digits == 0 ? "]" : "");
    for (size_t k = 0; k < truth->percentile_count; k++) {
        ns_t value_ns = (ns_t)(truth->percentiles[k].milli / 1000);
        printf("%s\"%s\": ", k > 0 ? ", " : "", c->percentiles[k]);
        if (digits > 0)
            write_cell(value_ns, digits, c->highest_ns);
        else
            write_bucket(value_ns, c->bounds_ns);
    }
    fputs("}}", stdout);
}

static void write_answers(const struct vector_case *c, const struct requests *requests,
                          const struct asked *asked, const struct report *truth)
{
    fputs("      \"answers\": [", stdout);
    write_by_rank(c, requests, asked, asked->rank.type, "");
    for (size_t k = 0; k < set_ranks.count && c->all_ranks; k++)
        if (set_ranks.variants[k] != asked->rank.type)
            write_by_rank(c, requests, asked, set_ranks.variants[k], ",");
    for (size_t k = 0; k < 5 && c->digits[k] > 0; k++)
        write_by_cells(c, truth, c->digits[k]);
    if (c->bounds_ns[0] > 0)
        write_by_cells(c, truth, 0);
    puts("\n      ],");
}

/* False: it is the same. */
static bool write_differing(const struct vector_case *c, const struct report *truth,
                            const struct report *report)
{
    bool any = false;
    char name[32];
    struct said right, wrong;
    for (size_t k = 0; vector_figure(c, truth, k, name, &right); k++) {
        vector_figure(c, report, k, name, &wrong);
        if (vector_same(right, wrong))
            continue;
        printf("%s\"%s\": ", any ? ", " : "", name);
        write_said(wrong);
        any = true;
    }
    return any;
}

/* False: what was called wrong is right. */
static bool write_wrong(const struct vector_case *c, const struct requests *requests,
                        const struct asked *asked, const struct report *truth,
                        const struct wrong_answer *wrong, bool first)
{
    const struct variant *found = variant_find(&set_faults, wrong->fault);
    struct report report;
    if (found == NULL)
        BUG("a fault that the catalogue does not have");
    struct fault_use use = {fault(found), wrong->parameter};
    char *with = use.fault->tells != NULL ? use.fault->tells(wrong->parameter) : NULL;
    printf("%s\n        {\"fault\": \"%s\", \"with\": %s%s%s,\n         \"does\": \"%s\",\n"
           "         \"items\": \"%s\", \"says\": {",
           first ? "" : ",", found->name, with != NULL ? "\"" : "", with != NULL ? with : "null",
           with != NULL ? "\"" : "", found->says, use.fault->item);
    free(with);
    if (!report_faulty(requests, asked, &use, 1, &report))
        return false;
    bool differs = write_differing(c, truth, &report);
    report_free(&report);
    fputs("}}", stdout);
    if (!differs)
        fprintf(stderr, "%s: %s is right\n", c->name, wrong->fault);
    return differs;
}

static bool write_case(const struct vector_case *c)
{
    struct percentile percentiles[VECTOR_PERCENTILES];
    struct made made;
    struct asked asked;
    struct report truth;
    bool good = true;
    vector_make(c, &made);
    vector_ask(c, percentiles, &asked);
    report_true(&made.requests, &asked, &truth);
    printf("    {\n      \"name\": \"%s\",\n", c->name);
    write_input(c, &made.requests);
    write_asked(&asked);
    write_figures(&truth);
    write_answers(c, &made.requests, &asked, &truth);
    fputs("      \"wrong\": [", stdout);
    for (size_t k = 0; k < VECTOR_WRONG && c->wrong[k].fault != NULL; k++)
        good &= write_wrong(c, &made.requests, &asked, &truth, &c->wrong[k], k == 0);
    fputs(c->wrong[0].fault != NULL ? "\n      ]\n    }" : "]\n    }", stdout);
    report_free(&truth);
    vector_unmake(&made);
    return good;
}

static bool write_vector(const struct vector *v)
{
    bool good = true;
    printf("{\n  \"$schema\": \"schema.json\",\n  \"version\": 1,\n  \"license\": \"0BSD\",\n"
           "  \"title\": \"%s\",\n  \"about\": \"%s\",\n  \"items\": [",
           v->title, v->about);
    for (size_t k = 0; v->items[k] != NULL; k++)
        printf("%s\"%s\"", k > 0 ? ", " : "", v->items[k]);
    puts("],\n  \"cases\": [");
    for (size_t k = 0; k < v->case_count; k++) {
        good &= write_case(&v->cases[k]);
        puts(k + 1 < v->case_count ? "," : "");
    }
    puts("  ]\n}");
    return good;
}

static bool names_file(const char *file, const char *name)
{
    size_t length = strlen(name);
    return strncmp(file, name, length) == 0 && strcmp(file + length, ".json") == 0;
}

int main(int argc, char **argv)
{
    for (size_t k = 0; k < vector_count; k++) {
        if (argc < 2)
            printf("%s.json\n", vectors[k].name);
        else if (names_file(argv[1], vectors[k].name))
            return write_vector(&vectors[k]) ? 0 : 1;
    }
    if (argc < 2)
        return puts("vectors.txt") < 0;
    return strcmp(argv[1], "vectors.txt") == 0 ? !vector_lines() : 2;
}
