/**
 * Samples the host and this process for one window after the other: readings of the present (sockets, handles, memory) and
 * differences of cumulative counts (CPU, steal, throttling, segments). What cannot be read is null in every window, never 0.
 */
import type { GaugeName } from '../../shared/metrics/gauges.ts';
import { type CgroupFolders, parseCgroupFolders } from './cgroup-folders.ts';
import { readQuotaCores, readThrottling, type Throttling } from './cgroup-cpu.ts';
import { type CpuTimes, parseCpuTimes } from './cpu-times.ts';
import { parseFileHandleLimit } from './file-handles.ts';
import { collectLocalPorts, parsePortRange, type PortRange, portsIn } from './local-ports.ts';
import { type CardCounts, readCardCounts, readCardSpeed } from './network-card.ts';
import { LOOPBACK } from './network-route.ts';
import { parseSockstat, parseSockstat6 } from './socket-counts.ts';
import { parseTcpSegments, type TcpSegments } from './tcp-segments.ts';
import type { TextSource } from './text-source.ts';

/** One value of a gauge; null = could not be read. */
export interface Gauge {
  readonly name: GaugeName;
  readonly value: number | null;
}

/** What a process knows of itself. */
export interface ProcessFacts {
  /** CPU time used so far, ns. */
  cpuNs(): number;
  /** Resident memory, bytes; null when it cannot be read. */
  memoryBytes(): number | null;
}

/**
 * Ports taken are counted one by one only where there are more sockets than this share of the range, half of what the verdict allows; below,
 * the number of sockets, which is not less, says enough. The kernel takes 5 to 10 ms for a table, however few sockets are in it.
 */
const PORTS_COUNTED_FROM = 0.25;
/** With more sockets than this the table is not read either: it would take the main thread far longer. */
const SOCKETS_LISTED_MAX = 3000;

/** Gauges of the card to the target. */
const NETWORK_GAUGES = [
  'networkIsLoopback',
  'networkBytesSent',
  'networkBytesReceived',
  'networkProblems',
  'networkUseShare',
] as const;

/** Cumulative counts at one instant. */
interface Counts {
  readonly cpu: CpuTimes | null;
  readonly throttling: Throttling | null;
  readonly segments: TcpSegments | null;
  readonly processCpuNs: number;
  readonly card: CardCounts | null;
}

export class HostSampler {
  readonly #source: TextSource;
  readonly #process: ProcessFacts;
  readonly #cgroup: CgroupFolders | null;
  readonly #portRange: PortRange | null;
  #before: Counts;
  #lastCpu: CpuTimes | null;
  #stealPeak: number | null = null;
  #card: string | null = null;

