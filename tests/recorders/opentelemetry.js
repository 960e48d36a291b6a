// SPDX-License-Identifier: GPL-3.0-or-later
// The exponential histogram of @opentelemetry/sdk-metrics with its default of 160 buckets.  It has
// no percentiles: the adapter tells the upper end of the bucket that holds the rank.
'use strict';
const {AggregationType, MeterProvider, MetricReader} = require('@opentelemetry/sdk-metrics');
const speak = require('./pipe.js');

class Reader extends MetricReader {
  async onForceFlush() {}
  async onShutdown() {}
}

speak(() => {
  const reader = new Reader();
  const provider = new MeterProvider({
    readers: [reader],
    views: [{instrumentName: '*', aggregation: {type: AggregationType.EXPONENTIAL_HISTOGRAM}}],
  });
  const h = provider.getMeter('m').createHistogram('h');
  return {
    record: (value) => h.record(value),
    async answer(percentiles) {
      const {resourceMetrics} = await reader.collect();
      const {value} = resourceMetrics.scopeMetrics[0].metrics[0].dataPoints[0];
      const base = 2 ** (2 ** -value.scale);
      const at = (p) => {
        const rank = Math.max(1, Math.ceil(Number((p * value.count / 100).toFixed(9))));
        let left = rank - value.zeroCount;
        let k = 0;
        for (; left > value.positive.bucketCounts[k]; k++) left -= value.positive.bucketCounts[k];
        return left <= 0 ? 0 : base ** (value.positive.offset + k + 1);
      };
      return {
        count: value.count, min: value.min, max: value.max, sum: value.sum,
        percentiles: speak.each(percentiles, at),
        declares: {precision: {relative: Number((base - 1).toPrecision(6))}},
      };
    },
  };
});
