/**
 * What a request asks for itself in its query string, so that one target serves mixed workloads: `service=constant:5ms`,
 * `status=503`, `bytes=1000`, `fault=truncate:chunked` (may be repeated). Other names are not ours and are left alone.
 */

import { FleetError } from '../shared/fleet-error.ts';
import type { FaultRule } from './fault.ts';
import { parseFaultText } from './parse-fault.ts';
import { type BodyLaw, parseBodyLaw, parseServiceLaw, type ServiceLaw } from './service-law.ts';

/** The wishes of a request; null = by the target's own laws. */
export interface RequestOverrides {
  readonly service: ServiceLaw | null;
  readonly status: number | null;
  readonly body: BodyLaw | null;
  readonly faults: readonly FaultRule[];
}

/** A query that cannot be obeyed; it is answered 400 with this message. */
export interface RefusedOverrides {
  readonly refusal: string;
}

/** Distinct query strings whose reading is kept; a workload has few. */
const MAX_KEPT = 1_000;

/** Reads query strings and remembers what it read. */
export class OverrideReader {
  readonly #kept = new Map<string, RequestOverrides | RefusedOverrides>();

  /** @param query what stands after the `?` of the request target. */
  read(query: string): RequestOverrides | RefusedOverrides {
    const kept = this.#kept.get(query);
    if (kept !== undefined) return kept;
    const overrides = readQuery(query);
    if (this.#kept.size < MAX_KEPT) this.#kept.set(query, overrides);
    return overrides;
  }
}

function readQuery(query: string): RequestOverrides | RefusedOverrides {
  const fields = new URLSearchParams(query);
  const service = fields.get('service');
  const status = fields.get('status');
  const bytes = fields.get('bytes');
  try {
    return {
      service: service === null ? null : parseServiceLaw(service),
      status: status === null ? null : parseStatus(status),
      body: bytes === null ? null : parseBodyLaw(bytes),
      faults: fields.getAll('fault').map(parseOwnFault),
    };
  } catch (error) {
    if (error instanceof FleetError) return { refusal: error.message };
    throw error;
  }
}

function parseStatus(text: string): number {
  const status = /^[0-9]{3}$/.test(text) ? Number(text) : NaN;
  if (!(status >= 200 && status <= 599)) throw new FleetError('plan', `status "${text}" must be in 200..599`);
  return status;
}

function parseOwnFault(text: string): FaultRule {
  const rule = parseFaultText(text);
  if (rule.kind === 'moment' || rule.kind === 'lasting') {
    throw new FleetError('plan', `fault ${rule.fault.kind}: is for the whole target, not for one request`);
  }
  const { from, count, path } = rule.scope;
  if (from !== 1 || count !== null || path !== null) {
    throw new FleetError('plan', `fault ${rule.fault.kind}: from, count and path have no meaning for one request`);
  }
  return rule;
}
