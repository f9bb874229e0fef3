/** `slo`: a mapping of metrics to durations. */

import { durationField, type Field, INVALID, type Invalid, refuse } from './plan-field.ts';
import { pathOf, type PlanNode } from './plan-node.ts';
import type { SloBound } from './plan.ts';
import type { ProblemList } from './problem-list.ts';
import { unitOf } from '../metrics/metric.ts';
import { BOUNDED_METRICS, METRIC_ALIASES, metricNamed } from './threshold.ts';

/** Metrics of one request that are times, and other names for them. */
const SLO_METRICS: readonly string[] = [
  ...BOUNDED_METRICS.filter((metric) => unitOf(metric) === 'ns'),
  ...Object.keys(METRIC_ALIASES),
];

const boundField = durationField({ minNs: 0 });

/** Bounds of one request. */
export const sloField: Field<readonly SloBound[]> = {
  words: `a mapping of metrics (${SLO_METRICS.join(', ')}) to durations`,
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(SLO_METRICS.map((metric) => [metric, { type: 'string' }])),
  },
  read: readSlo,
};

function readSlo(node: PlanNode, path: string, problems: ProblemList): readonly SloBound[] | Invalid {
  const place = { path, origin: node.origin };
  if (node.kind !== 'mapping') return refuse(problems, place, 'is not a mapping such as {response: 200ms}');
  const bounds: SloBound[] = [];
  for (const { key, keyOrigin, value } of node.entries) {
    const at = { path: pathOf(path, key), origin: keyOrigin };
    if (!SLO_METRICS.includes(key)) {
      problems.addUnknownKey(at.path, keyOrigin, key, SLO_METRICS);
    } else {
      const maxNs = boundField.read(value, at.path, problems);
      if (maxNs !== INVALID) bounds.push({ metric: metricNamed(key), maxNs });
    }
  }
  return bounds.length === node.entries.length ? bounds : INVALID;
}
