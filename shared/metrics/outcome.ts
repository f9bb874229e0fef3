/** How a request ended (design §6). A failed request is data: recorded and counted by class, never thrown. */

/** Classes of failure, in the order of the books and of the wire. Append only: the position is the wire's number. */
export const FAILURE_CLASSES = [
  'http-status',
  'dns',
  'connect-refused',
  'connect-timeout',
  'tls',
  'reset',
  'stale-connection',
  'timeout',
  'truncated',
  'protocol',
  'in-stream-error',
  'expectation',
  'generator',
] as const;

/** One class of failure. `generator` is our own fault: no file handles, no ports, a defect (R032). */
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** The end of one request. `status` is null when no status line came. `detail` is short, normalised text without URLs or ids (R095). */
export type Outcome =
  | { readonly kind: 'ok'; readonly status: number }
  | { readonly kind: 'failed'; readonly class: FailureClass; readonly status: number | null; readonly detail: string };

/** A failure with the status that had come before it; null = none had. */
export function withStatus(outcome: Outcome, status: number | null): Outcome {
  return outcome.kind === 'ok' || status === null ? outcome : { ...outcome, status };
}

/** Why an arrival was not attempted. Append only: the position is the wire's number. */
export const DROP_REASONS = ['max-in-flight', 'queue-full', 'late', 'phase-end'] as const;
export type DropReason = (typeof DROP_REASONS)[number];
