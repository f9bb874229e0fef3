import { describe, expect, it } from 'vitest';
import type { StopSignalName } from '../../../cli/exit-code.ts';
import {
  LEAVE_STEP_MS,
  LEAVE_WITHIN_MS,
  processSignals,
  type SignalHost,
  Signals,
  WRITING_HOLD_MS,
} from '../../../cli/signals.ts';

/** A process whose signals, timers and end the test plays. */
class FakeHost implements SignalHost {
  readonly left: number[] = [];
  readonly timers: { readonly delayMs: number; readonly callback: () => void }[] = [];
  #listener: ((signal: StopSignalName) => void) | null = null;

  listen(listener: (signal: StopSignalName) => void): () => void {
    this.#listener = listener;
    return () => {
      this.#listener = null;
    };
  }

  after(delayMs: number, callback: () => void): void {
    this.timers.push({ delayMs, callback });
  }

  leave(exitCode: number): void {
    this.left.push(exitCode);
  }

  /** Lets waits run out, up to `limitMs` of them. */
  pass(limitMs: number): void {
    for (let passedMs = 0; passedMs < limitMs; ) {
      const timer = this.timers.shift();
      if (timer === undefined) return;
      passedMs += timer.delayMs;
      timer.callback();
    }
  }

  get isListening(): boolean {
    return this.#listener !== null;
  }

  send(signal: StopSignalName): void {
    this.#listener?.(signal);
  }
}

function listening(): { host: FakeHost; signals: Signals; stops: string[] } {
  const host = new FakeHost();
  const signals = new Signals(host);
  const stops: string[] = [];
  signals.subscribe((signal) => stops.push(signal));
  return { host, signals, stops };
}

describe('R100 signals', () => {
  it('R100 the first asks the run to stop and leaves it its time', () => {
    const { host, signals, stops } = listening();
    expect(signals.first).toBeNull();
    host.send('SIGINT');
    expect([stops, host.timers, host.left, signals.first]).toEqual([['SIGINT'], [], [], 'SIGINT']);
  });

  it('R100 the second asks again and ends the process within a second', () => {
    const { host, stops } = listening();
    host.send('SIGINT');
    host.send('SIGINT');
    expect(stops).toEqual(['SIGINT', 'SIGINT']);
    expect(host.left).toEqual([]);
    expect(LEAVE_WITHIN_MS).toBeLessThan(1000);
    host.pass(LEAVE_WITHIN_MS - 1);
    expect(host.left).toEqual([130]);
  });

  it('R100 a result that is being written is written to its end before the process leaves, but not for ever', async () => {
    const { host, signals } = listening();
    let written: () => void = () => undefined;
    const writing = signals.whileWriting(() => new Promise<void>((resolve) => (written = resolve)));
    host.send('SIGINT');
    host.send('SIGINT');
    host.pass(LEAVE_WITHIN_MS + 500);
    expect(host.left).toEqual([]);
    written();
    await writing;
    host.pass(LEAVE_STEP_MS);
    expect(host.left).toEqual([130]);

    const hung = listening();
    void hung.signals.whileWriting(() => new Promise<void>(() => undefined));
    hung.host.send('SIGTERM');
    hung.host.send('SIGTERM');
    hung.host.pass(LEAVE_WITHIN_MS + WRITING_HOLD_MS);
    expect(hung.host.left).toEqual([143]);
  });

  it('R100 the third ends it at once', () => {
    const { host, stops } = listening();
    for (let each = 0; each < 3; each += 1) host.send('SIGTERM');
    expect([stops.length, host.left]).toEqual([2, [143]]);
  });

  it('R100 the exit code is that of the first signal', () => {
    const { host, signals, stops } = listening();
    host.send('SIGTERM');
    host.send('SIGINT');
    host.pass(LEAVE_WITHIN_MS);
    expect([signals.first, host.left]).toEqual(['SIGTERM', [143]]);
    // The run makes its own exit code, and its reason, of what it is told.
    expect(stops).toEqual(['SIGTERM', 'SIGTERM']);
  });

  it('R100 a run that begins after the signal is stopped at once', () => {
    const host = new FakeHost();
    const signals = new Signals(host);
    host.send('SIGTERM');
    const stops: string[] = [];
    signals.subscribe((signal) => stops.push(signal));
    expect(stops).toEqual(['SIGTERM']);
  });

  it('R100 a signal while results are written, when nobody listens any more, is remembered', () => {
    const host = new FakeHost();
    const signals = new Signals(host);
    const unsubscribe = signals.subscribe(() => {
      throw new Error('the run is over');
    });
    unsubscribe();
    host.send('SIGINT');
    expect([signals.first, host.left]).toEqual(['SIGINT', []]);
  });

  it('gives the signals back when closed', () => {
    const { host, signals } = listening();
    signals.close();
    expect(host.isListening).toBe(false);
  });
});

describe('signals of the process', () => {
  const hangUp = (): void => void process.emit('SIGHUP');

  it('R100 a terminal that goes away is told once, and never ends the process afterwards', () => {
    const before = new Set(process.listeners('SIGHUP'));
    try {
      const told: string[] = [];
      const unlisten = processSignals.listen((signal) => told.push(signal));
      for (let each = 0; each < 2; each += 1) hangUp();
      expect(told).toEqual(['SIGTERM']);
      unlisten();
      // Without a listener the platform would end the process.
      expect(process.listenerCount('SIGHUP')).toBe(before.size + 1);
      hangUp();
      expect(told).toEqual(['SIGTERM']);
    } finally {
      for (const listener of process.listeners('SIGHUP')) if (!before.has(listener)) process.off('SIGHUP', listener);
    }
  });

  it('gives all of them back', () => {
    const counts = (): number[] => ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => process.listenerCount(signal));
    const before = counts();
    const unlisten = processSignals.listen(() => undefined);
    expect(counts()).toEqual(before.map((count) => count + 1));
    unlisten();
    expect(counts()).toEqual(before);
  });
});
