/**
 * What one worker counts and measures, between two hand-overs (design §2 P2 and P4, §7). Each event is booked twice: for its
 * phase's window (`decided` and drops by intended instant, `attempted` by release, `sent` by send, outcomes and samples by end)
 * and for its request name in its phase. It reads no clock and sets no timer; nothing here encodes or allocates per request.
 */

import type { CounterDelta } from '../../shared/metrics/agent-report.ts';
import { COUNTER, type CounterName } from '../../shared/metrics/counters.ts';
import {
  DROP_REASONS,
  type DropReason,
  FAILURE_CLASSES,
  type FailureClass,
  type Outcome,
} from '../../shared/metrics/outcome.ts';
import { outcomeCode, UNFINISHED_CODE } from '../../shared/metrics/request-record.ts';
import { windowOf } from '../../shared/metrics/window.ts';
import type { AnswerTexts } from './answer-texts.ts';
import type { BlockStore } from './block-store.ts';
import type { FidelityMeter } from './fidelity-meter.ts';
import { FailureExamples } from './failure-examples.ts';
import { NamedBooks, type NamedScope } from './named-books.ts';
import type { OpenRequest } from './open-request.ts';
import type { LoggedRequests } from './logged-requests.ts';
import type { RequestLog } from './request-log.ts';
import { recordEnd, recordUnfinished } from './request-samples.ts';
import { ScopeBooks, seriesIndexOf } from './scope-books.ts';
import type { SloCheck } from './slo-check.ts';
import type { SeriesBlock, WorkerHandover } from './worker-messages.ts';

const LOOP_GAP = seriesIndexOf('loopGap', 'ok');

/** Counter positions by reason and class, so that no name is built per request. */
const DROPPED_COUNTER = Object.fromEntries(
  DROP_REASONS.map((reason) => [reason, COUNTER[`dropped:${reason}`]]),
) as Readonly<Record<DropReason, number>>;
const FAILED_COUNTER = Object.fromEntries(
  FAILURE_CLASSES.map((failure) => [failure, COUNTER[`failed:${failure}`]]),
) as Readonly<Record<FailureClass, number>>;

const NOTHING_LOGGED: LoggedRequests = { blocks: [], leftOut: 0 };

/** Phases are at most 256 (8 bits of the trial field). */
const PHASES_MAX = 256;

/** What the recorder cannot know by itself at a hand-over. */
export interface HandoverFacts {
  readonly completeBelowWindow: number;
  readonly decidedThroughNs: number;
  readonly gauges: WorkerHandover['gauges'];
  /** Nothing is planned or sent any more in windows below this. */
  readonly pacedBelowWindow: number;
  /** The trial is over: flush everything. */
  readonly last: boolean;
}

export class Recorder {
  readonly #store: BlockStore;
  readonly #slo: SloCheck;
  /** Null where the plan has one request name: then its books are those of the phases, and are not kept twice. */
  readonly #named: NamedBooks | null;
  readonly #fidelity: FidelityMeter;
  readonly #log: RequestLog | null;
  readonly #texts: AnswerTexts | null;
  readonly #failures = new FailureExamples();
  #warnings: string[] = [];
  #windows = new Map<number, ScopeBooks>();
  #currentKey = Number.NaN;
  #current: ScopeBooks | null = null;

  /**
   * `requestNames` in the order of `Plan.requests`; `slot` staggers the flush of names; `hasTokens`: as in `NamedBooks`; `log`: keeps a row
   * of each request that ends; `texts`: keeps texts for a tokenizer.
   */
  constructor(
    store: BlockStore,
    requestNames: readonly string[],
    slo: SloCheck,
    slot: number,
    fidelity: FidelityMeter,
    hasTokens?: (template: number) => boolean,
    log: RequestLog | null = null,
    texts: AnswerTexts | null = null,
  ) {
    this.#texts = texts;
    this.#log = log;
    this.#store = store;
    this.#fidelity = fidelity;
    this.#slo = slo;
    this.#named =
      requestNames.length === 1
        ? null
        : new NamedBooks(requestNames, store, slot, (text) => this.warn(text), hasTokens);
  }

