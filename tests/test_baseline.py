#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Regression checks: directories of scenarios, baselines, other people's measurements.
usage: test_baseline.py BINARY SOURCE-ROOT; speaks TAP."""
import json
import os
import re
import sys
import xml.etree.ElementTree

from command_line import BAD, EXPECTS_WRONG, GOOD, scenario, speak_tap

ROOT = os.path.abspath(sys.argv[2])
RANDOM = scenario(loads={'open': {'open': {'rate': 300, 'arrivals': 'poisson'}}},
                  server={'service': {'exponential': '1ms'}}, run={'requests': 300})


def put_directory(box):
    os.mkdir(os.path.join(box.folder, 'd'))
    box.put('d/b.json', RANDOM)
    box.put('d/a.json', GOOD)
    box.put('d/other.json', '{"type": "object"}')
    box.put('d/notes.txt', 'no scenario')


def directory(box):
    """a directory stands for its scenarios, sorted; what is none of them is left out with a word"""
    put_directory(box)
    got = box.run('check', 'd/', '--junit', 'out.xml')
    assert got.returncode == 0, got
    assert re.findall(r'^(d/\w+\.json): holds', got.stdout.decode(), flags=re.M) == \
        ['d/a.json', 'd/b.json'], got
    assert got.stderr == b'd/other.json: no scenario, left out\n', got
    suites = [s.get('name') for s in xml.etree.ElementTree.fromstring(box.get('out.xml'))]
    assert suites == ['d/a.json', 'd/b.json']


def broken_directory(box):
    """a broken scenario in a directory is a fault, and so is a directory without any"""
    put_directory(box)
    box.put('d/broken.json', GOOD[:-1])
    box.put('d/wrong.json', BAD)
    got = box.run('check', 'd')
    assert got.returncode == 2 and b'd/broken.json:1' in got.stderr and b'servce' in got.stderr, got
    assert b'd/a.json: holds' in got.stdout
    os.mkdir(os.path.join(box.folder, 'empty'))
    got = box.run('check', 'empty')
    assert got.returncode == 2 and b'no scenario in this directory' in got.stderr, got
    box.put('d/broken.json', EXPECTS_WRONG)
    os.remove(os.path.join(box.folder, 'd', 'wrong.json'))
    assert box.run('check', 'd').returncode == 1


def pin(box, *files):
    got = box.run('baseline', *files, '--output', 'base')
    assert got.returncode == 0 and got.stdout == b'', got
    return json.loads(box.get('base'))


def unchanged(box):
    """a baseline holds every figure of `run`, and nothing differs from it at once"""
    put_directory(box)
    base = pin(box, 'd')
    got = box.run('baseline', '--compare', 'base', 'd')
    lines = got.stdout.decode().splitlines()
    assert got.returncode == 0 and len(lines) == 2, got
    assert all(re.fullmatch(r'd/[ab]\.json: \d+ figures as in the baseline', s) for s in lines)
    for pinned in base['scenarios']:
        found = json.loads(box.run('run', pinned['file'], '--format', 'json').stdout)
        figures, recorder = pinned['figures'], found['recorders']['from due']
        assert pinned['sha256'] == found['scenario']['sha256']
        assert figures['recorder from due: count'] == str(recorder['count'])
        assert figures['recorder from due: sum'] == f'{recorder["sum_ns"]} ns'
        for p, cell in recorder['percentiles'].items():
            assert figures[f'recorder from due: p{p}'] == f'{cell["value_ns"]} ns'
        gates = [name for name in figures if ': gate ' in name]
        assert len(gates) == len(found['gates']), (gates, found['gates'])


def changed(box):
    """what differs is told figure by figure: which, what it was and what it is"""
    box.put('s.json', GOOD)
    pin(box, 's.json')
    box.put('s.json', GOOD.replace('2ms', '2500us'))
    got = box.run('baseline', '--compare', 'base', 's.json')
    lines = got.stdout.decode().splitlines()
    assert got.returncode == 1 and got.stderr == b'', got
    assert 's.json: recorder from due: p50: was 2000000 ns, is 2500000 ns' in lines
    assert 's.json: recorder from due: sum: was 40000000 ns, is 50000000 ns' in lines
    assert re.fullmatch(r's\.json: \d+ figures DIFFER from the baseline; the file has changed too',
                        lines[-1]), lines[-1]
    assert int(lines[-1].split()[1]) == len(lines) - 1
    box.put('s.json', GOOD + '\n')
    got = box.run('baseline', '--compare', 'base', 's.json')
    assert got.returncode == 0 and b'though the file has changed' in got.stdout, got


def one_figure(box):
    """one figure changed in the baseline is one line"""
    box.put('s.json', RANDOM)
    base = pin(box, 's.json')
    base['scenarios'][0]['figures']['recorder from due: p99'] = '1 ns'
    box.put('base', json.dumps(base))
    got = box.run('baseline', '--compare', 'base', 's.json')
    lines = got.stdout.decode().splitlines()
    assert got.returncode == 1 and len(lines) == 2, got
    assert lines[0].startswith('s.json: recorder from due: p99: was 1 ns, is '), lines
    got = box.run('baseline', '--compare', 'base', 's.json', '--seed', '2')
    assert got.returncode == 1 and got.stdout.count(b'\n') > 5


def added_and_gone(box):
    """a scenario more or less, and a recorder more or less, are differences"""
    box.put('s.json', GOOD)
    box.put('t.json', RANDOM)
    pin(box, 's.json')
    got = box.run('baseline', '--compare', 'base', 's.json', 't.json')
    assert got.returncode == 1 and b't.json: the scenario: was not there, is there' in got.stdout
    got = box.run('baseline', '--compare', 'base', 't.json')
    assert got.returncode == 1 and b's.json: the scenario: was there, is not there' in got.stdout
    more = json.loads(GOOD)
    more['recorders']['second'] = {'load': 'open', 'from': 'sent'}
    box.put('s.json', json.dumps(more))
    got = box.run('baseline', '--compare', 'base', 's.json')
    assert got.returncode == 1
    assert b's.json: recorder second: p50: was not there, is 2000000 ns' in got.stdout, got


def bad_baseline(box):
    """what is no baseline, or of another version, is refused with status 2"""
    box.put('s.json', GOOD)
    good = json.dumps(pin(box, 's.json'))
    for text, wanted in (('', b'base:1'), ('{}', b'version 1'), (good[:-2], b'base:1'),
                         (good.replace('"duetime-baseline": 1', '"duetime-baseline": 2'),
                          b'version 1'),
                         (good.replace('"scenarios": [', '"scenarios": [3, '), b'figures'),
                         (re.sub(r'"(\d+) ns"', r'\1', good), b'texts')):
        box.put('base', text)
        got = box.run('baseline', '--compare', 'base', 's.json')
        assert got.returncode == 2 and wanted in got.stderr and got.stdout == b'', (text[:60], got)
    assert box.run('baseline', '--compare', 'none', 's.json').returncode == 2
    box.put('base', good)
    got = box.run('baseline', '--compare', 'base', 's.json', '--output', 'base')
    assert got.returncode == 2 and b'would replace' in got.stderr and box.get('base') == good, got


def schema(box):
    """the published schema of baselines describes what is written"""
    with open(os.path.join(ROOT, 'tools/examples/ci/baseline.schema.json'), encoding='utf-8') as f:
        rules = json.load(f)
    put_directory(box)
    base = pin(box, 'd')

    def judge(value, rule, where):
        if 'const' in rule:
            assert value == rule['const'], where
        kinds = {'object': dict, 'array': list, 'string': str}
        if 'type' in rule:
            assert isinstance(value, kinds[rule['type']]), where
        if 'pattern' in rule:
            assert re.search(rule['pattern'], value), where
        if isinstance(value, dict):
            assert set(rule.get('required', ())) <= set(value), where
            assert len(value) >= rule.get('minProperties', 0), where
            for key, inner in value.items():
                inside = rule.get('properties', {}).get(key, rule.get('additionalProperties'))
                assert inside, (where, key)
                judge(inner, inside, f'{where}/{key}')
        for i, inner in enumerate(value if isinstance(value, list) else ()):
            judge(inner, rule['items'], f'{where}/{i}')
    judge(base, rules, '')
    for spoil in (lambda b: b.pop('duetime'), lambda b: b['scenarios'][0].update(sha256='x'),
                  lambda b: b.update(more=1), lambda b: b['scenarios'][0].update(figures={})):
        bad = json.loads(json.dumps(base))
        spoil(bad)
        try:
            judge(bad, rules, '')
        except AssertionError:
            continue
        raise AssertionError('the schema lets a bad baseline through')


def judged(box):
    """a list of times is judged as a recorder's report: right from due, wrong from send"""
    text = scenario(loads={'open': {'open': {'every': '1ms', 'max_in_flight': 1}}})
    box.put('s', text)
    rows = [line.split(',') for line in box.run('trace', 's').stdout.decode().splitlines()]
    name = {key: i for i, key in enumerate(rows[0])}
    for first, status in (('due_ns', 0), ('sent_ns', 1)):
        box.put('times', ''.join(f'{(int(r[name["finished_ns"]]) - int(r[name[first]])) / 1e6}\n'
                                 for r in rows[1:]))
        got = box.run('import', 'times', '--unit', 'ms', '--against', 's', '--recorder', 'from due')
        assert got.returncode == status and got.stderr == b'', got
        got = box.run('import', 'times', '--unit', 'ms', '--against', 's', '--format', 'json')
        assert got.returncode == status
        json.loads(got.stdout)
    for replications, said in ((1, False), (3, True)):
        got = box.run('import', 'times', '--unit', 'ms', '--against', 's', '--set',
                      f'/run/replications={replications}', '--set',
                      '/loads/open/open/arrivals=poisson')
        assert (b'in the first of 3 replications' in got.stdout) == said, got
    box.put('h', 'upper,cumulative\n5,4\n10,9\n20,19\n+Inf,20\n')
    got = box.run('import', 'h', '--unit', 'ms', '--against', 's')
    assert got.returncode == 0, got


