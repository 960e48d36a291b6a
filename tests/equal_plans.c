/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/equal_plans.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

static void equal_fields(const struct field *fields, size_t count, const void *a, const void *b);

static void equal_items(const struct item *item, const struct item_list *a,
                        const struct item_list *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        equal_fields(item->fields, item->field_count, (const char *)a->items + i * item->size,
                     (const char *)b->items + i * item->size);
}

static void equal_choices(struct choice a, struct choice b)
{
    assert_ptr_equal(a.type, b.type);
    if (a.type != NULL)
        equal_fields(a.type->fields, a.type->field_count, a.params, b.params);
}

static void equal_values(const struct value_list *a, const struct value_list *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        assert_string_equal(a->texts[i], b->texts[i]);
}

static void equal_fields(const struct field *fields, size_t count, const void *a, const void *b)
{
    for (size_t i = 0; i < count; i++) {
        const struct field *field = &fields[i];
        const void *left = (const char *)a + field->offset;
        const void *right = (const char *)b + field->offset;
        const struct durations *lists[] = {left, right};
        switch (field->kind) {
        case FIELD_DURATION:
        case FIELD_COUNT: assert_memory_equal(left, right, sizeof(uint64_t)); break;
        case FIELD_RATIO: assert_memory_equal(left, right, sizeof(struct ratio)); break;
        case FIELD_BOOL: assert_int_equal(*(const bool *)left, *(const bool *)right); break;
        case FIELD_VARIANT:
            equal_choices(*(const struct choice *)left, *(const struct choice *)right);
            break;
        case FIELD_DURATIONS:
            assert_int_equal(lists[0]->count, lists[1]->count);
            assert_memory_equal(lists[0]->ns, lists[1]->ns, lists[0]->count * sizeof(ns_t));
            break;
        case FIELD_LIST: equal_items(field->item, left, right); break;
        case FIELD_VALUES: equal_values(left, right); break;
        case FIELD_WORD: assert_int_equal(*(const unsigned *)left, *(const unsigned *)right); break;
        }
    }
}

static void equal_ratios(struct ratio a, struct ratio b)
{
    assert_true(a.num == b.num && a.den == b.den);
}

static void equal_recorders(const struct recorder_plan *a, const struct recorder_plan *b)
{
    assert_string_equal(a->name, b->name);
    assert_true(a->load == b->load && a->truth == b->truth && a->from == b->from && a->to == b->to);
    assert_true(a->failures == b->failures && a->warmup_ns == b->warmup_ns);
    assert_true(a->part == b->part && a->per == b->per && a->window_ns == b->window_ns);
    assert_int_equal(a->merge, b->merge);
    equal_choices(a->correction, b->correction);
    equal_choices(a->store, b->store);
    equal_choices(a->rank, b->rank);
}

static void equal_reports(const struct report_plan *a, const struct report_plan *b)
{
    assert_true(a->percentile_count == b->percentile_count && a->above_count == b->above_count);
    for (size_t i = 0; i < a->percentile_count; i++) {
        assert_string_equal(a->percentiles[i].text, b->percentiles[i].text);
        assert_memory_equal(&a->percentiles[i].p, &b->percentiles[i].p, sizeof(struct ratio));
    }
    for (size_t i = 0; i < a->above_count; i++) {
        assert_int_equal(a->above[i].ns, b->above[i].ns);
        assert_string_equal(a->above[i].text, b->above[i].text);
    }
    equal_choices(a->rank, b->rank);
    assert_int_equal(a->unit, b->unit);
}

