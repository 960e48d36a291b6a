#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command as a user meets it, end to end.  usage: test_cli.py BINARY; speaks TAP."""
import csv
import io
import json
import re
import sys
import xml.etree.ElementTree as xml

from command_line import BAD, EXPECTS_WRONG, GOOD, scenario, speak_tap

COMMANDS = ('run', 'check', 'law', 'explain', 'list', 'schema')
HOSTILE = 'a"b|c, d\\e`f*g<h>&i_j[k](l) \u65e5\u672c'
CONTROLS = 'a\nb\x1b[31mc\u009bd\u202ee\x00f'


def statuses(box):
    """status is 0 when all holds, 1 when an expectation fails, 2 when the request is wrong"""
    good, wrong, bad = (box.put('g', GOOD), box.put('w', EXPECTS_WRONG), box.put('b', BAD))
    for command in ('run', 'check'):
        for file, status in ((good, 0), (wrong, 1), (bad, 2), ('absent', 2), ('.', 2)):
            got = box.run(command, file)
            assert got.returncode == status, (command, file, got)
    assert box.run('law', wrong).returncode == 0


def errors_go_to_stderr(box):
    """faults go to standard error, each with its place, results to standard output"""
    got = box.run('run', box.put('b', BAD))
    assert got.stdout == b'', got
    assert re.search(rb'^b:1:\d+: ', got.stderr, re.M), got
    assert box.run('run', box.put('g', GOOD)).stderr == b''


def usage_faults(box):
    """a wrong command line is status 2 and every fault of it a line"""
    box.put('g', GOOD)
    for arguments in ((), ('run',), ('rnu', 'g'), ('run', 'g', '--nope'),
                      ('run', 'g', '--seed', 'x'),
                      ('run', 'g', '--seed', str(2**64)), ('run', 'g', '--threads', '-1'),
                      ('run', 'g', '--format', 'xml'), ('run', 'g', '--format'),
                      ('run', 'g', '--set', 'nonsense'), ('run', 'g', '--gates'), ('schema', 'g'),
                      ('list', 'nothing'), ('list', 'laws', 'more'), ('run', '-', '-'),
                      ('explain', 'g', '--format', 'csv'), ('run', 'g', '--output', ''),
                      ('check', 'g', '--gates=1')):
        got = box.run(*arguments)
        assert got.returncode == 2 and got.stdout == b'' and got.stderr, (arguments, got)
    got = box.run('run', 'g', '--seed', 'x', '--threads', 'y', '--nope')
    assert got.stderr.count(b'\n') == 3, got


def nearest(box):
    """a misspelt command, option, list or format names the nearest or all there are"""
    for arguments, wanted in ((('chekc', 'x'), b'check'), (('run', '--formta', 'x'), b'--format'),
                              (('list', 'distribution'), b'distributions'),
                              (('run', '-format', 'x'), b'--format'),
                              (('run', '--format', 'jsno', 'x'), b'json')):
        got = box.run(*arguments)
        assert wanted in got.stderr, (arguments, got)


def help_everywhere(box):
    """--help and --version work with and without a command, and so does -h"""
    for arguments in ((), *((command,) for command in COMMANDS)):
        for option in ('--help', '-h'):
            got = box.run(*arguments, option)
            assert got.returncode == 0 and b'usage: duetime' in got.stdout, (arguments, got)
            assert got.stderr == b''
        got = box.run(*arguments, '--version')
        assert got.returncode == 0 and re.fullmatch(rb'duetime \d+\.\d+\.\d+\n', got.stdout), got
    general = box.run('--help').stdout.decode()
    assert all(re.search(rf'^  {command} ', general, re.M) for command in COMMANDS), general


def help_names_options(box):
    """the help of a command names every option it takes, and it takes those"""
    wanted = {'run': 'format set seed threads output', 'law': 'format set seed output',
              'check': 'format set seed threads output junit require-law gates',
              'explain': 'format set seed output', 'list': 'output', 'schema': 'output'}
    for command, options in wanted.items():
        text = box.run(command, '--help').stdout.decode()
        found = set(re.findall(r'^  --([a-z-]+)', text, re.M))
        assert found == set(options.split()) | {'help', 'version'}, (command, found)


def standard_input(box):
    """- reads a scenario from standard input"""
    got = box.run('run', '-', '--format', 'json', stdin=GOOD)
    assert got.returncode == 0, got
    assert json.loads(got.stdout)['scenario']['file'] == '-'


def option_places(box):
    """options stand before or after files, as --a=b or --a b, and -- ends them"""
    box.put('g', GOOD)
    box.put('--odd', GOOD)
    outputs = {box.run(*arguments).stdout for arguments in (
        ('run', '--format', 'csv', 'g'), ('run', 'g', '--format', 'csv'),
        ('run', '--format=csv', 'g'), ('--format', 'csv', 'run', 'g'),
        ('run', '--format=csv', '--', 'g'))}
    assert len(outputs) == 1 and b'scenario,' in outputs.pop()
    assert box.run('run', '--', '--odd').returncode == 0


