/**
 * Keeps the Control stream to the coordinator alive: joins, sends heartbeats, answers probes, notices a silent peer, and dials
 * again with back-off and jitter (R083). Orders are handed on; what is said while the link is down is not kept, because after
 * each welcome the session tells where it stands.
 */
import { assertNever } from '../../shared/assert-never.ts';
import { durationText } from '../../shared/time/duration-text.ts';
import { FleetError } from '../../shared/fleet-error.ts';
import type { AgentIdentity, AgentMessage, CoordinatorMessage, RunKey } from '../../shared/rpc/control-message.ts';
import { type FleetEndpoint, openControl } from '../../shared/rpc/fleet-client.ts';
import type { MessageStream, StreamEnd } from '../../shared/rpc/message-stream.ts';
import { HEARTBEAT_INTERVAL_NS, PROTOCOL } from '../../shared/rpc/protocol.ts';
import type { LongTimer } from '../../shared/time/long-timer.ts';
import type { Timekeeper } from '../../shared/time/timekeeper.ts';
import { backOffNs } from './back-off.ts';

/** A link on which nothing has come for this long is given up and dialled anew, ns. Heartbeats are answered every second. */
export const CONTROL_SILENCE_NS = 5_000_000_000;

/** Bounds on the interval that the coordinator asks for: several heartbeats must fit into the silence above. */
const BEAT_SHORTEST_NS = 100_000_000;
const BEAT_LONGEST_NS = 2_000_000_000;
/** Askings within one lease, so that a few may be late or lost. */
const BEATS_PER_LEASE = 5;

type Welcome = Extract<CoordinatorMessage, { kind: 'welcome' }>;

/** Orders that concern the session, not the link. */
export type Order = Extract<CoordinatorMessage, { kind: 'arm' | 'start' | 'stop' | 'release' }>;

/** What the link tells its owner. */
export interface ControlLinkHandlers {
  /** The run that the session is in, for the join. */
  currentRun(): RunKey | null;
  /** Number of the lease request that the next heartbeat carries. */
  askLease(): number;
  /** The lease of the present run, ns; null when idle. A short one is asked for more often. */
  leaseNs(): number | null;
  onLease(seq: number, leaseNs: number): void;
  /** The coordinator has taken the agent in, for the first time or again. */
  onWelcome(coordinatorId: string): void;
  onOrder(order: Order): void;
  /** The link is over for good: dismissed, or refused with a reason that another attempt cannot change. */
  onOver(end: LinkOver): void;
  /** Something an operator may want to know. */
  onNotice(text: string): void;
}

