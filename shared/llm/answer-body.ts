/** An answer that is one JSON body: its bytes until it is read, once. Bounded; one above the limit is not kept. */

/** Most bytes of an answer that is one JSON body. */
export const BODY_BYTES_MAX = 4_194_304;

export class AnswerBody {
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #isRead = false;

  /** More bytes came than are kept. */
  get isTooLong(): boolean {
    return this.#bytes > BODY_BYTES_MAX;
  }

  /** Makes ready for another answer. */
  reset(): void {
    this.#pieces = [];
    this.#bytes = 0;
    this.#isRead = false;
  }

  /** Keeps a copy of `bytes`. */
  take(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.isTooLong) this.#pieces = [];
    else this.#pieces.push(bytes.slice());
  }

  /** The whole text, the first time that it is asked for; null from then on, and where it is too long. */
  read(): string | null {
    if (this.#isRead || this.isTooLong) return null;
    this.#isRead = true;
    const whole = new Uint8Array(this.#bytes);
    let at = 0;
    for (const piece of this.#pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return new TextDecoder().decode(whole);
  }
}
