#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Send loops of others, judged by `duetime conform --scheduler`: the examples, faulty ones, and
programs that mean harm.  usage: test_schedulers.py BINARY MATRIX SOURCE-ROOT; speaks TAP."""
import concurrent.futures
import csv
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

import faulty_loops
from command_line import Skip, scenario, speak_tap

MATRIX, ROOT = (os.path.abspath(path) for path in sys.argv[2:4])
EXAMPLES = os.path.join(ROOT, 'tools', 'examples', 'schedulers')
FAULTY = os.path.join(ROOT, 'tests', 'faulty_scheduler.py')
PYTHON = shlex.quote(sys.executable)
SMALL = scenario(loads={'open': {'open': {'every': '1ms'}},
                        'paced': {'paced': {'every': '1ms', 'connections': 2}},
                        'closed': {'closed': {'clients': 2}}},
                 server={'service': {'constant': '3ms'}, 'workers': 2},
                 recorders={'from due': {'load': 'open', 'from': 'due'}})


def shipped(name):
    return os.path.join(ROOT, 'scenarios', 'schedules', name + '.json')


def conform(box, command, *options, file=None):
    files = [] if file is None else [file]
    return box.run('conform', *files, '--scheduler', command, *options)


def example(name):
    return shlex.quote(os.path.join(EXAMPLES, name))


def faulty(name):
    return f'{PYTHON} {shlex.quote(FAULTY)} {name}'


def shell(box, text):
    """A scheduler in shell that reads the two lines and the first event, then does this."""
    box.put('mine.sh', f'read v; read load; read event\n{text}\n')
    return 'sh mine.sh'


def last_line(got):
    assert got.stderr == b'', got
    return json.loads(got.stdout.decode().splitlines()[-1])


def names(answer):
    return [fault['name'] for fault in answer['faults']]


def right_in_python(box):
    """the example in Python keeps to every scenario"""
    got = conform(box, f'{PYTHON} {example("scheduler.py")}')
    assert got.returncode == 0 and got.stderr == b'', got
    lines = got.stdout.decode().splitlines()
    assert len(lines) == 14 and lines[-1] == '13 of 13 scenarios: the scheduler conforms', lines


def right_in_coroutines(box):
    """a loop of another make, a coroutine a connection, keeps to those that it does"""
    for name in ('open-even', 'open-listed', 'open-window', 'paced-catch-up', 'paced-sevenths'):
        got = conform(box, faulty('right'), file=shipped(name))
        assert got.returncode == 0 and b'conforms' in got.stdout, (name, got)


def right_in_node(box):
    """the example in JavaScript keeps to those that it does not refuse"""
    if not shutil.which('node'):
        raise Skip('there is no node here')
    answer = last_line(conform(box, f'node {example("scheduler.js")}', '--format', 'json'))
    assert answer['conforms'] is True and answer['conforming'] == 8, answer
    assert answer['refused'] == 5, answer


def right_in_c(box):
    """the example in C compiles without a warning and keeps to those that it does not refuse"""
    if not shutil.which('cc'):
        raise Skip('there is no cc here')
    subprocess.run(['cc', '-std=c11', '-Wall', '-Wextra', '-Wpedantic', '-Werror', '-o', 'mine',
                    os.path.join(EXAMPLES, 'scheduler.c')], cwd=box.folder, check=True)
    answer = last_line(conform(box, './mine', '--format', 'json'))
    assert answer['conforms'] is True and answer['conforming'] == 1, answer


def answers_as_in_a_run(box):
    """the answers that a right loop hears of come when they come to the scenario's own load"""
    for name in ('paced-skip', 'paced-coalesce'):          # one round: all of it is exact
        got = conform(box, f'tee {name} | {PYTHON} {example("scheduler.py")}', file=shipped(name))
        assert got.returncode == 0, got
        heard = [line.split() for line in box.get(name).splitlines()]
        done = [int(words[2]) for words in heard if words[0] == 'done']
        traced = box.run('trace', shipped(name), '--load', 'paced').stdout.decode()
        finished = [int(row['finished_ns']) for row in csv.DictReader(io.StringIO(traced))]
        # Once it has said "end" it hears of no more.
        assert len(done) > 180 and sorted(finished)[:len(done)] == done, name


