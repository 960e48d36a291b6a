/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/wheel.h"

#include <stdlib.h>
#include <string.h>

#include "models/base/wide.h"

/* So many near ones are enough, and where so many would have to make room the later ones go back.
 */
#define NEAR_FEW 16
#define NEAR_MANY 64

/* The instants of a few that are put in order differ in no more bits; a key has the others. */
#define KEY_BITS 54

/* How it leans is asked when so many have come near, and when four have for each that was moved. */
#define CAME_ENOUGH 1024
#define CAME_EACH 4

/* A spoke of some level is the widest that holds no more than so many. */
#define SPOKE_HOLDS 13

void wheel_free(struct wheel *w)
{
    free(w->near);
    free(w->chunks);
    free(w->next);
}

static void make_room(struct wheel *w, size_t more)
{
    if (w->end + more <= w->near_room)
        return;
    size_t count = w->end - w->first;
    if (w->first > 0)
        memmove(w->near, w->near + w->first, count * sizeof *w->near);
    w->first = 0;
    w->end = count;
    if (2 * (count + more) <= w->near_room) /* else it would be moved too often */
        return;
    w->near_room = 2 * (count + more) + NEAR_MANY;
    w->near = must_grow(w->near, w->near_room, sizeof *w->near);
}

static uint32_t take_chunk(struct wheel *w)
{
    uint32_t chunk = w->free_chunk;
    if (chunk > 0) {
        w->free_chunk = w->next[chunk - 1];
        return chunk - 1;
    }
    if (w->chunk_count == w->chunk_room) {
        w->chunk_room = w->chunk_room > 0 ? 2 * w->chunk_room : 16;
        w->chunks = must_grow_wide(w->chunks, w->chunk_count, w->chunk_room,
                                   CHUNK_TURNS * sizeof *w->chunks);
        w->next = must_grow(w->next, w->chunk_room, sizeof *w->next);
    }
    return w->chunk_count++;
}

static void give_chunk(struct wheel *w, uint32_t chunk)
{
    w->next[chunk] = w->free_chunk;
    w->free_chunk = chunk + 1;
}

void wheel_lengthen(struct wheel *w, unsigned level, unsigned digit)
{
    struct spoke *spoke = &w->spokes[level][digit];
    uint32_t chunk = take_chunk(w);
    if ((w->filled[level] >> digit & 1) != 0)
        w->next[spoke->last] = chunk;
    else
        spoke->first = chunk;
    w->filled[level] |= UINT64_C(1) << digit;
    w->levels |= UINT32_C(1) << level;
    w->next[chunk] = CHUNK_NONE;
    spoke->last = chunk;
    spoke->room = CHUNK_TURNS;
}

/* The spoke is no longer there; its chunks are the caller's. */
static struct spoke detach(struct wheel *w, unsigned level, unsigned digit)
{
    struct spoke spoke = w->spokes[level][digit];
    w->spokes[level][digit].room = 0;
    w->filled[level] &= ~(UINT64_C(1) << digit);
    if (w->filled[level] == 0)
        w->levels &= ~(UINT32_C(1) << level);
    return spoke;
}

static void fetch(const struct wheel *w, uint32_t chunk)
{
    for (size_t i = 0; i < CHUNK_TURNS; i += 4)
        __builtin_prefetch(wheel_chunk(w, chunk) + i);
}

/* Deals a spoke's turns out again, by how they differ from that instant: how many. */
static size_t deal(struct wheel *w, struct spoke spoke, uint64_t from)
{
    size_t dealt = 0;
    for (uint32_t chunk = spoke.first, next; chunk != CHUNK_NONE; chunk = next) {
        size_t count = chunk == spoke.last ? CHUNK_TURNS - spoke.room : CHUNK_TURNS;
        next = w->next[chunk];
        if (next != CHUNK_NONE && w->next[next] != CHUNK_NONE)
            fetch(w, w->next[next]);
        for (size_t i = 0; i < count; i++) {
            struct turn one = wheel_chunk(w, chunk)[i];
            wheel_put_far(w, wheel_level(w, one.at ^ from), one);
        }
        dealt += count;
        give_chunk(w, chunk);
    }
    return dealt;
}

static void deal_out(struct wheel *w, unsigned level, unsigned digit, uint64_t from)
{
    deal(w, detach(w, level, digit), from);
}

/* Deals all spokes out again; those of one instant are in one. */
static size_t lean_to(struct wheel *w, unsigned lean)
{
    struct spoke spokes[WHEEL_LEVELS][WHEEL_SPOKES];
    uint64_t filled[WHEEL_LEVELS];
    size_t dealt = 0;
    memcpy(spokes, w->spokes, sizeof spokes);
    memcpy(filled, w->filled, sizeof filled);
    memset(w->spokes, 0, sizeof w->spokes);
    memset(w->filled, 0, sizeof w->filled);
    w->levels = 0;
    w->lean = lean;
    for (size_t level = 0; level < WHEEL_LEVELS; level++)
        for (; filled[level] != 0; filled[level] &= filled[level] - 1)
            dealt += deal(w, spokes[level][__builtin_ctzll(filled[level])], w->until);
    return dealt;
}

/* By how far those that came near are from each other.  One bit more or less is not worth the
   trouble, unless it is the first time. */
