/**
 * The lease of an agent: the right to release arrivals, granted by the coordinator for a while (design §8). A grant counts from
 * the instant the agent *asked* for it, so a grant that was long on its way cannot outlast what the coordinator believes:
 * when the coordinator has granted nothing for `lease`, the agent has stopped already (R075). Pure; times are arguments.
 */

/** How many heartbeats may be on their way; older ones are forgotten. */
const ASKED_MAX = 64;

export class Lease {
  readonly #askedAtNs = new Map<number, number>();
  #seq = 0;
  /** The newest request that was granted, and when it was asked, ns. */
  #grantedSeq = 0;
  #grantedAskNs = -Infinity;
  #deadlineNs = -Infinity;

  /** Notes that the lease is asked for now, and returns the number of the request. */
  ask(nowNs: number): number {
    this.#seq += 1;
    this.#askedAtNs.set(this.#seq, nowNs);
    if (this.#askedAtNs.size > ASKED_MAX) this.#askedAtNs.delete(this.#seq - ASKED_MAX);
    return this.#seq;
  }

  /** Takes the grant of request `seq`. Grants may come late or twice: that of the newest request decides, be it shorter than the one before. */
  grant(seq: number, leaseNs: number): void {
    const askedAtNs = this.#askedAtNs.get(seq);
    if (askedAtNs === undefined) return;
    this.#askedAtNs.delete(seq);
    if (seq < this.#grantedSeq) return;
    this.#grantedSeq = seq;
    this.#grantedAskNs = askedAtNs;
    this.#deadlineNs = askedAtNs + leaseNs;
  }

  /** A run begins whose leases are `leaseNs`: the present one, which may be that of an idle fleet, is no longer than that. */
  limit(leaseNs: number): void {
    this.#deadlineNs = Math.min(this.#deadlineNs, this.#grantedAskNs + leaseNs);
  }

  /** Requests not yet granted. */
  get unanswered(): number {
    return this.#askedAtNs.size;
  }

  /** The end of the lease on the agent's clock, ns; -Infinity before the first grant. */
  get deadlineNs(): number {
    return this.#deadlineNs;
  }

  /** True when nothing may be released at `nowNs`. */
  isLapsed(nowNs: number): boolean {
    return nowNs >= this.#deadlineNs;
  }
}
