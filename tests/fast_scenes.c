/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/fast_scenes.h"

#include "models/base/error.h"
#include "tests/random_text.h"

struct scene {
    struct writer w;
    unsigned unit, workers;
};

static unsigned some(struct scene *s, unsigned low, unsigned high)
{
    unsigned units = roll(&s->w, low, high);
    return s->unit == 1 ? units : units * s->unit + roll(&s->w, 0, s->unit - 1);
}

static void put_times(struct scene *s, unsigned high)
{
    struct writer *w = &s->w;
    switch (roll(w, 0, 5)) {
    case 0:
    case 1: put(w, "{\"constant\": %u}", some(s, 0, high)); break;
    case 2:
    case 3: put(w, "{\"exponential\": %u}", some(s, 1, high)); break;
    case 4:
        put(w, "{\"two-point\": {\"usual\": %u, \"rare\": %u, \"probability\": 0.%u}}",
            some(s, 0, high), some(s, 1, 4 * high), roll(w, 1, 9));
        break;
    default: put(w, "{\"samples\": [%u, 0, %u]}", some(s, 0, high), some(s, 1, 2 * high));
    }
}

/* Of one kind; now and then one begins where another ends, or inside it. */
static void put_pauses(struct scene *s)
{
    static const char *const modes[] = {"suspend", "suspend", "gate", "blackout"};
    struct writer *w = &s->w;
    const char *mode = modes[roll(w, 0, 3)];
    unsigned count = roll(w, 0, 3), end = 0;
    put(w, ", \"stalls\": [");
    for (unsigned i = 0; i < count; i++) {
        unsigned begin = i > 0 && one_in(w, 2) ? end : some(s, 0, 40);
        unsigned last = one_in(w, 6) ? 0 : some(s, 1, 14);
        end = begin + last;
        put(w, "%s{\"mode\": \"%s\", \"first\": %u, \"last\": %u", i > 0 ? ", " : "", mode, begin,
            last);
        if (!one_in(w, 3))
            put(w, ", \"every\": %u", last * 10 / 3 + some(s, 1, 30));
        put(w, "}");
    }
    put(w, "]");
}

/* One of so many has a window. */
static void put_open(struct scene *s, unsigned windowed)
{
    static const char *const kinds[] = {"\"even\"", "\"poisson\"", "\"poisson\""};
    struct writer *w = &s->w;
    if (one_in(w, 6)) {
        put(w, "\"open\": {\"arrivals\": {\"times\": ");
        put_list(w, roll(w, 1, 40), 0, roll(w, 1, 12) * s->unit, true);
        put(w, "}");
    } else {
        put(w, "\"open\": {\"every\": %u, \"arrivals\": %s", some(s, 1, 12), kinds[roll(w, 0, 2)]);
    }
    if (one_in(w, windowed))
        put(w, ", \"max_in_flight\": %u", one_in(w, 4) ? roll(w, 100, 2000) : roll(w, 1, 9));
    put(w, "}");
}

static unsigned some_clients(struct writer *w)
{
    if (one_in(w, 3))
        return 1;
    return one_in(w, 4) ? roll(w, 20, 1500) : roll(w, 2, 12);
}

static void put_load(struct scene *s, enum scene_kind kind, bool patient)
{
    struct writer *w = &s->w;
    put(w, ", \"loads\": {\"it\": {");
    switch (kind) {
    case SCENE_OPEN: put_open(s, 3); break;
    case SCENE_PACED:
        put(w, "\"paced\": {\"every\": %u, \"connections\": %u}", some(s, 1, 12), some_clients(w));
        break;
    case SCENE_CLOSED:
        put(w, "\"closed\": {\"clients\": %u", some_clients(w));
        if (one_in(w, 2)) {
            put(w, ", \"think\": ");
            put_times(s, 12);
        }
        if (one_in(w, 5))
            put(w, ", \"stagger\": %u", some(s, 0, 5));
        put(w, "}");
    }
    if (one_in(w, patient ? 15 : 3))
        put(w, ", \"timeout\": %u", some(s, 1, 25));
    put(w, "}}");
}

