// SPDX-License-Identifier: GPL-3.0-or-later
// prom-client, which takes seconds: `histogram` with the default buckets, of which the adapter
// tells the upper bound that holds the rank; `summary`; `window`, a summary over the last hour in
// five parts.
'use strict';
const prom = require('prom-client');
const speak = require('./pipe.js');

function histogram() {
  const h = new prom.Histogram({name: 'h', help: 'h', registers: []});
  return {
    record: (value) => h.observe(value / 1e9),
    async answer(percentiles) {
      const {values} = await h.get();
      const buckets = values.filter((v) => v.metricName === 'h_bucket');
      const of = (name) => values.find((v) => v.metricName === name).value;
      const count = of('h_count');
      const rank = (p) => Math.max(1, Math.ceil(Number((p * count / 100).toFixed(9))));
      return {
        count, sum: of('h_sum'), mean: of('h_sum') / count, unit: 's',
        percentiles: speak.each(percentiles,
          (p) => buckets.find((b) => b.value >= rank(p)).labels.le),
        declares: {precision: {bounds: buckets.map((b) => b.labels.le).filter(Number.isFinite)}},
      };
    },
  };
}

function summary(more) {
  const values = [];
  return {
    record: (value) => values.push(value / 1e9),
    async answer(percentiles) {
      const s = new prom.Summary({
        name: 's', help: 's', registers: [], percentiles: percentiles.map((p) => Number(p) / 100),
        ...more,
      });
      for (const value of values) s.observe(value);
      const got = (await s.get()).values;
      const of = (name) => got.find((v) => v.metricName === name).value;
      return {
        count: of('s_count'), sum: of('s_sum'), mean: of('s_sum') / of('s_count'), unit: 's',
        percentiles: speak.each(percentiles,
          (p) => got.find((v) => v.labels.quantile === p / 100).value),
      };
    },
  };
}

const kinds = {
  histogram,
  summary: () => summary({}),
  window: () => summary({maxAgeSeconds: 3600, ageBuckets: 5}),
};
speak(kinds[process.argv[2]]);
