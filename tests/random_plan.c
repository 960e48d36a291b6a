/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/random_plan.h"

#include "models/base/batch.h"
#include "models/base/error.h"
#include "tests/random_text.h"

/* An interval in whole ns, or a rate whose interval is none. */
static void put_pace(struct writer *w)
{
    if (one_in(w, 3))
        put(w, "\"rate\": %u.%u", roll(w, 70000000, 900000000), roll(w, 0, 999));
    else
        put(w, "\"every\": %u", roll(w, 1, 12));
}

static const char *const spacings[] = {"even", "poisson"};

/* Arrivals that come at an interval of their own, or in bursts, or at changing rates. */
static void put_uneven_arrivals(struct writer *w)
{
    unsigned every = roll(w, 2, 12), kind = roll(w, 0, 4);
    if (kind < 3)
        put(w, "\"every\": %u, ", every);
    put(w, "\"arrivals\": ");
    switch (kind) {
    case 0: put(w, "{\"jittered\": %u}", roll(w, 0, every)); break;
    case 1:
        put(w, "{\"bursts\": {\"size\": %u, \"apart\": %u, \"random\": %s}}", roll(w, 1, 5),
            roll(w, 0, every - 1), one_in(w, 2) ? "true" : "false");
        break;
    case 2:
        put(w, "{\"on-off\": {\"on\": %u, \"off\": %u, \"spacing\": \"%s\"}}", roll(w, 1, 20),
            roll(w, 0, 20), spacings[roll(w, 0, 1)]);
        break;
    case 3:
        put(w,
            "{\"steps\": {\"phases\": [{\"rate\": %u, \"for\": %u}, {\"rate\": %u, "
            "\"for\": %u}], \"spacing\": \"%s\"}}",
            roll(w, 0, 900000000), roll(w, 1, 90), roll(w, 1, 900000000), roll(w, 1, 300),
            spacings[roll(w, 0, 1)]);
        break;
    default:
        put(w, "{\"ramp\": {\"from\": %u, \"to\": %u, \"over\": %u, \"spacing\": \"%s\"}}",
            roll(w, 1, 900000000), roll(w, 1, 900000000), roll(w, 1, 300), spacings[roll(w, 0, 1)]);
    }
}

