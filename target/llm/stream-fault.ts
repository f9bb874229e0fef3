/**
 * The faults of a streamed answer that the reference LLM target shows on command (field cases R039-R054), by `?fault=KIND[,KIND...]` on
 * the request or by option for all requests.
 */

import { FleetError } from '../../shared/fleet-error.ts';
import { knownNamesHint } from '../../shared/nearest-name.ts';

/** What can go wrong, or be unusual. Several may act together. */
export const STREAM_FAULTS = [
  /** An error event after two chunks, then the usual end (R042). */
  'error-event',
  /** An error event before any token (R042). */
  'error-first',
  /** A frame `event: error` with plain text (R042). */
  'error-frame',
  /** The event-stream header, then a bare JSON error without `data:` (R043). */
  'bare-error',
  /** A clean end with no event at all (R043). */
  'empty-stream',
  /** `stream: true` is ignored: one JSON body (R043). */
  'not-streamed',
  /** The body ends cleanly after three chunks, without finish reason or end marker (R044). */
  'truncated',
  /** The connection is reset after three chunks (R044). */
  'reset',
  /** A finish reason, but no end marker (R044). */
  'no-done',
  /** The usage chunk comes 150 ms after the last token (R046). */
  'late-usage',
  /** Usage is left out although it was asked for. */
  'no-usage',
  /** The first payload is reasoning (`reasoning_content`), half of all tokens (R040). */
  'reasoning',
  /** All tokens are reasoning (R040). */
  'only-reasoning',
  /** The payload is one tool call in fragments (R041). */
  'tool-call',
  /** Lines end in CR LF (R050). */
  'crlf',
  /** Lines end in CR alone (R050). */
  'cr',
  /** Each event leaves in two writes, cut in the middle (R050, R052). */
  'split',
  /** Three events leave in one write (R052). */
  'joined',
  /** Tokens are four-byte characters, cut inside (with split) (R051). */
  'emoji',
  /** A byte order mark before the first field, and no space after `data:` (R051). */
  'bom',
  /** Comment lines between the events. */
  'comments',
  /** No payload at all: finish reason `stop` at once (R054). */
  'no-tokens',
  /** Status 429 with a JSON error. */
  'too-many',
] as const;

export type StreamFault = (typeof STREAM_FAULTS)[number];

/** Reads `KIND[,KIND...]`. @throws FleetError 'plan' for an unknown kind, with the nearest. */
export function parseStreamFaults(text: string): ReadonlySet<StreamFault> {
  const faults = new Set<StreamFault>();
  for (const part of text.split(',')) {
    const fault = STREAM_FAULTS.find((known) => known === part.trim());
    if (fault === undefined)
      throw new FleetError('plan', `LLM fault "${part}" is unknown; ${knownNamesHint(part, STREAM_FAULTS)}`);
    faults.add(fault);
  }
  return faults;
}
