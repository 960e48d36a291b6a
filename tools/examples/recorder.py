#!/usr/bin/env python3
# SPDX-License-Identifier: 0BSD
"""A recorder that duetime can judge:  duetime conform --command 'python3 recorder.py'

Exact is the recorder.  Put your own in its place; the rest is the pipe and stays as it is.
"""
import json
import struct
import sys
from fractions import Fraction


class Exact:
    """Keeps every value; a percentile is the nearest rank, found with whole numbers."""

    def __init__(self):
        self.values = []

    def record(self, value):
        self.values.append(value)

    def record_corrected(self, value, interval):
        """What HdrHistogram does where sends were held back: one more sample for each that is
        missing below a slow one."""
        self.record(value)
        while interval and value >= 2 * interval:
            value -= interval
            self.record(value)

    def answer(self, percentiles):
        values = sorted(self.values)
        n = len(values)
        if n == 0:
            return {'count': 0}
        # ceil(p n / 100).  99.9 * n in floating point would be a sample too high at times.
        ranks = {p: -(-Fraction(p) * n // 100) for p in percentiles}
        return {'count': n, 'min': values[0], 'max': values[-1], 'sum': sum(values),
                'mean': sum(values) / n,
                'percentiles': {p: values[max(1, int(rank)) - 1] for p, rank in ranks.items()},
                'unit': 'ns', 'declares': {'precision': 'exact', 'rank': 'nearest'}}


def text_requests(pipe):
    """One request a line: due, sent, started, finished in ns, status; then acquired, client."""
    for line in pipe:
        if line == b'end\n':
            return
        due, sent, started, finished, status, acquired, client = line.split()
        yield (int(due), int(sent), int(started), int(finished), status == b'ok', int(acquired),
               int(client))


def binary_requests(pipe):
    """A count, then so many records of seven numbers; a count of 0 is the end."""
    while (count := struct.unpack('<I', pipe.read(4))[0]) > 0:
        for due, sent, started, finished, status, acquired, client in struct.iter_unpack(
                '<7Q', pipe.read(56 * count)):
            yield due, sent, started, finished, status == 0, acquired, client


def main():
    pipe = sys.stdin.buffer
    if pipe.readline() != b'duetime-conform 1\n':
        sys.exit('this is not version 1 of the pipe')
    asked = json.loads(pipe.readline())
    if asked['correction'] not in (None, 'hdr'):
        sys.exit('this recorder has no correction ' + asked['correction'])
    interval = asked['interval_ns'] if asked['correction'] else None
    recorder = Exact()
    requests = binary_requests(pipe) if asked['binary'] else text_requests(pipe)
    for due, sent, started, finished, answered, acquired, _client in requests:
        begin = {'due': due, 'acquired': acquired, 'sent': sent, 'started': started}[asked['from']]
        if due < asked['warmup_ns'] or begin > finished:
            continue
        if not answered and asked['failures'] == 'dropped':
            continue
        recorder.record_corrected(finished - begin, interval)
    print(json.dumps(recorder.answer(asked['percentiles'])))


if __name__ == '__main__':
    main()
