/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/scenario/tables.h"

#include "models/policies/resend.h"
#include "models/registry.h"
#include "models/stores/store.h"
#include "sim/scenario/rules.h"

/* Words become enums by their index. */
static const char *const instant_words[] = {
    [INSTANT_DUE] = "due",         [INSTANT_ACQUIRED] = "acquired", [INSTANT_SENT] = "sent",
    [INSTANT_STARTED] = "started", [INSTANT_FINISHED] = "finished", NULL,
};
static const char *const failure_words[] = {
    [FAILURES_DROPPED] = "dropped",
    [FAILURES_TIMEOUT] = "timeout",
    [FAILURES_END] = "end",
    [FAILURES_INFINITE] = "infinite",
    NULL,
};
static const char *const start_words[] = {
    [START_DEFAULT] = "default",
    [START_EMPTY] = "empty",
    [START_STATIONARY] = "stationary",
    NULL,
};
static const char *const unit_words[] = {
    [UNIT_AUTO] = "auto",
    [UNIT_NS] = "ns",
    [UNIT_US] = "us",
    [UNIT_MS] = "ms",
    [UNIT_S] = "s",
    [UNIT_MIN] = "min",
    NULL,
};
static const char *const work_words[] = {
    [WORK_PER_ATTEMPT] = "per-attempt",
    [WORK_PER_REQUEST] = "per-request",
    NULL,
};
static const char *const part_words[] = {
    [PART_NONE] = "none",
    [PART_QUEUE] = "queue",
    [PART_STALL] = "stall",
    [PART_SERVICE] = "service",
    NULL,
};
static const char *const merge_words[] = {
    [MERGE_COUNTS] = "counts",
    [MERGE_AVERAGE] = "average",
    NULL,
};

#define AT(member) offsetof(struct generator, member)
static const struct key generator_keys[] = {
    {.field = {"cost", FIELD_DURATION, AT(cost_ns), .required = true, .min = 1,
               .says = "time of one of the client's threads that each send takes"}},
    {.field = {"threads", FIELD_COUNT, AT(threads), .min = 1, .absent = "1",
               .says = "threads that send, first come, first served"}},
};
#undef AT
static const struct object object_generator = {
    .name = "generator",
    .says = "what sending costs the client",
    .keys = generator_keys,
    .key_count = FIELD_COUNT_OF(generator_keys),
    .size = sizeof(struct generator),
};

static bool has_no_timeout(const void *read)
{
    return ((const struct load_plan *)read)->timeout_ns == 0;
}

static bool sending_is_free(const void *read)
{
    return ((const struct load_plan *)read)->generator.cost_ns == 0;
}

#define AT(member) offsetof(struct load_plan, member)
static const struct key load_keys[] = {
    {.field = {"timeout", FIELD_DURATION, AT(timeout_ns), .min = 1,
               .says = "after its send a client gives a request up"}},
    {.field = {"timeout_cancel", FIELD_WORD, AT(timeout_cancel), .absent = "\"none\"",
               .words = cancel_words,
               .says = "what becomes of a copy that long after its own send: none is taken back, "
                       "or one not begun, or any"},
     .left_out = has_no_timeout},
    {.field = {"idempotent", FIELD_BOOL, AT(idempotent), .absent = "true",
               .says = "false: a copy might do harm, so none is sent"}},
    {.field = {"work", FIELD_WORD, AT(work), .absent = "\"per-attempt\"", .words = work_words,
               .says = "whether each copy or part draws its own work, or all share the request's"}},
    {.field = {"fan_out", FIELD_COUNT, AT(fan_out), .min = 1, .max = REPLICAS_MOST, .absent = "1",
               .says = "parts of a request, each to another replica"}},
    {.field = {"wait_for", FIELD_COUNT, AT(wait_for), .min = 1, .max = REPLICAS_MOST,
               .says = "a request is answered when so many parts are; by default all"}},
    {.field = {"generator", .offset = AT(generator), .says = "what sending costs the client"},
     .shape = SHAPE_OBJECT,
     .object = &object_generator,
     .optional = true,
     .left_out = sending_is_free},
    {.field = {"overhead", FIELD_DURATION, AT(overhead_ns),
               .says = "the client's own time for each answer, after it is back"}},
};
static const struct one_of load_variants[] = {
    {&set_loads, AT(kind), .optional = false},
    {&set_resend, AT(resend), .optional = true},
};
#undef AT
static const struct object object_load = {
    .name = "load",
    .says = "who sends and when",
    .keys = load_keys,
    .key_count = FIELD_COUNT_OF(load_keys),
    .size = sizeof(struct load_plan),
    .one_of = load_variants,
    .one_of_count = FIELD_COUNT_OF(load_variants),
    .rules = rules_load,
};

static bool times_a_part(const void *read)
{
    return ((const struct recorder_plan *)read)->part != PART_NONE;
}

static bool times_no_part(const void *read)
{
    return !times_a_part(read);
}

