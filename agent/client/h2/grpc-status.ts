/**
 * What a gRPC call came to. Its HTTP status says nothing of it: that is 200 for nearly all, and `grpc-status`, in the trailers or in a head
 * that ends the stream, has the rest (R036).
 */
import type { Outcome } from '../../../shared/metrics/outcome.ts';
import type { OutboundRequest } from '../protocol-client.ts';

/** `application/grpc` with whatever encoding of messages; gRPC-Web, which has its status in the body, is another type. */
const GRPC_TYPE = /^application\/grpc(?:\+[^;]*)?[ \t]*(?:;|$)/i;
/** What clients take for a status that is no number. */
const UNKNOWN = 2;

/** Whether a request with these headers is a gRPC call. */
export function isGrpc(headers: OutboundRequest['headers']): boolean {
  return headers.some(([name, value]) => name.toLowerCase() === 'content-type' && GRPC_TYPE.test(value.trim()));
}

/** The number that a field `grpc-status` has. */
export function readGrpcStatus(value: string): number {
  return /^\d{1,9}$/.test(value.trim()) ? Number(value) : UNKNOWN;
}

/** The end of a call whose answer came whole with HTTP status 200; `grpcStatus` null = there was none. */
export function grpcOutcome(grpcStatus: number | null): Outcome {
  if (grpcStatus === 0) return { kind: 'ok', status: 200 };
  if (grpcStatus === null) return { kind: 'failed', class: 'protocol', status: 200, detail: 'grpc-status missing' };
  return { kind: 'failed', class: 'in-stream-error', status: 200, detail: `grpc-status ${grpcStatus}` };
}
