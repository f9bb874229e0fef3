import { describe, expect, it } from 'vitest';
import { KeptCrew } from '../../../../agent/session/kept-crew.ts';
import type { CrewHandlers, WorkerThread } from '../../../../agent/session/worker-crew.ts';
import { CONTROL_CELLS } from '../../../../agent/worker/worker-messages.ts';

/** Crews of threads that do nothing, and what was done with each. */
function crews(dismissal: () => Promise<void> = () => Promise.resolve()) {
  const started: { readonly count: number; readonly handlers: CrewHandlers; isDismissed: boolean }[] = [];
  const heard: string[] = [];
  const kept = new KeptCrew(
    (count, handlers) => {
      const one = { count, handlers, isDismissed: false };
      started.push(one);
      const threads = Array.from(
        { length: count },
        (): WorkerThread => ({
          cells: new Int32Array(Object.keys(CONTROL_CELLS).length),
          post: () => undefined,
        }),
      );
      const dismiss = (): Promise<void> => {
        one.isDismissed = true;
        return dismissal();
      };
      return { threads, dismiss };
    },
    {
      onMessage: (thread) => heard.push(`message of ${thread}`),
      onDeath: (thread, reason) => heard.push(`death of ${thread}: ${reason}`),
    },
    (text) => heard.push(text),
  );
  return { kept, started, heard };
}

describe('the crew that an agent keeps', () => {
  it('serves one run after the other while it is as large', () => {
    const { kept, started } = crews();
    const threads = kept.take(2);
    expect(kept.take(2)).toBe(threads);
    expect(kept.threads).toBe(threads);
    expect(kept.take(3)).toHaveLength(3);
    expect(started.map(({ count, isDismissed }) => [count, isDismissed])).toEqual([
      [2, true],
      [3, false],
    ]);
  });

  it('R084 serves no further run when a thread of it has died', () => {
    const { kept, started } = crews();
    kept.take(2);
    kept.dismissWorn();
    expect(started[0]?.isDismissed).toBe(false);
    kept.wear();
    kept.take(2);
    expect(started.map(({ isDismissed }) => isDismissed)).toEqual([true, false]);
    kept.wear();
    kept.dismissWorn();
    expect(kept.threads).toEqual([]);
    expect(started[1]?.isDismissed).toBe(true);
  });

  it('R075 passes on nothing of a crew that has gone', () => {
    const { kept, started, heard } = crews();
    kept.take(1);
    started[0]?.handlers.onDeath(0, 'first');
    kept.take(2);
    started[0]?.handlers.onDeath(0, 'late');
    started[0]?.handlers.onMessage(0, { kind: 'fault', slot: 0, message: 'late', stack: null });
    started[1]?.handlers.onDeath(1, 'second');
    expect(heard).toEqual(['death of 0: first', 'death of 1: second']);
  });

  it('says of threads that do not end so, when nobody waits for them', async () => {
    const { kept, heard } = crews(() => Promise.reject(new Error('stuck')));
    kept.take(1);
    kept.dismiss();
    await Promise.resolve();
    await expect.poll(() => heard).toEqual([expect.stringMatching(/did not end: .*stuck/)]);
    kept.take(1);
    await expect(kept.close()).rejects.toThrow('stuck');
  });
});
