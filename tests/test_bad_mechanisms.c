/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Stations, quotas, disturbances and clients with one fault each, and every word of the answer. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tests/scenario_text.h"

#define DURATION \
    "a duration, as \"1.5ms\": decimal digits and one of ns us ms s min, or a whole number of ns"

static const struct {
    struct parts parts;
    const char *faults;
} cases[] = {
    {{.server = "{\"service\": {\"constant\": 1}, \"quota\": {\"budget\": 0}}"},
     "s:1:61: /server/quota/budget: found 0; allowed: " DURATION ", at least 1ns\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"quota\": {\"period\": \"1ms\"}}"},
     "s:1:50: /server/quota: missing key \"budget\": work of a period, over all workers; then "
     "everything stops until the next\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"quota\": {\"budget\": 5, \"period\": 0}}"},
     "s:1:74: /server/quota/period: found 0; allowed: " DURATION ", at least 1ns\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"quota\": {\"budget\": 5, \"perod\": 1}}"},
     "s:1:64: /server/quota/perod: unknown key \"perod\"; nearest: \"period\"; allowed: "
     "\"budget\", \"period\", \"shared\"\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"replicas\": 2, \"quota\": {\"budget\": 5, "
                "\"shared\": true}}"},
     "s:1:89: /server/quota/shared: found a quota shared by the client and 2 replicas; allowed: "
     "with one server\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"quota\": {\"budget\": 5, \"shared\": true}}"},
     "s:1:74: /server/quota/shared: found a shared quota, where sending costs no load anything; "
     "allowed: beside a load with a \"generator\"\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"quota\": {\"budget\": 5, \"shared\": 1}}"},
     "s:1:74: /server/quota/shared: found 1; allowed: true or false\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"load_dependence\": -1}"},
     "s:1:60: /server/load_dependence: found -1; allowed: a number of at most 18 digits, at least "
     "0\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"behind\": {\"workers\": 2}}"},
     "s:1:51: /server/behind: missing key \"service\": the work of one request there\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"behind\": {\"service\": {\"constant\": 1}, "
                "\"workers\": 0}}"},
     "s:1:91: /server/behind/workers: found 0; allowed: a whole number, at least 1, or "
     "\"unlimited\"\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"behind\": {\"service\": {\"constant\": 1}, "
                "\"queue_limit\": 1}}"},
     "s:1:80: /server/behind/queue_limit: unknown key \"queue_limit\"; allowed: \"service\", "
     "\"workers\", \"queue\", \"keeps_worker\"\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"behind\": {\"service\": {\"constant\": 1}, "
                "\"queue\": \"lfo\"}}"},
     "s:1:89: /server/behind/queue: found \"lfo\"; nearest: \"lifo\"; allowed: <<queues>>\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"network\": {\"delay\": \"1ms\"}}"},
     "s:1:62: /server/network/delay: found \"1ms\"; allowed: an object with one of "
     "<<distributions>>, as {\"constant\": \"1ms\"}\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"network\": {\"delay\": {\"constant\": 1}, "
                "\"probability\": 0}}"},
     "s:1:94: /server/network/probability: found 0; allowed: a number of at most 18 digits, above "
     "0, at most 1\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"network\": {\"delay\": {\"constant\": 1}, "
                "\"probability\": 1.1}}"},
     "s:1:94: /server/network/probability: found 1.1; allowed: a number of at most 18 digits, "
     "above 0, at most 1\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"network\": {\"probability\": 0.5}}"},
     "s:1:52: /server/network: missing key \"delay\": on the way to the server\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"suspend\", \"first\": "
                "1, \"last\": 1, \"factor\": 0.5}]}"},
     "s:1:95: /server/stalls/0/factor: \"factor\" stands in a stall of mode \"suspend\"; allowed: "
     "in one of mode \"slowdown\"\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"neighbour\", "
                "\"first\": 1, \"last\": 1, \"factor\": 0.5}]}"},
     "s:1:52: /server/stalls/0: missing key \"share\": the share that it takes\n"
     "s:1:97: /server/stalls/0/factor: \"factor\" stands in a stall of mode \"neighbour\"; "
     "allowed: in one of mode \"slowdown\"\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"slowdown\", \"first\": "
                "1, \"last\": 1}]}"},
     "s:1:52: /server/stalls/0: missing key \"factor\": the part of full speed that is left\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"slowdown\", \"first\": "
                "1, \"last\": 1, \"factor\": 1}]}"},
     "s:1:106: /server/stalls/0/factor: found 1; allowed: a percentage such as \"1%\", or a "
     "number, as 0.01: above 0 and below all of it\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"slowdown\", \"first\": "
                "1, \"last\": 1, \"factor\": 0}]}"},
     "s:1:106: /server/stalls/0/factor: found 0; allowed: a percentage such as \"1%\", or a "
     "number, as 0.01: above 0 and below all of it\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"slowdown\", \"first\": "
                "1, \"last\": 1, \"factor\": 0.5, \"share\": 0.5}]}"},
     "s:1:111: /server/stalls/0/share: \"share\" stands in a stall of mode \"slowdown\"; allowed: "
     "in one of mode \"neighbour\"\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"neighbour\", "
                "\"first\": 1, \"last\": 1, \"share\": \"101%\"}]}"},
     "s:1:106: /server/stalls/0/share: found \"101%\"; allowed: a percentage such as \"1%\", or a "
     "number, as 0.01: above 0 and below all of it\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"gate\", \"first\": 1, "
                "\"last\": 1, \"halves\": \"1ms\"}]}"},
     "s:1:92: /server/stalls/0/halves: \"halves\" stands in a stall of mode \"gate\"; allowed: in "
     "one of mode \"slowdown\" or \"neighbour\"\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"neighbour\", "
                "\"first\": 1, \"last\": 1, \"share\": 0.5, \"halves\": 0}]}"},
     "s:1:121: /server/stalls/0/halves: found 0; allowed: " DURATION ", at least 1ns\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"slowdwon\", \"first\": "
                "1, \"last\": 1}]}"},
     "s:1:61: /server/stalls/0/mode: found \"slowdwon\"; nearest: \"slowdown\"; allowed: "
     "<<stalls>>\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"slowdown\", "
                "\"factor\": 0.5, \"first\": 1, \"every\": \"1ms\", \"last\": \"1ms\"}]}"},
     "s:1:124: /server/stalls/0/last: found \"1ms\"; allowed: less than every (\"1ms\"), or the "
     "server never comes back\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"slowdown\", "
                "\"factor\": 0.5, \"up\": {\"constant\": 1}}]}"},
     "s:1:52: /server/stalls/0: missing key \"down\" beside \"up\": random stalls need both\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"gate\", \"first\": 1, "
                "\"last\": 1, \"target\": \"behind\"}]}"},
     "s:1:102: /server/stalls/0/target: found \"behind\", where the server has no such station; "
     "allowed: beside the server's key \"behind\"\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"gate\", \"first\": 1, "
                "\"last\": 1, \"target\": \"network\"}]}"},
     "s:1:102: /server/stalls/0/target: found \"network\", where the server has none; allowed: "
     "beside the server's key \"network\"\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"gate\", \"first\": 1, "
                "\"last\": 1, \"target\": \"generator\"}]}"},
     "s:1:102: /server/stalls/0/target: found \"generator\", where sending costs no load anything; "
     "allowed: beside a load with a \"generator\"\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"gate\", \"first\": 1, "
                "\"last\": 1, \"target\": \"netwrok\"}]}"},
     "s:1:102: /server/stalls/0/target: found \"netwrok\"; nearest: \"network\"; allowed: "
     "\"server\", \"behind\", \"network\", \"generator\", or {\"replica\": k}, from 0\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"gate\", \"first\": 1, "
                "\"last\": 1, \"target\": \"replica\"}]}"},
     "s:1:102: /server/stalls/0/target: found \"replica\"; allowed: \"server\", \"behind\", "
     "\"network\", \"generator\", or {\"replica\": k}, from 0\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"gate\", \"first\": 1, "
                "\"last\": 1, \"target\": {\"replica\": 1}}]}"},
     "s:1:102: /server/stalls/0/target: found replica 1; allowed: from 0 to 0, as there is 1 of "
     "them\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"replicas\": 2, \"stalls\": [{\"mode\": "
                "\"gate\", \"first\": 1, \"last\": 1, \"target\": {\"replica\": 2}}]}"},
     "s:1:117: /server/stalls/0/target: found replica 2; allowed: from 0 to 1, as there are 2 of "
     "them\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"gate\", \"first\": 1, "
                "\"last\": 1, \"target\": {\"replica\": 0, \"zz\": 1}}]}"},
     "s:1:102: /server/stalls/0/target: found an object; allowed: \"server\", \"behind\", "
     "\"network\", \"generator\", or {\"replica\": k}, from 0\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"gate\", \"first\": 1, "
                "\"last\": 1, \"target\": {}}]}"},
     "s:1:102: /server/stalls/0/target: found an object; allowed: \"server\", \"behind\", "
     "\"network\", \"generator\", or {\"replica\": k}, from 0\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"gate\", \"first\": 1, "
                "\"last\": 1, \"target\": 1}]}"},
     "s:1:102: /server/stalls/0/target: found 1; allowed: \"server\", \"behind\", \"network\", "
     "\"generator\", or {\"replica\": k}, from 0\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"behind\": {\"service\": {\"constant\": 1}}, "
                "\"stalls\": [{\"mode\": \"reject\", \"first\": 1, \"last\": 1, \"target\": "
                "\"behind\"}]}"},
     "s:1:144: /server/stalls/0/target: found a target that refuses nobody; allowed for mode "
     "\"reject\": \"server\" or one replica\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"timeout_cancel\": \"queued\"}}"},
     "s:2:38: /loads/a/timeout_cancel: \"timeout_cancel\" stands without \"timeout\"; allowed: "
     "beside it\n"},
    {{.loads =
          "{\"a\": {\"open\": {\"rate\": 5}, \"timeout\": \"1s\", \"timeout_cancel\": \"all\"}}"},
     "s:2:73: /loads/a/timeout_cancel: found \"all\"; allowed: \"none\", \"queued\", "
     "\"in-service\"\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"idempotent\": \"no\"}}"},
     "s:2:52: /loads/a/idempotent: found \"no\"; allowed: true or false\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"work\": \"per-request\"}}"},
     "s:2:46: /loads/a/work: found \"per-request\" where a request has no further copies; allowed: "
     "beside \"retry\", \"hedge\", \"tied\" or a \"fan_out\" above 1\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"work\": \"per-copy\"}}"},
     "s:2:46: /loads/a/work: found \"per-copy\"; allowed: \"per-attempt\", \"per-request\"\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"wait_for\": 2}}"},
     "s:2:50: /loads/a/wait_for: found 2 answers of a request with 1 part; allowed: at most as "
     "many as \"fan_out\" says\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"wait_for\": 0}}"},
     "s:2:50: /loads/a/wait_for: found 0; allowed: a whole number, at least 1, at most 1000\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"replicas\": 3}",
      .loads = "{\"a\": {\"open\": {\"rate\": 5}, \"fan_out\": 3, \"wait_for\": 4}}"},
     "s:2:64: /loads/a/wait_for: found 4 answers of a request with 3 parts; allowed: at most as "
     "many as \"fan_out\" says\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"replicas\": 3}",
      .loads = "{\"a\": {\"open\": {\"rate\": 5}, \"fan_out\": 3, \"tied\": 2}}"},
     "s:2:52: /loads/a/tied: \"tied\" stands beside a \"fan_out\" of 3; allowed: copies of whole "
     "requests, or parts without copies\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"retry\": 5, \"tied\": 2}}"},
     "s:2:50: /loads/a/tied: \"tied\" stands beside \"retry\"; allowed: exactly one of them\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"tied\": 1}}"},
     "s:2:46: /loads/a/tied: found 1; allowed: a whole number, at least 2, at most 1000\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"generator\": {}}}"},
     "s:2:51: /loads/a/generator: missing key \"cost\": time of one of the client's threads that "
     "each send takes\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"generator\": \"1us\"}}"},
     "s:2:51: /loads/a/generator: found \"1us\"; allowed: an object: what sending costs the "
     "client; its keys: \"cost\", \"threads\"\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"generator\": {\"cost\": 0}}}"},
     "s:2:60: /loads/a/generator/cost: found 0; allowed: " DURATION ", at least 1ns\n"},
    {{.loads =
          "{\"a\": {\"open\": {\"rate\": 5}, \"generator\": {\"cost\": \"1us\", \"threads\": 0}}}"},
     "s:2:78: /loads/a/generator/threads: found 0; allowed: a whole number, at least 1\n"},
    {{.loads =
          "{\"a\": {\"open\": {\"rate\": 5}, \"generator\": {\"cost\": \"1us\", \"thread\": 2}}}"},
     "s:2:67: /loads/a/generator/thread: unknown key \"thread\"; nearest: \"threads\"; allowed: "
     "\"cost\", \"threads\"\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"overhead\": -1}}"},
     "s:2:50: /loads/a/overhead: found -1; allowed: " DURATION "\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"retry\": {\"after\": 5, \"backoff\": 0.5}}}"},
     "s:2:71: /loads/a/retry/backoff: found 0.5; allowed: a number of at most 18 digits, at least "
     "1\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"retry\": {\"after\": 5, \"jitter\": 2}}}"},
     "s:2:70: /loads/a/retry/jitter: found 2; allowed: a number of at most 18 digits, at least 0, "
     "at most 1\n"},
    {{.loads =
          "{\"a\": {\"open\": {\"rate\": 5}, \"retry\": {\"after\": 5, \"budget\": \"none\"}}}"},
     "s:2:70: /loads/a/retry/budget: found \"none\"; allowed: a number of at most 18 digits, or a "
     "percentage, as \"10%\", at least 0, or \"unlimited\"\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"hedge\": {\"copies\": 2}}}"},
     "s:2:47: /loads/a/hedge: impossible \"hedge\": \"after\" is \"measured\", by default, "
     "and no \"percentile\" is given; allowed: a duration, or a percentile and \"measured\"\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"hedge\": {\"after\": 0, \"percentile\": 95}}}"},
     "s:2:47: /loads/a/hedge: impossible \"hedge\": a duration in \"after\" stands beside "
     "\"percentile\"; allowed: a duration, or a percentile and \"measured\"\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"hedge\": {\"percentile\": 100}}}"},
     "s:2:62: /loads/a/hedge/percentile: found 100; allowed: a number of at most 18 digits, above "
     "0, below 100\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"hedge\": {\"percentile\": 0}}}"},
     "s:2:62: /loads/a/hedge/percentile: found 0; allowed: a number of at most 18 digits, above 0, "
     "below 100\n"},
    {{.loads =
          "{\"a\": {\"open\": {\"rate\": 5}, \"hedge\": {\"percentile\": 95, \"backoff\": 2}}}"},
     "s:2:66: /loads/a/hedge/backoff: unknown key \"backoff\"; allowed: \"after\", \"percentile\", "
     "\"copies\", \"cancel\"\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"hedge\": \"5mss\"}}"},
     "s:2:47: /loads/a/hedge: found \"5mss\" (no known unit after the digits); allowed: " DURATION
     ", or \"measured\"\n"},
};

static void each_fault_of_a_mechanism_is_answered_in_full(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_faults(cases[i].parts, cases[i].faults);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fault_of_a_mechanism_is_answered_in_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
