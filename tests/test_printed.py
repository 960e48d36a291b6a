#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the commands print, in every format.  usage: test_printed.py BINARY; speaks TAP."""
import csv
import io
import json
import re
import sys

from command_line import GOOD, HOSTILE, scenario, speak_tap

CONTROLS = 'a\nb\x1b[31mc\u009bd\u202ee\x00f'


def json_fields(box):
    """JSON has every field of the format with its type, one object a line"""
    spec = scenario(report={'percentiles': [50, 99.9, 100], 'above': ['1ms', '2ms']})
    got = box.run('run', box.put('g', spec), '--format', 'json')
    assert got.stdout.count(b'\n') == 1
    top = json.loads(got.stdout)
    for key in ('duetime', 'scenario', 'seed', 'replications', 'start', 'loads', 'recorders',
                'identities', 'gates', 'expect', 'holds'):
        assert key in top, key
    assert set(top['scenario']) == {'file', 'title', 'sha256'}
    assert re.fullmatch('[0-9a-f]{64}', top['scenario']['sha256'])
    assert top['holds'] is True and top['start'] in ('empty', 'stationary')
    load = top['loads']['open']
    assert (load['offered_per_s'], load['sent'], load['answered'], load['failed'],
            load['dropped'], load['in_flight_at_end'], load['in_flight_max'], load['stalls'],
            load['last_answer_ns']) == (1000, 20, 20, 0, 0, 0, 2, 0, 21000000), load
    assert load['achieved_per_s'] is not None and load['in_flight_mean'] is not None
    recorder = top['recorders']['from due']
    assert (recorder['load'], recorder['from'], recorder['to'], recorder['correction'],
            recorder['count'], recorder['added'], recorder['min_ns'], recorder['max_ns'],
            recorder['mean_ns'], recorder['sum_ns']) == (
                'open', 'due', 'finished', None, 20, 0, 2000000, 2000000, 2000000, 40000000)
    assert isinstance(recorder['store'], str) and isinstance(recorder['rank'], str)
    assert isinstance(recorder['law'], str) and isinstance(recorder['truth_law'], str)
    assert list(recorder['percentiles']) == ['50', '99.9', '100']
    cell = recorder['percentiles']['99.9']
    for key, value in {'value_ns': 2000000, 'at_least_ns': None, 'law_ns': 2000000,
                       'check': 'exact', 'holds': True, 'detectable': None, 'truth_ns': 2000000,
                       'ratio': 1}.items():
        assert cell[key] == value and type(cell[key]) is type(value), (key, cell)
    assert 'why' in cell
    assert recorder['above']['1ms']['count'] == 20 and recorder['above']['1ms']['share'] == 1
    assert recorder['above']['2ms']['count'] == 0 and recorder['above']['2ms']['share'] == 0
    for identity in top['identities']:
        assert identity['holds'] is True and isinstance(identity['name'], str)
    for gate in top['gates']:
        assert {'name', 'load', 'recorder', 'passes', 'reason'} <= set(gate)
    assert top['identities'] and top['gates']


def formats_agree(box):
    """text, Markdown, CSV and JSON tell the same percentiles"""
    box.put('g', GOOD)
    text, table, values, _ = (box.run('run', 'g', '--format', name).stdout.decode()
                              for name in ('text', 'markdown', 'csv', 'json'))
    assert re.search(r'^p99\.9 +2\.0 ', text, re.M), text
    assert re.search(r'^\| p99\.9 \| 2\.0 \(', table, re.M), table
    rows = list(csv.DictReader(io.StringIO(values)))
    assert [row['value'] for row in rows if row['figure'] == 'p99.9'] == ['2000000']
    assert all(None not in row and None not in row.values() for row in rows)


def hostile_names(box):
    """names with quotes, bars and markup come through every format unharmed"""
    spec = scenario(title=HOSTILE, loads={HOSTILE: {'open': {'every': '1ms'}}},
                    recorders={HOSTILE: {'load': HOSTILE, 'from': 'due'}})
    box.put('g', spec)
    for command in ('run', 'law', 'explain', 'check'):
        assert box.run(command, 'g').returncode == 0, command
    got = json.loads(box.run('run', 'g', '--format', 'json').stdout)
    assert list(got['recorders']) == [HOSTILE] and got['scenario']['title'] == HOSTILE
    rows = list(csv.reader(io.StringIO(box.run('run', 'g', '--format', 'csv').stdout.decode(),
                                       newline='')))
    assert {len(row) for row in rows} == {12} and any(row[1] == HOSTILE for row in rows)
    table = box.run('run', 'g', '--format', 'markdown').stdout.decode()
    bars = {len(re.findall(r'(?<!\\)\|', line)) for line in table.split('\n')
            if line.startswith('|')}
    assert bars == {3}, bars


