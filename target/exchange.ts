/**
 * One request at the reference target and what is known of its answer. Times are in ns of the host's monotonic clock.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  /** The text of a well-formed identity header; null = the request has none. */
  readonly identity: string | null;
  /** When the request was here in full. */
  readonly receivedNs: number;
  /** When its service began: receivedNs plus its time in the queue. */
  readonly startNs: number;
  readonly serviceNs: number;
  readonly answer: Answer;
}

/** A kept record of one request, for tests that compare each with theory. */
export interface KeptRequest {
  readonly identity: string | null;
  readonly path: string;
  readonly receivedNs: number;
  readonly startNs: number;
  readonly serviceNs: number;
  /** When the end of the answer was handed to the connection, or the fault acted; due at startNs + serviceNs. */
  readonly endNs: number;
  readonly end: 'answered' | 'cutShort' | 'abandoned';
  readonly status: number;
}
