/**
 * The exit codes of the command line and which of several wins (design §10). Scripts decide by them, so they are few, documented
 * and never change their meaning.
 */

import { FleetError } from '../shared/fleet-error.ts';

/** Every code that loadfleet ends with. */
export const EXIT_CODES = {
  ok: 0,
  /** A threshold failed or had no data, nothing was ok, or nothing was planned. */
  missed: 1,
  /** The plan or the command line is wrong; nothing was started. */
  usage: 2,
  /** The verdict on the harness fails (`failOn`). */
  verdict: 3,
  /** loadfleet could not do what was asked. */
  internal: 4,
  /** Stopped by SIGINT. */
  interrupted: 130,
  /** Stopped by SIGTERM. */
  terminated: 143,
} as const;

/** Signals that end a run. */
export type StopSignalName = 'SIGINT' | 'SIGTERM';

/** Strongest first. */
const PRECEDENCE: readonly number[] = [2, 4, 130, 143, 3, 1, 0];

/** The code that wins. Of two interruptions the first one in the list, SIGINT. A code outside the list counts as 4. */
export function strongestExitCode(codes: readonly number[]): number {
  const known = codes.map((code) => (PRECEDENCE.includes(code) ? code : EXIT_CODES.internal));
  return PRECEDENCE.find((code) => known.includes(code)) ?? EXIT_CODES.ok;
}

/** The code of a thrown error. */
export function exitCodeOfError(error: unknown): number {
  if (!(error instanceof FleetError)) return EXIT_CODES.internal;
  switch (error.code) {
    case 'plan':
    case 'usage':
      return EXIT_CODES.usage;
    case 'interrupted':
      return EXIT_CODES.interrupted;
    case 'io':
    case 'protocol':
    case 'refused':
    case 'deadline':
    case 'lost':
    case 'internal':
      return EXIT_CODES.internal;
  }
}

/** The code of a signal. */
export function exitCodeOfSignal(signal: StopSignalName): number {
  return signal === 'SIGINT' ? EXIT_CODES.interrupted : EXIT_CODES.terminated;
}
