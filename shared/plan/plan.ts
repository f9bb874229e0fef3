/**
 * The plan as typed values: what `parse-plan` makes of YAML and flags, what travels to the agents, and what the report stores.
 * Every number is in range, every rate curve is compiled to knots, every file is a `BlobRef`. Nothing here is parsed again.
 */
import type { ArrivalLaw } from '../schedule/arrival-law.ts';
import type { LlmApi } from '../llm/stream-delta.ts';
import type { WorkloadDescription } from '../llm-workload/describe-rows.ts';
import type { BlobRef } from './blob-ref.ts';

/** A whole run: what is sent where, when, within which limits, and how it is judged. */
export interface Plan {
  readonly name: string;
  /** Unsigned 64-bit seed of everything random; chosen by the tool and printed when the user gives none (R008). */
  readonly seed: bigint;
  /** Number of fixed lanes S, a power of two (design §5). */
  readonly laneCount: number;
  readonly target: Target;
  /** Weighted named requests; never empty. */
  readonly requests: readonly RequestTemplate[];
  readonly data: DataRows | null;
  /** Phases in order; each starts where the one before ends. Never empty. */
  readonly phases: readonly Phase[];
  readonly limits: Limits;
  readonly fleet: FleetShape;
  /** Bounds per request: goodput counts the requests that meet all of them. */
  readonly slo: readonly SloBound[];
  /** Bounds for the run; each is pass, fail or no data. */
  readonly thresholds: readonly Threshold[];
  readonly failOn: FailOn;
  /** Pages of the server's own numbers, read while the run lasts. */
  readonly scrapes: readonly Scrape[];
  readonly output: Output;
}

/** A page of metrics in the Prometheus text format that the coordinator reads. */
export interface Scrape {
  /** Name in the report. */
  readonly name: string;
  /** Absolute http or https URL. */
  readonly url: string;
  readonly intervalNs: number;
  /** Starts of the metric names that are kept; empty = all. */
  readonly include: readonly string[];
}

/** Which verdicts make the run exit with 3 (design §9). */
export type FailOn = 'invalid' | 'degraded' | 'never';

/** Where requests go and how connections are made. */
export interface Target {
  /** Base URL: scheme, host and port, perhaps a path prefix. Request URLs that start with `/` are appended to it unchanged (R028). */
  readonly url: string;
  /** Which client speaks to it; `auto` picks the fastest that can. */
  readonly client: 'auto' | 'undici' | 'wire';
  /** Send the identity of each arrival as header `loadfleet-id` (design §5). */
  readonly identify: boolean;
  /** Host name for SNI and certificate check; null = the URL's host (none for an IP literal). */
  readonly tlsServerName: string | null;
  /** Accept any certificate; printed in the report. */
  readonly insecure: boolean;
  /** Address to dial instead of the URL's `host:port`, or `unix:PATH`; null = the URL's. */
  readonly connectTo: string | null;
  /** `direct`, or the URL of the forward proxy that all requests go through (R035): wire client, HTTP/1.1. */
  readonly proxy: string;
  readonly httpVersion: '1.1' | '2' | 'auto';
}

/** One named request of the workload. */
export interface RequestTemplate {
  readonly name: string;
  /** Relative share, > 0. */
  readonly weight: number;
  readonly method: string;
  /** Absolute URL with `target.url` already applied; may hold `{{column}}` of the data file. Byte-identical on the wire (R028). */
  readonly url: string;
  /** In the order written; names keep their case; values may hold `{{column}}`. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: RequestBody;
  readonly expect: Expectation;
  /** How the answer is read; null for requests whose answers are judged by their status alone. */
  readonly llm: LlmRequest | null;
}

/** A request to an LLM server: its body is built, this says how its answer is to be read. */
export interface LlmRequest {
  readonly api: LlmApi;
  /** As sent; for the report. */
  readonly model: string;
  /** The answer is asked for as an event stream. */
  readonly stream: boolean;
  /** A stream without its end marker is truncated, even after a finish reason (R044). */
  readonly strictEnd: boolean;
  /** Output tokens that every answer must have, because the end of text is ignored: a number, or the mark that a row fills; null = not known. */
  readonly exactTokens: number | string | null;
  /** Counts the output tokens of a sample of the answers too; null = none. */
  readonly tokenizer: TokenizerRef | null;
  /** Its rows may be sessions of several turns; null = there is one turn only. */
  readonly session: LlmSession | null;
}

/** A tokenizer by name: `words`, an encoding, or a file that travels with the plan. */
export interface TokenizerRef {
  readonly name: string;
  readonly file: BlobRef | null;
}

/** How later turns of a session are made. */
export interface LlmSession {
  /** Member of the body that takes a turn's own output tokens; null = the plan fixes them, or leaves them to the server. */
  readonly tokensMember: string | null;
}

export type RequestBody =
  | { readonly kind: 'none' }
  /** UTF-8 text, may hold `{{column}}`. */
  | { readonly kind: 'text'; readonly text: string }
  /** The file's bytes, sent as they are. */
  | { readonly kind: 'file'; readonly file: BlobRef };

/** What makes an answered request ok. */
export interface Expectation {
  /** Inclusive status ranges; an answer outside all of them is `failed{http-status}`. Default 200..399 (redirects are results, design §12). */
  readonly status: readonly (readonly [low: number, high: number])[];
  /** A body with a Content-Encoding, where the request has an Accept-Encoding, is decoded and must be whole (R030). */
  readonly decoded: boolean;
}

