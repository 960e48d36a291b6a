#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Published results are what the binary prints: usage: test_results.py BINARY SOURCE-ROOT; TAP.

results/ and the schema are made again and compared byte for byte.  README's table is held to
results/, and its examples are run.  Figures that pass through special functions, whose last bits
depend on the machine, must not lie where such a bit decides a printed digit.
"""
import json
import math
import os
import re
import subprocess
import sys
import tempfile

from tap import Tap

# Pages of their own, each held by a test of its own.
MADE_BY_OTHERS = {'LICENSE', 'mutants.md', 'claims.md', 'faults.md', 'schedulers.md',
                  'recorders.md', 'speed.md', 'vectors'}


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def data(path):
    with open(path, 'rb') as file:
        return file.read()


def first_difference(kept, made):
    kept = kept.decode(errors='replace').split('\n')
    made = made.decode(errors='replace').split('\n')
    for number, (old, new) in enumerate(zip(kept, made), 1):
        if old != new:
            return [f'line {number}: published {old!r}', f'line {number}: now       {new!r}']
    return [f'{len(kept)} lines published, {len(made)} now']


def near_boundary(value, digits):
    """Does rounding to so many significant digits hang on the last bits of a positive value?"""
    scaled = value / 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    distance = abs(scaled - math.floor(scaled) - 0.5) / scaled
    return distance < (1e-9 if digits <= 6 else 2e-12)


def fragile(report):
    """Printed figures of a JSON report that a last bit could change, with the digits of each."""
    for name, recorder in report['recorders'].items():
        for p, cell in recorder['percentiles'].items():
            if cell['check'] not in ('statistical', 'too-few'):
                continue
            printed = [('law_ns', 9), ('truth_ns', 9), ('ratio', 9), ('ratio', 3),
                       ('detectable', 3), ('clusters', 2), ('clusters', 4)]
            for key, digits in printed:
                value = cell.get(key)
                if value and value > 0 and near_boundary(float(value), digits):
                    yield f'{name}, p{p}, {key}: {value} to {digits} digits'


def blocks(text, language):
    return re.findall(rf'^```{language}\n(.*?)^```', text, flags=re.S | re.M)


def first_table(text):
    """The lines of the first Markdown table."""
    found = re.search(r'(?:^\|.*\n)+', text, flags=re.M)
    return found.group(0) if found else ''


def compare(tap, name, kept, made):
    if kept is None or made is None:
        tap.say(False, name, ['missing here' if kept is None else 'nothing makes it any more'])
    else:
        tap.say(kept == made, name, first_difference(kept, made))


def results(tap, binary, root):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([os.path.join(root, 'tools', 'results'), binary, folder],
                              capture_output=True, text=True)
        tap.say(done.returncode == 0, 'every scenario holds what it expects and what its laws say',
                done.stderr.split('\n'))
        made = set(os.listdir(folder)) - {'schema.json'}
        kept = set(os.listdir(os.path.join(root, 'results'))) - MADE_BY_OTHERS
        tap.say(len(made) > 0, 'there are results')
        for name in sorted(made | kept):
            compare(tap, f'results/{name} is what the scenario prints',
                    data(os.path.join(root, 'results', name)) if name in kept else None,
                    data(os.path.join(folder, name)) if name in made else None)
        schema = os.path.join(folder, 'schema.json')
        compare(tap, 'scenarios/schema.json is what the field tables say',
                data(os.path.join(root, 'scenarios', 'schema.json')),
                data(schema) if os.path.exists(schema) else None)


def boundaries(tap, binary, root):
    for name in sorted(os.listdir(os.path.join(root, 'scenarios'))):
        if not name.endswith('.json') or name == 'schema.json':
            continue
        path = os.path.join('scenarios', name)
        if '"poisson"' not in read(os.path.join(root, path)):
            continue
        done = subprocess.run([binary, 'run', '--format', 'json', path], cwd=root,
                              capture_output=True, text=True)
        bad = list(fragile(json.loads(done.stdout)))
        tap.say(not bad, f'no figure of {path} hangs on a last bit', bad)
    tap.say(near_boundary(1.2345, 4) and near_boundary(123456789.50000001, 9) and
            not near_boundary(1.2346, 4), 'canary: a value at a boundary is seen')


def run_example(binary, text):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'my.json'), 'w', encoding='utf-8') as file:
            file.write(text)
        return subprocess.run([binary, 'run', 'my.json'], cwd=folder, text=True,
                              capture_output=True, env={**os.environ, 'COLUMNS': '80'})


def lines_missing(shown, printed):
    """The lines of an excerpt that do not follow one another, with others between, in a text."""
    rest = iter(printed.split('\n'))
    return [line for line in shown.split('\n') if line and line not in rest]


def readme(tap, binary, root):
    text = read(os.path.join(root, 'README.md'))
    published = first_table(read(os.path.join(root, 'results', 'reference.md'))).split('\n')
    shown = first_table(text).split('\n')
    tap.say([row for row in published if row in shown] == shown and len(shown) > 9,
            "README's first table consists of rows of results/reference.md")
    figures = [row for row in published if re.match(r'\| (p[0-9.]+|max|share|n )', row)]
    tap.say(len(figures) == 8 and all(row in shown for row in figures),
            'all its percentiles, counts and shares are among them')
    examples = blocks(text, 'json')
    printed = blocks(text, 'text')
    tap.say(len(examples) == 2 and len(printed) == 2, 'README has two examples and what they print')
    done = run_example(binary, (examples or ['{}'])[0])
    tap.say(done.returncode == 0, "README's first example runs", done.stderr.split('\n'))
    shown = (printed or ['?'])[0]
    tap.say(done.stdout.startswith(shown), 'and prints the table that README shows',
            first_difference(shown.encode(), done.stdout.encode()))
    lines = (examples or [''])[0].count('\n')
    tap.say(0 < lines <= 12, "README's first example is about ten lines long")
    done = run_example(binary, (examples or ['{}'])[-1])
    tap.say(done.returncode == 0, "README's second example runs", done.stderr.split('\n'))
    missing = lines_missing((printed or ['?'])[-1], done.stdout)
    tap.say(not missing, 'and prints, in this order, the lines that README shows', missing)
    tap.say(lines_missing('b\na\n', 'a\nb\n') == ['a'], 'canary: a line out of order is found')
    lines = (examples or [''])[-1].count('\n')
    tap.say(12 < lines <= 16, "README's second example is about fifteen lines long")


def main(binary, root):
    tap = Tap()
    results(tap, os.path.abspath(binary), os.path.abspath(root))
    boundaries(tap, os.path.abspath(binary), os.path.abspath(root))
    readme(tap, os.path.abspath(binary), os.path.abspath(root))
    tap.say(first_difference(b'a\nb', b'a\nc')[0].startswith('line 2'),
            'canary: a difference of one byte is found')
    return tap.end()


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2]))
