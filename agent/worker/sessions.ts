/**
 * Sessions of several turns on one worker (design §5). The first turn is an arrival like any other; the next is intended when the answer has
 * ended and its delay is over, and carries what was said before. A turn that fails ends its session. It promises bounded memory: a
 * session beyond the limits is not continued, and counted. A session stays on its worker.
 */

import type { OutboundRequest } from '../client/protocol-client.ts';
import { nextBody } from '../../shared/llm/conversation.ts';
import {
  LATER_TURNS_COLUMN,
  type LaterTurn,
  laterTurnCount,
  parseLaterTurns,
} from '../../shared/llm-workload/later-turns.ts';
import type { CounterName } from '../../shared/metrics/counters.ts';
import type { Outcome } from '../../shared/metrics/outcome.ts';
import type { LlmRequest, Plan } from '../../shared/plan/plan.ts';
import type { Arrival } from '../../shared/schedule/arrival-stream.ts';
import type { ChainQueue, EndedRequest, RequestChain } from './request-chain.ts';
import type { RequestRenderer } from './request-renderer.ts';

/** Sessions that a worker continues at a time. */
const SESSIONS_MAX = 100_000;
/** Characters of all that was said in a session, as its body. */
const BODY_CHARACTERS_MAX = 4_194_304;

/** What becomes of a session and of its later turns, by the counter it has in the books. */
export type SessionCounter = Extract<CounterName, `sessions-${string}` | `follow-ups-${string}`>;

export interface SessionsParts {
  readonly plan: Plan;
  readonly renderer: RequestRenderer;
  readonly queue: ChainQueue;
  /** Counts `by` of something of `phase` at `tNs`. */
  readonly onCount: (phase: number, tNs: number, counter: SessionCounter, by: number) => void;
}

/** Begins the sessions of a worker. */
export class Sessions {
  readonly #parts: SessionsParts;
  readonly #column: number;
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();
  #open = 0;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
    this.#column = parts.plan.data?.columns.indexOf(LATER_TURNS_COLUMN) ?? -1;
  }

  /** Whether `plan` has sessions of several turns. */
  static areIn(plan: Plan): boolean {
    return plan.requests.some(({ llm }) => llm !== null && llm.session !== null);
  }

  /**
   * The session that `arrival` begins with `first`, released at `nowNs`; `parent` is told of its last end, or null if nobody is. Null where the
   * row has one turn only, and where a limit forbids to go on.
   */
  begin(
    arrival: Arrival,
    template: number,
    first: OutboundRequest,
    parent: RequestChain | null,
    nowNs: number,
  ): RequestChain | null {
    const { plan, renderer, onCount } = this.#parts;
    const llm = plan.requests[template]?.llm ?? null;
    if (llm === null || llm.session === null || first.body === null) return null;
    const cell = renderer.cellOf(arrival, this.#column);
    if (cell === '') return null;
    const laterTurns = laterTurnCount(cell);
    onCount(arrival.phase, nowNs, 'sessions-begun', 1);
    onCount(arrival.phase, nowNs, 'follow-ups-planned', laterTurns);
    if (this.#open >= SESSIONS_MAX) {
      onCount(arrival.phase, nowNs, 'sessions-cut', 1);
      onCount(arrival.phase, nowNs, 'follow-ups-behind-cut', laterTurns);
      return null;
    }
    this.#open += 1;
    return new Session(this.#sessionParts(), { arrival, template, first, llm, cell, parent });
  }

  #sessionParts(): SessionParts {
    const { queue, onCount } = this.#parts;
    return {
      queue,
      decoder: this.#decoder,
      encoder: this.#encoder,
      onOver: (phase, tNs, fate, turnsLeft) => {
        this.#open -= 1;
        onCount(phase, tNs, `sessions-${fate}`, 1);
        if (fate !== 'completed') onCount(phase, tNs, `follow-ups-behind-${fate}`, turnsLeft);
      },
    };
  }
}

