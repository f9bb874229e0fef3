/**
 * The laws of the reference target: how long a service takes and how long a body is, as text and as values.
 * Pure: which value a given request gets follows from its draw (see request-draw.ts), so every true value is known.
 */

import { assertNever } from '../shared/assert-never.ts';
import { FleetError } from '../shared/fleet-error.ts';
import { parseDuration } from '../shared/time/duration.ts';

/** How long one server works on one request. */
export type ServiceLaw =
  /** No time at all; such a request never enters the queue. */
  | { readonly kind: 'instant' }
  /** Always the same time (M/D/c). */
  | { readonly kind: 'constant'; readonly serviceNs: number }
  /** Exponential with this mean (M/M/c). */
  | { readonly kind: 'exponential'; readonly meanNs: number };

/** How many bytes the body of an answer has. */
export type BodyLaw =
  | { readonly kind: 'constant'; readonly bytes: number }
  /** Every whole number of bytes from low to high is equally likely. */
  | { readonly kind: 'uniform'; readonly lowBytes: number; readonly highBytes: number }
  /** Exponential with this mean, rounded down, cut at MAX_BODY_BYTES. */
  | { readonly kind: 'exponential'; readonly meanBytes: number };

/** Largest body the target makes: bodies are cut from one buffer that is kept in memory. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

const SERVICE_EXAMPLE = 'write instant, constant:20ms or exponential:20ms';
const BODY_EXAMPLE = 'write 1000, uniform:100-2000 or exponential:1000';

/**
 * Reads `instant`, `constant:<duration>` or `exponential:<duration>`.
 * @throws FleetError code `plan` naming the text and what is allowed.
 */
export function parseServiceLaw(text: string): ServiceLaw {
  if (text === 'instant') return { kind: 'instant' };
  const [kind, durationText, ...rest] = splitOnce(text);
  if (durationText !== undefined && rest.length === 0) {
    if (kind === 'constant') return { kind, serviceNs: parseDuration(durationText) };
    if (kind === 'exponential') return { kind, meanNs: parseDuration(durationText) };
  }
  throw new FleetError('plan', `service "${text}" is not a service law; ${SERVICE_EXAMPLE}`);
}

/**
 * Service time in ns of a request whose uniform draw is `unit`.
 * Exponential: -ln(1 - unit) x mean (inverse of the distribution function), rounded down to whole ns.
 * @param unit in [0, 1).
 */
export function serviceNsOf(law: ServiceLaw, unit: number): number {
  switch (law.kind) {
    case 'instant':
      return 0;
    case 'constant':
      return law.serviceNs;
    case 'exponential':
      return Math.floor(-Math.log(1 - unit) * law.meanNs);
    default:
      return assertNever(law);
  }
}

/**
 * Reads a body law: `<bytes>`, `uniform:<low>-<high>` or `exponential:<mean>`, all in bytes.
 * @throws FleetError code `plan` naming the text and the limit.
 */
export function parseBodyLaw(text: string): BodyLaw {
  const match =
    /^(?:(?<constant>[0-9]{1,15})|uniform:(?<low>[0-9]{1,15})-(?<high>[0-9]{1,15})|exponential:(?<mean>[0-9]{1,15}))$/.exec(
      text,
    );
  if (match?.groups === undefined)
    throw new FleetError('plan', `body bytes "${text}" are no body law; ${BODY_EXAMPLE}`);
  const numbers = Object.entries(match.groups)
    .filter((entry): entry is [string, string] => (entry as [string, string | undefined])[1] !== undefined)
    .map(([, digits]) => Number(digits));
  const largest = Math.max(...numbers);
  if (largest > MAX_BODY_BYTES) {
    throw new FleetError('plan', `body bytes "${text}": ${largest} is above the limit of ${MAX_BODY_BYTES} bytes`);
  }
  const [first = 0, second = 0] = numbers;
  if (text.startsWith('exponential')) return { kind: 'exponential', meanBytes: first };
  if (!text.startsWith('uniform')) return { kind: 'constant', bytes: first };
  if (second < first) throw new FleetError('plan', `body bytes "${text}": high ${second} is below low ${first}`);
  return { kind: 'uniform', lowBytes: first, highBytes: second };
}

/**
 * Body length in bytes of a request whose uniform draw is `unit`.
 * @param unit in [0, 1).
 */
export function bodyBytesOf(law: BodyLaw, unit: number): number {
  switch (law.kind) {
    case 'constant':
      return law.bytes;
    case 'uniform':
      return law.lowBytes + Math.floor(unit * (law.highBytes - law.lowBytes + 1));
    case 'exponential':
      return Math.min(MAX_BODY_BYTES, Math.floor(-Math.log(1 - unit) * law.meanBytes));
    default:
      return assertNever(law);
  }
}

function splitOnce(text: string): string[] {
  const colon = text.indexOf(':');
  return colon < 0 ? [text] : [text.slice(0, colon), text.slice(colon + 1)];
}
