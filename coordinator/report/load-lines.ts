/** What the measured phases asked, for loads that are no arrivals of users: the summary says what their numbers do not show. */
import { countText, rateText, spanText, timeText } from './text-format.ts';
import type { PhaseValue, ResultValue } from './result-value.ts';

/** One line for each such phase, and what its mode does not show; none for open loops. */
export function loadLines({ phases }: Pick<ResultValue, 'phases'>): readonly string[] {
  const special = phases.filter(({ warmup, mode }) => !warmup && mode !== 'server');
  const notes = new Set(
    special.flatMap(({ mode, notShown }) => (notShown === null ? [] : [`${mode} does not show ${notShown}`])),
  );
  return [...special.map((phase) => `  ${phase.name}: ${phaseText(phase)}`), ...[...notes].map((note) => `  ${note}`)];
}

function phaseText({ mode, closed, offline, accounting }: PhaseValue): string {
  if (closed !== null) {
    const { concurrency, thinkNs, pauses, cyclesPerSecond } = closed;
    const slots = `${countText(concurrency)} ${concurrency === 1 ? 'slot' : 'slots'}`;
    const think = thinkNs === 0 ? '' : `, ${timeText(thinkNs)} think time`;
    const rate = cyclesPerSecond === null ? '' : `, ${rateText(cyclesPerSecond)} = slots / (mean response + think)`;
    const paused =
      pauses === 0 ? '' : `; slots paused ${countText(pauses)} times because a request did not reach the target`;
    return `${mode} of ${slots}${think}: ${countText(accounting.scheduled)} requests issued${rate}${paused}`;
  }
  return offline === null
    ? mode
    : `${mode}: ${countText(accounting.ok)} ok in ${spanText(offline.lengthNs)} to the last end, ${rateText(offline.okPerSecond)}`;
}
