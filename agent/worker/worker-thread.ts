/**
 * One worker thread's life: it is told over a port what to do, one trial after the other, and keeps its connections and its warm code
 * between them (design §6). States: idle -> armed -> running -> idle; draining is the trial's own matter. An error outside a
 * request is told as a fault, and the trial's figures up to the last hand-over stand (R084).
 */

import { assertNever } from '../../shared/assert-never.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { seedFromBigInt } from '../../shared/random/seed.ts';
import type { ScheduleBasis } from '../../shared/schedule/phase-stream.ts';
import { createWorkerSchedule } from '../../shared/schedule/worker-schedule.ts';
import type { Clock } from '../../shared/time/monotonic-clock.ts';
import type { ProtocolClient } from '../client/protocol-client.ts';
import { BlockStore } from './block-store.ts';
import type { GcAccount } from './gc-pauses.ts';
import { LeaseGate } from './lease-gate.ts';
import type { TurnScheduler } from './pacer.ts';
import { connectionsAhead } from './connections-ahead.ts';
import { preheat } from './preheat.ts';
import { createRequestRenderer } from './request-renderer.ts';
import { RequestLog } from './request-log.ts';
import { RequestsAhead } from './requests-ahead.ts';
import { RunClock } from './run-clock.ts';
import { Trial } from './trial.ts';
import type { FromWorker, ToWorker, WorkerAssignment, WorkerHandover } from './worker-messages.ts';

/** Longest wait for connections while arming; what is not ready by then goes on after the start. */
const OPEN_AHEAD_MS = 5_000;

/** Sends a message to the main thread; `transfer` lists the buffers that go with it. */
export type PostToMain = (message: FromWorker, transfer: readonly ArrayBuffer[]) => void;

export interface WorkerThreadParts {
  readonly cells: Int32Array;
  readonly hostClock: Clock;
  readonly scheduler: TurnScheduler;
  readonly readIdleNs: () => number;
  readonly takeGcPauses: () => GcAccount | null;
  readonly createClient: (plan: Plan, clock: Clock) => ProtocolClient;
  readonly post: PostToMain;
  /** The thread has been told to end, and has closed its client. */
  readonly onExit: () => void;
}

type WorkerState =
  | { readonly kind: 'idle' }
  /** Connections are being opened. */
  | { readonly kind: 'arming'; readonly assignment: WorkerAssignment }
  | { readonly kind: 'armed'; readonly assignment: WorkerAssignment; readonly trial: Trial }
  /** From the start message to the end of the drain. */
  | { readonly kind: 'running'; readonly assignment: WorkerAssignment; readonly trial: Trial }
  | { readonly kind: 'exited' };

export class WorkerThread {
  readonly #parts: WorkerThreadParts;
  readonly #clock: RunClock;
  readonly #store = new BlockStore();
  #state: WorkerState = { kind: 'idle' };
  /** Kinds of client that the code is hot for. */
  readonly #preheated = new Set<string>();
  /** Told with the next trial. */
  #warning: string | null = null;
  /** Kept between trials of one run: same plan, same target. */
  #client: { readonly runId: string; readonly client: ProtocolClient } | null = null;

  constructor(parts: WorkerThreadParts) {
    this.#parts = parts;
    this.#clock = new RunClock(parts.hostClock);
  }

  /** Carries out one message of the main thread. Never throws: what goes wrong is told as a fault. */
  receive(message: ToWorker): void {
    this.#guard(() => this.#carryOut(message));
  }

