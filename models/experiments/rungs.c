/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/experiments/rungs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *ladder_refuses(const void *params)
{
    const struct ladder *ladder = params;
    const struct value_list *lists[] = {&ladder->rates, &ladder->fractions, &ladder->of};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < lists[i]->count; k++) {
            struct decimal d;
            if (!decimal_parse(lists[i]->texts[k], &d) || d.unit[0] != '\0' || d.digits == 0)
                return "rates, fractions and of are decimals above 0 and below 10^18, of at most "
                       "18 digits";
        }
    bool rates = ladder->rates.count > 0, fractions = ladder->fractions.count > 0;
    if (rates == fractions)
        return "give either rates or fractions";
    if (fractions && ladder->of.count == 0)
        return "fractions need the capacity they are of";
    if (ladder->vary.count == 0 && ladder->values.count == 0)
        return NULL;
    if (ladder->vary.count != 1 || strncmp(ladder->vary.texts[0], "\"/", 2) != 0)
        return "vary is one path, as \"/server/stalls\"";
    if (ladder->values.count != (rates ? ladder->rates.count : ladder->fractions.count))
        return "values are as many as rungs";
    return NULL;
}

static bool lowest_of(const struct value_list *list, struct decimal *out)
{
    for (size_t i = 0; i < list->count; i++) {
        struct decimal d;
        decimal_parse(list->texts[i], &d);
        if (i == 0 || decimal_compare(d, *out) < 0)
            *out = d;
    }
    return list->count > 0;
}

char **fraction_rates(const struct value_list *fractions, struct decimal capacity, bool whole)
{
    char **rates = must_alloc(fractions->count, sizeof *rates);
    if (whole)
        capacity = decimal_round(capacity);
    for (size_t i = 0; i < fractions->count; i++) {
        struct decimal fraction;
        decimal_parse(fractions->texts[i], &fraction);
        struct decimal rate = decimal_times(capacity, fraction);
        rates[i] = decimal_text(whole ? decimal_floor(rate) : rate);
    }
    return rates;
}

static void plan_rungs(const struct ladder *ladder, struct rungs *out)
{
    struct decimal capacity = {0};
    bool known = lowest_of(&ladder->of, &capacity);
    bool given = ladder->rates.count > 0;
    out->count = given ? ladder->rates.count : ladder->fractions.count;
    out->items = must_alloc(out->count, sizeof *out->items);
    char **rates = given ? NULL : fraction_rates(&ladder->fractions, capacity, ladder->whole);
    for (size_t i = 0; i < out->count; i++) {
        struct decimal rate;
        struct rung *rung = &out->items[i];
        rung->rate = given ? must_copy(ladder->rates.texts[i]) : rates[i];
        decimal_parse(rung->rate, &rate);
        rung->rate_per_s = decimal_double(rate);
        rung->fraction = known ? rung->rate_per_s / decimal_double(capacity) : NAN;
    }
    free(rates);
}

bool rungs_run(const struct ladder *ladder, const struct lab *lab, struct rungs *out)
{
    *out = (struct rungs){0};
    out->load = lab_load(lab, &ladder->load, ROLE_RATE);
    out->recorder = out->load == NO_INDEX ? NO_INDEX : lab_plain_recorder(lab, out->load);
    out->percentile = lab_percentile(lab, ladder->percentile);
    if (out->recorder == NO_INDEX || out->percentile == NO_INDEX)
        return false;
    plan_rungs(ladder, out);
    char *path = load_path(lab->plan, out->load, "rate");
    char *vary = path_text(&ladder->vary);
    lab->knobs(lab->self, (struct knob[]){{"rate", path, false}, {vary, vary, true}}, 2);
    bool good = true;
    const char **values = must_alloc(out->count, 2 * sizeof *values);
    for (size_t i = 0; i < out->count; i++) {
        values[2 * i] = out->items[i].rate;
        values[2 * i + 1] = vary != NULL ? ladder->values.texts[i] : NULL;
    }
    lab_ahead(lab, values, out->count);
    for (size_t i = 0; i < out->count && good; i++)
        good = lab->point(lab->self, "ladder", out->load, values + 2 * i, &out->items[i].seen);
    free(values);
    free(path);
    free(vary);
    return good;
}

void rungs_free(struct rungs *rungs)
{
    for (size_t i = 0; i < rungs->count; i++) {
        free(rungs->items[i].rate);
        seen_free(&rungs->items[i].seen);
    }
    free(rungs->items);
    *rungs = (struct rungs){0};
}

enum ladder_shape ladder_shape(const double *low, const double *high, size_t count,
                               size_t *falls_at)
{
    bool rises = false, falls = false;
    *falls_at = 0;
    for (size_t i = 0; i < count; i++)
        if (isnan(low[i]) || isnan(high[i]))
            return LADDER_UNKNOWN;
    for (size_t i = 1; i < count; i++) {
        rises |= low[i] > high[i - 1];
        if (high[i] < low[i - 1]) {
            *falls_at = falls ? *falls_at : i;
            falls = true;
        }
    }
    if (falls)
        return rises ? LADDER_TURNS : LADDER_FALLS;
    return rises ? LADDER_RISES : LADDER_FLAT;
}

const char *ladder_shape_words(enum ladder_shape shape)
{
    switch (shape) {
    case LADDER_FLAT: return "flat";
    case LADDER_RISES: return "monotone";
    case LADDER_FALLS: return "falling";
    case LADDER_TURNS: return "non-monotone";
    case LADDER_UNKNOWN: return "unknown";
    }
    BUG("shape outside its enum");
}
