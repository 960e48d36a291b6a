#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command as a user meets it, end to end.  usage: test_cli.py BINARY; speaks TAP."""
import json
import re
import sys
import xml.etree.ElementTree as xml

from command_line import BAD, EXPECTS_WRONG, GOOD, HOSTILE, scenario, speak_tap

COMMANDS = ('run', 'check', 'law', 'explain', 'list', 'schema', 'trace', 'audit',
            'compare', 'sweep', 'experiment')


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


def keys(box):
    """list keys tells every key that the schema knows, and a part of it or one key alone as well"""
    told = box.run('list', 'keys').stdout.decode()
    schema = json.loads(box.run('schema').stdout)
    variants = {name for kind in ('loads', 'resend')
                for name in re.findall(r'^(\S+)$', box.run('list', kind).stdout.decode(), re.M)}
    for part in ('server', 'loads', 'run', 'report', 'recorders'):
        top = schema['properties'][part]
        own = set(top.get('properties') or top['additionalProperties']['properties']) - variants
        assert own and all(re.search(rf'^    {key}: ', told, re.M) for key in own), (part, own)
    for name, wanted in (('server', 'load_dependence'), ('quota', 'period'), ('load', 'generator'),
                         ('recorder', 'failures'), ('run', 'detect'), ('report', 'above'),
                         ('timeout_cancel', 'timeout_cancel'), ('per', 'per'),
                         ('retry', 'budget'), ('sessions', 'think'), ('hdr', 'digits')):
        got = box.run('list', name)
        assert re.search(rf'^    {wanted}: ', got.stdout.decode(), re.M), (name, got)
        assert got.returncode == 0, (name, got)
    assert 'run: how long, how often, from what state (an object; default {})' in told, told
    got = box.run('list', 'sesions')
    assert got.returncode == 2 and b'the nearest is sessions' in got.stderr, got


def help_everywhere(box):
    """--help and --version work with and without a command, and so does -h"""
    for arguments in ((), *((command,) for command in COMMANDS)):
        for option in ('--help', '-h'):
            got = box.run(*arguments, option)
            assert got.returncode == 0 and b'usage: duetime' in got.stdout, (arguments, got)
            assert got.stderr == b''
        got = box.run(*arguments, '--version')
        assert got.returncode == 0 and re.fullmatch(rb'duetime \d+\.\d+\.\d+\n', got.stdout), got
        assert box.run('help', *arguments).stdout == box.run(*arguments, '--help').stdout
    got = box.run('help', 'rnu')
    assert got.returncode == 2 and b'the nearest is run' in got.stderr, got
    general = box.run('--help').stdout.decode()
    assert all(re.search(rf'^  {command} ', general, re.M) for command in COMMANDS), general


def help_names_options(box):
    """the help of a command names every option it takes, and it takes those"""
    wanted = {'run': 'format set seed threads exact-limit output', 'law': 'format set seed output',
              'check': 'format set seed threads exact-limit output junit require-law gates',
              'explain': 'format set seed output', 'list': 'output', 'schema': 'output',
              'audit': 'format threads output connections rate requests duration mean max pNN '
                       'timeout interval real-mean pause',
              'compare': 'format set seed threads output studied',
              'trace': 'format set seed threads output load replication first',
              'sweep': 'format set seed threads exact-limit output vary',
              'experiment': 'format set seed threads output'}
    for command, options in wanted.items():
        text = box.run(command, '--help').stdout.decode()
        found = set(re.findall(r'^  --([a-zN-]+)', text, re.M))
        assert found == set(options.split()) | {'help', 'version'}, (command, found)


def exact_limit_replays(box):
    """beyond --exact-limit an exact recorder replays to the same figures, and says so"""
    box.put('g', GOOD)
    for format in ('text', 'markdown', 'json'):
        kept, replayed = (box.run('run', 'g', '--format', format, '--exact-limit', limit)
                          .stdout.decode() for limit in ('1000000', '1'))
        assert 'replayed' not in kept and re.search(r'exact, replayed in \d+ passes', replayed)
        if format == 'json':
            assert re.sub(r'exact, replayed in \d+ passes', 'exact', replayed) == kept
    for limit in ('0', 'all', '-1'):
        assert box.run('run', 'g', '--exact-limit', limit).returncode == 2


def widths_of_vectors_do_not_matter(box):
    """every width of vectors gives the same bytes, and one that does not exist is refused"""
    box.put('g', scenario(server={'service': {'exponential': '100us'}}, run={'requests': 3000},
                          loads={'open': {'open': {'rate': 5000, 'arrivals': 'poisson'}}}))
    texts = {box.run('run', 'g', '--seed', '7', env={'DUETIME_VECTOR': width}).stdout
             for width in ('plain', 'avx2', 'avx512', '')}
    assert len(texts) == 1 and len(texts.pop()) > 500
    got = box.run('run', 'g', env={'DUETIME_VECTOR': 'sse9'})
    assert got.returncode == 2
    assert b'DUETIME_VECTOR: found "sse9"; allowed: "plain", "avx2", "avx512"' in got.stderr


