#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""duetime sweep and duetime experiment, end to end.  usage: test_experiments.py BINARY SOURCE-ROOT;
speaks TAP."""
import csv
import io
import json
import os
import signal
import subprocess
import sys
import time

from command_line import BINARY, GOOD, HOSTILE, LONG, scenario, speak_tap

EXAMPLES = os.path.join(os.path.abspath(sys.argv[2]), 'scenarios', 'experiments')
SWEEP = {'/server/workers': [1, 2, 3], '/loads/open/open/every': ['1ms', '700us']}


def rows_of(got):
    """The JSON lines of a run that went well."""
    assert got.returncode == 0, got
    return [json.loads(line) for line in got.stdout.splitlines()]


def table_of(got):
    """The rows of one CSV table."""
    return list(csv.DictReader(io.StringIO(got.stdout.decode())))


def example(box, name):
    """The findings of a committed example, by name."""
    path = os.path.join(EXAMPLES, name + '.json')
    rows = rows_of(box.run('experiment', path, '--format', 'json'))
    return rows, {row['finding']: row['value'] for row in rows if row['table'] == 'findings'}


def narrow_terminals(box):
    """no line of a streamed table is wider than COLUMNS, and what is dropped of words is marked"""
    name = 'a recorder of a very long name, which is longer than the line that it is to stand in'
    box.put('s', scenario(recorders={name: {'load': 'open', 'from': 'due'}}, sweep=SWEEP))
    for width in (40, 60, 100):
        got = box.run('sweep', 's', env={'COLUMNS': str(width)})
        lines = got.stdout.decode().split('\n')
        assert got.returncode == 0 and max(map(len, lines)) <= width, (width, got)
        assert '...' in got.stdout.decode() and got.stdout.count(b'holds') == 6, (width, got)
        assert b'p99, ms' in got.stdout and name in box.run('sweep', 's', '--format',
                                                            'csv').stdout.decode()


def data_digits(box):
    """numbers have nine digits in CSV, and whole ones all of theirs"""
    box.put('s', scenario(sweep={'/loads/open/open/every': ['3ms', '7ms']}))
    rows = table_of(box.run('sweep', 's', '--format', 'csv'))
    assert any('.' in row['achieved_per_s'] for row in rows), rows
    for row in rows:
        for figure in (row['offered_per_s'], row['achieved_per_s']):
            assert '.' not in figure or len(figure.replace('.', '').lstrip('0')) <= 9, row


def every_combination(box):
    """a sweep is every combination, the last path fastest, and a row is what run prints for it"""
    box.put('s', scenario(sweep=SWEEP))
    rows = rows_of(box.run('sweep', 's', '--format', 'json'))
    wanted = [(workers, every) for workers in (1, 2, 3) for every in ('1ms', '700us')]
    assert [(row['/server/workers'], row['/loads/open/open/every']) for row in rows] == wanted
    assert [row['point'] for row in rows] == [1, 2, 3, 4, 5, 6]
    for row in rows:
        alone = rows_of(box.run('run', 's', '--format', 'json',
                                '--set', f'/server/workers={row["/server/workers"]}', '--set',
                                f'/loads/open/open/every={row["/loads/open/open/every"]}'))[0]
        recorder, load = alone['recorders']['from due'], alone['loads']['open']
        assert row['n'] == recorder['count'] and row['mean_ns'] == recorder['mean_ns'], row
        assert row['p99_ns'] == recorder['percentiles']['99']['value_ns'], row
        assert abs(row['achieved_per_s'] - load['achieved_per_s']) < 1e-6, row


def vary(box):
    """--vary takes lists, ranges and values that hold commas, and stands in place of the sweep"""
    box.put('s', scenario(sweep=SWEEP))

    def values(*arguments):
        rows = rows_of(box.run('sweep', 's', '--format', 'json', *arguments))
        return [[row[key] for key in row if key.startswith('/')] for row in rows]
    assert values('--vary', '/server/workers=2,4') == [[2], [4]]
    assert values('--vary', '/server/workers=1..7..3') == [[1], [4], [7]]
    assert values('--vary', '/server/service/constant=1ms..2ms..500us') == [['1ms'], ['1.5ms'],
                                                                            ['2ms']]
    assert values('--vary', '/server/workers=1,2', '--vary', '/run/requests=5,6') == [
        [1, 5], [1, 6], [2, 5], [2, 6]]
    stalls = [[], [{'mode': 'suspend', 'first': '1ms', 'last': '2ms'}]]
    text = ','.join(json.dumps(each) for each in stalls)
    assert values('--vary', '/server/stalls=' + text) == [[each] for each in stalls]


def formats(box):
    """text, Markdown and CSV hold the same figures as JSON, and say the unit"""
    box.put('s', scenario(sweep=SWEEP))
    rows = rows_of(box.run('sweep', 's', '--format', 'json'))
    table = table_of(box.run('sweep', 's', '--format', 'csv'))
    assert [list(row) for row in table] == [[key for key in row if key != 'table'] for row in rows]
    assert [int(row['p99_ns']) for row in table] == [row['p99_ns'] for row in rows]
    wide = {'COLUMNS': '200'}
    text = box.run('sweep', 's', env=wide).stdout.decode().splitlines()
    assert text[0] == 'points' and 'p99, ms' in text[1] and len(text) == 8, text
    assert all(line == line.rstrip() for line in text)
    marks = box.run('sweep', 's', '--format', 'markdown').stdout.decode().splitlines()
    assert len([line for line in marks if line.startswith('|')]) == 8, marks


def hostile_names(box):
    """whatever a load and a recorder are called, they are found, and the formats hold together"""
    name = HOSTILE + '/~0 \U0001f550'
    box.put('s', scenario(loads={name: {'open': {'every': '1ms'}}},
                          recorders={name: {'load': name, 'from': 'due'}},
                          experiment={'ladder': {'rates': [100, 200], 'load': name}}))
    rows = rows_of(box.run('experiment', 's', '--format', 'json'))
    points = [row for row in rows if row['table'] == 'points']
    assert [(row['recorder'], row['offered_per_s']) for row in points] == [(name, 100), (name, 200)]
    rows = table_of(box.run('sweep', 's', '--vary', '/run/requests=5,6', '--format', 'csv'))
    assert [(row['recorder'], row['n']) for row in rows] == [(name, '5'), (name, '6')]
    got = box.run('sweep', 's', '--vary', '/run/requests=5,6', '--format', 'markdown')
    cells = [line.replace('\\\\', '').replace('\\|', '').count('|')
             for line in got.stdout.decode().splitlines() if line.startswith('|')]
    assert len(set(cells)) == 1 and len(cells) == 4, got


def impossible_points(box):
    """an impossible value anywhere in a sweep is told, all of them, before anything runs"""
    box.put('s', scenario(sweep={'/run/requests': [5, 6], '/server/workers': [1, 2, 0, -1]}))
    got = box.run('sweep', 's')
    assert got.returncode == 2 and got.stdout == b'', got
    assert got.stderr.count(b'/server/workers') == 2, got
    for arguments, word in ((('sweep', 'g'), b'nothing to sweep'),
                            (('experiment', 'g'), b'no "experiment"'),
                            (('sweep', 'g', '--vary', '/server/workers'), b'PATH=FROM..TO..STEP'),
                            (('sweep', 'g', '--vary', '/server/wrokers=1'), b'wrokers'),
                            (('experiment', 'g', '--set', '/experiment={"knee": [1, 2, 3]}',
                              '--set', '/report/percentiles=[50]'), b'p99 is not among'),
                            (('experiment', 'g', '--set', '/experiment={"knee": [1, 3, 2]}'),
                             b'each above the one before'),
                            (('experiment', 'g', '--set',
                              '/experiment={"triple": {"closed": "open"}}'),
                             b'load "open" is open, not closed or paced'),
                            (('experiment', 'g', '--set',
                              '/experiment={"capacity": {"clients": []}}'),
                             b'found an empty list; allowed: a value, or a list of at least one'),
                            (('experiment', 'g', '--set',
                              '/experiment={"capacity": {"fractions": [1e18]}}'),
                             b'decimals above 0 and below 10^18'),
                            (('experiment', 'g', '--set', '/experiment={"capacity": {}}'),
                             b'no load that is closed')):
        box.put('g', GOOD)
        got = box.run(*arguments)
        assert got.returncode == 2 and got.stdout == b'' and word in got.stderr, (arguments, got)


def maxima_are_not_judged(box):
    """of a maximum, which settles at no length, drawn says no verdict"""
    box.put('g', scenario(report={'percentiles': [50, 100]}, experiment={
        'drawn': {'path': '/server/workers', 'values': [1, 2], 'runs': 2, 'again': 2}}))
    got = ' '.join(box.run('experiment', 'g').stdout.decode().split())
    assert 'p100: no verdict' in got and 'settles at no length' in got, got
    assert 'p50: no verdict' not in got and 'p50: ' in got, got


def failing_points(box):
    """a failing expectation at one point is status 1, the row says so, and the others still run"""
    box.put('s', scenario(sweep={'/server/workers': [2, 1, 3]},
                          expect={'from due': {'p50': '2ms'}}))
    got = box.run('sweep', 's', '--format', 'csv')
    assert got.returncode == 1, got
    checks = [row['checks'] for row in table_of(got)]
    assert checks == ['holds', 'FAILS', 'holds'], checks


def threads(box):
    """neither threads nor the processor change a byte"""
    for name, command in (('sweep', 'sweep'), ('repeats', 'experiment'), ('drawn', 'experiment')):
        path = os.path.join(EXAMPLES, name + '.json')
        one = box.run(command, path, '--threads', '1', '--format', 'json')
        assert one.stdout == box.run(command, path, '--threads', '3', '--format', 'json').stdout
        assert one.returncode == 0 and one.stdout, one


def points_are_runs(box):
    """each run of repeats shows what the scenario alone gives with its seed and value"""
    path, rate = os.path.join(EXAMPLES, 'repeats.json'), '/loads/open/open/rate'
    short = ('--set', '/run={"requests": 2000}', '--set', '/expect={}')
    for varied in ({}, {'vary': rate, 'values': [150, 120]}):
        experiment = json.dumps({'repeats': {'runs': 5, **varied}})
        got = box.run('experiment', path, *short, '--set', '/experiment=' + experiment,
                      '--format', 'csv', '--threads', '2').stdout.decode()
        rows = list(csv.DictReader(io.StringIO(got.split('\n\n')[0])))
        assert len(rows) == (10 if varied else 5), got
        for row in rows:
            more = ('--set', f'{rate}={row[rate]}') if varied else ()
            alone = rows_of(box.run('run', path, *short, *more, '--seed', row['seed'], '--format',
                                    'json'))[0]['recorders'][row['recorder']]
            assert str(alone['percentiles']['50']['value_ns']) == row['p50_ns'], (row, alone)
        assert len({row['p50_ns'] for row in rows}) == len(rows), rows


def interrupted(box):
    """SIGINT ends a sweep with the rows so far on standard output, status 130, and no file"""
    for more in ((), ('--output', 'rows')):
        box.put('s', LONG)
        process = subprocess.Popen([BINARY, 'sweep', 's', '--vary', '/run/requests=50,4000000000',
                                    '--format', 'csv', *more], cwd=box.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if more:
            time.sleep(0.5)
            lines = []
        else:
            lines = [process.stdout.readline(), process.stdout.readline()]
        process.send_signal(signal.SIGINT)
        rest, said = process.communicate(timeout=60)
        assert process.returncode == 130 and b'interrupted' in said, (process.returncode, said)
        assert rest == b'' and 'rows' not in box.names()
        assert not lines or lines[1].startswith(b'1,50,'), lines


def peak_of(box, points):
    """Peak memory in KiB of a sweep of so many hundreds of points."""
    program = ('import resource, subprocess, sys\n'
               'got = subprocess.run(sys.argv[1:], capture_output=True)\n'
               'print(got.returncode, got.stdout.count(b"\\n"),'
               ' resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n')
    arguments = ['sweep', 's', '--vary', f'/run/requests=1..{points}..1', '--vary',
                 '/server/workers=1..100..1', '--format', 'csv']
    # Sanitizers keep freed memory back, which is not the program's doing.
    plain = dict(os.environ, ASAN_OPTIONS='quarantine_size_mb=0')
    got = subprocess.run([sys.executable, '-c', program, BINARY, *arguments], cwd=box.folder,
                         capture_output=True, timeout=300, env=plain)
    status, lines, kilobytes = map(int, got.stdout.split())
    assert (status, lines) == (0, 100 * points + 1), got
    return kilobytes


def streams(box):
    """ten thousand points stream: the first is out long before the last, and nothing is kept"""
    box.put('s', scenario())
    # malloc's heap has more holes in some runs than in others; what is kept is there in each.
    for _ in range(4):
        many, few = peak_of(box, 100), peak_of(box, 10)
        if many < 1.2 * few + 2000:
            return
    raise AssertionError((many, few))


def closed_pipe(box):
    """a reader that goes away is no error"""
    box.put('s', scenario())
    process = subprocess.Popen([BINARY, 'sweep', 's', '--vary', '/run/requests=1..5000..1'],
                               cwd=box.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.readline()
    process.stdout.close()
    said = process.stderr.read()
    assert process.wait(timeout=60) in (0, 1) and said == b'', said
    process.stderr.close()


def run_tells(box):
    """run makes one run where a scenario asks for more, and says which command makes them"""
    box.put('s', scenario(sweep=SWEEP, experiment={'ladder': [100, 200]}))
    got = box.run('run', 's')
    assert got.returncode == 0 and b'6 points of its sweep' in got.stderr, got
    assert b'duetime experiment' in got.stderr and b'ladder' in got.stderr, got


def capacity(box):
    """clients up to 250 a second, then the rates that integer division makes of that"""
    rows, found = example(box, 'capacity')
    assert found['capacity'] == 250 and found['latency is clients / throughput'] == 'yes'
    rates = [row['value'] for row in rows if row.get('finding') == 'rate']
    assert rates == [125, 175, 187, 275], rates
    assert [row['offered_per_s'] for row in rows if row.get('group') == 'ladder'] == rates


def deterministic_examples(box):
    """examples without chance find what was worked out by hand"""
    rows, found = example(box, 'durations')
    assert found['p99'] == 'past capacity'
    # Request i leaves 4098361 ns after the one before it and is due floor(i 1e9 / 248): the last of
    # n waits n S - floor((n - 1) 1e9 / 248).
    wanted = [n * 4098361 - (n - 1) * 10**9 // 248 for n in (2480, 4960, 9920, 19840)]
    assert [row['max_ns'] for row in rows if row['table'] == 'growth'] == wanted
    rows, found = example(box, 'paired')
    assert len([row for row in rows if row['table'] == 'points']) == 60
    assert found['B - A of p99 at 5000'] == '1 us' and found['quarantined'] == 'none', found
    rows, found = example(box, 'neighbour')
    assert found['shape of p99'] == 'non-monotone' and found['quarantined'] == 'ladder', found
    rows, found = example(box, 'triple')
    assert 'at saturation' in found and found['fields in which the loads differ'].startswith(
        '/closed/clients'), found


def limit_is_the_limit(box):
    """the rate that is found keeps the limit, and one step more does not"""
    rows, found = example(box, 'limit')
    path = os.path.join(EXAMPLES, 'limit.json')
    for rate, keeps in ((found['highest rate'], True), (found['highest rate'] + 0.1, False)):
        alone = rows_of(box.run('run', path, '--format', 'json', '--set',
                                f'/loads/open/open/rate={rate:.1f}'))[0]
        p99 = alone['recorders']['open, from due']['percentiles']['99']['value_ns']
        assert (p99 <= 50000000) == keeps, (rate, p99)


def examples_of_chance(box):
    """examples with chance come to the verdict that their sources do"""
    rows, found = example(box, 'knee')
    assert found['knee by doubling'] == 129.5 and 111 <= found['knee by chord'] <= 148, found
    rows, found = example(box, 'ladder')
    assert found['shape of p99'] == 'monotone', found
    rates = [row['rate'] for row in rows if row['table'] == 'rungs']
    assert rates == [5997, 11995, 17992, 23990, 29988], rates
    rows, found = example(box, 'drawn')
    assert found['mean'] == found['p50'] == 'restart' and found['n counts'] == 'runs', found
    rows, found = example(box, 'repeats')
    assert found['open, from due, p99: 165 against 175'] == 'overlap', found
    times = [row for row in rows if row['table'] == 'times']
    assert all(row['runs'] == 20 and row['min_ns'] < row['median_ns'] < row['max_ns']
               for row in times)


if __name__ == '__main__':
    sys.exit(speak_tap((every_combination, narrow_terminals, data_digits, vary, formats,
                        hostile_names, impossible_points,
                        failing_points, threads, points_are_runs, interrupted, streams,
                        closed_pipe, run_tells,
                        capacity, deterministic_examples, limit_is_the_limit, examples_of_chance,
                        maxima_are_not_judged)))