def controls(box):
    """control characters of a scenario never reach the terminal, nor does an error show them"""
    shown = re.compile('[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]')
    spec = {'title': CONTROLS, 'about': CONTROLS, 'loads': {CONTROLS: {}}, CONTROLS: 1}
    for number, text in enumerate((scenario(title=CONTROLS.replace('\0', '')),
                                   scenario(about=CONTROLS.replace('\0', '')), json.dumps(spec),
                                   json.dumps(spec, ensure_ascii=False), '{"\x1b[31m": \x9b')):
        box.put('g', text)
        for command in ('run', 'law', 'explain', 'check'):
            got = box.run(command, 'g')
            assert got.returncode in (0, 2), got
            assert not shown.search((got.stdout + got.stderr).decode()), (number, command, got)
    got = box.run('run', 'a\x1b[31mb\u009b')
    assert got.returncode == 2 and not shown.search(got.stderr.decode()), got
    got = box.run('r\x1b[31mun', '--\x1b[31m')
    assert got.returncode == 2 and not shown.search(got.stderr.decode()), got


def widths(box):
    """no line of a table is wider than COLUMNS"""
    names = [f'recorder number {n} with a rather long name' for n in range(7)]
    spec = scenario(recorders={name: {'load': 'open', 'from': 'due'} for name in names})
    box.put('g', spec)
    for width in (80, 120):
        got = box.run('run', 'g', env={'COLUMNS': str(width)}).stdout.decode()
        assert max(map(len, got.split('\n'))) <= width
        assert got.count('\np99.9 ') > 1


def laws(box):
    """law prints laws without a run, and they are what a run is checked against"""
    box.put('g', GOOD)
    got = json.loads(box.run('law', 'g', '--format', 'json').stdout)
    cell = got['recorders']['from due']['percentiles']['99']
    assert cell['law_ns'] == 2000000 and cell['value_ns'] is None
    assert got['recorders']['from due']['count'] is None and got['holds'] is None
    assert got['loads']['open']['sent'] is None
    huge = box.run('law', 'g', '--set', '/run/requests=1000000000000', '--format', 'json')
    assert huge.returncode == 0, huge


def law_rows(box):
    """the CSV of laws has no row without a figure, and that of a run shows what was checked"""
    box.put('g', scenario(report={'percentiles': [50, 100], 'above': ['1ms']}))
    rows = list(csv.DictReader(io.StringIO(box.run('law', 'g', '--format', 'csv').stdout.decode())))
    assert rows and all(row['value'] == '' and row['law'] for row in rows), rows
    wanted = {('count', 'samples'): '20', ('added', 'samples'): '0', ('sum', 'ns'): '40000000',
              ('above 1ms', 'samples'): '20', ('above 1ms', 'share'): '1'}
    wanted.update({(name, 'ns'): '2000000' for name in ('p50', 'p100', 'min', 'max', 'mean')})
    assert {(row['figure'], row['unit']): row['law'] for row in rows} == wanted, rows
    rows = list(csv.DictReader(io.StringIO(box.run('run', 'g', '--format', 'csv').stdout.decode())))
    for row in rows:
        if row['check'] == 'exact':
            assert row['law'] == row['value'] == wanted[row['figure'], row['unit']], row
    assert sum(row['check'] == 'exact' for row in rows) == len(wanted)


def explained_start(box):
    """explain says what a run will start in, and leaves it open only where loads differ"""
    random = {'service': {'exponential': '1ms'}}
    poisson, slow = ({'open': {'rate': rate, 'arrivals': 'poisson'}} for rate in (500, 2000))
    recorders = {'from due': {'load': 'a', 'from': 'due'}}
    for loads, server, start in (({'a': poisson}, random, 'stationary'),
                                 ({'a': slow}, random, 'empty'),
                                 ({'a': poisson, 'b': slow}, random, 'default'),
                                 ({'a': {'open': {'rate': 5}}}, {'service': {'constant': '1ms'}},
                                  'empty')):
        box.put('g', scenario(server=server, loads=loads, recorders=recorders))
        got = json.loads(box.run('explain', 'g', '--format', 'json').stdout)
        assert got['run']['start'] == start, (loads, got['run'])
        run = json.loads(box.run('run', 'g', '--format', 'json').stdout)
        assert start in ('default', run['start']), (loads, run['start'])
    words = ' '.join(box.run('explain', 'g').stdout.decode().split())
    assert 'starting empty.' in words, words


def explain_round_trip(box):
    """what explain prints as JSON is the same scenario with nothing left to fill"""
    box.put('g', scenario(report={'percentiles': [50, 99.99], 'above': ['1ms']}))
    once = box.run('explain', 'g', '--format', 'json')
    assert once.returncode == 0, once
    box.put('full', once.stdout.decode())
    assert box.run('explain', 'full', '--format', 'json').stdout == once.stdout
    runs = [json.loads(box.run('run', name, '--format', 'json').stdout) for name in ('g', 'full')]
    for run in runs:
        del run['scenario']
    assert runs[0] == runs[1]
    words = box.run('explain', 'g').stdout.decode()
    for word in ('Server: 3 workers', 'constant', 'Load "open"', 'from due to finished',
                 'Correction: none', 'Rank rule: nearest', 'seed 1', '99.99'):
        assert word in words, (word, words)
    assert json.loads(words[words.index('\n{'):]) == json.loads(once.stdout)