def help_names_formats(box):
    """the help of a command names the formats it has, and so does the refusal of any other"""
    box.put('g', GOOD)
    wanted = {'run': 'text (the default), markdown, csv or json', 'explain':
              'text (the default) or json'}
    for command, formats in wanted.items():
        assert re.search(rf'--format FORMAT +{re.escape(formats)}$',
                         box.run(command, '--help').stdout.decode(), re.M)
        for format in ('xml', 'csv'):
            got = box.run(command, 'g', '--format', format)
            if format in formats:
                assert got.returncode == 0, got
                continue
            line = f'duetime: {command} has no --format {format}; allowed: {formats}\n'
            assert (got.returncode, got.stderr.decode()) == (2, line), got


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
    assert len(got) == 3 and got[0] == ('w: expectation FAILS: recorder "from due", p50: 2ms, '
                                        'the scenario expects 3ms'), got
    assert got[1].startswith('w: FAILS'), got


def require_law(box):
    """--require-law fails a percentile that nothing judged, but for a maximum no law bounds"""
    spec = scenario(server={'service': {'uniform': {'low': '1ms', 'high': '9ms'}}, 'workers': 2})
    box.put('n', spec)
    box.put('g', GOOD)
    assert box.run('check', 'n').returncode == 0
    got = box.run('check', 'n', '--require-law')
    assert got.returncode == 1 and got.stdout.count(b'n: no law: recorder "from due", p') == 4, got
    assert b'p100' not in got.stdout and b'check FAILS' not in got.stdout, got
    box.put('few', scenario(server={'service': {'exponential': '1ms'}}, run={'requests': 50},
                            loads={'open': {'open': {'rate': 500, 'arrivals': 'poisson'}}},
                            report={'percentiles': [99.9, 100]}))
    got = box.run('check', 'few', '--require-law')
    assert got.returncode == 1, got
    assert got.stdout.startswith(b'few: too few samples: recorder "from due", p99.9: '), got
    box.put('many', scenario(server={'service': {'exponential': '1ms'}}, run={'requests': 20000},
                             loads={'open': {'open': {'rate': 500, 'arrivals': 'poisson'}}},
                             report={'percentiles': [50, 100]}))
    assert box.run('check', 'many', '--require-law').returncode == 0
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


def places_of_runs(box):
    """what only the run finds out stands at its load, by line, column and path"""
    text = ('{"server": {"service": {"constant": 0}},\n "loads": {"fine": {"open": {"rate": 1}},\n'
            '  "a/b~c": {"closed": {"clients": 1}}},\n'
            ' "recorders": {"r": {"load": "a/b~c", "from": "due"}}, "run": {"duration": "1s"}}')
    got = box.run('run', box.put('g', text))
    assert got.returncode == 2, got
    assert got.stderr.startswith(b'g:3:3: /loads/a~1b~0c: the run would never end'), got


def percents(box):
    """percentiles that look like quantiles are taken at their word, and a warning says so"""
    spec = scenario(report={'percentiles': [0.99, 0.5]})
    got = box.run('run', box.put('g', spec))
    assert got.returncode == 0 and got.stderr.startswith(
        b'g: warning: percentiles are in percent: 0.99 is p0.99'), got
    for fine in ([0, 50], [0.1, 99], [0]):
        got = box.run('run', box.put('g', scenario(report={'percentiles': fine})))
        assert got.returncode == 0 and got.stderr == b'', (fine, got)


def threads(box):
    """results do not depend on --threads"""
    box.put('r', scenario(run={'requests': 2000, 'replications': 8},
                          server={'service': {'exponential': '1ms'}},
                          loads={'open': {'open': {'rate': 500, 'arrivals': 'poisson'}}}))
    outputs = {box.run('run', 'r', '--format', 'json', '--threads', str(n)).stdout
               for n in (0, 1, 2, 7)}
    assert len(outputs) == 1
    assert json.loads(outputs.pop())['replications'] == 8


# What wrk printed of a well-known run.
PRINTED = ('--connections', '128', '--rate', '56900', '--duration', '300s', '--mean', '5.61ms',
           '--max', '147.7ms', '--p99', '37ms')


