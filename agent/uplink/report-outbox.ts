/**
 * Numbered reports that wait for their acknowledgement (design §8). A number, once given, stands for the same bytes until the
 * coordinator has answered; at most 8 wait. What comes later is not here: it goes on adding up in the worker merge.
 */
import type { AgentReport, ReportKey } from '../../shared/metrics/agent-report.ts';
import { REPORTS_UNACKNOWLEDGED_MAX } from '../../shared/rpc/protocol.ts';
import { encodeReport } from '../../shared/rpc/report-codec.ts';
import type { ReportMessage } from '../../shared/rpc/report-message.ts';

/** A report that has no number yet. */
export type UnnumberedReport = Omit<AgentReport, 'key'>;

/** The waiting reports of one agent process for one trial. */
export class ReportOutbox {
  readonly #source: Omit<ReportKey, 'seq'>;
  readonly #waiting = new Map<number, ReportMessage>();
  #lastSeq = 0;

  constructor(source: Omit<ReportKey, 'seq'>) {
    this.#source = source;
  }

  /** True while another report may be numbered. */
  get hasRoom(): boolean {
    return this.#waiting.size < REPORTS_UNACKNOWLEDGED_MAX;
  }

  /** True when every numbered report has been answered. */
  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Numbers and encodes a report. Only while `hasRoom`. */
  number(report: UnnumberedReport): void {
    this.#lastSeq += 1;
    const message = encodeReport({ ...report, key: { ...this.#source, seq: this.#lastSeq } });
    this.#waiting.set(this.#lastSeq, message);
  }

  /** Forgets the report with this key; false when it was not waiting (a repeated answer, or one of another run). */
  answered(key: ReportKey): boolean {
    return this.owns(key) && this.#waiting.delete(key.seq);
  }

  /** True when `key` is one of this sender and trial. */
  owns(key: ReportKey): boolean {
    const source = this.#source;
    return (
      key.runId === source.runId &&
      key.trial === source.trial &&
      key.agentId === source.agentId &&
      key.incarnation === source.incarnation
    );
  }

  /** The waiting reports numbered above `seq`, lowest first. */
  waitingAfter(seq: number): ReportMessage[] {
    return [...this.#waiting.values()].filter((message) => message.key.seq > seq);
  }
}
