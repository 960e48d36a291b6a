#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The requests of a run, one by one: `duetime trace`.  usage: test_trace.py BINARY; speaks TAP."""
import csv
import io
import json
import os
import signal
import subprocess
import sys
import time

from command_line import BINARY, GOOD, LONG, scenario, speak_tap

STALLED = scenario(
    server={'service': {'constant': '300us'},
            'stalls': [{'mode': 'suspend', 'first': '5ms', 'every': '10ms', 'last': '3ms'}]},
    loads={'open': {'open': {'rate': 2000, 'arrivals': 'poisson', 'max_in_flight': 3}},
           'a, "b"': {'closed': {'clients': 2}}},
    recorders={'from due': {'load': 'open', 'from': 'due'}},
    run={'requests': 6000, 'replications': 3, 'start': 'empty'})


def rows_of(box, name, *options):
    got = box.run('trace', name, *options)
    assert got.returncode == 0 and got.stderr == b'', got
    return list(csv.DictReader(io.StringIO(got.stdout.decode())))


def parts_make_up(box):
    """send lag, queue, stall and service make up the response time of every request"""
    box.put('s', STALLED)
    rows = rows_of(box, 's')
    assert len(rows) == 12000 and {r['status'] for r in rows} == {'answered'}
    lags = stalls = 0
    for row in rows:
        lag, queue, stall, service = (int(row[k + '_ns']) for k in
                                      ('send_lag', 'queue', 'stall', 'service'))
        assert lag + queue + stall + service == int(row['response_ns']), row
        assert int(row['finished_ns']) - int(row['due_ns']) == int(row['response_ns']), row
        assert service == 300000 and min(lag, queue, stall) >= 0, row
        lags += lag > 0
        stalls += stall > 0
    assert lags > 100 and stalls > 100
    assert [int(r['number']) for r in rows] == list(range(12000))
    assert [r['load'] for r in rows] == ['open'] * 6000 + ['a, "b"'] * 6000
    assert {r['client'] for r in rows[6000:]} == {'0', '1'}


def same_as_run(box):
    """the rows of all replications are the samples that `run` reports"""
    box.put('s', STALLED)
    report = json.loads(box.run('run', 's', '--format', 'json').stdout)
    values = sorted(int(r['response_ns']) for k in range(3)
                    for r in rows_of(box, 's', '--load', 'open', '--replication', str(k)))
    found = report['recorders']['from due']
    assert len(values) == found['count'] and sum(values) == found['sum_ns']
    for p, cell in found['percentiles'].items():
        rank = max(1, -(-int(float(p) * 10) * len(values) // 1000))
        assert values[rank - 1] == cell['value_ns'], (p, cell)


def json_lines(box):
    """JSON lines say the same as CSV, and null what is not known"""
    text = scenario(server={'service': {'constant': '2ms'}, 'workers': 1, 'queue_limit': 1})
    box.put('s', text)
    lines = box.run('trace', 's', '--format', 'json').stdout.decode().splitlines()
    objects, rows = [json.loads(line) for line in lines], rows_of(box, 's')
    assert len(objects) == len(rows) == 20
    assert {o['status'] for o in objects} == {'answered', 'refused'}
    for o, row in zip(objects, rows):
        assert list(o) == list(row)
        for key, value in o.items():
            text = '' if value is None else str(int(value) if value in (True, False) else value)
            assert text == row[key], (key, value, row)
        assert (o['response_ns'] is None) == (o['status'] == 'refused')


def first_rows(box):
    """--first stops there, however long the run is"""
    began = time.monotonic()
    box.put('l', LONG)
    assert len(rows_of(box, 'l', '--first', '7')) == 7
    assert box.run('trace', 'l', '--first', '0').stdout == b''
    assert time.monotonic() - began < 20


def closed_pipe(box):
    """a reader that goes early ends a trace of any length, without a word"""
    box.put('l', LONG)
    began = time.monotonic()
    got = subprocess.run(['sh', '-c', f'"{BINARY}" trace l --set /run/replications=1 | head -3'],
                         cwd=box.folder, capture_output=True, timeout=60)
    assert got.stdout.count(b'\n') == 3 and got.stderr == b'', got
    assert time.monotonic() - began < 20


def peak_kib(box, requests):
    box.put('s', scenario(run={'requests': requests}))
    code = ('import resource, subprocess\n'
            'with open("/dev/null", "w") as out:\n'
            f'    subprocess.run(["{BINARY}", "trace", "s"], stdout=out, check=True)\n'
            'print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)')
    calm = dict(os.environ, ASAN_OPTIONS='quarantine_size_mb=1')  # which keeps what is freed
    got = subprocess.run([sys.executable, '-c', code], cwd=box.folder, capture_output=True,
                         timeout=300, env=calm)
    assert got.returncode == 0, got
    return int(got.stdout)


def memory(box):
    """ten times the requests need no more memory"""
    small, large = peak_kib(box, 40000), peak_kib(box, 400000)
    assert large < small + 10000, (small, large)


def long_file(box):
    """a long trace in a file is the one on standard output, and an interrupted one never was"""
    box.put('s', scenario(run={'requests': 60000}))
    wanted = box.run('trace', 's').stdout
    assert len(wanted) > 5 << 20
    got = box.run('trace', 's', '--output', 'out')
    assert got.returncode == 0 and got.stdout == b'' and got.stderr == b'', got
    assert box.get('out').encode() == wanted and box.names() == ['out', 's']
    box.put('l', LONG)
    process = subprocess.Popen([BINARY, 'trace', 'l', '--output', 'out'], cwd=box.folder,
                               stderr=subprocess.PIPE)
    while len(box.names()) == 3 and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130, process.returncode
    assert box.names() == ['l', 'out', 's'] and box.get('out').encode() == wanted


def faults(box):
    """a load, a replication or a number that is not there is an error with status 2"""
    box.put('g', GOOD)
    for arguments, wanted in ((('--load', 'opne'), b'open'), (('--replication', '1'), b'has 1'),
                              (('--first', 'x'), b'whole number'), (('--format', 'text'), b'csv'),
                              (('--first', '-1'), b'whole number')):
        got = box.run('trace', 'g', *arguments)
        assert got.returncode == 2 and got.stdout == b'' and wanted in got.stderr, (arguments, got)
    got = subprocess.run([BINARY, 'trace', 'g'], cwd=box.folder, stderr=subprocess.PIPE,
                         stdout=open('/dev/full', 'wb'), timeout=60, check=False)
    assert got.returncode == 3 and b'No space' in got.stderr, got


if __name__ == '__main__':
    sys.exit(speak_tap([parts_make_up, same_as_run, json_lines, first_rows, closed_pipe, memory,
                        long_file, faults]))
