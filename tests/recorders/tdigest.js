// SPDX-License-Identifier: GPL-3.0-or-later
// tdigest with its default settings.
'use strict';
const {TDigest} = require('tdigest');
const speak = require('./pipe.js');

speak(() => {
  const digest = new TDigest();
  return {
    record: (value) => digest.push(value),
    answer(percentiles) {
      digest.compress();
      return {
        count: digest.n,
        min: digest.percentile(0),
        max: digest.percentile(1),
        percentiles: speak.each(percentiles, (p) => digest.percentile(p / 100)),
      };
    },
  };
});
