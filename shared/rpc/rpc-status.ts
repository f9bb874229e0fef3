/**
 * `FleetError` and gRPC status, both ways. The code of a `FleetError` travels in a trailer, so the peer gets the very same
 * error; a status without it (a broken connection, a refused port) maps by its meaning.
 */
import type { ServiceError, StatusObject } from '@grpc/grpc-js';
import { Metadata, status } from '@grpc/grpc-js';
import { FleetError, type FleetErrorCode } from '../fleet-error.ts';

const CODE_KEY = 'loadfleet-code';

const STATUS_OF: Readonly<Record<FleetErrorCode, status>> = {
  plan: status.INVALID_ARGUMENT,
  usage: status.INVALID_ARGUMENT,
  io: status.UNKNOWN,
  protocol: status.INVALID_ARGUMENT,
  refused: status.FAILED_PRECONDITION,
  deadline: status.DEADLINE_EXCEEDED,
  lost: status.UNAVAILABLE,
  interrupted: status.CANCELLED,
  internal: status.INTERNAL,
};

const CODE_OF: ReadonlyMap<status, FleetErrorCode> = new Map([
  [status.INVALID_ARGUMENT, 'protocol'],
  [status.DEADLINE_EXCEEDED, 'deadline'],
  [status.NOT_FOUND, 'refused'],
  [status.PERMISSION_DENIED, 'refused'],
  [status.FAILED_PRECONDITION, 'refused'],
  [status.RESOURCE_EXHAUSTED, 'protocol'],
  [status.UNIMPLEMENTED, 'protocol'],
  [status.UNAUTHENTICATED, 'refused'],
  // Every way in which a connection breaks: refused, reset, keep-alive without answer, RST_STREAM, with which a server or proxy cancels.
  [status.CANCELLED, 'lost'],
  [status.UNAVAILABLE, 'lost'],
  [status.INTERNAL, 'lost'],
  [status.UNKNOWN, 'lost'],
]);

/** Any thrown value as a `FleetError`; one that is none already becomes `internal`. */
export function toFleetError(thrown: unknown): FleetError {
  if (thrown instanceof FleetError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new FleetError('internal', message, { cause: thrown });
}

/** What a server ends a call with to tell the peer of `error`. */
export function serverStatus(error: FleetError): Pick<StatusObject, 'code' | 'details' | 'metadata'> {
  const metadata = new Metadata();
  metadata.set(CODE_KEY, error.code);
  return { code: STATUS_OF[error.code], details: error.message, metadata };
}

/** The error that a client's call ended with. `what` says which call, e.g. "Control stream to 127.0.0.1:4000". */
export function fromServiceError(what: string, error: ServiceError | Error): FleetError {
  if (!('code' in error)) return new FleetError('lost', `${what}: ${error.message}`, { cause: error });
  const sent = error.metadata.get(CODE_KEY)[0];
  const own = typeof sent === 'string' && isFleetErrorCode(sent) ? sent : null;
  const code = own ?? CODE_OF.get(error.code) ?? 'lost';
  return new FleetError(code, own === null ? `${what}: ${error.details}` : error.details, { cause: error });
}

function isFleetErrorCode(text: string): text is FleetErrorCode {
  return Object.hasOwn(STATUS_OF, text);
}
