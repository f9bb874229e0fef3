/**
 * One agent process as the coordinator knows it: who it is, its clock, its link and the lease it was last granted. A link that
 * breaks does not end a membership; only a lapsed lease, a process known to be gone, or a newer incarnation does.
 */
import type { AgentIdentity, CoordinatorMessage } from '../../shared/rpc/control-message.ts';
import type { MessageStream } from '../../shared/rpc/message-stream.ts';
import type { Timekeeper } from '../../shared/time/timekeeper.ts';
import type { ClockOffset } from './clock-offset.ts';
import { ClockProber } from './clock-prober.ts';

/** The link to a member. */
type MemberLink =
  | { readonly kind: 'connected'; readonly stream: MessageStream<CoordinatorMessage> }
  | { readonly kind: 'away' };

export class Member {
  readonly identity: AgentIdentity;
  readonly #prober: ClockProber;
  #link: MemberLink = { kind: 'away' };
  #leasedUntilNs: number;

  constructor(identity: AgentIdentity, timekeeper: Timekeeper, leaseNs: number, onClock: () => void) {
    this.identity = identity;
    this.#leasedUntilNs = timekeeper.nowNs() + leaseNs;
    this.#prober = new ClockProber(timekeeper, (id) => this.send({ kind: 'probe', id }), onClock);
  }

  /** Its clock; null before the first batch of probes is complete. */
  get clock(): ClockOffset | null {
    return this.#prober.clock;
  }

  get isConnected(): boolean {
    return this.#link.kind === 'connected';
  }

  /** The latest instant at which it may still believe in its lease, on the coordinator's clock. */
  get leasedUntilNs(): number {
    return this.#leasedUntilNs;
  }

  /** Takes the (new) link and begins to probe over it. */
  connect(stream: MessageStream<CoordinatorMessage>): void {
    this.#link = { kind: 'connected', stream };
    this.#prober.start();
  }

  /** The link is gone; true when `stream` was the present one. */
  disconnect(stream: MessageStream<CoordinatorMessage>): boolean {
    if (this.#link.kind !== 'connected' || this.#link.stream !== stream) return false;
    this.#link = { kind: 'away' };
    this.#prober.stop();
    return true;
  }

  /** Says something; lost without trace while the link is down. What matters is said again when it is back. */
  send(message: CoordinatorMessage): void {
    if (this.#link.kind === 'connected') this.#link.stream.write(message);
  }

  /**
   * Grants the lease asked for by heartbeat `seq`. It counts from the asking, so it ends before now + leaseNs. It replaces the one before, also where
   * that was longer: an agent holds it to the lease of its plan before it sends anything.
   */
  grantLease(seq: number, leaseNs: number, nowNs: number): void {
    this.#leasedUntilNs = nowNs + leaseNs;
    this.send({ kind: 'lease', seq, leaseNs });
  }

  /** Takes the answer to a clock probe. */
  probeAnswered(id: number, receivedNs: number, answeredNs: number, nowNs: number): void {
    this.#prober.answer(id, receivedNs, answeredNs, nowNs);
  }

  /** Ends the membership; the stream is closed behind the last word. */
  end(lastWord: CoordinatorMessage | null): void {
    this.#prober.stop();
    if (this.#link.kind !== 'connected') return;
    if (lastWord !== null) this.#link.stream.write(lastWord);
    this.#link.stream.end();
    this.#link = { kind: 'away' };
  }
}
