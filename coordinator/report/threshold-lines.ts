/** What was demanded of the target and what was measured, as the summary shows it: thresholds of the run, then goodput under the SLO. */
import type { ResultValue } from './result-value.ts';
import { countText, rateText, shareText, timeText } from './text-format.ts';
import type { ThresholdValue } from './threshold-value.ts';

/** The lines; none where the plan sets no bound. */
export function thresholdLines(value: ResultValue): readonly string[] {
  const lines: string[] = [];
  for (const threshold of value.thresholds) {
    const measured =
      threshold.unit === 'ns'
        ? timeText(threshold.measured)
        : threshold.unit === 'share'
          ? shareText(threshold.measured)
          : threshold.unit === '1/s'
            ? rateText(threshold.measured)
            : tokensOrCountText(threshold.measured, threshold.unit);
    const note = threshold.reason === null ? '' : ` (${threshold.reason})`;
    lines.push(`  ${threshold.result.toUpperCase().padEnd(7)}  ${threshold.text}  measured ${measured}${note}`);
  }
  if (value.slo !== null) {
    const bounds = value.slo.bounds.map((bound) => `${bound.metric} <= ${timeText(bound.maxNs)}`).join(', ');
    const { good, goodShare, goodputPerSecond } = value.slo;
    lines.push(`  goodput  ${countText(good)}  ${rateText(goodputPerSecond)}  ${shareText(goodShare)} met ${bounds}`);
  }
  return lines.length === 0 ? [] : ['thresholds and SLO', ...lines];
}

/** Counts as they are; counts of tokens with their unit. */
function tokensOrCountText(measured: number | null, unit: ThresholdValue['unit']): string {
  if (unit === 'count' || measured === null) return countText(measured);
  return unit.startsWith('milli-') ? `${measured / 1000} ${unit.slice('milli-'.length)}` : `${measured} ${unit}`;
}