static void put_open(struct writer *w, bool plain)
{
    put(w, "\"open\": {");
    switch (roll(w, 0, 4)) {
    case 0:
        put(w, "\"arrivals\": {\"times\": ");
        put_list(w, roll(w, 1, 40), 0, roll(w, 1, 12), true);
        put(w, "}");
        break;
    case 1:
        put_pace(w);
        put(w, ", \"arrivals\": \"poisson\"");
        break;
    case 2: put_uneven_arrivals(w); break;
    default: put_pace(w); put(w, ", \"arrivals\": \"even\"");
    }
    if (!plain && !w->bare && one_in(w, 3))
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

static const char *const cancels[] = {"none", "queued", "in-service"};

static void put_cancel(struct writer *w)
{
    if (!one_in(w, 4))
        put(w, ", \"cancel\": \"%s\"", cancels[roll(w, 0, 2)]);
    put(w, "}");
}

static void put_retry(struct writer *w)
{
    static const char *const backoffs[] = {"1", "1.5", "2", "2.25", "3"};
    put(w, ", \"retry\": {\"after\": %u, \"copies\": %u", roll(w, 1, 9), roll(w, 2, 4));
    if (wants(w, MECHANISM_BACKOFF)) {
        put(w, ", \"backoff\": %s", backoffs[roll(w, 0, 4)]);
        if (one_in(w, 2))
            put(w, ", \"jitter\": %s", one_in(w, 3) ? "1" : "0.35");
    }
    if (wants(w, MECHANISM_BUDGET))
        put(w, ", \"budget\": 0.%u", roll(w, 1, 9));
    put_cancel(w);
}

static void put_hedge(struct writer *w)
{
    if (wants(w, MECHANISM_PERCENTILE))
        put(w, ", \"hedge\": {\"percentile\": %u", roll(w, 1, 99));
    else
        put(w, ", \"hedge\": {\"after\": %u", one_in(w, 2) ? 0 : roll(w, 1, 9));
    put(w, ", \"copies\": %u", roll(w, 2, 4));
    put_cancel(w);
}

/* Parts, or further copies, or neither. */
static void put_copies(struct writer *w, unsigned replicas)
{
    unsigned which = w->bare ? 5 : roll(w, 0, 5);
    if (wants(w, MECHANISM_WAIT_FOR))
        which = 0;
    else if (wants(w, MECHANISM_TIED))
        which = 4;
    else if (wants(w, MECHANISM_PERCENTILE))
        which = 2;
    else if (wants(w, MECHANISM_BACKOFF) || wants(w, MECHANISM_BUDGET))
        which = 1;
    if (which == 0 && replicas > 1) {
        unsigned parts = roll(w, 2, replicas);
        put(w, ", \"fan_out\": %u", parts);
        if (wants(w, MECHANISM_WAIT_FOR))
            put(w, ", \"wait_for\": %u", roll(w, 1, parts));
    }
    if (which == 1)
        put_retry(w);
    if (which == 2 || which == 3)
        put_hedge(w);
    if (which == 4 && (w->mechanisms >> MECHANISM_TIED & 1) != 0) {
        put(w, ", \"tied\": {\"copies\": %u", roll(w, 2, 4));
        put_cancel(w);
    } else if (which > 3) {
        return;
    }
    if ((which > 0 || replicas > 1) && wants(w, MECHANISM_PER_REQUEST))
        put(w, ", \"work\": \"per-request\"");
    if (wants(w, MECHANISM_UNSAFE) && one_in(w, 3))
        put(w, ", \"idempotent\": false");
}

/* The client's patience and its own work. */
static void put_client(struct writer *w)
{
    bool abandons = wants(w, MECHANISM_ABANDONS);
    if (abandons || (!w->bare && one_in(w, 3)))
        put(w, ", \"timeout\": %u", roll(w, 1, 25));
    if (abandons)
        put(w, ", \"timeout_cancel\": \"%s\"", cancels[roll(w, 0, 2)]);
    if ((w->mechanisms >> MECHANISM_GENERATOR & 1) != 0)
        put(w, ", \"generator\": {\"cost\": %u, \"threads\": %u}", roll(w, 1, 5), roll(w, 1, 3));
    if (wants(w, MECHANISM_OVERHEAD))
        put(w, ", \"overhead\": %u", roll(w, 1, 5));
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
    if (!plain && !w->bare && one_in(w, 5))
        put(w, "\"cut\": %u, ", roll(w, 1, 200 * scale));
    put(w, "\"start\": \"empty\", \"seed\": %u}", roll(w, 1, 1000000));
}

/* None, one, or some of them. */
static uint32_t some_mechanisms(struct writer *w)
{
    uint32_t all = (UINT32_C(1) << MECHANISM_COUNT) - 1;
    switch (roll(w, 0, 5)) {
    case 0: return 0;
    case 1:
    case 2:
    case 3: return UINT32_C(1) << roll(w, 0, MECHANISM_COUNT - 1);
    case 4: return (uint32_t)stream_word(w->dice, w->thrown++) & all;
    default: {
        uint64_t word = stream_word(w->dice, w->thrown++);
        return (uint32_t)(word & word >> 32) & all;
    }
    }
}

char *random_scenario(uint64_t seed, enum flavour flavour)
{
    struct writer w = {.text = must_alloc(TEXT_SIZE, 1),
                       .dice = stream_open(seed, 0, (uint32_t)flavour, PURPOSE_START)};
    bool plain = flavour == FLAVOUR_PLAIN_OPEN;
    w.bare = flavour == FLAVOUR_NEARLY_PLAIN;
    if (w.bare)
        w.mechanisms = one_in(&w, 4) ? 0 : UINT32_C(1) << roll(&w, 0, MECHANISM_COUNT - 1);
    else if (!plain)
        w.mechanisms = some_mechanisms(&w);
    if ((w.mechanisms >> MECHANISM_HALVES & 1) != 0)
        w.mechanisms |= UINT32_C(1) << MECHANISM_SLOWS;
    put(&w, "{\"title\": \"seed %llu\", ", (unsigned long long)seed);
    unsigned replicas = put_server(&w, plain);
    put(&w, ", \"loads\": {\"it\": {");
    unsigned kind = plain || w.bare ? 0 : roll(&w, 0, 3);
    if (kind == 0)
        put_open(&w, plain);
    else if (kind == 1)
        put_closed(&w);
    else if (kind == 2)
        put_paced(&w);
    else
        put_sessions(&w);
    if (!plain) {
        put_copies(&w, replicas);
        put_client(&w);
    }
    put(&w, "}}, \"recorders\": {\"it\": {\"load\": \"it\", \"from\": \"due\"}}");
    /* A closed load may send any number of requests in no time: it needs a count. */
    put_run(&w, flavour, kind == 1 || !one_in(&w, 3));
    put(&w, "}");
    return w.text;
}
