# SPDX-License-Identifier: GPL-3.0-or-later
"""Send loops as people write them, right and wrong: usage: faulty_scheduler.py NAME.

The loops stand in faulty_loops.py; NAME right is the one that fits the load."""
import json
import re
import sys
from fractions import Fraction

import faulty_loops


class Clock:
    """Coroutines that yield ('until', t), ('reply',) or ('room',) on the clock of the pipe."""

    def __init__(self, load):
        self.load, self.now, self.in_flight = load, 0, 0
        self.waiting = []               # [coroutine, what for]
        self.owner = {}

    def send(self, number, due, who=None, connection=0):
        print('send', number, int(due), connection)
        self.in_flight += 1
        self.owner[number] = who

    def advance(self, ready):
        """Runs those that are ready, until none is."""
        again = True
        while again:
            again = False
            for entry in list(self.waiting):
                while ready(entry):
                    again = True
                    try:
                        entry[1] = next(entry[0])
                    except StopIteration:
                        self.waiting.remove(entry)
                        break

    def rest(self):
        if not self.waiting:
            return 'end'
        until = [entry[1][1] for entry in self.waiting if entry[1][0] == 'until']
        return f'wait {int(min(until))}' if until else 'wait done'

    def run(self, senders):
        self.waiting = [[sender, ('until', 0)] for sender in senders]
        for line in sys.stdin:
            word, *numbers = line.split()
            self.now = int(numbers[-1])
            answered = None
            if word == 'done':
                self.in_flight -= 1
                answered = self.owner.pop(int(numbers[0]), None)
                for entry in self.waiting:
                    if entry[1][0] == 'reply' and entry[1][1] == answered:
                        entry[1] = ('until', 0)
            self.advance(lambda entry: (entry[1][0] == 'until' and entry[1][1] <= self.now) or
                         (entry[1][0] == 'room' and self.in_flight < self.load.window))
            print(self.rest(), flush=True)


class Load:
    def __init__(self, asked):
        self.asked = asked
        self.paced, self.late = asked['kind'] == 'paced', asked['late']
        self.n = asked['connections'] or 1
        self.rate = Fraction(asked['rate'] or 0) or Fraction(10**9, asked['every_ns'] or 10**9)
        self.interval = 10**9 / self.rate
        self.window = asked['max_in_flight'] or 10**9
        self.requests = asked['requests'] or 10**9
        self.duration = asked['duration_ns'] or 10**18
        self.times = asked.get('times_ns')
        self.kind = ('limited' if asked['factor'] else self.late) or asked['arrivals']

    def due(self, slot):
        if self.times:
            return self.times[slot] if slot < len(self.times) else 10**18
        return int(slot * self.interval)

    def slots(self, first=0, step=1):
        slot = first
        while slot < self.requests and self.due(slot) < self.duration:
            yield slot
            slot += step


def made_for():
    """From the comments: name to load."""
    with open(faulty_loops.__file__, encoding='utf-8') as file:
        return dict(re.findall(r'^def (\w+)\(.*\): +# ([\w-]+):', file.read(), flags=re.M))


MADE_FOR = made_for()
THREADS = {'four_threads': 4, 'threads_in_phase': 4, 'same_seed': 4}


def main(name):
    assert sys.stdin.readline() == 'duetime-schedule 1\n'
    load = Load(json.loads(sys.stdin.readline()))
    if name == 'right':
        name = 'poisson' if load.asked['arrivals'] == 'poisson' else \
            'right_paced' if load.paced else 'right_open'
    loop = getattr(faulty_loops, name)
    made_for = MADE_FOR.get(name, load.kind)
    if made_for != load.kind:
        sys.stdin.readline()
        print('refuse', flush=True)
        return
    clock = Clock(load)
    many = loop.__code__.co_varnames[:loop.__code__.co_argcount][2:] == ('j',)
    clock.run([loop(clock, load, j) for j in range(THREADS.get(name, load.n))] if many
              else [loop(clock, load)])


if __name__ == '__main__':
    main(sys.argv[1])
