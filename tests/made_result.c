/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/made_result.h"

#include <math.h>
#include <string.h>

static struct figure exact(ns_t ns)
{
    return (struct figure){.kind = FIGURE_EXACT, .exact = {.ns = ns}};
}

static const ns_t values_ns[MADE_RECORDERS][MADE_PERCENTILES] = {
    {100000, 100000, 100000, 100000, 200100000},
    {100000, 150100000, 195100000, 199600000, 200100000},
    {100000, 80300000, 188100000, 198900000, 200100000},
};
static const uint64_t counts[MADE_RECORDERS] = {100000, 100000, 119980};
static const uint64_t slow[MADE_RECORDERS] = {20, 39820, 19920};
static const uint64_t sums_ns[MADE_RECORDERS] = {UINT64_C(14000000000), UINT64_C(4012000000000),
                                                 UINT64_C(2013998000000)};

static void make_plan(struct made_result *m)
{
    static const struct percentile percentiles[MADE_PERCENTILES] = {
        {{1, 2}, "50"}, {{9, 10}, "90"}, {{99, 100}, "99"}, {{999, 1000}, "99.9"}, {{1, 1}, "100"}};
    memcpy(m->percentiles, percentiles, sizeof percentiles);
    m->above = (struct threshold){1000000, "1ms"};
    m->nothing = (struct variant){.name = "nothing", .says = "nothing"};
    struct choice nothing = {&m->nothing, NULL};
    m->loads[0] = (struct load_plan){.name = "one connection", .kind = nothing};
    m->loads[1] = (struct load_plan){.name = "open", .kind = nothing};
    static char *const names[MADE_RECORDERS] = {"closed loop, from send", "open loop, from due",
                                                "closed loop, corrected"};
    for (size_t i = 0; i < MADE_RECORDERS; i++)
        m->recorders[i] = (struct recorder_plan){.name = names[i],
                                                 .load = i == 1,
                                                 .from = i == 1 ? INSTANT_DUE : INSTANT_SENT,
                                                 .to = INSTANT_FINISHED,
                                                 .store = nothing,
                                                 .rank = nothing,
                                                 .truth = NO_INDEX};
    m->expectation = (struct expectation){.subject = 1, .figure = "p99", .text = "195.1ms"};
    m->plan = (struct plan){
        .file = "made.json",
        .sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        .title = "A 200 ms stall each second, three recorders",
        .loads = m->loads,
        .load_count = 2,
        .recorders = m->recorders,
        .recorder_count = MADE_RECORDERS,
        .run = {.requests = 100000, .seed = 1},
        .report = {.percentiles = m->percentiles,
                   .percentile_count = MADE_PERCENTILES,
                   .above = &m->above,
                   .above_count = 1},
        .expectations = &m->expectation,
        .expectation_count = 1,
    };
}

static void make_recorder(struct made_result *m, size_t i)
{
    struct recorder_result *rec = &m->recorder_results[i];
    for (size_t k = 0; k < MADE_PERCENTILES; k++)
        m->cells[i][k] = (struct cell){
            .value = exact(values_ns[i][k]),
            .law = exact(values_ns[i][k]),
            .check = CHECK_EXACT,
            .holds = VERDICT_HOLDS,
            .detectable = NAN,
            .clusters = NAN,
            .p_value = NAN,
            .wander = NAN,
            .truth = exact(values_ns[1][k]),
            .ratio = (double)values_ns[i][k] / (double)values_ns[1][k],
        };
    m->above_results[i] = (struct above_result){.count = slow[i],
                                                .share = (double)slow[i] / (double)counts[i],
                                                .law_count = exact(slow[i]),
                                                .holds = VERDICT_HOLDS};
    *rec = (struct recorder_result){
        .count = counts[i],
        .added = counts[i] - 100000,
        .min = exact(100000),
        .max = exact(200100000),
        .mean = {.kind = FIGURE_REAL, .real = (double)sums_ns[i] / (double)counts[i]},
        .sum = {true, sums_ns[i]},
        .cells = m->cells[i],
        .above = &m->above_results[i],
        .law_name = "schedule",
        .truth_name = "schedule",
        .tally_check = CHECK_EXACT,
        .tally_holds = VERDICT_HOLDS,
        .law_max = exact(200100000),
        .correction_text =
            i == 2 ? "hdr, valid if sends were blocked, one at a time, every 200us" : NULL,
        .store_text = "exact",
        .rank_text = "hdr",
    };
}

struct made_result *made_result(void)
{
    struct made_result *m = must_alloc(1, sizeof *m);
    make_plan(m);
    static char *const texts[] = {"paced 5000/s, 1 connection, catch-up", "open 5000/s, even"};
    for (size_t i = 0; i < 2; i++)
        m->load_results[i] = (struct load_result){.offered_per_s = 5000,
                                                  .achieved_per_s = 5000,
                                                  .sent = 100000,
                                                  .attempts = 100000,
                                                  .answered = 100000,
                                                  .in_flight_max = i ? 1001 : 1,
                                                  .in_flight_mean = i ? 200.6 : 0.7,
                                                  .stalls = 20,
                                                  .last_answer_ns = UINT64_C(19999900000),
                                                  .has_answer = true,
                                                  .text = texts[i]};
    for (size_t i = 0; i < 2 * STAGE_COUNT; i++)
        m->load_results[i / STAGE_COUNT].utilisation[i % STAGE_COUNT] = NAN;
    for (size_t i = 0; i < MADE_RECORDERS; i++)
        make_recorder(m, i);
    m->identity = (struct identity_result){.name = "Little's law", .load = 0, .holds = true};
    m->gates[0] = (struct gate_result){"rate", 0, NO_INDEX, true, "achieved 5000 of 5000 per s"};
    m->gates[1] = (struct gate_result){"closed", 0, 0, false,
                                       "percentiles of a closed loop do not answer for a rate"};
    m->expect = (struct expect_result){&m->expectation, "195100000", true};
    m->result = (struct result){.plan = &m->plan,
                                .replications = 1,
                                .start = "empty",
                                .loads = m->load_results,
                                .recorders = m->recorder_results,
                                .identities = &m->identity,
                                .identity_count = 1,
                                .gates = m->gates,
                                .gate_count = 2,
                                .expects = &m->expect,
                                .expect_count = 1,
                                .holds = VERDICT_HOLDS};
    return m;
}
