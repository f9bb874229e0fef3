/**
 * The options of the reference target as flags and tests give them, and the checked settings the target works with.
 */

import { FleetError } from '../shared/fleet-error.ts';
import { type ListenAddress, parseLoopbackListen } from '../shared/listen-address.ts';
import { type Seed, seedFromBigInt } from '../shared/random/seed.ts';
import type { FaultRule } from './fault.ts';
import { parseFaultText } from './parse-fault.ts';
import { type BodyLaw, parseBodyLaw, parseServiceLaw, type ServiceLaw } from './service-law.ts';
import { MAX_SERVERS } from './service-queue.ts';

/** How the target behaves, as its flags say it; everything has a default. */
export interface TargetOptions {
  /** `HOST:PORT`, loopback only; port 0 = a free one. Default `127.0.0.1:0`. */
  readonly listen?: string;
  /** `instant` (default), `constant:20ms` or `exponential:20ms`. */
  readonly service?: string;
  /** Servers behind the one queue, 1..MAX_SERVERS; null (default) = every request is served at once. */
  readonly servers?: number | null;
  /** Seed of service times, body lengths and fault shares. Default 0. */
  readonly seed?: bigint;
  /** Body length: `1000`, `uniform:100-2000` or `exponential:1000` bytes. Default 2. */
  readonly bodyBytes?: string;
  /** Fault rules in text form, set before the first request. */
  readonly faults?: readonly string[];
  /** Keep identities and instants of all requests (bounded), to find duplicates and to compare with theory. */
  readonly keepIdentities?: boolean;
  /** Told what the target does on command, one line each. */
  readonly log?: (line: string) => void;
}

/** The options, read and checked. */
export interface TargetSettings {
  readonly listen: ListenAddress;
  readonly service: ServiceLaw;
  readonly servers: number | null;
  readonly seed: Seed;
  readonly body: BodyLaw;
  readonly faults: readonly FaultRule[];
  readonly keepIdentities: boolean;
  readonly log: (line: string) => void;
}

/** @throws FleetError code `usage` for the address, `plan` for the rest, naming option, value and limit. */
export function readTargetOptions(options: TargetOptions): TargetSettings {
  const servers = options.servers ?? null;
  if (servers !== null && !(Number.isInteger(servers) && servers >= 1 && servers <= MAX_SERVERS)) {
    throw new FleetError('plan', `servers: ${servers} is not an integer in 1..${MAX_SERVERS}`);
  }
  return {
    listen: parseLoopbackListen(options.listen ?? '127.0.0.1:0'),
    service: parseServiceLaw(options.service ?? 'instant'),
    servers,
    seed: seedFromBigInt(options.seed ?? 0n),
    body: parseBodyLaw(options.bodyBytes ?? '2'),
    faults: (options.faults ?? []).map(parseFaultText),
    keepIdentities: options.keepIdentities ?? false,
    log: options.log ?? (() => undefined),
  };
}
