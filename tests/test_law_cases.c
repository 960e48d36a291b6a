/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Worked cases of constant service, and what the exact laws cost. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <time.h>

#include "models/laws/law.h"
#include "models/loads/load.h"
#include "models/policies/late.h"
#include "models/stalls/stall.h"

extern const struct law_type law_schedule, law_closed_constant, law_paced_skip;

#define US NS_PER_US
#define MS NS_PER_MS
#define S  NS_PER_S

enum kind { OPEN, PACED, SKIP, CLOSED };

struct worked {
    const char *name;
    enum kind kind;
    ns_t interval_ns; /* of the schedule; think time of a closed loop */
    uint64_t many;    /* window, connections or clients */
    uint64_t workers;
    ns_t service_ns;
    ns_t first_ns, every_ns, last_ns; /* one suspend stall */
    uint64_t requests;
    enum instant from, to;
    ns_t corrected_ns; /* hdr correction; 0: none */
    ns_t p50_ns, p90_ns, p99_ns, p999_ns, max_ns;
    uint64_t count;
    ns_t above_ns;
    uint64_t above; /* values above it */
};

#define DUE INSTANT_DUE, INSTANT_FINISHED
#define SENT INSTANT_SENT, INSTANT_FINISHED
#define LAG INSTANT_DUE, INSTANT_SENT
#define STALL_200MS 500 * MS, S, 200 * MS

