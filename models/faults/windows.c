/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How people cut a run into windows. */

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
};

#define BY_TIME(key)                                                                       \
    {key, 100 * NS_PER_MS}, {key, 200 * NS_PER_MS}, {key, 250 * NS_PER_MS},                \
        {key, 500 * NS_PER_MS}, {key, NS_PER_S}, {key, 2 * NS_PER_S}, {key, 5 * NS_PER_S}, \
        {key, 10 * NS_PER_S}, {key, 30 * NS_PER_S},                                        \
    {                                                                                      \
        key, 60 * NS_PER_S                                                                 \
    }

static const struct cut cuts[] = {
    BY_TIME(CUT_FINISHED), BY_TIME(CUT_DUE), BY_TIME(CUT_SENT), BY_TIME(CUT_ANSWERS),
    {CUT_ROWS, 10},        {CUT_ROWS, 50},   {CUT_ROWS, 100},   {CUT_ROWS, 128},
    {CUT_ROWS, 200},       {CUT_ROWS, 250},  {CUT_ROWS, 256},   {CUT_ROWS, 500},
    {CUT_ROWS, 512},       {CUT_ROWS, 1000}, {CUT_PARTS, 2},    {CUT_PARTS, 3},
    {CUT_PARTS, 4},        {CUT_PARTS, 5},   {CUT_PARTS, 8},    {CUT_PARTS, 10},
    {CUT_PARTS, 16},       {CUT_PARTS, 20},  {CUT_CHUNKS, 2},   {CUT_CHUNKS, 3},
    {CUT_CHUNKS, 4},       {CUT_CHUNKS, 5},  {CUT_CHUNKS, 8},   {CUT_CHUNKS, 10},
    {CUT_TURNS, 2},        {CUT_TURNS, 3},   {CUT_TURNS, 4},    {CUT_TURNS, 8},
    {CUT_TURNS, 10},
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

size_t cut_total(const struct step *step, uint64_t which)
{
    size_t last = 0;
    for (size_t i = 0; i < step->requests->count; i++) {
        size_t group = cut_group(step, which, i);
        last = group > last ? group : last;
    }
    return last + 1;
}

char *cut_words(uint64_t which)
{
    struct cut cut = cuts[which];
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
