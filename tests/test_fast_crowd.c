/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "models/base/error.h"
#include "tests/fast_both.h"
#include "tests/random_text.h"

/* Scenarios with hundreds or thousands in flight: services that last long beside the time from one
   send to the next, and workers who are enough for that or not, or without limit. */

struct crowd {
    struct writer w;
    unsigned unit, size; /* size: so many in flight, or a few times as many */
};

/* In units, one of which is 1 ns where many instants are to be the same. */
static void put_time(struct crowd *c, const char *name, unsigned most)
{
    struct writer *w = &c->w;
    unsigned long long low = roll(w, 0, most), high = roll(w, 1, 2 * most);
    switch (roll(w, 0, 4)) {
    case 0: put(w, "\"%s\": {\"constant\": %llu}", name, low * c->unit); break;
    case 1:
        put(w, "\"%s\": {\"samples\": [%llu, 0, %llu]}", name, low * c->unit, high * c->unit);
        break;
    case 2:
        put(w, "\"%s\": {\"two-point\": {\"usual\": %llu, \"rare\": %llu, \"probability\": 0.0%u}}",
            name, low * c->unit, 9 * high * c->unit, roll(w, 1, 9));
        break;
    default: put(w, "\"%s\": {\"exponential\": %llu}", name, high * c->unit);
    }
}

static void put_workers(struct crowd *c)
{
    struct writer *w = &c->w;
    if (one_in(w, 3))
        put(w, ", \"workers\": \"unlimited\"");
    else
        put(w, ", \"workers\": %u", one_in(w, 2) ? roll(w, 17, c->size) : roll(w, 17, 4 * c->size));
}

static char *crowd_scene(uint64_t seed, bool closed, unsigned unit, unsigned size)
{
    struct crowd c = {.unit = unit,
                      .size = size,
                      .w = {.text = must_alloc(TEXT_SIZE, 1),
                            .dice = stream_open(seed, unit, size + closed, PURPOSE_START)}};
    struct writer *w = &c.w;
    unsigned every = roll(w, 1, 4);
    put(w, "{\"title\": \"seed %llu\", \"server\": {", (unsigned long long)seed);
    put_time(&c, "service", closed ? 2 * size : every * size);
    put_workers(&c);
    put(w, "}, \"loads\": {\"it\": {");
    if (closed) {
        put(w, "\"closed\": {\"clients\": %u, ", roll(w, 17, size));
        put_time(&c, "think", one_in(w, 2) ? 5 : size);
        put(w, "}");
    } else {
        put(w, "\"open\": {\"every\": %u, \"arrivals\": \"%s\"", every * unit,
            one_in(w, 3) ? "even" : "poisson");
        if (one_in(w, 3))
            put(w, ", \"max_in_flight\": %u", roll(w, 17, 2 * size));
        put(w, "}");
        if (one_in(w, 4))
            put(w, ", \"timeout\": %u", roll(w, 1, 2 * every * size) * unit);
    }
    put(w, "}}, \"recorders\": {\"it\": {\"load\": \"it\", \"from\": \"due\"}}, \"run\": {");
    if (one_in(w, 4))
        put(w, "\"duration\": %u, ", roll(w, 1, 3 * size) * unit);
    put(w, "\"requests\": %u, \"start\": \"empty\", \"seed\": %u}}", roll(w, 1, 5 * size),
        roll(w, 1, 1000000));
    return w->text;
}

/* Some are not theirs: a window and a timeout, or clients who take no time at all. */
static void hold(bool closed, unsigned unit, unsigned size, uint64_t seeds)
{
    struct fast_tally tally = {0};
    for (uint64_t seed = 1; seed <= fast_so_many(seeds) && tally.differ < 5; seed++) {
        char *text = crowd_scene(seed, closed, unit, size);
        fast_try_both(text, seed, unit, &tally);
        free(text);
    }
    assert_int_equal(tally.differ, 0);
    assert_true(tally.taken > fast_so_many(seeds) * 3 / 4);
}

static void hundreds_in_flight_leave_as_the_engine_has_them_leave(void **state)
{
    (void)state;
    for (int closed = 0; closed <= 1; closed++) {
        hold(closed == 1, 1, 100, 600);
        hold(closed == 1, 7919, 100, 300);
        hold(closed == 1, 1, 600, 150);
    }
}

static void so_do_thousands(void **state)
{
    (void)state;
    for (int closed = 0; closed <= 1; closed++) {
        hold(closed == 1, 1, 5000, 30);
        hold(closed == 1, 100003, 5000, 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hundreds_in_flight_leave_as_the_engine_has_them_leave),
        cmocka_unit_test(so_do_thousands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
