import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../../shared/fleet-error.ts';
import { simulateQueue } from '../../../../shared/stats/queue-simulation.ts';
import { QUEUE_TABLE, QUEUE_TABLE_PROBABILITIES, type QueueTableRow } from '../../../support/queue-table.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

describe('simulateQueue', () => {
  it('works one server through by hand (Lindley)', () => {
    const { waits, responses } = simulateQueue({ arrivals: [0, 1, 2, 10], services: [3, 3, 1, 2], servers: 1 });
    expect(Array.from(waits)).toEqual([0, 2, 4, 0]);
    expect(Array.from(responses)).toEqual([3, 5, 5, 2]);
  });

  it('gives each arrival the first free of several servers (Kiefer and Wolfowitz)', () => {
    const { waits, responses } = simulateQueue({ arrivals: [0, 0, 1, 2, 2], services: [5, 2, 4, 1, 1], servers: 2 });
    // Free at 5 and 2; the third starts at 2, ends 6; the fourth at 5, the fifth at 6 (both servers free then).
    expect(Array.from(waits)).toEqual([0, 0, 1, 3, 4]);
    expect(Array.from(responses)).toEqual([5, 2, 5, 4, 5]);
  });

  it('never waits with a server for each arrival', () => {
    const services = [9, 9, 9];
    const { waits, responses } = simulateQueue({ arrivals: [0, 0, 0], services, servers: 3 });
    expect(Array.from(waits)).toEqual([0, 0, 0]);
    expect(Array.from(responses)).toEqual(services);
  });

  it('stays exact on integers of ns late in a long run', () => {
    const start = 9e15;
    const { responses } = simulateQueue({ arrivals: [start, start + 1], services: [3, 2], servers: 1 });
    expect(Array.from(responses)).toEqual([3, 4]);
  });

  it('takes an empty run', () => {
    expect(simulateQueue({ arrivals: [], services: [], servers: 2 }).waits).toHaveLength(0);
  });

  it.each([
    ['arrivals out of order', { arrivals: [2, 1], services: [1, 1], servers: 1 }],
    ['a missing service time', { arrivals: [1, 2], services: [1], servers: 1 }],
    ['a negative service time', { arrivals: [1], services: [-1], servers: 1 }],
    ['an arrival that is not a number', { arrivals: [NaN], services: [1], servers: 1 }],
    ['no server', { arrivals: [1], services: [1], servers: 0 }],
  ])('refuses %s', (_name, input) => {
    expect(() => simulateQueue(input)).toThrow(InvariantError);
  });
});

/** Variance inflation of exceedances in M/M/1, as simulated in M§4.3 (p99); the widest of the percentiles. */
const VARIANCE_INFLATION = new Map([
  [0.5, 9.67],
  [0.8, 82.3],
]);

/** Three standard errors of a simulated exponential-like quantile, relative (M§6.3). */
function tolerance(utilisation: number, probability: number, count: number): number {
  const inflation = VARIANCE_INFLATION.get(utilisation) as number;
  const tail = 1 - probability;
  return (3 * Math.sqrt((probability * tail * inflation) / count)) / (tail * Math.log(1 / tail));
}

const COUNT = 200_000;

/** Samples of the row's quantity, from simulated arrivals and service times, ascending. */
function simulate({ system, servers, utilisation }: QueueTableRow, seed: number): Float64Array {
  const random = seededRandom(seed);
  const arrivals = new Float64Array(COUNT);
  const services = new Float64Array(COUNT);
  let now = 0;
  for (let i = 0; i < COUNT; i += 1) {
    now += random.exponential(1 / (utilisation * servers));
    arrivals[i] = now;
    services[i] = system === 'md1-wait' ? 1 : random.exponential(1);
  }
  const { waits, responses } = simulateQueue({ arrivals, services, servers });
  return (system === 'response' ? responses : waits).sort();
}

describe('theory and simulation agree without a clock', () => {
  const rows = QUEUE_TABLE.filter(({ utilisation }) => VARIANCE_INFLATION.has(utilisation));
  it.each(rows)('$system of $servers servers at utilisation $utilisation, 200,000 arrivals', (row) => {
    const sorted = simulate(row, 20_260_101);
    QUEUE_TABLE_PROBABILITIES.forEach((probability, column) => {
      const simulated = sorted[Math.ceil(probability * COUNT) - 1] as number;
      const exact = row.quantiles[column] as number;
      const allowed = tolerance(row.utilisation, probability, COUNT);
      // At utilisation 0.5 the median wait is exactly the border of the half that does not wait at all.
      if (exact === 0) expect(simulated).toBeLessThan(0.01);
      else expect(Math.abs(simulated / exact - 1)).toBeLessThan(allowed);
    });
    const mean = sorted.reduce((sum, value) => sum + value, 0) / COUNT;
    // The mean of all: relative deviation sqrt(inflation / n) times a coefficient of variation below 2.
    const allowed = 6 * Math.sqrt((VARIANCE_INFLATION.get(row.utilisation) as number) / COUNT);
    expect(Math.abs(mean / row.mean - 1)).toBeLessThan(allowed);
  });
});
