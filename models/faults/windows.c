/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How people cut a run into windows. */

#include <stdlib.h>

#include "models/faults/averages.h"

enum cut_key {
    CUT_DUE, /* by instants, from time 0 */
    CUT_SENT,
    CUT_FINISHED,
    CUT_ANSWERS, /* by the instant of the answer, from the first answer */
    CUT_ROWS,    /* so many answers each */
    CUT_PARTS,   /* so many parts of equally many answers */
    CUT_CHUNKS,  /* the same, the last one shorter */
    CUT_TURNS,   /* so many parts that take answers in turn */
};

struct cut {
    enum cut_key key;
    uint64_t size; /* ns, answers or parts */
    bool recorded; /* only what is recorded counts, and empty windows do not */
};

#define BY_TIME(key, recorded)                                                             \
    {key, 100 * NS_PER_MS, recorded}, {key, 200 * NS_PER_MS, recorded},                    \
        {key, 250 * NS_PER_MS, recorded}, {key, 500 * NS_PER_MS, recorded},                \
        {key, NS_PER_S, recorded}, {key, 2 * NS_PER_S, recorded},                          \
        {key, 5 * NS_PER_S, recorded}, {key, 10 * NS_PER_S, recorded},                     \
        {key, 30 * NS_PER_S, recorded},                                                    \
    {                                                                                      \
        key, 60 * NS_PER_S, recorded                                                       \
    }
#define BY_ROWS(recorded)                                                                  \
    {CUT_ROWS, 10, recorded}, {CUT_ROWS, 50, recorded}, {CUT_ROWS, 100, recorded},         \
        {CUT_ROWS, 128, recorded}, {CUT_ROWS, 200, recorded}, {CUT_ROWS, 250, recorded},   \
        {CUT_ROWS, 256, recorded}, {CUT_ROWS, 500, recorded}, {CUT_ROWS, 512, recorded},   \
    {                                                                                      \
        CUT_ROWS, 1000, recorded                                                           \
    }
#define BY_PARTS(key, recorded)                                                            \
    {key, 2, recorded}, {key, 3, recorded}, {key, 4, recorded}, {key, 5, recorded},        \
        {key, 8, recorded},                                                                \
    {                                                                                      \
        key, 10, recorded                                                                  \
    }
#define IN_TURN(recorded)                                                                  \
    {CUT_TURNS, 2, recorded}, {CUT_TURNS, 3, recorded}, {CUT_TURNS, 4, recorded},          \
        {CUT_TURNS, 8, recorded}, {CUT_TURNS, 10, recorded}, {CUT_TURNS, 7, recorded},     \
    {                                                                                      \
        CUT_TURNS, 64, recorded                                                            \
    }

static const struct cut cuts[] = {
    BY_TIME(CUT_FINISHED, false),
    BY_TIME(CUT_DUE, false),
    BY_TIME(CUT_SENT, false),
    BY_TIME(CUT_ANSWERS, false),
    BY_ROWS(false),
    BY_PARTS(CUT_PARTS, false),
    {CUT_PARTS, 16, false},
    {CUT_PARTS, 20, false},
    BY_PARTS(CUT_CHUNKS, false),
    BY_ROWS(true),
    BY_PARTS(CUT_PARTS, true),
    BY_PARTS(CUT_CHUNKS, true),
    BY_TIME(CUT_ANSWERS, true),
    IN_TURN(false),
    IN_TURN(true),
    BY_TIME(CUT_FINISHED, true),
    BY_TIME(CUT_DUE, true),
};
_Static_assert(FIELD_COUNT_OF(cuts) == CUTS_KNOWN, "every cut is counted");

size_t cut_group(const struct step *step, uint64_t which, size_t request)
{
    const struct requests *r = step->requests;
    struct cut cut = cuts[which];
    switch (cut.key) {
    case CUT_DUE: return r->due[request] / cut.size;
    case CUT_SENT: return r->sent[request] / cut.size;
    case CUT_FINISHED: return r->finished[request] / cut.size;
    case CUT_ANSWERS: return (r->finished[request] - r->finished[0]) / cut.size;
    case CUT_ROWS: return request / cut.size;
    case CUT_PARTS: return request * cut.size / r->count;
    case CUT_CHUNKS: return request / ((r->count + cut.size - 1) / cut.size);
    case CUT_TURNS: return request % cut.size;
    }
    BUG("a cut outside its enum");
}

