#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sweeps of many points and large scenarios: order, interrupts, and how cost grows with the size.
Times are processor times of the program itself, compared with one another.
usage: test_large.py BINARY; speaks TAP."""
import json
import os
import signal
import subprocess
import sys

from command_line import BINARY, scenario, speak_tap

FORMATS = ('text', 'markdown', 'csv', 'json')
RANDOM = {
    'server': {'service': {'exponential': '100us'}},
    'loads': {'open': {'open': {'rate': 5000, 'arrivals': 'poisson'}}},
    'run': {'requests': 200, 'replications': 2},
}


def usage(box, *arguments, stdin=b''):
    """What one command took: processor seconds, KiB at most, its exit status and its errors."""
    calm = dict(os.environ, ASAN_OPTIONS='quarantine_size_mb=1')  # which keeps what is freed
    with subprocess.Popen([BINARY, *arguments], cwd=box.folder, stdin=subprocess.PIPE, env=calm,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        try:
            process.stdin.write(stdin)
            process.stdin.close()
        except BrokenPipeError:
            pass
        told = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, used.ru_maxrss, process.returncode, told


def least_s(box, *arguments, status=0):
    """The least processor time of three."""
    times = []
    for _ in range(3):
        seconds, _, code, told = usage(box, *arguments)
        assert code == status, (arguments, code, told)
        times.append(seconds)
    return min(times)


def same_for_threads(box):
    """the rows of a sweep are the same bytes for any number of threads, in every format"""
    box.put('s', scenario(**RANDOM, sweep={'/run/seed': list(range(1, 41)),
                                           '/server/workers': [1, 2]}))
    for form in FORMATS:
        one = box.run('sweep', 's', '--threads', '1', '--format', form)
        assert one.returncode == 0 and one.stdout.count(b'\n') >= 80, (form, one.stderr)
        for threads in ('2', '3', '16', '0'):
            got = box.run('sweep', 's', '--threads', threads, '--format', form)
            assert (got.stdout, got.stderr) == (one.stdout, one.stderr), (form, threads)


def rows_come(box):
    """rows are written as points are done, and SIGINT, status 130, keeps those that there are"""
    slow = 400000000000  # nobody waits for it
    box.put('s', scenario(sweep={'/run/requests': [20, 30, slow, slow, slow]},
                          recorders={'r': {'load': 'open', 'from': 'due', 'store': {'hdr': 3}}},
                          server=RANDOM['server'], loads=RANDOM['loads'],
                          run={'requests': 1, 'replications': 1}))
    for threads in ('1', '2', '5'):
        with subprocess.Popen([BINARY, 'sweep', 's', '--format', 'csv', '--threads', threads],
                              cwd=box.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            lines = [process.stdout.readline() for _ in range(3)]
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        assert process.returncode == 130 and b'interrupted' in err, (threads, process, err)
        assert [line.split(b',')[0] for line in lines] == [b'point', b'1', b'2'], lines
        assert out == b'', (threads, out)


def failing_point(box):
    """a point that cannot be run ends the sweep behind the rows before it"""
    long = ['1ms', '2ms', '9000000min', '1ms', '3ms']  # 90 of 17 years at 3 workers
    box.put('s', scenario(sweep={'/server/service/constant': long}, run={'requests': 90}))
    one = box.run('sweep', 's', '--format', 'csv', '--threads', '1')
    assert one.returncode == 2 and b'146 years' in one.stderr, one
    assert [row.split(b',')[0] for row in one.stdout.splitlines()] == [b'point', b'1', b'2'], one
    for threads in ('2', '4'):
        got = box.run('sweep', 's', '--format', 'csv', '--threads', threads)
        assert (got.returncode, got.stdout, got.stderr) == (2, one.stdout, one.stderr), got


def bad_value(box):
    """an impossible value is told once, before the first row, wherever in the sweep it stands"""
    seeds = [*range(1, 700), 'x', *range(700, 800)]
    box.put('s', scenario(**RANDOM, sweep={'/server/workers': [1, 2], '/run/seed': seeds}))
    one = box.run('sweep', 's', '--threads', '1')
    assert one.returncode == 2 and one.stdout == b'' and one.stderr.count(b'/run/seed') == 1, one
    for threads in ('2', '7'):
        got = box.run('sweep', 's', '--threads', threads)
        assert (got.returncode, got.stdout, got.stderr) == (2, b'', one.stderr), got


def many_values(box):
    """the cost of a sweep grows with the number of its values, not with its square"""
    for count in (1000, 8000):
        values = [*range(1, count), 0]
        box.put(f's{count}', scenario(sweep={'/run/requests': values}))
    few = least_s(box, 'sweep', 's1000', '--threads', '1', status=2)
    many = least_s(box, 'sweep', 's8000', '--threads', '1', status=2)
    assert many < 24 * few, (few, many)  # a square would be 64


def flat_memory(box):
    """the memory of a sweep does not grow with its rows"""
    for count in (1000, 4000):
        box.put(f's{count}', scenario(sweep={'/run/seed': list(range(1, count + 1))}))
    for form in FORMATS:
        few, many = (usage(box, 'sweep', f's{count}', '--format', form, '--threads', '2')
                     for count in (1000, 4000))
        assert few[2] == many[2] == 0, (few, many)
        assert many[1] < few[1] + 8192, (form, few, many)


def large_scenarios(box):
    """the cost of reading a scenario grows with its size, not with its square, faults or none"""
    def times(count):
        return scenario(loads={'open': {'open': {'arrivals': {
            'times': list(range(0, 1000 * count, 1000))}}}})

    def bad_times(count):
        return scenario(loads={'open': {'open': {'arrivals': {
            'times': [f'{i}parsecs' for i in range(count)]}}}})

    def samples(count):
        return scenario(server={'service': {'samples': [f'{i + 1}us' for i in range(count)]}})

    def unknown_keys(count):
        return scenario(**{f'key{i}': 1 for i in range(count)})

    def texts(count):
        return scenario(about=['\u00e4' * 9] * count)

    for make, status in ((times, 0), (bad_times, 2), (samples, 0), (unknown_keys, 2), (texts, 0)):
        box.put('small', make(10000))
        box.put('large', make(80000))
        few = least_s(box, 'explain', '--format', 'json', 'small', status=status)
        many = least_s(box, 'explain', '--format', 'json', 'large', status=status)
        assert many < 24 * few, (make.__name__, few, many)  # a square would be 64


def deep_nesting(box):
    """100 MB of opening brackets are refused, and take no longer than reading them"""
    seconds, _, status, told = usage(box, 'run', '-', stdin=b'[' * 100_000_000)
    assert status == 2 and b'16 MiB' in told, (status, told)
    assert seconds < 10, seconds
    seconds, _, status, told = usage(box, 'run', '-', stdin=b'[' * 16_000_000)
    assert status == 2 and b'inside 64 others' in told, (status, told)


def places_stay(box):
    """a fault at the end of a large scenario is told with its line and column"""
    text = json.dumps(json.loads(scenario(about=['x' * 50] * 20000)))
    text = text[:-1] + ',\n"sevrer": {}}'
    got = box.run('check', box.put('s', text))
    assert got.returncode == 2 and b's:2:1: /sevrer: unknown key' in got.stderr, got


def beyond_the_clock(box):
    """a run that would pass the clock's end is refused, whatever serves, stalls or loads"""
    recorder = {'r': {'load': 'l', 'from': 'sent'}}
    stall = {'mode': 'blackout', 'first': '1s', 'last': '4600000000s'}
    for load in ({'closed': {'clients': 1}}, {'open': {'every': '1s'}},
                 {'open': {'every': '1s', 'arrivals': 'poisson'}}):
        for more in ({}, {'workers': 2}, {'stalls': [stall]},
                     {'stalls': [{**stall, 'mode': 'gate'}]},
                     {'stalls': [{**stall, 'mode': 'suspend'}]}, {'queue': 'lifo'},
                     {'queue': 'random'}, {'queue': 'shortest'}, {'queue': 'processor-sharing'}):
            server = {'service': {'exponential': '3600000000s'}, **more}
            box.put('s', json.dumps({'server': server, 'loads': {'l': load}, 'recorders': recorder,
                                     'run': {'requests': 40, 'start': 'empty'}}))
            got = box.run('run', 's')
            assert got.returncode == 2 and b'146 years' in got.stderr, (load, more, got)


TESTS = (same_for_threads, rows_come, failing_point, bad_value, many_values, flat_memory,
         large_scenarios, deep_nesting, places_stay, beyond_the_clock)


if __name__ == '__main__':
    sys.exit(speak_tap(TESTS))
