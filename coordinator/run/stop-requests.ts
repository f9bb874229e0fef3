/** How signals reach a run: the command line owns the process and its signals, the run only hears of them. */

/** Signals from a human or a supervisor. */
export interface StopRequests {
  /** Calls `stop` for each signal that comes; gives back how to stop listening. */
  subscribe(stop: (signal: 'SIGINT' | 'SIGTERM') => void): () => void;
}
