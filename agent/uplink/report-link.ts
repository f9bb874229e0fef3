/**
 * Keeps the Report stream alive while there is something to report: sends the waiting reports in order, stops when the stream
 * says so and goes on at every drain (R081), and after a break sends all that is unanswered again, byte for byte (R072).
 */
import { FleetError } from '../../shared/fleet-error.ts';
import { type FleetEndpoint, openReports } from '../../shared/rpc/fleet-client.ts';
import type { MessageStream } from '../../shared/rpc/message-stream.ts';
import type { ReportAck, ReportMessage } from '../../shared/rpc/report-message.ts';
import type { LongTimer } from '../../shared/time/long-timer.ts';
import { repeatEvery, type Timekeeper } from '../../shared/time/timekeeper.ts';
import { durationText } from '../../shared/time/duration-text.ts';
import { backOffNs } from './back-off.ts';

/** A stream that owes answers and has given none for this long is given up, ns. A connection that is dead is noticed by keep-alive. */
const REPORT_SILENCE_NS = 15_000_000_000;
/**
 * Most doublings of that time while no answer comes at all: a large report over a slow link is on its way for longer than that, and begun
 * anew each time it would never arrive.
 */
const SILENCE_DOUBLINGS_MAX = 3;

const CHECK_INTERVAL_NS = 1_000_000_000;

/** Where the link is. */
type LinkState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'waiting'; readonly timer: LongTimer }
  | {
      readonly kind: 'open';
      readonly stream: MessageStream<ReportMessage>;
      /** Highest number written on this stream. */
      sentSeq: number;
      /** When the last answer came, or the stream was opened. */
      heardAtNs: number;
    }
  | { readonly kind: 'closed' };

export interface ReportLinkOptions {
  readonly endpoint: FleetEndpoint;
  readonly timekeeper: Timekeeper;
  readonly randomShare: () => number;
  /** The unanswered reports numbered above `seq`, lowest first. */
  readonly waitingAfter: (seq: number) => readonly ReportMessage[];
  readonly onAck: (ack: ReportAck) => void;
  readonly onNotice: (text: string) => void;
}

export class ReportLink {
  readonly #options: ReportLinkOptions;
  readonly #check: LongTimer;
  #state: LinkState = { kind: 'idle' };
  /** Breaks since the last answer; they make the next wait longer. */
  #breaks = 0;

  constructor(options: ReportLinkOptions) {
    this.#options = options;
    this.#check = repeatEvery(options.timekeeper, CHECK_INTERVAL_NS, () => this.#giveUpIfSilent());
  }

  /** Sends what waits, as far as the stream takes it. Call it whenever a report was numbered. */
  pump(): void {
    const state = this.#state;
    if (state.kind === 'idle') {
      if (this.#options.waitingAfter(0).length > 0) this.#open();
      return;
    }
    if (state.kind !== 'open') return;
    for (const message of this.#options.waitingAfter(state.sentSeq)) {
      if (!state.stream.isWritable) return;
      state.stream.write(message);
      state.sentSeq = message.key.seq;
    }
  }

  /**
   * Starts numbering anew: the next run's reports begin at 1 again. The stream is opened now, before the load: a run that takes every
   * file handle would leave none to report with (R032).
   */
  restart(): void {
    if (this.#state.kind === 'open') this.#state.sentSeq = 0;
    else if (this.#state.kind === 'idle') this.#open();
  }

  /** Ends the link; what is unanswered stays with its owner. */
  close(): void {
    const state = this.#state;
    this.#check.cancel();
    if (state.kind === 'waiting') state.timer.cancel();
    this.#state = { kind: 'closed' };
    if (state.kind === 'open') state.stream.end();
  }

  #open(): void {
    const stream = openReports(this.#options.endpoint, {
      onMessage: (ack) => this.#answered(ack),
      onWritable: () => this.pump(),
      onClosed: (end) => this.#lost(end.kind === 'ended' ? 'the coordinator closed it' : end.error.message),
    });
    this.#state = { kind: 'open', stream, sentSeq: 0, heardAtNs: this.#options.timekeeper.nowNs() };
    this.pump();
  }

  #answered(ack: ReportAck): void {
    this.#breaks = 0;
    if (this.#state.kind === 'open') this.#state.heardAtNs = this.#options.timekeeper.nowNs();
    this.#options.onAck(ack);
    this.pump();
  }

  #lost(reason: string): void {
    if (this.#state.kind !== 'open') return;
    const { timekeeper, randomShare, onNotice, waitingAfter } = this.#options;
    if (waitingAfter(0).length === 0) {
      this.#state = { kind: 'idle' };
      return;
    }
    this.#breaks += 1;
    // Said once per break, not once per attempt.
    if (this.#breaks === 1) onNotice(`Report stream lost: ${reason}; dialling again`);
    const timer = timekeeper.after(backOffNs(this.#breaks, randomShare()), () => this.#open());
    this.#state = { kind: 'waiting', timer };
  }

  #giveUpIfSilent(): void {
    const state = this.#state;
    if (state.kind !== 'open') return;
    const { timekeeper, waitingAfter } = this.#options;
    const patienceNs = REPORT_SILENCE_NS * 2 ** Math.min(this.#breaks, SILENCE_DOUBLINGS_MAX);
    if (waitingAfter(0).length === 0) {
      state.heardAtNs = timekeeper.nowNs();
    } else if (timekeeper.nowNs() - state.heardAtNs > patienceNs) {
      state.stream.abort(new FleetError('lost', `no answer to a report for ${durationText(patienceNs)}`));
    }
  }
}
