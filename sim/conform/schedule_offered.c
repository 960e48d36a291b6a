/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "models/loads/load.h"
#include "sim/conform/schedule.h"
#include "sim/work.h"

#define BLOCK 256

static uint64_t slots_of_pace(const struct offered *o)
{
    if (o->duration_ns == 0)
        return o->requests;
    /* floor(i * num / den) < duration exactly when i < duration * den / num, rounded up. */
    u128 slots = ((u128)o->duration_ns * o->pace.den + o->pace.num - 1) / o->pace.num;
    uint64_t most = o->requests != 0 ? o->requests : UINT64_MAX;
    return slots < most ? (uint64_t)slots : most;
}

static bool is_within(const struct offered *o, uint64_t slot, ns_t due_ns)
{
    return (o->requests == 0 || slot < o->requests) &&
           (o->duration_ns == 0 || due_ns < o->duration_ns);
}

/* Every due instant of arrivals that are neither even nor random. */
static void list_instants(const struct open_load *load, struct offered *o)
{
    struct arrival_cursor cursor = {.pace = o->pace};
    ns_t block[BLOCK], *listed = NULL;
    size_t got = BLOCK;
    bool more = true;
    while (more && got == BLOCK && o->slots <= SCHEDULE_SLOTS_MOST) {
        got = arrivals(load->arrivals)->due(load->arrivals.params, &cursor, block, BLOCK);
        listed = must_grow(listed, o->slots + BLOCK, sizeof *listed);
        for (size_t i = 0; i < got && more; i++) {
            more = is_within(o, o->slots, block[i]);
            if (more)
                listed[o->slots++] = block[i];
        }
    }
    o->listed_ns = listed;
}

static const char *fill_open(const struct open_load *load, struct offered *o)
{
    const struct arrivals_type *type = arrivals(load->arrivals);
    o->rate_per_s = load->rate_per_s;
    o->window = load->max_in_flight;
    if (type->paced)
        o->pace = pace_of(load->rate_per_s, load->every_ns);
    o->random = arrivals_random(load->arrivals);
    if (o->random && type != &arrivals_poisson)
        return "random arrivals other than poisson, for which there is no test here";
    if (type == &arrivals_even || o->random)
        o->slots = slots_of_pace(o);
    else
        list_instants(load, o);
    if (o->random && o->requests == 0)
        return "poisson arrivals for a duration; give requests, so that their number is known";
    if (o->random && o->window != UNLIMITED)
        return "poisson arrivals behind max_in_flight";
    return NULL;
}

static const char *fill(const struct plan *plan, size_t load, struct offered *o)
{
    const struct load_plan *l = &plan->loads[load];
    if (plan->run.detect_p.num != 0)
        return "a run whose length a pilot chooses; give it requests or a duration";
    if (plan->run.cut_ns != 0)
        return "a cut, before which a scheduler cannot be heard out";
    if (l->kind.type == &load_open.is)
        return fill_open(l->kind.params, o);
    if (l->kind.type != &load_paced.is)
        return "no schedule: its clients send when they are answered";
    const struct paced_load *paced = l->kind.params;
    o->paced = true;
    o->rate_per_s = paced->rate_per_s;
    o->pace = pace_of(paced->rate_per_s, paced->every_ns);
    o->connections = paced->connections;
    o->late = paced->late;
    o->slots = slots_of_pace(o);
    return NULL;
}

bool schedule_offered(const struct plan *plan, size_t load, struct offered *out,
                      struct errors *errors)
{
    *out = (struct offered){.requests = plan->run.requests,
                            .duration_ns = plan->run.duration_ns,
                            .connections = 1,
                            .window = UNLIMITED};
    const char *why = fill(plan, load, out);
    if (why == NULL && out->slots > SCHEDULE_SLOTS_MOST)
        why = "more than 200000 slots, too many to talk about one by one";
    if (why == NULL && out->connections > SCHEDULE_CONNECTIONS_MOST)
        why = "more than 1000 connections";
    if (why == NULL)
        return true;
    char *text = must_format("it has %s", why);
    work_add_load_error(errors, plan, load, text);
    free(text);
    schedule_offered_free(out);
    return false;
}

void schedule_offered_free(struct offered *offered)
{
    free((void *)(uintptr_t)offered->listed_ns);
    offered->listed_ns = NULL;
}

ns_t schedule_due_ns(const struct offered *offered, uint64_t slot)
{
    return offered->listed_ns != NULL ? offered->listed_ns[slot] : pace_due(offered->pace, slot);
}

bool schedule_due_is(const struct offered *offered, uint64_t slot, ns_t due_ns)
{
    if (offered->listed_ns != NULL)
        return due_ns == offered->listed_ns[slot];
    ns_t exact_ns = pace_due(offered->pace, slot);
    if (offered->pace.num % offered->pace.den == 0)
        return due_ns == exact_ns;
    return due_ns + 1 >= exact_ns && due_ns <= exact_ns + 1;
}

/* num/den as a decimal, without a point where it is whole; false: it has no end. */
static bool write_decimal(struct ratio r, FILE *out)
{
    u128 rest = r.num % r.den;
    char digits[32];
    size_t count = 0;
    while (rest != 0 && count < 30) {
        rest *= 10;
        digits[count++] = (char)('0' + (int)(rest / r.den));
        rest %= r.den;
    }
    digits[count] = '\0';
    if (rest != 0)
        return false;
    fprintf(out, "\"%" PRIu64 "%s%s\"", r.num / r.den, count > 0 ? "." : "", digits);
    return true;
}

static void write_count(FILE *out, const char *key, bool known, uint64_t value)
{
    if (known)
        fprintf(out, ", \"%s\": %" PRIu64, key, value);
    else
        fprintf(out, ", \"%s\": null", key);
}

static void write_pace(const struct offered *o, FILE *out)
{
    struct ratio rate = o->rate_per_s;
    bool whole = o->pace.den == 1;
    if (rate.num == 0 && whole)
        rate = ratio_make(NS_PER_S, o->pace.num);
    fputs(", \"rate\": ", out);
    if (rate.num == 0 || !write_decimal(rate, out))
        fputs("null", out);
    write_count(out, "every_ns", whole, o->pace.num);
}

void schedule_write_load(const struct offered *o, FILE *out)
{
    const struct catch_up *policy = o->late.params;
    bool limited = o->paced && o->late.type == &late_catch_up.is && policy->factor.num != 0;
    fprintf(out, "{\"kind\": \"%s\"", o->paced ? "paced" : "open");
    write_pace(o, out);
    fprintf(out, ", \"arrivals\": \"%s\"",
            o->random              ? "poisson"
            : o->listed_ns != NULL ? "listed"
                                   : "even");
    write_count(out, "connections", o->paced, o->connections);
    if (o->paced)
        fprintf(out, ", \"late\": \"%s\"", o->late.type->name);
    else
        fputs(", \"late\": null", out);
    fputs(", \"factor\": ", out);
    if (!limited || !write_decimal(policy->factor, out))
        fputs("null", out);
    write_count(out, "max_in_flight", o->window != UNLIMITED, o->window);
    write_count(out, "requests", o->requests != 0, o->requests);
    write_count(out, "duration_ns", o->duration_ns != 0, o->duration_ns);
    if (o->listed_ns != NULL) {
        fputs(", \"times_ns\": [", out);
        for (uint64_t i = 0; i < o->slots; i++)
            fprintf(out, "%s%" PRIu64, i > 0 ? ", " : "", o->listed_ns[i]);
        fputc(']', out);
    }
    fputc('}', out);
}
