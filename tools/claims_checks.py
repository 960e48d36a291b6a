# SPDX-License-Identifier: GPL-3.0-or-later
"""How tools/claims holds a measured figure against what a text says it is."""
import operator
import re
from fractions import Fraction

UNITS = {'ns': 1, 'us': 10**3, 'ms': 10**6, 's': 10**9, 'min': 60 * 10**9}
# From a 95 % interval of Student's t over 32 replications to one of 99.99 %.
STRETCH = Fraction('2.2')
# How much wider the figure of a single run strays than that of 32 runs together: sqrt(33).
ONE_RUN = Fraction('5.75')
# Standard deviations beyond which a normal variable lies once in 1e5.
STANDARD = Fraction('4.42')


class Broken(Exception):
    """An entry that says something impossible, or a figure that is not there."""


class Quantity:
    """A number as a text writes it: its value, and half a unit of its last digit."""

    def __init__(self, text):
        found = re.fullmatch(r'(-?)(\d+(?:\.(\d+))?)(?:e(-?\d+))?(%|[a-z]*)', text)
        if not found or (found[5] not in UNITS and found[5] not in ('', '%')):
            raise Broken(f'{text!r} is no quantity')
        self.unit = found[5]
        self.decimals = len(found[3] or '')
        self.scale = Fraction(1, 100) if self.unit == '%' else Fraction(UNITS.get(self.unit, 1))
        self.scale *= Fraction(10) ** int(found[4] or 0)
        self.power = found[4]
        self.value = Fraction(found[1] + found[2]) * self.scale
        self.half = self.scale * Fraction(1, 2 * 10**self.decimals)

    def write(self, value, more):
        """The value in this unit, with `more` decimals than the text has, zeros cut off."""
        if not isinstance(value, Fraction):
            return str(value)
        decimals = self.decimals + more
        scaled = round(value / self.scale * 10**decimals)
        sign, digits = '-' if scaled < 0 else '', str(abs(scaled)).rjust(decimals + 1, '0')
        if decimals:
            digits = digits[:-decimals] + '.' + digits[-decimals:]
            keep = len(digits) - more
            while len(digits) > keep and digits.endswith('0'):
                digits = digits[:-1]
            digits = digits.rstrip('.')
        return sign + digits + (f'e{self.power}' if self.power else '') + self.unit


def compare(test, measured, expected):
    """(holds, what was measured in words, the check in words) of one figure."""
    if isinstance(expected, bool):
        return measured is expected, str(measured).lower(), 'is'
    low, _, high = expected.partition('..')
    low = Quantity(low)
    if test == 'law':
        law = measured['law_ns']
        holds = measured['holds'] is True and abs(law - low.value) <= low.half
        return holds, low.write(measured['value_ns'], 2), (
            f'law {low.write(law, 2)}, {measured["check"]} check')
    if test in ('interval', 'one run'):
        value = measured['value_ns']
        stretch = STRETCH * (ONE_RUN if test == 'one run' else 1)
        far = [value + stretch * (measured[key] - value) for key in ('low_ns', 'high_ns')]
        holds = far[0] - low.half <= low.value <= far[1] + low.half
        what = 'a run lies in' if test == 'one run' else 'in'
        return holds, low.write(value, 1), (
            f'{what} {low.write(far[0], 1)}..{low.write(far[1], 1)}, false alarm 1e-4')
    if test == 'binomial':
        # [how many, of how many independent ones]: within 4.42 standard deviations of the share.
        found, of = measured
        slack = low.half * of
        far = max(Fraction(0), abs(found - low.value * of) - slack)
        holds = far**2 <= STANDARD**2 * of * low.value * (1 - low.value)
        return holds, low.write(found / of, 2), 'binomial, false alarm 1e-5'
    if not isinstance(measured, Fraction):
        return False, str(measured), test
    if test == 'poisson':
        far = max(Fraction(0), abs(measured - low.value) - Fraction(1, 2))
        return far**2 <= STANDARD**2 * low.value, low.write(measured, 0), (
            'Poisson, false alarm 1e-5')
    if test == '=':
        return measured == low.value, low.write(measured, 6), 'equal'
    if test == 'digits':
        return abs(measured - low.value) <= low.half, low.write(measured, 2), 'to its digits'
    if test == 'between':
        high = Quantity(high)
        holds = low.value - low.half <= measured <= high.value + high.half
        return holds, high.write(measured, 2), 'between'
    words = {'<': 'below', '<=': 'at most', '>': 'above', '>=': 'at least'}[test]
    how = {'<': operator.lt, '<=': operator.le, '>': operator.gt, '>=': operator.ge}[test]
    return how(measured, low.value), low.write(measured, 2), words
