/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "models/base/random.h"
#include "sim/fast.h"
#include "tests/fast_both.h"
#include "tests/random_text.h"
#include "tests/two_ways.h"

/* Steady lines: even arrivals, equal works, and stalls so far apart that in between nobody waits
   for hundreds of requests.  unit: so many ns, or about, is one unit of time. */

static unsigned some(struct writer *w, unsigned unit, unsigned low, unsigned high)
{
    return roll(w, low, high) * unit + (unit > 1 ? roll(w, 0, unit - 1) : 0);
}

static void put_stalls(struct writer *w, unsigned unit)
{
    static const char *const modes[] = {"suspend", "suspend", "suspend", "gate", "blackout"};
    const char *mode = modes[roll(w, 0, 4)];
    unsigned count = roll(w, 0, 2);
    put(w, ", \"stalls\": [");
    for (unsigned i = 0; i < count; i++)
        put(w, "%s{\"mode\": \"%s\", \"first\": %u, \"last\": %u, \"every\": %u}",
            i > 0 ? ", " : "", mode, some(w, unit, 0, 3000),
            some(w, unit, 1, one_in(w, 3) ? 5 : 900),
            some(w, unit, one_in(w, 8) ? 1000 : 2500, 9000));
    put(w, "]");
}

static void put_senders(struct writer *w, unsigned unit, bool paced)
{
    char pace[48];
    unsigned every = some(w, unit, 1, 9);
    if (one_in(w, 3)) /* seldom a whole number of ns */
        snprintf(pace, sizeof pace, "\"rate\": %llu", 1000000000ull / every + roll(w, 0, 9));
    else
        snprintf(pace, sizeof pace, "\"every\": %u", every);
    unsigned lag = one_in(w, 2) ? 1 : roll(w, 2, one_in(w, 2) ? 9 : 1500);
    put(w, ", \"loads\": {\"it\": {\"%s\": {%s", paced ? "paced" : "open", pace);
    if (paced || one_in(w, 4))
        put(w, ", \"%s\": %u", paced ? "connections" : "max_in_flight", lag);
    put(w, "}");
    if (one_in(w, 12))
        put(w, ", \"timeout\": %u", some(w, unit, 1, 25));
    put(w, "}}");
}

/* As JSON; owned by the caller. */
static char *steady_scene(uint64_t seed, unsigned unit, bool paced)
{
    struct writer w = {.text = must_alloc(TEXT_SIZE, 1),
                       .dice = stream_open(seed, unit, paced, PURPOSE_START)};
    put(&w, "{\"title\": \"seed %llu\", \"server\": {\"service\": {\"constant\": %u}",
        (unsigned long long)seed, some(&w, unit, one_in(&w, 9) ? 0 : 1, one_in(&w, 4) ? 9 : 3));
    put_stalls(&w, unit);
    put(&w, "}");
    put_senders(&w, unit, paced);
    put(&w,
        ", \"recorders\": {\"it\": {\"load\": \"it\", \"from\": \"due\"}}, "
        "\"run\": {\"requests\": %u, \"start\": \"empty\", \"seed\": 1}}",
        roll(&w, 1, 6000));
    return w.text;
}

struct seen {
    size_t calm, other; /* batches */
};

/* Of calm rows, whose due instants and sends are one column, a path hands on many at a time. */
static void look(void *self, const struct batch *b)
{
    struct seen *seen = self;
    bool calm = b->sent == b->due;
    seen->calm += calm && b->count >= 128;
    seen->other += !calm;
}

static bool changes_phase(const char *text)
{
    struct plan *plan = plan_from(text);
    struct seen seen = {0, 0};
    struct engine_totals totals;
    struct engine_request request = {.plan = plan, .wants = WANTS_ALL, .consumer = {look, &seen}};
    if (fast_accepts(&request))
        assert_int_equal(fast_run(&request, &totals), ENGINE_DONE);
    plan_free(plan);
    return seen.calm > 1 && seen.other > 1;
}

static void hold(unsigned unit, bool paced, uint64_t seeds)
{
    struct fast_tally tally = {0};
    unsigned changing = 0;
    for (uint64_t seed = 1; seed <= fast_so_many(seeds) && tally.differ < 5; seed++) {
        char *text = steady_scene(seed, unit, paced);
        fast_try_both(text, seed, unit, &tally);
        changing += changes_phase(text);
        free(text);
    }
    assert_int_equal(tally.differ, 0);
    assert_true(tally.taken > fast_so_many(seeds) * 9 / 10);
    if (paced) /* of an open load sends and due instants are always one column */
        assert_true(changing > fast_so_many(seeds) / 5);
}

static void every_row_and_total_of_a_steady_open_line_is_the_engines(void **state)
{
    (void)state;
    hold(1, false, 300);
    hold(1009, false, 300);
}

static void so_it_is_of_a_steady_paced_line(void **state)
{
    (void)state;
    hold(1, true, 300);
    hold(1009, true, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_and_total_of_a_steady_open_line_is_the_engines),
        cmocka_unit_test(so_it_is_of_a_steady_paced_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