def wanted():
    with open(faulty_loops.__file__, encoding='utf-8') as file:
        for name, words in re.findall(r'^def (\w+)\(.*\): +# [\w-]+: (.*)$', file.read(),
                                      flags=re.M):
            yield name, words.split(', ')


def faulty_ones(box):
    """loops with faults are all rejected, and the fault is named first"""
    def judge(case):
        name, faults = case
        got = conform(box, faulty(name), '--format', 'json')
        answer = last_line(got)
        told = names(answer)
        good = got.returncode == 1 and answer['conforms'] is False and told[:1] and \
            told[0] in faults
        return None if good else f'{name}: {told}, not {faults}'

    cases = list(wanted())
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        wrong = [text for text in pool.map(judge, cases) if text is not None]
    assert len(cases) > 40 and not wrong, wrong


def late_clock(box):
    """what only a clock that wakes late shows is told as that"""
    got = conform(box, faulty('interval_added_to_now'), file=shipped('open-duration'))
    assert got.returncode == 1, got              # it is made for paced loads: refused
    assert b'does not do this kind of load' in got.stdout, got
    box.put('drift.py', '''
import json, sys
sys.stdin.readline()
load = json.loads(sys.stdin.readline())
due, number = 0, 0
for line in sys.stdin:
    now = int(line.split()[-1])
    if due <= now and number < load['requests']:
        print('send', number, due)
        number, due = number + 1, now + load['every_ns']
    print(f'wait {due}' if number < load['requests'] else 'end', flush=True)
''')
    box.put('s', SMALL)
    got = conform(box, f'{PYTHON} drift.py', file='s')
    assert got.returncode == 1, got
    assert b'with a clock that wakes it 125us late' in got.stdout and b'drift:' in got.stdout, got


HARM = {
    'cat > /dev/null': b'had not ended its turn',
    'sleep 60': b'had not ended its turn',
    'exit 3': b'exited with status 3',
    'kill -9 $$': b'exited with status 137',     # as the shell around it says
    'echo hello': b'it said "hello"',
    'echo wait -1; sleep 1': b'it said "wait -1"',
    'echo wait 9999999999999999999999; sleep 1': b'it said "wait 9999999',
    'echo send 1; sleep 1': b'it said "send 1"',
    'echo send 0 0 0 0; sleep 1': b'it said "send 0 0 0 0"',
    'printf "\\033[2J\\001\\n"; sleep 1': b'\\u001b[2J',
    'head -c 100000 /dev/zero; sleep 1': b'more than 4096 bytes',
    'yes send 0 0': b'no end of it',
    'yes wait 0': b'neither sent nor let the clock go on',
    'echo send 0 0; echo send 0 0; echo end; sleep 1': b'request 0 a second time',
    'echo send 999999999 0; echo end; sleep 1': b'far beyond the last',
    'echo wait done; sleep 1': b'nothing was on its way',
    'echo wait 4000000000000000000; sleep 1': b'long after the end',
    'echo send 0 0; echo refuse; sleep 1': b'it said "refuse"',
    'seq -f "send %.0f 0" 0 100000; echo end; sleep 1': b'and no end of it',
    'echo end': b'request 0, due at 0ns, was never sent',
    'echo send 0 5000000000; echo end': b'is said to be due at 5s',
}


def harm(box):
    """a scheduler that hangs, crashes, floods or talks nonsense is told of, and nothing more"""
    box.put('s', SMALL)
    for text, words in HARM.items():
        begun = time.monotonic()
        got = conform(box, shell(box, text), '--timeout', '1s', file='s')
        assert got.returncode == 1 and got.stderr == b'', (text, got)
        assert words in got.stdout.replace(b'\n    ', b' ').replace(b'\n  ', b' '), (text, got)
        assert time.monotonic() - begun < 20, text
    got = conform(box, 'exec >&-; exec sleep 20', '--timeout', '5s', file='s')
    assert got.returncode == 1 and b'closed its output' in got.stdout, got
    got = conform(box, 'kill -9 $$', file='s')
    assert got.returncode == 1 and b'ended by signal 9' in got.stdout, got
    got = conform(box, '/nonexistent/scheduler', file='s')
    assert got.returncode == 1 and b'could not be run' in got.stdout, got


