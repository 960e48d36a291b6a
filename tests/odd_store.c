/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/odd_store.h"

#include <stdlib.h>

#include "models/base/error.h"

static const struct store_type *kind_of(const struct odd *odd)
{
    return store_kind(odd->params.of);
}

static void *open(const void *params)
{
    struct odd *odd = must_alloc(1, sizeof *odd);
    odd->params = *(const struct odd_params *)params;
    odd->of = kind_of(odd)->open(odd->params.of.params);
    odd->asked = must_alloc(1, sizeof *odd->asked);
    return odd;
}

static void close(void *store)
{
    struct odd *odd = store;
    kind_of(odd)->close(odd->of);
    free(odd->asked);
    free(odd);
}

static void add(void *store, const ns_t *values_ns, size_t count, ns_t least_ns, ns_t greatest_ns)
{
    struct odd *odd = store;
    odd->added += count;
    kind_of(odd)->add(odd->of, values_ns, count, least_ns, greatest_ns);
}

static void add_times(void *store, ns_t value_ns, uint64_t times)
{
    struct odd *odd = store;
    odd->added += times;
    kind_of(odd)->add_times(odd->of, value_ns, times);
}

static uint32_t number(const void *store, ns_t value_ns)
{
    const struct odd *odd = store;
    return kind_of(odd)->number(odd->of, value_ns) + (value_ns > odd->params.above_ns);
}

static bool are_apart(const void *store, const ns_t *values_ns, size_t count, ns_t least_ns,
                      ns_t greatest_ns, const uint32_t *numbers, uint32_t apart)
{
    const struct odd *odd = store;
    bool last_differs = ++*odd->asked == odd->params.piece, alike = true;
    for (size_t i = 0; i < count; i++) {
        BUG_IF(values_ns[i] < least_ns || values_ns[i] > greatest_ns);
        bool differs = last_differs && i == count - 1;
        alike &= number(store, values_ns[i]) + differs - numbers[i] == apart;
    }
    return alike;
}

static void add_numbered(void *store, const uint32_t *numbers, const uint64_t *times, size_t count)
{
    struct odd *odd = store;
    uint32_t another = numbers[count - 1] + 1;
    uint64_t one = 1, *own = must_alloc(count, sizeof *own);
    bool first = odd->counted == 0;
    for (size_t i = 0; i < count; i++)
        odd->counted += own[i] = times[i];
    own[0] -= first && odd->params.told == ODD_LOSES;
    own[0] += first && odd->params.told == ODD_TWICE;
    own[count - 1] -= first && odd->params.told == ODD_HIGHER;
    kind_of(odd)->add_numbered(odd->of, numbers, own, count);
    if (first && odd->params.told == ODD_HIGHER)
        kind_of(odd)->add_numbered(odd->of, &another, &one, 1);
    free(own);
}

static void merge(void *into, void *from)
{
    struct odd *odd = into, *other = from;
    kind_of(odd)->merge(odd->of, other->of);
    odd->added += other->added;
    odd->counted += other->counted;
}

static struct stored select(void *store, uint64_t rank)
{
    struct odd *odd = store;
    return kind_of(odd)->select(odd->of, rank);
}

static struct stored cell(const void *params, ns_t value_ns)
{
    const struct odd_params *p = params;
    return store_kind(p->of)->cell(p->of.params, value_ns);
}

const struct store_type odd_store = {
    .is = {"odd", "for the test", NULL, 0, 0, NULL},
    .open = open,
    .close = close,
    .add = add,
    .add_times = add_times,
    .number = number,
    .are_apart = are_apart,
    .add_numbered = add_numbered,
    .merge = merge,
    .select = select,
    .cell = cell,
};
