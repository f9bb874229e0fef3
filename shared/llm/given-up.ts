/** Which finish reasons mean that the server gave the answer up: the model did not stop by itself, and nothing that bounds it did. */

const GIVEN_UP: ReadonlySet<string> = new Set([
  'abort',
  'aborted',
  'error',
  'failed',
  'cancelled',
  'canceled',
  'network_error',
  'server_error',
  'internal_error',
  'insufficient_system_resource',
  'timeout',
]);

/** Whether `reason`, in any case of letters, is one of them; a reason that is not known is a good end. */
export function isGivenUp(reason: string): boolean {
  return GIVEN_UP.has(reason.toLowerCase());
}
