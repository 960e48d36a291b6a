/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/sharing.h"

#include "models/stores/store.h"

/* Whether cells of the census that stand side by side, looked at once, are some of the store that
   do; and how far their numbers are apart. */
static bool numbers_alike(struct recorder *r)
{
    const struct store_type *store = store_kind(r->plan->store);
    uint32_t cell = census_cell(NS_PER_S), own = store->number(r->store, census_low_ns(cell));
    r->apart = own - cell;
    return store->number(r->store, census_low_ns(cell + 1)) == own + 1;
}

void sharing_begin(struct recorder *leader)
{
    for (struct recorder *r = leader; r != NULL; r = r->followed_by)
        r->shares = leader->counter.census != NULL && r->store != NULL && r->rule.interval == 0 &&
                    store_kind(r->plan->store)->number != NULL && numbers_alike(r);
}

/* Whether the store has a value in the cell in which it has the least one of the census's. */
static bool value_agrees(struct recorder *r, ns_t value_ns)
{
    const struct store_type *store = store_kind(r->plan->store);
    ns_t low_ns = census_low_ns(census_cell(value_ns));
    if (value_ns == r->agreed_ns)
        return true;
    if (store->number(r->store, low_ns) != store->number(r->store, value_ns))
        return false;
    r->agreed_ns = value_ns;
    return true;
}

/* Most often the store's cells are as far from the census's everywhere as at one of them. */
bool sharing_agrees(struct recorder *r, const struct column *column, size_t block,
                    const struct census_cells *cells)
{
    const ns_t *values_ns = column->values_ns + block * SPAN_ROWS;
    struct span span = column->blocks[block];
    size_t rows = cells != NULL ? column_block_rows(column, block) : 1, agreed = 0;
    if (cells != NULL && store_kind(r->plan->store)
                             ->are_apart(r->store, values_ns, rows, span.least_ns, span.greatest_ns,
                                         cells->of, r->apart))
        return true;
    while (agreed < rows && value_agrees(r, values_ns[agreed]))
        agreed++;
    return agreed == rows;
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
