/** How well the agents' clocks are known (M§8): agents further apart blur steps and windows. Response times use one clock each. */
import type { AgentRecord } from '../run/run-record.ts';
import { millisecondsText, notMeasured } from './gate-making.ts';
import { GATES } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** Judges the clock that is known least well. */
export function clockBoundGate(agents: readonly AgentRecord[]): Gate {
  const limit = GATES['clock-bound'].warnBeyond;
  const bounds = agents.flatMap((agent) => (agent.clock === null ? [] : [agent.clock.boundNs]));
  if (bounds.length === 0 || bounds.length < agents.length) {
    return notMeasured('clock-bound', 'ns', limit, 'not every clock was probed');
  }
  const measured = Math.max(...bounds);
  const kind = measured > limit ? 'warn' : 'pass';
  const reason = `agent clocks are known to within ${millisecondsText(measured)}`;
  return { kind, name: 'clock-bound', measured, limit, unit: 'ns', reason };
}
