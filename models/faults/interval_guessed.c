/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/faults/pipeline.h"

enum guess {
    RUN_PER_ANSWER,   /* first send to last answer, over answers of a connection */
    RUN_OVER_ANSWERS, /* the same over all answers */
    BETWEEN_ANSWERS,  /* first answer to last, over the gaps */
    BETWEEN_DUE,      /* first due to last, over the gaps */
    MEAN_TIME,        /* of the response times */
    MEDIAN_TIME,
    UPPER_MEDIAN,
    SHORTEST_TIME,
    WHOLE_RUN, /* time 0 to the last answer, over all answers */
    BETWEEN_SENDS,
    RUN_TIMES_CONNECTIONS,
    GUESSES,
};

static ns_t spread_ns(const ns_t *instants_ns, size_t count, ns_t *first_ns)
{
    ns_t last_ns = 0;
    *first_ns = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        last_ns = instants_ns[i] > last_ns ? instants_ns[i] : last_ns;
        *first_ns = instants_ns[i] < *first_ns ? instants_ns[i] : *first_ns;
    }
    return last_ns - *first_ns;
}

/* num/den ns. */
struct interval {
    u128 num;
    uint64_t den;
};

static struct interval time_of(const struct requests *r, const struct asked *asked,
                               enum guess guess)
{
    struct asked plain = *asked;
    struct population sorted;
    struct interval found = {0, 1};
    u128 sum_ns = 0;
    plain.correction = (struct choice){0};
    samples_true(r, &plain, &sorted);
    for (size_t i = 0; i < sorted.count; i++)
        sum_ns += sorted.items[i].ns;
    if (sorted.count > 0 && guess == MEAN_TIME)
        found = (struct interval){sum_ns, sorted.count};
    else if (sorted.count > 0)
        found.num = guess == SHORTEST_TIME  ? sorted.items[0].ns
                    : guess == UPPER_MEDIAN ? sorted.items[sorted.count / 2].ns
                                            : sorted.items[(sorted.count - 1) / 2].ns;
    samples_free(&sorted);
    return found;
}

static struct interval guessed(const struct requests *r, const struct asked *asked,
                               enum guess guess)
{
    ns_t first_send_ns, first_answer_ns, first_due_ns;
    size_t n = r->count, gaps = n > 1 ? n - 1 : 1;
    uint64_t connections =
        asked->connections > 0 && asked->connections != UNLIMITED ? asked->connections : 1;
    ns_t sends_ns = spread_ns(r->sent, n, &first_send_ns);
    ns_t answers_ns = spread_ns(r->finished, n, &first_answer_ns);
    ns_t due_ns = spread_ns(r->due, n, &first_due_ns);
    ns_t run_ns = first_answer_ns + answers_ns - first_send_ns;
    switch (guess) {
    case RUN_PER_ANSWER: return (struct interval){run_ns, n > connections ? n / connections : 1};
    case RUN_OVER_ANSWERS: return (struct interval){run_ns, n};
    case BETWEEN_ANSWERS: return (struct interval){answers_ns, gaps};
    case BETWEEN_DUE: return (struct interval){due_ns, gaps};
    case WHOLE_RUN: return (struct interval){first_answer_ns + answers_ns, n};
    case BETWEEN_SENDS: return (struct interval){sends_ns, gaps};
    case RUN_TIMES_CONNECTIONS: return (struct interval){(u128)run_ns * connections, n};
    case MEAN_TIME:
    case MEDIAN_TIME:
    case UPPER_MEDIAN:
    case SHORTEST_TIME: return time_of(r, asked, guess);
    case GUESSES: break;
    }
    BUG("a guess outside its enum");
}

/* parameter = guess, cut to whole ns; GUESSES more: the fraction is kept. */
static uint64_t finds(const struct step *step)
{
    return step->asked->correction.type != NULL && step->requests->count > 0;
}

static void asks(const struct step *step, struct asked *asked)
{
    if (!finds(step))
        return;
    struct interval e = guessed(step->requests, asked, (enum guess)(step->parameter % GUESSES));
    asked->interval_ns = (ns_t)(e.num / e.den);
    if (step->parameter >= GUESSES)
        asked->correction = (struct choice){0};
}

static void fill(struct population *out, struct sample sample, struct interval e)
{
    u128 scaled = (u128)sample.ns * e.den;
    samples_add(out, sample);
    sample.added = true;
    for (u128 below = e.num; e.num > 0 && scaled >= below + e.num; below += e.num) {
        sample.ns = (ns_t)((scaled - below) / e.den);
        if (!samples_add(out, sample))
            return;
    }
}

static void samples(const struct step *step, struct population *s)
{
    if (step->parameter < GUESSES || step->found == 0)
        return;
    struct population all = {0};
    struct interval e =
        guessed(step->requests, step->asked, (enum guess)(step->parameter % GUESSES));
    for (size_t i = 0; i < s->count; i++)
        fill(&all, s->items[i], e);
    samples_take(s, &all);
}

static char *tells(uint64_t parameter)
{
    static const char *const words[GUESSES] = {
        "the run over the answers of a connection",
        "the run over all answers",
        "the mean gap between answers",
        "the mean gap between due instants",
        "the mean time",
        "the median time",
        "the median time",
        "the shortest time",
        "the last answer over all answers",
        "the mean gap between sends",
        "the run times the connections over all answers",
    };
    return must_copy(words[parameter % GUESSES]);
}

const struct fault_type fault_interval_guessed = {
    .is = {"interval-guessed", "takes the expected interval from the data", NULL, 0, 0, NULL},
    .item = "S0-14, S2-10",
    .does = {.finds = finds, .asks = asks, .samples = samples},
    .parameter_count = 2 * GUESSES,
    .slack_ns = 1,
    .tells = tells,
};
