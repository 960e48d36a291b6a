/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is known of percentiles from other people's files, against the values that made them. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "sim/formats/histogram.h"
#include "sim/formats/imported.h"

#define VALUES 400

static uint64_t next_word(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Ascending values of all sizes, some of them equal. */
static void draw(uint64_t *state, ns_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ns_t value = next_word(state) >> (24 + next_word(state) % 40);
        size_t at = i;
        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
}

static void read_text(const char *text, ns_t unit_ns, struct imported *out)
{
    struct errors errors = {0};
    bool good = imported_read("f", text, strlen(text), unit_ns, out, &errors);
    if (!good)
        print_message("# %s\n", errors.texts[0]);
    assert_true(good);
    errors_free(&errors);
}

static i128 truth_milli(const ns_t *values, size_t count, struct ratio p,
                        const struct rank_type *rank)
{
    struct rank_at at = rank->at(p, count);
    ns_t low = values[at.rank - 1], high = at.num != 0 ? values[at.rank] : low;
    struct quantity q = rank_interpolate(at, low, high);
    return (i128)q.ns * 1000 + q.thousandths;
}

static void includes(const struct known_percentile *k, i128 milli, bool whole)
{
    switch (k->known) {
    case KNOWN_NOT: return;
    case KNOWN_EXACTLY: assert_true(milli == k->low_milli); return;
    case KNOWN_WITHIN: assert_true(milli <= k->high_milli); break;
    case KNOWN_FROM_BELOW: break;
    }
    /* Where two samples are interpolated, rounding may reach an end that is none of theirs. */
    assert_true(milli > k->low_milli || (milli == k->low_milli && (k->low_in || !whole)));
}

/* Every percentile under every rule lies where the file says it does. */
static void holds_truth(const struct imported *m, const ns_t *values, size_t count)
{
    assert_true(m->count == count);
    for (uint64_t num = 0; num <= 200; num++)
        for (size_t r = 0; r < set_ranks.count; r++) {
            struct ratio p = ratio_make(num, 200);
            const struct rank_type *rank =
                (const struct rank_type *)(const void *)set_ranks.variants[r];
            struct known_percentile k = imported_percentile(m, p, rank);
            includes(&k, truth_milli(values, count, p, rank), rank->at(p, count).num == 0);
        }
}

static void a_list_gives_every_percentile_exactly(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    ns_t values[VALUES];
    char *text = NULL;
    size_t length = 0;
    draw(&state, values, VALUES);
    FILE *out = open_memstream(&text, &length);
    for (size_t i = VALUES; i-- > 0;)
        fprintf(out, "%llu\n", (unsigned long long)values[i]);
    fclose(out);
    struct imported m;
    read_text(text, 0, &m);
    assert_int_equal(m.kind, IMPORTED_LIST);
    holds_truth(&m, values, VALUES);
    for (uint64_t num = 0; num <= 200; num++) {
        struct known_percentile k = imported_percentile(&m, ratio_make(num, 200), &rank_nearest);
        assert_int_equal(k.known, KNOWN_EXACTLY);
    }
    imported_free(&m);
    free(text);
}

/* values into buckets that end at the bounds; the last one open. */
static char *as_csv(const ns_t *values, size_t count, const ns_t *bounds, size_t bound_count,
                    bool cumulative)
{
    char *text = NULL;
    size_t length = 0, at = 0, before = 0;
    FILE *out = open_memstream(&text, &length);
    fprintf(out, "upper,%s\n", cumulative ? "cumulative" : "count");
    for (size_t b = 0; b < bound_count; b++) {
        for (; at < count && values[at] <= bounds[b]; at++)
            ;
        fprintf(out, "%llu,%zu\n", (unsigned long long)bounds[b], cumulative ? at : at - before);
        before = at;
    }
    fprintf(out, "+Inf,%zu\ncount,%zu\n", cumulative ? count : count - before, count);
    fclose(out);
    return text;
}

static size_t draw_bounds(uint64_t *state, ns_t *bounds, size_t most)
{
    size_t count = 0;
    ns_t last = 0;
    for (size_t i = 0; i < most; i++) {
        last += 1 + (next_word(state) >> (28 + next_word(state) % 36));
        bounds[count++] = last;
    }
    return count;
}

static void a_histogram_says_in_which_bucket_every_percentile_lies(void **unused)
{
    (void)unused;
    uint64_t state = 2;
    for (int round = 0; round < 40; round++) {
        ns_t values[VALUES], bounds[12];
        size_t count = 1 + next_word(&state) % VALUES;
        size_t bound_count = draw_bounds(&state, bounds, 1 + next_word(&state) % 12);
        draw(&state, values, count);
        char *text = as_csv(values, count, bounds, bound_count, round % 2 == 0);
        struct imported m;
        read_text(text, 0, &m);
        holds_truth(&m, values, count);
        struct known_percentile last = imported_percentile(&m, (struct ratio){1, 1}, &rank_nearest);
        bool beyond = values[count - 1] > bounds[bound_count - 1];
        assert_int_equal(last.known, beyond ? KNOWN_FROM_BELOW : KNOWN_WITHIN);
        imported_free(&m);
        free(text);
    }
}

/* FR-41: all 0.6 in (0, 25]; what interpolation makes of it depends on p alone. */
static void a_wide_bucket_is_told_as_a_bucket_and_the_extremes_narrow_it(void **unused)
{
    (void)unused;
    struct imported m;
    read_text("upper,count\n50,0\n100,0\n200,80\n+Inf,0\n", NS_PER_MS, &m);
    struct known_percentile k = imported_percentile(&m, (struct ratio){1, 2}, &rank_nearest);
    assert_int_equal(k.known, KNOWN_WITHIN);
    assert_true(k.low_milli == (i128)100 * NS_PER_MS * 1000 && !k.low_in);
    assert_true(k.high_milli == (i128)200 * NS_PER_MS * 1000);
    imported_free(&m);
    read_text("upper,count\n0,0\n25,400\n250,0\n+Inf,0\nmin,0.6\nmax,0.6\n", NS_PER_MS, &m);
    k = imported_percentile(&m, (struct ratio){9, 10}, &rank_nearest);
    assert_int_equal(k.known, KNOWN_EXACTLY);
    assert_true(k.low_milli == (i128)600 * NS_PER_US * 1000);
    imported_free(&m);
}

/* FR-43: 3, 8, 13, 16, 19, though one of the two has no bucket above 4. */
static void unlike_histograms_merge_exactly(void **unused)
{
    (void)unused;
    struct imported a, b, all = {0};
    read_text("le,cumulative\n1,2\n2,5\n4,9\n", 0, &a);
    read_text("le,cumulative\n1,1\n2,3\n4,4\n8,7\n16,10\n", 0, &b);
    assert_true(imported_merge(&all, &a) && imported_merge(&all, &b));
    static const uint64_t wanted[] = {3, 5, 5, 3, 3};
    assert_int_equal(all.bin_count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_true(all.bins[i].count == wanted[i]);
    assert_int_equal(all.joined, 0);
    imported_free(&a);
    read_text("le,cumulative\n3,4\n+Inf,6\n", 0, &a); /* reaches over the others' bounds */
    assert_true(imported_merge(&all, &a));
    assert_true(all.count == 25 && all.joined > 0);
    struct known_percentile k = imported_percentile(&all, (struct ratio){1, 1}, &rank_nearest);
    assert_int_equal(k.known, KNOWN_FROM_BELOW);
    imported_free(&a);
    imported_free(&b);
    imported_free(&all);
}

static void merging_commutes_and_holds_the_truth_of_both(void **unused)
{
    (void)unused;
    uint64_t state = 3;
    for (int round = 0; round < 60; round++) {
        ns_t values[2 * VALUES], part[2][VALUES], bounds[10];
        struct imported one[2], ways[2] = {{0}, {0}};
        size_t counts[2], n = 0;
        for (size_t i = 0; i < 2; i++) {
            counts[i] = 1 + next_word(&state) % VALUES;
            draw(&state, part[i], counts[i]);
            size_t bound_count = draw_bounds(&state, bounds, 1 + next_word(&state) % 10);
            char *text = as_csv(part[i], counts[i], bounds, bound_count, false);
            read_text(text, 0, &one[i]);
            free(text);
        }
        for (size_t i = 0, a = 0, b = 0; i < counts[0] + counts[1]; i++) {
            bool first = b == counts[1] || (a < counts[0] && part[0][a] <= part[1][b]);
            values[n++] = first ? part[0][a++] : part[1][b++];
        }
        for (size_t i = 0; i < 2; i++) {
            assert_true(imported_merge(&ways[i], &one[i]) && imported_merge(&ways[i], &one[1 - i]));
            holds_truth(&ways[i], values, n);
        }
        assert_int_equal(ways[0].bin_count, ways[1].bin_count);
        for (size_t i = 0; i < ways[0].bin_count; i++)
            assert_true(ways[0].bins[i].low_milli == ways[1].bins[i].low_milli &&
                        ways[0].bins[i].count == ways[1].bins[i].count);
        for (size_t i = 0; i < 2; i++) {
            imported_free(&one[i]);
            imported_free(&ways[i]);
        }
    }
}

static void make_histogram(const ns_t *values, size_t count, unsigned digits, struct histogram *out)
{
    *out = (struct histogram){.length_ns = NS_PER_S};
    assert_true(hdr_layout_make(digits, 1, NS_LIMIT - 1, &out->layout));
    for (size_t i = 0, same; i < count; i += same) {
        uint32_t index = hdr_index(&out->layout, values[i]);
        for (same = 1; i + same < count && hdr_index(&out->layout, values[i + same]) == index;)
            same++;
        histogram_push(out, index, same);
    }
}

static void both_texts_of_a_histogram_hold_its_values(void **unused)
{
    (void)unused;
    uint64_t state = 4;
    for (int round = 0; round < 60; round++) {
        ns_t values[VALUES];
        size_t count = 1 + next_word(&state) % VALUES;
        unsigned digits = 1 + (unsigned)(next_word(&state) % 5);
        draw(&state, values, count);
        struct histogram histogram;
        make_histogram(values, count, digits, &histogram);
        for (int kind = 0; kind < 2; kind++) {
            char *text = NULL;
            size_t length = 0;
            FILE *out = open_memstream(&text, &length);
            if (kind == 0) {
                hgrm_write(&histogram, 1, out);
            } else {
                hlog_write_head("a test", out);
                hlog_write(&histogram, out);
            }
            fclose(out);
            struct imported m;
            read_text(text, 1, &m);
            assert_int_equal(m.kind, kind == 0 ? IMPORTED_HGRM : IMPORTED_HLOG);
            assert_int_equal(m.digits, digits);
            holds_truth(&m, values, count);
            struct imported twice = {0};
            ns_t both[2 * VALUES];
            for (size_t i = 0; i < 2 * count; i++)
                both[i] = values[i / 2];
            assert_true(imported_merge(&twice, &m) && imported_merge(&twice, &m));
            holds_truth(&twice, both, 2 * count);
            imported_free(&twice);
            imported_free(&m);
            free(text);
        }
        histogram_free(&histogram);
    }
}

/* 0.988281 may stand for any level below 0.988282: the row does not say more of rank 9882811. */
static void a_rounded_percentile_says_no_more_than_its_decimals(void **unused)
{
    (void)unused;
    struct imported m;
    read_text("Value Percentile TotalCount 1/(1-Percentile)\n\n"
              "  90047.000 0.500000 9882810 2.00\n 100031.000 0.988281 9999999 85.33\n"
              " 110015.000 1.000000 10000000 inf\n#[Max = 110015.000, Total count = 10000000]\n"
              "#[Buckets = 12, SubBuckets = 2048]\n",
              1, &m);
    assert_int_equal(m.digits, 3);
    static const struct {
        uint64_t rank;
        ns_t low;
    } cases[] = {{4999999, 0}, {5000000, 89984}, {9882811, 90047}, {9882820, 99968}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct known_percentile k =
            imported_percentile(&m, ratio_make(cases[i].rank, 10000000), &rank_nearest);
        assert_true(k.low_milli == (i128)cases[i].low * 1000);
    }
    imported_free(&m);
}

static void the_largest_value_is_that_of_the_last_percentile(void **unused)
{
    (void)unused;
    struct imported m;
    read_text("upper,count\n10,5\n+Inf,5\nmin,2\nmax,77\n", 1, &m);
    struct known_percentile k = imported_percentile(&m, (struct ratio){1, 1}, &rank_nearest);
    assert_true(k.known == KNOWN_EXACTLY && k.low_milli == 77000);
    k = imported_percentile(&m, (struct ratio){0, 1}, &rank_nearest);
    assert_true(k.known == KNOWN_EXACTLY && k.low_milli == 2000);
    k = imported_percentile(&m, (struct ratio){9, 10}, &rank_nearest);
    assert_true(k.known == KNOWN_WITHIN && k.low_milli == 10000 && k.high_milli == 77000);
    imported_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_gives_every_percentile_exactly),
        cmocka_unit_test(a_histogram_says_in_which_bucket_every_percentile_lies),
        cmocka_unit_test(a_wide_bucket_is_told_as_a_bucket_and_the_extremes_narrow_it),
        cmocka_unit_test(unlike_histograms_merge_exactly),
        cmocka_unit_test(merging_commutes_and_holds_the_truth_of_both),
        cmocka_unit_test(both_texts_of_a_histogram_hold_its_values),
        cmocka_unit_test(a_rounded_percentile_says_no_more_than_its_decimals),
        cmocka_unit_test(the_largest_value_is_that_of_the_last_percentile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
