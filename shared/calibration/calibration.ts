/**
 * What a machine's workers can do, as measured by `loadfleet calibrate` against a target of known service times (M§9.3): the value
 * of `calibration.json`, how it is read back, and what it says about a plan. It holds for one machine, one Node and one
 * version of loadfleet; elsewhere it is not used.
 */

import { FleetError } from '../fleet-error.ts';

/** Names the shape and its version. */
export const CALIBRATION_SCHEMA = 'loadfleet/calibration/v1';

/** A worker is planned at no more than this part of its certified rate (M§9.2: queueing at the worker). */
export const PLANNED_SHARE_MAX = 0.6;

/** What a calibration holds for. */
export interface CalibratedMachine {
  readonly cpuModel: string;
  readonly cores: number;
  readonly platform: string;
  readonly nodeVersion: string;
  readonly loadfleetVersion: string;
}

/** Percentiles in ns; null without a sample. */
export interface Spread {
  readonly p50: number | null;
  readonly p99: number | null;
  readonly p999: number | null;
  readonly max: number | null;
}

/** One rate of the ladder. */
export interface Rung {
  /** Planned, per worker. */
  readonly ratePerSecond: number;
  readonly scheduled: number;
  readonly sent: number;
  readonly ok: number;
  readonly wakeLag: Spread;
  /** Service time as measured less the true one, which is the same for all requests. */
  readonly serviceError: Spread;
  /** At most this much of p50 and p99 of the response can be the fleet; null = not measured. */
  readonly excess: Readonly<Record<'50' | '99', { readonly bound: number; readonly share: number | null } | null>>;
  readonly level: 'pass' | 'warn' | 'fail' | 'not-measured';
}

/** The ladder of one client. */
export interface ClientCalibration {
  /** As the plan names it, `wire` or `undici`; `h2` for plans with `http: 2`. */
  readonly client: string;
  /** As the workers reported it, e.g. `wire http/1.1`. */
  readonly protocol: string;
  readonly pacing: string | null;
  readonly workers: number;
  /** True service time of every request, ns. */
  readonly serviceNs: number;
  /** Rising. */
  readonly rungs: readonly Rung[];
  /** Highest rate per worker up to which every rung is clean; null when the lowest is not. */
  readonly certifiedRatePerSecond: number | null;
  /** What ended it: the worker's excess, the load (sent below 99 % or failures), or the ladder, whose top was still clean. */
  readonly limitedBy: 'excess' | 'load' | 'ladder';
}

/** The value of `calibration.json`. Times in ns. */
export interface Calibration {
  readonly schema: typeof CALIBRATION_SCHEMA;
  /** UTC. */
  readonly createdAt: string;
  readonly machine: CalibratedMachine;
  /** How late a timer of the platform fires. */
  readonly timerError: Spread;
  /** Response of the null target at the lowest rate: what the path costs when nothing is waited for. */
  readonly floorResponse: Spread;
  readonly clients: readonly ClientCalibration[];
}

/** The certified rate for a client on this machine, and why there is none. */
export type CertifiedRate =
  | { readonly kind: 'certified'; readonly ratePerSecond: number; readonly client: string }
  | { readonly kind: 'none'; readonly reason: string };

/** The calibrated client that speaks HTTP/2. */
export const H2_CLIENT = 'h2';

/** Which of the calibrated clients a plan's target is spoken to with; `auto` = the first that speaks its protocol. */
export interface ClientChoice {
  readonly client: string;
  readonly httpVersion: '1.1' | '2' | 'auto';
}

/** The ladder of the client that a plan uses; null when it was not calibrated. */
export function calibratedClient(
  { clients }: Calibration,
  { client, httpVersion }: ClientChoice,
): ClientCalibration | null {
  if (httpVersion === '2') return clients.find((one) => one.client === H2_CLIENT) ?? null;
  return clients.find((one) => one.client !== H2_CLIENT && (client === 'auto' || one.client === client)) ?? null;
}

/** Whether the calibration was made on `machine` as it is now. */
export function isOfMachine(calibration: Calibration, machine: CalibratedMachine): boolean {
  return differingFact(calibration, machine) === undefined;
}

