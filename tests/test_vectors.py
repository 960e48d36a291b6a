#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The test vectors, and what reads them: usage: test_vectors.py VECTORS SOURCE-ROOT; speaks TAP.

results/vectors/ is made again and compared byte for byte, held to its schema, and worked out by
readers in five languages, none of which shares a line with what made it."""
import copy
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import schema_check
from tap import Tap

GLUE_LINES_MOST = 39


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def made_again(tap, program, folder, kept):
    names = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    own = {'README.md', 'schema.json'}
    tap.say(set(names) | own == set(os.listdir(kept)) and len(names) > 5,
            'results/vectors/ holds what is made, its schema and its page, and nothing else')
    for name in names:
        done = subprocess.run([program, name], capture_output=True, text=True, check=False)
        tap.say(done.returncode == 0, f'{name}: what is called wrong is wrong', [done.stderr])
        path = os.path.join(kept, name)
        tap.say(os.path.exists(path) and done.stdout == read(path),
                f'{name} is what tools/vectors writes')
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
            file.write(done.stdout)
    return [name for name in names if name.endswith('.json')]


def schema(tap, names, kept):
    root = json.loads(read(os.path.join(kept, 'schema.json')))
    for name in names:
        vector = json.loads(read(os.path.join(kept, name)))
        bad = list(schema_check.complaints(root, vector, root))
        tap.say(not bad, f'{name} is as its schema says', bad[:5])
    spoilt = []
    for change in ((lambda v: v.update(version=2)), (lambda v: v['cases'][0].pop('count')),
                   (lambda v: v['cases'][0]['answers'][0].update(rank='mine')),
                   (lambda v: v['cases'][0].update(requests=[])),
                   (lambda v: v['cases'][0]['wrong'][0].update(more=1))):
        spoilt.append(copy.deepcopy(vector))
        change(spoilt[-1])
    tap.say(all(list(schema_check.complaints(root, one, root)) for one in spoilt),
            'canary: the schema complains of a spoilt vector')


def cell(value, digits):
    """Of an HdrHistogram: as many leading bits as tell 2 * 10^digits values apart."""
    bits = (2 * 10 ** digits - 1).bit_length()
    width = 1 << max(0, value.bit_length() - bits)
    return [value // width * width, value // width * width + width - 1]


def bucket(value, bounds):
    lower = [0] + [bound for bound in bounds if bound < value]
    upper = [bound for bound in bounds if bound >= value]
    return [lower[-1], upper[0] if upper else None]


def allowed(precision, exact):
    if 'bounds' in precision:
        return bucket(exact, precision['bounds'])
    if exact > precision.get('highest', exact):
        return [precision['highest'], None]
    return cell(exact, precision['digits'])


def precisions(tap, names, kept):
    bad, count = [], 0
    for name in names:
        for case in json.loads(read(os.path.join(kept, name)))['cases']:
            exact = case['answers'][0]['percentiles']
            for answer in case['answers']:
                if answer['precision'] == 'exact':
                    continue
                for p, told in answer['percentiles'].items():
                    count += 1
                    if told != allowed(answer['precision'], exact[p]):
                        bad.append(f'{name}, {case["name"]}, p{p}: {told}')
    tap.say(not bad and count > 50, 'cells and buckets are those of the exact values', bad)


def catalogue(tap, names, kept):
    """Within one case two faults may give one answer, but hardly all do."""
    lonely = set()
    told = set()
    for name in names:
        for case in json.loads(read(os.path.join(kept, name)))['cases']:
            says = [json.dumps(wrong['says'], sort_keys=True) for wrong in case['wrong']]
            for wrong, text in zip(case['wrong'], says):
                told.add(wrong['fault'])
                if says.count(text) == 1:
                    lonely.add(wrong['fault'])
    tap.say(len(told) >= 30, 'the vectors tell of thirty faults and more', [str(len(told))])
    tap.say(told == lonely, 'each of them is alone with its answer in some case',
            sorted(told - lonely))


def glue(path):
    """Lines of code behind the recorder, brackets aside."""
    lines = [part.strip() for part in read(path).split('The rest is glue.')[1].split('\n')[1:]]
    return [part for part in lines if part and not part.startswith(('//', '#', '/*')) and
            not re.fullmatch(r"[{}()\[\];,']+", part)]


def c_reader(source, folder):
    program = os.path.join(folder, 'vectors-c')
    subprocess.run(['cc', '-std=c99', '-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wshadow',
                    '-Werror', '-O1', '-o', program, source, '-lm'], check=True)
    return [program]


def go_reader(source, folder):
    program = os.path.join(folder, 'vectors-go')
    away = dict(os.environ, GOCACHE=os.path.join(folder, 'cache'), GO111MODULE='off')
    subprocess.run(['go', 'build', '-o', program, source], env=away, check=True)
    return [program]


# What a reader needs, how it is started, and whether it reads JSON.
READERS = {
    'vectors.py': ('python3', lambda source, folder: [sys.executable, source], True),
    'vectors.js': ('node', lambda source, folder: ['node', source], True),
    'vectors.go': ('go', go_reader, False),
    'vectors.c': ('cc', c_reader, False),
    'vectors.sh': ('awk', lambda source, folder: ['sh', source], False),
}


def reads(command, folder, takes_json):
    if takes_json:
        names = sorted(glob.glob(os.path.join(folder, '*.json')))
        return subprocess.run([*command, *names], capture_output=True, text=True, check=False)
    with open(os.path.join(folder, 'vectors.txt'), encoding='utf-8') as file:
        return subprocess.run(command, stdin=file, capture_output=True, text=True, check=False)


def spoil(folder):
    """A correct recorder now looks as one that takes p99 a rank too low: right is what is wrong by
    one, and the fault `rank-low` is what was right."""
    path = os.path.join(folder, 'ranks.json')
    vector = json.loads(read(path))
    case = vector['cases'][6]
    right = case['answers'][0]['percentiles']['99']
    case['answers'][0]['percentiles']['99'] = right + 1
    case['wrong'] = [{'fault': 'rank-low', 'with': None, 'does': 'x', 'items': 'x',
                      'says': {'p99': right}}]
    with open(path, 'w', encoding='utf-8') as file:
        json.dump(vector, file)
    path = os.path.join(folder, 'vectors.txt')
    text = read(path)
    begin = text.index(f': {case["name"]}')
    end = text.index('fault ', begin)
    told = text[begin:end].replace(f'is p99 {right}\n', f'is p99 {right + 1}\n')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text[:begin] + told + f'fault rank-low\nsays p99 {right}\n' + text[end:])


def readers(tap, folder, examples):
    spoilt = os.path.join(folder, 'spoilt')
    shutil.copytree(folder, spoilt)
    spoil(spoilt)
    for name, (program, start, takes_json) in READERS.items():
        source = os.path.join(examples, name)
        lines = glue(source)
        tap.say(10 < len(lines) <= GLUE_LINES_MOST, f'{name} has less than 40 lines of glue',
                [str(len(lines))])
        if not shutil.which(program):
            tap.say(True, f'{name} finds every right answer # SKIP there is no {program} here')
            continue
        command = start(source, folder)
        done = reads(command, folder, takes_json)
        cases = len(re.findall('^(?:ok|skip|case)', done.stdout, flags=re.M))
        tap.say(done.returncode == 0 and cases == 38 and 'not ok' not in done.stdout,
                f'{name} finds every right answer by itself',
                (done.stdout + done.stderr).splitlines()[-5:])
        done = reads(command, spoilt, takes_json)
        tap.say(done.returncode == 1 and done.stdout.count('not ok') == 1 and
                re.findall(r'^  as (\S+) says', done.stdout, flags=re.M) == ['rank-low'],
                f'{name} rejects another answer, and names the fault that gives it',
                (done.stdout + done.stderr).splitlines()[-5:])


def main(program, root):
    tap = Tap()
    kept = os.path.join(root, 'results', 'vectors')
    with tempfile.TemporaryDirectory() as folder:
        names = made_again(tap, os.path.abspath(program), folder, kept)
        schema(tap, names, kept)
        precisions(tap, names, kept)
        catalogue(tap, names, kept)
        readers(tap, folder, os.path.join(root, 'tools', 'examples', 'vectors'))
    return tap.end()


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2]))