  /** Whether each request that ends leaves a row of numbers. */
  get keepsRows(): boolean {
    return this.#log !== null;
  }

  /** A text for the report's warnings; the caller keeps it to one per cause. */
  warn(text: string): void {
    this.#warnings.push(text);
  }

  /** An arrival, or the `turn`-th turn of a session, was released and accepted. Later turns are none of the plan's pace. */
  attempted(phase: number, template: number, intendedNs: number, releasedNs: number, turn = 0): void {
    if (turn === 0) this.#fidelity.planned(phase, intendedNs);
    this.#windowBooks(phase, windowOf(intendedNs)).count(COUNTER.decided, 1);
    this.#windowBooks(phase, windowOf(releasedNs)).count(COUNTER.attempted, 1);
    const named = this.#named?.scopeOf(phase, template).books;
    named?.count(COUNTER.decided, 1);
    named?.count(COUNTER.attempted, 1);
  }

  /** A request that no schedule holds was issued; what becomes of it is told next. */
  issued(phase: number, template: number, intendedNs: number, turn: number): void {
    const window = this.#windowBooks(phase, windowOf(intendedNs));
    const named = this.#named?.scopeOf(phase, template).books;
    window.count(COUNTER.issued, 1);
    named?.count(COUNTER.issued, 1);
    if (turn === 0) return;
    window.count(COUNTER['follow-ups'], 1);
    named?.count(COUNTER['follow-ups'], 1);
  }

  /** An arrival was not attempted, for `reason`. */
  dropped(phase: number, template: number, intendedNs: number, reason: DropReason, turn = 0): void {
    this.#decidedOnly(phase, template, intendedNs, DROPPED_COUNTER[reason], turn);
  }

  /** An arrival in hand was given up because the run was stopped. */
  cancelled(phase: number, template: number, intendedNs: number): void {
    this.#decidedOnly(phase, template, intendedNs, COUNTER.cancelled, 0);
  }

  /** A first byte left. */
  sent(request: OpenRequest): void {
    if (request.turn === 0) this.#fidelity.sent(request.phase, request.intendedNs, request.sendNs);
    this.#windowBooks(request.phase, windowOf(request.sendNs)).count(COUNTER.sent, 1);
    this.#named?.scopeOf(request.phase, request.template).books.count(COUNTER.sent, 1);
  }