def memory(box):
    """one that takes more memory than it may is ended"""
    box.put('s', SMALL)
    box.put('eat.py', 'import time\nx = bytearray(300 << 20)\ntime.sleep(20)\n')
    begun = time.monotonic()
    got = conform(box, f'{PYTHON} eat.py', '--memory', '100MiB', file='s')
    assert got.returncode == 1 and b'of memory' in got.stdout, got
    assert time.monotonic() - begun < 15


def no_orphans(box):
    """what it started is gone with it"""
    box.put('s', SMALL)
    got = conform(box, shell(box, 'sleep 777.7 & sleep 777.7'), '--timeout', '1s', file='s')
    assert got.returncode == 1, got
    left = subprocess.run(['pgrep', '-f', '^sleep 777.7$'], capture_output=True)
    assert left.stdout == b'', left


def formats(box):
    """text, Markdown, JSON and JUnit say the same"""
    box.put('s', SMALL)
    run = (faulty('one_less'),)
    text = conform(box, *run, file='s')
    assert text.returncode == 1 and b'DOES NOT CONFORM' in text.stdout, text
    assert b'request 19, due at 19ms, was never sent' in text.stdout, text
    markdown = conform(box, *run, '--format', 'markdown', file='s')
    assert b'| missing | 1 |' in markdown.stdout and b'- one-too-few: ' in markdown.stdout, markdown
    answer = last_line(conform(box, *run, '--format', 'json', '--junit', 'j.xml',
                               file='s'))
    assert answer['missing'] == 1 and answer['sent'] == 19 and names(answer)[0] == 'one-too-few'
    assert answer['first_difference'] == 'request 19, due at 19ms, was never sent', answer
    tree = xml.etree.ElementTree.fromstring(box.get('j.xml'))
    assert tree[0].get('failures') == '1' and 'one-too-few' in tree[0][0][0].get('message')


def which_load(box):
    """the first load with a schedule is taken, or the one that is named; a closed one has none"""
    box.put('s', SMALL)
    box.put('closed', scenario(loads={'closed': {'closed': {'clients': 2}}},
                               recorders={'r': {'load': 'closed', 'from': 'sent'}}))
    first = last_line(conform(box, faulty('right'), '--format', 'json', file='s'))
    paced = last_line(conform(box, faulty('right'), '--format', 'json', '--load', 'paced',
                              file='s'))
    assert (first['load'], paced['load']) == ('open', 'paced'), (first, paced)
    for words, file in ((('--load', 'closed'), 's'), (('--load', 'opem'), 's'), ((), 'closed')):
        got = conform(box, faulty('right'), *words, file=file)
        assert got.returncode == 2 and got.stdout == b'', got
    both = box.run('conform', '--scheduler', 'x', '--command', 'y')
    assert both.returncode == 2, both


def separation(box):
    """where several faults fit, what tells them apart is named, and with --separate run"""
    got = conform(box, faulty('due_when_sent'), file=shipped('paced-one'))
    assert b'tells the first two apart; --separate runs it' in got.stdout, got
    more = conform(box, faulty('due_when_sent'), '--separate', file=shipped('paced-one'))
    assert more.stdout.count(b'DOES NOT CONFORM') == 2 and more.returncode == 1, more


def poisson_level(box):
    """a true Poisson scheduler passes every time"""
    for _ in range(3):
        got = conform(box, f'{PYTHON} {example("scheduler.py")}', file=shipped('open-poisson'))
        assert got.returncode == 0, got


def matrix(box):
    """every fault is caught and named wherever it is seen, and results/schedulers.md says so"""
    done = subprocess.run([MATRIX], capture_output=True, text=True)
    with open(os.path.join(ROOT, 'results', 'schedulers.md'), encoding='utf-8') as file:
        assert done.stdout == file.read(), 'tools/faults writes another one'
    assert done.returncode == 0 and ' NOT ' not in done.stdout, done.stdout
    lines = [line for line in done.stdout.splitlines() if line.startswith('| ')]
    assert len(lines) > 40


if __name__ == '__main__':
    sys.exit(speak_tap([right_in_python, right_in_coroutines, right_in_node, right_in_c,
                        answers_as_in_a_run, faulty_ones, late_clock, harm, memory, no_orphans,
                        formats, which_load, separation, poisson_level, matrix]))
