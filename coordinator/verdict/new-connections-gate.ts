/**
 * New connections per second against the local ports of an agent's host (M§9.2, R032): a closed connection keeps its port for 60 s,
 * so the ports last for (range / 60 s) per second, and half of that is safe. Over the busiest minute of the run.
 */
import type { GaugeSummary } from '../merge/telemetry-sums.ts';
import { levelOf, notMeasured } from './gate-making.ts';
import { GATES, TIME_WAIT_SECONDS } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** Connections that one agent tried to open, per second of its busiest minute. */
export interface AgentConnections {
  readonly agentId: string;
  readonly perSecond: number;
}

/** Judges the agent that came nearest to its limit. */
export function newConnectionsGate(agents: readonly AgentConnections[], gauges: readonly GaugeSummary[]): Gate {
  const row = GATES['new-connections'];
  const judged = agents.map(({ agentId, perSecond }) => {
    const ports = gauges.find((one) => one.agentId === agentId && one.name === 'localPortsTotal')?.min ?? null;
    return { agentId, perSecond, limit: ports === null ? row.warnBeyond : Math.floor(ports / TIME_WAIT_SECONDS / 2) };
  });
  const worst = judged.sort((a, b) => b.perSecond / b.limit - a.perSecond / a.limit)[0];
  if (worst === undefined) return notMeasured('new-connections', row.unit, row.warnBeyond, 'no agent took part');
  const { agentId, limit } = worst;
  const measured = Math.round(worst.perSecond * 100) / 100;
  const kind = levelOf(measured, { warnBeyond: limit, failBeyond: null });
  const text = `agent ${agentId} opened ${measured} connections per second in its busiest minute`;
  const reason =
    kind === 'pass'
      ? text
      : `${text}; the limit is ${limit}: local ports run out, keep connections open or use more hosts`;
  return { kind, name: 'new-connections', measured, limit, unit: row.unit, reason };
}