def lists(box):
    """list names every list, and each list says what its entries are"""
    names = [line.split()[0] for line in box.run('list').stdout.decode().splitlines()]
    assert names == ['keys', 'laws', 'loads', 'arrivals', 'distributions', 'late', 'resend',
                     'queues', 'routing', 'stalls', 'corrections', 'stores', 'ranks',
                     'experiments', 'faults', 'schedulers', 'servers', 'policies',
                     'recorders'], names
    wanted = {'laws': 'mm1', 'loads': 'paced', 'arrivals': 'poisson', 'late': 'catch-up',
              'distributions': 'two-point', 'resend': 'hedge', 'routing': 'round-robin',
              'queues': 'processor-sharing', 'stalls': 'suspend', 'corrections': 'wrk',
              'stores': 'hdr', 'ranks': 'type7'}
    for name, entry in wanted.items():
        text = box.run('list', name).stdout.decode()
        assert re.search(rf'^{entry}\n    \S', text, re.M), (name, text)
    for name, parts in {'policies': ('late', 'resend'), 'servers': ('queues', 'routing', 'stalls'),
                        'recorders': ('corrections', 'stores', 'ranks')}.items():
        text = box.run('list', name).stdout.decode()
        for part in parts:
            assert box.run('list', part).stdout.decode() in text, (name, part)
            assert re.search(rf'^{part}: \S', text, re.M), (name, part)
    for part in ('formula', 'symbols', 'domain', 'source', 'check value'):
        assert f'    {part}: ' in box.run('list', 'laws').stdout.decode()


def schema(box):
    """schema prints a JSON Schema"""
    got = json.loads(box.run('schema').stdout)
    assert '$schema' in got and 'server' in got['properties']


def sized_run(box):
    """a run that is sized says what it chose, can show the error asked for, and ends"""
    box.put('d', scenario(run={'detect': {'percentile': 90, 'within': '10%'}},
                          server={'service': {'exponential': '1ms'}},
                          loads={'open': {'open': {'rate': 500, 'arrivals': 'poisson'}}}))
    got = json.loads(box.run('run', 'd', '--format', 'json').stdout)
    assert got['detect']['percentile'] == 90 and got['detect']['within'] == 0.1, got['detect']
    each = got['loads']['open']['sent'] // got['replications']
    assert str(each) in got['detect']['says'], got['detect']
    while each % 10 == 0:
        each //= 10
    assert each in (1, 2, 5), each
    cell = got['recorders']['from due']['percentiles']['90']
    assert cell['check'] == 'statistical' and cell['detectable'] <= 0.1, cell
    assert cell['low_ns'] < cell['value_ns'] < cell['high_ns'], cell
    assert b'\nrun length: ' in box.run('run', 'd').stdout
    assert json.loads(box.run('law', 'd', '--format', 'json').stdout)['detect'] is not None


def copies(box):
    """copies, parts and random stalls are explained, run and counted"""
    server = {'service': {'exponential': '1ms'}, 'replicas': 3, 'stalls': [
        {'mode': 'suspend', 'up': {'exponential': '50ms'}, 'down': {'constant': '5ms'}}]}
    loads = {'two': {'open': {'rate': 200, 'arrivals': 'poisson'},
                     'hedge': {'after': '0ns', 'cancel': 'none'}},
             'parts': {'open': {'arrivals': {'gaps': {'erlang': {'mean': '10ms', 'stages': 2}}}},
                       'fan_out': 3}}
    box.put('c', scenario(server=server, loads=loads, run={'requests': 500, 'replications': 2},
                          recorders={'from due': {'load': 'two', 'from': 'due'},
                                     'all': {'load': 'parts', 'from': 'due'}}))
    words = ' '.join(box.run('explain', 'c').stdout.decode().split())
    for part in ('There are 3 of them', 'hedge (after 0ns, copies 2, cancel none)',
                 'every request is 3 parts', 'at random', 'erlang (mean 10ms, stages 2)'):
        assert part in words, (part, words)
    got = json.loads(box.run('run', 'c', '--format', 'json').stdout)['loads']
    assert got['two']['sent'] == 1000 and got['two']['attempts'] == 2000, got['two']
    assert got['parts']['sent'] == 1000 and got['parts']['attempts'] == 3000, got['parts']


TESTS = (json_fields, formats_agree, hostile_names, controls, widths, laws, law_rows,
         explained_start, explain_round_trip, lists, schema, sized_run, copies)


if __name__ == '__main__':
    sys.exit(speak_tap(TESTS))
