/**
 * What can be made to go wrong at the reference target, as data. A rule is a fault and the requests it is for.
 * Three kinds of fault: *moments* change the whole server for a while; *twists* change an answer and add up;
 * *breaks* decide how an answer comes to nothing, at most one per request.
 */

import type { ServiceLaw } from './service-law.ts';

/** A fault of the whole server. */
export type MomentFault =
  /** Accepts and reads, answers nothing; at the end everything that is due leaves, in order. */
  | { readonly kind: 'stall'; readonly durationNs: number }
  /** Closes the listening socket and opens it again: new connections are refused, old ones go on. */
  | { readonly kind: 'refuse'; readonly durationNs: number };

/** A change to an otherwise whole answer. */
export type TwistFault =
  /** Another service law; `instant` is answered at once, past the queue. */
  | { readonly kind: 'service'; readonly law: ServiceLaw }
  /** The body in `pieces` equal parts, the first at once and the last `overNs` later. */
  | { readonly kind: 'slow-body'; readonly overNs: number; readonly pieces: number }
  /** `Connection: close`, and so done. */
  | { readonly kind: 'close' }
  /** Interim answers before the real one. */
  | { readonly kind: 'interim'; readonly status: InterimStatus; readonly times: number }
  /** Body compressed with gzip; corrupt = its checksum is wrong. */
  | { readonly kind: 'gzip'; readonly corrupt: boolean }
  /** How the end of the body is told. */
  | { readonly kind: 'framing'; readonly framing: Framing };

/** A way for an answer to fail. */
export type BreakFault =
  /** An answer with this status; `service` null = by the law of the target. */
  | { readonly kind: 'status'; readonly status: number; readonly service: ServiceLaw | null }
  | { readonly kind: 'redirect'; readonly status: number; readonly location: string }
  /** RST: before any byte of the answer, in the middle of its body, or after the whole answer. */
  | { readonly kind: 'reset'; readonly at: ResetPlace }
  /** `sentBytes` of the body (null = half), then the connection is closed in order. */
  | { readonly kind: 'truncate'; readonly framing: 'length' | 'chunked'; readonly sentBytes: number | null }
  /** No byte of an answer, ever. */
  | { readonly kind: 'never' }
  /** Content-Length is wrong by this many bytes (too large if positive), connection kept. */
  | { readonly kind: 'wrong-length'; readonly byBytes: number }
  /** Bytes that are not HTTP, then close. */
  | { readonly kind: 'garbage' };

/** A fault that stays: connections that were idle for `afterNs` are closed by us; hint = `Keep-Alive: timeout` says so. */
export interface IdleCloseFault {
  readonly kind: 'idle-close';
  readonly afterNs: number;
  readonly hint: boolean;
}

export type Fault = MomentFault | TwistFault | BreakFault | IdleCloseFault;
export type FaultKind = Fault['kind'];

/** The kinds in the order in which help and errors name them. */
export const FAULT_KINDS = [
  'stall',
  'refuse',
  'idle-close',
  'service',
  'slow-body',
  'close',
  'interim',
  'gzip',
  'framing',
  'status',
  'redirect',
  'reset',
  'truncate',
  'never',
  'wrong-length',
  'garbage',
] as const satisfies readonly FaultKind[];

/** How the end of a body is told: Content-Length, chunks, or the end of the connection. */
export const FRAMINGS = ['length', 'chunked', 'close'] as const;
export type Framing = (typeof FRAMINGS)[number];

export const RESET_PLACES = ['before-answer', 'in-body', 'after-body'] as const;
export type ResetPlace = (typeof RESET_PLACES)[number];

export const INTERIM_STATUSES = [100, 102, 103] as const;
export type InterimStatus = (typeof INTERIM_STATUSES)[number];

/** Which requests a rule is for. Requests are counted from 1, from the moment the rule was set, over those of its path. */
export interface FaultScope {
  /** Share of the requests, 0..1, by keyed draw. Shares of breaks are parts of one whole: no request gets two. */
  readonly share: number;
  /** The first request the rule is for. */
  readonly from: number;
  /** How many requests it is for at most; null = no end. */
  readonly count: number | null;
  /** Only requests of exactly this path (without query); null = all. */
  readonly path: string | null;
}

/** When a moment begins, counted from the moment the rule was set: at once, after a time, or with a request. */
export type FaultStart =
  | { readonly kind: 'now' }
  | { readonly kind: 'after'; readonly delayNs: number }
  | { readonly kind: 'request'; readonly number: number };

/** A fault and what it is for. */
export type FaultRule =
  | { readonly kind: 'moment'; readonly fault: MomentFault; readonly start: FaultStart }
  | { readonly kind: 'lasting'; readonly fault: IdleCloseFault }
  | { readonly kind: 'twist'; readonly fault: TwistFault; readonly scope: FaultScope }
  | { readonly kind: 'break'; readonly fault: BreakFault; readonly scope: FaultScope };