/** Why a link ended for good. */
export type LinkOver =
  | { readonly kind: 'dismissed'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** Where the link is. */
type LinkState =
  | { readonly kind: 'waiting'; readonly attempt: number; readonly timer: LongTimer }
  | { readonly kind: 'joining'; readonly attempt: number; readonly stream: MessageStream<AgentMessage> }
  | { readonly kind: 'joined'; readonly stream: MessageStream<AgentMessage> }
  | { readonly kind: 'closed' };

export interface ControlLinkOptions {
  readonly endpoint: FleetEndpoint;
  readonly identity: AgentIdentity;
  readonly timekeeper: Timekeeper;
  /** Random in [0, 1), for the jitter. */
  readonly randomShare: () => number;
  readonly handlers: ControlLinkHandlers;
}

export class ControlLink {
  readonly #options: ControlLinkOptions;
  #state: LinkState = { kind: 'closed' };
  #beat: LongTimer | null = null;
  #beatNs = HEARTBEAT_INTERVAL_NS;
  #heardAtNs = 0;

  /** Dials at once. */
  constructor(options: ControlLinkOptions) {
    this.#options = options;
    this.#dial(1);
  }

  /** Says something to the coordinator; lost without trace while the link is down (see above). */
  send(message: AgentMessage): void {
    if (this.#state.kind === 'joined') this.#state.stream.write(message);
  }

  /** Leaves the fleet and ends the link. `onOver` is not called. */
  close(): void {
    const state = this.#state;
    this.#stop();
    if (state.kind === 'joined') {
      state.stream.write({ kind: 'leave', reason: 'the agent ends' });
      state.stream.end();
    } else if (state.kind === 'joining') {
      state.stream.abort(new FleetError('interrupted', 'the agent is leaving'));
    }
  }

  #dial(attempt: number): void {
    const { endpoint, timekeeper, handlers, identity } = this.#options;
    this.#heardAtNs = timekeeper.nowNs();
    const stream = openControl(endpoint, {
      onMessage: (message) => this.#receive(message),
      onClosed: (end) => this.#lost(end, attempt),
    });
    this.#state = { kind: 'joining', attempt, stream };
    stream.write({ kind: 'join', protocol: PROTOCOL, current: handlers.currentRun(), ...identity });
    this.#beat?.cancel();
    this.#beat = timekeeper.after(this.#beatNs, () => this.#tick());
  }

  /** At each interval: the heartbeat, or giving up on a silent link. */
  #tick(): void {
    const { timekeeper, handlers } = this.#options;
    this.#beat = timekeeper.after(this.#nextBeatNs(), () => this.#tick());
    const state = this.#state;
    if (state.kind !== 'joined' && state.kind !== 'joining') return;
    const silenceNs = timekeeper.nowNs() - this.#heardAtNs;
    if (silenceNs > CONTROL_SILENCE_NS) {
      state.stream.abort(new FleetError('lost', `nothing from the coordinator for ${durationText(silenceNs)}`));
    } else if (state.kind === 'joined') {
      state.stream.write({ kind: 'heartbeat', seq: handlers.askLease() });
    }
  }

  #nextBeatNs(): number {
    const leaseNs = this.#options.handlers.leaseNs();
    return leaseNs === null
      ? this.#beatNs
      : Math.min(this.#beatNs, Math.max(leaseNs / BEATS_PER_LEASE, BEAT_SHORTEST_NS));
  }

  #receive(message: CoordinatorMessage): void {
    const { timekeeper, handlers } = this.#options;
    const nowNs = timekeeper.nowNs();
    this.#heardAtNs = nowNs;
    switch (message.kind) {
      case 'welcome':
        this.#welcomed(message);
        return;
      case 'refusal':
        this.#over({ kind: 'refused', reason: message.reason });
        return;
      case 'dismiss':
        this.#over({ kind: 'dismissed', reason: message.reason });
        return;
      case 'probe':
        this.send({
          kind: 'probe-answer',
          id: message.id,
          receivedAgentClockNs: nowNs,
          answeredAgentClockNs: timekeeper.nowNs(),
        });
        return;
      case 'lease':
        handlers.onLease(message.seq, message.leaseNs);
        return;
      case 'arm':
      case 'start':
      case 'stop':
      case 'release':
        handlers.onOrder(message);
        return;
      default:
        assertNever(message);
    }
  }

  #welcomed({ coordinatorId, protocol, heartbeatIntervalNs }: Welcome): void {
    if (this.#state.kind !== 'joining') return;
    if (protocol !== PROTOCOL) {
      this.#over({ kind: 'refused', reason: `the coordinator speaks protocol ${protocol}, this agent ${PROTOCOL}` });
      return;
    }
    this.#state = { kind: 'joined', stream: this.#state.stream };
    this.#beatNs = Math.min(Math.max(heartbeatIntervalNs, BEAT_SHORTEST_NS), BEAT_LONGEST_NS);
    // The lease starts with the membership, not a second later.
    this.send({ kind: 'heartbeat', seq: this.#options.handlers.askLease() });
    this.#options.handlers.onWelcome(coordinatorId);
  }

  /** The stream is gone without `dismiss`: a clean end is a broken link too (R083). */
  #lost(end: StreamEnd, attempt: number): void {
    const state = this.#state;
    if (state.kind === 'closed' || state.kind === 'waiting') return;
    const { timekeeper, handlers, randomShare } = this.#options;
    const next = state.kind === 'joined' ? 1 : attempt + 1;
    const delayNs = backOffNs(next, randomShare());
    // Said once per break, not once per attempt.
    if (next === 1 || attempt === 1) {
      const reason = end.kind === 'ended' ? 'the coordinator closed it' : end.error.message;
      handlers.onNotice(`Control stream lost: ${reason}; dialling again`);
    }
    this.#state = {
      kind: 'waiting',
      attempt: next,
      timer: timekeeper.after(delayNs, () => this.#dial(next)),
    };
  }

  #over(end: LinkOver): void {
    const state = this.#state;
    this.#stop();
    if (state.kind === 'joined' || state.kind === 'joining') state.stream.end();
    this.#options.handlers.onOver(end);
  }

  #stop(): void {
    if (this.#state.kind === 'waiting') this.#state.timer.cancel();
    this.#beat?.cancel();
    this.#state = { kind: 'closed' };
  }
}