static const struct worked worked[] = {
    {"the reference stalls, closed loop from send", PACED, 200 * US, 1, 1, 100 * US, STALL_200MS,
     100000, SENT, 0, 100000, 100000, 100000, 100000, 200100000, 100000, MS, 20},
    {"the reference stalls, open loop from due", OPEN, 200 * US, UNLIMITED, 1, 100 * US,
     STALL_200MS, 100000, DUE, 0, 100000, 150100000, 195100000, 199600000, 200100000, 100000, MS,
     39820},
    {"the reference stalls, corrected", PACED, 200 * US, 1, 1, 100 * US, STALL_200MS, 100000, SENT,
     200 * US, 100000, 80300000, 188100000, 198900000, 200100000, 119980, MS, 19920},
    {"the reference stalls, send lag", PACED, 200 * US, 1, 1, 100 * US, STALL_200MS, 100000, LAG, 0,
     0, 149900000, 194900000, 199400000, 199900000, 100000, MS, 39780},
    {"the reference stalls, missed slots dropped", SKIP, 200 * US, 1, 1, 100 * US, STALL_200MS,
     100000, SENT, 0, 100000, 100000, 100000, 100000, 200100000, 80000, MS, 20},
    {"a stall begins in mid-service", PACED, 200 * US, 1, 1, 100 * US, 500050000, S, 200 * MS,
     100000, SENT, 200 * US, 100000, 80300000, 188100000, 198900000, 200100000, 119980, MS, 19920},
    {"a stall begins between a completion and the next due instant", OPEN, 200 * US, UNLIMITED, 1,
     100 * US, 500150000, S, 200 * MS, 100000, DUE, 0, 100000, 150050000, 195050000, 199550000,
     200050000, 100000, MS, 39820},
    {"a stall begins exactly at a completion", PACED, 200 * US, 1, 1, 100 * US, 500100000, S,
     200 * MS, 100000, SENT, 200 * US, 100000, 80200000, 188000000, 198800000, 200000000, 119980,
     MS, 19900},
    {"service does not divide the interval", OPEN, 200 * US, UNLIMITED, 1, 130 * US, STALL_200MS,
     100000, DUE, 0, 25130000, 165130000, 196630000, 199780000, 200130000, 100000, MS, 56555},
    {"service does not divide the interval, corrected", PACED, 200 * US, 1, 1, 130 * US,
     STALL_200MS, 100000, SENT, 200 * US, 130000, 80330000, 188130000, 198930000, 200130000, 119980,
     MS, 19920},
    {"the first stall is later than a period", OPEN, 200 * US, UNLIMITED, 1, 100 * US, 2500 * MS, S,
     200 * MS, 100000, DUE, 0, 100000, 144600000, 194600000, 199600000, 200100000, 100000, MS,
     35838},
    {"the last backlog outlives the schedule", OPEN, 200 * US, UNLIMITED, 1, 100 * US, 900 * MS, S,
     200 * MS, 100000, DUE, 0, 100000, 150100000, 195100000, 199600000, 200100000, 100000, MS,
     38329},
    {"stalls of no length", OPEN, 200 * US, UNLIMITED, 1, 100 * US, 50 * MS, 100 * MS, 0, 5000, DUE,
     0, 100000, 100000, 100000, 100000, 100000, 5000, MS, 0},
    {"a backlog that survives into every stall", OPEN, 110 * US, UNLIMITED, 1, 100 * US,
     STALL_200MS, 100000, DUE, 0, 774650000, 1374650000, 1510100000, 1519100000, 1520100000, 100000,
     MS, 95455},
    {"full load: one stall's delay stays for ever", OPEN, 100 * US, UNLIMITED, 1, 100 * US,
     500 * MS, 10 * S, 200 * MS, 20000, DUE, 0, 200100000, 200100000, 200100000, 200100000,
     200100000, 20000, MS, 15000},
    {"beyond capacity, from due", OPEN, 90 * US, UNLIMITED, 1, 100 * US, 0, 0, 0, 10000, DUE, 0,
     50090000, 90090000, 99090000, 99990000, 100090000, 10000, 50 * MS, 5009},
    {"beyond capacity, from send", PACED, 90 * US, 1, 1, 100 * US, 0, 0, 0, 10000, SENT, 0, 100000,
     100000, 100000, 100000, 100000, 10000, 50 * MS, 0},
    {"a correction interval longer than the stall", PACED, 200 * US, 1, 1, 100 * US, STALL_200MS,
     10000, SENT, S, 100000, 100000, 100000, 100000, 200100000, 10000, MS, 2},
    {"one request that meets a stall", OPEN, 200 * US, UNLIMITED, 1, 100 * US, 50 * US, S, MS, 1,
     DUE, 0, 1100000, 1100000, 1100000, 1100000, 1100000, 1, MS, 1},
    {"no service time", OPEN, MS, UNLIMITED, 1, 0, 0, 10 * S, 100 * MS, 4, DUE, 0, 98 * MS,
     100 * MS, 100 * MS, 100 * MS, 100 * MS, 4, 99 * MS, 1},
    {"four workers", OPEN, 60 * US, UNLIMITED, 4, 200 * US, 123456789, 500 * MS, 50 * MS, 20000,
     DUE, 0, 6600000, 43560000, 49560000, 50160000, 50200000, 20000, MS, 11119},
    {"sixteen clients", CLOSED, 0, 16, 1, 5 * MS, 0, 0, 0, 4000, SENT, 0, 80 * MS, 80 * MS, 80 * MS,
     80 * MS, 80 * MS, 4000, 79 * MS, 3985},
    {"a lock with eight clients", CLOSED, 0, 8, 1, 4400 * US, 5 * S, 5500 * MS, 500 * MS, 6000,
     SENT, 0, 35200000, 35200000, 35200000, 535200000, 535200000, 6000, 100 * MS, 40},
    {"128 clients and one pause", CLOSED, 0, 128, 1, 17500, S, 1000 * S, 23100 * US, 100000, SENT,
     0, 2240000, 2240000, 2240000, 25340000, 25340000, 100000, 3 * MS, 128},
    {"ten clients, four workers", CLOSED, 0, 10, 4, MS, 0, 0, 0, 4000, SENT, 0, 2 * MS, 3 * MS,
     3 * MS, 3 * MS, 3 * MS, 4000, 2 * MS, 1996},
    {"five clients that think", CLOSED, 100 * MS, 5, 1, 10 * MS, 0, 0, 0, 500, SENT, 0, 10 * MS,
     10 * MS, 10 * MS, 50 * MS, 50 * MS, 500, 10 * MS, 4},
    {"a window of one, send lag", OPEN, 500 * US, 1, UNLIMITED, 1800 * US, 0, 0, 0, 20000, LAG, 0,
     12998700000, 23398700000, 25738700000, 25972700000, 25998700000, 20000, 100 * MS, 19923},
    {"a window of one, from send", OPEN, 500 * US, 1, UNLIMITED, 1800 * US, 0, 0, 0, 20000, SENT, 0,
     1800000, 1800000, 1800000, 1800000, 1800000, 20000, 100 * MS, 0},
    {"a window of four is enough", OPEN, 500 * US, 4, UNLIMITED, 1800 * US, 0, 0, 0, 20000, LAG, 0,
     0, 0, 0, 0, 0, 20000, 100 * MS, 0},
    {"a window of four before a lock, from send", OPEN, 10 * MS, 4, 1, 5 * MS, 5 * S, 5500 * MS,
     500 * MS, 3000, SENT, 0, 5 * MS, 20 * MS, 20 * MS, 505 * MS, 505 * MS, 3000, 100 * MS, 20},
    {"a window of four before a lock, from due", OPEN, 10 * MS, 4, 1, 5 * MS, 5 * S, 5500 * MS,
     500 * MS, 3000, DUE, 0, 5 * MS, 205 * MS, 475 * MS, 505 * MS, 505 * MS, 3000, 100 * MS, 405},
};

