/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The server and what it is made of. */

#include "models/registry.h"
#include "models/stalls/stall.h"
#include "sim/scenario/rules.h"
#include "sim/scenario/tables.h"

static bool stall_is_random(const void *read)
{
    const struct stall *stall = read;
    return stall->up.type != NULL || stall->down.type != NULL;
}

static bool names_no_factor(const void *read)
{
    const struct stall_type *mode = ((const struct stall *)read)->mode;
    return mode == NULL || !mode->slows || mode->names_share;
}

static bool names_no_share(const void *read)
{
    const struct stall_type *mode = ((const struct stall *)read)->mode;
    return mode == NULL || !mode->slows || !mode->names_share;
}

#define AT(member) offsetof(struct stall, member)
static const struct key stall_keys[] = {
    {.field = {"mode", .offset = AT(mode), .required = true, .set = &set_stalls,
               .says = "what happens to requests meanwhile"},
     .shape = SHAPE_MODE},
    {.field = {"first", FIELD_DURATION, AT(first_ns), .says = "when the first one begins"},
     .falls_back = true,
     .left_out = stall_is_random},
    {.field = {"every", FIELD_DURATION, AT(every_ns), .min = 1,
               .says = "from one beginning to the next; without it there is one stall"}},
    {.field = {"last", FIELD_DURATION, AT(last_ns), .says = "how long each lasts"},
     .falls_back = true,
     .left_out = stall_is_random},
    {.field = {"up", FIELD_VARIANT, AT(up), .set = &set_distributions,
               .says = "at random: how long the server is there, first and between two stalls; "
                       "with down, instead of first, every and last"}},
    {.field = {"down", FIELD_VARIANT, AT(down), .set = &set_distributions,
               .says = "at random: how long each lasts"}},
    {.field = {"factor", .offset = AT(lost),
               .says = "of slowdown: the part of full speed that is left"},
     .shape = SHAPE_FACTOR,
     .left_out = names_no_factor},
    {.field = {"share", .offset = AT(lost), .says = "of neighbour: the share that it takes"},
     .shape = SHAPE_SHARE,
     .left_out = names_no_share},
    {.field = {"halves", FIELD_DURATION, AT(halves_ns), .min = 1,
               .says = "what is lost of the speed halves each time this has passed; without it "
                       "nothing comes back before the end"}},
    {.field = {"target", .absent = "\"server\"",
               .says = "what it strikes: every replica of the server, one of them by its number "
                       "from 0, the station behind, the network or the generator"},
     .shape = SHAPE_TARGET},
};
#undef AT
static const char *const stall_needs[] = {"first", "up", NULL};
static const struct object object_stall = {
    .name = "stall",
    .says = "a disturbance: a pause, refusals or a loss of speed",
    .keys = stall_keys,
    .key_count = FIELD_COUNT_OF(stall_keys),
    .size = sizeof(struct stall),
    .needs = stall_needs,
    .rules = rules_stall,
};

#define AT(member) offsetof(struct quota, member)
static const struct key quota_keys[] = {
    {.field = {"budget", FIELD_DURATION, AT(budget_ns), .required = true, .min = 1,
               .says = "work of a period, over all workers; then everything stops until the next"}},
    {.field = {"period", FIELD_DURATION, AT(period_ns), .absent = "\"100ms\"", .min = 1,
               .says = "from one budget to the next"}},
    {.field = {"shared", FIELD_BOOL, AT(shared), .absent = "false",
               .says = "the client's sender threads spend the same budget, and stop too"}},
};
#undef AT
static const struct object object_quota = {
    .name = "quota",
    .says = "a limit on processor time, as of a container",
    .keys = quota_keys,
    .key_count = FIELD_COUNT_OF(quota_keys),
    .size = sizeof(struct quota),
};

