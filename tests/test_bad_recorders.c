/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Recorders, runs, reports and stated figures with one fault each, and every word of the answer. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "tests/scenario_text.h"

#define DURATION \
    "a duration, as \"1.5ms\": decimal digits and one of ns us ms s min, or a whole number of ns"
#define RATIO "a number of at most 18 digits"

static const struct {
    struct parts parts;
    const char *faults;
} cases[] = {
    {{.recorders = "{}"},
     "s:3:14: /recorders: found an empty object; allowed: an object with at least one recorder, by "
     "name\n"},
    {{.recorders = "{\"r\": {\"from\": \"due\"}}"},
     "s:3:20: /recorders/r: missing key \"load\": the load whose requests it watches\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\"}}"},
     "s:3:20: /recorders/r: missing key \"from\": the instant its stopwatch starts\n"},
    {{.recorders = "{\"r\": {\"load\": \"aa\", \"from\": \"due\"}}"},
     "s:3:29: /recorders/r/load: found \"aa\", which names no load; nearest: \"a\"; allowed: "
     "\"a\"\n"},
    {{.recorders = "{\"r\": {\"load\": 1, \"from\": \"due\"}}"},
     "s:3:29: /recorders/r/load: found 1; allowed: the name of a load\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"sned\"}}"},
     "s:3:42: /recorders/r/from: found \"sned\"; nearest: \"sent\"; allowed: \"due\", "
     "\"acquired\", \"sent\", \"started\", \"finished\"\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"finished\"}}"},
     "s:3:42: /recorders/r/from: found a stopwatch from \"finished\" to \"finished\"; allowed: "
     "from \"due\", \"acquired\", \"sent\" or \"started\" to \"finished\", or from \"due\" to "
     "\"sent\" (send lag)\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"sent\", \"to\": \"due\"}}"},
     "s:3:56: /recorders/r/to: found a stopwatch from \"sent\" to \"due\"; allowed: from \"due\", "
     "\"acquired\", \"sent\" or \"started\" to \"finished\", or from \"due\" to \"sent\" (send "
     "lag)\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"to\": \"started\"}}"},
     "s:3:55: /recorders/r/to: found a stopwatch from \"due\" to \"started\"; allowed: from "
     "\"due\", \"acquired\", \"sent\" or \"started\" to \"finished\", or from \"due\" to \"sent\" "
     "(send lag); or \"part\": \"queue\" alone, the time in queue\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"expected_interval\": 0}}"},
     "s:3:70: /recorders/r/expected_interval: found 0; allowed: " DURATION ", at least 1ns\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"expected_interval\": 1, "
                   "\"correction\": {\"hdr\": 1}}}"},
     "s:3:49: /recorders/r/expected_interval: stands beside \"correction\"; allowed: one of "
     "them\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"correction\": {\"hdr\": 0}}}"},
     "s:3:71: /recorders/r/correction/hdr: found 0; allowed: " DURATION ", at least 1ns\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"correction\": \"hdr\"}}"},
     "s:3:63: /recorders/r/correction: missing key \"interval\" (the interval e at which samples "
     "were expected); allowed: " DURATION ", at least 1ns\n"},
    {{.recorders =
          "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"correction\": {\"wrk\": \"1.5us\"}}}"},
     "s:3:71: /recorders/r/correction/wrk: impossible \"wrk\": wrk counts in whole us: its "
     "interval must be a whole number of us\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"store\": {\"hdr\": 6}}}"},
     "s:3:66: /recorders/r/store/hdr: found 6; allowed: a whole number, at least 1, at most 5\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"store\": {\"hdr\": {\"lowest\": "
                   "5, \"highest\": 9}}}}"},
     "s:3:66: /recorders/r/store/hdr: impossible \"hdr\": highest must be at least twice lowest\n"},
    {{.recorders =
          "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"store\": {\"hdr\": {\"clamp\": 1}}}}"},
     "s:3:76: /recorders/r/store/hdr/clamp: found 1; allowed: true or false\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"rank\": \"type10\"}}"},
     "s:3:57: /recorders/r/rank: found \"type10\"; nearest: \"type1\"; allowed: "
     "<<ranks>>\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"rank\": {\"nearest\": 1}}}"},
     "s:3:69: /recorders/r/rank/nearest: found 1; allowed: {}, as \"nearest\" takes no "
     "parameters\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"failures\": \"ignored\"}}"},
     "s:3:61: /recorders/r/failures: found \"ignored\"; allowed: \"dropped\", \"timeout\", "
     "\"end\", \"infinite\"\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"truth\": \"b\"}}"},
     "s:3:58: /recorders/r/truth: found \"b\", which names no load; allowed: \"a\"\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"sent\", \"truth\": \"a\"}}",
      .loads = "{\"a\": {\"closed\": 1}}"},
     "s:3:59: /recorders/r/truth: found a closed load, which offers no rate; allowed: an open or "
     "paced load\n"},
    {{.run = "{}"},
     "s:4:8: /run: missing key \"requests\", \"duration\" or \"detect\": load \"a\" never ends by "
     "itself\n"},
    {{.run = "{\"requests\": 0}"},
     "s:4:21: /run/requests: found 0; allowed: a whole number, at least 1\n"},
    {{.run = "{\"requests\": 1.5}"},
     "s:4:21: /run/requests: found 1.5; allowed: a whole number, at least 1\n"},
    {{.run = "{\"requests\": 1e20}"},
     "s:4:21: /run/requests: found 1e20 (2^64 or more); allowed: a whole number, at least 1\n"},
    {{.run = "{\"requests\": 18446744073709551616}"},
     "s:4:21: /run/requests: found 18446744073709551616 (2^64 or more); allowed: a whole "
     "number, at least 1\n"},
    {{.run = "{\"requests\": 18446744073709551615}"},
     "s:4:21: /run/requests: found a run of more than 146 years; allowed: fewer requests, or a "
     "duration beside them\n"},
    {{.run = "{\"duration\": 0}"},
     "s:4:21: /run/duration: found 0; allowed: " DURATION ", at least 1ns\n"},
    {{.run = "{\"duration\": \"1s\", \"warmup\": \"1s\"}"},
     "s:4:37: /run/warmup: found a warm-up that leaves nothing; allowed: less than the duration\n"},
    {{.run = "{\"requests\": 1, \"replications\": 0}"},
     "s:4:40: /run/replications: found 0; allowed: a whole number, at least 1, at most 1000000\n"},
    {{.run = "{\"requests\": 1, \"replications\": 1000001}"},
     "s:4:40: /run/replications: found 1000001; allowed: a whole number, at least 1, at most "
     "1000000\n"},
    {{.run = "{\"requests\": 1, \"replications\": 2}"},
     "s:4:40: /run/replications: found 2; allowed: 1, as nothing here is random and every "
     "replication would be the same\n"},
    {{.run = "{\"requests\": 1, \"seed\": -1}"},
     "s:4:32: /run/seed: found -1; allowed: a whole number below 2^64, or a text of its digits\n"},
    {{.run = "{\"requests\": 1, \"seed\": \"18446744073709551616\"}"},
     "s:4:32: /run/seed: found \"18446744073709551616\"; allowed: a whole number below 2^64, or a "
     "text of its digits\n"},
    {{.run = "{\"requests\": 1, \"start\": \"stationray\"}"},
     "s:4:33: /run/start: found \"stationray\"; nearest: \"stationary\"; allowed: \"default\", "
     "\"empty\", \"stationary\"\n"},
    {{.run = "{\"detect\": {\"percentile\": 99}}"},
     "s:4:19: /run/detect: missing key \"within\": a law that is off by this share of the "
     "percentile must be found out\n"},
    {{.run = "{\"detect\": {\"percentile\": 100, \"within\": \"0%\"}}"},
     "s:4:34: /run/detect/percentile: found 100; allowed: a percentile above 0 and below 100, of "
     "at most 17 decimals\ns:4:49: /run/detect/within: found \"0%\"; allowed: a percentage such as "
     "\"1%\", or a number, as 0.01: above 0 and below all of it\n"},
    {{.run = "{\"detect\": {\"percentile\": 99, \"within\": \"1\"}}"},
     "s:4:48: /run/detect/within: found \"1\"; allowed: a percentage such as \"1%\", or a number, "
     "as 0.01: above 0 and below all of it\n"},
    {{.run = "{\"detect\": {\"percentile\": 99, \"within\": 1.0}}"},
     "s:4:48: /run/detect/within: found 1.0; allowed: a percentage such as \"1%\", or a number, as "
     "0.01: above 0 and below all of it\n"},
    {{.run = "{\"requests\": 5, \"detect\": {\"percentile\": 99, \"within\": \"1%\"}, "
             "\"duration\": 5}"},
     "s:4:9: /run/requests: \"requests\" stands beside \"detect\"; allowed: one of them, as detect "
     "says how long the run is\ns:4:70: /run/duration: \"duration\" stands beside \"detect\"; "
     "allowed: one of them, as detect says how long the run is\n"},
    {{.run = "{\"detect\": {\"percentile\": 99, \"within\": \"1%\"}}"},
     "s:4:9: /run/detect: found \"detect\" where nothing is random; allowed: \"requests\" or "
     "\"duration\", as an exact check finds any error\n"},
    {{.run = "{\"detect\": 99}"},
     "s:4:19: /run/detect: found 99; allowed: an object: the smallest error of a percentile that "
     "the run must be able to show; its keys: \"percentile\", \"within\"\n"},
    {{.server = "{\"service\": {\"exponential\": 1}}",
      .run = "{\"detect\": {\"percentile\": 98, \"within\": \"1%\"}}"},
     "s:4:34: /run/detect/percentile: found 98, which the report does not show; allowed: \"50\", "
     "\"90\", \"99\", \"99.9\"\n"},
    {{.more = ", \"swepe\": {}"},
     "s:4:26: /swepe: unknown key \"swepe\"; nearest: \"sweep\"; allowed: \"$schema\", \"title\", "
     "\"about\", \"claims\", \"server\", \"loads\", \"run\", \"report\", \"recorders\", "
     "\"expect\", \"sweep\", \"experiment\"\n"},
    {{.more = ", \"title\": 5"}, "s:4:35: /title: found 5; allowed: a text\n"},
    {{.more = ", \"about\": [\"a\", 5]"}, "s:4:41: /about/1: found 5; allowed: a text\n"},
    {{.more = ", \"run\": {}"},
     "s:4:26: /run: found the key \"run\" again; allowed: each key once (the first is at 4:1)\n"},
    {{.more = ", \"report\": {\"percentiles\": []}"},
     "s:4:52: /report/percentiles: found a list of 0; allowed: a list of percentiles, at least "
     "one, at most 1000 of them\n"},
    {{.more = ", \"report\": {\"percentiles\": [100.1]}"},
     "s:4:53: /report/percentiles/0: found 100.1; allowed: " RATIO ", at least 0, at most 100\n"},
    {{.more = ", \"report\": {\"percentiles\": [-1]}"},
     "s:4:53: /report/percentiles/0: found -1; allowed: " RATIO ", at least 0, at most 100\n"},
    {{.more = ", \"report\": {\"percentiles\": [\"99\"]}"},
     "s:4:53: /report/percentiles/0: found \"99\"; allowed: " RATIO ", at least 0, at most 100\n"},
    {{.more = ", \"report\": {\"percentiles\": [99.9, 99.90]}"},
     "s:4:59: /report/percentiles/1: found 99.9 again; allowed: each percentile once\n"},
    {{.more = ", \"report\": {\"percentiles\": [0.000000000000000001]}"},
     "s:4:53: /report/percentiles/0: found 0.000000000000000001; allowed: percentiles of at most "
     "17 decimals\n"},
    {{.more = ", \"report\": {\"above\": [\"1ms\", 1000000]}"},
     "s:4:54: /report/above/1: found 1ms again; allowed: each threshold once\n"},
    {{.more = ", \"report\": {\"unit\": \"m\"}"},
     "s:4:45: /report/unit: found \"m\"; nearest: \"ms\"; allowed: \"auto\", \"ns\", \"us\", "
     "\"ms\", \"s\", \"min\"\n"},
    {{.more = ", \"expect\": {\"x\": {}}"},
     "s:4:37: /expect/x: found \"x\", which names no recorder and no load; allowed: \"r\", "
     "\"a\"\n"},
    {{.more = ", \"expect\": {\"r\": {\"p98\": 1}}"},
     "s:4:43: /expect/r/p98: found \"p98\", no figure of this recorder (percentiles and thresholds "
     "as the report lists them); nearest: \"p90\"; allowed: \"p50\", \"p90\", \"p99\", \"p99.9\", "
     "\"p100\", \"max\", \"min\", \"count\", \"added\", \"sum\", \"mean\"\n"},
    {{.more = ", \"expect\": {\"r\": {\"p50\": 1, \"p50.0\": 1}}"},
     "s:4:53: /expect/r/p50.0: found \"p50\" again; allowed: each figure once\n"},
    {{.more = ", \"expect\": {\"a\": {\"p99\": 1}}"},
     "s:4:43: /expect/a/p99: found \"p99\", no figure of this load; allowed: \"sent\", "
     "\"attempts\", \"answered\", \"failed\", \"dropped\", \"stalls\", \"last_answer\", "
     "\"in_flight_max\", \"timed_out\", \"refused\", \"withheld\", \"cancelled\", "
     "\"wasted\", \"throttled\", \"periods\"\n"},
    {{.more = ", \"expect\": {\"r\": {\"sent\": 1}}"},
     "s:4:43: /expect/r/sent: found \"sent\", no figure of this recorder (percentiles and "
     "thresholds as the report lists them); allowed: \"p50\", \"p90\", \"p99\", \"p99.9\", "
     "\"p100\", \"max\", \"min\", \"count\", \"added\", \"sum\", \"mean\"\n"},
    {{.more = ", \"expect\": {\"r\": {\"count\": \"1\"}}"},
     "s:4:52: /expect/r/count: found \"1\"; allowed: a whole number, or null for unknown\n"},
    {{.more = ", \"expect\": {\"r\": {\"max\": \"1.00001ns\"}}"},
     "s:4:50: /expect/r/max: found \"1.00001ns\"; allowed: a duration with its unit, as \"1.5ms\", "
     "or a number of ns, both exact to thousandths of a ns; or null for unknown\n"},
    {{.more = ", \"expect\": {\"r\": {\"max\": -1}}"},
     "s:4:50: /expect/r/max: found -1; allowed: a duration with its unit, as \"1.5ms\", or a "
     "number of ns, both exact to thousandths of a ns; or null for unknown\n"},
    {{.more =
          ", \"report\": {\"above\": [\"1ms\"]}, \"expect\": {\"r\": {\"above 1ms\": \"100.1%\"}}"},
     "s:4:86: /expect/r/above 1ms: found \"100.1%\"; allowed: a whole number of samples, or a "
     "share of at most 9 decimals as \"39.82%\", or null for unknown\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"part\": \"queue\", \"from\": \"sent\"}}"},
     "s:3:51: /recorders/r/from: \"from\" stands beside \"part\"; allowed: from and to, or part\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"part\": \"queue\", \"to\": \"finished\"}}"},
     "s:3:51: /recorders/r/to: \"to\" stands beside \"part\"; allowed: from and to, or part\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"part\": \"wait\"}}"},
     "s:3:42: /recorders/r/part: found \"wait\"; allowed: \"none\", \"queue\", \"stall\", "
     "\"service\"\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"part\": \"none\"}}"},
     "s:3:20: /recorders/r: missing key \"from\": the instant its stopwatch starts\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\"}}"},
     "s:3:20: /recorders/r: missing key \"from\": the instant its stopwatch starts\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"part\": \"stall\", \"correction\": \"hdr-py\"}}"},
     "s:3:51: /recorders/r/correction: \"correction\" stands beside \"part\"; allowed: beside "
     "\"from\", as what was held back has no parts\n"
     "s:3:65: /recorders/r/correction: missing key \"interval\" (the interval e at which samples "
     "were expected); allowed: " DURATION ", at least 1ns\n"},
    {{.recorders =
          "{\"r\": {\"load\": \"a\", \"part\": \"stall\", \"expected_interval\": \"1ms\"}}"},
     "s:3:51: /recorders/r/expected_interval: \"expected_interval\" stands beside \"part\"; "
     "allowed: beside \"from\", as what was held back has no parts\n"},
    {{.loads = "5",
      .recorders = "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"per\": \"client\"}}"},
     "s:2:10: /loads: found 5; allowed: an object with at least one load, by name\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"per\": \"client\"}}"},
     "s:3:56: /recorders/r/per: found \"client\" on an open load, which has none; allowed: on a "
     "closed or paced load or one of sessions\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"per\": \"window\"}}"},
     "s:3:56: /recorders/r/per: found \"window\"; allowed: \"run\", \"client\", \"replica\", or "
     "{\"window\": \"1s\"}\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"per\": {\"window\": 0}}}"},
     "s:3:67: /recorders/r/per/window: found 0; allowed: " DURATION ", at least 1ns\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"per\": {\"windw\": 1}}}"},
     "s:3:56: /recorders/r/per: found an object; allowed: \"run\", \"client\", \"replica\", or "
     "{\"window\": \"1s\"}\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"per\": \"clients\"}}"},
     "s:3:56: /recorders/r/per: found \"clients\"; nearest: \"client\"; allowed: \"run\", "
     "\"client\", \"replica\", or {\"window\": \"1s\"}\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"merge\": \"average\"}}"},
     "s:3:58: /recorders/r/merge: found an average of one histogram; allowed: beside \"per\" for "
     "clients, replicas or windows\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"per\": \"replica\", \"merge\": "
                   "\"mean\"}}"},
     "s:3:76: /recorders/r/merge: found \"mean\"; allowed: \"counts\", \"average\"\n"},
    {{.recorders = "{\"r\": {\"load\": \"a\", \"from\": \"due\", \"per\": \"replica\", \"merge\": "
                   "\"average\"}}",
      .run = "{\"detect\": {\"percentile\": 50, \"within\": 0.01}}",
      .server = "{\"service\": {\"exponential\": 5}}"},
     "s:4:9: /run/detect: found \"detect\" where recorder \"r\" averages percentiles, which no "
     "check judges; allowed: \"requests\" or \"duration\"\n"},
};

