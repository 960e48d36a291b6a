// SPDX-License-Identifier: GPL-3.0-or-later
// What the adapters share: the pipe of `duetime conform`, version 1, as text.
'use strict';
const fs = require('fs');

// The same in every run, for those that roll dice.
let state = 1;
Math.random = () => {
  state = (state * 48271) % 2147483647;
  return state / 2147483647;
};

// make() gives an object with record(ns), answer(percentiles) and, where the package corrects by
// itself, recordCorrected(ns, interval).  All may be asynchronous.
async function speak(make) {
  const lines = fs.readFileSync(0, 'latin1').split('\n');
  if (lines[0] !== 'duetime-conform 1') throw new Error('this is not version 1 of the pipe');
  const asked = JSON.parse(lines[1]);
  const recorder = await make();
  const interval = asked.correction ? asked.interval_ns : 0;
  const record = (value) => {
    if (interval && recorder.recordCorrected) return recorder.recordCorrected(value, interval);
    recorder.record(value);
    for (; interval && value >= 2 * interval; value -= interval) recorder.record(value - interval);
  };
  for (let k = 2; lines[k] !== 'end'; k++) {
    const [due, sent, started, finished, status, acquired] = lines[k].split(' ');
    if (status !== 'ok' && asked.failures === 'dropped') continue;
    if (Number(due) < asked.warmup_ns) continue;
    record(Number(finished) - Number({due, acquired, sent, started}[asked.from]));
  }
  const answer = await recorder.answer(asked.percentiles);
  console.log(JSON.stringify(answer));
};

module.exports = (make) => speak(make).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});

// {"50": at(50), ...}; what is no number is not said.
module.exports.each = (percentiles, at) => Object.fromEntries(percentiles.map((p) => {
  const value = at(Number(p), p);
  return [p, Number.isFinite(value) ? value : null];
}));
