#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the suite makes of every fault: usage: test_faults.py MATRIX SOURCE-ROOT; speaks TAP.

results/faults.md is made again and compared byte for byte, and read for what it must show.
"""
import os
import re
import subprocess
import sys

from tap import Tap


def rows(text):
    """The first table: a dictionary a fault, by the head of each column."""
    lines = re.search(r'(?:^\|.*\n)+', text, flags=re.M).group(0).splitlines()
    head = [cell.strip() for cell in lines[0].strip('|').split('|')]
    for line in lines[2:]:
        yield dict(zip(head, (cell.strip() for cell in line.strip('|').split('|'))))


def main(matrix, root):
    tap = Tap()
    done = subprocess.run([matrix], capture_output=True, text=True)
    with open(os.path.join(root, 'results', 'faults.md'), encoding='utf-8') as file:
        kept = file.read()
    table = list(rows(done.stdout))
    scenarios = [name for name in table[0] if name not in
                 ('fault', 'together', 'parameters', 'caught', 'named first')]
    tap.say(done.returncode == 0, 'the matrix finds every fault named', [done.stderr])
    tap.say(done.stdout == kept, 'results/faults.md is what tools/faults writes',
            [f'{new!r}' for old, new in zip(kept.splitlines(), done.stdout.splitlines())
             if old != new])
    tap.say(all(any(row[name] for name in scenarios) for row in table),
            'every fault is caught by at least one scenario',
            [row['fault'] for row in table if not any(row[name] for name in scenarios)])
    tap.say(not any('NOT' in row.values() for row in table),
            'where a fault is caught it is among those that explain it',
            [row['fault'] for row in table if 'NOT' in row.values()])
    tap.say(all(row['together'] == 'alone' for row in table),
            'all answers together name the fault and no other',
            [f'{row["fault"]}: {row["together"]}' for row in table if row['together'] != 'alone'])
    tap.say(all(row['caught'] == row['named first'] for row in table),
            'whatever a fault is wrong by, it is named first where it is caught',
            [row['fault'] for row in table if row['caught'] != row['named first']])
    tap.say(all(any(row[name] == 'alone' or row[name].startswith('of') for row in table)
                for name in scenarios), 'every scenario catches something')
    catalogue = list(rows(kept[kept.index('## The catalogue'):]))
    listed = [row['fault'] for row in catalogue if row['told of in']]
    tap.say([row['fault'] for row in table] == listed and len(listed) == len(set(listed)),
            'the catalogue tells of every fault in the matrix')
    return tap.end()


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2]))
