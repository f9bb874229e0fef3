import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { FleetError, type FleetErrorCode } from '../../../../shared/fleet-error.ts';
import { fromServiceError, serverStatus, toFleetError } from '../../../../shared/rpc/rpc-status.ts';

const CODES: FleetErrorCode[] = [
  'plan',
  'usage',
  'io',
  'protocol',
  'refused',
  'deadline',
  'lost',
  'interrupted',
  'internal',
];

function serviceError(code: status, details: string, metadata = new Metadata()): ServiceError {
  return Object.assign(new Error(`${code} ${details}`), { code, details, metadata });
}

describe('FleetError over gRPC', () => {
  it.each(CODES)('the peer gets code %s and the very same message', (code) => {
    const { code: grpcCode, details, metadata } = serverStatus(new FleetError(code, 'fleet.agents: 0 is below 1'));
    const back = fromServiceError('Submit', serviceError(grpcCode, details, metadata));
    expect(back.code).toBe(code);
    expect(back.message).toBe('fleet.agents: 0 is below 1');
  });

  it.each([
    [status.UNAVAILABLE, 'lost'],
    [status.INTERNAL, 'lost'],
    [status.UNKNOWN, 'lost'],
    [status.DATA_LOSS, 'lost'],
    [status.CANCELLED, 'lost'],
    [status.DEADLINE_EXCEEDED, 'deadline'],
    [status.RESOURCE_EXHAUSTED, 'protocol'],
    [status.UNIMPLEMENTED, 'protocol'],
    [status.PERMISSION_DENIED, 'refused'],
  ] as const)('a platform status %d means %s and says which call', (code, expected) => {
    const error = fromServiceError('Control stream to 127.0.0.1:1', serviceError(code, 'boom'));
    expect(error.code).toBe(expected);
    expect(error.message).toBe('Control stream to 127.0.0.1:1: boom');
  });

  it('a code that is none of ours is not believed', () => {
    const metadata = new Metadata();
    metadata.set('loadfleet-code', 'toString');
    expect(fromServiceError('x', serviceError(status.UNAVAILABLE, 'boom', metadata)).code).toBe('lost');
  });

  it('anything thrown becomes a FleetError', () => {
    const own = new FleetError('io', 'disk full');
    expect(toFleetError(own)).toBe(own);
    expect(toFleetError(new TypeError('x is undefined'))).toMatchObject({
      code: 'internal',
      message: 'x is undefined',
    });
    expect(toFleetError('text')).toMatchObject({ code: 'internal', message: 'text' });
    expect(fromServiceError('x', new Error('plain'))).toMatchObject({ code: 'lost', message: 'x: plain' });
  });
});
