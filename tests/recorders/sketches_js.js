// SPDX-License-Identifier: GPL-3.0-or-later
// @datadog/sketches-js: a DDSketch of one percent, its default.
'use strict';
const {DDSketch} = require('@datadog/sketches-js');
const speak = require('./pipe.js');

speak(() => {
  const sketch = new DDSketch({relativeAccuracy: 0.01});
  return {
    record: (value) => sketch.accept(value),
    answer: (percentiles) => ({
      count: sketch.count, min: sketch.min, max: sketch.max, sum: sketch.sum,
      percentiles: speak.each(percentiles, (p) => sketch.getValueAtQuantile(p / 100)),
    }),
  };
});
