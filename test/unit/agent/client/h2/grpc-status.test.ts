/** What the status of a gRPC call says. */
import { expect, it } from 'vitest';
import { grpcOutcome, readGrpcStatus } from '../../../../../agent/client/h2/grpc-status.ts';

it.each([
  ['0', 0],
  [' 16 ', 16],
  ['', 2],
  ['-1', 2],
  ['0x0', 2],
  ['0000000000', 2],
])('grpc-status %o is %i', (value, status) => {
  expect(readGrpcStatus(value)).toBe(status);
});

it('R036 only 0 is a success, and none is a failure', () => {
  expect([0, 5, null].map((grpcStatus) => grpcOutcome(grpcStatus, 200, false))).toEqual([
    { kind: 'ok', status: 200 },
    { kind: 'failed', class: 'in-stream-error', status: 200, detail: 'grpc-status 5' },
    { kind: 'failed', class: 'protocol', status: 200, detail: 'grpc-status missing' },
  ]);
});

it.each([204, 302])('R036 HTTP status %i needs a status of gRPC as 200 does', (status) => {
  expect([0, 16, null].map((grpcStatus) => grpcOutcome(grpcStatus, status, false))).toEqual([
    { kind: 'ok', status },
    { kind: 'failed', class: 'in-stream-error', status, detail: 'grpc-status 16' },
    { kind: 'failed', class: 'protocol', status, detail: 'grpc-status missing' },
  ]);
});

it('R036 status 0 inside a message is none; another status says more than that', () => {
  expect([0, 13].map((grpcStatus) => grpcOutcome(grpcStatus, 200, true))).toEqual([
    { kind: 'failed', class: 'truncated', status: 200, detail: 'grpc-status 0 inside a message' },
    { kind: 'failed', class: 'in-stream-error', status: 200, detail: 'grpc-status 13' },
  ]);
});

it('an error of HTTP is left to whoever judges statuses', () => {
  expect([0, 14, null].map((grpcStatus) => grpcOutcome(grpcStatus, 503, false))).toEqual(
    Array.from({ length: 3 }, () => ({ kind: 'ok', status: 503 })),
  );
});