/* A question with all it points to. */
struct asked {
    struct server server;
    struct stall stall;
    struct constant service, think;
    struct load_plan load;
    struct open_load open;
    struct closed_load closed;
    struct paced_load paced;
    struct catch_up catch_up;
    struct run_plan run;
    struct law_question q;
    const struct law_type *law;
};

static struct stall suspended(ns_t first_ns, ns_t every_ns, ns_t last_ns)
{
    return (struct stall){
        .mode = &stall_suspend, .first_ns = first_ns, .every_ns = every_ns, .last_ns = last_ns};
}

static void ask(struct asked *a, const struct worked *w)
{
    memset(a, 0, sizeof *a);
    a->service.value_ns = w->service_ns;
    a->server = (struct server){.service = {&distribution_constant.is, &a->service},
                                .workers = w->workers,
                                .queue_limit = UNLIMITED,
                                .stalls = &a->stall,
                                .stall_count = 1,
                                .replicas = 1};
    a->load.fan_out = 1;
    a->stall = suspended(w->first_ns, w->every_ns, w->last_ns);
    a->run.requests = w->requests;
    a->open = (struct open_load){{0, 1}, w->interval_ns, {&arrivals_even.is, NULL}, w->many};
    a->paced = (struct paced_load){{0, 1}, w->interval_ns, w->many, {NULL, NULL}};
    a->paced.late = (struct choice){&late_catch_up.is, &a->catch_up};
    a->think.value_ns = w->interval_ns;
    a->closed = (struct closed_load){w->many, {&distribution_constant.is, &a->think}, 0};
    a->law = &law_schedule;
    switch (w->kind) {
    case OPEN:
        a->load.kind = (struct choice){&load_open.is, &a->open};
        break;
    case SKIP:
        a->paced.late = (struct choice){&late_skip.is, NULL};
        a->law = &law_paced_skip;
        a->load.kind = (struct choice){&load_paced.is, &a->paced};
        break;
    case PACED:
        a->load.kind = (struct choice){&load_paced.is, &a->paced};
        break;
    case CLOSED:
        a->law = &law_closed_constant;
        a->load.kind = (struct choice){&load_closed.is, &a->closed};
        break;
    }
    a->q = (struct law_question){
        .server = &a->server, .load = &a->load, .run = &a->run, .from = w->from, .to = w->to};
}

/* HdrHistogram's rank in C: floor(p n + 1/2), p in thousandths. */
static u128 rank_of(uint64_t p_thousandths, uint64_t n)
{
    u128 rank = ((u128)p_thousandths * n * 2 + 1000) / 2000;
    return rank > 0 ? rank : 1;
}

