/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/counter.h"

#include <stdlib.h>

#include "models/base/error.h"

void counter_open(struct counter *counter, const ns_t *thresholds_ns, size_t count)
{
    *counter = (struct counter){.thresholds_ns = thresholds_ns, .count = count};
    counter->above =
        must_alloc(count, sizeof *counter->above + sizeof *counter->cells + sizeof *counter->fresh);
    counter->cells = (uint32_t *)(counter->above + count);
    counter->fresh = counter->cells + count;
    for (size_t k = 0; k < count; k++)
        counter->cells[k] = thresholds_ns[k] < NS_LIMIT ? census_cell(thresholds_ns[k]) : 0;
    if (count > 0)
        counter->census = census_open();
}

void counter_close(struct counter *counter)
{
    free(counter->above);
    census_close(counter->census);
}

void counter_drop_census(struct counter *counter)
{
    census_close(counter->census);
    counter->census = NULL;
}

void counter_copy(struct counter *counter, const struct counter *of)
{
    for (size_t k = 0; k < counter->count; k++) {
        size_t at = 0;
        while (at < of->count && of->thresholds_ns[at] != counter->thresholds_ns[k])
            at++;
        BUG_IF(at == of->count);
        counter->above[k] = of->above[at];
    }
}

void counter_make_room(struct counter *counter, const struct column *column)
{
    if (counter->census != NULL)
        census_make_room(counter->census, column->count);
}

/* Those above a threshold that are in its own cell. */
static uint64_t above_in_cell(const struct counter *counter, size_t k, const struct piece *piece)
{
    ns_t limit_ns = counter->thresholds_ns[k];
    ns_t last_ns = census_low_ns(counter->cells[k] + 1) - 1;
    return limit_ns < last_ns ? piece_within(piece, limit_ns + 1, last_ns) : 0;
}

/* The census does not spill meanwhile. */
void counter_take(struct counter *counter, const struct piece *piece,
                  const struct census_cells *cells)
{
    struct census *census = counter->census;
    if (census == NULL)
        return;
    for (size_t k = 0; k < counter->count; k++)
        counter->fresh[k] = census_fresh(census, counter->cells[k]);
    if (cells != NULL)
        census_add(census, cells);
    else
        census_add_times(census, piece->span.least_ns, piece->count);
    for (size_t k = 0; k < counter->count; k++)
        if (census_fresh(census, counter->cells[k]) != counter->fresh[k])
            counter->above[k] += above_in_cell(counter, k, piece);
}

void counter_end_replication(struct counter *counter, struct census_list *census)
{
    if (counter->census == NULL)
        return;
    struct census_list list = census_take(counter->census);
    uint64_t all = census_total(&list);
    for (size_t k = 0; k < counter->count; k++)
        if (counter->thresholds_ns[k] < NS_LIMIT)
            counter->above[k] += all - census_below(&list, counter->cells[k] + 1);
    if (census != NULL)
        *census = list;
    else
        free(list.entries);
}
