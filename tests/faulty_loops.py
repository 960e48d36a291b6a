# SPDX-License-Identifier: GPL-3.0-or-later
"""Send loops as people write them, right and wrong: coroutines that sleep and await answers, one a
sender, so that they share nothing with the loops of duetime itself.

The comment behind a name says for which loads it is made, even or poisson ones or the policy of a
paced one, and which fault it is to be taken for."""
import random
from fractions import Fraction


def right_open(c, load):
    for slot in load.slots():
        yield 'until', load.due(slot)
        if c.in_flight >= load.window:
            yield ('room',)
        c.send(slot, load.due(slot))


def right_paced(c, load, j):
    for slot in load.slots(j, load.n):
        yield 'until', load.due(slot)
        c.send(slot, load.due(slot), j, j)
        yield 'reply', j


def interval_added_to_now(c, load, j):                 # catch-up: drift
    due, number = c.load.due(j), j
    while number < load.requests and due < load.duration:
        yield 'until', due
        due = max(due, c.now)
        c.send(number, due, j, j)
        due = c.now + int(load.interval * load.n)
        number += load.n
        if load.paced:
            yield 'reply', j


def sleep_after_answer(c, load, j):                    # catch-up: think
    number = j
    yield 'until', load.due(j)
    while number < load.requests and c.now < load.duration:
        c.send(number, c.now, j, j)
        yield 'reply', j
        yield 'until', c.now + int(load.interval * load.n)
        number += load.n


def one_at_a_time(c, load):                            # even: closed-loop
    for slot in load.slots():
        yield 'until', load.due(slot)
        c.send(slot, load.due(slot), 0)
        yield 'reply', 0


def one_at_a_time_from_send(c, load):                  # even: closed-loop
    for slot in load.slots():
        yield 'until', load.due(slot)
        c.send(slot, c.now, 0)
        yield 'reply', 0


def due_when_sent(c, load, j):                         # catch-up: claims-now
    for slot in load.slots(j, load.n):
        yield 'until', load.due(slot)
        c.send(slot, c.now, j, j)
        yield 'reply', j


def rebase(c, load, j):                                # catch-up: rebases
    shift = 0
    for slot in load.slots(j, load.n):
        due = load.due(slot) + shift
        yield 'until', due
        if c.now > due:
            shift += c.now - due
            due = c.now
        c.send(slot, due, j, j)
        yield 'reply', j


def skip(c, load, j):                                  # catch-up: skips
    for slot in load.slots(j, load.n):
        if load.due(slot) < c.now:
            continue
        yield 'until', load.due(slot)
        c.send(slot, load.due(slot), j, j)
        yield 'reply', j


def skip_uncounted(c, load, j):                        # catch-up: uncounted
    number = j
    for slot in load.slots(j, load.n):
        if load.due(slot) < c.now:
            continue
        yield 'until', load.due(slot)
        c.send(number, load.due(slot), j, j)
        number += load.n
        yield 'reply', j


def coalesce(c, load, j):                              # catch-up: coalesces
    slots = list(load.slots(j, load.n))
    while slots:
        slot = slots.pop(0)
        yield 'until', load.due(slot)
        while slots and load.due(slots[0]) < c.now:
            slots.pop(0)
        c.send(slot, load.due(slot), j, j)
        yield 'reply', j


def double_speed(c, load, j):                          # catch-up: limits
    last = None
    for slot in load.slots(j, load.n):
        yield 'until', load.due(slot)
        if last is not None:
            yield 'until', last + int(load.interval * load.n / 2)
        last = c.now
        c.send(slot, load.due(slot), j, j)
        yield 'reply', j


def one_more(c, load):                                 # even: one-too-many
    for slot in range(len(list(load.slots())) + 1):
        yield 'until', load.due(slot)
        c.send(slot, load.due(slot))


def one_less(c, load):                                 # even: one-too-few
    for slot in list(load.slots())[:-1]:
        yield 'until', load.due(slot)
        c.send(slot, load.due(slot))


def first_at_t(c, load):                               # even: first-late
    for slot in load.slots():
        yield 'until', load.due(slot + 1)
        c.send(slot, load.due(slot + 1))


def backlog_lost(c, load, j):                          # catch-up: gives-up
    for slot in load.slots(j, load.n):
        yield 'until', load.due(slot)
        if c.now >= load.duration:
            return
        c.send(slot, load.due(slot), j, j)
        yield 'reply', j


def window_ignored(c, load):                           # even: no-window
    for slot in load.slots():
        yield 'until', load.due(slot)
        c.send(slot, load.due(slot))


def window_one_more(c, load):                          # even: wrong-window
    load.window += 1
    yield from right_open(c, load)


def every(c, load, interval, number=0, step=1, who=0, first=0):
    k = 0
    while number < load.requests and int(first + k * interval) < load.duration:
        due = int(first + k * interval)
        yield 'until', due
        c.send(number, due, who, who if load.paced else 0)
        if load.paced:
            yield 'reply', who
        number, k = number + step, k + 1


def whole_ms(c, load):                                 # even: period
    yield from every(c, load, max(1, int(load.interval / 10**6)) * 10**6)


def whole_us(c, load):                                 # even: period
    yield from every(c, load, round(load.interval / 1000) * 1000)


def whole_rate(c, load):                               # even: integer-rate
    yield from every(c, load, Fraction(10**9, int(load.rate)))


