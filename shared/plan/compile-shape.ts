/** From a rate shape as written to knots and the length they span. */

import { assertNever } from '../assert-never.ts';
import { FleetError } from '../fleet-error.ts';
import type { Knot } from '../schedule/arrival-law.ts';
import { parseInstants } from '../schedule/parse-instants.ts';
import { rampRate, sineRate, spikeRate, steppedRate } from '../schedule/rate-shapes.ts';
import { formatDuration } from '../time/duration.ts';
import { visitCsv } from './csv.ts';
import { decodeDataText } from './data-rows.ts';
import type { RateFileText, RateShape } from './load-grammar.ts';
import type { BlobCollector } from './plan-sources.ts';
import { quoted } from './problem-list.ts';
import { parseRate } from './rate.ts';

/** Every shape but a constant. */
export type Shape = Exclude<RateShape, { readonly kind: 'constant' }>;

/** A curve and its length. */
export interface CompiledShape {
  readonly knots: readonly Knot[];
  readonly durationNs: number;
}

/**
 * Compiles `shape` for a phase of `durationNs`, or of its own length where that is null.
 * @throws FleetError 'plan' where a length is missing or contradicts the shape.
 */
export function compileShape(shape: Shape, durationNs: number | null, blobs: BlobCollector): CompiledShape {
  switch (shape.kind) {
    case 'ramp':
      return over(shape.kind, durationNs, (ns) => rampRate(shape.value.from, shape.value.to, ns / 1e9));
    case 'spike': {
      const { base, peak, at, width } = shape.value;
      const spike = { baseRatePerSecond: base, peakRatePerSecond: peak, atNs: at, widthNs: width };
      return over(shape.kind, durationNs, (ns) => spikeRate(spike, ns));
    }
    case 'sine': {
      const { mean, amplitude, period } = shape.value;
      const sine = { meanRatePerSecond: mean, amplitude, periodSeconds: period / 1e9 };
      return over(shape.kind, durationNs, (ns) => sineRate(sine, ns / 1e9));
    }
    case 'steps': {
      const steps = shape.value.map((step) => ({ ratePerSecond: step.rate, durationNs: step.duration }));
      const totalNs = shape.value.reduce((sum, step) => sum + step.duration, 0);
      return ownLength('steps', steppedRate(steps), totalNs, durationNs);
    }
    case 'points': {
      const points = shape.value.map(({ at, rate }) => ({ atNs: at, ratePerSecond: rate }));
      return pointsCurve('points', points, durationNs);
    }
    case 'file':
      return pointsCurve(`the points of ${shape.value.file}`, readRateFile(shape.value, blobs), durationNs);
    default:
      return assertNever(shape);
  }
}

function over(kind: string, durationNs: number | null, knotsOver: (ns: number) => readonly Knot[]): CompiledShape {
  if (durationNs === null) throw new FleetError('plan', `a ${kind} needs a duration`);
  return { knots: knotsOver(durationNs), durationNs };
}

interface RatePoint {
  readonly atNs: number;
  readonly ratePerSecond: number;
}

function pointsCurve(what: string, points: readonly RatePoint[], durationNs: number | null): CompiledShape {
  const knots = points.map(({ atNs, ratePerSecond }) => ({ tSeconds: atNs / 1e9, ratePerSecond }));
  return ownLength(what, knots, points.at(-1)?.atNs ?? 0, durationNs);
}

/** A shape that has a length of its own: a duration may repeat it, not change it. */
function ownLength(what: string, knots: readonly Knot[], ownNs: number, durationNs: number | null): CompiledShape {
  if (ownNs === 0) throw new FleetError('plan', `${what}: the last one is at 0, so the phase would have no length`);
  if (durationNs !== null && durationNs !== ownNs) {
    const [own, given] = [formatDuration(ownNs), formatDuration(durationNs)];
    throw new FleetError('plan', `${what} span ${own}, but the duration is ${given}; leave the duration out`);
  }
  return { knots, durationNs: ownNs };
}

/** Points from a file with a time and a rate column. */
function readRateFile(file: RateFileText, blobs: BlobCollector): RatePoint[] {
  const text = decodeDataText(blobs.readFile(file.file), file.file);
  const { instantsNs } = parseInstants(text, file.file, {
    format: { kind: 'csv', column: file.time, unit: file.unit },
    origin: 'keep',
    speed: 1,
    order: 'ascending',
    orderAdvice: 'sort the rows',
  });
  const rates = readRateColumn(text, file);
  return Array.from(instantsNs, (atNs, row) => ({ atNs, ratePerSecond: rates[row] as number }));
}

function readRateColumn(text: string, file: RateFileText): number[] {
  const rates: number[] = [];
  let column = -1;
  visitCsv(text, file.file, {
    header: (names) => {
      column = names.indexOf(file.rate);
      if (column < 0) throw new FleetError('plan', `${file.file}: has no column ${quoted(file.rate)}`);
    },
    row: (cells, line) => {
      try {
        rates.push(parseRate((cells[column] as string).trim()));
      } catch (error) {
        if (!(error instanceof FleetError)) throw error;
        throw new FleetError('plan', `${file.file}: line ${line()}: ${error.message}`);
      }
    },
  });
  return rates;
}
