/** A worker's hand-over without counts; tests add what they are about. */
import type { WorkerHandover } from '../../agent/worker/worker-messages.ts';

export const EMPTY_HANDOVER: WorkerHandover = {
  completeBelowWindow: 0,
  decidedThroughNs: 0,
  counters: [],
  series: [],
  failures: [],
  gauges: [],
  fidelity: [],
  requests: { blocks: [], leftOut: 0 },
  texts: [],
  warnings: [],
};
