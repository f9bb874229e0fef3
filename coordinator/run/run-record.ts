/**
 * The facts of one run that are not counts: who took part, on which clocks, and how it ended. The run's state machine fills it,
 * the report reads it. Counts and histograms live in `coordinator/merge`.
 */
import type { Plan } from '../../shared/plan/plan.ts';
import type { RequestFileRecord } from '../report/request-file.ts';
import type { ProbeDeal } from '../../shared/schedule/deal.ts';
import type { ServerRecord } from '../scrape/server-scrape.ts';

/** One agent of the run. */
export interface AgentRecord {
  readonly agentId: string;
  readonly incarnation: string;
  readonly region: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly cores: number;
  readonly nodeVersion: string;
  /** Global worker slots it was given. */
  readonly slots: readonly number[];
  /** e.g. `undici http/1.1`, as the workers reported; null when it never armed. */
  readonly clientName: string | null;
  /** Pacing its workers used, and why if that was a fallback. */
  readonly pacing: string | null;
  /** Offset of its monotonic clock to the coordinator's and the proven bound (M§8); null when not probed. */
  readonly clock: { readonly offsetNs: number; readonly boundNs: number; readonly roundTripMinNs: number } | null;
  /**
   * `lost`: from that run time on nothing of it was heard. `stopped`: it ended its part by itself (its lease lapsed), said so then, and
   * reported what it had done.
   */
  readonly state:
    | { readonly kind: 'finished' }
    | { readonly kind: 'stopped'; readonly atNs: number; readonly reason: string }
    | { readonly kind: 'lost'; readonly atNs: number; readonly reason: string };
}

/** How the run ended. */
export type RunEnd =
  | { readonly kind: 'finished' }
  /** Stopped on purpose at run time `atNs`; `abrupt`: a second signal cut the drain short. */
  | {
      readonly kind: 'interrupted';
      readonly atNs: number;
      readonly signal: 'SIGINT' | 'SIGTERM' | 'stop';
      readonly abrupt: boolean;
    }
  /** It could not be run to its end (an agent lost under `abort`, arming failed, a broken invariant). */
  | { readonly kind: 'failed'; readonly atNs: number | null; readonly reason: string };

/** One run, apart from its numbers. */
export interface RunRecord {
  readonly runId: string;
  readonly trial: number;
  /** Wall clock at T0 (or at the end of arming when there was no T0), ms since the epoch; a label only. */
  readonly startedAtMs: number;
  /** Run time from T0 to the end of the drain, ns. */
  readonly durationNs: number;
  readonly loadfleetVersion: string;
  readonly command: string;
  readonly plan: Plan;
  readonly effectiveYaml: string;
  readonly secrets: readonly string[];
  readonly agents: readonly AgentRecord[];
  /** Worker slots of the whole fleet. */
  readonly workerSlots: number;
  /** The slot of an otherwise idle agent that had few lanes on purpose; null without one. */
  readonly probe: ProbeDeal | null;
  readonly end: RunEnd;
  /** The server's own numbers, one per page that the plan has read. */
  readonly servers: readonly ServerRecord[];
  /** `requests.jsonl` as it was written; null when the plan does not want it. */
  readonly requestFile: RequestFileRecord | null;
  readonly warnings: readonly string[];
}
