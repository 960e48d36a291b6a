/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What every variant owes those who only see its table: a name of its own, and words. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "models/laws/law.h"
#include "models/registry.h"

static const struct variant_set *const sets[] = {
    &set_distributions, &set_arrivals,    &set_loads,  &set_late,        &set_resend,
    &set_queues,        &set_routing,     &set_stalls, &set_corrections, &set_stores,
    &set_ranks,         &set_experiments, &set_faults, &set_schedulers,
};
#define SET_TOTAL (sizeof sets / sizeof sets[0])

static bool is_said(const char *text)
{
    return text != NULL && text[0] != '\0';
}

/* What a user types: small letters, digits and single dashes. */
static bool is_plain(const char *name)
{
    return is_said(name) && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name) &&
           name[0] != '-' && name[strlen(name) - 1] != '-' && strstr(name, "--") == NULL;
}

static void all_names_of_a_set_differ(void **state)
{
    (void)state;
    for (size_t s = 0; s < SET_TOTAL; s++)
        for (size_t i = 0; i < sets[s]->count; i++)
            for (size_t k = 0; k < i; k++)
                if (strcmp(sets[s]->variants[i]->name, sets[s]->variants[k]->name) == 0)
                    fail_msg("two %s are called %s", sets[s]->name, sets[s]->variants[i]->name);
    for (size_t i = 0; i < law_list_count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(law_list[i]->is.name, law_list[k]->is.name) == 0)
                fail_msg("two laws are called %s", law_list[i]->is.name);
}

static void a_name_finds_its_own_variant(void **state)
{
    (void)state;
    for (size_t s = 0; s < SET_TOTAL; s++)
        for (size_t i = 0; i < sets[s]->count; i++)
            assert_ptr_equal(variant_find(sets[s], sets[s]->variants[i]->name),
                             sets[s]->variants[i]);
}

static void all_names_are_written_with_dashes(void **state)
{
    (void)state;
    for (size_t s = 0; s < SET_TOTAL; s++)
        for (size_t i = 0; i < sets[s]->count; i++)
            if (!is_plain(sets[s]->variants[i]->name))
                fail_msg("%s: %s", sets[s]->name, sets[s]->variants[i]->name);
    for (size_t i = 0; i < law_list_count; i++)
        if (!is_plain(law_list[i]->is.name))
            fail_msg("laws: %s", law_list[i]->is.name);
}

/* Of a variant or of the items of a list. */
static void judge_fields(const char *whose, const struct field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_said(fields[i].key) || !is_said(fields[i].says))
            fail_msg("%s: field %zu says nothing", whose, i);
        for (size_t k = 0; k < i; k++)
            if (strcmp(fields[i].key, fields[k].key) == 0)
                fail_msg("%s: two fields are called %s", whose, fields[i].key);
        if (fields[i].kind == FIELD_LIST)
            judge_fields(whose, fields[i].item->fields, fields[i].item->field_count);
    }
}

static void everything_says_what_it_is(void **state)
{
    (void)state;
    for (size_t s = 0; s < SET_TOTAL; s++) {
        assert_true(is_said(sets[s]->name) && is_said(sets[s]->says) && sets[s]->count > 0);
        for (size_t i = 0; i < sets[s]->count; i++) {
            const struct variant *variant = sets[s]->variants[i];
            if (!is_said(variant->says))
                fail_msg("%s %s says nothing", sets[s]->name, variant->name);
            judge_fields(variant->name, variant->fields, variant->field_count);
        }
    }
    for (size_t i = 0; i < law_list_count; i++) {
        const struct law_type *law = law_list[i];
        if (!is_said(law->is.says) || !is_said(law->formula) || !is_said(law->symbols) ||
            !is_said(law->domain) || !is_said(law->source) || !is_said(law->check))
            fail_msg("the law %s leaves something unsaid", law->is.name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_names_of_a_set_differ),
        cmocka_unit_test(a_name_finds_its_own_variant),
        cmocka_unit_test(all_names_are_written_with_dashes),
        cmocka_unit_test(everything_says_what_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