static void each_fault_of_a_recorder_run_or_report_is_answered_in_full(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_faults(cases[i].parts, cases[i].faults);
}

static void all_faults_of_a_file_come_at_once_and_in_its_order(void **state)
{
    (void)state;
    static const char text[] = "{\"recorders\": {\"r\": {\"load\": \"b\", \"from\": \"sent\"}},\n"
                               " \"server\": {\"service\": {\"constant\": 01}, \"wrokers\": 1},\n"
                               " \"loads\": {\"a\": {\"open\": {\"rate\": 1e999}}}, \"loads\": 1,\n"
                               " \"titel\": \"\\ud800\"}";
    char *faults = faults_of(text, sizeof text - 1);
    assert_string_equal(
        faults, "s:1:1: /: missing key \"requests\", \"duration\" or \"detect\" in \"run\": load "
                "\"a\" never ends by "
                "itself\n"
                "s:1:30: /recorders/r/load: found \"b\", which names no load; allowed: \"a\"\n"
                "s:2:37: /server/service/constant: found 01; allowed: a JSON number, without "
                "leading zeros or "
                "+, and with digits on both sides of a point\n"
                "s:2:42: /server/wrokers: unknown key \"wrokers\"; nearest: \"workers\"; allowed: "
                "\"service\", "
                "\"workers\", \"queue\", \"queue_limit\", \"stalls\", \"replicas\", \"routing\", "
                "\"load_dependence\", \"quota\", \"behind\", \"network\"\n"
                "s:3:35: /loads/a/open/rate: found 1e999; allowed: numbers below 1.8e308\n"
                "s:3:45: /loads: found the key \"loads\" again; allowed: each key once (the first "
                "is at 3:2)\n"
                "s:4:2: /titel: unknown key \"titel\"; nearest: \"title\"; allowed: \"$schema\", "
                "\"title\", "
                "\"about\", \"claims\", \"server\", \"loads\", \"run\", \"report\", \"recorders\", "
                "\"expect\", \"sweep\", \"experiment\"\n"
                "s:4:12: /titel: found half of a surrogate pair in a string; allowed: \\\" \\\\ "
                "\\/ \\b \\f \\n "
                "\\r \\t and \\uXXXX, in pairs beyond U+FFFF\n");
    free(faults);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fault_of_a_recorder_run_or_report_is_answered_in_full),
        cmocka_unit_test(all_faults_of_a_file_come_at_once_and_in_its_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