  constructor(source: TextSource, process: ProcessFacts) {
    this.#source = source;
    this.#process = process;
    this.#cgroup = parseCgroupFolders(
      source.text('/proc/self/cgroup') ?? '',
      source.text('/proc/self/mountinfo') ?? '',
    );
    this.#portRange = this.#parsed('/proc/sys/net/ipv4/ip_local_port_range', parsePortRange);
    this.#before = this.#counts();
    this.#lastCpu = this.#before.cpu;
  }

  /** Names the network card that leads to the target, or null when none is known; its counts are in the windows from the next on. */
  watchCard(card: string | null): void {
    this.#card = card;
    this.#before = { ...this.#before, card: this.#cardCounts() };
  }

  /** Begins a window here: what was before is in none. */
  begin(): void {
    this.#before = this.#counts();
    this.#lastCpu = this.#before.cpu;
    this.#stealPeak = null;
  }

  /**
   * Looks at steal alone; called every 100 ms, because a stolen slice is short and hurts whoever was due in it. The counter steps by whole
   * ticks, and what one step counts may have been stolen before: on two cores one step alone would be 5 %. So the first is left out.
   */
  tick(): void {
    const cpu = this.#parsed('/proc/stat', parseCpuTimes);
    const before = this.#lastCpu;
    this.#lastCpu = cpu;
    const stolen = difference(cpu?.steal, before?.steal);
    const total = difference(cpu?.total, before?.total);
    if (stolen === null || total === null || total <= 0) return;
    const share = Math.max(0, stolen - 1) / total;
    this.#stealPeak = Math.max(this.#stealPeak ?? 0, share);
  }

  /** The gauges of the window of `lengthNs` that ends here; the next begins. */
  takeWindow(lengthNs: number): Gauge[] {
    const before = this.#before;
    const now = this.#counts();
    const stealPeak = this.#stealPeak;
    this.#before = now;
    this.#stealPeak = null;
    return [
      { name: 'hostCpuTicks', value: difference(now.cpu?.total, before.cpu?.total) },
      { name: 'hostCpuBusyTicks', value: difference(now.cpu?.busy, before.cpu?.busy) },
      { name: 'hostCpuStealTicks', value: difference(now.cpu?.steal, before.cpu?.steal) },
      { name: 'hostCpuStealPeakShare', value: stealPeak },
      { name: 'processCpuNs', value: now.processCpuNs - before.processCpuNs },
      { name: 'cgroupThrottledPeriods', value: difference(now.throttling?.periods, before.throttling?.periods) },
      { name: 'cgroupThrottledNs', value: throttledBetween(before.throttling, now.throttling) },
      { name: 'tcpSegmentsSent', value: difference(now.segments?.sent, before.segments?.sent) },
      {
        name: 'tcpSegmentsRetransmitted',
        value: difference(now.segments?.retransmitted, before.segments?.retransmitted),
      },
      { name: 'memoryBytes', value: this.#process.memoryBytes() },
      ...this.#network(before.card, now.card, lengthNs),
      ...this.#limits(),
      ...this.#sockets(),
    ];
  }

  #network(before: CardCounts | null, now: CardCounts | null, lengthNs: number): Gauge[] {
    if (this.#card === null) return NETWORK_GAUGES.map((name) => ({ name, value: null }));
    if (this.#card === LOOPBACK) return [{ name: 'networkIsLoopback', value: 1 }];
    const sent = difference(now?.bytesSent, before?.bytesSent);
    const received = difference(now?.bytesReceived, before?.bytesReceived);
    const speed = readCardSpeed(this.#source, this.#card);
    const isKnown = speed !== null && sent !== null && received !== null && lengthNs > 0;
    return [
      { name: 'networkIsLoopback', value: 0 },
      { name: 'networkBytesSent', value: sent },
      { name: 'networkBytesReceived', value: received },
      { name: 'networkProblems', value: difference(now?.problems, before?.problems) },
      ...(isKnown
        ? [{ name: 'networkUseShare', value: (Math.max(sent, received) * 8e9) / lengthNs / speed } as const]
        : []),
    ];
  }

  #cardCounts(): CardCounts | null {
    return this.#card === null || this.#card === LOOPBACK ? null : readCardCounts(this.#source, this.#card);
  }

  #limits(): Gauge[] {
    const handleLimit = this.#parsed('/proc/self/limits', parseFileHandleLimit);
    const quota = this.#cgroup === null ? null : readQuotaCores(this.#source, this.#cgroup);
    return [
      { name: 'fileHandles', value: this.#source.entryCount('/proc/self/fd') },
      ...limitGauge('fileHandleLimit', handleLimit),
      ...limitGauge('cgroupQuotaCores', quota),
    ];
  }

  #sockets(): Gauge[] {
    const counts = this.#parsed('/proc/net/sockstat', parseSockstat);
    const inUse6 = this.#parsed('/proc/net/sockstat6', parseSockstat6);
    const range = this.#portRange;
    const all = counts === null ? null : counts.inUse + (inUse6 ?? 0) + counts.timeWait;
    return [
      { name: 'socketsInUse', value: counts?.inUse ?? null },
      { name: 'socketsTimeWait', value: counts?.timeWait ?? null },
      { name: 'socketsOrphan', value: counts?.orphan ?? null },
      { name: 'localPortsTotal', value: range === null ? null : portsIn(range) },
      { name: 'localPortsTaken', value: range === null ? null : this.#portsTaken(range, all) },
    ];
  }

  /** Ports of the range that are taken: counted where it matters and the table is short, else all sockets, which is not less. */
  #portsTaken(range: PortRange, socketCount: number | null): number | null {
    if (
      socketCount !== null &&
      (socketCount <= PORTS_COUNTED_FROM * portsIn(range) || socketCount > SOCKETS_LISTED_MAX)
    )
      return socketCount;
    const ports = new Set<number>();
    const tables = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((path) => this.#source.text(path) ?? []);
    for (const table of tables) collectLocalPorts(table, range, ports);
    return tables.length === 0 ? socketCount : ports.size;
  }

  #counts(): Counts {
    return {
      cpu: this.#parsed('/proc/stat', parseCpuTimes),
      throttling: this.#cgroup === null ? null : readThrottling(this.#source, this.#cgroup),
      segments: this.#parsed('/proc/net/snmp', parseTcpSegments),
      processCpuNs: this.#process.cpuNs(),
      card: this.#cardCounts(),
    };
  }

  #parsed<T>(path: string, parse: (text: string) => T | null): T | null {
    const text = this.#source.text(path);
    return text === null ? null : parse(text);
  }
}

/** A limit that is not set is no gauge at all: it is neither a number nor unread. */
function limitGauge(name: GaugeName, limit: number | null): Gauge[] {
  return limit === Infinity ? [] : [{ name, value: limit }];
}

/** The longer of what the cgroups count and what the own one tells: both see the same standstill, or one of them does not see it. */
function throttledBetween(before: Throttling | null, now: Throttling | null): number | null {
  const counted = difference(now?.throttledNs, before?.throttledNs);
  const local = difference(now?.localNs, before?.localNs);
  return counted === null || local === null ? (counted ?? local) : Math.max(counted, local);
}

/** What a cumulative count gained. One that went back was reset or wrapped: how much it gained is not known then. */
function difference(now: number | null | undefined, before: number | null | undefined): number | null {
  return typeof now === 'number' && typeof before === 'number' && now >= before ? now - before : null;
}
