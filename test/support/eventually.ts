/** Waiting for something that happens in its own time, with a wide bound so that a slow machine does not fail a right program. */
import { setTimeout as delay } from 'node:timers/promises';

const WAIT_MS = 60_000;

/** Resolves when `isTrue` returns true; fails naming `what` after a minute. */
export async function eventually(what: string, isTrue: () => boolean): Promise<void> {
  const until = performance.now() + WAIT_MS;
  while (!isTrue()) {
    if (performance.now() > until) throw new Error(`did not happen within ${WAIT_MS} ms: ${what}`);
    await delay(5);
  }
}
