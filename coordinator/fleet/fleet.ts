/**
 * The members of the fleet: joins and refusals, heartbeats and leases, and noticing who is gone (design §8). It knows nothing
 * of runs; the messages that concern one are handed on.
 */
import { assertNever } from '../../shared/assert-never.ts';
import { durationText } from '../../shared/time/duration-text.ts';
import { FleetError } from '../../shared/fleet-error.ts';
import type { AgentMessage, CoordinatorMessage, Join } from '../../shared/rpc/control-message.ts';
import type { MessageStream, StreamHandlers } from '../../shared/rpc/message-stream.ts';
import { HEARTBEAT_INTERVAL_NS, PROTOCOL } from '../../shared/rpc/protocol.ts';
import type { LongTimer } from '../../shared/time/long-timer.ts';
import { repeatEvery, type Timekeeper } from '../../shared/time/timekeeper.ts';
import { refusalOf } from './join-check.ts';
import { Member } from './member.ts';

/** Lease of members that are in no run, ns. */
const IDLE_LEASE_NS = 10_000_000_000;
/** How often leases are looked at, ns. */
const SWEEP_INTERVAL_NS = 250_000_000;
/** A member counts as lost this long after its lease has ended, ns: its clock may run a little slow, and it drains by itself. */
const LEASE_MARGIN_NS = 2_000_000_000;
/** A look that comes this long after the one before: this process did not run meanwhile (stopped, swapped, starved), and heard nobody, ns. */
const PAUSE_NS = LEASE_MARGIN_NS;
/** After such a pause members have this long to be heard: who gave up the silent link dials again within the longest back-off, ns. */
const HEARD_AFTER_PAUSE_NS = 8_000_000_000;
/** A stream that has not joined by then is closed, ns. */
const JOIN_DEADLINE_NS = 10_000_000_000;

/** Messages of a member that concern a run. */
export type RunMessage = Exclude<AgentMessage, { kind: 'join' | 'probe-answer' | 'heartbeat' | 'leave' }>;

/** What the fleet tells its owner. */
export interface FleetEvents {
  /** A member has joined and its clock is known: it can be given work. */
  onReady(member: Member): void;
  /** A member's link is back (or new); it says which run it is in. */
  onJoined(member: Member, join: Join): void;
  onRunMessage(member: Member, message: RunMessage): void;
  /** A member is gone for good. */
  onGone(member: Member, reason: string): void;
  onNotice(text: string): void;
}

export class Fleet {
  readonly #coordinatorId: string;
  readonly #timekeeper: Timekeeper;
  readonly #events: FleetEvents;
  readonly #members = new Map<string, Member>();
  readonly #sweep: LongTimer;
  #leaseNs = IDLE_LEASE_NS;
  #sweptAtNs: number;
  /** Nobody is given up before. */
  #heardFromNs = -Infinity;

  constructor(coordinatorId: string, timekeeper: Timekeeper, events: FleetEvents) {
    this.#coordinatorId = coordinatorId;
    this.#timekeeper = timekeeper;
    this.#events = events;
    this.#sweptAtNs = timekeeper.nowNs();
    this.#sweep = repeatEvery(timekeeper, SWEEP_INTERVAL_NS, () => this.#dropLapsed());
  }

