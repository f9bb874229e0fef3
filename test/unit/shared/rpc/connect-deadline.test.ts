import { type Client, connectivityState } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CONNECT_TIMEOUT_MS, startConnectDeadline } from '../../../../shared/rpc/connect-deadline.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A client whose channel is in `state`, and what was given up. */
function begun(state: connectivityState) {
  const client = { getChannel: () => ({ getConnectivityState: () => state }) } as unknown as Client;
  const errors: unknown[] = [];
  const timer = startConnectDeadline(client, 'Submit to x', CONNECT_TIMEOUT_MS, (error) => errors.push(error));
  return { timer, errors };
}

it('R083 a connection that does not come about is given up after its time, not before', () => {
  const { errors } = begun(connectivityState.CONNECTING);
  vi.advanceTimersByTime(CONNECT_TIMEOUT_MS - 1);
  expect(errors).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(errors).toMatchObject([{ code: 'lost', message: 'Submit to x: no connection within 10000 ms' }]);
});

it('one that is there is not', () => {
  const { errors } = begun(connectivityState.READY);
  vi.advanceTimersByTime(10 * CONNECT_TIMEOUT_MS);
  expect(errors).toEqual([]);
});

it('nor is anything once the call has ended', () => {
  const { timer, errors } = begun(connectivityState.CONNECTING);
  timer.cancel();
  vi.advanceTimersByTime(10 * CONNECT_TIMEOUT_MS);
  expect(errors).toEqual([]);
});
