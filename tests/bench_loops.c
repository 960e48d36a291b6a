/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Prints a line for each loop by hand: its name and the least CPU ns a request of several runs. */

#include "tests/bench_loops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REQUESTS ((size_t)1 << 21)
#define HEAP_REQUESTS ((size_t)1 << 18)
#define TIMES 5
#define SERVICE_NS 1e6
#define GAP_NS (1e6 / 0.75)

#define SPACE 65536u /* a power of two beyond any queue that M/M/4 makes */

/* xoshiro256++, the tables of a ziggurat of 256 layers, and what the loops read and write. */
struct hand {
    uint64_t s[4];
    double x[257], f[257];
    uint64_t values[SPACE], space[SPACE];
};

static uint64_t rotated(uint64_t x, int by)
{
    return (x << by) | (x >> (64 - by));
}

static inline uint64_t next_word(struct hand *hand)
{
    uint64_t out = rotated(hand->s[0] + hand->s[3], 23) + hand->s[0], shifted = hand->s[1] << 17;
    hand->s[2] ^= hand->s[0];
    hand->s[3] ^= hand->s[1];
    hand->s[1] ^= hand->s[2];
    hand->s[0] ^= hand->s[3];
    hand->s[2] ^= shifted;
    hand->s[3] = rotated(hand->s[3], 45);
    return out;
}

static inline double unit(struct hand *hand)
{
    return ((double)(next_word(hand) >> 12) + 0.5) * 0x1p-52;
}

static inline double ziggurat(struct hand *hand)
{
    for (double from = 0.0;;) {
        uint64_t word = next_word(hand);
        size_t i = word & 255;
        double x = (double)(word >> 11) * 0x1p-53 * hand->x[i];
        if (x < hand->x[i + 1])
            return from + x;
        if (i == 0)
            from += hand->x[1];
        else if (hand->f[i] + unit(hand) * (hand->f[i + 1] - hand->f[i]) < exp(-x))
            return from + x;
    }
}

static inline double logarithm(struct hand *hand)
{
    return -log(unit(hand));
}

static inline uint64_t whole_ns(double ns)
{
    return (uint64_t)(int64_t)(ns + 0.5);
}

static void hand_init(struct hand *hand)
{
    const double edge = 7.69711747013104972, area = 0.0039496598225815571993;
    for (size_t i = 0; i < 4; i++)
        hand->s[i] = i + 1;
    hand->x[0] = area * exp(edge);
    hand->x[1] = edge;
    for (size_t i = 1; i < 255; i++)
        hand->x[i + 1] = -log(exp(-hand->x[i]) + area / hand->x[i]);
    for (size_t i = 0; i < 257; i++)
        hand->f[i] = exp(-hand->x[i]);
    for (int i = 0; i < 100; i++)
        next_word(hand);
    for (size_t i = 0; i < SPACE; i++)
        hand->values[i] = 1 + whole_ns(SERVICE_NS * ziggurat(hand));
}

/* One leading-zero count: 1024 cells for each power of two. */
static inline void put(struct histogram *h, uint64_t ns)
{
    unsigned shift = 63u - (unsigned)__builtin_clzll(ns | 1024) - 10u;
    h->cells[((uint64_t)shift << 10) + (ns >> shift)]++;
}

#define LINDLEY(name, draw)                                                                \
    static double name(struct hand *hand, struct histogram *h, size_t n)                   \
    {                                                                                      \
        uint64_t due = 0, free_at = 0, sum = 0;                                            \
        for (size_t i = 0; i < n; i++) {                                                   \
            due += whole_ns(GAP_NS * draw(hand));                                          \
            free_at = (free_at > due ? free_at : due) + whole_ns(SERVICE_NS * draw(hand)); \
            put(h, free_at - due);                                                         \
            sum += free_at - due;                                                          \
        }                                                                                  \
        return (double)sum;                                                                \
    }
LINDLEY(by_logarithm, logarithm)
LINDLEY(by_ziggurat, ziggurat)

/* A request each 200 us of 100 us; a stall of 200 ms each second: one test for what is rare, and
   else the chain from one answer to the next. */
