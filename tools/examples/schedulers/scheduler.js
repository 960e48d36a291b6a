// SPDX-License-Identifier: 0BSD
// A send loop that duetime can judge: duetime conform --scheduler 'node scheduler.js'
//
// An open load with even or listed instants and a window, and a paced load that catches up; it
// refuses the others.
'use strict';
const readline = require('readline');

let load = null, wide = null;
let senders = [];             // one a connection: its next slot, and whether it awaits an answer
let inFlight = 0;

// Instants by index, in integers: 1e9/3 ns added up loses a slot in a while.
function due(slot) {
  if (load.times_ns) return slot < load.times_ns.length ? load.times_ns[slot] : Infinity;
  if (load.every_ns !== null) return slot * load.every_ns;
  const [whole, part = ''] = load.rate.split('.');
  return Number(BigInt(slot) * 10n ** BigInt(9 + part.length) / BigInt(whole + part));
}

function isOver(slot) {
  return slot >= (load.requests ?? Infinity) || due(slot) >= (load.duration_ns ?? Infinity) ||
    due(slot) === Infinity;
}

function turn(now) {
  let wake = Infinity, over = true;
  senders.forEach((sender, connection) => {
    while (!sender.busy && !isOver(sender.slot)) {
      if (due(sender.slot) > now) {
        wake = Math.min(wake, due(sender.slot));
        break;
      }
      if (inFlight >= (load.max_in_flight ?? Infinity)) break;
      console.log(`send ${sender.slot} ${due(sender.slot)} ${connection}`);
      inFlight++;
      sender.slot += wide;
      sender.busy = load.kind === 'paced';
    }
    over = over && isOver(sender.slot);
  });
  console.log(over ? 'end' : wake === Infinity ? 'wait done' : `wait ${wake}`);
}

function begin(text) {
  load = JSON.parse(text);
  wide = load.connections ?? 1;
  senders = Array.from({length: wide}, (_, slot) => ({slot, busy: false}));
}

let number = 0;
readline.createInterface({input: process.stdin}).on('line', (line) => {
  number++;
  if (number === 1) return;                    // duetime-schedule 1
  if (number === 2) return begin(line);
  const words = line.split(' ');
  if (load.arrivals === 'poisson' || load.factor || !['catch-up', null].includes(load.late)) {
    console.log('refuse');
    return;
  }
  if (words[0] === 'done') {
    inFlight--;
    senders[Number(words[1]) % wide].busy = false;
  }
  turn(Number(words[words.length - 1]));
});
