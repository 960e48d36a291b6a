#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorders of others, judged by `duetime conform`: the examples, and programs that mean harm.
usage: test_conform.py BINARY SOURCE-ROOT; speaks TAP."""
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

from command_line import BINARY, Skip, scenario, speak_tap

EXAMPLES = os.path.join(os.path.abspath(sys.argv[2]), 'tools', 'examples')
# 20 requests of 2 ms each; every second one waits: two workers, one request a ms.
SCENARIO = scenario(server={'service': {'constant': '3ms'}, 'workers': 2},
                    loads={'open': {'open': {'every': '1ms'}}})


def example(name):
    return shlex.quote(os.path.join(EXAMPLES, name))


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skip(f'there is no {program} here')


def conform(box, command, *options, file='s', **more):
    if file == 's':
        box.put('s', SCENARIO)
    return box.run('conform', *([file] if file else []), '--command', command, *options, **more)


def passes_suite(box, command, *ways):
    for way in ways:
        got = conform(box, command, '--suite', *way, file=None)
        assert got.returncode == 0 and got.stderr == b'', (way, got)
        lines = got.stdout.decode().splitlines()
        assert len(lines) > 5 and lines[-1] == f'{len(lines) - 1} of {len(lines) - 1} scenarios: ' \
            'the recorder conforms', lines


def python_example(box):
    """the recorder in Python conforms to the whole suite, told as text and in batches"""
    passes_suite(box, f'{shlex.quote(sys.executable)} {example("recorder.py")}', (), ('--binary',))


def c_example(box):
    """the recorder in C conforms, built with the one header and nothing else"""
    need('cc')
    shutil.copy(os.path.join(EXAMPLES, 'recorder.c'), box.folder)
    shutil.copy(os.path.join(EXAMPLES, 'duetime_conform.h'), box.folder)
    subprocess.run(['cc', '-std=c99', '-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wshadow',
                    '-Werror', '-O1', '-o', 'recorder', 'recorder.c'], cwd=box.folder, check=True)
    passes_suite(box, './recorder', (), ('--binary',))


def node_example(box):
    """the recorder in JavaScript conforms, told as text and in batches"""
    need('node')
    passes_suite(box, f'node {example("recorder.js")}', (), ('--binary',))


def go_example(box):
    """the recorder in Go conforms, told as text and in batches"""
    need('go')
    away = dict(os.environ, GOCACHE=os.path.join(box.folder, 'cache'), GO111MODULE='off')
    subprocess.run(['go', 'build', '-o', os.path.join(box.folder, 'recorder'),
                    os.path.join(EXAMPLES, 'recorder.go')], env=away, cwd=box.folder, check=True)
    passes_suite(box, './recorder', (), ('--binary',))


def shell_example(box):
    """the recorder in shell and awk conforms"""
    need('sh', 'awk', 'sort', 'sed')
    passes_suite(box, f'sh {example("recorder.sh")}', ())


def page(box):
    """the page of the examples shows the pipe as it is, and an answer that conforms"""
    with open(os.path.join(EXAMPLES, 'README.md'), encoding='utf-8') as file:
        text = file.read()
    told, answer = re.search(r'```text\n(.*?)```.*?```json\n(.*?)```', text, re.S).groups()
    box.put('p', scenario(server={'service': {'constant': '2ms'}, 'queue_limit': 0},
                          run={'requests': 3}, report={'percentiles': [50, 99.9]}))
    box.put('answer', answer)
    got = conform(box, 'cat > told; cat answer', file='p')
    assert got.returncode == 0, got
    assert box.get('told') == told, box.get('told')


def faulty(change):
    """The recorder in Python with one line of it changed."""
    with open(os.path.join(EXAMPLES, 'recorder.py'), encoding='utf-8') as file:
        text = file.read()
    assert text.count(change[0]) == 1, change
    return text.replace(*change)


def faults_are_named(box):
    """the recorder in Python with one fault in it is rejected, and the fault is named"""
    cases = (
        (("[asked['from']]", "['sent']"), 'from-send'),
        (('values[max(1, int(rank)) - 1]', 'values[max(2, int(rank)) - 2]'), 'rank-low'),
        (('value >= 2 * interval', 'value > 2 * interval'), 'correction-strict'),
        (("'unit': 'ns'", "'unit': 'us'"), 'wrong-unit'),
        (("due < asked['warmup_ns'] or ", ''), 'warmup-kept'),
    )
    for number, (change, name) in enumerate(cases):
        box.put(f'{number}.py', faulty(change))
        got = conform(box, f'{shlex.quote(sys.executable)} {number}.py', '--suite', '--format',
                      'json', file=None)
        assert got.returncode == 1 and got.stderr == b'', got
        lines = [json.loads(line) for line in got.stdout.decode().splitlines()]
        assert lines[-1]['conforms'] is False and lines[-1]['scenarios'] == len(lines) - 1
        assert lines[-1]['faults'] and lines[-1]['faults'][0]['name'] == name, lines[-1]


def likeliest(box):
    """where no fault explains all, the last line names the one that stands first most often"""
    box.put('odd.py', faulty(("'due': due,", "'due': sent + (137 if asked['warmup_ns'] else 0),")))
    got = conform(box, f'{shlex.quote(sys.executable)} odd.py', '--suite', file=None)
    last = ' '.join(got.stdout.decode().split())
    assert got.returncode == 1, got
    assert re.search(r'The likeliest is from-send in \d+ of \d+ scenarios that fail: starts .*'
                     r'; not explained: .* in scenarios/conform/warm-up.json$', last), last[-500:]


def separated(box):
    """where several faults fit one scenario, the one that tells them apart is named, and run"""
    box.put('sent.py', faulty(("[asked['from']]", "['sent']")))
    box.put('slots', scenario(server={'service': {'constant': '3ms'}, 'workers': 2},
                              loads={'a': {'paced': {'every': '1ms', 'connections': 2}}},
                              recorders={'r': {'load': 'a', 'from': 'due'}}))
    command = f'{shlex.quote(sys.executable)} sent.py'
    got = conform(box, command, file='slots')
    text = got.stdout.decode()
    assert got.returncode == 1 and 'from-send' in text and 'from-acquire' in text, text
    assert 'tells them apart; --separate' in text, text
    got = conform(box, command, '--separate', file='slots')
    text = got.stdout.decode()
    assert got.returncode == 1 and '0 of 2 scenarios' in text, text
    last = text[text.index('All of it together'):]
    assert 'from-send' in last and 'from-acquire' not in last, last


def living(marker):
    """Processes with that word among their arguments."""
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/cmdline', 'rb') as file:
                if marker.encode() in file.read() and int(pid) != os.getpid():
                    found.append(pid)
        except OSError:
            pass
    return found


PYTHON = shlex.quote(sys.executable)
ANSWER = '{"count": 20, "percentiles": {"50": 3000000}}'
HOSTILE = (
    ('sleep 1234', 'it hangs: after 1s'),
    ('exec <&-; sleep 1234', 'it hangs'),
    ('cat >/dev/null; sleep 1234', 'it had read its input and not ended'),
    ("trap '' TERM INT HUP; while :; do sleep 1234; done", 'it hangs'),
    (f'(sleep 1234; echo \'{ANSWER}\')', 'it hangs'),
    (f'cat >/dev/null; (sleep 1234; echo \'{ANSWER}\') &', 'it printed no answer'),
    ('kill -SEGV $$', 'it was ended by signal 11'),
    (f'{PYTHON} -c "import os; os.abort()"', 'signal 6'),
    (f'{PYTHON} -c "raise ValueError(42)"', 'ValueError: 42'),
    ('exit 3', 'it ended with exit status 3'),
    ('exit 0', 'it printed no answer'),
    ('true', 'it printed no answer'),
    ('no-such-recorder', 'exit status 127'),
    (f'cat >/dev/null; echo \'{ANSWER}\'; exit 5', 'it ended with exit status 5'),
    ('echo hello', 'it printed: hello'),
    ('head -c 100000 /dev/urandom', 'answer'),
    ('cat >/dev/null; printf "starting\\n{}\\n"', 'the first is: starting'),
    ('echo \'{"percentiles": {"50": NaN}}\'', 'NaN'),
    ('echo \'{"count": -1}\'', 'not below 0'),
    ('echo \'{"percentiles": {"42": 1}}\'', 'no percentile that was asked for'),
    ('yes', 'more than 1024 KiB'),
    ('cat /dev/zero', 'more than 1024 KiB'),
    ('yes >&2', 'it hangs'),
    ('for i in 1 2 3 4 5 6 7 8; do sleep 1234 & done; wait', 'it hangs'),
    ('setsid sleep 1234 & setsid setsid sleep 1234 & sleep 1234', 'it hangs'),
    (f'{PYTHON} -c "x = bytes(10) * 100000000; import time; time.sleep(1234)"', 'MiB of memory'),
)


def hostile(box):
    """whatever a recorder does, it gets a verdict that says so, in time, and is gone"""
    box.put('s', SCENARIO)
    for command, wanted in HOSTILE:
        began = time.monotonic()
        limits = ('--timeout', '1s') if 'memory' not in wanted else ('--memory', '200MiB')
        got = box.run('conform', 's', '--command', f'{command} # {box.folder}', *limits)
        text = ' '.join(got.stdout.decode().split())
        assert got.returncode == 1 and got.stderr == b'', (command, got)
        assert 's: DOES NOT CONFORM' in text and wanted in text, (command, text)
        assert time.monotonic() - began < 30, command
        assert all(ord(c) >= 32 for c in text), command
    assert not living('1234') and not living(box.folder), (living('1234'), living(box.folder))


def half_read(box):
    """one that stops reading is judged by what it answers, and that it stopped is told"""
    box.put('long', scenario(run={'requests': 200000}))
    command = 'read -r a; exec <&-; echo \'{"count": 200000, "percentiles": {"50": 2000000}}\''
    got = conform(box, command, file='long')
    assert got.returncode == 0, got
    assert b'did not read its input to the end' in got.stdout, got


def silent(box):
    """one that says no percentile does not conform, though nothing it says is wrong"""
    got = conform(box, 'cat >/dev/null; echo \'{"count": 20, "max": 12000000}\'', '--junit', 'x')
    assert got.returncode == 1 and b'says none of the percentiles' in got.stdout, got
    assert '<failure message="it says none' in box.get('x')


def left_behind(box):
    """what an answer leaves behind is ended, and told"""
    command = 'cat >/dev/null; sleep 4321 & echo \'{"count": 20, "percentiles": {"50": 7000000}}\''
    got = conform(box, command)
    assert got.returncode == 0 and b'left processes behind' in got.stdout, got
    assert not living('4321')


def interrupted(box):
    """an interrupt ends the recorder too, with status 130 and no report"""
    box.put('s', SCENARIO)
    process = subprocess.Popen([BINARY, 'conform', 's', '--output', 'out', '--junit', 'xml',
                                '--command', 'touch started; sleep 4321'], cwd=box.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while 'started' not in box.names() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and out == b'' and err == b'duetime: interrupted\n', err
    assert not living('4321') and box.names() == ['s', 'started']


def formats(box):
    """JSON, Markdown and JUnit say what the table says"""
    answer = ('{"count": 20, "percentiles": {"50": 4000000, "99": 11000000.5}, '
              '"declares": {"precision": {"digits": 3}}}')
    command = f"cat >/dev/null; echo '{answer}'"
    got = json.loads(conform(box, command, '--format', 'json', '--junit', 'x.xml').stdout)
    figures = {f['name']: f for f in got['figures']}
    assert got['conforms'] is False and got['problem'] is None and got['requests'] == 20
    assert got['command'] == command and got['recorder'] == 'from due' and got['load'] == 'open'
    assert figures['count'] == {'name': 'count', 'truth': 20, 'reported': 20, 'error': 0,
                                'error_percent': 0, 'right': True}, figures['count']
    # Requests 2k and 2k + 1 wait k ms: the values are 3, 3, 4, 4 ... 12, 12 ms.
    wrong = figures['p50']
    assert (wrong['truth_ns'], wrong['reported_ns'], wrong['error_ns']) == (7000000, 4000000,
                                                                            -3000000), wrong
    assert wrong['right'] is False and wrong['rank_error'] < 0 and wrong['right_under'] == []
    assert abs(wrong['error_percent'] + 300 / 7) < 1e-6
    assert figures['p99']['reported_ns'] == 11000000.5 and figures['max']['right'] is None
    root = xml.etree.ElementTree.parse(os.path.join(box.folder, 'x.xml')).getroot()
    cases = {c.get('name'): [inside.tag for inside in c] for c in root.iter('testcase')}
    assert {n: not tags for n, tags in cases.items()} == {n: f['right'] is True
                                                          for n, f in figures.items()}
    assert cases['p50'] == ['failure'] and cases['max'] == ['skipped']
    markdown = conform(box, command, '--format', 'markdown').stdout.decode()
    row = [line for line in markdown.splitlines() if line.startswith('| p50')]
    cells = [cell.strip() for cell in row[0].strip('|').split('|')]
    assert cells[:4] == ['p50', '7ms', '4ms', '-3ms'] and cells[6] == 'WRONG', row
    bad = conform(box, 'exit 9', '--junit', 'x.xml', '--format', 'json')
    assert bad.returncode == 1 and 'exit status 9' in json.loads(bad.stdout)['problem']
    root = xml.etree.ElementTree.parse(os.path.join(box.folder, 'x.xml')).getroot()
    assert 'exit status 9' in next(root.iter('failure')).get('message')


def declared(box):
    """--declares stands in for what the recorder does not say of itself"""
    close = 'cat >/dev/null; echo \'{"count": 20, "percentiles": {"50": 7040000}}\''
    assert conform(box, close).returncode == 1
    for text, status in (('{"precision": {"relative": 0.01}}', 0),
                         ('{"precision": {"relative": 0.005}}', 1),
                         ('{"precision": {"relative": 2}}', 2), ('{"presision": "exact"}', 2),
                         ('nonsense', 2)):
        got = conform(box, close, '--declares', text)
        assert got.returncode == status, (text, got)
        assert (b'--declares' in got.stderr) == (status == 2), got


def which_recorder(box):
    """the recorder of the scenario that is asked for is chosen by name"""
    box.put('two', scenario(recorders={'a': {'load': 'open', 'from': 'due'},
                                       'lag': {'load': 'open', 'from': 'due', 'to': 'sent'},
                                       'b': {'load': 'open', 'from': 'sent'}}))
    command = 'read -r a; read -r b; cat >/dev/null; echo "$b" >&2; exit 1'
    for name, wanted in ((None, '"from": "due"'), ('b', '"from": "sent"')):
        got = conform(box, command, *(('--recorder', name) if name else ()), file='two')
        assert wanted in ' '.join(got.stdout.decode().split()), got
    for name, wanted in (('c', b'no recorder "c"'), ('lag', b'/recorders/lag: ')):
        got = conform(box, command, '--recorder', name, file='two')
        assert got.returncode == 2 and got.stdout == b'' and wanted in got.stderr, got


def requests_are_wrong(box):
    """what was asked for wrongly is said with status 2, before anything is started"""
    box.put('s', SCENARIO)
    touch = f'touch {shlex.quote(box.folder)}/started'
    for arguments, wanted in (
            (('s',), b'--command'), (('s', '--command', touch, '--timeout', '5'), b'--timeout'),
            (('s', '--command', touch, '--timeout', '0s'), b'--timeout'),
            (('s', '--command', touch, '--memory', '1 GB'), b'--memory'),
            (('s', '--command', touch, '--memory', '0'), b'--memory'),
            (('s', '--command', touch, '--suite'), b'--suite'),
            (('--command', touch, '--suite', '--recorder', 'x'), b'--suite'),
            (('s', 's', '--command', touch), b'what is s for'),
            (('none', '--command', touch), b'none'),
            (('s', '--command', touch, '--format', 'csv'), b'csv'),
            (('s', '--command', touch, '--output', 's'), b'replaced')):
        got = box.run('conform', *arguments)
        assert got.returncode == 2 and got.stdout == b'' and wanted in got.stderr, (arguments, got)
    assert box.names() == ['s'], box.names()


if __name__ == '__main__':
    sys.exit(speak_tap([python_example, c_example, node_example, go_example, shell_example, page,
                        faults_are_named, likeliest, separated, hostile, half_read, silent,
                        left_behind, interrupted, formats, declared, which_recorder,
                        requests_are_wrong]))
