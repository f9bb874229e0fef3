/**
 * The two kinds of thrown errors. A failed *operation* (bad plan, lost agent, refused port) is a `FleetError` with a code of
 * one closed list; a broken *invariant* (books that do not balance) is an `InvariantError` and ends the run as invalid.
 * A failed *request* is neither: it is an `Outcome`, recorded and counted, never thrown.
 */

/** What kind of operation failed; `cli` maps each code to an exit code, `shared/rpc` to a gRPC status. */
export type FleetErrorCode =
  /** The plan or a flag is wrong: nothing was started. */
  | 'plan'
  /** The command line is wrong (unknown verb, flag or argument). */
  | 'usage'
  /** A file, directory or port of this host could not be used. */
  | 'io'
  /** The peer spoke another protocol version or sent something malformed. */
  | 'protocol'
  /** The coordinator or an agent refused, with its reason in the message. */
  | 'refused'
  /** A state's deadline passed. */
  | 'deadline'
  /** An agent, a worker thread or the coordinator is gone. */
  | 'lost'
  /** The operation was stopped on purpose. */
  | 'interrupted'
  /** A defect of loadfleet itself. */
  | 'internal';

/** A failed operation. The message names the field, the value and the limit where there is one. */
export class FleetError extends Error {
  override readonly name = 'FleetError';
  readonly code: FleetErrorCode;

  constructor(code: FleetErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** A broken promise of the code itself: the numbers can no longer be believed. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Throws an `InvariantError` with `message` unless `condition` holds. */
export function assertInvariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
