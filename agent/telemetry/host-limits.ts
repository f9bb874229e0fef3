/** What this host allows an agent: read once, before a run. Null = could not be read; Infinity = no limit. */
import { parseCgroupFolders } from './cgroup-folders.ts';
import { readQuotaCores } from './cgroup-cpu.ts';
import { parseFileHandleLimit } from './file-handles.ts';
import { parsePortRange, portsIn } from './local-ports.ts';
import type { TextSource } from './text-source.ts';

/** The limits of a host. */
export interface HostLimits {
  readonly cores: number;
  readonly fileHandles: number | null;
  /** Handles that are open already. */
  readonly fileHandlesOpen: number | null;
  /** Local ports for outgoing connections. */
  readonly localPorts: number | null;
  /** Cores that a cgroup quota leaves. */
  readonly quotaCores: number | null;
}

/** Reads the limits of a host with so many cores. */
export function readHostLimits(source: TextSource, cores: number): HostLimits {
  const limits = source.text('/proc/self/limits');
  const range = source.text('/proc/sys/net/ipv4/ip_local_port_range');
  const ports = range === null ? null : parsePortRange(range);
  const cgroup = parseCgroupFolders(source.text('/proc/self/cgroup') ?? '', source.text('/proc/self/mountinfo') ?? '');
  return {
    cores,
    fileHandles: limits === null ? null : parseFileHandleLimit(limits),
    fileHandlesOpen: source.entryCount('/proc/self/fd'),
    localPorts: ports === null ? null : portsIn(ports),
    quotaCores: cgroup === null ? null : readQuotaCores(source, cgroup),
  };
}
