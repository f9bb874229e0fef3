/**
 * Whether connections of one origin may be used again at once. Some servers close right behind their answers though the answers leave the
 * connection open; a request given to it in that instant is lost (R016). Once several were seen to do so, a connection rests behind its
 * answer first: one that lives through its rest was not closed behind the answer. Pure: it is told what happened, and when.
 */

/** A close that comes later behind the end of an answer is a limit on idle time, or a server that goes. */
export const REST_NS = 100e6;
/** Closes in a row, with no second answer on any connection between them, after which connections rest. */
const CLOSES_MAX = 3;
/**
 * Answers in a row on connections that had one before, after which they need no rest any more. A lost request costs more than a
 * handshake.
 */
const REUSES_MIN = 10;

/** Servers can close behind answers that they stream in chunks, and keep the connection behind others. */
export type AnswerKind = 'streamed' | 'sized';

/** What was learnt from the answers of one kind, of one origin. */
export class ReuseRule {
  #rests = false;
  #closesInRow = 0;
  #reusesInRow = 0;
  #countedNs = -Infinity;

  /** Whether a connection must rest for `REST_NS` behind its answer before it takes another request. */
  get rests(): boolean {
    return this.#rests;
  }

  /**
   * The server closed a connection at `nowNs`, of which the last answer had ended at `endedNs`. Of connections that are closed together
   * only one counts: the next answer must have ended behind the last close that counted. True when connections rest from now on.
   */
  closed(endedNs: number, nowNs: number): boolean {
    if (nowNs - endedNs > REST_NS || endedNs <= this.#countedNs) return false;
    this.#countedNs = nowNs;
    this.#reusesInRow = 0;
    this.#closesInRow += 1;
    if (this.#rests || this.#closesInRow < CLOSES_MAX) return false;
    this.#rests = true;
    return true;
  }

  /** A connection that had answered before has answered again. True when connections need no rest from now on. */
  reused(): boolean {
    this.#closesInRow = 0;
    if (!this.#rests) return false;
    this.#reusesInRow += 1;
    if (this.#reusesInRow < REUSES_MIN) return false;
    this.#rests = false;
    this.#reusesInRow = 0;
    return true;
  }
}

const RESTS = `each then rests for ${REST_NS / 1e6} ms behind its answer and most requests need a new one`;
/** What the report says, behind the origin's name, when connections rest from now on. */
export const CLOSES_BEHIND: Readonly<Record<AnswerKind, string>> = {
  streamed: `closes its connections right behind streamed answers that leave them open: ${RESTS}`,
  sized: `closes its connections right behind answers that leave them open: ${RESTS}`,
};
/** The same, when they need no rest any more. */
export const REUSED_AGAIN: Readonly<Record<AnswerKind, string>> = {
  streamed: 'does not close its connections behind streamed answers any more: they are used again at once',
  sized: 'does not close its connections behind answers any more: they are used again at once',
};
