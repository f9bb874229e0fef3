/**
 * Where the connections of one origin go: all addresses of its name in rotation, resolved again from time to time, addresses that
 * refuse skipped for a while (R024). A unix socket or an IP literal is one fixed address.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** How long resolved addresses are used before the name is resolved again. */
const RESOLVE_AGAIN_NS = 30e9;
/** How long an address that could not be connected to is passed over, unless all are; twice as long after each further failure. */
const DEAD_ADDRESS_NS = 5e9;
const DEAD_ADDRESS_MAX_NS = 60e9;
/**
 * An address among several gets at least this long, or the whole limit where that is less. It is also how long one may be silent while
 * another is there to be tried: two sendings of a SYN that brought nothing.
 */
const ATTEMPT_MIN_NS = 2e9;
/** How long the renewal of an answer that is there may be waited for: a resolver that hangs holds no connection up for longer. */
export const RENEWAL_WAIT_NS = 2e9;

/** What a socket is opened to. */
export type DialAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** Looks a name up: all its addresses, in the resolver's order. Rejects with an error that has a resolver's `code`. */
export type ResolveAll = (host: string) => Promise<readonly string[]>;

/** The system's resolver, hosts file included; the order is its own. */
export async function resolveBySystem(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true, order: 'verbatim' });
  return found.map((entry) => entry.address);
}

/** How long an attempt at one address may take. */
export interface AttemptLimits {
  /** Until the other side is there, before TLS, ns; at most `readyNs`. */
  readonly reachNs: number;
  /** Until the connection is ready, ns. */
  readonly readyNs: number;
}

/** How much one address was used. */
export interface AddressUse {
  /** IP address, or the path of a unix socket. */
  readonly host: string;
  connections: number;
  requests: number;
}

interface KnownAddress {
  readonly use: AddressUse;
  deadUntilNs: number;
  /** How long it is passed over after its next failure. */
  nextDeadNs: number;
}

/** Rotation over one origin's addresses. Time is an argument, of a clock that never jumps: run time does, at each start. */
export class TargetAddress {
  private readonly fixed: DialAddress | null;
  /** Every address ever dialled, gone ones included. */
  private readonly usesByHost = new Map<string, AddressUse>();
  private readonly host: string;
  private readonly port: number;
  private readonly resolveAll: ResolveAll;
  private known: KnownAddress[] = [];
  private nextIndex = 0;
  private resolvedAtNs = -Infinity;
  private lookup: Promise<void> | null = null;
  private lookupBegunNs = -Infinity;

  /** `connectTo` is `host:port`, `[v6]:port` (the address perhaps with a scope, `fe80::1%eth0`) or `unix:PATH`, or null for the URL's own host and port. */
  constructor(url: URL, connectTo: string | null, resolveAll: ResolveAll) {
    this.resolveAll = resolveAll;
    if (connectTo?.startsWith('unix:') === true) {
      this.fixed = { kind: 'unix', path: connectTo.slice('unix:'.length) };
      this.host = '';
      this.port = 0;
      return;
    }
    const colon = connectTo?.lastIndexOf(':') ?? -1;
    const host = connectTo?.slice(0, colon) ?? url.hostname;
    const port = connectTo?.slice(colon + 1) ?? url.port;
    this.host = host.replace(/^\[|\]$/g, '');
    this.port = port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(port);
    this.fixed = isIP(this.host) === 0 ? null : { kind: 'tcp', host: this.host, port: this.port };
  }

  /**
   * The next address to dial: at once when it is known and no renewal is under way, which is waited for. Rejects when the name cannot be
   * resolved and no older answer is there.
   */
  async next(nowNs: number): Promise<DialAddress> {
    if (this.isRenewing(nowNs)) await this.lookup;
    return this.nextKnown(nowNs) ?? (await this.resolveThenNext(nowNs));
  }

  /** The next address if no lookup is needed first. An answer past its time is renewed in the background. */
  nextKnown(nowNs: number): DialAddress | null {
    if (this.fixed !== null) return this.fixed;
    if (this.known.length === 0) return null;
    if (nowNs - this.resolvedAtNs > RESOLVE_AGAIN_NS) this.refresh(nowNs);
    const count = this.known.length;
    for (let step = 0; step < count; step += 1) {
      const index = (this.nextIndex + step) % count;
      const address = this.known[index] as KnownAddress;
      if (address.deadUntilNs > nowNs && step < count - 1 && this.anyAlive(nowNs)) continue;
      this.nextIndex = (index + 1) % count;
      // One attempt tries whether it is there again: the others would wait for a silent one.
      if (address.deadUntilNs > 0) passOver(address, nowNs);
      return { kind: 'tcp', host: address.use.host, port: this.port };
    }
    return null;
  }

