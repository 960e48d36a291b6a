/* SPDX-License-Identifier: GPL-3.0-or-later */

/* "sweep": paths of the scenario, each with a list of values or a range of them. */

#include "sim/scenario/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "sim/scenario/fields.h"
#include "sim/scenario/objects.h"
#include "sim/scenario/reader.h"

/* Numbers or durations over one denominator. */
struct range {
    u128 from, to;
    uint64_t den;
    bool durations;
};

/* An amount as it was read: a number, or a duration in ns. */
struct amount {
    struct ratio value;
    bool is_duration;
};

static bool read_amount(struct reading *r, uint32_t value, struct amount *out)
{
    static const struct field number = {.kind = FIELD_RATIO}, duration = {.kind = FIELD_DURATION};
    ns_t ns;
    out->is_duration = type_of(r, value) == SCAN_STRING;
    if (!out->is_duration)
        return read_field(r, &number, value, &out->value);
    if (!read_field(r, &duration, value, &ns))
        return false;
    out->value = (struct ratio){ns, 1};
    return true;
}

/* num/den as a decimal; false where it is none of at most 18 places.  Owned by the caller. */
static bool decimal_text(u128 num, u128 den, char **out)
{
    char digits[20], whole[48];
    size_t length = 0;
    u128 rest = num % den;
    for (; rest != 0 && length < 18; length++) {
        rest *= 10;
        digits[length] = (char)('0' + (int)(rest / den));
        rest %= den;
    }
    digits[length] = '\0';
    *out =
        must_format("%s%s%s", format_i128((i128)(num / den), whole), length > 0 ? "." : "", digits);
    return rest == 0;
}

/* num/den as JSON text, a number or a duration; NULL where it cannot be written exactly. */
static char *point_text(const struct range *range, u128 num, u128 den)
{
    char *text = NULL, duration[34] = "\"";
    if (range->durations) {
        if (num % den != 0)
            return NULL;
        duration_format((ns_t)(num / den), duration + 1);
        return must_copy(strcat(duration, "\""));
    }
    if (decimal_text(num, den, &text))
        return text;
    free(text);
    return NULL;
}

static bool refuse_points(struct reading *r, uint32_t value)
{
    fault_at(r, value,
             "found points that are no exact decimals or whole ns; allowed: a \"count\" of which "
             "all are, or \"step\"");
    return false;
}

/* Points from + i * (to - from) / parts, or (step > 0) from + i * step. */
static bool fill_range(struct reading *r, uint32_t value, const struct range *range, u128 step,
                       uint64_t count, struct sweep *out)
{
    uint64_t parts = step > 0 || count == 1 ? 1 : count - 1;
    u128 apart = step > 0 ? step : range->to - range->from;
    out->values = must_alloc(count, sizeof *out->values);
    for (uint64_t i = 0; i < count; i++) {
        char *text = point_text(range, range->from * parts + i * apart, (u128)range->den * parts);
        if (text == NULL)
            return refuse_points(r, value);
        out->values[out->value_count++] = text;
    }
    return true;
}

/* Brings the amounts over one denominator; false after a fault. */
static bool make_range(struct reading *r, uint32_t value, const struct amount amounts[3], size_t n,
                       struct range *range, u128 *step)
{
    u128 den = 1, scaled[3] = {0};
    for (size_t i = 0; i < n; i++)
        if (amounts[i].is_duration != amounts[0].is_duration) {
            fault_at(r, value, "found numbers and durations in one range; allowed: one of them");
            return false;
        }
    for (size_t i = 0; i < n && den <= UINT64_MAX; i++)
        den *= amounts[i].value.den / gcd_u64((uint64_t)den, amounts[i].value.den);
    for (size_t i = 0; i < n && den <= UINT64_MAX; i++)
        scaled[i] = amounts[i].value.num * (den / amounts[i].value.den);
    /* Times SWEEP_MOST all of it must fit. */
    if (den > UINT64_MAX || scaled[1] > ((u128)1 << 126) / SWEEP_MOST) {
        fault_at(r, value, "found a range of too many digits; allowed: fewer decimals");
        return false;
    }
    *range = (struct range){scaled[0], scaled[1], (uint64_t)den, amounts[0].is_duration};
    *step = scaled[2];
    if (range->from <= range->to)
        return true;
    fault_at(r, value,
             "found a range that ends before it begins; allowed: \"from\" at most \"to\"");
    return false;
}

static bool check_range_keys(struct reading *r, uint32_t value)
{
    static const char *const keys[] = {"from", "to", "step", "count"};
    bool good = true;
    for (uint32_t v = scan_first(&r->scan, value); v != SCAN_NONE; v = scan_beside(&r->scan, v)) {
        if (r->scan.values[v].bad_key)
            return false;
        struct names names = {0};
        bool known = false;
        const char *key = key_of(r, v);
        for (size_t i = 0; i < 4; i++) {
            known |= strcmp(key, keys[i]) == 0;
            names_add(&names, keys[i]);
        }
        char *hint = names_hint(&names, key);
        if (!known)
            fault_at_key(r, v, "unknown key \"%.60s\"%s", key, hint);
        good &= known;
        free(hint);
    }
    bool step = member(r, value, "step") != SCAN_NONE,
         count = member(r, value, "count") != SCAN_NONE;
    bool ends = member(r, value, "from") != SCAN_NONE && member(r, value, "to") != SCAN_NONE;
    if (good && (!ends || step == count)) {
        fault_at(r, value,
                 "found a range without both its ends and one measure; allowed: \"from\", \"to\" "
                 "and either \"step\" or \"count\"");
        good = false;
    }
    return good;
}

