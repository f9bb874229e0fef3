/**
 * What travels on the Report stream: a numbered report as bytes under its key, and one answer for each. The bytes are made once
 * and sent again unchanged until answered, so equal keys always mean equal bytes (design §8, R072).
 */
import type { ReportKey } from '../metrics/agent-report.ts';

/** A numbered report, encoded. */
export interface ReportMessage {
  readonly key: ReportKey;
  /** The encoded report; see `report-codec.ts`. */
  readonly payload: Uint8Array;
}

/** What became of one report. */
export type ReportAck =
  /** Counted now. */
  | { readonly kind: 'applied'; readonly key: ReportKey }
  /** Was counted before; not counted again. */
  | { readonly kind: 'duplicate'; readonly key: ReportKey }
  /** Will never be counted; the sender drops it. */
  | { readonly kind: 'rejected'; readonly key: ReportKey; readonly reason: string };

/** A report key as people read it in messages. */
export function reportText(key: ReportKey): string {
  return `report ${key.seq} of agent ${key.agentId} (incarnation ${key.incarnation}) for run ${key.runId} trial ${key.trial}`;
}
