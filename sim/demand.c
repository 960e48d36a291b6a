/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/sim.h"

/* Copy 0 has draw `number` of the stream, whatever was sent before it; further copies and parts
   draw from streams of their own, and of a list take the values behind it. */
static ns_t draw_ns(struct choice choice, struct stream stream, uint64_t number, uint64_t copy)
{
    ns_t out_ns;
    uint64_t index = distribution(choice)->random ? number : number + copy;
    distribution(choice)->draw(choice.params, stream, index, &out_ns, 1);
    return out_ns;
}

static struct stream stream_of_copy(struct stream stream, uint64_t copy)
{
    return copy == 0 ? stream : stream_at(stream, UINT64_MAX - copy);
}

static ns_t at_server_ns(struct sim *sim, uint64_t number, uint64_t copy)
{
    struct choice service = sim->server->service;
    if (copy > 0)
        return draw_ns(service, stream_of_copy(sim->service.stream, copy), number, copy);
    return ahead_ns(&sim->service, number);
}

/* UINT64_MAX - copy is an index of its own for copy 0 too, apart from that of the chance. */
static ns_t on_network_ns(struct sim *sim, uint64_t number, uint64_t copy)
{
    const struct network *network = &sim->server->network;
    struct stream own =
        copy == 0 ? sim->network_stream : stream_at(sim->network_stream, UINT64_MAX - 1 - copy);
    uint64_t word = stream_word(stream_at(own, UINT64_MAX), number);
    if (network->probability.num < network->probability.den &&
        !happens(word, ratio_double(network->probability)))
        return 0;
    return draw_ns(network->delay, own, number, copy);
}

ns_t demand_ns(struct sim *sim, uint64_t number, uint64_t copy, enum stage stage)
{
    uint64_t drawn_as = sim->load->work == WORK_PER_REQUEST ? 0 : copy;
    switch (stage) {
    case STAGE_GENERATOR: return sim->load->generator.cost_ns;
    case STAGE_NETWORK: return on_network_ns(sim, number, copy);
    case STAGE_SERVER: return at_server_ns(sim, number, drawn_as);
    case STAGE_BEHIND:
        return draw_ns(sim->server->behind.service, stream_of_copy(sim->behind_stream, drawn_as),
                       number, drawn_as);
    case STAGE_CLIENT: return sim->load->overhead_ns;
    }
    BUG("a stage outside its enum");
}

/* work * (1 + dependence * others), rounded half to even. */
ns_t demand_among_ns(struct sim *sim, ns_t work_ns, uint64_t others)
{
    struct ratio each = sim->server->load_dependence;
    if (each.num == 0 || others == 0 || work_ns == 0)
        return work_ns;
    u128 times = (u128)each.num * others;
    if (times >= NS_LIMIT || times / each.den >= NS_LIMIT / work_ns) {
        sim->overflow = true;
        return work_ns;
    }
    u128 product = (u128)work_ns * (uint64_t)times;
    u128 total_ns = work_ns + product / each.den, rest = product % each.den;
    bool up = rest > each.den - rest || (rest == each.den - rest && total_ns % 2 == 1);
    return (ns_t)(total_ns + up);
}
