# SPDX-License-Identifier: 0BSD
"""Holds a recorder to the test vectors:  python3 vectors.py results/vectors/*.json

report() is the recorder.  Put your own in its place; the rest stays as it is.
"""
import json
import sys
from fractions import Fraction
from math import ceil


def report(samples, percentiles):
    x = sorted(samples)
    said = {'count': len(x), 'sum': sum(x), 'mean': sum(x) / len(x) if x else None,
            'min': x[0] if x else None, 'max': x[-1] if x else None}
    for p in percentiles:
        said['p' + p] = x[max(1, ceil(Fraction(p) * len(x) / 100)) - 1] if x else None
    return said


def corrected(values, interval):
    for value in values:
        yield value
        while interval and value >= 2 * interval:
            value -= interval
            yield value


# The rest is glue.

def samples(case):
    asked = case['asked']
    values = [first + k * step for first, times, step, _ in case.get('values', [])
              for k in range(times)]
    for due, sent, _, finished, status in case.get('requests', []):
        if status == 'ok' or asked['failures'] != 'dropped':
            values.append(finished - (due if asked['from'] == 'due' else sent))
    return corrected(values, asked['interval_ns'] if asked['correction'] else 0)


def differ(said, right):
    """A mean is given to a thousandth."""
    return [key for key in right if said[key] != right[key] and
            (None in (said[key], right[key]) or abs(said[key] - right[key]) > 0.001)]


failed = False
for name in sys.argv[1:]:
    if name.endswith('schema.json'):
        continue
    with open(name, encoding='utf-8') as file:
        vector = json.load(file)
    for case in vector['cases']:
        title = f'{vector["title"]}: {case["name"]}'
        if case['asked']['correction'] not in (None, 'hdr'):
            print('skip', title)
            continue
        percentiles = case['answers'][0]['percentiles']
        said = report(samples(case), percentiles)
        right = {key: case[key] for key in ('count', 'min', 'max', 'mean', 'sum')}
        right.update({'p' + p: value for p, value in percentiles.items()})
        bad = differ(said, right)
        print('not ok' if bad else 'ok', title)
        failed = failed or bad
        for key in bad:
            print(f'  {key} is {said[key]}, not {right[key]}')
        for wrong in case['wrong']:
            if bad and not differ(said, {**right, **wrong['says']}):
                print(f'  as {wrong["fault"]} says: it {wrong["does"]}')
sys.exit(1 if failed else 0)