  /** Members in the order of joining. */
  get members(): readonly Member[] {
    return [...this.#members.values()];
  }

  /** Members that can be given work: connected, clock known. */
  get ready(): readonly Member[] {
    return this.members.filter((member) => member.isConnected && member.clock !== null);
  }

  /** Sets the lease that heartbeats are answered with; null for that of an idle fleet. */
  setLease(leaseNs: number | null): void {
    this.#leaseNs = leaseNs ?? IDLE_LEASE_NS;
  }

  /** Serves a new Control stream. */
  accept(stream: MessageStream<CoordinatorMessage>, peer: string): StreamHandlers<AgentMessage> {
    let member: Member | null = null;
    const deadline = this.#timekeeper.after(JOIN_DEADLINE_NS, () =>
      stream.abort(new FleetError('deadline', `no join within ${durationText(JOIN_DEADLINE_NS)}`)),
    );
    return {
      onMessage: (message) => {
        deadline.cancel();
        if (member === null) member = this.#join(stream, peer, message);
        else this.#receive(member, message);
      },
      onClosed: (end) => {
        deadline.cancel();
        if (member?.disconnect(stream) !== true) return;
        // However it ended: an agent that goes in good order has said so, and a broken link may come back within the lease.
        const why = end.kind === 'ended' ? 'it ended without a word' : end.error.message;
        if (this.#isMember(member)) this.#events.onNotice(`link to agent ${member.identity.agentId} lost: ${why}`);
      },
    };
  }

  /** Takes a member out because its process is known to be gone. */
  declareGone(agentId: string, reason: string): void {
    const member = this.#members.get(agentId);
    if (member !== undefined) this.#remove(member, reason);
  }

  /** Ends all memberships: agents that are told so end their processes. */
  dissolve(reason: string): void {
    this.#sweep.cancel();
    for (const member of this.members) member.end({ kind: 'dismiss', reason });
    this.#members.clear();
  }

  #join(stream: MessageStream<CoordinatorMessage>, peer: string, message: AgentMessage): Member | null {
    if (message.kind !== 'join') {
      throw new FleetError('protocol', `the first message from ${peer} is ${message.kind}, must be join`);
    }
    const known = this.#members.get(message.agentId);
    const refusal = refusalOf(message, known?.isConnected === true ? known.identity.incarnation : null);
    if (refusal !== null) {
      this.#events.onNotice(`refused ${peer}: ${refusal}`);
      stream.write({ kind: 'refusal', reason: refusal });
      stream.end();
      return null;
    }
    const member = this.#memberOf(message, known);
    stream.write({
      kind: 'welcome',
      coordinatorId: this.#coordinatorId,
      protocol: PROTOCOL,
      heartbeatIntervalNs: HEARTBEAT_INTERVAL_NS,
    });
    member.connect(stream);
    this.#events.onJoined(member, message);
    return member;
  }

  /** The member that `join` renews or begins. A new incarnation replaces the old one, which is gone. */
  #memberOf(join: Join, known: Member | undefined): Member {
    if (known !== undefined) {
      if (known.identity.incarnation === join.incarnation) return known;
      this.#remove(known, `the agent was started anew (incarnation ${join.incarnation})`);
    }
    const { kind: _kind, protocol: _protocol, current: _current, ...identity } = join;
    const member: Member = new Member(identity, this.#timekeeper, this.#leaseNs, () => this.#events.onReady(member));
    this.#members.set(identity.agentId, member);
    return member;
  }

  #receive(member: Member, message: AgentMessage): void {
    const nowNs = this.#timekeeper.nowNs();
    switch (message.kind) {
      case 'join':
        throw new FleetError('protocol', `agent ${member.identity.agentId} joined twice on one stream`);
      case 'heartbeat':
        // Without membership there is no lease: an agent that was declared lost must not go on (R075).
        if (this.#isMember(member)) {
          member.grantLease(message.seq, this.#leaseNs, nowNs);
        }
        return;
      case 'probe-answer':
        member.probeAnswered(message.id, message.receivedAgentClockNs, message.answeredAgentClockNs, nowNs);
        return;
      case 'leave':
        this.#remove(member, `it left: ${message.reason}`);
        return;
      case 'armed':
      case 'arm-refused':
      case 'started':
      case 'start-refused':
      case 'draining':
        this.#events.onRunMessage(member, message);
        return;
      default:
        assertNever(message);
    }
  }

  #isMember(member: Member): boolean {
    return this.#members.get(member.identity.agentId) === member;
  }

  #dropLapsed(): void {
    const nowNs = this.#timekeeper.nowNs();
    // What members said meanwhile is still in the sockets, behind this timer.
    if (nowNs - this.#sweptAtNs > PAUSE_NS) this.#heardFromNs = nowNs + HEARD_AFTER_PAUSE_NS;
    this.#sweptAtNs = nowNs;
    if (nowNs < this.#heardFromNs) return;
    for (const member of this.members) {
      if (nowNs > member.leasedUntilNs + LEASE_MARGIN_NS) {
        this.#remove(member, `not heard of since its lease ended ${durationText(nowNs - member.leasedUntilNs)} ago`);
      }
    }
  }

  #remove(member: Member, reason: string): void {
    if (!this.#isMember(member)) return;
    this.#members.delete(member.identity.agentId);
    member.end(null);
    this.#events.onGone(member, reason);
  }
}
