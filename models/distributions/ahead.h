/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_DRAWN_AHEAD_H
#define DUETIME_DRAWN_AHEAD_H

/* Draws of one stream by number, made in blocks, since most are asked for in order or nearly so.
   The answer is that of the distribution alone, whatever was asked before. */

#include "models/distributions/distribution.h"

#define AHEAD_BLOCK 256 /* at most: blocks grow from a few, as many runs are short */
#define AHEAD_KEPT (2 * AHEAD_BLOCK)
#define AHEAD_LEAST 8

struct drawn_ahead {
    struct choice from;
    struct stream stream;
    uint64_t base, known;  /* drawn: numbers base .. base + known - 1, of which the last are kept */
    ns_t kept[AHEAD_KEPT]; /* by number - base, modulo their count */
};

/* Draws what comes next, up to that number; one that lies far off starts anew. */
static inline void ahead_draw(struct drawn_ahead *d, uint64_t number)
{
    if (d->known == 0 || number - d->base >= d->known + AHEAD_BLOCK) {
        d->base = number;
        d->known = 0;
    }
    while (number - d->base >= d->known) {
        uint64_t block = d->known < AHEAD_LEAST   ? AHEAD_LEAST
                         : d->known < AHEAD_BLOCK ? d->known
                                                  : AHEAD_BLOCK; /* so none goes round the end */
        distribution(d->from)->draw(d->from.params, d->stream, d->base + d->known,
                                    &d->kept[d->known % AHEAD_KEPT], (size_t)block);
        d->known += block;
    }
}

/* In ns.  Those that were drawn long ago, or never as they came late, are drawn one by one. */
static inline ns_t ahead_ns(struct drawn_ahead *d, uint64_t number)
{
    bool late = number < d->base && d->known > 0;
    if (!late && number - d->base >= d->known)
        ahead_draw(d, number);
    uint64_t i = number - d->base;
    if (late || i + AHEAD_KEPT < d->known) {
        ns_t out_ns;
        distribution(d->from)->draw(d->from.params, d->stream, number, &out_ns, 1);
        return out_ns;
    }
    return d->kept[i % AHEAD_KEPT];
}

#endif
