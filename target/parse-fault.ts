/**
 * Reads fault rules from text (`--fault`, query) and from JSON (admin): one grammar, one set of errors.
 * Text is `kind[:value][,name=value...]`, for example `stall:5s`, `status:503,share=0.1`, `truncate:chunked,from=100,count=5`;
 * JSON is an object with the same names: {"kind":"status","status":503,"share":0.1}. The bare value goes by the kind's first name.
 */

import { assertNever } from '../shared/assert-never.ts';
import { FleetError } from '../shared/fleet-error.ts';
import { knownNamesHint } from '../shared/nearest-name.ts';
import {
  type Fault,
  FAULT_KINDS,
  type FaultKind,
  type FaultRule,
  type FaultScope,
  type FaultStart,
  FRAMINGS,
  INTERIM_STATUSES,
  RESET_PLACES,
} from './fault.ts';
import { FaultFields } from './fault-fields.ts';

/** Which name the bare value of a kind goes by; kinds that are not here take none. */
const VALUE_NAME: Partial<Record<FaultKind, string>> = {
  stall: 'for',
  refuse: 'for',
  'idle-close': 'after',
  service: 'law',
  'slow-body': 'over',
  interim: 'status',
  framing: 'as',
  status: 'status',
  redirect: 'location',
  reset: 'at',
  truncate: 'framing',
  'wrong-length': 'by',
};

/**
 * Reads one fault rule in the text form.
 * @throws FleetError code `plan`: unknown kind or name (with the nearest and all valid ones), or a value out of range.
 */
export function parseFaultText(text: string): FaultRule {
  const [head = '', ...parts] = text.split(',');
  const colon = head.indexOf(':');
  const kind = faultKind(colon < 0 ? head : head.slice(0, colon));
  const entries: [string, string][] = [];
  if (colon >= 0) {
    const name = VALUE_NAME[kind];
    if (name === undefined)
      throw new FleetError('plan', `fault ${kind}: takes no value, got "${head.slice(colon + 1)}"`);
    entries.push([name, head.slice(colon + 1)]);
  }
  for (const part of parts) {
    const equals = part.indexOf('=');
    if (equals < 0) entries.push([part, 'true']);
    else entries.push([part.slice(0, equals), part.slice(equals + 1)]);
  }
  return buildRule(kind, new FaultFields(kind, entries));
}

/**
 * Reads one fault rule in the JSON form (the value that JSON.parse gave).
 * @throws FleetError code `plan` like `parseFaultText`.
 */
export function parseFaultJson(value: unknown): FaultRule {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new FleetError('plan', 'fault: expected a JSON object like {"kind":"stall","for":"5s"}');
  }
  const { kind: kindText, ...rest } = value as Record<string, unknown>;
  const kind = faultKind(String(kindText));
  const entries = Object.entries(rest).map(([name, field]): [string, string] => {
    if (typeof field === 'string' || typeof field === 'number' || typeof field === 'boolean')
      return [name, String(field)];
    throw new FleetError('plan', `fault ${kind}: ${name} must be text, a number or a boolean`);
  });
  return buildRule(kind, new FaultFields(kind, entries));
}

function faultKind(text: string): FaultKind {
  const kind = FAULT_KINDS.find((known) => known === text);
  if (kind === undefined)
    throw new FleetError('plan', `fault "${text}" is unknown${knownNamesHint(text, FAULT_KINDS)}`);
  return kind;
}

function buildRule(kind: FaultKind, fields: FaultFields): FaultRule {
  const fault = readFault(kind, fields);
  const rule = ruleOf(fault, fields);
  fields.refuseRest();
  return rule;
}

function ruleOf(fault: Fault, fields: FaultFields): FaultRule {
  switch (fault.kind) {
    case 'stall':
    case 'refuse':
      return { kind: 'moment', fault, start: readStart(fields) };
    case 'idle-close':
      return { kind: 'lasting', fault };
    case 'service':
    case 'slow-body':
    case 'close':
    case 'interim':
    case 'gzip':
    case 'framing':
      return { kind: 'twist', fault, scope: readScope(fields) };
    case 'status':
    case 'redirect':
    case 'reset':
    case 'truncate':
    case 'never':
    case 'wrong-length':
    case 'garbage':
      return { kind: 'break', fault, scope: readScope(fields) };
    default:
      return assertNever(fault);
  }
}

function readFault(kind: FaultKind, fields: FaultFields): Fault {
  switch (kind) {
    case 'stall':
    case 'refuse':
      return { kind, durationNs: fields.duration('for') };
    case 'idle-close':
      return readIdleClose(fields);
    case 'service':
      return { kind, law: fields.serviceLaw('law') };
    case 'slow-body':
      return { kind, overNs: fields.duration('over'), pieces: fields.integer('pieces', 2, 1_000_000, 10) };
    case 'interim':
      return {
        kind,
        status: fields.choice('status', INTERIM_STATUSES, 103),
        times: fields.integer('times', 1, 100, 1),
      };
    case 'gzip':
      return { kind, corrupt: fields.flag('corrupt') };
    case 'framing':
      return { kind, framing: fields.choice('as', FRAMINGS) };
    case 'status':
      return {
        kind,
        status: fields.integer('status', 200, 599),
        service: fields.has('service') ? fields.serviceLaw('service') : null,
      };
    case 'redirect':
      return { kind, location: fields.text('location', '/'), status: fields.integer('status', 300, 399, 302) };
    case 'reset':
      return { kind, at: fields.choice('at', RESET_PLACES, 'before-answer') };
    case 'truncate':
      return {
        kind,
        framing: fields.choice('framing', ['length', 'chunked'], 'length'),
        sentBytes: fields.has('sent') ? fields.integer('sent', 0, 1_000_000) : null,
      };
    case 'wrong-length':
      return { kind, byBytes: fields.integer('by', -1_000_000, 1_000_000) };
    case 'close':
    case 'never':
    case 'garbage':
      return { kind };
    default:
      return assertNever(kind);
  }
}

function readIdleClose(fields: FaultFields): Fault {
  const afterNs = fields.duration('after');
  const hint = fields.flag('hint');
  if (hint && afterNs < 1e9) {
    throw new FleetError('plan', 'fault idle-close: hint is told in whole seconds, so after must be at least 1s');
  }
  return { kind: 'idle-close', afterNs, hint };
}

function readScope(fields: FaultFields): FaultScope {
  return {
    share: fields.share('share'),
    from: fields.integer('from', 1, Number.MAX_SAFE_INTEGER, 1),
    count: fields.has('count') ? fields.integer('count', 1, Number.MAX_SAFE_INTEGER) : null,
    path: fields.has('path') ? fields.text('path') : null,
  };
}

function readStart(fields: FaultFields): FaultStart {
  if (fields.has('after') && fields.has('from')) {
    throw new FleetError('plan', 'fault: give after (a time) or from (a request number), not both');
  }
  if (fields.has('after')) return { kind: 'after', delayNs: fields.duration('after') };
  if (fields.has('from')) return { kind: 'request', number: fields.integer('from', 1, Number.MAX_SAFE_INTEGER) };
  return { kind: 'now' };
}
