/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "models/base/random.h"
#include "sim/columns.h"
#include "tests/claim.h"

static const struct row_kernels *const kernels_of[VECTOR_COUNT] = {
    &row_kernels_plain, &row_kernels_avx2, &row_kernels_avx512};

/* Due in order, a few ns or seconds apart; sent and finished later, sometimes at once. */
struct made {
    ns_t due_ns[BATCH_ROWS], sent_ns[BATCH_ROWS], finished_ns[BATCH_ROWS];
    struct batch batch;
};

static uint64_t word(uint64_t scene, uint64_t i)
{
    return stream_word(stream_open(scene, 0, 0, PURPOSE_SERVICE), i);
}

static void make(struct made *m, uint64_t scene)
{
    static const size_t rows[] = {1, 7, 256, 257, 700, BATCH_ROWS};
    unsigned apart = (unsigned)(40 + word(scene, 1) % 24),
             late = (unsigned)(3 + word(scene, 2) % 60);
    ns_t due_ns = word(scene, 3) >> 30;
    size_t count = rows[scene % 6];
    for (size_t i = 0; i < count; i++) {
        bool at_once = scene % 3 == 0 && i / 256 % 2 == 0;
        m->due_ns[i] = due_ns += word(scene, 10 + 3 * i) >> apart;
        m->sent_ns[i] = due_ns + (at_once ? 5 : word(scene, 11 + 3 * i) >> late);
        m->finished_ns[i] = m->sent_ns[i] + (word(scene, 12 + 3 * i) >> late);
    }
    m->batch = (struct batch){.count = count,
                              .answered = true,
                              .in_order = true,
                              .due = m->due_ns,
                              .sent = m->sent_ns,
                              .finished = m->finished_ns};
}

static struct span span_by_hand(const ns_t *values_ns, size_t count)
{
    struct span span = SPAN_NONE;
    for (size_t i = 0; i < count; i++) {
        span.least_ns = values_ns[i] < span.least_ns ? values_ns[i] : span.least_ns;
        span.greatest_ns = values_ns[i] > span.greatest_ns ? values_ns[i] : span.greatest_ns;
        span.sum_ns += values_ns[i];
    }
    return span;
}

static void assert_span(struct span span, const ns_t *values_ns, size_t count)
{
    struct span own = span_by_hand(values_ns, count);
    assert_int_equal(span.least_ns, own.least_ns);
    assert_int_equal(span.greatest_ns, own.greatest_ns);
    assert_int_equal(span.sum_ns, own.sum_ns);
}

