#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A new distribution is one file and one name: usage: test_recipe.py SOURCE-ROOT; speaks TAP.

The example of CONTRIBUTING.md is put into a copy of the tree, just as it says, and used.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tap import Tap

SCENARIO = {
    'title': 'the recipe',
    'server': {'service': {'triangular': '4ms'}, 'workers': 'unlimited'},
    'loads': {'open': {'open': {'rate': 100, 'arrivals': 'even'}}},
    'recorders': {'from due': {'load': 'open', 'from': 'due'}},
    'run': {'requests': 20000, 'replications': 1},
    'report': {'percentiles': [50]},
}


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


def main(root):
    tap = Tap()

    def say(good, name, text=''):
        tap.say(good, name, text.split('\n')[-30:])

    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, 'copy')
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns('build*', '.git', '__pycache__'))
        with open(os.path.join(copy, 'CONTRIBUTING.md'), encoding='utf-8') as file:
            example = re.search(r'^```c\n(.*?)^```', file.read(), flags=re.S | re.M).group(1)
        path = os.path.join(copy, 'models', 'distributions', 'triangular.c')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(example)
        path = os.path.join(copy, 'meson.build')
        with open(path, encoding='utf-8') as file:
            build, count = re.subn(r"('distributions': \[.*?)\]", r"\1, 'triangular']", file.read(),
                                   count=1, flags=re.S)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(build)
        say(count == 1, 'the list of distributions is found in meson.build')

        binary = os.path.join(copy, 'build', 'duetime')
        done = run(['meson', 'setup', '-Dbuildtype=plain', '--werror', 'build'], cwd=copy)
        if done.returncode == 0:
            done = run(['ninja', '-C', 'build', 'duetime'], cwd=copy)
        say(done.returncode == 0, 'it builds with one file and one name', done.stdout + done.stderr)
        if done.returncode == 0:
            done = run([binary, 'list', 'distributions'])
            say('triangular' in done.stdout, '`list` knows it', done.stdout)
            done = run([binary, 'schema'])
            say('triangular' in done.stdout, 'the schema knows it', done.stdout)
            done = run([binary, 'run', '--format', 'json', '-'], input=json.dumps(SCENARIO))
            say(done.returncode == 0, 'a scenario runs with it', done.stdout + done.stderr)
            # 20,000 independent draws: the median, 4 ms, has a standard error of 0.028 ms (density
            # 1/(4 ms) at the median), so 0.2 ms is seven of them.
            figures = json.loads(done.stdout)['recorders']['from due']
            median = figures['percentiles']['50']['value_ns']
            say(3.8e6 < median < 4.2e6, f'and its median is the one drawn ({median} ns)')
            SCENARIO['server']['service'] = {'triangular': '-1ms'}
            done = run([binary, 'run', '-'], input=json.dumps(SCENARIO))
            say(done.returncode == 2, 'its range is checked', done.stderr)
    return tap.end()


if __name__ == '__main__':
    sys.exit(main(os.path.abspath(sys.argv[1])))