static void equal_servers(const struct server *a, const struct server *b)
{
    equal_choices(a->service, b->service);
    assert_true(a->workers == b->workers && a->queue_limit == b->queue_limit);
    assert_true(a->stall_count == b->stall_count && a->replicas == b->replicas);
    for (size_t i = 0; i < a->stall_count; i++) {
        const struct stall *s = &a->stalls[i], *t = &b->stalls[i];
        assert_ptr_equal(s->mode, t->mode);
        assert_true(s->first_ns == t->first_ns && s->every_ns == t->every_ns);
        assert_true(s->last_ns == t->last_ns);
        equal_ratios(s->lost, t->lost);
        assert_true(s->halves_ns == t->halves_ns && s->target == t->target);
        assert_int_equal(s->replica, t->replica);
        equal_choices(s->up, t->up);
        equal_choices(s->down, t->down);
    }
    equal_choices(a->queue, b->queue);
    equal_choices(a->routing, b->routing);
    equal_ratios(a->load_dependence, b->load_dependence);
    assert_true(a->quota.budget_ns == b->quota.budget_ns &&
                a->quota.period_ns == b->quota.period_ns && a->quota.shared == b->quota.shared);
    equal_choices(a->behind.service, b->behind.service);
    equal_choices(a->behind.queue, b->behind.queue);
    assert_true(a->behind.workers == b->behind.workers &&
                a->behind.keeps_worker == b->behind.keeps_worker);
    equal_choices(a->network.delay, b->network.delay);
    equal_ratios(a->network.probability, b->network.probability);
}

static void equal_loads(const struct load_plan *a, const struct load_plan *b)
{
    assert_string_equal(a->name, b->name);
    assert_true(a->timeout_ns == b->timeout_ns && a->timeout_cancel == b->timeout_cancel);
    assert_true(a->idempotent == b->idempotent && a->work == b->work);
    assert_true(a->fan_out == b->fan_out && a->wait_for == b->wait_for);
    assert_true(a->generator.cost_ns == b->generator.cost_ns &&
                a->generator.threads == b->generator.threads && a->overhead_ns == b->overhead_ns);
    equal_choices(a->kind, b->kind);
    equal_choices(a->resend, b->resend);
}

static void equal_sweeps(const struct sweep *a, const struct sweep *b)
{
    assert_string_equal(a->path, b->path);
    assert_int_equal(a->value_count, b->value_count);
    for (size_t i = 0; i < a->value_count; i++)
        assert_string_equal(a->values[i], b->values[i]);
}

static void equal_runs(const struct run_plan *a, const struct run_plan *b)
{
    assert_true(a->requests == b->requests && a->duration_ns == b->duration_ns);
    assert_true(a->warmup_ns == b->warmup_ns && a->replications == b->replications);
    assert_true(a->seed == b->seed && a->start == b->start && a->cut_ns == b->cut_ns);
    assert_memory_equal(&a->detect_p, &b->detect_p, sizeof(struct ratio));
    assert_memory_equal(&a->detect_within, &b->detect_within, sizeof(struct ratio));
}

void equal_plans(const struct plan *a, const struct plan *b)
{
    assert_string_equal(a->title, b->title);
    assert_true(a->about_count == b->about_count && a->claim_count == b->claim_count);
    for (size_t i = 0; i < a->about_count; i++)
        assert_string_equal(a->about[i], b->about[i]);
    for (size_t i = 0; i < a->claim_count; i++)
        assert_string_equal(a->claims[i], b->claims[i]);
    equal_servers(&a->server, &b->server);
    assert_true(a->load_count == b->load_count && a->recorder_count == b->recorder_count);
    for (size_t i = 0; i < a->load_count; i++)
        equal_loads(&a->loads[i], &b->loads[i]);
    for (size_t i = 0; i < a->recorder_count; i++)
        equal_recorders(&a->recorders[i], &b->recorders[i]);
    equal_runs(&a->run, &b->run);
    equal_reports(&a->report, &b->report);
    assert_int_equal(a->sweep_count, b->sweep_count);
    for (size_t i = 0; i < a->sweep_count; i++)
        equal_sweeps(&a->sweeps[i], &b->sweeps[i]);
    equal_choices(a->experiment, b->experiment);
    assert_int_equal(a->expectation_count, b->expectation_count);
    for (size_t i = 0; i < a->expectation_count; i++) {
        const struct expectation *e = &a->expectations[i], *f = &b->expectations[i];
        assert_string_equal(e->figure, f->figure);
        assert_string_equal(e->text, f->text);
        assert_true(e->of_load == f->of_load && e->subject == f->subject && e->milli == f->milli);
        assert_true(e->is_duration == f->is_duration && e->is_null == f->is_null);
        assert_true(e->is_share == f->is_share && e->share == f->share &&
                    e->decimals == f->decimals);
    }
}