def exports_conform(box):
    """an exported histogram, imported again, is judged to conform; that of another does not"""
    text = scenario(loads={'open': {'open': {'every': '1ms', 'max_in_flight': 1}}},
                    recorders={'due': {'load': 'open', 'from': 'due'},
                               'sent': {'load': 'open', 'from': 'sent'}}, run={'requests': 2000})
    box.put('s', text)
    for form in ('hgrm', 'hlog'):
        box.put('f', box.run('export', 's', '--recorder', 'due', '--format', form).stdout.decode())
        for recorder, status in (('due', 0), ('sent', 1)):
            got = box.run('import', 'f', '--against', 's', '--recorder', recorder)
            assert got.returncode == status, (form, recorder, got)


def told(box):
    """what is known of a percentile is its value, its bucket, or that it is more than the last"""
    box.put('h', 'upper,count\n10,50\n20,40\n+Inf,10\n')
    text = box.run('import', 'h', '--unit', 'ms').stdout.decode()
    assert re.search(r'^p50 +in \[0ns, 10ms\] +nearest', text, flags=re.M), text
    assert re.search(r'^p90 +in \(10ms, 20ms\] +nearest', text, flags=re.M), text
    assert re.search(r'^p99 +more than 20ms +by every rank rule', text, flags=re.M), text
    box.put('l', '1\n2\n3\n')
    report = json.loads(box.run('import', 'l', 'l', '--format', 'json').stdout)
    assert report['count'] == 6 and report['sum_ns'] == 12 and report['mean_ns'] == 2
    assert report['percentiles']['50']['nearest'] == {'value_ns': 2}
    box.put('s', GOOD)
    spectrum = box.run('export', 's').stdout.decode()
    box.put('w', f'Running 30s test, threads: 2\n  Detailed Percentile spectrum:\n{spectrum}'
                 '----------------------------------------------------------\n  20 requests, 1kB\n')
    report = json.loads(box.run('import', 'w', '--format', 'json').stdout)
    assert report['count'] == 20 and report['kind'].startswith('percentile distribution'), report
    for arguments, wanted in ((('none',), b'none'), (('l', '--unit', 'x'), b'--unit'),
                              (('l', '--recorder', 'r'), b'--against'),
                              (('l', '--against', 'none'), b'none'),
                              (('l', '--format', 'csv'), b'csv')):
        got = box.run('import', *arguments)
        assert got.returncode == 2 and wanted in got.stderr and got.stdout == b'', got


def workflow(box):
    """the workflow for a CI system names commands and options that there are"""
    with open(os.path.join(ROOT, 'tools/examples/ci/latency-checks.yml'), encoding='utf-8') as f:
        text = f.read()
    lines = re.findall(r'run: duetime (.*)', text) + re.findall(r'with: duetime (.*)', text)
    assert len(lines) >= 4
    for line in lines:
        command = line.split()[0]
        got = box.run(command, '--help')
        assert got.returncode == 0, line
        for option in re.findall(r'--([\w-]+)', line):
            assert f'--{option}' in got.stdout.decode(), (line, option)


if __name__ == '__main__':
    sys.exit(speak_tap([directory, broken_directory, unchanged, changed, one_figure, added_and_gone,
                        bad_baseline, schema, judged, exports_conform, told, workflow]))