static void lean_well(struct wheel *w)
{
    uint64_t gap = w->until > w->came_until ? (w->until - w->came_until) / w->came : 0;
    unsigned width_bits = 63 - (unsigned)__builtin_clzll(SPOKE_HOLDS * gap | 1);
    unsigned lean = (WHEEL_BITS - width_bits % WHEEL_BITS) % WHEEL_BITS;
    unsigned turned = (lean + WHEEL_BITS - w->lean) % WHEEL_BITS;
    bool first = w->came_enough == 0, far = turned > 1 && turned < WHEEL_BITS - 1;
    size_t dealt = far || (first && turned > 0) ? lean_to(w, lean) : 0;
    w->came_enough = CAME_ENOUGH + CAME_EACH * dealt;
    w->came = 0;
    w->came_until = w->until;
}

/* How many are no later than that. */
static size_t count_until(const struct turn *near, size_t count, uint64_t at)
{
    size_t low = 0;
    while (count > 0) {
        size_t half = count / 2;
        bool no_later = near[low + half].at <= at;
        low = no_later ? low + half + 1 : low;
        count = no_later ? count - half - 1 : half;
    }
    return low;
}

/* Of many, those from the middle one's instant on are no longer near; or if that is the first
   instant of all, those after it.  What lies at levels below the highest digit that changes is then
   further off than it was.  A crowd of one instant stays: it would come back each time. */
static void send_back(struct wheel *w)
{
    struct turn *near = w->near + w->first;
    size_t count = wheel_near(w);
    uint64_t middle = near[count / 2].at, until = middle > near[0].at ? middle - 1 : middle;
    size_t kept = count_until(near, count, until);
    if (count - kept > 4 * kept)
        return;
    unsigned level = wheel_level(w, until ^ w->until);
    w->until = until;
    for (unsigned lower = 0; lower < level; lower++)
        while (w->filled[lower] != 0)
            deal_out(w, lower, (unsigned)__builtin_ctzll(w->filled[lower]), until);
    for (size_t i = kept; i < count; i++)
        wheel_put_far(w, wheel_level(w, near[i].at ^ until), near[i]);
    w->end = w->first + kept;
}

/* Behind those that are no later; the shorter side makes room. */
void wheel_put_near(struct wheel *w, struct turn one)
{
    make_room(w, 1);
    struct turn *near = w->near + w->first;
    size_t count = wheel_near(w), low = count, later;
    if (count > 0 && near[count - 1].at > one.at)
        low = count_until(near, count, one.at);
    later = count - low;
    if (w->first > 0 && low < later) {
        memmove(near - 1, near, low * sizeof *near);
        w->first--;
        near[(ptrdiff_t)low - 1] = one;
    } else {
        memmove(near + low + 1, near + low, later * sizeof *near);
        near[low] = one;
        w->end++;
    }
    if (low >= NEAR_MANY && later >= NEAR_MANY)
        send_back(w);
}

/* A few, behind those that are near and earlier.  Each goes where as many are before it as there
   are keys below its own: without a branch that nobody could foretell.  Their instants are the same
   above the lowest KEY_BITS, and of one instant they keep their order. */
static void sort_in(struct wheel *w, const struct turn *turns, size_t count)
{
    struct turn *near = w->near + w->end;
    uint64_t keys[CHUNK_TURNS];
    for (size_t i = 0; i < count; i++)
        keys[i] = turns[i].at << (64 - KEY_BITS) | i;
    for (size_t i = 0; i < count; i++) {
        size_t place = 0;
        for (size_t k = 0; k < count; k++)
            place += keys[k] < keys[i];
        near[place] = turns[i];
    }
    w->end += count;
}

/* Of one instant if it is more than one chunk. */
static void bring_near(struct wheel *w, unsigned level, unsigned digit)
{
    struct spoke spoke = detach(w, level, digit);
    for (uint32_t chunk = spoke.first, next; chunk != CHUNK_NONE; chunk = next) {
        size_t count = chunk == spoke.last ? CHUNK_TURNS - spoke.room : CHUNK_TURNS;
        next = w->next[chunk];
        make_room(w, CHUNK_TURNS);
        sort_in(w, wheel_chunk(w, chunk), count);
        w->came += count;
        give_chunk(w, chunk);
    }
}

/* More than one spoke may come near, if it holds a few.  Many are dealt out only if they are next,
   or some of them might be no later than `until` and yet not near. */
void wheel_turn(struct wheel *w)
{
    if (w->came >= CAME_ENOUGH && w->came >= w->came_enough)
        lean_well(w);
    while (w->levels != 0 && wheel_near(w) < NEAR_FEW) {
        unsigned level = (unsigned)__builtin_ctz(w->levels);
        unsigned digit = (unsigned)__builtin_ctzll(w->filled[level]), shift = wheel_shift(w, level);
        const struct spoke *spoke = &w->spokes[level][digit];
        bool few = spoke->first == spoke->last && shift <= KEY_BITS;
        uint64_t below = (UINT64_C(1) << shift) - 1;
        uint64_t above = shift + WHEEL_BITS >= 64 ? 0 : ~UINT64_C(0) << (shift + WHEEL_BITS);
        uint64_t start = (w->until & above) | (uint64_t)digit << shift;
        if (!few && wheel_near(w) > 0)
            return;
        if (few || level == 0) {
            bring_near(w, level, digit);
            w->until = start | below;
        } else {
            deal_out(w, level, digit, start);
            w->until = start;
        }
    }
}
