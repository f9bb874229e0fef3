/**
 * How long worker loops did not come round (M§9.2): what was there in such a gap was sent late and seen late. Time-weighted: the gap
 * that is exceeded for 0.1 % of the time, of the worst agent, against the p99 of response.
 */
import { levelOf, millisecondsText, notMeasured } from './gate-making.ts';
import { GATES, LOOP_GAP_SLACK_NS } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** The loops of one agent in the measured phases. */
export interface AgentLoopGap {
  readonly agentId: string;
  /** Time-weighted p99.9 of the gaps, and the longest, ns; null = no gap was measured. */
  readonly p999Ns: number | null;
  readonly longestNs: number | null;
}

/** Judges the worst agent. */
export function loopGapGate(agents: readonly AgentLoopGap[], responseP99Ns: number | null): Gate {
  const row = GATES['loop-gap'];
  const known = agents.flatMap(({ agentId, p999Ns, longestNs }) =>
    p999Ns === null ? [] : [{ agentId, p999Ns, longestNs: longestNs ?? p999Ns }],
  );
  const worst = known.sort((a, b) => b.p999Ns - a.p999Ns)[0];
  if (worst === undefined || responseP99Ns === null) {
    return notMeasured('loop-gap', row.unit, null, 'no gap of a loop, or no ok request');
  }
  const limit = Math.max(Math.floor(responseP99Ns * row.warnBeyond), LOOP_GAP_SLACK_NS);
  const kind = levelOf(worst.p999Ns, { warnBeyond: limit, failBeyond: null });
  const text =
    `loops of agent ${worst.agentId} took ${millisecondsText(worst.p999Ns)} or longer to come round for 0.1 % of the time, ` +
    `${millisecondsText(worst.longestNs)} at the longest`;
  const reason = kind === 'pass' ? text : `${text}; the limit is ${millisecondsText(limit)}: a worker loop was blocked`;
  return { kind, name: 'loop-gap', measured: worst.p999Ns, limit, unit: row.unit, reason };
}
