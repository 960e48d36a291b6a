/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Up to k copies of a request on unlimited workers: the first answer counts. */
#include <math.h>
#include <stdio.h>

#include "models/laws/domain.h"
#include "models/laws/mechanisms.h"
#include "models/laws/unqueued.h"
#include "models/policies/resend.h"

/* A copy that is not sent, because the answer is there, could not have come before it: so all k
   count as sent.  Answered at the instant a copy would leave is answered. */
static double tail(const struct law_distribution *d, double x_ns)
{
    struct unqueued u = unqueued_of(d);
    double product = 1.0;
    if (u.after_ns == 0)
        return pow(unqueued_service_tail(&u, x_ns), (double)u.count);
    for (uint64_t j = 0; j < u.count && product > 0.0; j++) {
        double age_ns = x_ns - (double)j * (double)u.after_ns;
        if (age_ns < 0.0)
            break;
        product *= unqueued_service_tail(&u, age_ns);
    }
    return product;
}

/* Copy j is sent when none before it is answered j after_ns after the first left; the services are
   whole ns. */
static double sent_share(const struct unqueued *u, uint64_t j)
{
    double share = 1.0;
    for (uint64_t i = 0; i < j && share > 0.0 && u->after_ns > 0; i++)
        share *= unqueued_service_tail(u, (double)(j - i) * (double)u->after_ns + 0.5);
    return share;
}

static void note_load(const struct unqueued *u, char note[LAW_NOTE_SIZE])
{
    double copies = 1.0;
    for (uint64_t j = 1; j < u->count; j++)
        copies += sent_share(u, j);
    int length = snprintf(note, LAW_NOTE_SIZE,
                          "%.9g copies a request: the second is sent with probability %.9g", copies,
                          sent_share(u, 1));
    if (u->count > 2)
        length +=
            snprintf(note + length, LAW_NOTE_SIZE - (size_t)length, ", the last of %llu with %.9g",
                     (unsigned long long)u->count, sent_share(u, u->count - 1));
    snprintf(note + length, LAW_NOTE_SIZE - (size_t)length, ".");
}

static bool holds(const struct law_question *q, struct law_distribution *out,
                  struct start_law *start, char why[LAW_WHY_SIZE])
{
    struct unqueued u;
    if (q->load->resend.type == NULL)
        return law_refuses(why, LAW_ELSEWHERE "requests sent in several copies.");
    if (q->load->fan_out > 1)
        return law_refuses(why, "Parts that are sent again have no law here.");
    if (q->server->workers != UNLIMITED)
        return law_refuses(why, LAW_ELSEWHERE "copies on unlimited workers, where the extra ones "
                                              "keep nobody waiting.");
    if (!unqueued_question(q, &u, why))
        return false;
    const struct resend *resend = q->load->resend.params;
    u.count = resend->copies;
    /* Tied copies leave together, and none of them ever waits to be taken back. */
    u.after_ns = (mechanisms_of(q) & KNOWS(TIED)) != 0 ? 0 : resend->after_ns;
    *out = (struct law_distribution){
        .tail = tail, .tail_from = unqueued_tail_from, .inflation = unqueued_inflation};
    unqueued_keep(out, u);
    out->mean_ns = unqueued_mean_ns(out);
    note_load(&u, out->note);
    *start = (struct start_law){.state = STATE_ANY};
    return true;
}

const struct law_type law_copies = {
    .is = {.name = "copies",
           .says = "up to k copies of a request, nothing waits: the first answer"},
    .formula = "P(V > x) = product over j < k with j d <= x of G(x - j d); copy j is sent with "
               "probability product over i < j of G((j - i) d)",
    .symbols = "G the tail of the service time, x in ns, k the copies in all, d the time between "
               "two of them in ns (0: all at once)",
    .domain =
        "retry, hedge or tied on unlimited workers, any load, from the send to the answer; no "
        "stalls, no timeout, no cut, no fan-out; the copies' services are independent",
    .source = "the minimum of independent variables; J. Dean, L. Barroso, The Tail at Scale (2013)",
    .check = "5 ms or (3 %) 100 ms, a second copy after 12 ms: 5, 17, 100 ms with probabilities "
             "0.97, 0.0291, 0.0009, by listing the four cases; 1.03 copies a request",
    .knows = KNOWS(TIED),
    .distribution = holds,
};
