/** Worker threads before housekeeping: the agent's other threads give way to them (`give-way.ts`). */
import { giveWay, threadsOfProcess } from './give-way.ts';
import type { StartCrew } from './worker-crew.ts';

/**
 * `startCrew`, after which all threads that the process had before give way by `nice` (0 = none does). They do so when the first worker
 * speaks: by then every worker has been started, with a level of its own.
 */
export function crewFirst(startCrew: StartCrew, nice: number): StartCrew {
  if (nice === 0) return startCrew;
  return (count, handlers) => {
    const others = threadsOfProcess();
    let isSpoken = false;
    return startCrew(count, {
      onMessage: (thread, message) => {
        if (!isSpoken) giveWay(others, nice);
        isSpoken = true;
        handlers.onMessage(thread, message);
      },
      onDeath: (thread, reason) => handlers.onDeath(thread, reason),
    });
  };
}
