// SPDX-License-Identifier: GPL-3.0-or-later
// perf_hooks.createHistogram: HdrHistogram_c inside Node.  It has no p0.
'use strict';
const {createHistogram} = require('perf_hooks');
const speak = require('./pipe.js');

speak(() => {
  const h = createHistogram({figures: 3});
  return {
    record: (value) => h.record(value),
    answer: (percentiles) => ({
      count: h.count, min: h.min, max: h.max, mean: h.mean,
      percentiles: speak.each(percentiles, (p) => p > 0 ? h.percentile(p) : NaN),
    }),
  };
});