  #carryOut(message: ToWorker): void {
    switch (message.kind) {
      case 'arm':
        this.#arm(message.assignment).catch((error: unknown) => this.#fault(error));
        return;
      case 'start':
        this.#start(message.t0HostNs);
        return;
      case 'stop':
        this.#stop(message.drainNs);
        return;
      case 'recycle':
        this.#store.recycle(message.blocks);
        return;
      case 'exit':
        this.#exit().catch((error: unknown) => this.#fault(error));
        return;
      default:
        assertNever(message);
    }
  }

  async #arm(assignment: WorkerAssignment): Promise<void> {
    this.#state = { kind: 'arming', assignment };
    const { plan, slot } = assignment;
    await this.#preheatOnce(plan);
    const client = await this.#clientFor(assignment);
    await this.#openAhead(client, connectionsAhead(plan, assignment.lanes.length / plan.laneCount));
    // Another assignment or the end may have come meanwhile.
    if (!this.#isArming(assignment)) return;
    const trial = this.#createTrial(assignment, client);
    if (this.#warning !== null) trial.warn(this.#warning);
    this.#warning = null;
    while (trial.workAhead());
    this.#state = { kind: 'armed', assignment, trial };
    this.#parts.post({ kind: 'armed', slot, clientName: client.name }, []);
  }

  /** Opens connections; a target or a resolver that is silent is for the requests to tell, not for the start to wait for. */
  async #openAhead(client: ProtocolClient, connections: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const cancel = this.#parts.scheduler.later(resolve, OPEN_AHEAD_MS);
      client.prepare(connections).then(resolve, reject).finally(cancel);
    });
  }

  /** Makes the code hot, once per kind of client. Without it the run is as right, only its first requests are slower. */
  async #preheatOnce(plan: Plan): Promise<void> {
    const kind = `${plan.target.client} ${plan.target.httpVersion}`;
    if (this.#preheated.has(kind)) return;
    this.#preheated.add(kind);
    try {
      await preheat({ ...this.#parts, plan });
    } catch (error) {
      this.#warning = `no preheat: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  #isArming(assignment: WorkerAssignment): boolean {
    return this.#state.kind === 'arming' && this.#state.assignment === assignment;
  }

  async #clientFor(assignment: WorkerAssignment): Promise<ProtocolClient> {
    if (this.#client?.runId === assignment.runId) return this.#client.client;
    const before = this.#client;
    this.#client = null;
    await before?.client.close();
    const client = this.#parts.createClient(assignment.plan, this.#clock);
    this.#client = { runId: assignment.runId, client };
    return client;
  }

  #createTrial(assignment: WorkerAssignment, client: ProtocolClient): Trial {
    const { plan, slot, lanes, pacing, recordLimit } = assignment;
    const basis = scheduleBasisOf(assignment);
    const { cells, scheduler, readIdleNs, takeGcPauses, post } = this.#parts;
    const stream = createWorkerSchedule({ ...basis, ownedLanes: [{ lanes, fromNs: 0 }] });
    const renderer = createRequestRenderer(plan, basis);
    const ahead = renderer.isSlow ? new RequestsAhead(stream, renderer) : null;
    return new Trial({
      plan,
      slot,
      pacing,
      log: recordLimit === null ? null : new RequestLog(recordLimit),
      clock: this.#clock,
      scheduler,
      readIdleNs,
      takeGcPauses,
      gate: new LeaseGate(cells),
      stream: ahead ?? stream,
      lanes,
      renderer: ahead ?? renderer,
      ahead,
      client,
      store: this.#store,
      onHandover: (handover) => post({ kind: 'handover', slot, handover }, buffersOf(handover)),
      onFinished: () => {
        this.#state = { kind: 'idle' };
        post({ kind: 'finished', slot }, []);
      },
      guard: (turn) => this.#guard(turn),
    });
  }

  #start(t0HostNs: number): void {
    if (this.#state.kind !== 'armed') return;
    const { assignment, trial } = this.#state;
    this.#clock.setOrigin(t0HostNs);
    this.#state = { kind: 'running', assignment, trial };
    trial.begin();
  }

  #stop(drainNs: number): void {
    const state = this.#state;
    switch (state.kind) {
      case 'running':
        state.trial.stop(drainNs);
        return;
      case 'arming':
      case 'armed':
        // Nothing was released: there is nothing to drain and nothing to hand over.
        this.#state = { kind: 'idle' };
        this.#parts.post({ kind: 'finished', slot: state.assignment.slot }, []);
        return;
      case 'idle':
      case 'exited':
        return;
      default:
        assertNever(state);
    }
  }

  async #exit(): Promise<void> {
    const state = this.#state;
    this.#state = { kind: 'exited' };
    if (state.kind === 'running') state.trial.abandon();
    await this.#client?.client.close();
    this.#client = null;
    this.#parts.onExit();
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fault(error);
    }
  }

  #fault(error: unknown): void {
    const state = this.#state;
    const slot = 'assignment' in state ? state.assignment.slot : 0;
    if (state.kind === 'running') state.trial.abandon();
    if (state.kind !== 'exited') this.#state = { kind: 'idle' };
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
    this.#parts.post({ kind: 'fault', slot, message, stack: stack ?? null }, []);
  }
}

/** What fixes the schedule of the assignment's trial. */
function scheduleBasisOf({ plan, trial, blobs }: WorkerAssignment): ScheduleBasis {
  const phases = plan.phases.map(({ startNs, durationNs, arrivals }) => ({ startNs, durationNs, law: arrivals }));
  return { seed: seedFromBigInt(plan.seed), trial, laneCount: plan.laneCount, phases, blobs };
}

/** The buffers of a hand-over: they change owner, nothing is copied or encoded on this thread. */
export function buffersOf(handover: WorkerHandover): ArrayBuffer[] {
  return [
    ...handover.series.flatMap(({ block }) => [block.counts.buffer, block.touched.buffer]),
    ...handover.requests.blocks.map(({ rows }) => rows.buffer),
  ];
}