  /** A request ended with `outcome`. */
  ended(request: OpenRequest, outcome: Outcome): void {
    if (!request.wasSent && request.turn === 0) this.#fidelity.unsent(request.phase, request.endNs);
    const window = this.#windowBooks(request.phase, windowOf(request.endNs));
    const scope = this.#named?.scopeOf(request.phase, request.template);
    this.#log?.add(request, outcomeCode(outcome), outcome.status);
    const counter = outcome.kind === 'ok' ? COUNTER.ok : FAILED_COUNTER[outcome.class];
    window.count(counter, 1);
    scope?.books.count(counter, 1);
    if (outcome.status !== null && outcome.status >= 300 && outcome.status < 400) {
      window.count(COUNTER.redirects, 1);
      scope?.books.count(COUNTER.redirects, 1);
    }
    if (outcome.kind === 'failed') {
      this.#failures.note(outcome.class, outcome.detail);
    } else if (this.#slo.hasBounds && this.#slo.isGood(request)) {
      window.count(COUNTER.good, 1);
      scope?.books.count(COUNTER.good, 1);
    }
    const status = outcome.kind;
    if (status === 'ok' && this.#texts?.add(request) === false) window.count(COUNTER['llm-tokenizer-left-out'], 1);
    recordEnd(window, request, status);
    if (this.#named === null || scope === undefined) return;
    const series = this.#named.seriesOf(scope, status);
    this.#countOther(scope, series, window, recordEnd(series, request, status));
  }

  /** A request was still open when the drain or its phase ended, at `request.endNs`; `status` if it had come. */
  unfinished(request: OpenRequest, status: number | null = null): void {
    if (!request.wasSent && request.turn === 0) this.#fidelity.unsent(request.phase, request.endNs);
    const window = this.#windowBooks(request.phase, windowOf(request.endNs));
    const scope = this.#named?.scopeOf(request.phase, request.template);
    this.#log?.add(request, UNFINISHED_CODE, status);
    window.count(COUNTER.unfinished, 1);
    scope?.books.count(COUNTER.unfinished, 1);
    if (request.isHeldBack) window.count(COUNTER['unfinished-held'], 1);
    recordUnfinished(window, request);
    if (this.#named === null || scope === undefined) return;
    const series = this.#named.seriesOf(scope, 'failed');
    this.#countOther(scope, series, window, recordUnfinished(series, request));
  }

  /** One turn of the loop took `gapNs`; booked for the phase and window of its end. */
  loopGap(phase: number, tNs: number, gapNs: number): void {
    this.#windowBooks(phase, windowOf(tNs)).record(LOOP_GAP, gapNs);
  }

  /** Adds to a counter that belongs to no single request (connections, bytes), for the phase and window of `tNs`. */
  countMany(phase: number, tNs: number, counter: CounterName, by: number): void {
    if (by > 0) this.#windowBooks(phase, windowOf(tNs)).count(COUNTER[counter], by);
  }

  /** Everything gained since the last call. The blocks are given away: transfer them. */
  handOver(facts: HandoverFacts): WorkerHandover {
    const counters: CounterDelta[] = [];
    const series: SeriesBlock[] = [];
    for (const books of this.#windows.values()) {
      if (books.dirty) counters.push({ scope: books.scope, cell: books.handOver(series) });
    }
    this.#windows = new Map();
    this.#current = null;
    this.#currentKey = Number.NaN;
    this.#named?.handOver(facts.last, counters, series);
    this.#store.expect(series.length);
    const warnings = this.#warnings;
    this.#warnings = [];
    return {
      completeBelowWindow: facts.completeBelowWindow,
      decidedThroughNs: facts.decidedThroughNs,
      counters,
      series,
      failures: this.#failures.take(),
      gauges: facts.gauges,
      fidelity: this.#fidelity.take(facts.pacedBelowWindow),
      texts: this.#texts?.take() ?? [],
      requests: this.#log?.take() ?? NOTHING_LOGGED,
      warnings,
    };
  }

  #decidedOnly(phase: number, template: number, intendedNs: number, counter: number, turn: number): void {
    if (turn === 0) {
      this.#fidelity.planned(phase, intendedNs);
      this.#fidelity.unsent(phase, intendedNs);
    }
    const window = this.#windowBooks(phase, windowOf(intendedNs));
    window.count(COUNTER.decided, 1);
    window.count(counter, 1);
    const named = this.#named?.scopeOf(phase, template).books;
    named?.count(COUNTER.decided, 1);
    named?.count(counter, 1);
  }

  /** Counts samples that went to the name `other`. */
  #countOther(scope: NamedScope, series: ScopeBooks, window: ScopeBooks, samples: number): void {
    if (series === scope.books) return;
    window.count(COUNTER['series-other'], samples);
    scope.books.count(COUNTER['series-other'], samples);
  }

  #windowBooks(phase: number, window: number): ScopeBooks {
    const key = window * PHASES_MAX + phase;
    if (key === this.#currentKey && this.#current !== null) return this.#current;
    let books = this.#windows.get(key);
    if (books === undefined) {
      books = new ScopeBooks({ kind: 'window', phase, window }, this.#store);
      this.#windows.set(key, books);
    }
    this.#currentKey = key;
    this.#current = books;
    return books;
  }
}
