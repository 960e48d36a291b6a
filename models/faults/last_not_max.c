/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

enum { ONE_BELOW, ZERO, AS_P99, AS_P999, MOST_P99, MOST_P999, LAST_CAME };

/* What was recorded last, of what is sorted. */
static ns_t last_ns(const struct population *sorted)
{
    const struct sample *last = &sorted->items[0];
    for (size_t i = 1; i < sorted->count; i++) {
        const struct sample *s = &sorted->items[i];
        if (s->request > last->request || (s->request == last->request && last->added && !s->added))
            last = s;
    }
    return last->ns;
}

/* Whether it is p100, or above what a recorder knows at most. */
static bool is_above(const struct step *step, struct ratio p)
{
    bool p99 = step->parameter == MOST_P99, p999 = step->parameter == MOST_P999;
    return p.num == p.den || (p99 && p.num * 100 > p.den * 99) ||
           (p999 && p.num * 1000 > p.den * 999);
}

static void reports(const struct step *step, const struct population *sorted, struct report *report)
{
    const struct asked *asked = step->asked;
    uint64_t n = sorted->count;
    for (size_t k = 0; k < report->percentile_count && n > 0; k++) {
        if (!is_above(step, asked->percentiles[k].p))
            continue;
        bool p99 = step->parameter == AS_P99 || step->parameter == MOST_P99;
        struct ratio below = p99 ? (struct ratio){99, 100} : (struct ratio){999, 1000};
        struct rank_at at = step->parameter == ONE_BELOW ? (struct rank_at){n > 1 ? n - 1 : 1, 0, 1}
                                                         : rank_rule(asked->rank)->at(below, n);
        report->percentiles[k] =
            step->parameter == ZERO        ? (struct said){true, 0}
            : step->parameter == LAST_CAME ? said_ns(last_ns(sorted))
                                           : said_at(sorted, at);
    }
}

static char *tells(uint64_t parameter)
{
    static const char *const words[] = {"but the one below",
                                        "but 0",
                                        "but p99",
                                        "but p99.9",
                                        "but p99, which is the most it tells",
                                        "but p99.9, which is the most it tells",
                                        "but the last that was recorded"};
    return must_copy(words[parameter]);
}

const struct fault_type fault_last_not_max = {
    .is = {"last-not-max", "p100 is not the largest sample", NULL, 0, 0, NULL},
    .item = "TOOLS 2.1, FR-25",
    .does = {.reports = reports},
    .parameter_count = 7,
    .tells = tells,
};
