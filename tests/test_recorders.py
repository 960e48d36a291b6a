#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorders of others are judged as results/recorders.md says.
usage: test_recorders.py BINARY SOURCE-ROOT; speaks TAP.

Only what is installed here in the same version is judged again; npm fetches its part into the
folder of the build, and where it cannot that part is skipped."""
import os
import sys

import recorder_rows
from tap import Tap


def kept_rows(root):
    with open(os.path.join(root, 'results', 'recorders.md'), encoding='utf-8') as file:
        text = file.read()
    lines = [part for part in text.splitlines() if part.startswith('| ')]
    return text, lines[2:]


def versions(lines):
    """The version that each recorder was judged in."""
    return {cells[0]: cells[1] for cells in (part[2:].split(' | ') for part in lines)}


def main(binary, root):
    tap = Tap()
    binary = os.path.abspath(binary)
    shelf = recorder_rows.Shelf(os.path.dirname(binary))
    text, lines = kept_rows(root)
    judged_in = versions(lines)
    tap.say(text.startswith(recorder_rows.HEAD), 'results/recorders.md is headed as it is written')
    names = [name for name, *_ in recorder_rows.RECORDERS]
    tap.say(set(judged_in) <= set(names), 'every row is of a recorder that is judged',
            sorted(set(judged_in) - set(names)))
    for name, package, start, claims in recorder_rows.RECORDERS:
        title = f'{name} is judged as published'
        try:
            version = shelf.version(package)
            if judged_in.get(name) != version:
                raise recorder_rows.Absent(f'{package} is {version} here, and was judged as '
                                           f'{judged_in.get(name)}')
            for declares in claims:
                cells = recorder_rows.judge(binary, shelf, start, declares)
                made = recorder_rows.line([name, version, *cells])
                tap.say(made in lines, f'{title}, declaring {cells[0]}', ['now ' + made])
        except recorder_rows.Absent as why:
            tap.say(True, f'{title} # SKIP {str(why).splitlines()[0]}')
    try:
        recorder_rows.need('node')
        cells = recorder_rows.judge(binary, shelf, 'node_histogram.js', {'precision': 'exact'})
        tap.say(cells[1].startswith('0 of ') and cells[2], 'canary: cells are not exact values')
    except recorder_rows.Absent as why:
        tap.say(True, f'canary: cells are not exact values # SKIP {why}')
    return tap.end()


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2]))
