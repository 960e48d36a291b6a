/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_LAWS_MEMO_H
#define DUETIME_LAWS_MEMO_H

/* Answers of law_find that are kept: a run asks the same of a load for its start, for each of its
   recorders and for what its user waits, and some laws take long to compute. */

#include "models/laws/law.h"

struct law_memo {
    struct law_memo_entry *entries; /* owned */
    size_t count, capacity;
};

/* As law_find.  The server and the run of all questions stay where they are, and as they are, while
   the memo lives; so do the tables within the loads.  What is found may outlive it.  Not from
   several threads. */
void law_memo_find(struct law_memo *memo, const struct law_question *q, struct law *out);
void law_memo_free(struct law_memo *memo);

#endif
