#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a simulated request costs, from scenario to checked table, beside loops written by hand.

Everything is measured through the ordinary command: two passes where it makes two, the recount, the
checks.  Times of one request are CPU time, the least of several runs, and the slope between two
lengths of run; "start" is what is left at length 0.  Limits are in ns on a quiet machine with a
processor of about 3.7 GHz: on a busy or slower one a line may say MISSED for no fault of the
program, and the ratio to the loop beside it, measured in the same run, is the better judge.
Exits with 1 where a line misses its limit.
"""
import argparse
import datetime
import json
import math
import os
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays as it is
import bench_shapes as shapes
from bench_measure import Failed, Machine, levels, processor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BEFORE = os.path.join(ROOT, 'tests', 'bench_before.json')
LONG_REQUESTS = (10 ** 6, 10 ** 7, 10 ** 8)


class Table:
    """Lines as they are measured; figures by name for those of another day."""

    def __init__(self, before):
        self.before, self.lines, self.missed = before, [], 0
        self.say('', 'here', 'unit', 'limit', 'by hand', 'ratio', 'start ms', 'before', 'gain')

    def say(self, name, *cells):
        widths = (10, -12, 9, 8, 7, 8, 9, 7)
        padded = [f'{cell:<{-width}}' if width < 0 else f'{cell:>{width}}'
                  for cell, width in zip(cells, widths)]
        print(f'{name:<44}', ' '.join(padded), *cells[8:], flush=True)

    def add(self, name, value, unit, limit=None, loop=None, start_ns=None, at_least=False):
        """A line; the limit is the most there may be, or the least where at_least says so."""
        misses = limit is not None and (value < limit if at_least else value > limit)
        self.missed += misses
        before = self.before.get(name)
        line = {'name': name, 'value': value, 'unit': unit, 'limit': limit, 'loop': loop,
                'start_ns': start_ns, 'misses': misses, 'at_least': at_least, 'before': before}
        self.lines.append(line)
        self.say(name, figure(value), unit, limit_text(line), figure(loop), ratio(value, loop),
                 figure(start_ns / 1e6 if start_ns is not None else None), figure(before),
                 gain(line), verdict(line))

    def absent(self, name, why):
        """A line that cannot be measured, which is a miss."""
        self.missed += 1
        self.lines.append({'name': name, 'value': None, 'misses': True})
        self.say(name, '', '', '', '', '', '', figure(self.before.get(name)), '',
                 'MISSED: ' + str(why))


def figure(value):
    if value is None:
        return ''
    return f'{value:.2f}' if abs(value) < 100 else f'{value:.0f}'


def limit_text(line):
    if line.get('limit') is None:
        return ''
    return ('>= ' if line['at_least'] else '') + figure(line['limit'])


def ratio(value, other):
    return f'{value / other:.2f}' if value is not None and other else ''


def verdict(line):
    """A limit that not even the loop by hand keeps on this machine is still missed."""
    if not line['misses']:
        return ''
    loop = line.get('loop')
    by_hand = loop is not None and (loop < line['limit'] if line['at_least'] else
                                    loop > line['limit'])
    return 'MISSED' + (', by hand too' if by_hand else '')


def gain(line):
    before, value = line.get('before'), line.get('value')
    if not before or not value or value <= 0.0:
        return ''
    return f'{value / before if line["at_least"] else before / value:.1f}x'


def loop_ns(loops, name):
    """What the loop by hand costs; the best of them where any would do."""
    vectors = [ns for key, ns in loops.items() if key.startswith('vector-')]
    if name == 'plain':
        return min(loops['ziggurat'], loops['vector-plain'])
    if name == 'best':
        return min([loops['ziggurat'], *vectors])
    return loops.get(name)


def measure_shape(machine, table, loops, shape, *arguments, name=None, limit=None):
    """A line for a shape, and what a request costs; None where it could not be had."""
    try:
        found = machine.slope(shape, *arguments)
    except Failed as failed:
        table.absent(name or shape.name, failed)
        return None
    table.add(name or shape.name, found.each_ns, 'ns', limit or shape.limit,
              loop_ns(loops, shape.loop), found.start_ns)
    return found.each_ns


def plain_shapes(machine, table, loops):
    for shape in shapes.OPEN + shapes.CLOSED + shapes.EVENTS:
        if shape.level is None or shape.level in levels():
            measure_shape(machine, table, loops, shape)
    replayed = 'open M/M/1 at 75 %, exact by replay'
    if machine.knows('--exact-limit'):
        exact = next(shape for shape in shapes.OPEN if 'exact' in shape.name)
        measure_shape(machine, table, loops, exact._replace(sizes=None), '--exact-limit', 1000,
                      name=replayed)
    else:
        table.absent(replayed, 'no --exact-limit')


def in_flight(machine, table, loops):
    """No worse than log n: held to what a hundred in flight cost."""
    few = None
    for number, shape in shapes.IN_FLIGHT:
        limit = few * math.log(number) / math.log(100) if few else None
        each_ns = measure_shape(machine, table, loops, shape, limit=limit)
        few = few or each_ns


def recorders(machine, table, loops):
    found = {count: machine.slope(shape).each_ns for count, shape in shapes.RECORDERS}
    table.add('each further HDR recorder, of 4', (found[4] - found[1]) / 3, 'ns', 1.5,
              loops['recorder'])
    table.add('a second HDR recorder', found[2] - found[1], 'ns', 1.5, loops['recorder'])


def corrected(machine, table, loops):
    """What a correction adds to a recorder; not more where it adds a hundred times the samples."""
    found = {interval: machine.slope(shape).each_ns for interval, shape in shapes.CORRECTED}
    base = None
    for interval, share in (('1s', '0'), ('1ms', '9.5'), ('200us', '50'), ('10us', '1000')):
        more = found[interval] - found[None]
        table.add(f'corrected, {interval}: adds {share} to each', more, 'ns',
                  1.5 * base if base and interval != '200us' else None, loops['recorder'])
        base = more if interval == '1ms' else base


def threads(machine, table):
    """Wall time of one thread against two, in turn; by hand: two programs of one thread each, which
    share nothing but the machine."""
    run, sweep = machine.keep(shapes.MM1(2000000)), machine.keep(shapes.sweep(10000), 'sweep')
    for name, command, times in (('replications', ('run', run), 8),
                                 ('sweep points', ('sweep', sweep), 16)):
        walls = {way: [] for way in ('one', 'two', 'pair')}
        for _ in range(times):
            for way, count, programs in (('one', 1, 1), ('two', 2, 1), ('pair', 1, 2)):
                walls[way].append(machine.together(programs, command[0], '--threads', count,
                                                   *command[1:]))
        one, two, pair = (min(walls[way]) for way in ('one', 'two', 'pair'))
        table.add(f'two threads against one, {name}', one / two, 'times', 1.9,
                  loop=2 * one / pair, at_least=True)


def memory(machine, table, long):
    """A three-digit HDR store takes the same memory for any number of requests."""
    for requests in LONG_REQUESTS + ((10 ** 9, 10 ** 10) if long else ()):
        exponent = round(math.log10(requests))
        name = f'peak memory, M/M/1, 10^{exponent} requests'
        costs = machine.run(shapes.MM1(requests // 32), times=1)
        table.add(name, costs.peak_kib, 'KiB', 65536)
        if costs.wall_ns > 3e9 and not long:
            break


def start_to_table(machine, table):
    reference = os.path.join(ROOT, 'scenarios', 'reference.json')
    costs = machine.command('run', reference, times=25)
    table.add('reference scenario, start to table', costs.wall_ns / 1e6, 'ms', 20.0)
    table.add('reference scenario, peak memory', costs.peak_kib, 'KiB', 16384)
    table.add('a scenario of 1 MB, read', machine.read_ns(shapes.long_text(1 << 20)) / 1e6, 'ms',
              20.0)
    costs = machine.command('sweep', machine.keep(shapes.sweep(10000)), times=1)
    table.add('sweep of 10,000 points, to the first row', costs.first_ns / 1e6, 'ms',
              100.0)  # all points have been read by then, and nobody has waited
    table.add('sweep of 10,000 points, to the last', costs.wall_ns / 1e6, 'ms')
    table.add('sweep of 10,000 points, peak memory', costs.peak_kib, 'KiB', 65536)


def markdown(table, loops, disturbed):
    """results/speed.md: ratios, as ns are those of one machine on one day."""
    yield '# What a simulated request costs\n'
    yield ('From the scenario to the checked table, through the ordinary command, on one core; '
           'beside each a loop written\nby hand for that shape alone, which checks nothing, '
           'measured in the same run (`tests/bench_loops.c`). Made by\n`tools/bench --write`; '
           '*before* is the program as it was before it had fast paths.\n')
    yield (f'Processor: {processor()}, {os.cpu_count()} cores. Date: {datetime.date.today()}. '
           f'The loops took up to {disturbed:.0%} longer\nat their slower look of two, and '
           f'{os.getloadavg()[1]:.1f} programs were running on average: with more than one,\n'
           'these ratios are too high, and those of wall time mean nothing.\n')
    yield '| shape | of the loop by hand | of the limit | before, of the loop | gain | |'
    yield '| --- | ---: | ---: | ---: | ---: | --- |'
    for line in table.lines:
        if line['value'] is None:
            yield f'| {line["name"]} | | | | | missed |'
            continue
        limit = ratio(line['value'], line['limit'])
        yield (f'| {line["name"]} | {ratio(line["value"], line["loop"])} | {limit} | '
               f'{ratio(line["before"], line["loop"])} | {gain(line)} | '
               f'{verdict(line).lower()} |')
    yield '\nThe loops by hand, as ratios to one draw by a ziggurat, a queue and a histogram:\n'
    yield '| loop | ratio |'
    yield '| --- | ---: |'
    for name, ns in loops.items():
        yield f'| {name} | {ns / loops["ziggurat"]:.2f} |'


def load_before(path):
    """Figures of an older program, where they were measured on such a processor."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding='utf-8') as file:
        kept = json.load(file)
    return kept['figures'] if kept['processor'] == processor() else {}