#define AT(member) offsetof(struct recorder_plan, member)
static const struct key recorder_keys[] = {
    {.field = {"load", .offset = AT(load), .required = true,
               .says = "the load whose requests it watches"},
     .shape = SHAPE_LOAD},
    {.field = {"from", FIELD_WORD, AT(from), .words = instant_words,
               .says = "the instant its stopwatch starts"},
     .falls_back = true,
     .left_out = times_a_part},
    {.field = {"to", FIELD_WORD, AT(to), .words = instant_words, .absent = "\"finished\"",
               .says = "the instant its stopwatch stops"},
     .left_out = times_a_part},
    {.field = {"part", FIELD_WORD, AT(part), .absent = "\"none\"", .words = part_words,
               .says = "instead of from and to: what of the time from send to finish was spent in "
                       "the queue, in stalls or in service"},
     .left_out = times_no_part},
    {.field = {"per", .absent = "\"run\"",
               .says = "a histogram for the whole run, or for each client, each replica, or each "
                       "window of due instants: {\"window\": \"1s\"}"},
     .shape = SHAPE_PER},
    {.field = {"merge", FIELD_WORD, AT(merge), .absent = "\"counts\"", .words = merge_words,
               .says = "how several histograms make one figure: their counts are added, or (the "
                       "mistake) their percentiles averaged"}},
    {.field = {"expected_interval", FIELD_DURATION, AT(correction), .min = 1,
               .says = "the correction hdr with this interval"},
     .shape = SHAPE_INTERVAL},
    {.field = {"correction", FIELD_VARIANT, AT(correction), .set = &set_corrections,
               .says = "samples added for sends that were held back"}},
    {.field = {"store", FIELD_VARIANT, AT(store), .absent = "\"exact\"", .set = &set_stores,
               .says = "where samples are kept"}},
    {.field = {"rank", FIELD_VARIANT, AT(rank), .set = &set_ranks,
               .says = "which sample a percentile is; by default as the report says"},
     .falls_back = true},
    {.field = {"failures", FIELD_WORD, AT(failures), .words = failure_words,
               .absent = "\"dropped\"", .says = "how requests without an answer count"}},
    {.field = {"warmup", FIELD_DURATION, AT(warmup_ns),
               .says = "requests due before it are left out; by default as the run says"},
     .falls_back = true},
    {.field = {"truth", .offset = AT(truth),
               .says = "the load whose schedule is what users wanted"},
     .shape = SHAPE_LOAD},
};
#undef AT
static const char *const recorder_needs[] = {"from", "part", NULL};
static const struct object object_recorder = {
    .name = "recorder",
    .says = "a stopwatch over a load, a correction, a store and a rank rule",
    .keys = recorder_keys,
    .key_count = FIELD_COUNT_OF(recorder_keys),
    .size = sizeof(struct recorder_plan),
    .needs = recorder_needs,
    .rules = rules_recorder,
};

#define AT(member) offsetof(struct run_plan, member)
static const struct key detect_keys[] = {
    {.field = {"percentile", .offset = AT(detect_p), .required = true,
               .says = "one of the report's percentiles"},
     .shape = SHAPE_PERCENTILE},
    {.field = {"within", .offset = AT(detect_within), .required = true,
               .says = "a law that is off by this share of the percentile must be found out"},
     .shape = SHAPE_SHARE},
};
static const struct object object_detect = {
    .name = "detect",
    .says = "the smallest error of a percentile that the run must be able to show",
    .keys = detect_keys,
    .key_count = FIELD_COUNT_OF(detect_keys),
    .size = sizeof(struct run_plan), /* it is a part of it */
};

static const struct key run_keys[] = {
    {.field = {"requests", FIELD_COUNT, AT(requests), .min = 1,
               .says = "due slots or sends that end the run"}},
    {.field = {"duration", FIELD_DURATION, AT(duration_ns), .min = 1,
               .says = "arrivals in [0, duration) are taken"}},
    {.field = {"warmup", FIELD_DURATION, AT(warmup_ns),
               .says = "requests due before it are not recorded"}},
    {.field = {"replications", FIELD_COUNT, AT(replications), .min = 1, .max = 1000000,
               .says = "independent runs, pooled; by default 1 where nothing is random, else 32"}},
    {.field = {"seed", .offset = AT(seed), .absent = "1", .says = "of all random streams"},
     .shape = SHAPE_SEED},
    {.field =
         {"start", FIELD_WORD, AT(start), .words = start_words, .absent = "\"default\"",
          .says =
              "empty, or the state drawn from the law; by default the latter where there is one"}},
    {.field = {"cut", FIELD_DURATION, AT(cut_ns), .min = 1,
               .says = "when the run is cut; without it every request is followed to its end"}},
    {.field = {"detect", .says = "sizes the run, instead of requests and duration"},
     .shape = SHAPE_OBJECT,
     .object = &object_detect,
     .optional = true},
};
#undef AT
static const struct object object_run = {
    "run",
    "how long, how often, from what state",
    .keys = run_keys,
    .key_count = FIELD_COUNT_OF(run_keys),
    .size = sizeof(struct run_plan),
    .rules = rules_run,
};