static void assert_column(const struct column *c, const ns_t *to_ns, const ns_t *from_ns,
                          size_t count)
{
    assert_int_equal(c->count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(c->values_ns[i], to_ns[i] - from_ns[i]);
    assert_span(c->all, c->values_ns, count);
    for (size_t at = 0; at < count; at += SPAN_ROWS)
        assert_span(c->blocks[at / SPAN_ROWS], c->values_ns + at,
                    count - at < SPAN_ROWS ? count - at : SPAN_ROWS);
}

/* Asked for in any order and again, over many batches. */
static void each_pair_is_its_own_difference(void **state)
{
    (void)state;
    struct made m;
    struct columns columns;
    for (uint64_t scene = 0; scene < 300; scene++) {
        make(&m, scene);
        const ns_t *of[] = {m.due_ns, m.sent_ns, m.finished_ns};
        columns_begin(&columns, &m.batch);
        for (uint64_t i = 0; i < 8; i++) {
            size_t from = word(scene, i) % 3, to = from + word(scene, 100 + i) % (3 - from);
            assert_column(columns_between(&columns, of[to], of[from]), of[to], of[from],
                          m.batch.count);
        }
        assert_in_range(columns.kept, 1, 6);
    }
}

static void kernels_of_every_width_find_the_same(void **state)
{
    (void)state;
    struct made m;
    for (uint64_t scene = 0; scene < 300; scene++) {
        make(&m, scene);
        size_t count = m.batch.count;
        for (size_t level = 0; level <= (size_t)vector_level(); level++) {
            ns_t values_ns[BATCH_ROWS];
            struct column c = {.count = count, .values_ns = values_ns};
            kernels_of[level]->differences(m.finished_ns, m.due_ns, count, values_ns, c.blocks);
            c.all = span_by_hand(values_ns, count);
            assert_column(&c, m.finished_ns, m.due_ns, count);
            memset(c.blocks, 0, sizeof c.blocks);
            kernels_of[level]->spans(values_ns, count, c.blocks);
            assert_column(&c, m.finished_ns, m.due_ns, count);
            assert_int_equal(kernels_of[level]->sum(values_ns, count), c.all.sum_ns);
            ns_t limit_ns = values_ns[word(scene, 7002) % count] + word(scene, 7003) % 2;
            uint64_t above = 0;
            for (size_t i = 0; i < count; i++)
                above += values_ns[i] > limit_ns;
            assert_int_equal(kernels_of[level]->above(values_ns, count, limit_ns), above);
            ns_t at_ns = m.sent_ns[word(scene, 7000) % count] + word(scene, 7001) % 2;
            uint64_t sum_ns, found = 0, own_ns = 0;
            for (size_t i = 0; i < count; i++) {
                found += m.sent_ns[i] < at_ns;
                own_ns += m.sent_ns[i] < at_ns ? values_ns[i] : 0;
            }
            assert_int_equal(kernels_of[level]->below(m.sent_ns, values_ns, count, at_ns, &sum_ns),
                             found);
            assert_int_equal(sum_ns, own_ns);
        }
    }
}

static void what_is_asked_of_a_column_is_so_of_its_values(void **state)
{
    (void)state;
    struct made m;
    struct columns columns;
    for (uint64_t scene = 0; scene < 600; scene++) {
        make(&m, scene);
        columns_begin(&columns, &m.batch);
        const struct column *c = columns_between(&columns, m.finished_ns, m.due_ns);
        size_t first = word(scene, 5000) % c->count;
        size_t count = 1 + word(scene, 5001) % (c->count - first);
        first = scene % 5 == 0 ? 0 : first;
        count = scene % 5 == 0 ? c->count : count;
        ns_t low_ns = c->values_ns[word(scene, 5002) % c->count] + word(scene, 5003) % 3 - 1;
        ns_t high_ns = low_ns + (word(scene, 5004) >> (word(scene, 5005) % 62 + 2));
        low_ns = low_ns > NS_LIMIT ? 0 : low_ns;
        high_ns = high_ns < NS_LIMIT ? high_ns : NS_LIMIT - 1;
        uint64_t above = 0, within = 0, found = 0;
        u128 sum_ns = 0;
        for (size_t i = 0; i < c->count; i++) {
            bool part = i >= first && i < first + count;
            within += c->values_ns[i] >= low_ns && c->values_ns[i] <= high_ns;
            above += part && c->values_ns[i] > low_ns;
            sum_ns += part ? c->values_ns[i] : 0;
        }
        assert_int_equal(column_above(c, first, count, low_ns), above);
        for (size_t done = 0; done < c->count;) {
            struct piece piece = column_piece(c, done);
            found += piece_within(&piece, low_ns, high_ns);
            done += piece.count;
        }
        assert_int_equal(found, within);
        assert_true(column_sum_ns(c, first, count) == sum_ns);
    }
}

static const size_t ends[] = {0, 1, 2, 255, 256, 257, 300, 511, 512, 513, 768, 769, BATCH_ROWS};
#define ENDS (sizeof ends / sizeof ends[0])

/* How many parts have another sum than their values. */
static size_t wrong_sums(const struct column *c)
{
    size_t wrong = 0;
    for (size_t a = 0; a < ENDS; a++)
        for (size_t b = a; b <= ENDS; b++) {
            size_t first = ends[a], end = b < ENDS ? ends[b] : c->count;
            u128 sum_ns = 0;
            for (size_t i = first; i < end && end <= c->count; i++)
                sum_ns += c->values_ns[i];
            if (first <= end && end <= c->count)
                wrong += column_sum_ns(c, first, end - first) != sum_ns;
        }
    return wrong;
}

/* Within blocks, over several, and of whole ones; of values whose sum is below 2^64 and beyond. */
static void the_sum_of_any_part_is_that_of_its_values(void **state)
{
    (void)state;
    for (uint64_t scene = 0; scene < 400; scene++) {
        ns_t values_ns[BATCH_ROWS];
        size_t count = scene % 5 == 0 ? ends[scene / 5 % ENDS] : word(scene, 1) % (BATCH_ROWS + 1);
        unsigned bits = scene % 4 == 0 ? 62 : 20 + (unsigned)(scene % 4) * 11;
        for (size_t i = 0; i < count; i++) {
            ns_t large_ns = (SPAN_SUM_BELOW << scene / 7 % 5) - 1 - (i & scene) % 2;
            values_ns[i] = scene % 7 == 0 && i != 9 ? large_ns : word(scene, 2 + i) >> (64 - bits);
        }
        if (scene % 4 == 1 && count > 0)
            values_ns[word(scene, 5000) % count] = NS_LIMIT - 1;
        struct column column = column_of(values_ns, count);
        assert_int_equal(wrong_sums(&column), 0);
    }
}

static void canary_a_block_whose_sum_is_off_by_one_is_seen(void **state)
{
    (void)state;
    ns_t values_ns[BATCH_ROWS];
    for (size_t i = 0; i < BATCH_ROWS; i++)
        values_ns[i] = word(1, i) >> 30;
    for (size_t block = 0; block < SPANS_OF(BATCH_ROWS); block++) {
        struct column column = column_of(values_ns, BATCH_ROWS);
        column.blocks[block].sum_ns++;
        assert_true(wrong_sums(&column) > 0);
    }
}

static void windows_hold_the_rows_that_are_due_in_them(void **state)
{
    (void)state;
    struct made m;
    struct columns columns;
    for (uint64_t scene = 0; scene < 600; scene++) {
        make(&m, scene);
        columns_begin(&columns, &m.batch);
        for (uint64_t k = 0; k < 3; k++) {
            ns_t width_ns = 1 + (word(scene, 6000 + k) >> (10 + word(scene, 6010 + k) % 50));
            const struct due_windows *w = columns_windows(&columns, width_ns);
            size_t i = 0;
            for (size_t n = 0; n < w->count; n++)
                for (assert_true(w->of[n].end > i); i < w->of[n].end; i++)
                    assert_int_equal(m.due_ns[i] / width_ns, w->of[n].window);
            assert_int_equal(i, m.batch.count);
            assert_ptr_equal(columns_windows(&columns, width_ns), w);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pair_is_its_own_difference),
        cmocka_unit_test(kernels_of_every_width_find_the_same),
        cmocka_unit_test(what_is_asked_of_a_column_is_so_of_its_values),
        cmocka_unit_test(the_sum_of_any_part_is_that_of_its_values),
        cmocka_unit_test(canary_a_block_whose_sum_is_off_by_one_is_seen),
        cmocka_unit_test(windows_hold_the_rows_that_are_due_in_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
