/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/station.h"

static uint64_t running(const struct station *station)
{
    if (station->suspended > 0)
        return 0;
    return station->serving < station->workers ? station->serving : station->workers;
}

/* Where progress is whole, it is the time that the station has not been suspended. */
static ns_t whole_progress_ns(const struct station *station)
{
    return station->at_ns - station->standing_ns;
}

/* All sums are modulo 2^128: both sides of the identity that compares them are. */
void progress_advance(struct sim *sim, struct station *station, ns_t passed_ns)
{
    station->stopped_ns += station->stopped > 0 ? passed_ns : 0;
    if (station->suspended > 0) {
        station->standing_ns += passed_ns;
        return;
    }
    if (sim->whole) {
        station->served_ns += (u128)station->serving * passed_ns;
        return;
    }
    if (station->serving == 0)
        return;
    u128 step = station->speed * passed_ns;
    station->progress += step;
    sim->totals->busy_area += step * station->serving;
    sim->totals->running_ns[station->stage] += (u128)running(station) * passed_ns;
}

/* Rounded up, so that a service that is to end at a whole ns does. */
static u128 speed_of(struct sim *sim, const struct station *station)
{
    uint64_t num = station->slowed.num, den = station->slowed.den;
    bool shared = station->discipline->shares && station->serving > station->workers;
    if (num == den && !shared)
        return FULL_SPEED;
    u128 above = shared ? (u128)num * station->workers : num;
    u128 below = shared ? (u128)den * station->serving : den;
    if (above >> PROGRESS_BITS != 0)
        sim->overflow = true;
    return ((above << PROGRESS_BITS) + below - 1) / below;
}

static u128 ends_of(const struct node *service)
{
    return ((u128)service->high << PROGRESS_BITS) | service->low;
}

/* Of node and those below it that have ended by that progress, the first in order; best: so far. */
static size_t first_ended(const struct sim *sim, const struct heap *heap, u128 progress,
                          size_t node, size_t best)
{
    if (node >= heap->count || ends_of(&heap->items[node]) > progress)
        return best;
    const struct copy *c = &sim->copies[heap->items[node].payload];
    if (c->place != PLACE_CANCELLED && c->order < sim->copies[heap->items[best].payload].order)
        best = node;
    for (size_t child = 4 * node + 1; child <= 4 * node + 4; child++)
        best = first_ended(sim, heap, progress, child, best);
    return best;
}

/* Several may end between two whole ns, and then not their ends but their order tells. */
static size_t next_to_leave(const struct sim *sim, const struct station *station, u128 progress)
{
    return first_ended(sim, &station->services, progress, 0, 0);
}

static ns_t next_completion_ns(const struct station *station)
{
    u128 ends = ends_of(&station->services.items[0]);
    if (ends <= station->progress)
        return station
            ->at_ns; /* even where a quota was used up as it was done, within the last ns */
    if (station->suspended > 0)
        return NEVER;
    u128 left = ends - station->progress;
    u128 wait_ns = station->speed == FULL_SPEED
                       ? (left >> PROGRESS_BITS) + ((uint64_t)left != 0)
                       : left / station->speed + (left % station->speed != 0);
    return wait_ns < NS_LIMIT - station->at_ns ? station->at_ns + (ns_t)wait_ns : NS_LIMIT;
}

/* The next completion, and the order of the copy that leaves then. */
static void look_ahead(struct sim *sim, struct station *station)
{
    station->speed = speed_of(sim, station);
    station->next_ns = NEVER;
    station->next_order = NEVER;
    if (station->services.count == 0)
        return;
    station->next_ns = next_completion_ns(station);
    if (station->next_ns >= NS_LIMIT)
        return;
    u128 wait_ns = station->next_ns - station->at_ns;
    u128 step = station->speed == FULL_SPEED ? wait_ns << PROGRESS_BITS : station->speed * wait_ns;
    size_t first = next_to_leave(sim, station, station->progress + step);
    station->next_order = sim->copies[station->services.items[first].payload].order;
}

/* The same where progress is whole: what is done as the station is suspended still leaves. */
static void look_ahead_whole(struct station *station)
{
    const struct node *first = station->services.items;
    station->next_ns = NEVER;
    station->next_order = NEVER;
    if (station->services.count == 0 ||
        (station->suspended > 0 && first->high > whole_progress_ns(station)))
        return;
    station->next_ns = first->high + station->standing_ns;
    station->next_order = first->low;
    if (station->next_ns >= NS_LIMIT) {
        station->next_ns = NS_LIMIT;
        station->next_order = NEVER;
    }
}

