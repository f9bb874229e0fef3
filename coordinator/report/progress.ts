/**
 * The progress of a running run on the console: one line that is rewritten every second on a terminal, elsewhere one plain line every 5 s,
 * and less often later on, so that a log holds a long run. It shows what the fleet reported for its newest complete window; the report is made from all of them.
 */
import { printable } from '../../shared/printable-text.ts';
import type { LatestWindow } from '../merge/latest-window.ts';
import { countText, fitted, spanText, timeText } from './text-format.ts';

/** What one progress line shows. */
export interface ProgressState {
  /** Run time now, ns from T0; negative before T0. */
  readonly elapsedNs: number;
  /** Scheduled length of all phases, ns; 0 for a plan that its count ends. */
  readonly plannedNs: number;
  /** e.g. `arming`, `running`, `draining`. */
  readonly state: string;
  /** Name of the phase that is on, null outside all. */
  readonly phase: string | null;
  readonly agentsAlive: number;
  readonly agentsTotal: number;
  readonly latest: LatestWindow;
}

/** Where there is no terminal, how often a line is printed from which run time on, ns. A day comes to some 450 lines. */
const PLAIN_EVERY = [
  { fromNs: 3600e9, everyNs: 300e9 },
  { fromNs: 300e9, everyNs: 30e9 },
  { fromNs: -Infinity, everyNs: 5e9 },
] as const;

/** Width of a terminal that has none, as pseudo-terminals do whose owner never set it. */
const COLUMNS_DEFAULT = 80;

/** One line, without newline and without control characters. */
export function progressLine(state: ProgressState): string {
  const { latest } = state;
  const perSecond = (count: number): string =>
    latest.startNs === null ? '-' : `${countText(count / (latest.lengthNs / 1e9))}/s`;
  const phase = state.phase === null ? '' : ` ${fitted(state.phase, 20)}`;
  const place =
    state.elapsedNs < 0
      ? `starts in ${spanText(-state.elapsedNs)}`
      : `${spanText(state.elapsedNs)}${state.plannedNs === 0 ? '' : ` of ${spanText(state.plannedNs)}`}`;
  const parts = [
    `${state.state}${phase} ${place}`,
    `intended ${perSecond(latest.scheduled)} sent ${perSecond(latest.sent)} ok ${perSecond(latest.ok)}`,
    `failed ${countText(latest.failedSoFar)} dropped ${countText(latest.droppedSoFar)} in flight ${countText(latest.inFlight)}`,
    `response p50 ${timeText(latest.responseP50Ns)} p99 ${timeText(latest.responseP99Ns)}`,
    `wakeLag p99 ${timeText(latest.wakeLagP99Ns)}`,
  ];
  if (state.agentsAlive < state.agentsTotal) parts.push(`agents ${state.agentsAlive} of ${state.agentsTotal}`);
  return printable(parts.join(' | '));
}

/** Where progress goes. */
export interface ProgressPrinter {
  /** Shows the state if it is time to; call it about once a second. */
  update(state: ProgressState): void;
  /** Ends a rewritten line so that what follows starts on its own. */
  end(): void;
}

/** A printer; `quiet` makes it silent. It keeps no clock: time is the state's own. */
export function createProgressPrinter(options: {
  readonly write: (text: string) => void;
  readonly isTerminal: boolean;
  readonly quiet: boolean;
  /** Width of the terminal in columns, 0 = not known; longer lines are cut there, since a wrapped line cannot be rewritten. */
  readonly columns: number;
}): ProgressPrinter {
  if (options.quiet) return { update: () => undefined, end: () => undefined };
  const { write, columns } = options;
  return options.isTerminal ? rewritingPrinter(write, columns > 0 ? columns : COLUMNS_DEFAULT) : plainPrinter(write);
}

function rewritingPrinter(write: (text: string) => void, columns: number): ProgressPrinter {
  let shown = 0;
  return {
    update: (state) => {
      const line = fitted(progressLine(state), Math.max(1, columns - 1));
      const length = Array.from(line).length;
      write(`\r${line}${' '.repeat(Math.max(0, shown - length))}`);
      shown = length;
    },
    end: () => {
      if (shown > 0) write('\n');
      shown = 0;
    },
  };
}

function plainPrinter(write: (text: string) => void): ProgressPrinter {
  let next = -Infinity;
  let lastState = '';
  return {
    update: (state) => {
      if (state.elapsedNs < next && state.state === lastState) return;
      write(`${progressLine(state)}\n`);
      lastState = state.state;
      const { everyNs } = PLAIN_EVERY.find(({ fromNs }) => state.elapsedNs >= fromNs) ?? PLAIN_EVERY[2];
      next = (Math.floor(state.elapsedNs / everyNs) + 1) * everyNs;
    },
    end: () => undefined,
  };
}
