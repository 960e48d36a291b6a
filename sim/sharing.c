/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/sharing.h"

#include "models/stores/store.h"

/* Whether the store numbers cells as the census does, but for a difference: looked at where numbers
   begin, and where cells first are of more than one value. */
static bool numbers_alike(struct recorder *r)
{
    const struct store_type *store = store_kind(r->plan->store);
    static const uint32_t looked_at[] = {1, 1023, 1024, 2047, 2048, 2049, 4095, 4096};
    bool alike = store->number != NULL;
    r->apart = alike ? store->number(r->store, 0) : 0;
    for (size_t i = 0; alike && i < sizeof looked_at / sizeof looked_at[0]; i++)
        alike = store->number(r->store, census_low_ns(looked_at[i])) == looked_at[i] + r->apart;
    return alike;
}

void sharing_begin(struct recorder *leader)
{
    for (struct recorder *r = leader; r != NULL; r = r->followed_by)
        r->shares = leader->counter.census != NULL && r->store != NULL && r->rule.interval == 0 &&
                    numbers_alike(r);
}

bool sharing_agrees(const struct recorder *r, const struct piece *piece,
                    const struct census_cells *cells)
{
    const struct store_type *store = store_kind(r->plan->store);
    ns_t least_ns = piece->span.least_ns;
    if (cells == NULL)
        return store->number(r->store, least_ns) == census_cell(least_ns) + r->apart;
    return store->are_apart(r->store, piece->values_ns, piece->count, least_ns,
                            piece->span.greatest_ns, cells->of, r->apart);
}

void sharing_end(struct recorder *r, struct census *census)
{
    const struct census_list *list = census_spill(census);
    uint32_t numbers[SPAN_ROWS];
    uint64_t times[SPAN_ROWS];
    for (size_t at = 0, some; at < list->length; at += some) {
        some = list->length - at < SPAN_ROWS ? list->length - at : SPAN_ROWS;
        for (size_t i = 0; i < some; i++) {
            numbers[i] = census_cell_of(list->entries[at + i]) + r->apart;
            times[i] = census_count_of(list->entries[at + i]);
        }
        store_kind(r->plan->store)->add_numbered(r->store, numbers, times, some);
    }
    r->shares = false;
}

void sharing_end_all(struct recorder *leader)
{
    for (struct recorder *r = leader; r != NULL; r = r->followed_by)
        if (r->shares)
            sharing_end(r, leader->counter.census);
}
