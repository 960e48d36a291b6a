/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/memo.h"

#include <stdlib.h>
#include <string.h>

struct law_memo_entry {
    struct law_question q; /* its load is not kept: the next two are */
    struct load_plan load;
    void *params; /* owned: of the load's kind, as they were */
    struct law law;
};

static bool same_choice(struct choice a, const void *a_params, struct choice b)
{
    return a.type == b.type && (a_params == b.params || a.type == NULL ||
                                memcmp(a_params, b.params, a.type->params_size) == 0);
}

/* A generator without cost is none, and a timeout that never comes takes nothing back. */
/* A new field of either is to be compared too. */
_Static_assert(sizeof(void *) != 8 ||
                   (sizeof(struct load_plan) == 120 && sizeof(struct law_question) == 56),
               "fields that same_load and same_question do not know");

static bool same_load(const struct law_memo_entry *entry, const struct load_plan *b)
{
    const struct load_plan *a = &entry->load;
    return same_choice(a->kind, entry->params, b->kind) && a->timeout_ns == b->timeout_ns &&
           (a->timeout_ns == 0 || a->timeout_cancel == b->timeout_cancel) &&
           same_choice(a->resend, a->resend.params, b->resend) && a->idempotent == b->idempotent &&
           a->work == b->work && a->fan_out == b->fan_out && a->wait_for == b->wait_for &&
           a->generator.cost_ns == b->generator.cost_ns &&
           (a->generator.cost_ns == 0 || a->generator.threads == b->generator.threads) &&
           a->overhead_ns == b->overhead_ns;
}

static bool same_question(const struct law_memo_entry *entry, const struct law_question *b)
{
    const struct law_question *a = &entry->q;
    return a->server == b->server && a->run == b->run && a->from == b->from && a->to == b->to &&
           a->warmup_ns == b->warmup_ns && a->failures == b->failures && a->part == b->part &&
           a->merge == b->merge && same_load(entry, b->load);
}

/* A second owner of a random law or of a refusal. */
static struct law shared(struct law *law)
{
    if (law->shape == LAW_RANDOM) {
        if (law->owners == NULL) {
            law->owners = must_alloc(1, sizeof *law->owners);
            *law->owners = 1;
        }
        ++*law->owners;
    }
    return *law;
}

static void remember(struct law_memo *memo, const struct law_question *q, struct law *law)
{
    if (memo->count == memo->capacity) {
        memo->capacity = memo->capacity == 0 ? 8 : 2 * memo->capacity;
        memo->entries = must_grow(memo->entries, memo->capacity, sizeof *memo->entries);
    }
    size_t size = q->load->kind.type->params_size;
    struct law_memo_entry *entry = &memo->entries[memo->count++];
    *entry = (struct law_memo_entry){.q = *q, .load = *q->load, .params = must_alloc(size, 1)};
    memcpy(entry->params, q->load->kind.params, size);
    entry->q.load = NULL;
    entry->law = shared(law);
}

void law_memo_find(struct law_memo *memo, const struct law_question *q, struct law *out)
{
    for (size_t i = 0; i < memo->count; i++)
        if (same_question(&memo->entries[i], q)) {
            *out = shared(&memo->entries[i].law);
            return;
        }
    law_find(q, out);
    if (out->shape != LAW_EXACT) /* their values are the caller's to change */
        remember(memo, q, out);
}

void law_memo_free(struct law_memo *memo)
{
    for (size_t i = 0; i < memo->count; i++) {
        law_free(&memo->entries[i].law);
        free(memo->entries[i].params);
    }
    free(memo->entries);
    *memo = (struct law_memo){0};
}
