/** The agents of one run: what each was given, said and became, until the run's record is written. */
import type { Grant } from '../../shared/rpc/control-message.ts';
import type { Member } from '../fleet/member.ts';
import type { SlotOwner } from '../merge/run-merge.ts';
import type { AgentRecord } from './run-record.ts';

interface Place {
  readonly member: Member;
  readonly grants: readonly Grant[];
  clientName: string | null;
  pacing: string | null;
  lost: { readonly atNs: number; readonly reason: string } | null;
}

export class RunRoster {
  readonly #places = new Map<string, Place>();

  /** Takes `member` in with its grants. */
  add(member: Member, grants: readonly Grant[]): void {
    this.#places.set(member.identity.agentId, { member, grants, clientName: null, pacing: null, lost: null });
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

  grantsOf(agentId: string): readonly Grant[] {
    return this.#places.get(agentId)?.grants ?? [];
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
    const place = this.#places.get(member.identity.agentId);
    if (place !== undefined) this.#places.set(member.identity.agentId, { ...place, member });
  }

  armed(agentId: string, clientName: string, pacing: string): void {
    const place = this.#places.get(agentId);
    if (place !== undefined) this.#places.set(agentId, { ...place, clientName, pacing });
  }

  lost(agentId: string, atNs: number, reason: string): void {
    const place = this.#places.get(agentId);
    if (place !== undefined && place.lost === null) this.#places.set(agentId, { ...place, lost: { atNs, reason } });
  }

  /** Longest of the members' shortest round trips, ns. */
  roundTripMaxNs(): number {
    return Math.max(0, ...this.members.map((member) => member.clock?.offset.roundTrip ?? 0));
  }

  records(): AgentRecord[] {
    return Array.from(this.#places.values(), ({ member, grants, clientName, pacing, lost }): AgentRecord => {
      const { agentId, incarnation, region, labels, cores, nodeVersion } = member.identity;
      const offset = member.clock?.offset;
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
        clock:
          offset === undefined
            ? null
            : { offsetNs: offset.offset, boundNs: offset.bound, roundTripMinNs: offset.roundTrip },
        state: lost === null ? { kind: 'finished' } : { kind: 'lost', ...lost },
      };
    });
  }
}
