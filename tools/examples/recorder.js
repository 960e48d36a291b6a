// SPDX-License-Identifier: 0BSD
// A recorder that duetime can judge:  duetime conform --command 'node recorder.js'
//
// Exact is the recorder.  Put your own in its place; the rest is the pipe and stays as it is.
'use strict';
const fs = require('fs');

// Keeps every value; a percentile is the nearest rank.  A Number holds whole ns exactly up to
// 2^53, 104 days; only the sum may need more.
class Exact {
  constructor() {
    this.values = [];
  }

  record(value) {
    this.values.push(value);
  }

  // What HdrHistogram does where sends were held back: one more sample for each that is missing
  // below a slow one.
  recordCorrected(value, interval) {
    this.record(value);
    for (; interval && value >= 2 * interval; value -= interval) this.record(value - interval);
  }

  answer(percentiles) {
    const values = Float64Array.from(this.values).sort();
    const n = values.length;
    if (n === 0) return {count: 0};
    let sum = 0n;
    for (const value of values) sum += BigInt(value);
    const found = {};
    for (const p of percentiles) {
      // ceil(p n / 100) in whole numbers: p is text, such as 99.9.
      const [whole, part = ''] = p.split('.');
      const above = BigInt(whole + part) * BigInt(n);
      const below = 100n * 10n ** BigInt(part.length);
      const rank = Number((above + below - 1n) / below);
      found[p] = values[Math.max(rank, 1) - 1];
    }
    return {
      count: n, min: values[0], max: values[n - 1],
      sum: String(sum),  // JSON has no BigInt: a number in quotes will do
      mean: Number(sum) / n,
      percentiles: found,
      unit: 'ns', declares: {precision: 'exact', rank: 'nearest'},
    };
  }
}

// One request a line: due, sent, started, finished in ns, status; then acquired, client.
function takeText(input, at, take) {
  for (;;) {
    const end = input.indexOf(10, at);
    const line = input.toString('latin1', at, end);
    if (line === 'end') return;
    const [due, sent, started, finished, status, acquired] = line.split(' ');
    take(Number(due), Number(sent), Number(started), Number(finished), status === 'ok',
         Number(acquired));
    at = end + 1;
  }
}

// A count, then so many records of seven numbers; a count of 0 is the end.
function takeBinary(input, at, take) {
  for (let count; (count = input.readUInt32LE(at)) > 0;) {
    at += 4;
    for (; count > 0; count--, at += 56) {
      const number = (k) => Number(input.readBigUInt64LE(at + 8 * k));
      take(number(0), number(1), number(2), number(3), number(4) === 0, number(5));
    }
  }
}

function main() {
  const input = fs.readFileSync(0);
  const first = input.indexOf(10);
  const second = input.indexOf(10, first + 1);
  if (input.toString('latin1', 0, first) !== 'duetime-conform 1')
    throw new Error('this is not version 1 of the pipe');
  const asked = JSON.parse(input.toString('utf8', first, second));
  if (asked.correction !== null && asked.correction !== 'hdr')
    throw new Error('this recorder has no correction ' + asked.correction);
  const interval = asked.correction ? asked.interval_ns : null;
  const recorder = new Exact();
  const take = (due, sent, started, finished, answered, acquired) => {
    const begin = {due, acquired, sent, started}[asked.from];
    if (due < asked.warmup_ns || begin > finished) return;
    if (!answered && asked.failures === 'dropped') return;
    recorder.recordCorrected(finished - begin, interval);
  };
  (asked.binary ? takeBinary : takeText)(input, second + 1, take);
  console.log(JSON.stringify(recorder.answer(asked.percentiles)));
}

main();