interface SessionParts {
  readonly queue: ChainQueue;
  readonly decoder: TextDecoder;
  readonly encoder: TextEncoder;
  /** The session is over, with so many turns that are not issued. */
  readonly onOver: (phase: number, tNs: number, fate: SessionFate, turnsLeft: number) => void;
}

type SessionFate = 'completed' | 'failed' | 'cut';

interface SessionStart {
  readonly arrival: Arrival;
  readonly template: number;
  readonly first: OutboundRequest;
  readonly llm: LlmRequest;
  /** Its later turns, as they travel. */
  readonly cell: string;
  readonly parent: RequestChain | null;
}

class Session implements RequestChain {
  readonly endNs = Infinity;
  nextNs = 0;
  turn = 0;
  readonly #parts: SessionParts;
  readonly #template: number;
  readonly #llm: LlmRequest;
  readonly #cell: string;
  readonly #parent: RequestChain | null;
  readonly #identity: string | null;
  readonly #phase: number;
  readonly #place: Pick<Arrival, 'lane' | 'block' | 'rank' | 'index'>;
  #turns: readonly LaterTurn[] | null = null;
  /** What is sent next, or was sent last. */
  #outbound: OutboundRequest;

  constructor(parts: SessionParts, { arrival, template, first, llm, cell, parent }: SessionStart) {
    this.#parts = parts;
    this.#template = template;
    this.#llm = llm;
    this.#cell = cell;
    this.#parent = parent;
    this.#identity = first.identity;
    this.#phase = arrival.phase;
    const { lane, block, rank, index } = arrival;
    this.#place = { lane, block, rank, index };
    this.#outbound = first;
  }

  get order(): number {
    return this.#place.index;
  }

  writeNext(into: Arrival): void {
    into.phase = this.#phase;
    into.intendedNs = this.nextNs;
    Object.assign(into, this.#place);
  }

  choose(): number {
    return this.#template;
  }

  render(): OutboundRequest {
    return this.#outbound;
  }

  ended(request: EndedRequest, outcome: Outcome): void {
    if (outcome.kind === 'failed') {
      this.#over('failed', request.endNs);
      this.#parent?.ended(request, outcome);
      return;
    }
    // Read when the first answer is here: it is on no release's way.
    this.#turns ??= parseLaterTurns(this.#cell);
    const next = this.#turns[this.turn];
    if (next === undefined) this.#over('completed', request.endNs);
    else if (this.#prepare(next, request.answerText)) {
      this.turn += 1;
      this.nextNs = request.endNs + next.delayNs;
      this.#parts.queue.push(this);
      return;
    } else this.#over('cut', request.endNs);
    this.#parent?.ended(request, outcome);
  }

  dropped(nowNs: number): void {
    this.#over('failed', nowNs);
    this.#parent?.dropped(nowNs);
  }

  cutOff(): void {
    this.#over('cut', this.nextNs);
    this.#parent?.cutOff();
  }

  /** Makes the next request, ahead of its instant; false where the conversation cannot go on. */
  #prepare(next: LaterTurn, answer: string | null): boolean {
    const { decoder, encoder } = this.#parts;
    const { body } = this.#outbound;
    if (answer === null || body === null) return false;
    const member = this.#llm.session?.tokensMember ?? null;
    const tokens = member === null || next.outputTokens === null ? null : { member, count: next.outputTokens };
    const text = nextBody(this.#llm.api, decoder.decode(body), { answer, text: next.text, tokens });
    if (text === null || text.length > BODY_CHARACTERS_MAX) return false;
    const identity = this.#identity === null ? null : `${this.#identity}+${this.turn + 1}`;
    const isExact = (this.#outbound.exactTokens ?? null) !== null;
    const exactTokens = tokens !== null && isExact ? { exactTokens: tokens.count } : {};
    this.#outbound = { ...this.#outbound, body: encoder.encode(text), identity, ...exactTokens };
    return true;
  }

  #over(fate: SessionFate, tNs: number): void {
    this.#parts.onOver(this.#phase, tNs, fate, laterTurnCount(this.#cell) - this.turn);
  }
}
