/** Values that a plan may have but that are nearly always meant otherwise: each is said as a warning, and means what it says. */

import type { RequestTemplate, Threshold } from './plan.ts';
import { quoted } from './problem-list.ts';

/** A warning for each. */
export function doubtfulValues(
  thresholds: readonly Threshold[],
  requests: readonly Pick<RequestTemplate, 'name' | 'body'>[],
): readonly string[] {
  return [
    ...thresholds.flatMap(percentileAsShare),
    ...thresholds.flatMap(shareAsPercent),
    ...requests.flatMap(bodyAsFile),
  ];
}

/** `p0.99` is written where a share of 0.99 is meant: such a bound on nearly the smallest value is always met. */
function percentileAsShare({ text, statistic }: Threshold): readonly string[] {
  if (statistic.kind !== 'percentile' || statistic.percentile >= 1) return [];
  const { percentile } = statistic;
  const meant = `p${Number((percentile * 100).toPrecision(12))}`;
  return [
    `threshold ${quoted(text)}: only ${percentile} % of the requests are below p${percentile}; ${meant} is meant?`,
  ];
}

/** `share(failed)<1` is written where 1 % is meant: such a bound is met as long as one request is otherwise. */
function shareAsPercent({ text, statistic, comparison, bound }: Threshold): readonly string[] {
  if (statistic.kind !== 'share' || !comparison.startsWith('<') || bound !== 1 || text.endsWith('%')) return [];
  return [`threshold ${quoted(text)}: a share of 1 is 100 %; 1% is meant?`];
}

/** `@name` names a file in other tools. */
function bodyAsFile({ name, body }: Pick<RequestTemplate, 'name' | 'body'>): readonly string[] {
  if (body.kind !== 'text' || !/^@\S+$/.test(body.text)) return [];
  return [`request "${name}": the body is the text ${quoted(body.text)}; a file is named by bodyFile in a plan`];
}