bool cut_is_of_all(uint64_t which)
{
    return !cuts[which].recorded;
}

/* Numbers of the requests that have a sample, among those; and how many they are. */
static size_t *number(const struct step *step, const struct population *samples, size_t *total)
{
    size_t count = step->requests->count;
    size_t *numbers = must_alloc(count, sizeof *numbers);
    bool *has = must_alloc(count, sizeof *has);
    for (size_t i = 0; i < samples->count; i++)
        has[samples->items[i].request] = true;
    *total = 0;
    for (size_t i = 0; i < count; i++) {
        numbers[i] = *total;
        *total += has[i];
    }
    free(has);
    return numbers;
}

/* The requests that have a sample, by themselves. */
struct recorded {
    size_t *numbers; /* of each request */
    ns_t *due, *finished;
    size_t count;
};

static void recorded_open(const struct step *step, const struct population *samples,
                          struct recorded *out)
{
    out->numbers = number(step, samples, &out->count);
    out->due = must_alloc(out->count, sizeof *out->due);
    out->finished = must_alloc(out->count, sizeof *out->finished);
    for (size_t i = 0; i < samples->count; i++) {
        size_t request = samples->items[i].request, at = out->numbers[request];
        out->due[at] = step->requests->due[request];
        out->finished[at] = step->requests->finished[request];
    }
}

static void recorded_close(struct recorded *recorded)
{
    free(recorded->numbers);
    free(recorded->due);
    free(recorded->finished);
}

/* Groups are numbered anew, so that none is empty. */
static void close_up(size_t *groups, size_t count)
{
    size_t last = 0, next = 0;
    for (size_t i = 0; i < count; i++)
        last = groups[i] > last ? groups[i] : last;
    size_t *names = must_alloc(last + 1, sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[groups[i]] = 1;
    for (size_t g = 0; g <= last; g++)
        names[g] = names[g] == 1 ? next++ : 0;
    for (size_t i = 0; i < count; i++)
        groups[i] = names[groups[i]];
    free(names);
}

size_t *cut_groups(const struct step *step, uint64_t which, const struct population *samples)
{
    size_t *groups = must_alloc(samples->count, sizeof *groups);
    if (cut_is_of_all(which)) {
        for (size_t i = 0; i < samples->count; i++)
            groups[i] = cut_group(step, which, samples->items[i].request);
        return groups;
    }
    struct recorded recorded;
    recorded_open(step, samples, &recorded);
    struct requests requests = {
        .count = recorded.count, .due = recorded.due, .finished = recorded.finished};
    struct step own = {.requests = &requests};
    for (size_t i = 0; i < samples->count; i++)
        groups[i] = cut_group(&own, which, recorded.numbers[samples->items[i].request]);
    recorded_close(&recorded);
    if (samples->count > 0)
        close_up(groups, samples->count);
    return groups;
}

size_t cut_total(const struct step *step, uint64_t which)
{
    size_t last = 0;
    for (size_t i = 0; i < step->requests->count; i++) {
        size_t group = cut_group(step, which, i);
        last = group > last ? group : last;
    }
    return last + 1;
}

static char *words_of(struct cut cut)
{
    char text[32];
    duration_format(cut.size, text);
    switch (cut.key) {
    case CUT_DUE: return must_format("windows of %s by due instant", text);
    case CUT_SENT: return must_format("windows of %s by the instant of the send", text);
    case CUT_FINISHED: return must_format("windows of %s by the instant of the answer", text);
    case CUT_ANSWERS: return must_format("windows of %s from the first answer on", text);
    case CUT_ROWS: return must_format("windows of %zu answers", (size_t)cut.size);
    case CUT_PARTS:
    case CUT_CHUNKS: return must_format("%zu equal parts of the run", (size_t)cut.size);
    case CUT_TURNS: return must_format("%zu parts that take answers in turn", (size_t)cut.size);
    }
    BUG("a cut outside its enum");
}

char *cut_words(uint64_t which)
{
    char *words = words_of(cuts[which]);
    if (cut_is_of_all(which))
        return words;
    char *longer = must_format("%s, of those recorded", words);
    free(words);
    return longer;
}
