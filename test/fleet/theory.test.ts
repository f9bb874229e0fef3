/**
 * Theory through the real stack: the response that *each* request must have follows from the planned instants and the keyed service
 * draws (Lindley for one server, Kiefer-Wolfowitz for four). Held against the target's own stamps, request by request, and against
 * the merged histogram. Bounds are wide in milliseconds (other work on the host), narrow against the mean service.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { seedFromBigInt } from '../../shared/random/seed.ts';
import { createArrival } from '../../shared/schedule/arrival-stream.ts';
import { simulateQueue } from '../../shared/stats/queue-simulation.ts';
import { parseRequestIdentity, type RequestIdentity } from '../../target/request-identity.ts';
import { IDENTITY_HEADER } from '../../shared/schedule/identity-header.ts';
import { type RunningTarget, startTarget } from '../../target/reference-target.ts';
import { serviceTimeNs } from '../../target/request-draw.ts';
import { parseServiceLaw } from '../../target/service-law.ts';
import { assertBalanced, type ResultFile, removeResultFolders, runCommand } from '../support/command-run.ts';
import { basisOf, identityText, phasesOf, poisson, unionOf } from '../support/schedule-of.ts';

const SEED = 11n;
const TARGET_SEED = 5n;
const SERVICE_NS = 12e6;
const LAW = 'exponential:12ms';
const ARRIVALS = 1000;

let target: RunningTarget | null = null;

afterEach(async () => {
  await target?.close();
  target = null;
  removeResultFolders();
});

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number;
}

describe('theory through the real stack', () => {
  it.each([
    { name: 'M/M/1', servers: 1, utilisation: 0.5 },
    { name: 'M/M/4', servers: 4, utilisation: 0.5 },
  ])(
    '$name: every request answers when it must, and the merged histogram says so',
    async ({ name, servers, utilisation }) => {
      const rate = (utilisation * servers) / (SERVICE_NS / 1e9);
      const seconds = Math.round(ARRIVALS / rate);
      const planned = unionOf(
        basisOf(phasesOf([poisson([0, rate], [seconds, rate]), seconds]), {
          seed: seedFromBigInt(SEED),
          laneCount: 4096,
        }),
      );
      const law = parseServiceLaw(LAW);
      const identities = planned.map(
        ({ phase, lane, block, rank }): RequestIdentity => ({ kind: 'lanes', trial: 0, phase, lane, block, rank }),
      );
      const services = identities.map((identity) => serviceTimeNs(TARGET_SEED, identity, law));
      const { responses } = simulateQueue({
        arrivals: planned.map((arrival) => arrival.intendedNs),
        services,
        servers,
      });

      target = await startTarget({ service: LAW, servers, seed: TARGET_SEED, keepIdentities: true });
      const { result } = await runCommand([
        'run',
        '--url',
        target.url,
        '--rate',
        String(rate),
        '--duration',
        `${seconds}s`,
        '--seed',
        String(SEED),
        '--identify',
        '--agents',
        '2',
        '--fail-on',
        'never',
        '--quiet',
      ]);
      const { accounting, metrics } = result as ResultFile;
      assertBalanced(accounting);
      expect(accounting.ok).toBe(planned.length);

      const byIdentity = new Map(planned.map((arrival, index) => [identityText(arrival), index]));
      const kept = target.keptRequests().map((request) => {
        const identity = request.identity === null ? null : parseRequestIdentity(request.identity);
        if (identity?.kind !== 'lanes') throw new Error(`no ${IDENTITY_HEADER}: ${String(request.identity)}`);
        const index = byIdentity.get(
          identityText({
            ...createArrival(),
            phase: identity.phase,
            lane: identity.lane,
            block: identity.block,
            rank: identity.rank,
          }),
        ) as number;
        return { ...request, index, intendedNs: planned[index]?.intendedNs as number };
      });
      expect(kept).toHaveLength(planned.length);
      // Nothing arrives before its instant, so the least delay seen ties the two time axes together.
      const t0Ns = kept.reduce((least, request) => Math.min(least, request.receivedNs - request.intendedNs), Infinity);
      const errors = kept
        .map((request) => request.endNs - t0Ns - request.intendedNs - (responses[request.index] as number))
        .sort((a, b) => a - b);
      const expected = [...responses].sort((a, b) => a - b);
      const shown = [0.5, 0.9, 0.99].map((share) => `${(quantile(errors, share) / 1e6).toFixed(2)} ms`).join(', ');
      console.log(
        `${name}: ${planned.length} requests, error of each against theory p50, p90, p99: ${shown}; mean response ${(metrics['response']?.mean ?? 0) / 1e6} ms, theory ${expected.reduce((a, b) => a + b, 0) / expected.length / 1e6} ms`,
      );
      // Of the sizes, not of the signed errors: those of draws that have nothing to do with the run would cancel out.
      const sizes = errors.map(Math.abs).sort((a, b) => a - b);
      expect(quantile(sizes, 0.5)).toBeLessThan(0.6 * SERVICE_NS);
      expect(metrics['response']?.percentiles['50']).toBeGreaterThan(0.9 * quantile(expected, 0.5));
      expect(metrics['response']?.percentiles['50']).toBeLessThan(quantile(expected, 0.5) + SERVICE_NS);
      expect(metrics['service']?.mean).toBeGreaterThan(0.9 * SERVICE_NS);
    },
  );
});