function differingFact(calibration: Calibration, machine: CalibratedMachine): keyof CalibratedMachine | undefined {
  const facts = Object.keys(machine) as (keyof CalibratedMachine)[];
  return facts.find((name) => machine[name] !== calibration.machine[name]);
}

/** What `calibration` certifies for the client of a plan on `machine`. */
export function certifiedRate(
  calibration: Calibration | null,
  machine: CalibratedMachine,
  choice: ClientChoice,
): CertifiedRate {
  if (calibration === null) return { kind: 'none', reason: 'this machine was not calibrated (loadfleet calibrate)' };
  const differing = differingFact(calibration, machine);
  if (differing !== undefined) {
    const [there, here] = [calibration.machine[differing], machine[differing]];
    return { kind: 'none', reason: `the calibration is for ${differing} ${there}, here it is ${here}` };
  }
  const found = calibratedClient(calibration, choice);
  if (found === null) {
    const name = choice.httpVersion === '2' ? H2_CLIENT : choice.client;
    return { kind: 'none', reason: `client ${name} was not calibrated (loadfleet calibrate --client)` };
  }
  if (found.certifiedRatePerSecond === null) {
    return { kind: 'none', reason: `no rate of client ${found.client} was clean when this machine was calibrated` };
  }
  return { kind: 'certified', ratePerSecond: found.certifiedRatePerSecond, client: found.client };
}

/** What a plan needs of calibrated workers. */
export interface Capacity {
  readonly peakRatePerSecond: number;
  readonly certifiedRatePerSecond: number;
  /** Workers that keep each at or below `PLANNED_SHARE_MAX` of its certified rate. */
  readonly workersNeeded: number;
  /** Machines like this one for that many workers, a core of each left free. */
  readonly agentsNeeded: number;
  readonly isEnough: boolean;
}

/** How many workers, and machines of `cores`, a peak rate needs; `workerSlots` are planned. */
export function capacityFor(
  peakRatePerSecond: number,
  certifiedRatePerSecond: number,
  host: { readonly cores: number; readonly workerSlots: number },
): Capacity {
  const workersNeeded = Math.max(1, Math.ceil(peakRatePerSecond / (PLANNED_SHARE_MAX * certifiedRatePerSecond)));
  const agentsNeeded = Math.ceil(workersNeeded / Math.max(1, host.cores - 1));
  const isEnough = host.workerSlots >= workersNeeded;
  return { peakRatePerSecond, certifiedRatePerSecond, workersNeeded, agentsNeeded, isEnough };
}

/**
 * Reads the text of a calibration file.
 * @throws FleetError 'usage' that names the file and what is wrong with it.
 */
export function parseCalibration(text: string, name: string): Calibration {
  const wrong = (what: string): FleetError => new FleetError('usage', `calibration ${name}: ${what}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new FleetError('usage', `calibration ${name} is not JSON`, { cause: error });
  }
  if (!isRecord(value) || value['schema'] !== CALIBRATION_SCHEMA) throw wrong(`schema is not ${CALIBRATION_SCHEMA}`);
  const { machine, clients, floorResponse } = value;
  if (!isRecord(machine) || typeof machine['cores'] !== 'number') throw wrong('machine.cores is missing');
  const floor = isRecord(floorResponse) ? floorResponse['p50'] : undefined;
  if (floor !== null && !isPositive(floor)) throw wrong('floorResponse.p50 must be above 0 or null');
  if (!Array.isArray(clients)) throw wrong('clients is not a list');
  for (const client of clients) {
    if (!isRecord(client) || typeof client['client'] !== 'string') throw wrong('a client has no name');
    const rate = client['certifiedRatePerSecond'];
    if (rate !== null && !isPositive(rate)) {
      throw wrong(`certifiedRatePerSecond of ${client['client']} must be above 0 or null`);
    }
    if (!isPositive(client['serviceNs'])) throw wrong(`serviceNs of ${client['client']} must be above 0`);
  }
  // Checked where it decides something; the rest is for people and has its published schema.
  return value as unknown as Calibration;
}

function isPositive(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
