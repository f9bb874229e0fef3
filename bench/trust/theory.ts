/**
 * Textbook queues through the real stack: the target serves each request for a time drawn by its identity, first come first served, so
 * the response that each single request must have follows from the planned instants alone (Lindley; Kiefer and Wolfowitz). Each
 * measured request is held against its own expected value, and the run's percentiles against those of exactly these requests
 * and of the textbook.
 */
import { seedFromBigInt } from '../../shared/random/seed.ts';
import { createArrival } from '../../shared/schedule/arrival-stream.ts';
import { allLanes } from '../../shared/schedule/deal.ts';
import { openPhaseStream } from '../../shared/schedule/phase-stream.ts';
import { nearestRank } from '../../shared/histogram/nearest-rank.ts';
import { simulateQueue } from '../../shared/stats/queue-simulation.ts';
import { md1WaitQuantile, mmcResponseQuantile } from '../../shared/stats/queue-theory.ts';
import { startTarget } from '../../target/reference-target.ts';
import { serviceTimeNs } from '../../target/request-draw.ts';
import { parseServiceLaw } from '../../target/service-law.ts';
import { benchRun, RUN_OVERHEAD_SECONDS } from './one-run.ts';

/** One queue. */
export interface TheorySystem {
  readonly name: string;
  readonly servers: number;
  readonly law: 'exponential' | 'constant';
  readonly utilisation: number;
}

/** The queues of the table. */
export const THEORY_SYSTEMS: readonly TheorySystem[] = [0.5, 0.8].flatMap((utilisation): TheorySystem[] => [
  { name: 'M/M/1', servers: 1, law: 'exponential', utilisation },
  { name: 'M/D/1', servers: 1, law: 'constant', utilisation },
  { name: 'M/M/4', servers: 4, law: 'exponential', utilisation },
]);

/** What one queue came to. Times in units of the mean service time. */
export interface TheoryRow {
  readonly system: TheorySystem;
  readonly requests: number;
  /** Requests that were answered and found at the target. */
  readonly matched: number;
  /** Of each request: measured at the target less expected; p50, p90, p99. */
  readonly errors: readonly [number, number, number];
  readonly percentiles: readonly {
    readonly percentage: number;
    /** As the run reported it. */
    readonly measured: number | null;
    /** Of exactly these requests. */
    readonly expected: number;
    /** Of the textbook, for an endless run. */
    readonly textbook: number;
  }[];
  readonly verdict: string;
}

const SERVICE_NS = 10_000_000;
const RUN_SEED = 11n;
const TARGET_SEED = 5n;
/** The default of a plan. */
const LANES = 4096;
const PERCENTAGES = [50, 90, 99] as const;

/** How long a run of about `requests` requests takes, seconds. */
export function secondsForTheory(system: TheorySystem, requests: number): number {
  return lengthOf(system, requests) + RUN_OVERHEAD_SECONDS;
}

function rateOf({ utilisation, servers }: TheorySystem): number {
  return (utilisation * servers) / (SERVICE_NS / 1e9);
}

function lengthOf(system: TheorySystem, requests: number): number {
  return Math.max(1, Math.round(requests / rateOf(system)));
}

