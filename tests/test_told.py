# SPDX-License-Identifier: GPL-3.0-or-later
"""What contradicts itself, is known from below only, or stands nowhere, is told.
usage: test_told.py BINARY; speaks TAP."""
import json
import sys

from command_line import GOOD, scenario, speak_tap


def audit_contradictions(box):
    """audit tells what its figures contradict, and its help that the status is 0 even so"""
    for arguments, word in (
            (('--rate', '100', '--mean', '5ms', '--max', '1ms'),
             'is above the printed maximum of 1 ms'),
            (('--rate', '56900', '--requests', '900', '--duration', '300s'),
             'The printed rate of 56900 a second contradicts 900 requests in 300 s'),
            (('--rate', '56900', '--requests', '5'),
             '5 requests on 128 connections: not even one each')):
        got = box.run('audit', '--connections', '128', *arguments)
        assert got.returncode == 0 and got.stderr == b'', got
        assert word in ' '.join(got.stdout.decode().split()), (word, got)
    assert b'status is 0 whatever it finds' in b' '.join(
        box.run('audit', '--help').stdout.split())


def failures_from_below(box):
    """where failures count as long as they took, mean, minimum and sum are known from below"""
    box.put('r', scenario(server={'service': {'constant': '1ms'}, 'queue_limit': 0},
                          loads={'l': {'open': {'rate': 1500}, 'timeout': '500ms'}},
                          recorders={'r': {'load': 'l', 'from': 'due', 'failures': 'timeout'}},
                          run={'requests': 3000}))
    rows = [[cell.strip() for cell in line.split('|')[1:3]] for line in
            box.run('run', 'r', '--format', 'markdown').stdout.decode().splitlines()
            if line.startswith('|')]
    figures = {name.split(',')[0]: value for name, value in rows}
    for name, value in (('mean', '500.0'), ('min', '0.0'), ('sum', '1.5')):
        assert figures[name].startswith(f'>= {value}'), figures
    assert b',sum at least,' in box.run('run', 'r', '--format', 'csv').stdout
    found = json.loads(box.run('run', 'r', '--format', 'json').stdout)['recorders']['r']
    assert found['from_below'] == 1500, found
    assert 'refused ones when they were refused' in ' '.join(
        box.run('explain', 'r').stdout.decode().split())
    dropped = box.run('run', 'r', '--set', '/recorders/r/failures=dropped', '--format', 'csv')
    assert b'at least' not in dropped.stdout, dropped


def one_run_of_32(box):
    """beside a random load, the column of one in which nothing is random says that it ran once"""
    closed = {'k': {'closed': 4}}
    random = {'l': {'open': {'rate': 500, 'arrivals': 'poisson'}}}
    recorders = {name: {'load': name, 'from': 'sent'} for name in 'kl'}
    both = box.run('run', box.put('r', scenario(loads={**closed, **random}, recorders=recorders,
                                                run={'requests': 100})))
    assert b'\nruns ' in both.stdout and b'1, nothing in it is random' in both.stdout, both
    alone = box.run('run', box.put('r', scenario(loads=random, recorders={'l': recorders['l']},
                                                 run={'requests': 100})))
    assert b'\nruns ' not in alone.stdout, alone


def no_interval_yet(box):
    """a law alone does not know the interval that wrk takes from the run, and says so"""
    spec = scenario(loads={'k': {'closed': 4}}, run={'requests': 100}, recorders={
        'k': {'load': 'k', 'from': 'sent', 'correction': 'wrk'}})
    got = box.run('law', box.put('r', spec), '--format', 'markdown').stdout.decode()
    assert 'every interval that is taken from the run' in got and '0ns' not in got, got


def places_with_settings(box):
    """what an option gave is told with the option, and everything else where the file has it"""
    box.put('g', GOOD)
    for arguments, fault in (
            (('sweep', 'g', '--vary', '/server/workers=1..2'),
             'duetime: --vary /server/workers=1..2: the step is missing; a range is '),
            (('sweep', 'g', '--vary', '/server/workers=1,2', '--vary', '/server/workers=3'),
             'duetime: --vary /server/workers: the path is varied already; give all its values'),
            (('sweep', 'g', '--vary', '/server/workers=3..1..1'), '--vary: /sweep/~1server'),
            (('run', 'g', '--set', '/loads/open/open/rate=-5'), '--set: /loads/open/open/rate: '),
            (('sweep', 'g', '--vary', '/server/workers=1,0'), 'g: /server/workers: found 0')):
        got = box.run(*arguments)
        assert got.returncode == 2 and got.stderr.decode().startswith(fault), (fault, got)
    box.put('b', GOOD.replace('"due"', '"dues"'))
    plain = box.run('run', 'b').stderr
    assert plain.startswith(b'b:1:') and plain == box.run(
        'run', 'b', '--set', '/server/workers=123', '--set', '/run/seed=5').stderr, plain


def studied_paths(box):
    """what is studied is a path of a field; one that no scenario has is told as that"""
    box.put('a', GOOD)
    for path in ('', '/', '//', 'server'):
        got = box.run('compare', 'a', 'a', '--studied', path)
        assert got.returncode == 2 and b'--studied takes the path of a field' in got.stderr, got
    for path, word in (('/nope', 'neither scenario has anything there'),
                       ('/server/workers', 'is the same in both')):
        said = ' '.join(box.run('compare', 'a', 'a', '--studied', path).stdout.decode().split())
        assert f'{path} is studied, and {word}' in said, said
    said = b' '.join(box.run('compare', '--help').stdout.split())
    for word in (b'comparison-eligible', b'exploratory', b'descriptive-only'):
        assert word in said, said


if __name__ == '__main__':
    sys.exit(speak_tap((audit_contradictions, failures_from_below, one_run_of_32, no_interval_yet,
                        places_with_settings, studied_paths)))
