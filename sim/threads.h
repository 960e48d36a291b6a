/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_THREADS_H
#define DUETIME_THREADS_H

/* Threads that share out some work with the one that begins them, often of a few ms. */

#include <pthread.h>
#include <stdbool.h>

/* How many threads `threads` are; 0: as many as there are processors. */
unsigned threads_of(unsigned threads);

/* Begins thread `number`, from 1, of so many, among which the one that calls counts; it is to be
   joined.  False: there can be no more of them. */
bool thread_begin(pthread_t *thread, unsigned number, unsigned threads, void *(*work)(void *),
                  void *self);

#endif
