/* SPDX-License-Identifier: 0BSD */
/* A send loop that duetime can judge: cc -o scheduler scheduler.c
   duetime conform --scheduler ./scheduler

   An even open load without a window, whose interval is whole ns; it refuses the others. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct load {
    uint64_t every_ns, requests, duration_ns; /* 0: not given */
};

/* The number behind a key of the one line of JSON; 0 where it is null or not there. */
static uint64_t number_of(const char *json, const char *key)
{
    uint64_t value = 0;
    const char *at = strstr(json, key);
    if (at != NULL)
        sscanf(at + strlen(key), "\": %" SCNu64, &value);
    return value;
}

static int is_over(const struct load *load, uint64_t slot)
{
    return (load->requests != 0 && slot >= load->requests) ||
           (load->duration_ns != 0 && slot * load->every_ns >= load->duration_ns);
}

int main(void)
{
    char line[65536], word[16];
    struct load load;
    uint64_t slot = 0, a, b;
    if (fgets(line, sizeof line, stdin) == NULL || strcmp(line, "duetime-schedule 1\n") != 0 ||
        fgets(line, sizeof line, stdin) == NULL)
        return 1;
    load.every_ns = number_of(line, "every_ns");
    load.requests = number_of(line, "\"requests");
    load.duration_ns = number_of(line, "duration_ns");
    int does = strstr(line, "\"kind\": \"open\"") != NULL &&
               strstr(line, "\"arrivals\": \"even\"") != NULL && load.every_ns != 0 &&
               number_of(line, "max_in_flight") == 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        int numbers = sscanf(line, "%15s %" SCNu64 " %" SCNu64, word, &a, &b);
        uint64_t now = numbers == 3 ? b : a; /* done I T, or now T */
        while (does && !is_over(&load, slot) && slot * load.every_ns <= now) {
            printf("send %" PRIu64 " %" PRIu64 "\n", slot, slot * load.every_ns);
            slot++;
        }
        if (!does)
            puts("refuse");
        else if (is_over(&load, slot))
            puts("end");
        else
            printf("wait %" PRIu64 "\n", slot * load.every_ns);
        fflush(stdout); /* the other side waits for it */
    }
    return 0;
}
