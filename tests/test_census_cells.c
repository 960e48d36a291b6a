/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which cells a census has, and that what is in them is all that was added. */

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/base/batch.h"
#include "models/base/random.h"
#include "sim/census.h"
#include "sim/columns.h"
#include "tests/claim.h"

static uint64_t word_of(uint64_t i)
{
    return stream_word(stream_open(8, 0, 0, PURPOSE_SERVICE), i);
}

/* Of all sizes: as many leading zeros as the low bits say. */
static ns_t value_of(uint64_t i, unsigned bits_most)
{
    uint64_t word = word_of(i);
    return word >> (64 - 1 - word % bits_most);
}

/* Cells one after the other: as many with each width from 2^bits on. */
static uint32_t cell_by_hand(ns_t value_ns, unsigned bits)
{
    uint32_t below = 0;
    for (; value_ns >> bits > 1; value_ns /= 2)
        below += UINT32_C(1) << bits;
    return below + (uint32_t)value_ns;
}

static void expect_cell(ns_t value_ns)
{
    uint32_t cell = cell_by_hand(value_ns, CENSUS_BITS);
    assert_int_equal(census_cell(value_ns), cell);
    assert_int_equal(leading_cell(value_ns, 13), cell_by_hand(value_ns, 13));
    assert_int_equal(cell_by_hand(census_low_ns(cell), CENSUS_BITS), cell);
    if (cell > 0)
        assert_int_equal(cell_by_hand(census_low_ns(cell) - 1, CENSUS_BITS), cell - 1);
}

static void cells_are_whole_numbers_and_then_wider_with_each_power_of_two(void **state)
{
    (void)state;
    for (ns_t value_ns = 0; value_ns <= 5000; value_ns++)
        expect_cell(value_ns);
    for (unsigned power = 1; power < 62; power++)
        for (ns_t beside_ns = 0; beside_ns < 4; beside_ns++) {
            expect_cell((UINT64_C(1) << power) + beside_ns);
            expect_cell((UINT64_C(1) << power) - 1 - beside_ns % 2);
            expect_cell((UINT64_C(1) << power) + (UINT64_C(1) << power) / 1024 - beside_ns % 2);
        }
    expect_cell(NS_LIMIT - 1);
}

/* From 0, from their least, and from what is just on either side of the first wide cells. */
static void kernels_of_every_width_find_cells_and_their_sum(void **state)
{
    (void)state;
    static const struct row_kernels *const kernels[VECTOR_COUNT] = {
        &row_kernels_plain, &row_kernels_avx2, &row_kernels_avx512};
    for (uint64_t seed = 0; seed < 600; seed++) {
        unsigned bits = seed % 2 ? CENSUS_BITS : 13;
        ns_t values_ns[SPAN_ROWS], first_ns = UINT64_C(1) << bits;
        const ns_t least_ns[] = {0, 1, first_ns - 1, first_ns, first_ns + 1, first_ns * 1000};
        ns_t from_ns = least_ns[seed / 2 % 6];
        uint32_t cells[SPAN_ROWS], sum = 0;
        size_t count = 1 + word_of(seed) % SPAN_ROWS;
        for (size_t i = 0; i < count; i++) {
            values_ns[i] = from_ns + (i == count / 2 ? 0 : value_of(seed * 1000 + i, 51));
            sum += cell_by_hand(values_ns[i], bits);
        }
        for (size_t level = 0; level <= (size_t)vector_level(); level++) {
            assert_int_equal(kernels[level]->leading(values_ns, count, bits, from_ns, cells), sum);
            for (size_t i = 0; i < count; i++)
                assert_int_equal(cells[i], cell_by_hand(values_ns[i], bits));
        }
    }
}

/* ---- spilling ---- */

static void add(struct census *census, const ns_t *values_ns, size_t count)
{
    for (size_t at = 0, some; at < count; at += some) {
        struct census_cells cells;
        some = count - at < SPAN_ROWS ? count - at : SPAN_ROWS;
        struct piece piece = {values_ns + at, some, column_of(values_ns + at, some).all};
        census_find(&cells, &piece);
        census_add(census, &cells);
    }
}

static uint64_t count_up_to(const ns_t *values_ns, size_t count, ns_t limit_ns)
{
    uint64_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += values_ns[i] <= limit_ns;
    return found;
}

static void expect_list(const struct census_list *list, const ns_t *values_ns, size_t count)
{
    uint64_t total = 0;
    for (size_t i = 0; i < list->length; i++) {
        uint32_t cell = census_cell_of(list->entries[i]);
        uint64_t there = count_up_to(values_ns, count, census_low_ns(cell + 1) - 1) -
                         (cell > 0 ? count_up_to(values_ns, count, census_low_ns(cell) - 1) : 0);
        assert_int_equal(census_count_of(list->entries[i]), there);
        assert_true(there > 0 && (i == 0 || cell > census_cell_of(list->entries[i - 1])));
        total += there;
    }
    assert_int_equal(total, count);
}

