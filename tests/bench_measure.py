# SPDX-License-Identifier: GPL-3.0-or-later
"""How the benchmark measures: the ordinary command as a child of its own, the least of several.

What a request costs is the slope between two lengths of run, so that starting, reading the scenario
and asking the laws are apart from it.
"""
import json
import os
import subprocess
import time
from collections import namedtuple

Costs = namedtuple('Costs', 'cpu_ns wall_ns peak_kib first_ns')
# What a request costs, and what the run costs before the first.
Slope = namedtuple('Slope', 'each_ns start_ns')

SHORT = 10000  # requests a replication in the shorter run
TIMES = 7


class Failed(Exception):
    pass


class Machine:
    def __init__(self, binary, helpers, folder, budget_ms):
        """helpers: a folder with bench_child, bench_loops and bench_read."""
        self.binary, self.helpers, self.folder = binary, helpers, folder
        self.budget_ms = budget_ms

    def keep(self, scenario, name='scenario'):
        path = os.path.join(self.folder, f'{name}.json')
        with open(path, 'w', encoding='utf-8') as file:
            json.dump(scenario, file)
        return path

    def helper(self, name, *arguments, level=None):
        environment = dict(os.environ)
        environment.pop('DUETIME_VECTOR', None)
        if level:
            environment['DUETIME_VECTOR'] = level
        done = subprocess.run([os.path.join(self.helpers, name), *map(str, arguments)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=environment, check=False)
        if done.returncode != 0:
            raise Failed(f'{name} exits with {done.returncode}: {done.stderr.strip()}')
        return done.stdout, done.stderr

    def loops(self):
        lines = self.helper('bench_loops')[0].split('\n')
        return {line.split()[0]: float(line.split()[1]) for line in lines if line}

    def command(self, *arguments, times=TIMES, budget_ms=None, level=None):
        """The least costs of the command among several runs of it."""
        printed, told = self.helper('bench_child', times, budget_ms or self.budget_ms, self.binary,
                                    *arguments, level=level)
        *costs, status = map(int, printed.split())
        if status != 0:
            raise Failed(f'{" ".join(map(str, arguments))} exits with {status}: {told.strip()}')
        return Costs(*costs)

    def together(self, programs, *arguments):
        """Wall ns until as many of the same command, begun at once, are all done."""
        begun_ns = time.monotonic_ns()
        running = [subprocess.Popen([self.binary, *map(str, arguments)], stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE) for _ in range(programs)]
        told = [program.communicate()[1].decode() for program in running]
        wall_ns = time.monotonic_ns() - begun_ns
        for program, text in zip(running, told):
            if program.returncode != 0:
                raise Failed(f'{" ".join(map(str, arguments))} exits with {program.returncode}: '
                             f'{text.strip()}')
        return wall_ns

    def run(self, scenario, *arguments, threads=1, **more):
        return self.command('run', '--threads', threads, *arguments, self.keep(scenario), **more)

    def slope(self, shape, *arguments):
        """Between two lengths; where the shape sets none, the longer takes a fair part of the time
        there is, so that what else a run costs does not drown what its requests do."""
        short, long = shape.sizes or (SHORT, 16 * SHORT)
        costs = self.run(shape.build(short), *arguments, level=shape.level)
        while True:
            longer = self.run(shape.build(long), *arguments, level=shape.level)
            more_ns = longer.cpu_ns - costs.cpu_ns
            if shape.sizes or more_ns > self.budget_ms * 1e6 / 8:
                break
            long *= 4
        each_ns = more_ns / ((long - short) * shape.replications)
        start_ns = costs.cpu_ns - each_ns * short * shape.replications
        return Slope(each_ns, max(start_ns, 0.0))

    def read_ns(self, scenario):
        return int(self.helper('bench_read', self.keep(scenario))[0])

    def knows(self, option):
        done = subprocess.run([self.binary, 'run', '--help'], stdout=subprocess.PIPE, text=True,
                              check=False)
        return option in done.stdout


def processor():
    """The processor's name, family and model."""
    facts = {}
    try:
        with open('/proc/cpuinfo', encoding='utf-8') as file:
            for line in file:
                name, _, value = line.partition(':')
                facts.setdefault(name.strip(), value.strip())
    except OSError:
        pass
    return (f'{facts.get("model name", "unknown")} (family {facts.get("cpu family", "?")}, model '
            f'{facts.get("model", "?")})')


def levels():
    """The vector levels of this processor, as the loops by hand name theirs."""
    try:
        with open('/proc/cpuinfo', encoding='utf-8') as file:
            flags = next((line for line in file if line.startswith('flags')), '').split()
    except OSError:
        flags = []
    return ['plain'] + [level for level, flag in (('avx2', 'avx2'), ('avx512', 'avx512vl'))
                        if flag in flags]
