/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/conform/load_facts.h"

#include "models/loads/load.h"

ns_t load_interval_ns(const struct load_plan *load)
{
    struct open_load offered;
    const struct load_type *kind = load_kind(load->kind);
    if (!kind->offers(load->kind.params, &offered) || !arrivals(offered.arrivals)->paced)
        return 0;
    struct pace pace = pace_of(offered.rate_per_s, offered.every_ns);
    return pace.num % pace.den == 0 ? pace.num / pace.den : 0;
}

uint64_t load_connections(const struct load_plan *load)
{
    return load_kind(load->kind)->in_flight_limit(load->kind.params);
}