static double chain(struct hand *hand, struct histogram *h, size_t n)
{
    (void)h;
    uint64_t due = 0, free_at = 0, stall = 500000000;
    for (size_t i = 0; i < n; i++, due += 200000) {
        free_at = (free_at > due ? free_at : due) + 100000;
        if (__builtin_expect(free_at > stall, 0)) {
            free_at += 200000000;
            stall += 1000000000;
        }
        hand->space[i % SPACE] = free_at - due;
    }
    uint64_t sum = 0; /* of the last 12 s, which are as all others */
    for (size_t i = 0; i < 60000; i++)
        sum += hand->space[(n - 1 - i) % SPACE];
    return (double)sum / 60000.0 * (double)n;
}

/* N clients without think time: the answer of one is the next that it sends, N later in turn. */
static double ring(struct hand *hand, struct histogram *h, size_t n, size_t clients)
{
    uint64_t sent[128] = {0}, now = 0, sum = 0;
    for (size_t i = 0, k = 0; i < n; i++) {
        now += whole_ns(SERVICE_NS * ziggurat(hand));
        put(h, now - sent[k]);
        sum += now - sent[k];
        sent[k] = now;
        k = k + 1 == clients ? 0 : k + 1;
    }
    return (double)sum;
}

static double ring_1(struct hand *hand, struct histogram *h, size_t n)
{
    return ring(hand, h, n, 1);
}

static double ring_128(struct hand *hand, struct histogram *h, size_t n)
{
    return ring(hand, h, n, 128);
}

struct answer {
    uint64_t at, due;
};

static void sift_down(struct answer *heap, size_t count)
{
    struct answer moving = heap[0];
    size_t at = 0;
    for (size_t child = 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && heap[child + 1].at < heap[child].at)
            child++;
        if (heap[child].at >= moving.at)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moving;
}

static void sift_up(struct answer *heap, size_t at)
{
    struct answer moving = heap[at];
    for (; at > 0 && heap[(at - 1) / 2].at > moving.at; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = moving;
}

/* Four workers, next event first: the next arrival beside a heap of the answers to come. */
static double events(struct hand *hand, struct histogram *h, size_t n)
{
    struct answer heap[4];
    size_t busy = 0, head = 0, tail = 0;
    uint64_t arrival = 0, sum = 0;
    for (size_t answered = 0; answered < n;) {
        if (busy == 0 || arrival < heap[0].at) {
            if (busy < 4) {
                heap[busy] =
                    (struct answer){arrival + whole_ns(SERVICE_NS * ziggurat(hand)), arrival};
                sift_up(heap, busy++);
            } else {
                hand->space[tail++ % SPACE] = arrival;
            }
            arrival += whole_ns(GAP_NS / 4.0 * ziggurat(hand));
            continue;
        }
        uint64_t now = heap[0].at;
        put(h, now - heap[0].due);
        sum += now - heap[0].due;
        answered++;
        if (head != tail)
            heap[0] = (struct answer){now + whole_ns(SERVICE_NS * ziggurat(hand)),
                                      hand->space[head++ % SPACE]};
        else
            heap[0] = heap[--busy];
        sift_down(heap, busy);
    }
    return (double)sum;
}

/* Four workers without events: a request goes to the worker who is free first, and four instants in
   order are all there is to know. */
static double four_workers(struct hand *hand, struct histogram *h, size_t n)
{
    uint64_t a = 0, b = 0, c = 0, e = 0, due = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        due += whole_ns(GAP_NS / 4.0 * ziggurat(hand));
        uint64_t now = (a > due ? a : due) + whole_ns(SERVICE_NS * ziggurat(hand));
        put(h, now - due);
        sum += now - due;
        a = b < now ? b : now;
        now = b < now ? now : b;
        b = c < now ? c : now;
        now = c < now ? now : c;
        c = e < now ? e : now;
        e = e < now ? now : e;
    }
    return (double)sum;
}

/* What a recorder cannot do without: cell, least, most and sum of values that are at hand. */
static double recorder(struct hand *hand, struct histogram *h, size_t n)
{
    uint64_t least = UINT64_MAX, most = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t ns = hand->values[i % SPACE];
        put(h, ns);
        sum += ns;
        least = ns < least ? ns : least;
        most = ns > most ? ns : most;
    }
    return least < most ? (double)sum : 0.0;
}

/* mean_ns: what a response must come to on average, or the loop is not the model. */
struct loop {
    const char *name;
    double mean_ns;
    double (*run)(struct hand *hand, struct histogram *h, size_t n);
};