/* counted: by a number of requests, perhaps alone. */
static void put_run(struct scene *s, unsigned most, bool counted)
{
    struct writer *w = &s->w;
    unsigned duration = 0;
    put(w, ", \"recorders\": {\"it\": {\"load\": \"it\", \"from\": \"due\"}}, \"run\": {");
    if (counted || !one_in(w, 3))
        put(w, "\"requests\": %u, ", roll(w, 1, most));
    if (one_in(w, 3))
        duration = some(s, 1, 4 * most);
    else if (!counted)
        duration = some(s, 2 * most, 6 * most);
    if (duration > 0)
        put(w, "\"duration\": %u, ", duration);
    if (one_in(w, 4))
        put(w, "\"warmup\": %u, ", roll(w, 0, duration > 0 ? duration - 1 : most * s->unit / 2));
    put(w, "\"start\": \"empty\", \"seed\": %u}}", roll(w, 1, 1000000));
}

char *fast_scene(uint64_t seed, enum scene_kind kind, unsigned unit, unsigned most,
                 unsigned workers)
{
    struct scene s = {.unit = unit,
                      .w = {.text = must_alloc(TEXT_SIZE, 1),
                            .dice = stream_open(seed, unit, (uint32_t)kind, PURPOSE_START)}};
    struct writer *w = &s.w;
    put(w, "{\"title\": \"seed %llu\", \"server\": {\"service\": ", (unsigned long long)seed);
    put_times(&s, 9);
    if (workers > 1)
        put(w, ", \"workers\": %u", roll(w, 2, workers));
    else if (!one_in(w, 3))
        put_pauses(&s);
    put(w, "}");
    put_load(&s, kind, kind == SCENE_CLOSED && workers > 1);
    put_run(&s, most, kind == SCENE_CLOSED);
    return w->text;
}

static const char *const cancels[] = {"none", "queued", "in-service"};

/* Further copies of either kind, or none. */
static void put_resend(struct scene *s)
{
    struct writer *w = &s->w;
    unsigned copies = one_in(w, 2) ? 2 : roll(w, 3, 4);
    if (one_in(w, 8))
        return;
    if (one_in(w, 2)) {
        put(w, ", \"retry\": {\"after\": %u", some(s, 1, 12));
        if (one_in(w, 4))
            put(w, ", \"backoff\": %s", one_in(w, 2) ? "1" : "1.5");
        if (one_in(w, 10))
            put(w, ", \"jitter\": 0.%u", roll(w, 0, 9));
        if (one_in(w, 3))
            put(w, ", \"budget\": 0.%u", roll(w, 1, 9));
    } else {
        put(w, ", \"hedge\": {\"after\": %u", one_in(w, 3) ? 0 : some(s, 1, 12));
    }
    put(w, ", \"copies\": %u", copies);
    if (!one_in(w, 4))
        put(w, ", \"cancel\": \"%s\"", cancels[roll(w, 0, 2)]);
    put(w, "}");
    if (one_in(w, 3))
        put(w, ", \"work\": \"per-request\"");
}

static void put_replicas(struct scene *s, unsigned workers)
{
    static const char *const rules[] = {"random", "round-robin", "least-in-flight"};
    struct writer *w = &s->w;
    if (one_in(w, 10))
        put(w, ", \"workers\": \"unlimited\"");
    else
        put(w, ", \"workers\": %u", roll(w, 1, workers));
    if (one_in(w, 3))
        put(w, ", \"queue_limit\": %u", roll(w, 0, 6));
    if (one_in(w, 3))
        return;
    put(w, ", \"replicas\": %u, \"routing\": \"%s\"", roll(w, 2, 4), rules[roll(w, 0, 2)]);
}

char *fast_scene_of_copies(uint64_t seed, unsigned unit, unsigned most, unsigned workers)
{
    struct scene s = {.unit = unit,
                      .w = {.text = must_alloc(TEXT_SIZE, 1),
                            .dice = stream_open(seed, unit, SCENE_KINDS, PURPOSE_START)}};
    struct writer *w = &s.w;
    put(w, "{\"title\": \"seed %llu\", \"server\": {\"service\": ", (unsigned long long)seed);
    put_times(&s, one_in(w, 2) ? 9 : 5 * workers);
    put_replicas(&s, workers);
    put(w, "}, \"loads\": {\"it\": {");
    put_open(&s, 12);
    put_resend(&s);
    if (one_in(w, 3)) {
        put(w, ", \"timeout\": %u", some(&s, 1, 25));
        put(w, ", \"timeout_cancel\": \"%s\"", cancels[roll(w, 0, 2)]);
    }
    put(w, "}}");
    put_run(&s, most, false);
    return w->text;
}
