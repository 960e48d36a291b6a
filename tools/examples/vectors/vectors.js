// SPDX-License-Identifier: 0BSD
// Holds a recorder to the test vectors:  node vectors.js results/vectors/*.json
//
// report() is the recorder.  Put your own in its place; the rest stays as it is.
'use strict';
const fs = require('fs');

function report(samples, percentiles) {
  const x = Float64Array.from(samples).sort();
  const n = x.length;
  const sum = x.reduce((a, b) => a + b, 0);
  const said = {count: n, sum, mean: n ? sum / n : null,
                min: n ? x[0] : null, max: n ? x[n - 1] : null};
  for (const p of percentiles) {
    const [whole, part = ''] = p.split('.');
    const below = 100 * 10 ** part.length;
    const rank = Math.floor((Number(whole + part) * n + below - 1) / below);
    said['p' + p] = n ? x[Math.max(1, rank) - 1] : null;
  }
  return said;
}

// The rest is glue.

function* samples({asked, values = [], requests = []}) {
  const found = [];
  for (const [first, times, step] of values)
    for (let k = 0; k < times; k++) found.push(first + k * step);
  for (const [due, sent, , finished, status] of requests)
    if (status === 'ok' || asked.failures !== 'dropped')
      found.push(finished - (asked.from === 'due' ? due : sent));
  for (let value of found) {
    yield value;
    const interval = asked.correction ? asked.interval_ns : Infinity;
    for (; value >= 2 * interval; value -= interval) yield value - interval;
  }
}

// A mean is given to a thousandth.
const differ = (said, right) => Object.keys(right).filter((key) => said[key] !== right[key] &&
  (said[key] === null || right[key] === null || Math.abs(said[key] - right[key]) > 0.001));

for (const name of process.argv.slice(2)) {
  if (name.endsWith('schema.json')) continue;
  const vector = JSON.parse(fs.readFileSync(name, 'utf8'));
  for (const one of vector.cases) {
    const title = `${vector.title}: ${one.name}`;
    if (![null, 'hdr'].includes(one.asked.correction)) {
      console.log('skip', title);
      continue;
    }
    const {count, min, max, mean, sum} = one;
    const right = {count, min, max, mean, sum};
    const percentiles = one.answers[0].percentiles;
    for (const p in percentiles) right['p' + p] = percentiles[p];
    const said = report(samples(one), Object.keys(percentiles));
    const bad = differ(said, right);
    console.log(bad.length ? 'not ok' : 'ok', title);
    for (const key of bad) console.log(`  ${key} is ${said[key]}, not ${right[key]}`);
    for (const wrong of bad.length ? one.wrong : [])
      if (!differ(said, {...right, ...wrong.says}).length)
        console.log(`  as ${wrong.fault} says: it ${wrong.does}`);
    if (bad.length) process.exitCode = 1;
  }
}
