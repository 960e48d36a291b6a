// SPDX-License-Identifier: GPL-3.0-or-later
// hdr-histogram-js, in JavaScript or, with the argument `wasm`, in WebAssembly.
'use strict';
const hdr = require('hdr-histogram-js');
const speak = require('./pipe.js');

speak(async () => {
  const useWebAssembly = process.argv[2] === 'wasm';
  if (useWebAssembly) await hdr.initWebAssembly();
  const h = hdr.build({
    lowestDiscernibleValue: 1, highestTrackableValue: 8.64e13, numberOfSignificantValueDigits: 3,
    bitBucketSize: 64, useWebAssembly,
  });
  return {
    record: (value) => h.recordValue(value),
    recordCorrected: (value, interval) => h.recordValueWithExpectedInterval(value, interval),
    answer: (percentiles) => ({
      count: h.totalCount, min: h.minNonZeroValue, max: h.maxValue, mean: h.mean,
      percentiles: speak.each(percentiles, (p) => h.getValueAtPercentile(p)),
    }),
  };
});