def split_rate(c, load, j):                            # catch-up: integer-rate
    yield from every(c, load, Fraction(10**9, max(1, int(load.rate) // load.n)), j, load.n, j)


def four_threads(c, load, j):                          # even: integer-rate
    yield from every(c, load, Fraction(10**9, int(load.rate) // 4), j, 4, j)


def full_rate_each(c, load, j):                        # catch-up: per-connection
    yield from every(c, load, load.interval, j, load.n, j)


def threads_in_phase(c, load, j):                      # even: in-phase
    yield from every(c, load, load.interval * 4, j, 4, j)


def in_phase(c, load, j):                              # catch-up: in-phase
    yield from every(c, load, load.interval * load.n, j, load.n, j)


def wrong_unit(c, load):                               # even: unit
    yield from every(c, load, load.interval * 1000)


def ms_instants(c, load):                              # even: grain
    for slot in load.slots():
        due = round(load.due(slot) / 10**6) * 10**6
        yield 'until', due
        c.send(slot, due)


def ms_timer(c, load):                                 # even: tick
    for slot in load.slots():
        yield 'until', -(-load.due(slot) // 10**6) * 10**6
        c.send(slot, load.due(slot))


def a_second_at_once(c, load):                         # even: grain, tick
    for slot in load.slots():
        due = load.due(slot) // 10**8 * 10**8
        yield 'until', due
        c.send(slot, due)


def busy_early(c, load):                               # even: early
    for slot in load.slots():
        yield 'until', load.due(slot) // 10**6 * 10**6
        c.send(slot, load.due(slot))


def poisson(c, load, j=0, streams=1, seed=7, gap=None):
    draw, due = random.Random(seed), 0
    for number in range(j, load.requests, streams):
        due += gap or round(draw.expovariate(1 / (load.interval * streams)))
        yield 'until', due
        c.send(number, due)


def same_seed(c, load, j):                             # poisson: same-seed
    yield from poisson(c, load, j, 4)


def even_for_poisson(c, load):                         # poisson: not-poisson
    yield from poisson(c, load, gap=int(load.interval))


def poisson_twice_as_fast(c, load):                    # poisson: per-connection, not-poisson
    load.interval /= 2
    yield from poisson(c, load)


def uniform_gaps(c, load):                             # poisson: not-poisson
    draw, due = random.Random(5), 0
    for number in range(load.requests):
        due += draw.randrange(2 * int(load.interval))
        yield 'until', due
        c.send(number, due)


def catches_up_anyway(c, load, j):                     # skip: catches-up
    yield from right_paced(c, load, j)


def coalesces_anyway(c, load, j):                      # skip: coalesces
    yield from coalesce(c, load, j)


def skip_renumbered(c, load, j):                       # skip: uncounted
    yield from skip_uncounted(c, load, j)


def skips_for_coalesce(c, load, j):                    # coalesce: skips
    yield from skip(c, load, j)


def no_limit(c, load, j):                              # limited: catches-up
    yield from right_paced(c, load, j)


def catches_up_for_rebase(c, load, j):                 # rebase: catches-up
    yield from right_paced(c, load, j)


# The same in other words: not to the ns what duetime's own catalogue does.

def drift_and_overhead(c, load, j):                  # catch-up: drift
    due, number = load.due(j), j
    while number < load.requests and due < load.duration:
        yield 'until', due
        c.send(number, c.now, j, j)
        due = c.now + int(load.interval * load.n) + 12345
        number += load.n
        yield 'reply', j


def open_drift(c, load):                               # even: drift
    due = 0
    for number in range(len(list(load.slots()))):
        yield 'until', due
        c.send(number, c.now)
        due = c.now + int(load.interval) + 7001


def rebase_from_send(c, load, j):                      # catch-up: rebases, drift
    due, number = load.due(j), j
    while number < load.requests and due < load.duration:
        yield 'until', due
        sent = c.now
        c.send(number, sent, j, j)
        yield 'reply', j
        due = max(sent + int(load.interval * load.n), c.now)
        number += load.n


def gentle_catch_up(c, load, j):                       # catch-up: limits
    last = None
    for slot in load.slots(j, load.n):
        yield 'until', load.due(slot)
        if last is not None:
            yield 'until', last + int(load.interval * load.n * Fraction(83, 100))
        last = c.now
        c.send(slot, load.due(slot), j, j)
        yield 'reply', j


def drop_old(c, load, j):                              # catch-up: skips
    for slot in load.slots(j, load.n):
        if load.due(slot) + 3 * 10**6 < c.now:
            continue
        yield 'until', load.due(slot)
        c.send(slot, load.due(slot), j, j)
        yield 'reply', j


def seven_ms_timer(c, load):                           # even: tick
    for slot in load.slots():
        yield 'until', -(-load.due(slot) // (7 * 10**6)) * 7 * 10**6
        c.send(slot, load.due(slot))


def seven_ms_bursts(c, load):                          # even: grain, in-phase
    for slot in load.slots():
        due = load.due(slot) // (7 * 10**6) * 7 * 10**6
        yield 'until', due
        c.send(slot, due)


def three_less(c, load):                               # even: one-too-few, gives-up
    for slot in list(load.slots())[:-3]:
        yield 'until', load.due(slot)
        c.send(slot, load.due(slot))


def late_start(c, load):                               # even: first-late
    for slot in load.slots():
        yield 'until', load.due(slot) + 10**6
        c.send(slot, load.due(slot) + 10**6)


def one_percent_slow(c, load):                         # even: period
    yield from every(c, load, load.interval * Fraction(101, 100))


def window_of_half(c, load):                           # even: wrong-window
    load.window = load.window // 2
    yield from right_open(c, load)


def minutes(c, load):                                  # even: unit
    yield from every(c, load, load.interval * 60)
