#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""results/claims.md is what the binary finds: usage: test_claims.py BINARY SOURCE-ROOT; TAP.

Every claim of the five texts is there once, few are not modelled, all others hold, and a claim with
a wrong figure would not.
"""
import importlib.machinery
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

from tap import Tap

sys.dont_write_bytecode = True  # the source tree stays as it is
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
from claims_checks import Quantity

# How many claims each text makes.
COUNTS = [59, 40, 39, 25, 82]
NOT_MODELLED_MOST = 25


def first_difference(kept, made):
    for number, (old, new) in enumerate(zip(kept.split('\n'), made.split('\n')), 1):
        if old != new:
            return [f'line {number}: published {old[:400]!r}',
                    f'line {number}: now       {new[:400]!r}']
    return ['one ends before the other']


def program(root):
    """tools/claims as a module."""
    loader = importlib.machinery.SourceFileLoader('claims', os.path.join(root, 'tools', 'claims'))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader('claims', loader))
    loader.exec_module(module)
    return module


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def published(tap, binary, root):
    """Makes the page again; returns its text."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'claims.md')
        done = subprocess.run([os.path.join(root, 'tools', 'claims'), binary, '--output', path],
                              capture_output=True, text=True, check=False)
        tap.say(done.returncode == 0, 'every claim that is modelled holds', done.stderr.split('\n'))
        made = read(path) if os.path.exists(path) else ''
    kept = read(os.path.join(root, 'results', 'claims.md'))
    tap.say(kept == made, 'results/claims.md is what the commands print now',
            first_difference(kept, made))
    return made


def all_there(tap, claims, differ, text):
    wanted = [f'S{source}-{i}' for source, count in enumerate(COUNTS) for i in range(1, count + 1)]
    tap.say([entry['id'] for entry in claims] == wanted and len(wanted) == 245,
            'each of the 245 claims stands once, in order')
    rows = re.findall(r'^\| (S\d-\d+) \|', text, flags=re.M)
    tap.say(rows == wanted, 'and has one row on the page')
    unshown = [entry['id'] for entry in claims if entry['kind'] == 'not modelled']
    tap.say(len(unshown) <= NOT_MODELLED_MOST, f'at most {NOT_MODELLED_MOST} are not modelled',
            [' '.join(unshown)])
    tap.say(all(entry.get('reason') for entry in claims if entry['kind'] == 'not modelled'),
            'each of these with its reason')
    tap.say(len(differ) == 22 and all(name in wanted for each in differ for name in each['items']),
            'the 22 that recompute to something else are told of')


def scenarios_used(tap, claims, root):
    """No scenario of the folder is left over, and each names the claims that it shows."""
    shown = {entry['id']: json.dumps(entry.get('show', {})) for entry in claims}
    folder = os.path.join(root, 'scenarios', 'claims')
    names = sorted(name for name in os.listdir(folder) if name.endswith('.json'))
    uses = {name: [claim for claim in shown if f'claims/{name}' in shown[claim]]
            for name in names}
    idle = [name for name in names if not uses[name]]
    tap.say(names and not idle, 'every scenario of the folder shows a claim', idle)
    wrong = [name for name in names
             if json.loads(read(os.path.join(folder, name)))['claims'] != uses[name]]
    tap.say(not wrong, 'and names exactly those that it shows', wrong)


def quantities(tap):
    written = Quantity('2.25ms').write(Fraction(2245632), 2), Quantity('12%').half
    tap.say(written == ('2.2456ms', Fraction(1, 200)),
            'figures are written in the unit of the text', [str(written)])


def canaries(tap, module, binary):
    """Each kind of comparison sees a wrong figure."""
    run = 'run scenarios/mm1-rho-50.json --set /run/requests=20000 --set /expect={}'
    outputs = {'r': module.Runner(binary).run(run)}
    cases = [("load('open', 'sent')", '=', '640000', '640001'),
             ("of('from due', 'mean_ns')", 'digits', '20ms', '21ms'),
             ("of('from due', 'mean_ns')", 'between', '19ms..21ms', '21ms..22ms'),
             ("load('open', 'sent')", '<', '640001', '640000'),
             ("load('open', 'sent')", '>=', '640000', '640001'),
             ("cell('from due', 99)", 'law', '92.1ms', '92.3ms'),
             ("cell('from due', 50)", 'interval', '13.86ms', '14.4ms'),
             ("cell('from due', 50)", 'one run', '14.0ms', '18ms'),
             ("[load('open', 'sent') / 2, load('open', 'sent')]", 'binomial', '50.00%', '51.00%'),
             ("load('open', 'sent')", 'poisson', '640000', '644000'),
             ("gate('rate', 'open')", 'is', True, False),
             ("says('mm1')", 'is', True, False)]
    for figure, test, right, wrong in cases:
        held = [module.judge({'checks': [[figure, test, expected]]}, outputs)[0][4]
                for expected in (right, wrong)]
        tap.say(held == [True, False], f'canary: {test} sees {wrong} where {right} is meant',
                [str(held)])
    lost = module.judge({'checks': [["load('none', 'sent')", '=', '1']]}, outputs)
    tap.say(not lost[0][4], 'canary: a figure that is not there does not hold')
    page = module.page([({'id': 'S0-1', 'says': 'x', 'kind': 'exact', 'show': run},
                         [['a', '1', '2', 'equal', False]])], [])
    tap.say('| NO |' in page and '(0 hold)' in page, 'canary: the page says so')


def main(binary, root):
    tap = Tap()
    root = os.path.abspath(root)
    module = program(root)
    claims, differ = module.entries()
    text = published(tap, os.path.abspath(binary), root)
    all_there(tap, claims, differ, text)
    scenarios_used(tap, claims, root)
    quantities(tap)
    canaries(tap, module, binary)
    return tap.end()


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2]))
