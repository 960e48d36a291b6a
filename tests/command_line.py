# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the command share: small scenarios, a folder to run in, TAP."""
import json
import os
import subprocess
import sys
import tempfile

BINARY = os.path.abspath(sys.argv[1])


def scenario(**changes):
    """20 requests, every 1 ms, served in 2 ms at 3 workers: each takes exactly 2 ms."""
    base = {
        'title': 'small',
        'server': {'service': {'constant': '2ms'}, 'workers': 3},
        'loads': {'open': {'open': {'every': '1ms'}}},
        'recorders': {'from due': {'load': 'open', 'from': 'due'}},
        'run': {'requests': 20},
    }
    base.update(changes)
    return json.dumps(base)


GOOD = scenario()
EXPECTS_WRONG = scenario(expect={'from due': {'p50': '3ms'}})
BAD = '{"server": {"servce": {"constant": "1ms"}}}'
# What a name may hold and a format has to quote.
HOSTILE = 'a"b|c, d\\e`f*g<h>&i_j[k](l) \u65e5\u672c'
# Far more than a second of work, in a store that stays small.
LONG = scenario(run={'requests': 4000000000}, server={'service': {'exponential': '100us'}},
                loads={'open': {'open': {'rate': 5000, 'arrivals': 'poisson'}}},
                recorders={'from due': {'load': 'open', 'from': 'due', 'store': {'hdr': 3}}})


class Box:
    """A folder of its own to run the command in."""

    def __init__(self, folder):
        self.folder = folder

    def put(self, name, text):
        with open(os.path.join(self.folder, name), 'w', encoding='utf-8') as file:
            file.write(text)
        return name

    def get(self, name):
        with open(os.path.join(self.folder, name), encoding='utf-8') as file:
            return file.read()

    def run(self, *arguments, stdin='', **more):
        environment = dict(os.environ, **more.pop('env', {}))
        return subprocess.run([BINARY, *arguments], cwd=self.folder, env=environment,
                              input=stdin.encode(), capture_output=True, timeout=120, **more)

    def names(self):
        return sorted(os.listdir(self.folder))


class Skip(Exception):
    """What a test cannot be made of here, and why."""


def speak_tap(tests):
    """Runs each test in a folder of its own; its docstring is the sentence it proves."""
    failed = 0
    print(f'1..{len(tests)}')
    for number, test in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(Box(folder))
                problem, skip = None, ''
            except Skip as reason:
                problem, skip = None, ' # SKIP ' + ' '.join(str(reason).split())
            except Exception as error:  # every kind of failure is a failed test
                problem, skip = f'{type(error).__name__}: {error}', ''
        print(f'{"not ok" if problem else "ok"} {number} - {test.__doc__}{skip}', flush=True)
        if problem:
            failed += 1
            print('\n'.join(f'# {line}' for line in problem.split('\n')))
    return 1 if failed else 0
