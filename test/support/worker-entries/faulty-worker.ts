/** Worker threads that go wrong in the ways R084 lists: chosen by the message `arm`'s slot. */
import type { WorkerTask } from '../../../agent/worker/worker-main.ts';
import type { FromWorker, ToWorker } from '../../../agent/worker/worker-messages.ts';

export const FAULTS = ['heap', 'exit', 'throw', 'reject', 'tick'] as const;

/** What `pool.ts` runs. */
export async function runWorker({ port }: WorkerTask): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    port.on('message', (message: ToWorker) => {
      if (message.kind === 'exit') resolve();
      if (message.kind !== 'arm') return;
      const { slot } = message.assignment;
      const post = (clientName: string): void =>
        port.postMessage({ kind: 'armed', slot, clientName } satisfies FromWorker);
      post('before the end');
      const fault = FAULTS[slot];
      if (fault === 'heap') fillHeap();
      else if (fault === 'exit') process.exit(7);
      else if (fault === 'throw') setTimeout(throwOutside, 1);
      else if (fault === 'reject') reject(new Error('the task failed'));
      // Timers go on between messages.
      else setTimeout(() => post('20 ms later'), 20);
    });
  });
  port.close();
}

function fillHeap(): never {
  const hoard: unknown[] = [];
  for (;;) hoard.push(new Array(10_000).fill(hoard.length));
}

function throwOutside(): never {
  throw new Error('thrown outside a request');
}