static void every_worked_case_has_its_figures(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof worked / sizeof worked[0]; i++) {
        const struct worked *w = &worked[i];
        struct asked a;
        struct multiset set;
        char why[LAW_WHY_SIZE] = "";
        print_message("# %s\n", w->name);
        ask(&a, w);
        if (!a.law->exact(&a.q, &set, why))
            fail_msg("%s", why);
        struct correction_rule hdr = {1, w->corrected_ns, w->corrected_ns};
        assert_true(multiset_total(&set, hdr) == w->count);
        assert_int_equal(multiset_select(&set, hdr, rank_of(500, w->count)), w->p50_ns);
        assert_int_equal(multiset_select(&set, hdr, rank_of(900, w->count)), w->p90_ns);
        assert_int_equal(multiset_select(&set, hdr, rank_of(990, w->count)), w->p99_ns);
        assert_int_equal(multiset_select(&set, hdr, rank_of(999, w->count)), w->p999_ns);
        assert_int_equal(multiset_max(&set), w->max_ns);
        assert_true(w->count - multiset_at_most(&set, hdr, w->above_ns) == w->above);
        multiset_free(&set);
    }
}

static void the_reference_sums_are_14_s_4012_s_and_2013_998_s(void **state)
{
    (void)state;
    static const u128 sums_ns[] = {UINT64_C(14000000000), UINT64_C(4012000000000),
                                   UINT64_C(2013998000000)};
    for (size_t i = 0; i < 3; i++) {
        struct asked a;
        struct multiset set;
        char why[LAW_WHY_SIZE];
        ask(&a, &worked[i]);
        assert_true(a.law->exact(&a.q, &set, why));
        struct correction_rule hdr = {1, worked[i].corrected_ns, worked[i].corrected_ns};
        assert_true(multiset_sum(&set, hdr) == sums_ns[i]);
        multiset_free(&set);
    }
}

/* 64 clients at 4.1 ms: the mean of S, 2S .. 64S and then 64S. */
static void the_first_round_of_a_closed_loop_lowers_its_mean(void **state)
{
    (void)state;
    struct worked w = {.kind = CLOSED, .many = 64, .workers = 1, .service_ns = 4100 * US,
                       .requests = 20000, .from = INSTANT_SENT, .to = INSTANT_FINISHED};
    struct asked a;
    struct multiset set;
    char why[LAW_WHY_SIZE];
    ask(&a, &w);
    assert_true(a.law->exact(&a.q, &set, why));
    struct correction_rule raw = {1, 0, 1};
    assert_true(multiset_sum(&set, raw) == (u128)261986720 * 20000);
    multiset_free(&set);
}