def measure(machine, table, options):
    loops = machine.loops()
    parts = {
        'shapes': lambda: plain_shapes(machine, table, loops),
        'in-flight': lambda: in_flight(machine, table, loops),
        'recorders': lambda: recorders(machine, table, loops),
        'corrected': lambda: corrected(machine, table, loops),
        'threads': lambda: threads(machine, table),
        'start': lambda: start_to_table(machine, table),
        'memory': lambda: memory(machine, table, options.long),
    }
    for name, part in parts.items():
        if options.only and name not in options.only:
            continue
        try:
            part()
        except Failed as failed:
            table.absent(name, failed)
    again = machine.loops()
    disturbed = max(abs(again[name] / ns - 1.0) for name, ns in loops.items())
    print('\nby hand, ns: ' + ', '.join(f'{name} {ns:.2f}' for name, ns in loops.items()))
    print(f'the loops by hand differ by up to {disturbed:.0%} between the begin and the end; '
          f'{os.getloadavg()[1]:.1f} programs were running on average')
    return {name: min(ns, again[name]) for name, ns in loops.items()}, disturbed


def read_options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary', help='the command to measure')
    parser.add_argument('helpers', help='the folder of bench_child, bench_loops and bench_read')
    parser.add_argument('--write', metavar='FILE', help='write the table as Markdown, in ratios')
    parser.add_argument('--keep', metavar='FILE', help='keep the figures, to compare with later')
    parser.add_argument('--before', metavar='FILE', default=BEFORE, help='figures once kept')
    parser.add_argument('--long', action='store_true', help='runs of up to 10^10 requests, too')
    parser.add_argument('--only', action='append', metavar='PART',
                        help='shapes, in-flight, recorders, corrected, threads, start or memory')
    parser.add_argument('--budget', type=int, default=500, metavar='MS',
                        help='about how long one length of run is repeated (%(default)s)')
    return parser.parse_args()


def main():
    options = read_options()
    if not os.access(options.binary, os.X_OK):
        sys.exit(f'{options.binary}: no program that could be measured')
    table = Table(load_before(options.before))
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(os.path.abspath(options.binary), os.path.abspath(options.helpers), folder,
                          options.budget)
        loops, disturbed = measure(machine, table, options)
    print(f'{table.missed} missed' if table.missed else 'every limit is kept')
    if options.keep:
        figures = {line['name']: round(line['value'], 4) for line in table.lines
                   if line['value'] is not None}
        with open(options.keep, 'w', encoding='utf-8') as file:
            json.dump({'processor': processor(), 'figures': figures}, file, indent=2)
            file.write('\n')
    if options.write:
        with open(options.write, 'w', encoding='utf-8') as file:
            file.write('\n'.join(markdown(table, loops, disturbed)) + '\n')
    return 1 if table.missed else 0


if __name__ == '__main__':
    sys.exit(main())
