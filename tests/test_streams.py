#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command among files, pipes, signals and terminals.  usage: test_streams.py BINARY; speaks
TAP."""
import os
import pty
import re
import signal
import stat
import subprocess
import sys
import time

from command_line import BAD, BINARY, GOOD, LONG, Skip, scenario, speak_tap


def output_file(box):
    """--output writes what standard output would get, replaces a file and keeps its mode"""
    box.put('g', GOOD)
    wanted = box.run('run', 'g', '--format', 'json').stdout.decode()
    box.put('out', 'old')
    os.chmod(os.path.join(box.folder, 'out'), 0o640)
    os.symlink('out', os.path.join(box.folder, 'link'))
    for target in ('new', 'out', 'link'):
        got = box.run('run', 'g', '--format', 'json', '--output', target)
        assert got.returncode == 0 and got.stdout == b'' and got.stderr == b'', got
        assert box.get(target) == wanted
    assert stat.S_IMODE(os.stat(os.path.join(box.folder, 'out')).st_mode) == 0o640
    assert os.path.islink(os.path.join(box.folder, 'link'))
    assert box.names() == ['g', 'link', 'new', 'out']
    assert box.run('run', 'g', '--format', 'json', '--output', '-').stdout.decode() == wanted


def output_untouched(box):
    """a run that fails leaves the old file and nothing beside it"""
    box.put('b', BAD)
    box.put('out', 'old')
    assert box.run('run', 'b', '--output', 'out').returncode == 2
    assert box.get('out') == 'old' and box.names() == ['b', 'out']


def output_places(box):
    """a place no file can come to is an error before the run; a device is written, not replaced"""
    box.put('g', GOOD)
    began = time.monotonic()
    for target in ('no/such/folder', '.', 'g/file'):
        got = box.run('run', box.put('long', LONG), '--output', target)
        assert got.returncode == 2 and got.stderr, (target, got)
    assert time.monotonic() - began < 30
    assert box.run('run', 'g', '--output', '/dev/null').returncode == 0
    assert stat.S_ISCHR(os.stat('/dev/null').st_mode)
    assert box.names() == ['g', 'long']


def output_on_input(box):
    """no output may replace a scenario or another output, and that is known before the run"""
    box.put('g', GOOD)
    box.put('long', LONG)
    os.link(os.path.join(box.folder, 'g'), os.path.join(box.folder, 'hard'))
    os.symlink('g', os.path.join(box.folder, 'soft'))
    os.mkdir(os.path.join(box.folder, 'd'))
    began = time.monotonic()
    for arguments in (('run', 'g', '--output', 'g'), ('run', 'g', '--output', './d/../g'),
                      ('run', 'g', '--output', 'hard'), ('run', 'soft', '--output', 'g'),
                      ('run', 'long', 'g', '--output', 'g'), ('law', 'g', '--output', 'g'),
                      ('explain', 'g', '--output', 'g'), ('check', 'g', '--junit', 'g'),
                      ('check', 'g', '--junit', 'new', '--output', 'new'),
                      ('check', 'g', '--junit', 'd/new', '--output', './d/new'),
                      ('check', 'long', '--junit', 'no/such'), ('check', 'long', '--junit', 'd')):
        got = box.run(*arguments)
        assert got.returncode == 2 and got.stdout == b'' and got.stderr, (arguments, got)
        assert got.stderr.count(b'\n') == 1, (arguments, got)
    assert time.monotonic() - began < 30
    assert box.get('g') == GOOD and box.names() == ['d', 'g', 'hard', 'long', 'soft']
    got = box.run('check', 'g', '--junit', 'd/new', '--output', 'new')
    assert got.returncode == 0 and box.names() == ['d', 'g', 'hard', 'long', 'new', 'soft'], got
    got = box.run('check', 'g', '--junit', '/dev/null', '--output', '/dev/null')
    assert got.returncode == 0, got


def disk_full(box):
    """a full disk is status 3 and said, on standard output and with --output"""
    box.put('g', GOOD)
    with open('/dev/full', 'wb') as full:
        for arguments in (('run', 'g'), ('list', 'laws'), ('--help',), ('schema',)):
            got = subprocess.run([BINARY, *arguments], cwd=box.folder, stdout=full,
                                 stderr=subprocess.PIPE, timeout=60)
            assert got.returncode == 3 and b'No space' in got.stderr, (arguments, got)
    got = box.run('run', 'g', '--output', '/dev/full')
    assert got.returncode == 3 and b'No space' in got.stderr, got


def closed_output(box):
    """a closed standard output is status 3, not a crash"""
    box.put('g', GOOD)
    got = subprocess.run(['sh', '-c', f'"{BINARY}" run g >&-'], cwd=box.folder,
                         stderr=subprocess.PIPE, timeout=60)
    assert got.returncode == 3 and got.stderr, got


def early_reader(box):
    """a reader that closes the pipe early ends the program quietly"""
    box.put('g', GOOD)
    got = subprocess.run(['sh', '-c', f'"{BINARY}" run {"g " * 50} | head -n 1'], cwd=box.folder,
                         capture_output=True, timeout=60)
    assert got.stdout == b'small\n' and got.stderr == b'', got
    read, write = os.pipe()
    os.close(read)
    try:
        got = subprocess.run([BINARY, 'run', *['g'] * 50], cwd=box.folder, stdout=write,
                             stderr=subprocess.PIPE, timeout=60)
    finally:
        os.close(write)
    assert got.returncode == 0 and got.stderr == b'', got


def interrupt(box):
    """SIGINT stops a run with status 130, without half a table or half a file"""
    box.put('g', GOOD)
    box.put('long', LONG)
    box.put('out', 'old')
    for arguments in (('run', 'long'), ('run', 'g', 'long', '--output', 'out'),
                      ('check', 'long', '--junit', 'out')):
        with subprocess.Popen([BINARY, *arguments], cwd=box.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            time.sleep(0.7)
            assert process.poll() is None, 'the run ended before it could be interrupted'
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
        assert process.returncode == 130, (arguments, process.returncode, err)
        assert out == b'' and b'interrupted' in err, (arguments, out, err)
    assert box.get('out') == 'old' and box.names() == ['g', 'long', 'out']


def interrupt_laws(box):
    """SIGINT is seen while laws are computed, between two of them"""
    recorders = {f'r{i}': {'load': 'open', 'from': 'due', 'warmup': f'{i}ms'} for i in range(500)}
    box.put('s', scenario(server={'service': {'lognormal': {'mean': '100us', 'cv': 2}}},
                          loads={'open': {'open': {'rate': 7000, 'arrivals': 'poisson'}}},
                          recorders=recorders, run={'duration': '2s'}))
    for command in ('law', 'run'):  # 500 laws of a tenth of a second or more each
        with subprocess.Popen([BINARY, command, 's'], cwd=box.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            time.sleep(0.7)
            assert process.poll() is None, 'the laws were there before they could be interrupted'
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
        assert process.returncode == 130 and out == b'', (command, process.returncode, err)


def interrupt_reading(box):
    """SIGINT ends the wait for standard input too"""
    with subprocess.Popen([BINARY, 'run', '-'], cwd=box.folder, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=10)
        assert process.returncode == 130, process.returncode
        process.stdin.close()


def endless_input(box):
    """input without an end is refused"""
    with open('/dev/zero', 'rb') as endless:
        got = subprocess.run([BINARY, 'run', '-'], cwd=box.folder, stdin=endless,
                             capture_output=True, timeout=60)
    assert got.returncode == 2 and got.stderr, got


def long_runs_warn(box):
    """a run that will take long says so first, on standard error"""
    with subprocess.Popen([BINARY, 'run', box.put('long', LONG)], cwd=box.folder,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        first = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=20)[1]
    assert re.match(rb'long: warning: .* requests to simulate, about \d+ s', first), first
    assert b'%' not in rest and b'\r' not in rest, rest  # no progress where no terminal is


def on_terminal(box, arguments, seconds=None, **env):
    """What the command writes on a terminal of 24 x 80."""
    environment = {key: value for key, value in os.environ.items()
                   if key not in ('NO_COLOR', 'COLUMNS')}
    environment.update({'TERM': 'xterm'}, **env)
    try:
        child, terminal = pty.fork()
    except OSError as error:
        raise Skip(f'no terminal can be opened here: {error}') from error
    if child == 0:
        os.chdir(box.folder)
        os.execve(BINARY, [BINARY, *arguments], environment)
    if seconds:
        time.sleep(seconds)
        os.kill(child, signal.SIGINT)
    parts = []
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
    os.close(terminal)
    os.waitpid(child, 0)
    return b''.join(parts)


def colour(box):
    """colour is used on a terminal only and never under NO_COLOR"""
    box.put('g', GOOD)
    assert b'\x1b[' in on_terminal(box, ('run', 'g'))
    assert b'\x1b[' not in on_terminal(box, ('run', 'g'), NO_COLOR='1')
    assert b'\x1b[' not in on_terminal(box, ('run', 'g'), TERM='dumb')
    assert b'\x1b[' not in box.run('run', 'g', env={'TERM': 'xterm'}).stdout


def progress(box):
    """progress of a long run is one rewritten line on a terminal"""
    got = on_terminal(box, ('run', box.put('long', LONG)), seconds=3)
    assert re.search(rb'\rlong: +\d+ %', got), got
    assert got.count(b'\n') <= 3, got


TESTS = (output_file, output_untouched, output_places, output_on_input, disk_full, closed_output,
         early_reader, interrupt, interrupt_laws, interrupt_reading, endless_input,
         long_runs_warn, colour, progress)


if __name__ == '__main__':
    sys.exit(speak_tap(TESTS))