  /** Whether an answer that is still used is being renewed, and not for so long that nobody waits for it any more. */
  isRenewing(nowNs: number): boolean {
    return this.lookup !== null && this.known.length > 0 && nowNs - this.lookupBegunNs < RENEWAL_WAIT_NS;
  }

  /** Remembers that `address` could not be connected to. */
  markDead(address: DialAddress, nowNs: number): void {
    const known = this.find(address);
    if (known !== null) passOver(known, nowNs);
  }

  /** `address` answered: it is used in its turn again. */
  markAlive(address: DialAddress): void {
    const known = this.find(address);
    if (known === null) return;
    known.deadUntilNs = 0;
    known.nextDeadNs = DEAD_ADDRESS_NS;
  }

  /** The book of `address`; connections keep it and count their requests in it. */
  useOf(address: DialAddress): AddressUse {
    return this.useOfHost(address.kind === 'unix' ? address.path : address.host);
  }

  /** How many addresses may be tried for one connection before it fails. */
  get attemptsMax(): number {
    return Math.max(1, this.known.length);
  }

  /**
   * The part of `wholeNs`, the limit on making one connection, that the attempt at `address` may take: `spentNs` went to others, and
   * `attemptsLeft` counts this one. The last one has all the rest.
   */
  attemptLimits(
    address: DialAddress,
    wholeNs: number,
    spentNs: number,
    attemptsLeft: number,
    nowNs: number,
  ): AttemptLimits {
    const leastNs = Math.min(wholeNs, ATTEMPT_MIN_NS);
    const isLast = attemptsLeft <= 1;
    const readyNs = Math.max(leastNs, isLast ? wholeNs - spentNs : wholeNs / this.attemptsMax);
    const known = this.find(address);
    const isReplaceable = !isLast && this.known.some((other) => other !== known && other.deadUntilNs <= nowNs);
    return { reachNs: isReplaceable ? leastNs : readyNs, readyNs };
  }

  /** Use of every address known or dialled so far. */
  get uses(): readonly AddressUse[] {
    return [...this.usesByHost.values()];
  }

  private useOfHost(host: string): AddressUse {
    let use = this.usesByHost.get(host);
    if (use === undefined) {
      use = { host, connections: 0, requests: 0 };
      this.usesByHost.set(host, use);
    }
    return use;
  }

  private anyAlive(nowNs: number): boolean {
    return this.known.some((address) => address.deadUntilNs <= nowNs);
  }

  private find(address: DialAddress): KnownAddress | null {
    if (address.kind === 'unix') return null;
    return this.known.find((candidate) => candidate.use.host === address.host) ?? null;
  }

  private async resolveThenNext(nowNs: number): Promise<DialAddress> {
    this.lookup ??= this.resolve(nowNs);
    await this.lookup;
    const address = this.nextKnown(nowNs);
    if (address === null) throw Object.assign(new Error(`no address for ${this.host}`), { code: 'ENOTFOUND' });
    return address;
  }

  private refresh(nowNs: number): void {
    this.resolvedAtNs = nowNs;
    // A failed renewal keeps the old addresses: the connections made to them tell whether they still answer.
    this.lookup ??= this.resolve(nowNs).catch(() => undefined);
  }

  private async resolve(nowNs: number): Promise<void> {
    this.lookupBegunNs = nowNs;
    try {
      const hosts = await this.resolveAll(this.host);
      const before = this.known;
      this.known = [...new Set(hosts)].map(
        (host) =>
          before.find((address) => address.use.host === host) ?? {
            use: this.useOfHost(host),
            deadUntilNs: 0,
            nextDeadNs: DEAD_ADDRESS_NS,
          },
      );
      this.resolvedAtNs = nowNs;
    } finally {
      this.lookup = null;
    }
  }
}

/** Passes over `address` for a while, and longer the next time, unless it is passed over already. */
function passOver(address: KnownAddress, nowNs: number): void {
  if (address.deadUntilNs > nowNs) return;
  address.deadUntilNs = nowNs + address.nextDeadNs;
  address.nextDeadNs = Math.min(DEAD_ADDRESS_MAX_NS, 2 * address.nextDeadNs);
}
