/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/policies/resend.h"
#include "tests/oracle_world.h"

/* ---- which there are ---- */

size_t station_of_server(uint64_t replica)
{
    return 2 + (size_t)replica;
}

void stations_set_up(struct world *w)
{
    const struct server *server = &w->plan->server;
    size_t replicas = (size_t)server->replicas, behind = 2 + replicas;
    w->station_count = replicas + 4;
    w->stations = must_alloc(w->station_count, sizeof *w->stations);
    for (size_t i = 0; i < w->station_count; i++)
        w->stations[i] =
            (struct station){.workers = UNLIMITED, .discipline = "fifo", .quota = NOBODY};
    w->stations[0].exists = w->load->generator.cost_ns > 0;
    w->stations[0].leg = LEG_GENERATOR;
    w->stations[0].workers = w->load->generator.threads;
    w->stations[1].exists = server->network.delay.type != NULL;
    w->stations[1].leg = LEG_NETWORK;
    for (size_t i = 0; i < replicas; i++) {
        struct station *s = &w->stations[2 + i];
        *s = (struct station){.exists = true,
                              .leg = LEG_SERVER,
                              .replica = i,
                              .id = i,
                              .workers = server->workers,
                              .quota = NOBODY};
        s->discipline = server->queue.type ? server->queue.type->name : "fifo";
    }
    struct station *s = &w->stations[behind];
    s->exists = server->behind.service.type != NULL;
    s->leg = LEG_BEHIND;
    s->id = replicas;
    s->workers = server->behind.workers;
    if (server->behind.queue.type)
        s->discipline = server->behind.queue.type->name;
    w->stations[behind + 1].exists = w->load->overhead_ns > 0;
    w->stations[behind + 1].leg = LEG_CLIENT;
    for (size_t i = 0; i < w->station_count; i++) {
        const char *rule = w->stations[i].discipline;
        w->stations[i].shares = is(rule, "processor-sharing");
        /* One that comes now may go before those that wait. */
        w->stations[i].late = is(rule, "lifo") || is(rule, "shortest") || is(rule, "random");
    }
}

size_t station_after(const struct world *w, size_t station, uint64_t replica)
{
    size_t servers_end = 2 + (size_t)w->plan->server.replicas, next = station + 1;
    if (station >= 2 && station < servers_end)
        next = servers_end;
    for (; next < w->station_count; next++) {
        bool anothers = next >= 2 && next < servers_end && next != station_of_server(replica);
        if (w->stations[next].exists && !anothers)
            return next;
    }
    return NOBODY;
}

/* ---- who is there ---- */

uint64_t count_at(const struct world *w, size_t station, enum whereabouts place)
{
    return w->stations[station].copies[place];
}

uint64_t count_all(const struct world *w, enum whereabouts place)
{
    uint64_t n = 0;
    for (size_t s = 0; s < w->station_count; s++)
        n += count_at(w, s, place);
    return n;
}

void move(struct world *w, size_t index, size_t station, enum whereabouts place)
{
    struct copy *copy = &w->copies[index];
    w->stations[copy->station].copies[copy->place]--;
    copy->station = station;
    copy->place = place;
    w->stations[station].copies[place]++;
}

/* The worker of a service that ended in a blackout is not free before its answer is out, nor is one
   that waits for the station behind. */
static uint64_t workers_taken(const struct world *w, size_t station)
{
    return count_at(w, station, IN_SERVICE) + count_at(w, station, HELD) +
           w->stations[station].kept;
}

static bool worker_free(const struct world *w, size_t station)
{
    uint64_t workers = w->stations[station].workers;
    return workers == UNLIMITED || w->stations[station].shares ||
           workers_taken(w, station) < workers;
}

/* Of a server: for a copy that cannot begin at once, unless all share. */
bool queue_is_full(const struct world *w, size_t station)
{
    uint64_t limit = w->plan->server.queue_limit, workers = w->stations[station].workers;
    if (w->stations[station].leg != LEG_SERVER || limit == UNLIMITED || workers == UNLIMITED)
        return false;
    uint64_t waiting = count_at(w, station, WAITING);
    if (starts_are_stopped(w, station) && !w->stations[station].shares)
        return waiting >= limit;
    /* A worker that is free takes one of those that wait before this instant is over. */
    return waiting + workers_taken(w, station) >= workers + limit;
}

bool begins_at_once(const struct world *w, size_t station)
{
    return !starts_are_stopped(w, station) && count_at(w, station, WAITING) == 0 &&
           worker_free(w, station) && !(w->stations[station].shares && queue_is_full(w, station));
}

/* ---- how fast they work ---- */

uint64_t running(const struct world *w, size_t station)
{
    uint64_t n = count_at(w, station, IN_SERVICE), workers = w->stations[station].workers;
    return n > workers ? workers : n;
}

/* A finer unit. */
static void divide_unit(struct world *w, uint64_t factor)
{
    if (factor == 1)
        return;
    w->unit = number_times(&w->unit, factor);
    w->done = number_times(&w->done, factor);
    for (size_t i = 0; i < LEG_COUNT; i++)
        w->ran[i] = number_times(&w->ran[i], factor);
    for (size_t i = w->first_there; i < w->copy_count; i++)
        if (w->copies[i].place == IN_SERVICE)
            w->work_left[i] = number_times(&w->work_left[i], factor);
}

