/**
 * Is the machine still the one that was calibrated (M§9.3)? A short check before the run and one after it: the floor, and whether the
 * plan's rate per worker is clean against a target of known service time. Judges what was measured elsewhere.
 */
import { millisecondsText, notMeasured } from './gate-making.ts';
import { GATES } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** One check. */
export type CalibrationCheck =
  | {
      readonly kind: 'made';
      /** Rate per worker at which it was checked, and the workers that ran. */
      readonly ratePerSecond: number;
      readonly workers: number;
      /** Response of the null target to nearly idle workers, ns. */
      readonly floorP50Ns: number | null;
      readonly floorP99Ns: number | null;
      /** Of the checked rate: how grave the excess bound of p50 and p99 is, and whether 99 % was sent and answered. */
      readonly level: 'pass' | 'warn' | 'fail' | 'not-measured';
      readonly isCarried: boolean;
    }
  /** It could not be made. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Both checks of a run. */
export interface CalibrationRecheck {
  readonly before: CalibrationCheck;
  readonly after: CalibrationCheck;
  /** p50 of the floor in the machine's calibration; null without one. */
  readonly calibratedFloorP50Ns: number | null;
}

/** A floor moved when it moved by more than this share of what it was, and by more than the slack. */
const FLOOR_SHARE = 0.5;
const FLOOR_SLACK_NS = 100_000;

/** Warns for every check that was not clean and every floor that moved. */
export function recheckGate({ before, after, calibratedFloorP50Ns }: CalibrationRecheck): Gate {
  const row = GATES['calibration-recheck'];
  const problems = [...problemsOf('before the run', before), ...problemsOf('after the run', after)];
  if (before.kind === 'failed' || after.kind === 'failed') {
    if (problems.length === 0 || (before.kind === 'failed' && after.kind === 'failed')) {
      const reason = [before, after].flatMap((check) => (check.kind === 'failed' ? [check.reason] : []))[0] ?? '';
      return notMeasured('calibration-recheck', row.unit, row.warnBeyond, `the check could not be made: ${reason}`);
    }
  }
  const floors: readonly (readonly [string, number | null])[] = [
    ['in the calibration', calibratedFloorP50Ns],
    ['before the run', floorOf(before)],
    ['after the run', floorOf(after)],
  ];
  problems.push(...floorProblems(floors));
  const measured = problems.length;
  const kind = measured > row.warnBeyond ? 'warn' : 'pass';
  const reason =
    kind === 'pass'
      ? 'before and after the run the machine was as calibrated'
      : `this is not the machine that was calibrated, or it is busy: ${problems.join('; ')}`;
  return { kind, name: 'calibration-recheck', measured, limit: row.warnBeyond, unit: row.unit, reason };
}

function problemsOf(when: string, check: CalibrationCheck): string[] {
  if (check.kind === 'failed') return [];
  const at = `${when} ${check.ratePerSecond.toFixed(1)}/s per worker`;
  if (!check.isCarried) return [`${at} could not be sent or was not answered`];
  switch (check.level) {
    case 'pass':
      return [];
    case 'warn':
    case 'fail':
      return [`${at} was not clean`];
    case 'not-measured':
      return [`${at} gave too few answers to be judged`];
  }
}

function floorOf(check: CalibrationCheck): number | null {
  return check.kind === 'failed' ? null : check.floorP50Ns;
}

/** Neighbours among the known floors that lie too far apart. */
function floorProblems(floors: readonly (readonly [string, number | null])[]): readonly string[] {
  const known = floors.flatMap(([when, ns]) => (ns === null ? [] : [{ when, ns }]));
  return known.slice(1).flatMap(({ when, ns }, index) => {
    const earlier = known[index] as (typeof known)[number];
    const moved = Math.abs(ns - earlier.ns);
    if (moved <= FLOOR_SLACK_NS || moved <= FLOOR_SHARE * earlier.ns) return [];
    return [
      `the floor went from ${millisecondsText(earlier.ns)} (${earlier.when}) to ${millisecondsText(ns)} (${when})`,
    ];
  });
}