def audits(box):
    """audit holds a printed mean against connections / throughput, in words and as JSON"""
    got = box.run('audit', *PRINTED)
    assert got.returncode == 0 and got.stderr == b'', got
    words = ' '.join(got.stdout.decode().split())
    for wanted in ('more than 2.2496 ms each', '2.494 times that', '64 of them never happened',
                   'at least 12991 responses', 'p99 would be 118.46 ms'):
        assert wanted in words, (wanted, words)
    found = json.loads(box.run('audit', *PRINTED, '--format', 'json').stdout)['audit']
    assert round(found['little_cap_ns']) == 2249561 and found['mean_above_cap'] is True
    assert found['added_to_max'] == 64 and found['slow'][0]['least'] == 12991
    assert found['percentiles']['99']['contradicts'] is True
    assert found['says'] and all(isinstance(text, str) for text in found['says'])
    less = json.loads(box.run('audit', '--connections', '128', '--rate', '56900', '--mean=2.25ms',
                              '--format=json').stdout)['audit']
    assert less['requests'] is None and less['slow'] == [] and less['mean_is_cap'] is True
    late = box.run('audit', *PRINTED, '--timeout', '100ms', '--output', 'a.txt')
    assert late.returncode == 0 and 'above the timeout of 100 ms' in ' '.join(
        box.get('a.txt').split())


def audit_faults(box):
    """what audit cannot read is status 2, every fault a line"""
    for arguments, lines in (((), 2), (('--connections', '128'), 1),
                             (('--connections', '0', '--rate', '-1'), 2),
                             (('--connections', '1.5', '--rate', 'x', '--p0', '3ms'), 3),
                             ((*PRINTED, '--max', '3'), 2), ((*PRINTED, '--p99.0', '38ms'), 1),
                             ((*PRINTED, '--max', '3s'), 1), ((*PRINTED, '--threads', '0'), 1),
                             ((*PRINTED, '--p101', '3ms'), 1),
                             ((*PRINTED, '--interval', 'auto'), 1),
                             ((*PRINTED, '--threads', '129'), 1), ((*PRINTED, 'file'), 1),
                             (('--connections', '1', '--requests', '9'), 1)):
        got = box.run('audit', *arguments)
        assert got.returncode == 2 and got.stdout == b'', (arguments, got)
        assert got.stderr.count(b'\n') == lines, (arguments, got)


def comparisons(box):
    """compare is status 0 only where nothing differs but what is studied and gates pass"""
    longer = {'requests': 2000}
    base = dict(run=longer, report={'percentiles': [50, 99]})
    box.put('a', scenario(title='one', **base))
    box.put('b', scenario(title='another', **base))
    box.put('w', scenario(server={'service': {'constant': '2ms'}, 'workers': 4}, **base))
    box.put('s', scenario(server={'service': {'constant': '2ms'}}, **base))
    studied = ('--studied', '/server/workers')
    for arguments, status, differs in ((('a', 'b'), 0, []), (('a', 'w'), 1, ['/server/workers']),
                                       (('a', 'w', *studied), 0, []),
                                       (('a', 'w', '--studied=/server'), 0, []),
                                       (('a', 'w', '--studied=/serv'), 1, ['/server/workers']),
                                       (('a', 's', *studied), 1, [])):
        got = box.run('compare', *arguments, '--format', 'json')
        assert got.returncode == status and got.stderr == b'', (arguments, got)
        found = json.loads(got.stdout)['compare']
        assert found['comparable'] is (status == 0) and found['differs'] == differs, found
        assert box.run('compare', *arguments).returncode == status
    assert found['b']['standing'] == 'exploratory' and found['b']['gates_failed'], found
    assert any('different standing' in text for text in found['warnings']), found
    words = box.run('compare', 'a', 's', *studied).stdout.decode()
    assert re.search(r'^ +achieved, /s +999 +499\.5 ', words, re.M) and 'NOT comparable' in words
    assert box.run('compare', 'a').returncode == 2
    assert box.run('compare', 'a', 'absent').returncode == 2
    assert box.run('compare', 'a', 'b', 'w').returncode == 2


def one_number_twice(box):
    """two closed loops whose throughput rises as the latency falls get a warning"""
    for name, service in (('a', '2ms'), ('b', '1ms')):
        box.put(name, scenario(server={'service': {'constant': service}},
                               loads={'open': {'closed': {'clients': 8}}},
                               run={'duration': '10s'}))
    got = box.run('compare', 'a', 'b', '--studied', '/server/service', '--format', 'json')
    found = json.loads(got.stdout)['compare']
    assert got.returncode == 1 and found['a']['standing'] == 'descriptive-only', got
    assert any('the same number twice' in text for text in found['warnings']), found
    got = box.run('compare', 'a', 'a', '--format', 'json')
    assert json.loads(got.stdout)['compare']['warnings'] == [], got


TESTS = (statuses, errors_go_to_stderr, usage_faults, nearest, keys, help_everywhere,
         help_names_options, exact_limit_replays, widths_of_vectors_do_not_matter,
         help_names_formats, standard_input, option_places, settings, several_files,
         quiet_check, require_law, gates, junit, places_of_runs, percents, threads, audits,
         audit_faults, comparisons, one_number_twice)


if __name__ == '__main__':
    sys.exit(speak_tap(TESTS))
