/**
 * What a gRPC call came to. Its HTTP status says nothing of it: that is 200 for nearly all, and `grpc-status`, in the trailers or in a head
 * that ends the stream, has the rest (R036).
 */
import type { Outcome } from '../../../shared/metrics/outcome.ts';

/** What clients take for a status that is no number. */
const UNKNOWN = 2;
/** HTTP statuses from here on are errors (RFC 9110 §15). */
const HTTP_ERROR_MIN = 400;

/** The number that a field `grpc-status` has. */
export function readGrpcStatus(value: string): number {
  return /^\d{1,9}$/.test(value.trim()) ? Number(value) : UNKNOWN;
}

/**
 * The end of a call whose answer came whole with the HTTP status `status`; `grpcStatus` null = there was none, `insideMessage`: its body ends
 * in the middle of a message. An error of HTTP is one in its own name; any other status needs that of gRPC as 200 does: a redirect to a page
 * for logging in has answered no call.
 */
export function grpcOutcome(grpcStatus: number | null, status: number, insideMessage: boolean): Outcome {
  if (status >= HTTP_ERROR_MIN) return { kind: 'ok', status };
  if (grpcStatus === 0) {
    if (!insideMessage) return { kind: 'ok', status };
    return { kind: 'failed', class: 'truncated', status, detail: 'grpc-status 0 inside a message' };
  }
  if (grpcStatus === null) return { kind: 'failed', class: 'protocol', status, detail: 'grpc-status missing' };
  return { kind: 'failed', class: 'in-stream-error', status, detail: `grpc-status ${grpcStatus}` };
}
