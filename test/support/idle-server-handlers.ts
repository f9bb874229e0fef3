/** Handlers of a coordinator's server that accept everything and do nothing; tests replace what they are about. */
import { FleetError } from '../../shared/fleet-error.ts';
import type { FleetServerHandlers } from '../../shared/rpc/fleet-server.ts';

/** `overrides` on top of handlers that do nothing. */
export function serverHandlers(overrides: Partial<FleetServerHandlers> = {}): FleetServerHandlers {
  return {
    acceptControl: () => ({ onMessage: () => undefined, onClosed: () => undefined }),
    acceptReports: () => ({ onMessage: () => undefined, onClosed: () => undefined }),
    blob: () => null,
    submit: () => Promise.reject(new FleetError('refused', 'not in this test')),
    watch: () => {
      throw new FleetError('refused', 'not in this test');
    },
    stop: () => {
      throw new FleetError('refused', 'not in this test');
    },
    ...overrides,
  };
}
