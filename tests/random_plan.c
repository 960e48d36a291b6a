/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/random_plan.h"

#include <stdarg.h>
#include <stdio.h>

#include "models/base/batch.h"
#include "models/base/error.h"
#include "models/base/random.h"

#define TEXT_SIZE 4096

struct writer {
    char *text;
    size_t length;
    struct stream dice;
    uint64_t thrown;
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->text + w->length, TEXT_SIZE - w->length, format, args);
    va_end(args);
    BUG_IF(n < 0 || w->length + (size_t)n >= TEXT_SIZE);
    w->length += (size_t)n;
}

/* Uniform on low .. high. */
static unsigned roll(struct writer *w, unsigned low, unsigned high)
{
    return low + (unsigned)below(stream_word(w->dice, w->thrown++), (uint64_t)high - low + 1);
}

static bool one_in(struct writer *w, unsigned n)
{
    return roll(w, 1, n) == 1;
}

static void put_list(struct writer *w, unsigned count, unsigned low, unsigned high, bool rising)
{
    unsigned value = roll(w, low, high);
    put(w, "[%u", value);
    for (unsigned i = 1; i < count; i++) {
        value = rising ? value + roll(w, 0, high) : roll(w, low, high);
        put(w, ", %u", value);
    }
    put(w, "]");
}

static void put_distribution(struct writer *w, unsigned high)
{
    unsigned low = roll(w, 0, high);
    switch (roll(w, 0, 5)) {
    case 0:
    case 1: put(w, "{\"constant\": %u}", low); break;
    case 2: put(w, "{\"exponential\": %u}", roll(w, 1, high)); break;
    case 3:
        put(w, "{\"two-point\": {\"usual\": %u, \"rare\": %u, \"probability\": 0.%u}}", low,
            low + roll(w, 1, 4 * high), roll(w, 1, 9));
        break;
    case 4:
        put(w, "{\"uniform\": {\"low\": %u, \"high\": %u}}", low, low + roll(w, 1, high));
        break;
    default:
        put(w, "{\"samples\": ");
        put_list(w, roll(w, 1, 6), 0, 2 * high, false);
        put(w, "}");
    }
}

/* How long the server is there and away in turn, away for a third of the time at most. */
static void put_random_stall(struct writer *w)
{
    unsigned up = roll(w, 5, 40);
    put(w, "\"up\": ");
    switch (roll(w, 0, 3)) {
    case 0: put(w, "{\"constant\": %u}", up); break;
    case 1: put(w, "{\"exponential\": %u}", up); break;
    case 2: put(w, "{\"uniform\": {\"low\": %u, \"high\": %u}}", up / 2, up + up / 2); break;
    default: put(w, "{\"samples\": [%u, 0, %u]}", up, 2 * up);
    }
    put(w, ", \"down\": ");
    put_distribution(w, 1 + up / 10);
}

static void put_planned_stall(struct writer *w, unsigned first, unsigned last)
{
    put(w, "\"first\": %u, \"last\": %u", first, last);
    if (one_in(w, 2))
        put(w, ", \"every\": %u", 1 + last * 10 / 3 + roll(w, 0, 30));
}

/* Three stalls at most, each at most about 30 % of the time, so the server always comes back.  The
   next one often begins where the last one ended, or inside it. */
static void put_stalls(struct writer *w)
{
    static const char *const modes[] = {"suspend", "gate", "blackout"};
    unsigned count = roll(w, 0, 3), end = 0, begin = 0;
    put(w, ", \"stalls\": [");
    for (unsigned i = 0; i < count; i++) {
        unsigned last = one_in(w, 6) ? 0 : roll(w, 1, 14);
        if (i > 0 && one_in(w, 2))
            begin = one_in(w, 2) ? end : roll(w, begin, end);
        else
            begin = roll(w, 0, 40);
        end = begin + last;
        put(w, "%s{\"mode\": \"%s\", ", i > 0 ? ", " : "", modes[roll(w, 0, 2)]);
        if (one_in(w, 4))
            put_random_stall(w);
        else
            put_planned_stall(w, begin, last);
        put(w, "}");
    }
    put(w, "]");
}

/* So many servers like the one; returns how many. */
static unsigned put_replicas(struct writer *w)
{
    static const char *const rules[] = {"random", "round-robin"};
    unsigned replicas = roll(w, 2, 4);
    put(w, ", \"replicas\": %u", replicas);
    if (one_in(w, 2))
        put(w, ", \"routing\": \"%s\"", rules[roll(w, 0, 1)]);
    return replicas;
}

/* Returns how many replicas there are. */
static unsigned put_server(struct writer *w, bool plain)
{
    unsigned replicas = 1;
    put(w, "\"server\": {\"service\": ");
    put_distribution(w, roll(w, 1, 9));
    if (plain) {
        put(w, "}");
        return replicas;
    }
    if (one_in(w, 6)) {
        put(w, ", \"workers\": \"unlimited\"");
    } else {
        if (one_in(w, 2))
            put(w, ", \"workers\": %u", roll(w, 2, 4));
        if (one_in(w, 3))
            put(w, ", \"queue_limit\": %u", roll(w, 0, 4));
    }
    if (one_in(w, 2))
        replicas = put_replicas(w);
    if (!one_in(w, 3))
        put_stalls(w);
    put(w, "}");
    return replicas;
}

/* An interval in whole ns, or a rate whose interval is none. */
static void put_pace(struct writer *w)
{
    if (one_in(w, 3))
        put(w, "\"rate\": %u.%u", roll(w, 70000000, 900000000), roll(w, 0, 999));
    else
        put(w, "\"every\": %u", roll(w, 1, 12));
}

