/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/sharing.h"

#include <string.h>

#include "models/stores/store.h"

/* Whether cells of the census that stand side by side, looked at once, are some of the store that
   do; and how far their numbers are apart. */
static bool numbers_alike(struct recorder *r)
{
    uint32_t cell = census_cell(NS_PER_S), own[2];
    ns_t lows_ns[2] = {census_low_ns(cell), census_low_ns(cell + 1)};
    if (!store_kind(r->plan->store)->number(r->store, lows_ns, 2, lows_ns[0], lows_ns[1], own))
        return false;
    r->apart = own[0] - cell;
    return own[1] - own[0] == 1;
}

void sharing_begin(struct recorder *leader)
{
    for (struct recorder *r = leader; r != NULL; r = r->followed_by)
        r->shares = leader->counter.census != NULL && r->store != NULL && r->rule.interval == 0 &&
                    store_kind(r->plan->store)->number != NULL && numbers_alike(r);
}

/* Whether the store has a value where it has the least one of its cell. */
static bool value_agrees(struct recorder *r, ns_t value_ns)
{
    ns_t both_ns[2] = {census_low_ns(census_cell(value_ns)), value_ns};
    uint32_t own[2];
    if (value_ns == r->agreed_ns)
        return true;
    if (!store_kind(r->plan->store)->number(r->store, both_ns, 2, both_ns[0], value_ns, own))
        return false;
    r->agreed_ns = value_ns;
    return own[0] == own[1];
}

/* The same of all values, of which the store's cells are known too. */
static bool values_agree(const struct recorder *r, const struct census_cells *cells,
                         const uint32_t *own, size_t rows, struct span span)
{
    ns_t lows_ns[SPAN_ROWS], least_ns = census_low_ns(census_cell(span.least_ns));
    uint32_t again[SPAN_ROWS];
    for (size_t i = 0; i < rows; i++)
        lows_ns[i] = census_low_ns(cells->of[i]);
    return store_kind(r->plan->store)
               ->number(r->store, lows_ns, rows, least_ns, span.greatest_ns, again) &&
           memcmp(own, again, rows * sizeof *own) == 0;
}

/* Most often the store's cells are as far from the census's everywhere as at one of them. */
bool sharing_agrees(struct recorder *r, const struct column *column, size_t block,
                    const struct census_cells *cells)
{
    _Alignas(LINE_BYTES) uint32_t own[SPAN_ROWS];
    struct span span = column->blocks[block];
    size_t rows = column_block_rows(column, block);
    if (cells == NULL)
        return value_agrees(r, span.least_ns);
    if (!store_kind(r->plan->store)
             ->number(r->store, column->values_ns + block * SPAN_ROWS, rows, span.least_ns,
                      span.greatest_ns, own))
        return false;
    return row_kernels()->are_apart(own, cells->of, rows, r->apart) ||
           values_agree(r, cells, own, rows, span);
}

void sharing_end(struct recorder *r, struct census *census)
{
    const struct census_list *list = census_spill(census);
    for (size_t at = 0, some; at < list->length; at += some) {
        ns_t lows_ns[SPAN_ROWS];
        uint64_t times[SPAN_ROWS];
        some = list->length - at < SPAN_ROWS ? list->length - at : SPAN_ROWS;
        for (size_t i = 0; i < some; i++) {
            lows_ns[i] = census_low_ns(census_cell_of(list->entries[at + i]));
            times[i] = census_count_of(list->entries[at + i]);
        }
        store_kind(r->plan->store)->add_counts(r->store, lows_ns, times, some);
    }
    r->shares = false;
}

void sharing_end_all(struct recorder *leader)
{
    for (struct recorder *r = leader; r != NULL; r = r->followed_by)
        if (r->shares)
            sharing_end(r, leader->counter.census);
}
