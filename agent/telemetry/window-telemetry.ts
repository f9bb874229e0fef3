/**
 * Ties samples of the host to the windows of a run: every 100 ms a look at steal and at the main thread's own lateness, at each
 * window's end the gauges of that window. It runs on the agent's main thread only; workers account for themselves.
 */
import type { TelemetrySample } from '../../shared/metrics/agent-report.ts';
import { WINDOW_NS, windowOf } from '../../shared/metrics/window.ts';
import type { Target } from '../../shared/plan/plan.ts';
import type { LongTimer } from '../../shared/time/long-timer.ts';
import { repeatEvery, type Timekeeper } from '../../shared/time/timekeeper.ts';
import type { HostSampler } from './host-sampler.ts';

/** Time between two looks, ns. */
const TICK_NS = 100_000_000;
/** The last stretch of a run is a sample if it is this long, ns. */
const PART_MIN_NS = 200_000_000;

export class WindowTelemetry {
  readonly #timekeeper: Timekeeper;
  readonly #sampler: HostSampler;
  readonly #findCard: FindCard;
  #running: { readonly t0Ns: number; readonly timer: LongTimer; readonly take: TakeSamples } | null = null;
  /** Run time at which the present stretch began; null before T0. */
  #sinceNs: number | null = null;
  #lastTickNs = 0;
  #lateNs = 0;

  constructor(timekeeper: Timekeeper, sampler: HostSampler, findCard: FindCard) {
    this.#timekeeper = timekeeper;
    this.#sampler = sampler;
    this.#findCard = findCard;
  }

  /** Begins to sample a run against `target` that starts at `t0Ns` of the timekeeper's clock; `take` gets the samples of each window. */
  start(t0Ns: number, target: Target, take: TakeSamples): void {
    this.stop();
    this.#sampler.watchCard(null);
    const timer = repeatEvery(this.#timekeeper, TICK_NS, () => this.#tick());
    const running = { t0Ns, timer, take };
    this.#running = running;
    void this.#findCard(target).then((card) => {
      if (this.#running === running) this.#sampler.watchCard(card);
    });
    this.#sinceNs = null;
    this.#lastTickNs = this.#timekeeper.nowNs();
  }

  /** Gives the samples of the last stretch and stops. */
  finish(): void {
    const nowNs = this.#runTimeNs();
    if (nowNs !== null && this.#sinceNs !== null && nowNs - this.#sinceNs >= PART_MIN_NS)
      this.#take(this.#sinceNs, nowNs);
    this.stop();
  }

  /** Stops; what was not taken is dropped. */
  stop(): void {
    this.#running?.timer.cancel();
    this.#running = null;
  }

  #tick(): void {
    const nowNs = this.#runTimeNs();
    if (nowNs === null) return;
    const hostNs = this.#timekeeper.nowNs();
    this.#lateNs = Math.max(this.#lateNs, hostNs - this.#lastTickNs - TICK_NS);
    this.#lastTickNs = hostNs;
    if (nowNs < 0) return;
    if (this.#sinceNs === null) {
      this.#sampler.begin();
      this.#sinceNs = nowNs;
      this.#lateNs = 0;
      return;
    }
    this.#sampler.tick();
    if (windowOf(nowNs) > windowOf(this.#sinceNs)) this.#take(this.#sinceNs, nowNs);
  }

  /** A stretch belongs to the window that it began in: ticks come just after a window's end. */
  #take(sinceNs: number, nowNs: number): void {
    const window = windowOf(sinceNs);
    const lengthNs = Math.min(nowNs - sinceNs, nowNs - window * WINDOW_NS);
    const gauges = [
      ...this.#sampler.takeWindow(lengthNs),
      { name: 'mainThreadLateNs', value: this.#lateNs },
      { name: 'sampledNs', value: lengthNs },
    ];
    this.#sinceNs = nowNs;
    this.#lateNs = 0;
    this.#running?.take(gauges.map(({ name, value }) => ({ window, slot: null, name, value })));
  }

  #runTimeNs(): number | null {
    return this.#running === null ? null : this.#timekeeper.nowNs() - this.#running.t0Ns;
  }
}

/** Finds the network card that leads to a target; null when none is known. Never rejects. */
export type FindCard = (target: Target) => Promise<string | null>;

/** Takes the samples of one window. */
export type TakeSamples = (samples: readonly TelemetrySample[]) => void;