/* Every speed is to be a whole part of the unit: with n that share, it needs the factor n. */
void make_room_for_sharing(struct world *w)
{
    for (size_t s = 0; s < w->station_count; s++) {
        uint64_t n = w->stations[s].shares ? count_at(w, s, IN_SERVICE) : 0;
        struct number rest = w->shared;
        if (n <= w->stations[s].workers)
            continue;
        uint64_t factor = n / gcd_u64(number_divide(&rest, n), n);
        w->shared = number_times(&w->shared, factor);
        divide_unit(w, factor);
    }
}

void make_room_for_part(struct world *w, size_t station, uint64_t left, uint64_t users)
{
    struct number speed = speed_of(w, station), done = number_times(&speed, left);
    divide_unit(w, users / gcd_u64(number_divide(&done, users), users));
    struct number ran = number_times(&w->unit, left);
    divide_unit(w, users / gcd_u64(number_divide(&ran, users), users));
}

struct number speed_of(const struct world *w, size_t station)
{
    if (work_stands_still(w, station))
        return number_of(0);
    struct number speed = w->unit;
    slow_down(w, station, &speed);
    uint64_t n = count_at(w, station, IN_SERVICE), workers = w->stations[station].workers;
    if (w->stations[station].shares && n > workers) {
        speed = number_times(&speed, workers);
        BUG_IF(number_divide(&speed, n) != 0);
    }
    return speed;
}

/* ---- starts ---- */

/* Half to even. */
static ns_t longer_by(ns_t work, struct ratio share, uint64_t others)
{
    u128 num = (u128)work * (share.den + (u128)share.num * others), whole = num / share.den;
    u128 rest = 2 * (num % share.den);
    bool up = rest > share.den || (rest == share.den && whole % 2 == 1);
    return (ns_t)(whole + up);
}

/* When one of tied copies begins, those that have not are taken back. */
static void cancel_tied(struct world *w, size_t copy)
{
    const struct resend_type *type = (const void *)w->load->resend.type;
    for (size_t i = w->first_there; type && type->cancels_at_start && i < w->copy_count; i++) {
        const struct copy *other = &w->copies[i];
        if (i != copy && other->request == w->copies[copy].request && other->place != GONE &&
            !other->begun)
            cancel(w, i);
    }
}

static ns_t work_of(const struct world *w, const struct copy *copy)
{
    struct ratio share = w->plan->server.load_dependence;
    if (w->stations[copy->station].leg != LEG_SERVER || share.num == 0)
        return copy->drawn_ns;
    uint64_t others = count_at(w, copy->station, WAITING) + count_at(w, copy->station, IN_SERVICE);
    return longer_by(copy->drawn_ns, share, others);
}

void begin_service(struct world *w, size_t index)
{
    struct copy *copy = &w->copies[index];
    move(w, index, copy->station, ON_ITS_WAY); /* not one of those that it finds there */
    w->work_left[index] = number_times(&w->unit, work_of(w, copy));
    move(w, index, copy->station, IN_SERVICE);
    if (w->stations[copy->station].leg != LEG_SERVER)
        return;
    copy->begun = true;
    copy->started = w->now;
    cancel_tied(w, index);
}

static bool goes_before(const char *discipline, const struct copy *a, const struct copy *b)
{
    if (is(discipline, "lifo"))
        return a->turn > b->turn;
    if (is(discipline, "shortest") && a->drawn_ns != b->drawn_ns)
        return a->drawn_ns < b->drawn_ns;
    return a->turn < b->turn;
}

/* The one of those waiting that is next, if they are taken by that rule; NOBODY. */
static size_t first_by(const struct world *w, size_t station, const char *rule, uint64_t after)
{
    size_t best = NOBODY;
    for (size_t i = w->first_there; i < w->copy_count; i++) {
        const struct copy *copy = &w->copies[i];
        if (copy->station == station && copy->place == WAITING && copy->turn >= after &&
            (best == NOBODY || goes_before(rule, copy, &w->copies[best])))
            best = i;
    }
    return best;
}

static size_t pick(struct world *w, size_t station)
{
    struct station *s = &w->stations[station];
    if (!is(s->discipline, "random"))
        return first_by(w, station, s->discipline, 0);
    uint64_t word = stream_word(stream_at(w->queue, s->id), s->picks++);
    size_t found = first_by(w, station, "fifo", 0);
    for (uint64_t k = below(word, count_at(w, station, WAITING)); k > 0; k--)
        found = first_by(w, station, "fifo", w->copies[found].turn + 1);
    return found;
}

static bool can_start(const struct world *w, size_t station)
{
    return count_at(w, station, WAITING) > 0 && !starts_are_stopped(w, station) &&
           worker_free(w, station);
}

void look_for_starts(const struct world *w, bool *prompt, bool *late)
{
    *prompt = *late = false;
    for (size_t s = 0; s < w->station_count; s++)
        if (can_start(w, s))
            *(w->stations[s].late ? late : prompt) = true;
}

void start_all(struct world *w, bool late)
{
    for (size_t s = 0; s < w->station_count; s++)
        while (w->stations[s].late == late && can_start(w, s))
            begin_service(w, pick(w, s));
}
