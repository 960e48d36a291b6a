/* SPDX-License-Identifier: 0BSD */

/* A recorder that duetime can judge:

       cc -O2 -o recorder recorder.c
       duetime conform --command ./recorder

   The struct recorder and its functions are what is judged: put your own in their place. */

#include "duetime_conform.h"

/* Keeps every value; a percentile is the nearest rank, found with whole numbers. */
struct recorder {
    uint64_t *values_ns;
    size_t count, capacity;
};

static void record(struct recorder *r, uint64_t value_ns)
{
    if (r->count == r->capacity) {
        r->capacity = r->capacity == 0 ? 1024 : 2 * r->capacity;
        r->values_ns = realloc(r->values_ns, r->capacity * sizeof *r->values_ns);
        if (r->values_ns == NULL)
            abort();
    }
    r->values_ns[r->count++] = value_ns;
}

/* What HdrHistogram does where sends were held back: one more sample for each that is missing below
   a slow one. */
static void record_corrected(struct recorder *r, uint64_t value_ns, uint64_t interval_ns)
{
    record(r, value_ns);
    for (; interval_ns > 0 && value_ns >= 2 * interval_ns; value_ns -= interval_ns)
        record(r, value_ns - interval_ns);
}

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* ceil(p n / 100) with p as text: 99.9 is 999 / 10.  0.999 * n as a double would at times be a
   little too much, and its ceiling a sample too high. */
static size_t nearest_rank(const char *p, size_t n)
{
    uint64_t above = 0, below = 100;
    bool point = false;
    for (; *p != '\0'; p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        above = above * 10 + (uint64_t)(*p - '0');
        below *= point ? 10 : 1;
    }
    size_t rank = (size_t)((above * n + below - 1) / below);
    return rank < 1 ? 1 : rank;
}

static bool begin(void *self, const struct conform_asked *asked)
{
    (void)self;
    bool knows = asked->correction[0] == '\0' || strcmp(asked->correction, "hdr") == 0;
    if (!knows)
        fprintf(stderr, "this recorder has no correction %s\n", asked->correction);
    return knows;
}

static void take(void *self, const struct conform_asked *asked, const struct conform_request *r)
{
    uint64_t value_ns;
    if (conform_value(asked, r, &value_ns))
        record_corrected(self, value_ns, asked->correction[0] != '\0' ? asked->interval_ns : 0);
}

static void answer(void *self, const struct conform_asked *asked, FILE *out)
{
    struct recorder *r = self;
    uint64_t sum_ns = 0; /* of a million requests of some hours each, still */
    if (r->count == 0) {
        fputs("{\"count\": 0}\n", out);
        return;
    }
    qsort(r->values_ns, r->count, sizeof *r->values_ns, compare);
    for (size_t i = 0; i < r->count; i++)
        sum_ns += r->values_ns[i];
    fprintf(out, "{\"count\": %zu, \"min\": %" PRIu64 ", \"max\": %" PRIu64, r->count,
            r->values_ns[0], r->values_ns[r->count - 1]);
    fprintf(out, ", \"sum\": %" PRIu64 ", \"mean\": %.9f, \"percentiles\": {", sum_ns,
            (double)sum_ns / (double)r->count);
    for (size_t i = 0; i < asked->percentile_count; i++)
        fprintf(out, "%s\"%s\": %" PRIu64, i > 0 ? ", " : "", asked->percentiles[i],
                r->values_ns[nearest_rank(asked->percentiles[i], r->count) - 1]);
    fputs("}, \"unit\": \"ns\", \"declares\": {\"precision\": \"exact\", \"rank\": \"nearest\"}}\n",
          out);
}

int main(void)
{
    struct recorder recorder = {NULL, 0, 0};
    int status = conform_run(&(struct conform_recorder){&recorder, begin, take, answer});
    free(recorder.values_ns);
    return status;
}