static bool read_range(struct reading *r, uint32_t value, struct sweep *out)
{
    static const struct field points = {.kind = FIELD_COUNT, .min = 1, .max = SWEEP_MOST};
    uint32_t count_at = member(r, value, "count"), step_at = member(r, value, "step");
    struct amount amounts[3];
    struct range range;
    u128 step;
    uint64_t count = 0;
    if (!check_range_keys(r, value))
        return false;
    bool by_step = step_at != SCAN_NONE;
    bool good = read_amount(r, member(r, value, "from"), &amounts[0]);
    good &= read_amount(r, member(r, value, "to"), &amounts[1]);
    good &=
        by_step ? read_amount(r, step_at, &amounts[2]) : read_field(r, &points, count_at, &count);
    if (!good || !make_range(r, value, amounts, by_step ? 3 : 2, &range, &step))
        return false;
    if (by_step && step == 0)
        return refuse_value(r, step_at, "a step above 0");
    if (!by_step && count == 1 && range.from != range.to)
        return refuse_value(r, count_at, "at least 2 points, as the ends differ");
    u128 most = by_step ? (range.to - range.from) / step + 1 : count;
    if (most > SWEEP_MOST) {
        fault_at(r, value, "found a range of more than %d values; allowed: a larger step",
                 SWEEP_MOST);
        return false;
    }
    return fill_range(r, value, &range, by_step ? step : 0, (uint64_t)most, out);
}

static bool read_list(struct reading *r, uint32_t value, struct sweep *out)
{
    static const struct field values = {.kind = FIELD_VALUES};
    struct value_list list = {0};
    if (scan_first(&r->scan, value) == SCAN_NONE) {
        fault_at(r, value, "found an empty list; allowed: at least one value");
        return false;
    }
    if (!read_field(r, &values, value, &list))
        return false;
    out->values = list.texts;
    out->value_count = list.count;
    return true;
}

static bool read_path(struct reading *r, uint32_t value, struct sweep *out)
{
    static const char *const own[] = {"/sweep", "/experiment"};
    out->path = must_copy(key_of(r, value));
    bool good = out->path[0] == '/';
    for (size_t i = 0; i < 2 && good; i++) {
        size_t length = strlen(own[i]);
        good = strncmp(out->path, own[i], length) != 0 ||
               (out->path[length] != '\0' && out->path[length] != '/');
    }
    if (!good)
        fault_at_key(r, value,
                     "found \"%.60s\"; allowed: the path of a value in this scenario, as "
                     "/server/workers",
                     out->path);
    return good;
}

bool read_sweep(struct reading *r, uint32_t value, struct plan *out)
{
    if (type_of(r, value) != SCAN_OBJECT || scan_first(&r->scan, value) == SCAN_NONE)
        return refuse_value(r, value,
                            "an object of at least one path with its values, as "
                            "{\"/server/workers\": [1, 2]}");
    size_t count = 0;
    for (uint32_t v = scan_first(&r->scan, value); v != SCAN_NONE; v = scan_beside(&r->scan, v))
        count++;
    if (count > SWEEP_PATHS_MOST) {
        fault_at(r, value, "found %zu paths; allowed: at most %d", count, SWEEP_PATHS_MOST);
        return false;
    }
    out->sweeps = must_alloc(count, sizeof *out->sweeps);
    bool good = true;
    for (uint32_t v = scan_first(&r->scan, value); v != SCAN_NONE; v = scan_beside(&r->scan, v)) {
        if (r->scan.values[v].bad_key || r->scan.values[v].bad) {
            good = false;
            continue;
        }
        struct sweep *sweep = &out->sweeps[out->sweep_count++];
        good &= read_path(r, v, sweep);
        if (type_of(r, v) == SCAN_ARRAY)
            good &= read_list(r, v, sweep);
        else if (type_of(r, v) == SCAN_OBJECT)
            good &= read_range(r, v, sweep);
        else
            good = refuse_value(r, v,
                                "a list of values, or {\"from\", \"to\", \"step\"} or "
                                "{\"from\", \"to\", \"count\"}");
    }
    u128 runs = 1;
    for (size_t i = 0; i < out->sweep_count && runs <= SWEEP_MOST && good; i++)
        runs *= out->sweeps[i].value_count;
    if (runs > SWEEP_MOST) {
        fault_at(r, value, "found more than %d combinations; allowed: fewer values", SWEEP_MOST);
        good = false;
    }
    return good;
}

void check_sweep(struct reading *r, const struct plan *plan)
{
    if (plan->sweep_count == 0 || r->is_trial)
        return;
    uint32_t sweep = member(r, 0, "sweep");
    struct setting *first = must_alloc(plan->sweep_count, sizeof *first);
    for (size_t i = 0; i < plan->sweep_count; i++)
        first[i] = (struct setting){plan->sweeps[i].path, plan->sweeps[i].values[0], NULL};
    struct errors errors = {0};
    struct plan *trial =
        plan_try(plan->file, r->scan.text, r->scan.length, first, plan->sweep_count, &errors);
    static const char option[] = "--set: "; /* nobody typed it here */
    const char *why = errors.count > 0 ? errors.texts[0] : "too many faults";
    if (trial == NULL)
        fault_at(r, sweep, "its first combination is no scenario: %s",
                 strncmp(why, option, sizeof option - 1) == 0 ? why + sizeof option - 1 : why);
    plan_free(trial);
    errors_free(&errors);
    free(first);
}