def settings(box):
    """--set changes the scenario and --seed keeps 64 bits"""
    box.put('g', GOOD)
    got = json.loads(box.run('run', 'g', '--format', 'json', '--set', '/run/requests=7',
                             '--set', '/server/service={"constant": "3ms"}', '--seed',
                             str(2**64 - 1)).stdout)
    assert got['loads']['open']['sent'] == 7
    assert got['recorders']['from due']['percentiles']['50']['value_ns'] == 3000000
    assert got['seed'] == str(2**64 - 1)
    assert box.run('run', 'g', '--set', '/run/request=7').returncode == 2


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


def several_files(box):
    """every file is run, in order, and the worst status wins"""
    for name, text in (('g', GOOD), ('w', EXPECTS_WRONG), ('b', BAD)):
        box.put(name, text)
    got = box.run('run', 'b', 'w', 'g', 'absent', '--format', 'json')
    assert got.returncode == 2, got
    assert [json.loads(line)['scenario']['file'] for line in got.stdout.splitlines()] == ['w', 'g']
    assert b'absent' in got.stderr and b'b:1:' in got.stderr
    assert box.run('run', 'w', 'g').returncode == 1
    values = box.run('run', 'g', 'w', '--format', 'csv').stdout
    assert values.count(b'scenario,recorder') == 1


def quiet_check(box):
    """check prints only what fails and a line a scenario"""
    box.put('g', GOOD)
    box.put('w', EXPECTS_WRONG)
    assert box.run('check', 'g').stdout.decode().count('\n') == 1
    got = box.run('check', 'w').stdout.decode().split('\n')
    assert len(got) == 3 and got[0].startswith('w: expectation FAILS: recorder "from due", p50')
    assert got[1].startswith('w: FAILS'), got


def require_law(box):
    """--require-law fails a percentile that nothing judged"""
    spec = scenario(server={'service': {'uniform': {'low': '1ms', 'high': '9ms'}}, 'workers': 2})
    box.put('n', spec)
    box.put('g', GOOD)
    assert box.run('check', 'n').returncode == 0
    got = box.run('check', 'n', '--require-law')
    assert got.returncode == 1 and got.stdout.count(b'FAILS: recorder') == 5, got
    assert box.run('check', 'g', '--require-law').returncode == 0


def gates(box):
    """a failing gate fails check --gates and nothing else"""
    spec = scenario(server={'service': {'constant': '2ms'}})  # one worker at twice its capacity
    box.put('n', spec)
    got = json.loads(box.run('run', 'n', '--format', 'json').stdout)
    assert any(not gate['passes'] for gate in got['gates']) and got['holds'] is True
    assert box.run('run', 'n').returncode == 0 and box.run('check', 'n').returncode == 0
    assert box.run('check', 'n', '--gates').returncode == 1


def junit(box):
    """--junit writes XML that counts what it holds"""
    for name, text in (('g', GOOD), ('w', EXPECTS_WRONG), ('b', BAD),
                       ('h', scenario(recorders={HOSTILE: {'load': 'open', 'from': 'due'}}))):
        box.put(name, text)
    assert box.run('check', 'g', 'w', 'b', 'h', '--junit', 'j.xml').returncode == 2
    root = xml.fromstring(box.get('j.xml'))
    suites = {suite.get('name'): suite for suite in root}
    assert list(suites) == ['g', 'w', 'b', 'h']
    for suite in suites.values():
        assert int(suite.get('tests')) == len(suite.findall('testcase'))
        assert int(suite.get('failures')) == len(suite.findall('testcase/failure'))
        assert int(suite.get('errors')) == len(suite.findall('testcase/error'))
    assert [suites[name].get('failures') for name in 'gwbh'] == ['0', '1', '0', '0']
    assert suites['b'].get('errors') == '1'


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
    assert names == ['laws', 'loads', 'arrivals', 'distributions', 'late', 'stalls',
                     'corrections', 'stores', 'ranks'], names
    wanted = {'laws': 'mm1', 'loads': 'paced', 'arrivals': 'poisson', 'late': 'catch-up',
              'distributions': 'two-point', 'stalls': 'suspend', 'corrections': 'wrk',
              'stores': 'hdr', 'ranks': 'type7'}
    for name, entry in wanted.items():
        text = box.run('list', name).stdout.decode()
        assert re.search(rf'^{entry}\n    \S', text, re.M), (name, text)
    for part in ('formula', 'symbols', 'domain', 'source', 'check value'):
        assert f'    {part}: ' in box.run('list', 'laws').stdout.decode()


def schema(box):
    """schema prints a JSON Schema"""
    got = json.loads(box.run('schema').stdout)
    assert '$schema' in got and 'server' in got['properties']


def threads(box):
    """results do not depend on --threads"""
    box.put('r', scenario(run={'requests': 2000, 'replications': 8},
                          server={'service': {'exponential': '1ms'}},
                          loads={'open': {'open': {'rate': 500, 'arrivals': 'poisson'}}}))
    outputs = {box.run('run', 'r', '--format', 'json', '--threads', str(n)).stdout
               for n in (0, 1, 2, 7)}
    assert len(outputs) == 1
    assert json.loads(outputs.pop())['replications'] == 8


TESTS = (statuses, errors_go_to_stderr, usage_faults, nearest, help_everywhere, help_names_options,
         standard_input, option_places, settings, json_fields, formats_agree, hostile_names,
         controls, widths, several_files, quiet_check, require_law, gates, junit, laws,
         explain_round_trip, lists, schema, threads)


if __name__ == '__main__':
    sys.exit(speak_tap(TESTS))
