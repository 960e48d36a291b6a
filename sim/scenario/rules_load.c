/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What holds between the keys of a load. */

#include "models/policies/resend.h"
#include "sim/scenario/rules.h"

/* True where the parts of a request have a replica each, or the server is wrong anyway. */
static bool parts_fit(const struct reading *r, const struct load_plan *load)
{
    uint32_t server = member(r, 0, "server");
    bool known = server != SCAN_NONE && type_of(r, server) == SCAN_OBJECT &&
                 (!has(r, server, "replicas") || has_good(r, server, "replicas"));
    return !known || load->fan_out <= r->plan->server.replicas;
}

/* What the engine finds in every load, whether or not the scenario has a key for it. */
static void default_load(struct load_plan *load)
{
    if (load->generator.cost_ns == 0)
        load->generator.threads = 1;
    struct resend *resend = load->resend.params;
    if (resend != NULL && resend->backoff.den == 0)
        resend->backoff = (struct ratio){1, 1};
    if (resend != NULL && resend->jitter.den == 0)
        resend->jitter = (struct ratio){0, 1};
}

static void check_copies(struct reading *r, uint32_t value, const struct load_plan *load)
{
    bool parts = !has(r, value, "fan_out") || has_good(r, value, "fan_out");
    if (has(r, value, "timeout_cancel") && !has(r, value, "timeout"))
        fault_at_key(r, member(r, value, "timeout_cancel"),
                     "\"timeout_cancel\" stands without \"timeout\"; allowed: beside it");
    if (has_good(r, value, "wait_for") && parts && load->wait_for > load->fan_out)
        fault_at(r, member(r, value, "wait_for"),
                 "found %llu answers of a request with %llu part%s; allowed: at most as many as "
                 "\"fan_out\" says",
                 (unsigned long long)load->wait_for, (unsigned long long)load->fan_out,
                 load->fan_out == 1 ? "" : "s");
    bool copies = load->resend.type != NULL || load->fan_out > 1;
    if (has_good(r, value, "work") && load->work == WORK_PER_REQUEST && parts && !copies)
        fault_at(r, member(r, value, "work"),
                 "found \"per-request\" where a request has no further copies; allowed: beside "
                 "\"retry\", \"hedge\", \"tied\" or a \"fan_out\" above 1");
}

void rules_load(struct reading *r, uint32_t value, void *read)
{
    struct load_plan *load = read;
    default_load(load);
    scan_place(&r->scan, r->scan.values[value].key_start - 1, &r->load_place);
    load->line = r->load_place.line;
    load->column = r->load_place.column;
    const char *resend = load->resend.type == NULL ? NULL : load->resend.type->name;
    if (has_good(r, value, "fan_out") && load->fan_out > 1 && resend != NULL)
        fault_at_key(r, member(r, value, resend),
                     "\"%s\" stands beside a \"fan_out\" of %llu; allowed: copies of whole "
                     "requests, or parts without copies",
                     resend, (unsigned long long)load->fan_out);
    if (has_good(r, value, "fan_out") && !parts_fit(r, load))
        fault_at(r, member(r, value, "fan_out"),
                 "found %llu parts; allowed: at most one for each of the server's replicas, of "
                 "which there %s %llu",
                 (unsigned long long)load->fan_out, r->plan->server.replicas == 1 ? "is" : "are",
                 (unsigned long long)r->plan->server.replicas);
    check_copies(r, value, load);
}