static bool comes_before(const struct sim *sim, size_t a, size_t b)
{
    const struct station *first = &sim->stations[a], *second = &sim->stations[b];
    return first->next_ns < second->next_ns ||
           (first->next_ns == second->next_ns && first->next_order < second->next_order);
}

static void place_at(struct sim *sim, size_t rank, size_t station)
{
    sim->by_next[rank] = station;
    sim->stations[station].rank = rank;
}

/* Puts the station where its next completion belongs. */
static void reorder(struct sim *sim, size_t station)
{
    size_t i = sim->stations[station].rank;
    for (; i > 0 && comes_before(sim, station, sim->by_next[(i - 1) / 2]); i = (i - 1) / 2)
        place_at(sim, i, sim->by_next[(i - 1) / 2]);
    for (size_t child = 2 * i + 1; child < sim->station_count; child = 2 * i + 1) {
        if (child + 1 < sim->station_count &&
            comes_before(sim, sim->by_next[child + 1], sim->by_next[child]))
            child++;
        if (!comes_before(sim, sim->by_next[child], station))
            break;
        place_at(sim, i, sim->by_next[child]);
        i = child;
    }
    place_at(sim, i, station);
}

/* A cancelled service stays in the heap until it comes to the top. */
static void forget_broken_off(struct sim *sim, struct heap *services)
{
    while (services->count > 0 &&
           sim->copies[services->items[0].payload].place == PLACE_CANCELLED) {
        copy_free(sim, (size_t)heap_pop(services).payload);
        sim->broken_off--;
    }
}

void progress_changed(struct sim *sim, struct station *station)
{
    if (sim->broken_off > 0)
        forget_broken_off(sim, sim->steady ? &sim->services : &station->services);
    if (sim->steady)
        return;
    if (sim->whole)
        look_ahead_whole(station);
    else
        look_ahead(sim, station);
    if (sim->station_count > 1)
        reorder(sim, (size_t)(station - sim->stations));
    if (station->quota != NULL)
        quota_changed(sim, station->quota);
}

void progress_add(struct sim *sim, struct station *station, size_t copy)
{
    struct copy *c = &sim->copies[copy];
    if (sim->whole) {
        c->ends = whole_progress_ns(station) + c->work_ns;
        heap_push(&station->services, (struct node){c->ends, c->order, copy});
        return;
    }
    if (station->serving == 0 && station->services.count == 0)
        station->progress = 0;
    u128 ends = station->progress + ((u128)c->work_ns << PROGRESS_BITS);
    c->ends = (uint64_t)(ends >> PROGRESS_BITS);
    c->ends_part = (uint64_t)ends;
    heap_push(&station->services, (struct node){c->ends, c->ends_part, copy});
}

size_t progress_take(struct sim *sim)
{
    struct station *station = &sim->stations[sim->by_next[0]];
    station_advance(sim, station);
    if (sim->whole) {
        size_t copy = (size_t)heap_pop(&station->services).payload;
        station->work_done_ns += sim->copies[copy].work_ns;
        return copy;
    }
    size_t first = next_to_leave(sim, station, station->progress);
    struct node service = heap_take(&station->services, first);
    const struct copy *c = &sim->copies[service.payload];
    sim->totals->work_done +=
        ((u128)c->work_ns << PROGRESS_BITS) + (station->progress - ends_of(&service));
    return (size_t)service.payload;
}

static void count_broken_off(struct sim *sim, struct station *station, const struct copy *c)
{
    if (sim->whole) {
        station->work_done_ns += c->work_ns - (c->ends - whole_progress_ns(station));
        return;
    }
    u128 ends = ((u128)c->ends << PROGRESS_BITS) | c->ends_part;
    sim->totals->work_done += ((u128)c->work_ns << PROGRESS_BITS) - (ends - station->progress);
}

/* What was done of a service that is broken off counts as work done. */
void progress_break_off(struct sim *sim, struct station *station, const struct copy *c)
{
    count_broken_off(sim, station, c);
    sim->broken_off++;
}

static void cut_services(struct sim *sim, const struct heap *services)
{
    for (size_t k = 0; k < services->count; k++) {
        const struct copy *c = &sim->copies[services->items[k].payload];
        if (c->place == PLACE_SERVICE)
            count_broken_off(sim, &sim->stations[c->station], c);
    }
}

void station_cut(struct sim *sim)
{
    for (size_t i = 0; i < sim->station_count; i++) {
        station_advance(sim, &sim->stations[i]);
        cut_services(sim, &sim->stations[i].services);
    }
    cut_services(sim, &sim->services);
}
