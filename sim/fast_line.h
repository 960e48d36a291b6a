/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_FAST_LINE_H
#define DUETIME_FAST_LINE_H

/* One worker: request i begins at the later of its send and the end of request i - 1, out of any
   pause, so requests leave in the order in which they are sent.  As no request is sent before the
   one before it, a lag never moves a begin: with s[i] the due instant, or 0 where there is no
   schedule and nobody thinks, the end of i is that of max(s[i], end[i-1]) + work[i] all the same.

   sim/fast_line_serve.c finds when each is done, sim/fast_line.c all else.  Nothing else includes
   this. */

#include "models/stalls/stall.h"
#include "sim/fast_parts.h"
#include "sim/queue_kernels.h"

struct line {
    struct fast fast;
    ns_t free_ns;                   /* end of the request before */
    const struct stall_type *stall; /* NULL: none */
    bool by_columns, steady, by_lanes, wants_started;
    ns_t gap_ns; /* between arrivals, of a steady line */
    /* Of the rows served last: all are calm, beginning as they are due, as the line is empty, and
       done before any pause, or some are not; and when they are sent and done. */
    bool calm;
    const ns_t *sent_ns, *done_ns;
    bool summed; /* whether their sums are known, of an open load: as in serve */
    struct served sums;
    ns_t *initial_ns; /* ends of initial jobs, which nobody gives up, where requests may be */
    /* Walks: of the one-by-one way; of columns of due instants, begins and ends; and of what the
       parts of a row ask for. */
    struct pauses pauses, dues, begins, ends, sends, starts;
};

/* Finds how the line is served; it is open otherwise, with its stall and what is wanted of it. */
void line_prepare(struct line *line);

/* Jobs already there, before any row.  False: beyond the clock. */
bool line_serve_initial(struct line *line);

/* Rows from `first` on, whose works and think times are drawn, due then: when each is sent, begun
   (where that is wanted, and they are not calm) and done, and over but for those that give up.
   over_ns has the lag behind it.  short_works: no sum of them is too long.  Returns where the rows
   end that it served; the next call begins there. */
size_t line_serve(struct line *line, size_t first, const ns_t *arrives_ns, ns_t *over_ns,
                  size_t rows, bool short_works);

#endif
