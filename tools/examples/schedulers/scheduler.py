#!/usr/bin/env python3
# SPDX-License-Identifier: 0BSD
"""A send loop that duetime can judge: duetime conform --scheduler 'python3 scheduler.py'

One connection of a paced load is a sender; an open load has one sender that does not wait."""
import json
import random
import sys
from fractions import Fraction


class Sender:
    def __init__(self, load, number):
        self.load, self.slot, self.shift = load, number, 0
        self.free = 0           # since when it may send again
        self.last = None        # when it sent last
        self.busy = False

    def plan(self):
        """The next send: its slot, its due instant, and when it may leave."""
        load, late = self.load, self.load.late
        if late == 'skip':
            while load.due(self.slot) < self.free:
                self.slot += load.senders
        due = send = load.due(self.slot) + self.shift
        if late == 'rebase' and due < self.free:
            self.shift += self.free - due
            due = self.free
        if load.factor and self.last is not None:
            send = max(send, self.last + int(load.senders * load.interval / load.factor))
        return self.slot, due, max(due, send, self.free if load.paced else 0)

    def sent(self, now):
        free, self.last, self.busy = self.free, now, True
        self.slot += self.load.senders
        while self.load.late == 'coalesce' and self.load.due(self.slot) < free:
            self.slot += self.load.senders


class Load:
    def __init__(self, text):
        asked = json.loads(text)
        self.paced, self.late = asked['kind'] == 'paced', asked['late']
        self.senders = asked['connections'] or 1
        self.times, self.random = asked.get('times_ns'), asked['arrivals'] == 'poisson'
        self.interval = (Fraction(asked['every_ns'] or 0) or
                         Fraction(10**9) / Fraction(asked['rate'] or 1))
        self.factor = asked['factor'] and Fraction(asked['factor'])
        self.window = asked['max_in_flight'] or float('inf')
        self.requests = asked['requests'] or float('inf')
        self.duration = asked['duration_ns'] or float('inf')
        self.drawn = []

    def due(self, slot):
        if self.times is not None:
            return self.times[slot] if slot < len(self.times) else float('inf')
        while self.random and len(self.drawn) <= slot:
            before = self.drawn[-1] if self.drawn else 0
            self.drawn.append(before + round(random.expovariate(1 / self.interval)))
        return self.drawn[slot] if self.random else int(slot * self.interval)

    def is_over(self, slot, due):
        return slot >= self.requests or due >= self.duration or due == float('inf')


def turn(load, senders, now, in_flight):
    """Sends all that may leave now; says when to be woken."""
    wake, over = float('inf'), True
    for number, sender in enumerate(senders):
        while True:
            if load.paced and sender.busy:
                over = False
                break
            slot, due, send = sender.plan()
            if load.is_over(slot, due):
                break
            over = False
            if send > now:
                wake = min(wake, send)
                break
            if in_flight >= load.window:
                break
            print('send', slot, due, number)
            in_flight += 1
            sender.sent(now)
    print('end' if over else 'wait done' if wake == float('inf') else f'wait {wake}', flush=True)
    return in_flight


def main():
    assert sys.stdin.readline() == 'duetime-schedule 1\n'
    load = Load(sys.stdin.readline())
    senders = [Sender(load, number) for number in range(load.senders)]
    in_flight = 0
    for line in sys.stdin:
        word, *numbers = line.split()
        now = int(numbers[-1])
        if word == 'done':
            in_flight -= 1
            sender = senders[int(numbers[0]) % load.senders]
            sender.busy, sender.free = False, now
        in_flight = turn(load, senders, now, in_flight)


main()
