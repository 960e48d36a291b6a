/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Laws that are kept, so that a run asks each question once. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "models/laws/memo.h"
#include "tests/random_question.h"

#define MS NS_PER_MS

static void same_law(const struct law *a, const struct law *b)
{
    assert_int_equal(a->shape, b->shape);
    assert_ptr_equal(a->type, b->type);
    assert_string_equal(a->why, b->why);
    if (a->shape == LAW_RANDOM)
        for (double x_ns = 0.5; x_ns < 1e9; x_ns *= 3.0)
            assert_true(a->distribution.tail(&a->distribution, x_ns) ==
                        b->distribution.tail(&b->distribution, x_ns));
    if (a->shape == LAW_EXACT)
        assert_true(multiset_total(&a->values, (struct correction_rule){1, 0, 1}) ==
                    multiset_total(&b->values, (struct correction_rule){1, 0, 1}));
}

/* Asks the memo and law_find: the same answer.  True where it had to compute it. */
static bool asked_anew(struct law_memo *memo, const struct law_question *q)
{
    size_t before = memo->count;
    struct law kept, found;
    law_memo_find(memo, q, &kept);
    law_find(q, &found);
    same_law(&kept, &found);
    law_free(&kept);
    law_free(&found);
    return memo->count > before;
}

static void a_question_is_computed_once_and_answered_as_often_as_it_is_asked(void **state)
{
    struct law_memo memo = {0};
    struct asked a = {0};
    (void)state;
    serve_exponential(&a, 5 * MS);
    offer_open(&a, &arrivals_poisson, 7 * MS);
    assert_true(asked_anew(&memo, &a.q));
    for (int i = 0; i < 5; i++)
        assert_false(asked_anew(&memo, &a.q));
    /* The same load once more, elsewhere and under another name. */
    struct open_load open = a.open;
    struct load_plan load = a.load;
    char name[] = "other";
    load.name = name;
    load.kind.params = &open;
    struct law_question q = a.q;
    q.load = &load;
    assert_false(asked_anew(&memo, &q));
    law_memo_free(&memo);
}

static void a_question_that_differs_in_anything_is_another(void **state)
{
    struct law_memo memo = {0};
    struct asked a = {0};
    (void)state;
    serve_exponential(&a, 5 * MS);
    offer_open(&a, &arrivals_poisson, 7 * MS);
    assert_true(asked_anew(&memo, &a.q));
    a.open.every_ns = 8 * MS;
    assert_true(asked_anew(&memo, &a.q));
    a.q.from = INSTANT_SENT;
    assert_true(asked_anew(&memo, &a.q));
    a.q.to = INSTANT_STARTED;
    assert_true(asked_anew(&memo, &a.q));
    a.q.warmup_ns = MS;
    assert_true(asked_anew(&memo, &a.q));
    a.q.failures = FAILURES_END;
    assert_true(asked_anew(&memo, &a.q));
    a.q.part = PART_QUEUE;
    assert_true(asked_anew(&memo, &a.q));
    a.q.merge = MERGE_AVERAGE;
    assert_true(asked_anew(&memo, &a.q));
    a.load.timeout_ns = 20 * MS;
    assert_true(asked_anew(&memo, &a.q));
    a.load.overhead_ns = MS;
    assert_true(asked_anew(&memo, &a.q));
    a.load.fan_out = 2;
    assert_true(asked_anew(&memo, &a.q));
    a.load.generator = (struct generator){MS, 1};
    assert_true(asked_anew(&memo, &a.q));
    a.load.generator.threads = 2;
    assert_true(asked_anew(&memo, &a.q));
    struct run_plan run = a.run;
    a.q.run = &run;
    assert_true(asked_anew(&memo, &a.q));
    assert_false(asked_anew(&memo, &a.q));
    law_memo_free(&memo);
}

static void what_was_found_outlives_the_memo_and_every_other_owner(void **state)
{
    struct law_memo memo = {0};
    struct asked a = {0};
    struct law first, second, alone;
    (void)state;
    serve_constant(&a, 5 * MS); /* M/D/1 has a table */
    offer_open(&a, &arrivals_poisson, 7 * MS);
    law_memo_find(&memo, &a.q, &first);
    law_memo_find(&memo, &a.q, &second);
    law_find(&a.q, &alone);
    law_memo_free(&memo);
    law_free(&first);
    same_law(&second, &alone);
    law_free(&second);
    law_free(&alone);
}

static void an_exact_law_is_its_owners_to_change(void **state)
{
    struct law_memo memo = {0};
    struct asked a = {0};
    struct law first, second;
    (void)state;
    serve_constant(&a, 5 * MS);
    offer_closed(&a, 1);
    a.run.requests = 10;
    law_memo_find(&memo, &a.q, &first);
    assert_int_equal(first.shape, LAW_EXACT);
    multiset_repeat(&first.values, 3);
    law_memo_find(&memo, &a.q, &second);
    assert_int_equal(multiset_total(&second.values, (struct correction_rule){1, 0, 1}), 10);
    law_free(&first);
    law_free(&second);
    law_memo_free(&memo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_question_is_computed_once_and_answered_as_often_as_it_is_asked),
        cmocka_unit_test(a_question_that_differs_in_anything_is_another),
        cmocka_unit_test(what_was_found_outlives_the_memo_and_every_other_owner),
        cmocka_unit_test(an_exact_law_is_its_owners_to_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