static void put_open(struct writer *w, bool plain)
{
    put(w, "\"open\": {");
    switch (roll(w, 0, 3)) {
    case 0:
        put(w, "\"arrivals\": {\"times\": ");
        put_list(w, roll(w, 1, 40), 0, roll(w, 1, 12), true);
        put(w, "}");
        break;
    case 1:
        put_pace(w);
        put(w, ", \"arrivals\": \"poisson\"");
        break;
    default: put_pace(w); put(w, ", \"arrivals\": \"even\"");
    }
    if (!plain && one_in(w, 3))
        put(w, ", \"max_in_flight\": %u", roll(w, 1, 4));
    put(w, "}");
}

static void put_closed(struct writer *w)
{
    put(w, "\"closed\": {\"clients\": %u", roll(w, 1, 6));
    if (one_in(w, 2)) {
        put(w, ", \"think\": ");
        put_distribution(w, roll(w, 1, 12));
    }
    if (one_in(w, 2))
        put(w, ", \"stagger\": %u", roll(w, 0, 9));
    put(w, "}");
}

static void put_paced(struct writer *w)
{
    static const char *const policies[] = {"\"catch-up\"",
                                           "\"skip\"",
                                           "\"coalesce\"",
                                           "\"rebase\"",
                                           "{\"catch-up\": {\"factor\": 1}}",
                                           "{\"catch-up\": {\"factor\": 1.5}}",
                                           "{\"catch-up\": {\"factor\": 3}}"};
    put(w, "\"paced\": {");
    put_pace(w);
    put(w, ", \"connections\": %u, \"late\": %s}", roll(w, 1, 4), policies[roll(w, 0, 6)]);
}

static void put_sessions(struct writer *w)
{
    static const char *const arrivals[] = {"poisson", "even"};
    put(w, "\"sessions\": {\"requests\": %u, ", roll(w, 1, 5));
    if (one_in(w, 4)) {
        put(w, "\"arrivals\": {\"times\": ");
        put_list(w, roll(w, 1, 12), 0, roll(w, 1, 12), true);
        put(w, "}");
    } else {
        put_pace(w);
        put(w, ", \"arrivals\": \"%s\"", arrivals[roll(w, 0, 1)]);
    }
    if (one_in(w, 2)) {
        put(w, ", \"think\": ");
        put_distribution(w, roll(w, 1, 12));
    }
    put(w, "}");
}

/* Parts, or further copies, or neither. */
static void put_copies(struct writer *w, unsigned replicas)
{
    static const char *const cancels[] = {"none", "queued", "in-service"};
    unsigned which = roll(w, 0, 5);
    if (which == 0 && replicas > 1)
        put(w, ", \"fan_out\": %u", roll(w, 2, replicas));
    if (which == 0 || which > 3)
        return;
    bool hedge = which > 1;
    put(w, ", \"%s\": {\"after\": %u, \"copies\": %u", hedge ? "hedge" : "retry",
        hedge && one_in(w, 2) ? 0 : roll(w, 1, 9), roll(w, 2, 4));
    if (!one_in(w, 4))
        put(w, ", \"cancel\": \"%s\"", cancels[roll(w, 0, 2)]);
    put(w, "}");
}

static void put_run(struct writer *w, enum flavour flavour, bool counted)
{
    unsigned scale = flavour == FLAVOUR_LONG ? 10 : 1;
    bool plain = flavour == FLAVOUR_PLAIN_OPEN;
    put(w, ", \"run\": {");
    if (plain && one_in(w, 30))
        put(w, "\"requests\": %u, ", roll(w, BATCH_ROWS - 1, BATCH_ROWS + 1));
    else if (counted)
        put(w, "\"requests\": %u, ", roll(w, 1, 60 * scale));
    if (!counted || one_in(w, 3))
        put(w, "\"duration\": %u, ", roll(w, 1, 200 * scale));
    if (!plain && one_in(w, 5))
        put(w, "\"cut\": %u, ", roll(w, 1, 200 * scale));
    put(w, "\"start\": \"empty\", \"seed\": %u}", roll(w, 1, 1000000));
}

char *random_scenario(uint64_t seed, enum flavour flavour)
{
    struct writer w = {.text = must_alloc(TEXT_SIZE, 1),
                       .dice = stream_open(seed, 0, (uint32_t)flavour, PURPOSE_START)};
    bool plain = flavour == FLAVOUR_PLAIN_OPEN;
    put(&w, "{\"title\": \"seed %llu\", ", (unsigned long long)seed);
    unsigned replicas = put_server(&w, plain);
    put(&w, ", \"loads\": {\"it\": {");
    unsigned kind = plain ? 0 : roll(&w, 0, 3);
    if (kind == 0)
        put_open(&w, plain);
    else if (kind == 1)
        put_closed(&w);
    else if (kind == 2)
        put_paced(&w);
    else
        put_sessions(&w);
    if (!plain)
        put_copies(&w, replicas);
    if (!plain && one_in(&w, 3))
        put(&w, ", \"timeout\": %u", roll(&w, 1, 25));
    put(&w, "}}, \"recorders\": {\"it\": {\"load\": \"it\", \"from\": \"due\"}}");
    /* A closed load may send any number of requests in no time: it needs a count. */
    put_run(&w, flavour, kind == 1 || !one_in(&w, 3));
    put(&w, "}");
    return w.text;
}
