/**
 * The reference target: an HTTP/1.1 server on loopback whose every true value is known. Service times are drawn by identity
 * and seed, the queue is exact, faults act on command, and what arrives is counted. For tests, calibration and demos; it is
 * not fast for its own sake (see null-target.ts for that) and must never face a network.
 */

import { FleetError } from '../shared/fleet-error.ts';
import { hostClock } from '../shared/time/monotonic-clock.ts';
import { DueLoop } from './due-loop.ts';
import type { KeptRequest } from './exchange.ts';
import type { FaultRule, MomentFault } from './fault.ts';
import { FaultRules, MAX_RULES } from './fault-rules.ts';
import { LoopbackListener } from './loopback-listener.ts';
import { parseFaultText } from './parse-fault.ts';
import { RequestHandler } from './request-handler.ts';
import { StallGate } from './stall-gate.ts';
import type { TargetCounts } from './target-counts.ts';
import { readTargetOptions, type TargetOptions, type TargetSettings } from './target-options.ts';

export type { TargetOptions } from './target-options.ts';

/** A target that listens. */
export interface RunningTarget {
  /** `http://HOST:PORT`, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  counts(): TargetCounts;
  /** The kept records in order of their end; empty unless `keepIdentities`. */
  keptRequests(): readonly KeptRequest[];
  /**
   * Sets a fault rule, as text (`stall:5s`) or as a value.
   * @throws FleetError code `plan` when the text is wrong or MAX_RULES are in force.
   */
  command(fault: string | FaultRule): void;
  /** Ends all faults, a running stall or refusal included; what the stall held is answered at once. */
  clearFaults(): void;
  /** Stops listening, ends all connections and waits for both. */
  close(): Promise<void>;
}

/**
 * Starts a reference target.
 * @throws FleetError code `usage` or `plan` for wrong options, `io` when the port cannot be had.
 */
export async function startTarget(options: TargetOptions = {}): Promise<RunningTarget> {
  const settings = readTargetOptions(options);
  const target = new ReferenceTarget(settings);
  for (const rule of settings.faults) target.command(rule);
  await target.listen();
  return target;
}

class ReferenceTarget implements RunningTarget {
  readonly #settings: TargetSettings;
  readonly #dueLoop = new DueLoop(hostClock);
  readonly #gate = new StallGate(this.#dueLoop, hostClock);
  readonly #rules: FaultRules;
  readonly #handler: RequestHandler;
  readonly #listener: LoopbackListener;

  constructor(settings: TargetSettings) {
    this.#settings = settings;
    this.#rules = new FaultRules(settings.seed);
    this.#handler = new RequestHandler(settings, {
      rules: this.#rules,
      gate: this.#gate,
      clock: hostClock,
      beginMoment: (fault) => this.#beginMoment(fault),
      setFault: (rule) => this.command(rule),
      clearFaults: () => this.clearFaults(),
    });
    this.#listener = new LoopbackListener((socket) => this.#handler.accept(socket), settings.log);
  }

  get url(): string {
    return this.#listener.url;
  }

  get port(): number {
    return this.#listener.port;
  }

  async listen(): Promise<void> {
    await this.#listener.listen(this.#settings.listen);
  }

  counts(): TargetCounts {
    return this.#handler.counts();
  }

  keptRequests(): readonly KeptRequest[] {
    return this.#handler.keptRequests() ?? [];
  }

  command(fault: string | FaultRule): void {
    const rule = typeof fault === 'string' ? parseFaultText(fault) : fault;
    this.#settings.log(`fault ${JSON.stringify(rule)}`);
    if (rule.kind === 'moment' && rule.start.kind === 'now') this.#beginMoment(rule.fault);
    else if (rule.kind === 'moment' && rule.start.kind === 'after') {
      this.#dueLoop.at(hostClock.nowNs() + rule.start.delayNs, () => this.#beginMoment(rule.fault));
    } else if (!this.#rules.add(rule)) {
      throw new FleetError('plan', `fault: ${MAX_RULES} rules are in force, the most there can be`);
    }
    if (rule.kind === 'lasting') this.#handler.connections.setIdleClose(rule.fault);
  }

  clearFaults(): void {
    this.#rules.clear();
    this.#handler.connections.setIdleClose(null);
    this.#listener.resume();
    this.#gate.release();
    this.#settings.log('faults cleared');
  }

  async close(): Promise<void> {
    this.#dueLoop.close();
    await this.#listener.close(() => this.#handler.close());
  }

  #beginMoment(fault: MomentFault): void {
    this.#handler.countFault(fault.kind);
    this.#settings.log(`${fault.kind} begins`);
    if (fault.kind === 'stall') this.#gate.stall(fault.durationNs);
    else {
      this.#listener.suspend();
      this.#dueLoop.at(hostClock.nowNs() + fault.durationNs, () => this.#listener.resume());
    }
  }
}
