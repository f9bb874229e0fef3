/** What an action throws, for tests that look at more than the message. */
import { FleetError } from '../../shared/fleet-error.ts';

/** The `FleetError` that `action` throws; undefined when it throws nothing; any other error passes through. */
export function fleetErrorOf(action: () => void): FleetError | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (error instanceof FleetError) return error;
    throw error;
  }
}