/* After few values, whose cells it lists, and after many; twice, and between. */
static void what_has_been_spilled_is_all_so_far_and_is_not_lost(void **state)
{
    (void)state;
    static const size_t ends[] = {0, 1, 100, 100, 356, 1500, 1501, 1600, 2600, 2856, 3000};
    static const unsigned sizes[] = {4, 23, 42, 52, 53, 61};
    for (size_t size = 0; size < sizeof sizes / sizeof sizes[0]; size++) {
        unsigned bits = sizes[size];
        ns_t values_ns[3000];
        struct census *census = census_open();
        for (size_t i = 0; i < 3000; i++)
            values_ns[i] = value_of(bits * 10000 + i, bits);
        for (size_t k = 0, at = 0; k < sizeof ends / sizeof ends[0]; at = ends[k++]) {
            add(census, values_ns + at, ends[k] - at);
            expect_list(census_spill(census), values_ns, ends[k]);
            expect_list(census_spill(census), values_ns, ends[k]);
        }
        struct census_list list = census_take(census);
        assert_int_equal(census_total(&list), 3000);
        for (size_t i = 0; i < list.length; i++) {
            uint32_t cell = census_cell_of(list.entries[i]);
            assert_int_equal(census_below(&list, cell + 1),
                             count_up_to(values_ns, 3000, census_low_ns(cell + 1) - 1));
        }
        free(list.entries);
        assert_int_equal(census_spill(census)->length, 0);
        add(census, values_ns, 700);
        expect_list(census_spill(census), values_ns, 700);
        census_close(census);
    }
}

/* ---- what cannot be: in a process of its own, which it must end ---- */

enum spoil { SPOIL_NOT, SPOIL_LOST, SPOIL_ZERO, SPOIL_TWICE, SPOIL_NEXT, SPOIL_FAR, SPOIL_CELL };

static void spoil_and_spill(enum spoil spoil, size_t count)
{
    ns_t values_ns[BATCH_ROWS];
    struct census *census = census_open();
    struct census_cells cells;
    for (size_t i = 0; i < count; i++)
        values_ns[i] = 1000 + value_of(i, 30);
    values_ns[count / 2] = 5000;
    values_ns[0] = 0;
    for (size_t at = 0, some; at < count; at += some) {
        some = count - at < SPAN_ROWS ? count - at : SPAN_ROWS;
        struct piece piece = {values_ns + at, some, column_of(values_ns + at, some).all};
        census_find(&cells, &piece);
        cells.of[some / 2] += spoil == SPOIL_CELL && at == 0;
        census_add(census, &cells);
    }
    uint32_t cell = census_cell(5000);
    census->counts[cell] -= spoil == SPOIL_LOST || spoil == SPOIL_NEXT || spoil == SPOIL_FAR;
    census->counts[0] -= spoil == SPOIL_ZERO;
    census->counts[cell] += spoil == SPOIL_TWICE;
    census->counts[cell + 1] += spoil == SPOIL_NEXT;
    census->counts[0] += spoil == SPOIL_FAR;
    assert_true(census_spill(census)->length > 0);
    census_close(census);
}

/* Whether a bug is reported, which ends the process. */
static bool is_bug(enum spoil spoil, size_t count)
{
    char told[200] = "";
    int ends[2], status = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        spoil_and_spill(spoil, count);
        _exit(0);
    }
    close(ends[1]);
    ssize_t length = read(ends[0], told, sizeof told - 1);
    close(ends[0]);
    assert_true(length >= 0 && waitpid(child, &status, 0) == child);
    bool aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    assert_true(aborted || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
    assert_true(aborted == (strstr(told, "bug at ") != NULL));
    return aborted;
}

static void canary_a_value_that_is_lost_or_misplaced_stops_the_program(void **state)
{
    (void)state;
    static const size_t counts[] = {40, 255, 257, 900}; /* listed cells, and too many */
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (enum spoil spoil = SPOIL_NOT; spoil <= SPOIL_CELL; spoil++)
            assert_true(is_bug(spoil, counts[i]) == (spoil != SPOIL_NOT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_whole_numbers_and_then_wider_with_each_power_of_two),
        cmocka_unit_test(kernels_of_every_width_find_cells_and_their_sum),
        cmocka_unit_test(what_has_been_spilled_is_all_so_far_and_is_not_lost),
        cmocka_unit_test(canary_a_value_that_is_lost_or_misplaced_stops_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