#define AT(member) offsetof(struct report_plan, member)
static const struct key report_keys[] = {
    {.field = {"percentiles", .offset = AT(percentiles), .absent = "[50, 90, 99, 99.9, 100]",
               .says = "percentiles to report"},
     .shape = SHAPE_PERCENTILES,
     .count_offset = AT(percentile_count)},
    {.field = {"rank", FIELD_VARIANT, AT(rank), .absent = "\"nearest\"", .set = &set_ranks,
               .says = "which sample a percentile is"}},
    {.field = {"above", .offset = AT(above),
               .says = "thresholds whose share of samples above is reported"},
     .shape = SHAPE_THRESHOLDS,
     .count_offset = AT(above_count)},
    {.field = {"unit", FIELD_WORD, AT(unit), .words = unit_words, .absent = "\"auto\"",
               .says = "the unit of text tables"}},
};
#undef AT
static const struct object object_report = {
    .name = "report",
    .says = "what the table shows",
    .keys = report_keys,
    .key_count = FIELD_COUNT_OF(report_keys),
    .size = sizeof(struct report_plan),
};

/* Read in this order, whatever the order in the file: recorders name loads and fall back on run and
   report. */
#define AT(member) offsetof(struct plan, member)
static const struct key scenario_keys[] = {
    {.field = {"$schema", .says = "the JSON Schema of this file, for editors"},
     .shape = SHAPE_TEXT,
     .forgotten = true},
    {.field = {"title", .offset = AT(title), .absent = "\"\"", .says = "one line"},
     .shape = SHAPE_TEXT},
    {.field = {"about", .offset = AT(about), .says = "what it shows"},
     .shape = SHAPE_TEXTS,
     .count_offset = AT(about_count)},
    {.field = {"claims", .offset = AT(claims), .says = "ids of the statements it bears out"},
     .shape = SHAPE_TEXTS,
     .count_offset = AT(claim_count)},
    {.field = {"server", .offset = AT(server), .required = true,
               .says = "what answers the requests"},
     .shape = SHAPE_OBJECT,
     .object = &object_server},
    {.field = {"loads", .offset = AT(loads), .required = true,
               .says = "who sends and when, by name"},
     .shape = SHAPE_MAP,
     .count_offset = AT(load_count),
     .object = &object_load},
    {.field = {"run", .offset = AT(run), .absent = "{}",
               .says = "how long, how often, from what state"},
     .shape = SHAPE_OBJECT,
     .object = &object_run},
    {.field = {"report", .offset = AT(report), .absent = "{}", .says = "what the table shows"},
     .shape = SHAPE_OBJECT,
     .object = &object_report},
    {.field = {"recorders", .offset = AT(recorders), .required = true,
               .says = "what watches the loads, by name"},
     .shape = SHAPE_MAP,
     .count_offset = AT(recorder_count),
     .object = &object_recorder},
    {.field = {"expect", .offset = AT(expectations),
               .says = "figures it must show, by recorder or load"},
     .shape = SHAPE_EXPECTATIONS,
     .count_offset = AT(expectation_count)},
    {.field = {"sweep", .offset = AT(sweeps),
               .says = "paths that take several values in turn; every combination is a run"},
     .shape = SHAPE_SWEEP,
     .count_offset = AT(sweep_count)},
    {.field = {"experiment", FIELD_VARIANT, AT(experiment), .set = &set_experiments,
               .says = "several runs of this scenario, and what they show together"}},
};
#undef AT
const struct object object_scenario = {
    .name = "scenario",
    .says = "a server, loads and recorders",
    .keys = scenario_keys,
    .key_count = FIELD_COUNT_OF(scenario_keys),
    .size = sizeof(struct plan),
    .rules = rules_scenario,
};

const struct figure_name figure_names[] = {
    {"p", false, FIGURE_TIME, true},           {"max", false, FIGURE_TIME, false},
    {"min", false, FIGURE_TIME, false},        {"count", false, FIGURE_NUMBER, false},
    {"added", false, FIGURE_NUMBER, false},    {"sum", false, FIGURE_TIME, false},
    {"mean", false, FIGURE_TIME, false},       {"above ", false, FIGURE_SHARE, true},
    {"sent", true, FIGURE_NUMBER, false},      {"attempts", true, FIGURE_NUMBER, false},
    {"answered", true, FIGURE_NUMBER, false},  {"failed", true, FIGURE_NUMBER, false},
    {"dropped", true, FIGURE_NUMBER, false},   {"stalls", true, FIGURE_NUMBER, false},
    {"last_answer", true, FIGURE_TIME, false}, {"in_flight_max", true, FIGURE_NUMBER, false},
    {"timed_out", true, FIGURE_NUMBER, false}, {"refused", true, FIGURE_NUMBER, false},
    {"withheld", true, FIGURE_NUMBER, false},  {"cancelled", true, FIGURE_NUMBER, false},
    {"wasted", true, FIGURE_NUMBER, false},    {"throttled", true, FIGURE_NUMBER, false},
    {"periods", true, FIGURE_NUMBER, false},
};
const size_t figure_name_count = FIELD_COUNT_OF(figure_names);