#define AT(member) offsetof(struct behind, member)
static const struct key behind_keys[] = {
    {.field = {"service", FIELD_VARIANT, AT(service), .required = true, .set = &set_distributions,
               .says = "the work of one request there"}},
    {.field = {"workers", FIELD_COUNT, AT(workers), .min = 1, .absent = "1", .word = "unlimited",
               .word_value = UNLIMITED, .says = "requests served at once: connections of a pool"}},
    {.field = {"queue", FIELD_VARIANT, AT(queue), .absent = "\"fifo\"", .set = &set_queues,
               .says = "who is served next"}},
    {.field = {"keeps_worker", FIELD_BOOL, AT(keeps_worker), .absent = "false",
               .says = "the first station's worker waits for the answer of the second"}},
};
#undef AT
static const struct object object_behind = {
    .name = "station behind",
    .says = "a second station that every request passes after the first",
    .keys = behind_keys,
    .key_count = FIELD_COUNT_OF(behind_keys),
    .size = sizeof(struct behind),
};

#define AT(member) offsetof(struct network, member)
static const struct key network_keys[] = {
    {.field = {"delay", FIELD_VARIANT, AT(delay), .required = true, .set = &set_distributions,
               .says = "on the way to the server"}},
    {.field = {"probability", FIELD_RATIO, AT(probability), .absent = "1", .above_min = true,
               .max = 1, .says = "of a delay; others take no time"}},
};
#undef AT
static const struct object object_network = {
    .name = "network",
    .says = "the way from the clients to the server",
    .keys = network_keys,
    .key_count = FIELD_COUNT_OF(network_keys),
    .size = sizeof(struct network),
};

static bool server_is_alone(const void *read)
{
    return ((const struct server *)read)->replicas == 1;
}

static bool has_no_quota(const void *read)
{
    return ((const struct server *)read)->quota.budget_ns == 0;
}

static bool has_nothing_behind(const void *read)
{
    return ((const struct server *)read)->behind.service.type == NULL;
}

static bool has_no_network(const void *read)
{
    return ((const struct server *)read)->network.delay.type == NULL;
}

#define AT(member) offsetof(struct server, member)
static const struct key server_keys[] = {
    {.field = {"service", FIELD_VARIANT, AT(service), .required = true, .set = &set_distributions,
               .says = "the work of one request"}},
    {.field = {"workers", FIELD_COUNT, AT(workers), .min = 1, .absent = "1", .word = "unlimited",
               .word_value = UNLIMITED, .says = "requests served at once"}},
    {.field = {"queue", FIELD_VARIANT, AT(queue), .absent = "\"fifo\"", .set = &set_queues,
               .says = "who is served next"}},
    {.field = {"queue_limit", FIELD_COUNT, AT(queue_limit), .absent = "\"unlimited\"",
               .word = "unlimited", .word_value = UNLIMITED,
               .says = "waiting requests at most; others are refused"}},
    {.field = {"stalls", .offset = AT(stalls), .says = "when the server is away or slow"},
     .shape = SHAPE_LIST,
     .count_offset = AT(stall_count),
     .object = &object_stall},
    {.field = {"replicas", FIELD_COUNT, AT(replicas), .min = 1, .max = REPLICAS_MOST, .absent = "1",
               .says = "servers like this one, each with its own queue"}},
    {.field = {"routing", FIELD_VARIANT, AT(routing), .absent = "\"random\"", .set = &set_routing,
               .says = "which of several replicas a request goes to"},
     .left_out = server_is_alone},
    {.field = {"load_dependence", FIELD_RATIO, AT(load_dependence),
               .says = "each other request there makes a service that begins longer by this "
                       "share"}},
    {.field = {"quota", .offset = AT(quota),
               .says = "a limit on processor time, as of a container"},
     .shape = SHAPE_OBJECT,
     .object = &object_quota,
     .optional = true,
     .left_out = has_no_quota},
    {.field = {"behind", .offset = AT(behind),
               .says = "a second station that every request passes after the first"},
     .shape = SHAPE_OBJECT,
     .object = &object_behind,
     .optional = true,
     .left_out = has_nothing_behind},
    {.field = {"network", .offset = AT(network), .says = "the way from the clients to the server"},
     .shape = SHAPE_OBJECT,
     .object = &object_network,
     .optional = true,
     .left_out = has_no_network},
};
#undef AT
const struct object object_server = {
    .name = "server",
    .says = "what answers the requests",
    .keys = server_keys,
    .key_count = FIELD_COUNT_OF(server_keys),
    .size = sizeof(struct server),
    .rules = rules_server,
};
