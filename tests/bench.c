/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a simulated request costs, start to checked table, on one core: every pass, the recount, the
   checks.  Prints one line a shape; exits with 1 where a shape has a limit and misses it. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "sim/run.h"
#include "sim/scenario/reader.h"

struct shape {
    const char *name;
    double limit_ns; /* a request; 0: none */
    double requests;
    const char *text;
};

#define EXPONENTIAL "\"server\": {\"service\": {\"exponential\": \"10ms\"}}"
#define STALLS                                                                                   \
    "\"server\": {\"service\": {\"constant\": \"100us\"}, \"stalls\": [{\"mode\": \"suspend\", " \
    "\"first\": "                                                                                \
    "\"500ms\", \"every\": \"1s\", \"last\": \"200ms\"}]}"
#define RECORDER(from, store) \
    "\"recorders\": {\"r\": {\"load\": \"l\", \"from\": \"" from "\", \"store\": " store "}}"

static const struct shape shapes[] = {
    {"M/M/1 open at 75 %, HDR", 60.0, 32e5,
     "{" EXPONENTIAL
     ", \"loads\": {\"l\": {\"open\": {\"rate\": 75, \"arrivals\": \"poisson\"}}}, " RECORDER(
         "due", "{\"hdr\": 3}") ", \"run\": {\"requests\": 100000}}"},
    {"M/M/1 open at 75 %, exact", 0.0, 32e5,
     "{" EXPONENTIAL
     ", \"loads\": {\"l\": {\"open\": {\"rate\": 75, \"arrivals\": \"poisson\"}}}, " RECORDER(
         "due", "\"exact\"") ", \"run\": {\"requests\": 100000}}"},
    {"closed, 16 clients, exponential, HDR", 0.0, 32e5,
     "{" EXPONENTIAL ", \"loads\": {\"l\": {\"closed\": {\"clients\": 16}}}, " RECORDER(
         "sent", "{\"hdr\": 3}") ", \"run\": {\"requests\": 100000}}"},
    {"open, even, constant with stalls, HDR", 0.0, 2e6,
     "{" STALLS ", \"loads\": {\"l\": {\"open\": {\"rate\": 5000}}}, " RECORDER(
         "due", "{\"hdr\": 3}") ", \"run\": {\"requests\": 2000000}}"},
    {"paced, one connection, with stalls, HDR", 0.0, 2e6,
     "{" STALLS ", \"loads\": {\"l\": {\"paced\": {\"rate\": 5000}}}, " RECORDER(
         "sent", "{\"hdr\": 3}") ", \"run\": {\"requests\": 2000000}}"},
};

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The least of three: what disturbs a measurement only ever adds to it. */
static double measure_ns(const struct shape *shape)
{
    double least = 0.0;
    for (int i = 0; i < 3; i++) {
        struct errors errors = {0};
        struct run_options options = {.threads = 1};
        double begin = cpu_ns();
        struct plan *plan = plan_read("bench", shape->text, strlen(shape->text), NULL, 0, &errors);
        BUG_IF(plan == NULL);
        struct result *result = run_scenario(plan, &options, &errors);
        BUG_IF(result == NULL || result->holds != VERDICT_HOLDS);
        result_free(result);
        plan_free(plan);
        double each = (cpu_ns() - begin) / shape->requests;
        least = i == 0 || each < least ? each : least;
    }
    return least;
}

int main(void)
{
    int missed = 0;
    printf("%-42s %12s %8s\n", "", "ns a request", "limit");
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        double ns = measure_ns(&shapes[i]);
        printf("%-42s %12.1f", shapes[i].name, ns);
        if (shapes[i].limit_ns > 0.0)
            printf(" %8.0f%s", shapes[i].limit_ns, ns > shapes[i].limit_ns ? "  MISSED" : "");
        putchar('\n');
        missed |= shapes[i].limit_ns > 0.0 && ns > shapes[i].limit_ns;
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("peak memory %ld KiB\n", usage.ru_maxrss);
    return missed;
}
