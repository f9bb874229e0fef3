/** The agents of one run: what each was given, said and became, until the run's record is written. */
import type { Grant } from '../../shared/rpc/control-message.ts';
import { durationText } from '../../shared/time/duration-text.ts';
import type { ClockOffset } from '../fleet/clock-offset.ts';
import type { Member } from '../fleet/member.ts';
import type { SlotOwner } from '../merge/run-merge.ts';
import type { AgentRecord } from './run-record.ts';

interface Place {
  readonly member: Member;
  readonly grants: readonly Grant[];
  readonly clientName: string | null;
  readonly pacing: string | null;
  /** It said that its workers knew T0 in time. */
  readonly isStarted: boolean;
  /** The clock that T0 was sent by; what later probes find is drift (M§8). */
  readonly startClock: ClockOffset | null;
  readonly stopped: { readonly atNs: number; readonly reason: string } | null;
  readonly lost: { readonly atNs: number; readonly reason: string } | null;
}

/** Drift is worth a word when it exceeds what the probes can show, and this, ns. */
const DRIFT_NOTED_NS = 1_000_000;

/** Why an agent ended its part, where it did not say. */
const UNSAID = 'its part ended before the plan was over';

export class RunRoster {
  readonly #places = new Map<string, Place>();

  /** Takes `member` in with its grants. */
  add(member: Member, grants: readonly Grant[]): void {
    const unsaid = { clientName: null, pacing: null, isStarted: false, startClock: null, stopped: null, lost: null };
    this.#places.set(member.identity.agentId, { member, grants, ...unsaid });
  }

  get members(): readonly Member[] {
    return Array.from(this.#places.values(), (place) => place.member);
  }

  get size(): number {
    return this.#places.size;
  }

  /** Agents not marked lost. */
  get aliveCount(): number {
    return [...this.#places.values()].filter((place) => place.lost === null).length;
  }

  /** True when this very process takes part; another incarnation of the agent does not. */
  has(agentId: string, incarnation: string): boolean {
    return this.#places.get(agentId)?.member.identity.incarnation === incarnation;
  }

  /** True when it takes part and was not marked lost. */
  isAlive(agentId: string, incarnation: string): boolean {
    return this.has(agentId, incarnation) && this.#places.get(agentId)?.lost === null;
  }

  /** What an agent was given; nothing for one that takes no part. */
  grantsOf(agentId: string): readonly Grant[] {
    return this.#places.get(agentId)?.grants ?? [];
  }

  /** W, over all agents. */
  get workerSlots(): number {
    return [...this.#places.values()].reduce((sum, { grants }) => sum + grants.length, 0);
  }

  /** Which process owns which slot. */
  slotOwners(): SlotOwner[] {
    return [...this.#places.values()].flatMap(({ member, grants }) => {
      const { agentId, incarnation } = member.identity;
      return grants.map((grant) => ({ slot: grant.slot, agentId, incarnation }));
    });
  }

  /** The member under this id now, after a reconnect of the same process. */
  renew(member: Member): void {
    this.#change(member.identity.agentId, (place) => ({ ...place, member }));
  }

  /** What an agent said of its workers. */
  armed(agentId: string, clientName: string, pacing: string): void {
    this.#change(agentId, (place) => ({ ...place, clientName, pacing }));
  }

  /** An agent confirmed that its workers knew T0 in time. */
  started(agentId: string): void {
    this.#change(agentId, (place) => ({ ...place, isStarted: true }));
  }

  /** Agents that never confirmed their start, lost ones left aside. */
  unconfirmedStarts(): string[] {
    return [...this.#places].filter(([, place]) => !place.isStarted && place.lost === null).map(([agentId]) => agentId);
  }

  /** Keeps the clocks as they are known now: T0 is sent by them. */
  keepClocks(): void {
    for (const [agentId, { member }] of this.#places) {
      this.#change(agentId, (place) => ({ ...place, startClock: member.clock }));
    }
  }

  /** Offset of an agent's clock to ours as T0 was sent by, ns. */
  startOffsetNs(agentId: string): number {
    return this.#places.get(agentId)?.startClock?.offset ?? 0;
  }

  /** An agent ended its part by itself, as it says; the first time stands. */
  stopped(agentId: string, atNs: number, reason: string): void {
    this.#change(agentId, (place) =>
      place.stopped === null || place.stopped.reason === UNSAID ? { ...place, stopped: { atNs, reason } } : place,
    );
  }

  /** An agent's last report shows that it ended its part by itself; what it says of it, before or after, counts more. */
  endedShort(agentId: string, atNs: number): void {
    this.#change(agentId, (place) =>
      place.stopped === null ? { ...place, stopped: { atNs, reason: UNSAID } } : place,
    );
  }

  /** Marks an agent lost; the first reason stands. */
  lost(agentId: string, atNs: number, reason: string): void {
    this.#change(agentId, (place) => (place.lost === null ? { ...place, lost: { atNs, reason } } : place));
  }

  /** Longest of the members' shortest round trips, ns. */
  roundTripMaxNs(): number {
    return Math.max(0, ...this.members.map((member) => member.clock?.roundTrip ?? 0));
  }

  /** How far clocks have moved against ours since T0 was sent, where that is more than probing can explain. */
  driftWarnings(): string[] {
    return [...this.#places.values()].flatMap(({ member, startClock }) => {
      const now = member.clock;
      if (now === null || startClock === null) return [];
      const driftNs = now.offset - startClock.offset;
      if (Math.abs(driftNs) <= Math.max(DRIFT_NOTED_NS, now.bound + startClock.bound)) return [];
      return [
        `the clock of agent ${member.identity.agentId} drifted by ${durationText(driftNs)}; its schedule was not re-timed`,
      ];
    });
  }

  /** Agents of another version than `own`: the protocol is one, but what they send and how they count need not be. */
  versionWarnings(own: string): string[] {
    return this.members.flatMap(({ identity: { agentId, loadfleetVersion } }) =>
      loadfleetVersion === own
        ? []
        : [`agent ${agentId} is loadfleet ${loadfleetVersion}, the coordinator ${own}: a fleet is deployed as one`],
    );
  }

  /** The agents as the run's record has them, in the order in which they were taken in. */
  records(): AgentRecord[] {
    return Array.from(
      this.#places.values(),
      ({ member, grants, clientName, pacing, startClock, stopped, lost }): AgentRecord => {
        const { agentId, incarnation, region, labels, cores, nodeVersion } = member.identity;
        const offset = startClock ?? member.clock;
        return {
          agentId,
          incarnation,
          region,
          labels,
          cores,
          nodeVersion,
          slots: grants.map((grant) => grant.slot),
          clientName,
          pacing,
          clock: offset === null ? null : clockRecord(offset),
          state: stateOf(stopped, lost),
        };
      },
    );
  }

  #change(agentId: string, change: (place: Place) => Place): void {
    const place = this.#places.get(agentId);
    if (place !== undefined) this.#places.set(agentId, change(place));
  }
}

function stateOf(stopped: Place['stopped'], lost: Place['lost']): AgentRecord['state'] {
  if (lost !== null) return { kind: 'lost', ...lost };
  return stopped === null ? { kind: 'finished' } : { kind: 'stopped', ...stopped };
}

/** A clock in whole ns; the bound is rounded up, to stay one. */
function clockRecord({ offset, bound, roundTrip }: ClockOffset): NonNullable<AgentRecord['clock']> {
  return { offsetNs: Math.round(offset), boundNs: Math.ceil(bound), roundTripMinNs: Math.ceil(roundTrip) };
}