#define MM1_NS (4 * SERVICE_NS)
static const struct loop loops[] = {
    {"logarithm", MM1_NS, by_logarithm},
    {"ziggurat", MM1_NS, by_ziggurat},
    {"chain", 40.12e6, chain},
    {"closed-1", SERVICE_NS, ring_1},
    {"closed-128", 128 * SERVICE_NS, ring_128},
    {"events", 1.5094 * SERVICE_NS, events},
    {"workers-4", 1.5094 * SERVICE_NS, four_workers},
    {"recorder", SERVICE_NS, recorder},
};

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The sums are of 2^21 values, off by one in a hundred at most; a loop that leaves something out is
   off by more than five. */
static void say(const char *name, const char *level, double least_ns, double sum, double mean_ns)
{
    if (!(fabs(sum / (double)REQUESTS / mean_ns - 1.0) < 0.05)) {
        fprintf(stderr, "the loop %s%s gives a mean of %g ns instead of %g\n", name, level,
                sum / (double)REQUESTS, mean_ns);
        exit(1);
    }
    printf("%s%s %.4f\n", name, level, least_ns / (double)REQUESTS);
}

static void measure_vectors(struct histogram *h)
{
    static const struct bench_vector *const by[VECTOR_COUNT] = {
        &bench_vector_plain, &bench_vector_avx2, &bench_vector_avx512};
    static const char *const names[VECTOR_COUNT] = {"-plain", "-avx2", "-avx512"};
    for (enum vector level = VECTOR_PLAIN; level <= vector_level(); level++) {
        double queue_ns = INFINITY, draws_ns = INFINITY, hashed_ns = INFINITY;
        double sum = 0.0, hashed_sum = 0.0;
        for (int i = 0; i < TIMES; i++) {
            double begin = cpu_ns();
            by[level]->queue(REQUESTS, h);
            queue_ns = fmin(queue_ns, cpu_ns() - begin);
            begin = cpu_ns();
            sum = by[level]->draws(REQUESTS);
            draws_ns = fmin(draws_ns, cpu_ns() - begin);
            begin = cpu_ns();
            hashed_sum = by[level]->hashed(REQUESTS);
            hashed_ns = fmin(hashed_ns, cpu_ns() - begin);
        }
        say("vector", names[level], queue_ns, h->sum / TIMES, MM1_NS);
        h->sum = 0.0;
        say("draws", names[level], draws_ns, sum, SERVICE_NS);
        say("hashed", names[level], hashed_ns, hashed_sum, SERVICE_NS);
    }
}

/* A heap of so many answers to come: the first is taken, and another takes its place. */
static void measure_heap(struct hand *hand, struct histogram *h, size_t size)
{
    struct answer *heap = calloc(size, sizeof *heap);
    double least_ns = INFINITY;
    if (!heap)
        exit(3);
    for (size_t i = 0; i < size; i++) {
        heap[i] = (struct answer){whole_ns(SERVICE_NS * ziggurat(hand)), 0};
        sift_up(heap, i);
    }
    for (int k = 0; k < TIMES; k++) {
        double begin = cpu_ns();
        for (size_t i = 0; i < HEAP_REQUESTS; i++) {
            uint64_t now = heap[0].at;
            put(h, now - heap[0].due);
            heap[0] = (struct answer){now + whole_ns(SERVICE_NS * ziggurat(hand)), now};
            sift_down(heap, size);
        }
        least_ns = fmin(least_ns, cpu_ns() - begin);
    }
    printf("heap-%zu %.4f\n", size, least_ns / (double)HEAP_REQUESTS);
    free(heap);
}

int main(void)
{
    struct histogram *h = calloc(1, sizeof *h);
    struct hand *hand = calloc(1, sizeof *hand);
    if (!h || !hand)
        return 3;
    hand_init(hand);
    for (size_t k = 0; k < sizeof loops / sizeof loops[0]; k++) {
        double least_ns = INFINITY, sum = 0.0;
        for (int i = 0; i < TIMES; i++) {
            double begin = cpu_ns();
            sum = loops[k].run(hand, h, REQUESTS);
            least_ns = fmin(least_ns, cpu_ns() - begin);
        }
        say(loops[k].name, "", least_ns, sum, loops[k].mean_ns);
    }
    for (size_t size = 100; size <= 1000000; size *= 10)
        measure_heap(hand, h, size);
    measure_vectors(h);
    free(h);
    free(hand);
    return 0;
}