/** Runs `system` with about `requests` requests. */
export async function theoryRow(system: TheorySystem, requests: number): Promise<TheoryRow> {
  const rate = rateOf(system);
  const seconds = lengthOf(system, requests);
  const law = `${system.law}:${SERVICE_NS / 1e6}ms`;
  const expected = expectedResponses(system, rate, seconds, law);
  const target = await startTarget({ service: law, servers: system.servers, seed: TARGET_SEED, keepIdentities: true });
  try {
    const plan = ['--url', target.url, '--rate', String(rate), '--duration', `${seconds}s`];
    const fleet = ['--seed', String(RUN_SEED), '--identify', '--agents', '1', '--workers', '1'];
    const { result } = await benchRun([...plan, ...fleet], 'none');
    const kept = target.keptRequests().flatMap((request) => {
      const known = expected.get(request.identity ?? '');
      return known === undefined ? [] : [{ ...known, endNs: request.endNs, receivedNs: request.receivedNs }];
    });
    // Nothing arrives before its instant, so the least delay seen ties the two time axes together.
    const t0Ns = kept.reduce((least, { receivedNs, intendedNs }) => Math.min(least, receivedNs - intendedNs), Infinity);
    const errors = kept.map(({ endNs, intendedNs, responseNs }) => endNs - t0Ns - intendedNs - responseNs);
    const truths = [...expected.values()].map(({ responseNs }) => responseNs);
    const measured = result?.metrics['response']?.percentiles;
    return {
      system,
      requests: expected.size,
      matched: kept.length,
      errors: [at(errors, 50), at(errors, 90), at(errors, 99)],
      percentiles: PERCENTAGES.map((percentage) => {
        const value = measured?.[String(percentage) as '50' | '90' | '99'] ?? null;
        return {
          percentage,
          measured: value === null ? null : value / SERVICE_NS,
          expected: at(truths, percentage),
          textbook: textbook(system, percentage / 100),
        };
      }),
      verdict: result?.verdict.status ?? 'no result',
    };
  } finally {
    await target.close();
  }
}

/** For each identity as the header has it: its instant and the response it must have. */
function expectedResponses(
  { servers }: TheorySystem,
  rate: number,
  seconds: number,
  lawText: string,
): Map<string, { intendedNs: number; responseNs: number }> {
  const knots = [0, seconds].map((tSeconds) => ({ tSeconds, ratePerSecond: rate }));
  const basis = {
    seed: seedFromBigInt(RUN_SEED),
    trial: 0,
    laneCount: LANES,
    phases: [{ startNs: 0, durationNs: seconds * 1e9, law: { kind: 'poisson', knots } as const }],
    blobs: new Map<string, Uint8Array>(),
  };
  const law = parseServiceLaw(lawText);
  const stream = openPhaseStream(basis, 0, { lanes: allLanes(LANES), fromNs: 0 });
  const arrival = createArrival();
  const all: { text: string; intendedNs: number; serviceNs: number }[] = [];
  while (stream.next(arrival)) {
    const { phase, lane, block, rank, intendedNs } = arrival;
    const identity = { kind: 'lanes', trial: 0, phase, lane, block, rank } as const;
    const text = [0, phase, lane, block, rank].join('.');
    all.push({ text, intendedNs, serviceNs: serviceTimeNs(TARGET_SEED, identity, law) });
  }
  const { responses } = simulateQueue({
    arrivals: all.map((one) => one.intendedNs),
    services: all.map((one) => one.serviceNs),
    servers,
  });
  return new Map(all.map(({ text, intendedNs }, i) => [text, { intendedNs, responseNs: responses[i] as number }]));
}

function textbook({ servers, law, utilisation }: TheorySystem, probability: number): number {
  return law === 'constant'
    ? md1WaitQuantile(utilisation, probability) + 1
    : mmcResponseQuantile(servers, utilisation, probability);
}

/** Nearest-rank percentile in units of the mean service time; 0 of nothing. */
function at(valuesNs: readonly number[], percentage: number): number {
  if (valuesNs.length === 0) return 0;
  const sorted = [...valuesNs].sort((a, b) => a - b);
  return (sorted[nearestRank(percentage, sorted.length) - 1] as number) / SERVICE_NS;
}

/** The rows as lines of a table. */
export function theoryLines(rows: readonly TheoryRow[]): readonly string[] {
  const number = (value: number | null): string => (value === null ? '-' : value.toFixed(2)).padStart(8);
  return [
    'unit: the mean service time (10 ms); error = at the target less expected, request by request',
    'system  load  matched      error p50     p90     p99   p50: run   these textbook   p90: run   these textbook   p99: run   these textbook  verdict',
    ...rows.map(({ system, requests, matched, errors, percentiles, verdict }) =>
      [
        system.name.padEnd(6),
        system.utilisation.toFixed(1).padStart(6),
        `${matched}/${requests}`.padStart(12),
        ...errors.map(number),
        ...percentiles.map((one) => `   ${number(one.measured)}${number(one.expected)}${number(one.textbook)}`),
        `  ${verdict}`,
      ].join(''),
    ),
  ];
}
