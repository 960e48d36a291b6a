/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_WHEEL_H
#define DUETIME_WHEEL_H

/* Whatever comes first, of a hundred or of many millions: those of one instant in the order in
   which they were put in.  The next few stand in order, near at hand.  The others lie unsorted, by
   how far off they are: spoke d of level l holds those that have digit d there, in base 64, where
   the last instant of the near ones has a lower one, and whose digits above are the same.  So the
   lowest spoke of the lowest level comes next; one that holds many is dealt out to the levels below
   first. Each item is moved a few times, from the end of one chunk of memory to the end of another,
   and a million of them cost little more than a thousand.  A digit may begin at any bit: where a
   spoke of some level then holds about ten of those that come, most of them are moved least. */

#include "models/base/error.h"
#include "models/base/time.h"

#define WHEEL_BITS 6
#define WHEEL_SPOKES (1 << WHEEL_BITS)
#define WHEEL_LEVELS ((63 + WHEEL_BITS - 1) / WHEEL_BITS + 1)
#define CHUNK_TURNS 32
#define CHUNK_NONE UINT32_MAX

struct turn {
    uint64_t at, payload; /* the payload is the owner's affair */
};

/* A list of chunks, all but the last full. */
struct spoke {
    uint32_t first, last;
    uint32_t room; /* in the last; 0: full, or there is none */
};

/* All zero: empty. */
struct wheel {
    struct turn *near; /* owned; [first, end) of them, in order */
    size_t first, end, near_room;
    uint64_t until;                /* whatever is no later is near, whatever is later is not */
    uint32_t levels;               /* bit l: there are some at level l */
    unsigned lean;                 /* so many bits fewer has the digit of level 0 */
    uint64_t came, came_until;     /* so many came near since then, */
    uint64_t came_enough;          /* and of so many it is asked whether it leans well */
    uint64_t filled[WHEEL_LEVELS]; /* bit d: at spoke d */
    struct spoke spokes[WHEEL_LEVELS][WHEEL_SPOKES];
    struct turn *chunks; /* owned; CHUNK_TURNS each, in the order in which they were put in */
    uint32_t *next;      /* owned; chunk of the same spoke, or of those that are free */
    uint32_t chunk_count, chunk_room, free_chunk /* 1 more than its index; 0: none */;
};

void wheel_free(struct wheel *wheel);
void wheel_put_near(struct wheel *wheel, struct turn one);
void wheel_lengthen(struct wheel *wheel, unsigned level, unsigned digit);

/* Brings more near, if few are and there are others: some if none are, else it may be none. */
void wheel_turn(struct wheel *wheel);

/* Differing from the last near instant in these bits. */
static inline unsigned wheel_level(const struct wheel *wheel, uint64_t differs)
{
    return (63 + wheel->lean - (unsigned)__builtin_clzll(differs | 1)) / WHEEL_BITS;
}

/* Where its digit begins. */
static inline unsigned wheel_shift(const struct wheel *wheel, unsigned level)
{
    return level > 0 ? level * WHEEL_BITS - wheel->lean : 0;
}

static inline struct turn *wheel_chunk(const struct wheel *wheel, uint32_t chunk)
{
    return wheel->chunks + (size_t)chunk * CHUNK_TURNS;
}

static inline void wheel_put_far(struct wheel *wheel, unsigned level, struct turn one)
{
    unsigned digit = (one.at >> wheel_shift(wheel, level)) & (WHEEL_SPOKES - 1);
    struct spoke *spoke = &wheel->spokes[level][digit];
    if (spoke->room == 0)
        wheel_lengthen(wheel, level, digit);
    wheel_chunk(wheel, spoke->last)[CHUNK_TURNS - spoke->room--] = one;
}

static inline void wheel_push(struct wheel *wheel, struct turn one)
{
    if (one.at <= wheel->until)
        wheel_put_near(wheel, one);
    else
        wheel_put_far(wheel, wheel_level(wheel, one.at ^ wheel->until), one);
}

static inline size_t wheel_near(const struct wheel *wheel)
{
    return wheel->end - wheel->first;
}

/* The first; there must be one. */
static inline const struct turn *wheel_first(struct wheel *wheel)
{
    if (wheel_near(wheel) == 0)
        wheel_turn(wheel);
    return &wheel->near[wheel->first];
}

/* Takes it out. */
static inline struct turn wheel_pop(struct wheel *wheel)
{
    struct turn first = *wheel_first(wheel);
    wheel->first++;
    return first;
}

#endif
