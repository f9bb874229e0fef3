/**
 * Joins what connections have to send while one network read is worked off: the answers in it set requests free that go out on the same few
 * connections, in one system call each. Outside a read everything goes at once.
 */

/** Has bytes to send. */
interface Flushable {
  flush(): void;
}

/** One for all connections of a client. */
export class OutputTurn {
  private reading = false;
  private waiting: Flushable[] = [];

  /** `one` has bytes to send: now, or at the end of the read. A connection says so once until it is flushed. */
  note(one: Flushable): void {
    if (this.reading) this.waiting.push(one);
    else one.flush();
  }

  /** Works off one read; what connections noted meanwhile goes out behind it. */
  during(work: () => void): void {
    this.reading = true;
    try {
      work();
    } finally {
      this.reading = false;
      const noted = this.waiting;
      this.waiting = [];
      for (const one of noted) one.flush();
    }
  }
}
