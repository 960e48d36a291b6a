/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Servers and loads with one fault each, and every word of the answer. */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tests/scenario_text.h"

#define DURATION \
    "a duration, as \"1.5ms\": decimal digits and one of ns us ms s min, or a whole number of ns"
#define DISTRIBUTIONS "<<distributions>>"
#define LOADS "<<loads>>"
#define LOAD_KEYS                                                                            \
    "\"timeout\", \"timeout_cancel\", \"idempotent\", \"work\", \"fan_out\", \"wait_for\", " \
    "\"generator\", \"overhead\""
#define SERVER_KEYS                                                                    \
    "\"service\", \"workers\", \"queue\", \"queue_limit\", \"stalls\", \"replicas\", " \
    "\"routing\", \"load_dependence\", \"quota\", \"behind\", \"network\""
#define RATIO "a number of at most 18 digits"

static const struct {
    struct parts parts;
    const char *faults;
} cases[] = {
    {{.server = "{\"service\": {\"constnat\": \"1ms\"}}"},
     "s:1:25: /server/service/constnat: found \"constnat\"; nearest: \"constant\"; "
     "allowed: " DISTRIBUTIONS "\n"},
    {{.server = "{\"service\": \"constant\"}"},
     "s:1:24: /server/service: missing key \"value\" (the duration, every time); allowed: " DURATION
     "\n"},
    {{.server =
          "{\"service\": {\"two-point\": {\"usual\": 1, \"rare\": 2, \"probability\": 1.5}}}"},
     "s:1:77: /server/service/two-point/probability: found 1.5; allowed: " RATIO
     ", at least 0, at most 1\n"},
    {{.server = "{\"service\": {\"uniform\": {\"low\": 2, \"high\": 1}}}"},
     "s:1:36: /server/service/uniform: impossible \"uniform\": low is above high\n"},
    {{.server = "{\"service\": {}}"},
     "s:1:24: /server/service: found an empty object instead of exactly one name; "
     "allowed: " DISTRIBUTIONS "\n"},
    {{.server = "{\"service\": {\"constant\": 1, \"exponential\": 1}}"},
     "s:1:24: /server/service: found an object of several keys instead of exactly one name; "
     "allowed: " DISTRIBUTIONS "\n"},
    {{.server = "{\"service\": 5}"},
     "s:1:24: /server/service: found 5; allowed: an object with one of " DISTRIBUTIONS
     ", as {\"constant\": 5}\n"},
    {{.server = "{\"service\": \"3ms\"}"},
     "s:1:24: /server/service: found \"3ms\"; allowed: an object with one of " DISTRIBUTIONS
     ", as {\"constant\": \"3ms\"}\n"},
    {{.server = "{\"service\": \"constnat\"}"},
     "s:1:24: /server/service: found \"constnat\"; nearest: \"constant\"; allowed: an object "
     "with one of " DISTRIBUTIONS ", as {\"constant\": \"1ms\"}\n"},
    {{.loads = "{\"a\": {\"closed\": {\"clients\": 1, \"think\": \"1ms\"}}}"},
     "s:2:51: /loads/a/closed/think: found \"1ms\"; allowed: an object with one of " DISTRIBUTIONS
     ", as {\"constant\": \"1ms\"}\n"},
    {{.server = "{\"service\": {\"constant\": \"1.5\"}}"},
     "s:1:37: /server/service/constant: found \"1.5\" (no known unit after the digits); "
     "allowed: " DURATION "\n"},
    {{.server = "{\"service\": {\"constant\": \"-5ms\"}}"},
     "s:1:37: /server/service/constant: found \"-5ms\" (no decimal digits); allowed: " DURATION
     "\n"},
    {{.server = "{\"service\": {\"constant\": \"5 m\"}}"},
     "s:1:37: /server/service/constant: found \"5 m\" (no known unit after the digits); "
     "allowed: " DURATION "\n"},
    {{.server = "{\"service\": {\"constant\": \"1e3ms\"}}"},
     "s:1:37: /server/service/constant: found \"1e3ms\" (no known unit after the digits); "
     "allowed: " DURATION "\n"},
    {{.server = "{\"service\": {\"constant\": \"0.5ns\"}}"},
     "s:1:37: /server/service/constant: found \"0.5ns\" (no whole number of ns); allowed: " DURATION
     "\n"},
    {{.server = "{\"service\": {\"constant\": \"77000000min\"}}"},
     "s:1:37: /server/service/constant: found \"77000000min\" (146 years or more); "
     "allowed: " DURATION "\n"},
    {{.server = "{\"service\": {\"constant\": 1.5}}"},
     "s:1:37: /server/service/constant: found 1.5; allowed: " DURATION "\n"},
    {{.server = "{\"service\": {\"constant\": -1}}"},
     "s:1:37: /server/service/constant: found -1; allowed: " DURATION "\n"},
    {{.server = "{\"service\": {\"constant\": 4611686018427387904}}"},
     "s:1:37: /server/service/constant: found 4611686018427387904 (146 years or more); "
     "allowed: " DURATION "\n"},
    {{.server = "{\"service\": {\"constant\": 18446744073709551616}}"},
     "s:1:37: /server/service/constant: found 18446744073709551616 (146 years or more); "
     "allowed: " DURATION "\n"},
    {{.server = "{\"service\": {\"constant\": {\"valeu\": 1}}}"},
     "s:1:37: /server/service/constant: missing key \"value\" (the duration, every time); "
     "allowed: " DURATION "\ns:1:38: /server/service/constant/valeu: unknown key \"valeu\"; "
     "nearest: \"value\"; allowed: \"value\"\n"},
    {{.server = "{\"service\": {\"samples\": []}}"},
     "s:1:36: /server/service/samples: found no duration; allowed: at least one\n"},
    {{.server = "{\"service\": {\"samples\": 5}}"},
     "s:1:36: /server/service/samples: found 5; allowed: a list of durations, or the name of a "
     "file of them, one a line\n"},
    {{.server = "{\"service\": {\"samples\": [\"1ms\", true]}}"},
     "s:1:44: /server/service/samples/1: found true; allowed: " DURATION "\n"},
    {{.server = "{\"service\": {\"samples\": \"none.txt\"}}"},
     "s:1:36: /server/service/samples: found \"none.txt\", and none.txt cannot be read: No such "
     "file or directory; allowed: a list of durations, or the name of a file of them, one a "
     "line\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"workers\": 0}"},
     "s:1:52: /server/workers: found 0; allowed: a whole number, at least 1, or \"unlimited\"\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"workers\": \"many\"}"},
     "s:1:52: /server/workers: found \"many\"; allowed: a whole number, at least 1, or "
     "\"unlimited\"\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"workers\": 18446744073709551616}"},
     "s:1:52: /server/workers: found 18446744073709551616 (2^64 or more); allowed: a whole "
     "number, at least 1, or "
     "\"unlimited\"\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"queue\": \"lief\"}"},
     "s:1:50: /server/queue: found \"lief\"; nearest: \"lifo\"; allowed: <<queues>>\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"quotas\": 2}"},
     "s:1:41: /server/quotas: unknown key \"quotas\"; nearest: \"quota\"; allowed: " SERVER_KEYS
     "\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"quota\": 2}"},
     "s:1:50: /server/quota: found 2; allowed: an object: a limit on processor time, as of a "
     "container; its keys: \"budget\", \"period\", \"shared\"\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": {}}"},
     "s:1:51: /server/stalls: found an object; allowed: a list of objects, each a disturbance: a "
     "pause, refusals or a loss of speed; its keys: \"mode\", \"first\", \"every\", \"last\", "
     "\"up\", \"down\", "
     "\"factor\", \"share\", \"halves\", \"target\"\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"suspnd\", \"first\": "
                "0, \"last\": 1}]}"},
     "s:1:61: /server/stalls/0/mode: found \"suspnd\"; nearest: \"suspend\"; allowed: "
     "<<stalls>>\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"gate\", \"first\": 0, "
                "\"every\": \"1s\", \"last\": \"1s\"}]}"},
     "s:1:104: /server/stalls/0/last: found \"1s\"; allowed: less than every (\"1s\"), or the "
     "server never comes back\n"},
    {{.server =
          "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"gate\", \"last\": 1}]}"},
     "s:1:52: /server/stalls/0: missing key \"first\": when the first one begins; or give up and "
     "down, of random stalls\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"gate\", \"first\": "
                "\"77000000min\", \"last\": 1}]}"},
     "s:1:78: /server/stalls/0/first: found \"77000000min\" (146 years or more); allowed: " DURATION
     "\n"},
    {{.server = "{}"}, "s:1:12: /server: missing key \"service\": the work of one request\n"},
    {{.server = "[]"},
     "s:1:12: /server: found a list; allowed: an object: what answers the requests; its "
     "keys: " SERVER_KEYS "\n"},
    {{.loads = "{}"},
     "s:2:10: /loads: found an empty object; allowed: an object with at least one load, by name\n"},
    {{.loads = "5"},
     "s:2:10: /loads: found 5; allowed: an object with at least one load, by name\n"},
    {{.loads = "{\"a\": {}}"}, "s:2:16: /loads/a: a load of no kind; allowed: " LOADS "\n"},
    {{.loads = "{\"a\": {\"opne\": {\"rate\": 5}}}"},
     "s:2:17: /loads/a/opne: unknown key \"opne\"; nearest: \"open\"; allowed: " LOADS
     ", <<resend>>, " LOAD_KEYS "\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"closed\": 1}}"},
     "s:2:38: /loads/a/closed: \"closed\" stands beside \"open\"; allowed: exactly one of them\n"},
    {{.loads = "{\"a\": {\"open\": {}}}"},
     "s:2:25: /loads/a/open: impossible \"open\": give either rate or every\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5, \"every\": 5}}}"},
     "s:2:25: /loads/a/open: impossible \"open\": give either rate or every\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 0}}}"},
     "s:2:34: /loads/a/open/rate: found 0; allowed: " RATIO ", above 0\n"},
    {{.loads = "{\"a\": {\"open\": {\"every\": 0}}}"},
     "s:2:35: /loads/a/open/every: found 0; allowed: " DURATION ", at least 1ns\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": \"5\"}}}"},
     "s:2:34: /loads/a/open/rate: found \"5\"; allowed: " RATIO ", above 0\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 0.1234567890123456789}}}"},
     "s:2:34: /loads/a/open/rate: found 0.1234567890123456789; allowed: " RATIO ", above 0\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 0.000000000000000001}}}"},
     "s:2:34: /loads/a/open/rate: found a rate whose exact interval does not fit 62 bits; allowed: "
     "fewer decimals, or every instead\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5, \"max_in_flight\": 0}}}"},
     "s:2:54: /loads/a/open/max_in_flight: found 0; allowed: a whole number, at least 1, or "
     "\"unlimited\"\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5, \"arrivals\": {\"times\": [1]}}}}"},
     "s:2:25: /loads/a/open: impossible \"open\": listed times take neither rate nor every\n"},
    {{.loads = "{\"a\": {\"open\": {\"arrivals\": {\"times\": [1, \"3us\", 2000]}}}}"},
     "s:2:59: /loads/a/open/arrivals/times/2: found 2000, below the one before it; allowed: lists "
     "that never go back\n"},
    {{.loads = "{\"a\": {\"closed\": {\"clients\": 0}}}"},
     "s:2:39: /loads/a/closed/clients: found 0; allowed: a whole number, at least 1, at most "
     "10000000\n"},
    {{.loads = "{\"a\": {\"closed\": {\"clients\": 10000000, \"stagger\": \"5000min\"}}}"},
     "s:2:27: /loads/a/closed: impossible \"closed\": the last client would start after more than "
     "146 years\n"},
    {{.loads = "{\"a\": {\"paced\": {\"rate\": 5, \"connections\": 0}}}"},
     "s:2:53: /loads/a/paced/connections: found 0; allowed: a whole number, at least 1, at most "
     "10000000\n"},
    {{.loads = "{\"a\": {\"paced\": {\"rate\": 5, \"late\": \"skpi\"}}}"},
     "s:2:46: /loads/a/paced/late: found \"skpi\"; nearest: \"skip\"; allowed: "
     "<<late>>\n"},
    {{.loads = "{\"a\": {\"paced\": {\"rate\": 5, \"late\": {\"catch-up\": 0.5}}}}"},
     "s:2:59: /loads/a/paced/late/catch-up: found 0.5; allowed: " RATIO
     ", at least 1, or \"unlimited\"\n"},
    {{.loads = "{\"a\": {\"open\": 5, \"timeout\": 0}}"},
     "s:2:39: /loads/a/timeout: found 0; allowed: " DURATION ", at least 1ns\n"},
    {{.loads = "{\"\": {\"open\": {\"rate\": 5}}, \"a\": {\"open\": {\"rate\": 5}}}"},
     "s:2:11: /loads/: found a name that is empty or holds a control character; allowed: plain "
     "text\n"},
    {{.server = "{\"service\": {\"hyperexponential\": {\"branches\": []}}}"},
     "s:1:58: /server/service/hyperexponential/branches: found a list of 0; allowed: from 1 to "
     "1000 objects\n"},
    {{.server = "{\"service\": {\"hyperexponential\": {\"branches\": 5}}}"},
     "s:1:58: /server/service/hyperexponential/branches: found 5; allowed: a list of objects\n"},
    {{.server = "{\"service\": {\"hyperexponential\": [5]}}"},
     "s:1:46: /server/service/hyperexponential/0: found 5 instead of an object of keys; allowed: "
     "\"probability\", \"mean\"\n"},
    {{.server =
          "{\"service\": {\"hyperexponential\": [{\"probability\": 0.9, \"men\": \"1ms\"}]}}"},
     "s:1:46: /server/service/hyperexponential/0: missing key \"mean\" (the mean duration in this "
     "branch); allowed: " DURATION
     ", at least 1ns\ns:1:67: /server/service/hyperexponential/0/men: unknown key \"men\"; "
     "nearest: \"mean\"; allowed: \"probability\", \"mean\"\n"},
    {{.server = "{\"service\": {\"hyperexponential\": [{\"probability\": 1.5, \"mean\": 0}]}}"},
     "s:1:62: /server/service/hyperexponential/0/probability: found 1.5; allowed: " RATIO
     ", at least 0, at most 1\ns:1:75: /server/service/hyperexponential/0/mean: found 0; "
     "allowed: " DURATION ", at least 1ns\n"},
    {{.server = "{\"service\": {\"hyperexponential\": [{\"probability\": 0.5, \"mean\": 1}]}}"},
     "s:1:45: /server/service/hyperexponential: impossible \"hyperexponential\": the probabilities "
     "of the branches do not sum to exactly 1\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"replicas\": 0}"},
     "s:1:53: /server/replicas: found 0; allowed: a whole number, at least 1, at most 1000\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"replicas\": 1001}"},
     "s:1:53: /server/replicas: found 1001; allowed: a whole number, at least 1, at most 1000\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"routing\": \"random\"}"},
     "s:1:41: /server/routing: found a routing rule where there is one server; allowed: beside "
     "\"replicas\" above 1\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"replicas\": 2, \"routing\": \"robin\"}"},
     "s:1:67: /server/routing: found \"robin\"; allowed: <<routing>>\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"gate\", \"up\": "
                "{\"constant\": 1}}]}"},
     "s:1:52: /server/stalls/0: missing key \"down\" beside \"up\": random stalls need both\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"gate\", \"first\": 0, "
                "\"down\": {\"constant\": 1}}]}"},
     "s:1:52: /server/stalls/0: missing key \"up\" beside \"down\": random stalls need "
     "both\ns:1:69: /server/stalls/0/first: \"first\" stands beside \"down\"; allowed: first, "
     "every and last for planned stalls, or up and down for random ones\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"gate\", \"up\": "
                "{\"constant\": 1}, \"down\": {\"constant\": 1}, \"every\": 5, \"last\": 1}]}"},
     "s:1:117: /server/stalls/0/every: \"every\" stands beside \"up\"; allowed: first, every and "
     "last for planned stalls, or up and down for random ones\ns:1:129: /server/stalls/0/last: "
     "\"last\" stands beside \"up\"; allowed: first, every and last for planned stalls, or up and "
     "down for random ones\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"gate\", \"up\": 1, "
                "\"down\": \"1ms\"}]}"},
     "s:1:75: /server/stalls/0/up: found 1; allowed: an object with one of " DISTRIBUTIONS
     ", as {\"constant\": 1}\ns:1:86: /server/stalls/0/down: found \"1ms\"; allowed: an object "
     "with one of " DISTRIBUTIONS ", as {\"constant\": \"1ms\"}\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"gate\"}]}"},
     "s:1:52: /server/stalls/0: missing key \"first\": when the first one begins; or give up and "
     "down, of random stalls\ns:1:52: /server/stalls/0: missing key \"last\": how long each lasts; "
     "or give up and down, of random stalls\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"stalls\": [{\"mode\": \"gate\", \"up\": "
                "{\"uniform\": {\"low\": 0, \"high\": 0}}, \"down\": {\"constant\": 1}}]}"},
     "s:1:75: /server/stalls/0/up: found times that are always 0; allowed: some above 0, or the "
     "server never comes back\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"retry\": {}}}"},
     "s:2:47: /loads/a/retry: missing key \"after\" (a second copy leaves so long after the "
     "first, if there is no answer by then); allowed: " DURATION ", at least 1ns\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"retry\": {\"after\": 0}}}"},
     "s:2:57: /loads/a/retry/after: found 0; allowed: " DURATION ", at least 1ns\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"hedge\": {\"after\": 1, \"copies\": 1, "
               "\"cancel\": \"queue\"}}}"},
     "s:2:70: /loads/a/hedge/copies: found 1; allowed: a whole number, at least 2, at most "
     "1000\ns:2:83: /loads/a/hedge/cancel: found \"queue\"; nearest: \"queued\"; allowed: "
     "\"none\", \"queued\", \"in-service\"\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"hedge\": {\"after\": 1, \"cancel\": 1}}}"},
     "s:2:70: /loads/a/hedge/cancel: found 1; allowed: \"none\", \"queued\", \"in-service\"\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"hedge\": 1, \"retry\": 1}}"},
     "s:2:38: /loads/a/hedge: \"hedge\" stands beside \"retry\"; allowed: exactly one of them\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"fan_out\": 0}}"},
     "s:2:49: /loads/a/fan_out: found 0; allowed: a whole number, at least 1, at most 1000\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"fan_out\": 2}}"},
     "s:2:49: /loads/a/fan_out: found 2 parts; allowed: at most one for each of the server's "
     "replicas, of which there is 1\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5}, \"retri\": 1}}"},
     "s:2:38: /loads/a/retri: unknown key \"retri\"; nearest: \"retry\"; allowed: " LOADS
     ", <<resend>>, " LOAD_KEYS "\n"},
    {{.loads = "{\"a\": {\"open\": 1e-18}}"},
     "s:2:25: /loads/a/open: found a rate whose exact interval does not fit 62 bits; allowed: "
     "fewer "
     "decimals, or every instead\n"},
    {{.loads = "{\"a\": {\"sessions\": {\"rate\": 5}}}"},
     "s:2:29: /loads/a/sessions: missing key \"requests\" (requests of a session, one at a time); "
     "allowed: a whole number, at least 1\n"},
    {{.loads = "{\"a\": {\"sessions\": {\"requests\": 5, \"think\": 5}}}"},
     "s:2:54: /loads/a/sessions/think: found 5; allowed: an object with one of " DISTRIBUTIONS
     ", as {\"constant\": 5}\n"},
    {{.loads = "{\"a\": {\"open\": {\"arrivals\": \"gaps\"}}}"},
     "s:2:38: /loads/a/open/arrivals: missing key \"gap\" (the time from one request to the next); "
     "allowed: a name, or an object of one name and its parameters\n"},
    {{.loads = "{\"a\": {\"open\": {\"rate\": 5, \"arrivals\": {\"gaps\": {\"constant\": 1}}}}}"},
     "s:2:25: /loads/a/open: impossible \"open\": independent gaps take neither rate nor every\n"},
    {{.server = "{\"service\": {\"constant\": 1}, \"replicas\": 3}",
      .loads = "{\"a\": {\"open\": {\"rate\": 5}, \"hedge\": 1, \"fan_out\": 2}}"},
     "s:2:38: /loads/a/hedge: \"hedge\" stands beside a \"fan_out\" of 2; allowed: copies of whole "
     "requests, or parts without copies\n"},
};

static void each_fault_of_a_server_or_load_is_answered_in_full(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_faults(cases[i].parts, cases[i].faults);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fault_of_a_server_or_load_is_answered_in_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