/* 10^9 requests, 20 stalls: seconds allowed are for a slow machine under sanitizers. */
static void a_thousand_million_requests_with_20_stalls_cost_next_to_nothing(void **state)
{
    (void)state;
    static const struct worked big[] = {
        {"open", OPEN, 200 * US, UNLIMITED, 1, 130001, 5 * S + 7, 9999 * S, 3 * S, 1000000000, DUE,
         200 * US, 0, 0, 0, 0, 0, 0, 0, 0},
        {"catching up", PACED, 200 * US, 7, 3, 130001, 5 * S + 7, 9999 * S, 3 * S, 1000000000, SENT,
         1400 * US, 0, 0, 0, 0, 0, 0, 0, 0},
        {"skipping", SKIP, 200 * US, 7, 3, 601 * US, 5 * S + 7, 9999 * S, 3 * S, 1000000000, SENT,
         1400 * US, 0, 0, 0, 0, 0, 0, 0, 0},
        {"closed", CLOSED, 777, 128, 12, 2 * MS + 1, 5 * S + 7, 9999 * S, 3 * S, 1000000000, SENT,
         20 * MS, 0, 0, 0, 0, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof big / sizeof big[0]; i++) {
        clock_t begin = clock();
        struct asked a;
        struct multiset set;
        char why[LAW_WHY_SIZE] = "";
        ask(&a, &big[i]);
        if (!a.law->exact(&a.q, &set, why))
            fail_msg("%s", why);
        struct correction_rule hdr = {1, big[i].corrected_ns, big[i].corrected_ns};
        u128 total = multiset_total(&set, hdr);
        assert_true(total >= 500000000);
        ns_t p99_ns = multiset_select(&set, hdr, total / 100 * 99);
        assert_true(p99_ns <= multiset_max(&set));
        double took_s = (double)(clock() - begin) / CLOCKS_PER_SEC;
        print_message("# %s: %zu progressions, %.3f s\n", big[i].name, set.count, took_s);
        assert_true(set.count < 5000);
        assert_true(took_s < 2.0);
        multiset_free(&set);
    }
}

static void assert_refused(const struct asked *a, const char *sentence)
{
    struct multiset set;
    char why[LAW_WHY_SIZE] = "";
    assert_false(a->law->exact(&a->q, &set, why));
    assert_string_equal(why, sentence);
}

static void what_no_exact_law_can_say_is_refused_in_words(void **state)
{
    (void)state;
    struct asked a;
    ask(&a, &worked[1]);
    a.server.service.type = &distribution_exponential.is;
    assert_refused(&a, "The service time is not constant.");
    ask(&a, &worked[1]);
    a.server.queue_limit = 5;
    assert_refused(&a, "The queue has a limit, and the exact laws refuse nobody.");
    ask(&a, &worked[1]);
    a.run.cut_ns = S;
    assert_refused(&a, "The run is cut, and the exact laws follow every request to its end.");
    ask(&a, &worked[1]);
    a.run.start = START_STATIONARY;
    assert_refused(&a, "The exact laws start from an empty server.");
    ask(&a, &worked[1]);
    a.load.timeout_ns = 200 * MS;
    assert_refused(&a, "Some answers come after the client's timeout.");
    ask(&a, &worked[1]);
    a.open.arrivals.type = &arrivals_poisson.is;
    assert_refused(&a, "The arrivals are not even.");
    ask(&a, &worked[0]);
    a.catch_up.factor = (struct ratio){3, 2};
    assert_refused(&a, "The pace of catching up is limited, and no law here knows how long the "
                       "rest then waits.");
    ask(&a, &worked[0]);
    a.run.requests = UINT64_MAX;
    assert_refused(&a, "The run is longer than exact arithmetic reaches.");
}

/* Walks that would never end, or not soon, say so. */
static void what_would_take_for_ever_is_refused_in_words(void **state)
{
    (void)state;
    static const char *const too_long =
        "The exact law would have to walk more than 10 million steps.";
    struct asked a;
    ask(&a, &worked[21]);
    assert_ptr_equal(a.load.kind.type, &load_closed.is);
    a.service.value_ns = 0;
    a.run.requests = 0;
    a.run.duration_ns = S;
    assert_refused(&a, "With neither service nor think time the loop never gets past an instant.");
    ask(&a, &worked[1]);
    a.stall = suspended(10, 10, 3);
    a.run.requests = 1000000000;
    assert_refused(&a, too_long);
    /* Two stalls that take turns leave the server no time at all. */
    ask(&a, &worked[1]);
    struct stall turns[] = {suspended(0, 100, 50), suspended(50, 100, 50)};
    a.server.stalls = turns;
    a.server.stall_count = 2;
    assert_refused(&a, too_long);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_worked_case_has_its_figures),
        cmocka_unit_test(the_reference_sums_are_14_s_4012_s_and_2013_998_s),
        cmocka_unit_test(the_first_round_of_a_closed_loop_lowers_its_mean),
        cmocka_unit_test(what_no_exact_law_can_say_is_refused_in_words),
        cmocka_unit_test(what_would_take_for_ever_is_refused_in_words),
        cmocka_unit_test(a_thousand_million_requests_with_20_stalls_cost_next_to_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
