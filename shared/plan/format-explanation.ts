/** An explained plan as text for a console. */

import { printable } from '../printable-text.ts';
import { formatDuration } from '../time/duration.ts';
import type { PhaseExplanation, PlanExplanation, RequestExplanation } from './explain-plan.ts';

/** Knots shown per phase. */
const KNOTS_SHOWN = 8;

/** The explanation as text for a console. Ends in a newline. */
export function formatExplanation(explanation: PlanExplanation): string {
  const { fleet, limits } = explanation;
  const [least, most] = fleet.lanesPerSlot;
  const lanes = least === most ? `${most}` : `${least} or ${most}`;
  const lines = [
    `plan       ${explanation.name}`,
    `seed       ${explanation.seed}`,
    `target     ${explanation.target}`,
    `length     ${lengthText(explanation)}`,
    `fleet      ${fleet.agents} x ${fleet.workersPerAgent} workers = ${fleet.workerSlots} worker slots, ${fleet.lanes} lanes, ${lanes} per slot`,
    `limits     over the fleet: ${limits.maxInFlight} in flight, ${limits.maxQueue ?? 'all of a batch'} queued, ${limits.connections} connections${ageText(limits.connectionAgeNs)}`,
    ...(explanation.data === null
      ? []
      : [`data       ${explanation.data.file}: ${explanation.data.rowCount} rows, ${explanation.data.rows}`]),
    '',
    ...explanation.phases.flatMap(phaseLines),
    '',
    ...explanation.requests.flatMap(requestLines),
    ...explanation.warnings.map((warning) => `warning: ${warning}`),
  ];
  return `${lines.map(printable).join('\n')}\n`;
}

function ageText(connectionAgeNs: number | null): string {
  return connectionAgeNs === null ? '' : `, each for at most ${formatDuration(connectionAgeNs)}`;
}

function lengthText({ totalDurationNs, totalScheduled, phases }: PlanExplanation): string {
  const isClosed = phases.some(({ closed }) => closed !== null);
  const open = phases.some(isOpenEnded) ? ', then until a count is sent' : '';
  const others = isClosed ? ', and what closed loops send' : '';
  return `${formatDuration(totalDurationNs)}${open}, ${countText(totalScheduled)} arrivals${others}`;
}

/** Whether only a count ends the phase. */
function isOpenEnded({ closed, durationNs }: PhaseExplanation): boolean {
  return closed !== null && durationNs === 0;
}

function phaseLines(phase: PhaseExplanation): string[] {
  const { closed } = phase;
  const length = isOpenEnded(phase) ? 'until its count is sent' : `for ${formatDuration(phase.durationNs)}`;
  const shown = phase.knots
    .slice(0, KNOTS_SHOWN)
    .map((knot) => `${round(knot.tSeconds)} s: ${round(knot.ratePerSecond)}/s`);
  const more = phase.knots.length > KNOTS_SHOWN ? `, ... (${phase.knots.length} knots)` : '';
  return [
    `phase      ${phase.name}${phase.warmup ? ' (warm-up)' : ''}: ${phase.law}, from ${formatDuration(phase.startNs)} ${length}`,
    `  mode     ${phase.mode}${phase.notShown === null ? '' : ` (does not show ${phase.notShown})`}`,
    closed === null ? arrivalsLine(phase) : closedLine(closed),
    ...(shown.length === 0 ? [] : [`  rate     ${shown.join(', ')}${more}`]),
    ...(phase.firstNs.length === 0
      ? []
      : [`  first    at ${phase.firstNs.map((ns) => formatDuration(ns)).join(', ')}`]),
  ];
}

function arrivalsLine({ scheduled, expected }: PhaseExplanation): string {
  return `  arrivals ${countText(scheduled)} scheduled with this seed, ${expected === null ? '-' : round(expected)} expected`;
}

/** The schedule has nothing of a closed loop: how much is sent is the target's doing. */
function closedLine({ concurrency, thinkNs, count }: NonNullable<PhaseExplanation['closed']>): string {
  const most = count === null ? '' : `, ${count} requests at most`;
  return `  slots    ${concurrency} over the fleet, each ${formatDuration(thinkNs)} after its answer${most}; no arrival is scheduled`;
}

function requestLines(request: RequestExplanation): string[] {
  return [
    `request    ${request.name}: ${round(request.share * 100)} % of the arrivals`,
    `  ${request.method} ${request.url}`,
    ...request.headers.map(([name, value]) => `  ${name}: ${value}`),
    ...(request.body === '' ? [] : [`  ${request.body.slice(0, 200)}`]),
  ];
}

function countText(count: number | null): string {
  return count === null ? 'too many to count here' : String(count);
}

function round(value: number): string {
  return String(Number(value.toPrecision(6)));
}