/** A data file whose rows fill `{{column}}` (design §5). */
export interface DataRows {
  readonly file: BlobRef;
  readonly columns: readonly string[];
  readonly rowCount: number;
  /**
   * `cycle`: every row once per pass, again and again; `once`: the phase ends with the rows; `random`: with replacement; `in-order`: as
   * the file has them, for traces whose rows belong to their instants.
   */
  readonly rows: RowMode;
  /** What the rows were made from; null for a file of the user's own columns. */
  readonly dataset: DatasetInfo | null;
}

/** How rows are dealt to arrivals. */
export type RowMode = 'cycle' | 'once' | 'random' | 'in-order';

/** An LLM workload that was made into rows where the plan was compiled. */
export interface DatasetInfo {
  readonly kind: string;
  /** File or law, for messages and the report. */
  readonly source: string;
  /** Every rule with its value. */
  readonly parameters: Readonly<Record<string, string | number | boolean | null>>;
  /** Rows left out, by rule. */
  readonly leftOut: Readonly<Record<string, number>>;
  readonly description: WorkloadDescription;
  /** The column whose cells are recipes of generated prompts, and what keeps their words apart from other runs'; null = texts as they are. */
  readonly recipe: { readonly column: number; readonly salt: string } | null;
}

/** A stretch of the plan with its own load. */
export interface Phase {
  readonly name: string;
  /** True keeps its requests out of `measured` (R066). */
  readonly warmup: boolean;
  /** Offset from T0, ns. */
  readonly startNs: number;
  /** Scheduled length in ns, >= 0 (0 only for all-at-once, and for a closed loop that ends with its count). */
  readonly durationNs: number;
  readonly arrivals: ArrivalLaw;
}

/** Bounds per worker, each counted when it acts (design §6). */
export interface Limits {
  readonly maxInFlight: number;
  /** Arrivals that may wait above `maxInFlight`; 0 drops them (`max-in-flight`). Null = all of a phase that is all at once, none of others. */
  readonly maxQueue: number | null;
  /** Connections per worker. */
  readonly connections: number;
  /** Age at which a connection takes no further request; each lives between half of it and all of it. Null = any age (R024, R025). */
  readonly connectionAgeNs: number | null;
  /** From send to the last byte, all included. */
  readonly timeoutNs: number;
  /** Longest silence inside an answer; null = none but the timeout (R018). */
  readonly idleTimeoutNs: number | null;
  /** How long after the last phase, and after the last of a batch has left, open requests may still end (R059). */
  readonly drainNs: number;
  /** How long after its phase's end an arrival may still be released, and be sent if another phase follows (R014). */
  readonly phaseGraceNs: number;
  readonly late: LatePolicy;
}

/** What happens to an arrival that comes to be released late. */
export type LatePolicy = { readonly kind: 'send' } | { readonly kind: 'drop-after'; readonly lateNs: number };

/** How a worker waits for the next instant (design §6). `auto` = hybrid, or timer where spinning threads would take every core, or be throttled. */
export type Pacing = 'auto' | 'hybrid' | 'spin' | 'timer';

/** How many agents and workers, and how the coordinator treats them. */
export interface FleetShape {
  readonly agents: number;
  /** Worker threads per agent; null = by the host's cores (design §6). */
  readonly workers: number | null;
  readonly pacing: Pacing;
  readonly leaseNs: number;
  readonly onAgentLoss: 'abort' | 'continue' | 'redeal';
  /** From the end of arming to T0; null = 0.5 s on loopback, 5 s over a network. */
  readonly startLeadNs: number | null;
  /** How long members may take to join and to arm. */
  readonly armTimeoutNs: number;
}

/** A per-request bound on a time metric; a failed or dropped request never meets it. */
export interface SloBound {
  readonly metric: string;
  readonly maxNs: number;
}

/** A bound for the run, e.g. `p99(response)<50ms` or `share(failed)<1%`; judged once on merged data. */
export interface Threshold {
  /** As written. */
  readonly text: string;
  readonly statistic: ThresholdStatistic;
  readonly comparison: '<' | '<=' | '>' | '>=';
  /** In the statistic's own unit: ns for times, a share 0..1, a count, or 1/s. */
  readonly bound: number;
}

export type ThresholdStatistic =
  | { readonly kind: 'percentile'; readonly percentile: number; readonly metric: string }
  | { readonly kind: 'mean' | 'min' | 'max'; readonly metric: string }
  /** Share of one book among attempted + dropped, e.g. `failed`, `dropped`, `unfinished`, `failure` (all three), `goodput` (ok within the SLO). */
  | { readonly kind: 'share'; readonly book: string }
  /** One book as a count, e.g. `ok`, `failed`, `lost`. */
  | { readonly kind: 'count'; readonly book: string }
  /** `sent`, `ok` or `goodput` per second of the measured scheduled length. */
  | { readonly kind: 'rate'; readonly of: string };

/** What is written where. */
export interface Output {
  /** Result folder; null = `loadfleet-results/<run id>` in the working directory. */
  readonly directory: string | null;
  readonly quiet: boolean;
  /** Requests of the run that `requests.jsonl` may hold; null = it is not written. */
  readonly perRequestLimit: number | null;
}

/** A plan together with the content of its files: what the CLI hands to a coordinator. */
export interface PlanBundle {
  readonly plan: Plan;
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  /** The effective plan as YAML with secrets redacted by value (R106), as printed and stored. */
  readonly effectiveYaml: string;
  /** Texts that must never appear in an output: values from the environment that came from secret sources. */
  readonly secrets: readonly string[];
}
