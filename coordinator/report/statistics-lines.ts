/**
 * The lines of the summary that say how far the headline percentiles can be trusted: how much of each can be the fleet, its
 * interval, and what the samples are worth. Made from the value of `result.json` alone.
 */
import type { PERCENTILES } from './metric-summary.ts';
import type { PercentileStatistics } from './percentile-statistics.ts';
import type { PhaseValue, ResultValue } from './result-value.ts';
import { countText, shareText, timeText } from './text-format.ts';

/** Phases whose backlog is named. */
const PHASES_SHOWN = 10;

/** The section, empty when no request was ok. `keys` are the percentiles of the summary. */
export function statisticsLines(value: ResultValue, keys: readonly (typeof PERCENTILES)[number][]): readonly string[] {
  const { response } = value.statistics.metrics;
  const known = keys.flatMap((key) => {
    const statistics = response[key];
    return statistics === null ? [] : [{ key, statistics }];
  });
  if (known.length === 0) return [];
  const confidence = `${value.statistics.confidence * 100} %`;
  return [
    `response of ok requests: how much can be the fleet, and ${confidence} intervals (the wider of blocks and order statistics)`,
    ...known.map(({ key, statistics }) => `  ${percentileLine(key, statistics)}`),
    ...worthLines(known),
    ...value.phases.slice(0, PHASES_SHOWN).flatMap(backlogLine),
  ];
}

/** `p99 = 46.0 ms, of which at most 1.00 ms (2.17 %) can be the fleet; 44.1 ms to 47.9 ms`. */
function percentileLine(key: string, statistics: PercentileStatistics): string {
  if (!statistics.enough) return `p${key}: not enough samples for p${key}`;
  const { value, excess, interval } = statistics;
  const share = excess === null || excess.share === null ? '' : ` (${shareText(excess.share)})`;
  const ours =
    excess === null
      ? 'how much of it can be the fleet was not measured'
      : `of which at most ${timeText(excess.bound)}${share} can be the fleet`;
  const low = interval.low === null ? 'no lower end' : timeText(interval.low);
  return `p${key} = ${timeText(value)}, ${ours}; ${low} to ${timeText(interval.high)}`;
}

/** Effective sample sizes, and MLPerf's count beside them. */
function worthLines(
  known: readonly { readonly key: string; readonly statistics: PercentileStatistics }[],
): readonly string[] {
  const blocks = known.flatMap(({ key, statistics }) =>
    statistics.blocks === null ? [] : [{ key, blocks: statistics.blocks }],
  );
  const effective = blocks
    .map(({ key, blocks: { effectiveSamples, count } }) => `p${key} ${countText(effectiveSamples)} (${count} blocks)`)
    .join(', ');
  const dependent = blocks.filter((one) => one.blocks.dependent).map(({ key }) => `p${key}`);
  const early = known
    .map(({ key, statistics: { earlyStopping } }) => {
      const { overBoundAllowed, shownBound } = earlyStopping;
      return overBoundAllowed === null
        ? `p${key} too few`
        : `p${key} <= ${timeText(shownBound)} with ${countText(overBoundAllowed)} over`;
    })
    .join(', ');
  return [
    effective === ''
      ? '  effective samples: not measured (fewer than 6 windows), so dependence between requests is not seen'
      : `  effective samples: ${effective}`,
    ...(dependent.length === 0
      ? []
      : [
          `  too short a run: blocks still depend on each other at ${dependent.join(', ')}, so intervals are too narrow`,
        ]),
    `  MLPerf early stopping at 99 % (iid: as if requests were independent): ${early}`,
  ];
}

function backlogLine({ name, backlog }: PhaseValue): readonly string[] {
  if (backlog.kind !== 'unstable') return [];
  const perSecond = backlog.slopePerSecond.toFixed(1);
  return [
    `  UNSTABLE target in phase ${name}: requests in flight grew by ${countText(backlog.growth)} (${perSecond} per second); its times grow with its length`,
  ];
}
