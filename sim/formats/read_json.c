/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "sim/formats/imported.h"
#include "sim/formats/text.h"
#include "sim/scenario/scan.h"

/* {"upper": [...], "counts" or "cumulative": [...], "count", "sum", "min", "max", "unit"}.  The
   last bucket is open where its bound is "+Inf", or where there is one count more than bounds. */

struct reading_json {
    const char *file;
    struct scan scan;
    struct errors *errors;
    ns_t unit_ns;
    uint32_t upper, counts;
    struct buckets buckets;
    bool good;
};

static struct piece piece_at(const struct reading_json *r, uint32_t value)
{
    const struct scan_value *v = &r->scan.values[value];
    bool quoted = v->type == SCAN_STRING;
    return (struct piece){r->scan.text + v->start + quoted, v->end - v->start - 2u * quoted};
}

static void refuse(struct reading_json *r, uint32_t value, const char *what)
{
    struct scan_place place = {0};
    scan_place(&r->scan, r->scan.values[value].start, &place);
    char *path = scan_path(&r->scan, value);
    errors_add(
        r->errors,
        (struct place){.file = r->file, .line = place.line, .column = place.column, .path = path},
        "%s", what);
    free(path);
    r->good = false;
}

static bool is_type(const struct reading_json *r, uint32_t value, enum scan_type type)
{
    return r->scan.values[value].type == type;
}

static bool take_time(struct reading_json *r, uint32_t value, i128 *milli)
{
    bool good = (is_type(r, value, SCAN_NUMBER) || is_type(r, value, SCAN_STRING)) &&
                milli_parse(piece_at(r, value), r->unit_ns, milli);
    if (!good)
        refuse(r, value,
               "allowed: a time, 0 or more: a number in the unit, or text such as \"5ms\"");
    return good;
}

static void take_told(struct reading_json *r, uint32_t value, struct told *told)
{
    if (!is_type(r, value, SCAN_NULL))
        told->known = take_time(r, value, &told->milli);
}

static void take_member(struct reading_json *r, uint32_t value)
{
    const struct scan_value *v = &r->scan.values[value];
    struct piece key = {r->scan.text + v->key_start, v->key_end - v->key_start};
    struct buckets *b = &r->buckets;
    if (piece_is(key, "unit"))
        return; /* read first */
    if (piece_is(key, "upper") || piece_is(key, "counts") || piece_is(key, "cumulative")) {
        bool upper = piece_is(key, "upper");
        uint32_t *place = upper ? &r->upper : &r->counts;
        if (!is_type(r, value, SCAN_ARRAY) || *place != SCAN_NONE)
            refuse(r, value, "allowed: one list of bounds, and one of counts or cumulative");
        *place = value;
        b->cumulative |= piece_is(key, "cumulative");
    } else if (piece_is(key, "count")) {
        b->has_total = is_type(r, value, SCAN_NUMBER) && piece_count(piece_at(r, value), &b->total);
        if (!b->has_total)
            refuse(r, value, "allowed: a whole number");
    } else if (piece_is(key, "sum")) {
        take_told(r, value, &b->sum);
    } else if (piece_is(key, "min")) {
        take_told(r, value, &b->min);
    } else if (piece_is(key, "max")) {
        take_told(r, value, &b->max);
    } else {
        refuse(r, value,
               "unknown key; allowed: upper, counts, cumulative, count, sum, min, max, "
               "unit");
    }
}

static void take_unit(struct reading_json *r)
{
    for (uint32_t v = scan_first(&r->scan, 0); v != SCAN_NONE; v = scan_beside(&r->scan, v)) {
        const struct scan_value *value = &r->scan.values[v];
        struct piece key = {r->scan.text + value->key_start, value->key_end - value->key_start};
        if (!piece_is(key, "unit"))
            continue;
        r->unit_ns = is_type(r, v, SCAN_STRING) ? unit_of_name(piece_at(r, v)) : 0;
        if (r->unit_ns == 0)
            refuse(r, v, "allowed: \"ns\", \"us\", \"ms\", \"s\" or \"min\"");
    }
}

static bool is_infinite(const struct reading_json *r, uint32_t value)
{
    struct piece text = piece_at(r, value);
    return is_type(r, value, SCAN_NULL) ||
           (is_type(r, value, SCAN_STRING) &&
            (piece_ignoring_case(text, "+inf") || piece_ignoring_case(text, "inf")));
}

static void take_buckets(struct reading_json *r)
{
    uint32_t bound = scan_first(&r->scan, r->upper);
    uint32_t count = scan_first(&r->scan, r->counts);
    for (; count != SCAN_NONE && r->good; count = scan_beside(&r->scan, count)) {
        i128 milli = 0;
        uint64_t n;
        if (r->buckets.open)
            refuse(r, count, "there is a count behind that of the open bucket");
        r->buckets.open |= bound == SCAN_NONE || is_infinite(r, bound);
        if (!r->buckets.open && !take_time(r, bound, &milli))
            return;
        if (is_type(r, count, SCAN_NUMBER) && piece_count(piece_at(r, count), &n))
            buckets_push(&r->buckets, milli, n);
        else
            refuse(r, count, "allowed: a whole number");
        bound = bound != SCAN_NONE ? scan_beside(&r->scan, bound) : SCAN_NONE;
    }
    if (r->good && bound != SCAN_NONE)
        refuse(r, bound, "there is no count for this bound");
}

static void read_object(struct reading_json *r)
{
    r->upper = r->counts = SCAN_NONE;
    if (!is_type(r, 0, SCAN_OBJECT)) {
        refuse(r, 0, "allowed: an object with upper and counts or cumulative");
        return;
    }
    take_unit(r);
    for (uint32_t v = scan_first(&r->scan, 0); v != SCAN_NONE && r->good;
         v = scan_beside(&r->scan, v))
        take_member(r, v);
    if (r->good && (r->upper == SCAN_NONE || r->counts == SCAN_NONE))
        refuse(r, 0, "a histogram has a list \"upper\", and \"counts\" or \"cumulative\"");
    if (r->good)
        take_buckets(r);
}

bool read_histogram_json(const char *file, const char *text, size_t length, ns_t unit_ns,
                         struct imported *out, struct errors *errors)
{
    struct reading_json r = {.file = file, .errors = errors, .unit_ns = unit_ns, .good = true};
    scan_text(&r.scan, text, length);
    for (size_t i = 0; i < r.scan.fault_count; i++) {
        struct scan_place place = {0};
        scan_place(&r.scan, r.scan.faults[i].offset, &place);
        errors_add(errors, (struct place){.file = file, .line = place.line, .column = place.column},
                   "%s", r.scan.faults[i].text);
        r.good = false;
    }
    if (r.good && r.scan.whole && r.scan.count > 0)
        read_object(&r);
    char *why = r.good ? buckets_close(&r.buckets, out) : NULL;
    if (why != NULL) {
        errors_add(errors, (struct place){.file = file}, "%s", why);
        r.good = false;
    }
    free(why);
    buckets_free(&r.buckets);
    scan_free(&r.scan);
    return r.good;
}
