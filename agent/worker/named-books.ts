/**
 * The books per request name: they add up per phase, not per window, and are flushed in turns so that no hand-over carries
 * them all (design §7). At most `SERIES_MAX` series per worker belong to names of the plan; what comes later goes to the name
 * `other` of its phase and is counted, with one warning (R095).
 */

import type { CounterDelta } from '../../shared/metrics/agent-report.ts';
import { LLM_METRICS, METRICS, type SeriesStatus } from '../../shared/metrics/metric.ts';
import type { BlockStore } from './block-store.ts';
import { ScopeBooks } from './scope-books.ts';
import type { SeriesBlock } from './worker-messages.ts';

/** Series that names of the plan may have on one worker. */
export const SERIES_MAX = 128;

/** The name that takes what is beyond the limit. */
const OTHER_REQUEST = 'other';

/** Hand-overs (one a second) between two flushes of the same name. */
const FLUSH_EVERY = 10;

/**
 * The series of one (phase, name, status) are admitted together, so that its metrics are never split over two names: all
 * metrics of a request, loopGap being none. Those of LLM answers come on top where the name has such answers.
 */
const GROUP_SIZE = METRICS.length - LLM_METRICS.length - 1;

/** The books of one request name in one phase. */
export interface NamedScope {
  readonly phase: number;
  readonly template: number;
  readonly books: ScopeBooks;
  /** Where samples of a status go; decided on the first one. */
  readonly admitted: Record<SeriesStatus, 'undecided' | 'own' | 'other'>;
}

export class NamedBooks {
  readonly #names: readonly string[];
  readonly #store: BlockStore;
  readonly #warn: (text: string) => void;
  readonly #hasTokens: (template: number) => boolean;
  /** By phase * names + template. */
  readonly #scopes = new Map<number, NamedScope>();
  readonly #others = new Map<number, ScopeBooks>();
  #seriesCount = 0;
  #warned = false;
  #handovers: number;

  /**
   * `stagger` (the worker's slot) spreads the flushes of a fleet's workers over the hand-overs; `hasTokens` says whether a template's
   * answers have the metrics of LLM answers.
   */
  constructor(
    names: readonly string[],
    store: BlockStore,
    stagger: number,
    warn: (text: string) => void,
    hasTokens: (template: number) => boolean = () => false,
  ) {
    this.#names = names;
    this.#store = store;
    this.#warn = warn;
    this.#hasTokens = hasTokens;
    this.#handovers = stagger % FLUSH_EVERY;
  }

  /** The books of (phase, template). */
  scopeOf(phase: number, template: number): NamedScope {
    const key = phase * this.#names.length + template;
    const known = this.#scopes.get(key);
    if (known !== undefined) return known;
    const request = this.#names[template] as string;
    const made: NamedScope = {
      phase,
      template,
      books: new ScopeBooks({ kind: 'request', phase, request }, this.#store),
      admitted: { ok: 'undecided', failed: 'undecided' },
    };
    this.#scopes.set(key, made);
    return made;
  }

  /** Where the samples of `scope` with `status` are recorded: its own books, or those of `other`. */
  seriesOf(scope: NamedScope, status: SeriesStatus): ScopeBooks {
    if (scope.admitted[status] === 'undecided') {
      const size = this.#hasTokens(scope.template) ? GROUP_SIZE + LLM_METRICS.length : GROUP_SIZE;
      const fits = this.#seriesCount + size <= SERIES_MAX;
      scope.admitted[status] = fits ? 'own' : 'other';
      if (fits) this.#seriesCount += size;
      else this.#warnOnce();
    }
    return scope.admitted[status] === 'own' ? scope.books : this.#otherOf(scope.phase);
  }

  /** Moves the scopes whose turn it is into the hand-over, or all of them when `all`. */
  handOver(all: boolean, counters: CounterDelta[], series: SeriesBlock[]): void {
    const turn = this.#handovers % FLUSH_EVERY;
    this.#handovers += 1;
    let place = 0;
    const flush = (books: ScopeBooks): void => {
      if (books.dirty && (all || place % FLUSH_EVERY === turn)) {
        counters.push({ scope: books.scope, cell: books.handOver(series) });
      }
      place += 1;
    };
    for (const { books } of this.#scopes.values()) flush(books);
    for (const books of this.#others.values()) flush(books);
  }

  #otherOf(phase: number): ScopeBooks {
    const known = this.#others.get(phase);
    if (known !== undefined) return known;
    const made = new ScopeBooks({ kind: 'request', phase, request: OTHER_REQUEST }, this.#store);
    this.#others.set(phase, made);
    return made;
  }

  #warnOnce(): void {
    if (this.#warned) return;
    this.#warned = true;
    this.#warn(
      `more than ${SERIES_MAX} series of request names on one worker: later names are recorded under "${OTHER_REQUEST}"`,
    );
  }
}
