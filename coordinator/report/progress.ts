/** The progress of a running run on the console: one line a second on a terminal, one plain line every 5 s elsewhere. */
import { FleetError } from '../../shared/fleet-error.ts';
import type { LatestWindow } from '../merge/latest-window.ts';

/** What one progress line shows. */
export interface ProgressState {
  /** Run time now, ns from T0; negative before T0. */
  readonly elapsedNs: number;
  /** Scheduled length of all phases, ns. */
  readonly plannedNs: number;
  /** e.g. `arming`, `running`, `draining`. */
  readonly state: string;
  /** Name of the phase that is on, null outside all. */
  readonly phase: string | null;
  readonly agentsAlive: number;
  readonly agentsTotal: number;
  readonly latest: LatestWindow;
}

/** One line, without newline and without control characters. */
export function progressLine(_state: ProgressState): string {
  throw new FleetError('internal', 'progressLine is not built yet');
}

/** Where progress goes. */
export interface ProgressPrinter {
  /** Shows the state if it is time to; call it about once a second. */
  update(state: ProgressState): void;
  /** Ends a rewritten line so that what follows starts on its own. */
  end(): void;
}

/** A printer on `stream` (standard error); `quiet` makes it silent. Time is the state's own. */
export function createProgressPrinter(_options: {
  readonly write: (text: string) => void;
  readonly isTerminal: boolean;
  readonly quiet: boolean;
  /** Width of the terminal in columns; longer lines are cut there. */
  readonly columns: number;
}): ProgressPrinter {
  throw new FleetError('internal', 'createProgressPrinter is not built yet');
}
