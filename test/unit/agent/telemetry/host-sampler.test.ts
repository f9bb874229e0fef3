import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readHostLimits } from '../../../../agent/telemetry/host-limits.ts';
import { type Gauge, HostSampler } from '../../../../agent/telemetry/host-sampler.ts';
import { HostFiles } from '../../../../agent/telemetry/text-source.ts';
import { HOST_GAUGES } from '../../../../shared/metrics/gauges.ts';
import { textTree } from '../../../support/text-tree.ts';

const MOUNT = '24 1 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n';
const stat = (busy: number, idle: number, steal: number): string => `cpu  ${busy} 0 0 ${idle} 0 0 0 ${steal} 0 0\n`;
const snmp = (sent: number, again: number): string => `Tcp: OutSegs RetransSegs\nTcp: ${sent} ${again}\n`;
const cpuStat = (periods: number, usec: number): string => `nr_throttled ${periods}\nthrottled_usec ${usec}\n`;

function files(): Record<string, string> {
  return {
    '/proc/stat': stat(1000, 1000, 10),
    '/proc/net/snmp': snmp(100, 1),
    '/proc/self/cgroup': '0::/pod/agent\n',
    '/proc/self/mountinfo': MOUNT,
    '/sys/fs/cgroup/pod/agent/cpu.stat': cpuStat(1, 100),
    '/sys/fs/cgroup/pod/cpu.stat': cpuStat(2, 200),
    '/sys/fs/cgroup/cpu.stat': 'usage_usec 5\n',
    '/sys/fs/cgroup/pod/agent/cpu.max': 'max 100000\n',
    '/sys/fs/cgroup/pod/cpu.max': '150000 100000\n',
    '/proc/self/limits': 'Max open files            256                  4096                 files\n',
    '/proc/net/sockstat': 'TCP: inuse 3 orphan 0 tw 5 alloc 3 mem 1\n',
    '/proc/sys/net/ipv4/ip_local_port_range': '32768\t60999\n',
    '/proc/net/tcp': 'head\n 0: 0100007F:9C40 0100007F:1F90 01 x\n',
  };
}

const process = { cpuNs: () => 0, memoryBytes: () => 5e7 };
const values = (gauges: readonly Gauge[]): Record<string, number | null> =>
  Object.fromEntries(gauges.map(({ name, value }) => [name, value]));

describe('sampling a host', () => {
  it('gives the differences of one window, throttling over all ancestors', () => {
    const tree = files();
    const sampler = new HostSampler(textTree(tree, { '/proc/self/fd': 31 }), process);
    sampler.begin();
    tree['/proc/stat'] = stat(1060, 1030, 20);
    tree['/proc/net/snmp'] = snmp(600, 3);
    tree['/sys/fs/cgroup/pod/agent/cpu.stat'] = cpuStat(1, 100);
    tree['/sys/fs/cgroup/pod/cpu.stat'] = cpuStat(6, 40_200);
    sampler.tick();
    expect(values(sampler.takeWindow(1e9))).toEqual({
      hostCpuTicks: 100,
      hostCpuBusyTicks: 70,
      hostCpuStealTicks: 10,
      hostCpuStealPeakShare: 0.09,
      processCpuNs: 0,
      cgroupThrottledPeriods: 4,
      cgroupThrottledNs: 40_000_000,
      cgroupQuotaCores: 1.5,
      tcpSegmentsSent: 500,
      tcpSegmentsRetransmitted: 2,
      memoryBytes: 5e7,
      networkIsLoopback: null,
      networkBytesSent: null,
      networkBytesReceived: null,
      networkProblems: null,
      networkUseShare: null,
      fileHandles: 31,
      fileHandleLimit: 256,
      socketsInUse: 3,
      socketsTimeWait: 5,
      socketsOrphan: 0,
      localPortsTotal: 28_232,
      localPortsTaken: 8,
    });
    // The next window begins where this one ended.
    const next = values(sampler.takeWindow(1e9));
    expect([next['hostCpuTicks'], next['cgroupThrottledPeriods'], next['hostCpuStealPeakShare']]).toEqual([0, 0, null]);
  });

  it('counts the card to the target: bytes, problems, and its use where its speed is told', () => {
    const at = (name: string): string => `/sys/class/net/eth1/statistics/${name}`;
    const tree: Record<string, string> = { ...files(), '/sys/class/net/eth1/speed': '1000\n' };
    const names = ['rx_bytes', 'tx_bytes', 'rx_errors', 'rx_missed_errors', 'tx_errors', 'tx_dropped'];
    for (const name of names) tree[at(name)] = '1000\n';
    const sampler = new HostSampler(textTree(tree), process);
    expect(values(sampler.takeWindow(1e9))).toMatchObject({ networkIsLoopback: null });
    sampler.watchCard('eth1');
    sampler.begin();
    tree[at('tx_bytes')] = '25001000\n';
    tree[at('rx_missed_errors')] = '1003\n';
    expect(values(sampler.takeWindow(0.5e9))).toMatchObject({
      networkIsLoopback: 0,
      networkBytesSent: 25_000_000,
      networkBytesReceived: 0,
      networkProblems: 3,
      // 200 Mbit in half a second of 1 Gbit/s.
      networkUseShare: 0.4,
    });
    tree['/sys/class/net/eth1/speed'] = '-1\n';
    expect(values(sampler.takeWindow(1e9))).not.toHaveProperty('networkUseShare');
    tree[at('tx_bytes')] = 'gone';
    expect(values(sampler.takeWindow(1e9))).toMatchObject({ networkBytesSent: null, networkProblems: 0 });
    sampler.watchCard('lo');
    const loopback = values(sampler.takeWindow(1e9));
    expect(loopback).toMatchObject({ networkIsLoopback: 1 });
    expect(loopback).not.toHaveProperty('networkBytesSent');
  });

  it('keeps the worst 100 ms of steal, which a window would average away', () => {
    const tree = files();
    const sampler = new HostSampler(textTree(tree), process);
    sampler.begin();
    tree['/proc/stat'] = stat(1008, 1008, 14);
    sampler.tick();
    tree['/proc/stat'] = stat(1090, 1100, 14);
    sampler.tick();
    // 3 of 20 ticks: the first of 4 may have been stolen before.
    expect(values(sampler.takeWindow(1e9))['hostCpuStealPeakShare']).toBe(0.15);
  });

  it('does not call one step of the steal counter a stolen 100 ms: on two cores it alone is 5 %', () => {
    const tree = files();
    const sampler = new HostSampler(textTree(tree), process);
    sampler.begin();
    tree['/proc/stat'] = stat(1009, 1009, 11);
    sampler.tick();
    expect(values(sampler.takeWindow(1e9))).toMatchObject({ hostCpuStealPeakShare: 0, hostCpuStealTicks: 1 });
  });

  it('P8 what cannot be read is null in every window, never 0', () => {
    const sampler = new HostSampler(textTree({}), process);
    sampler.begin();
    sampler.tick();
    const read = values(sampler.takeWindow(1e9));
    for (const name of HOST_GAUGES) {
      if (['processCpuNs', 'memoryBytes', 'mainThreadLateNs', 'sampledNs'].includes(name)) continue;
      expect([name, read[name]]).toEqual([name, null]);
    }
  });

  it('P8 a count that was reset or wrapped is not measured in that window, and never negative', () => {
    const at = (name: string): string => `/sys/class/net/eth1/statistics/${name}`;
    const tree = files();
    for (const name of ['rx_bytes', 'tx_bytes', 'rx_errors', 'rx_missed_errors', 'tx_errors', 'tx_dropped'])
      tree[at(name)] = '4294967000\n';
    const sampler = new HostSampler(textTree(tree), process);
    sampler.watchCard('eth1');
    sampler.begin();
    tree['/proc/stat'] = stat(1100, 1100, 4);
    tree['/proc/net/snmp'] = snmp(7, 0);
    tree['/sys/fs/cgroup/pod/agent/cpu.stat'] = cpuStat(0, 0);
    tree['/sys/fs/cgroup/pod/cpu.stat'] = cpuStat(1, 10);
    tree[at('tx_bytes')] = '300\n';
    sampler.tick();
    expect(values(sampler.takeWindow(1e9))).toMatchObject({
      hostCpuTicks: 194,
      hostCpuStealTicks: null,
      hostCpuStealPeakShare: null,
      cgroupThrottledPeriods: null,
      cgroupThrottledNs: null,
      tcpSegmentsSent: null,
      tcpSegmentsRetransmitted: null,
      networkBytesSent: null,
      networkBytesReceived: 0,
    });
    // From the new base on it counts again.
    tree['/proc/net/snmp'] = snmp(27, 1);
    tree[at('tx_bytes')] = '800\n';
    tree['/sys/fs/cgroup/pod/cpu.stat'] = cpuStat(3, 90);
    expect(values(sampler.takeWindow(1e9))).toMatchObject({
      tcpSegmentsSent: 20,
      networkBytesSent: 500,
      cgroupThrottledPeriods: 2,
    });
  });

  it('T12 a quota above the visible cgroups shows in the time of cpu.stat.local, however much others count', () => {
    const tree: Record<string, string> = { ...files(), '/sys/fs/cgroup/pod/cpu.stat': cpuStat(900, 50_000_000) };
    tree['/sys/fs/cgroup/pod/agent/cpu.stat.local'] = 'throttled_usec 1000\n';
    const sampler = new HostSampler(textTree(tree), process);
    sampler.begin();
    tree['/sys/fs/cgroup/pod/agent/cpu.stat.local'] = 'throttled_usec 81000\n';
    expect(values(sampler.takeWindow(1e9))).toMatchObject({
      cgroupThrottledPeriods: 0,
      cgroupThrottledNs: 80_000_000,
    });
  });

  it('P8 periods that only a file of times is there for are not measured, not 0', () => {
    const tree: Record<string, string> = {
      ...files(),
      '/sys/fs/cgroup/pod/agent/cpu.stat.local': 'throttled_usec 5\n',
    };
    for (const folder of ['/pod/agent', '/pod', '']) tree[`/sys/fs/cgroup${folder}/cpu.stat`] = 'usage_usec 5\n';
    const sampler = new HostSampler(textTree(tree), process);
    sampler.begin();
    tree['/sys/fs/cgroup/pod/agent/cpu.stat.local'] = 'throttled_usec 7\n';
    expect(values(sampler.takeWindow(1e9))).toMatchObject({ cgroupThrottledPeriods: null, cgroupThrottledNs: 2000 });
  });

  it('a limit that is not set is no gauge', () => {
    const tree: Record<string, string> = { ...files(), '/sys/fs/cgroup/pod/cpu.max': 'max 100000\n' };
    const read = values(new HostSampler(textTree(tree), process).takeWindow(1e9));
    expect(Object.hasOwn(read, 'cgroupQuotaCores')).toBe(false);
    tree['/proc/self/limits'] = 'Max open files            unlimited            unlimited            files\n';
    const again = values(new HostSampler(textTree(tree), process).takeWindow(1e9));
    expect(Object.hasOwn(again, 'fileHandleLimit')).toBe(false);
  });

  it('R032 counts local ports one by one where the sockets could fill a quarter of the range, IPv6 included', () => {
    const row = (port: string, state: string): string => ` 0: 0100007F:${port} 0100007F:1F90 ${state} x\n`;
    const tree = {
      ...files(),
      '/proc/sys/net/ipv4/ip_local_port_range': '40000\t40019\n',
      '/proc/net/sockstat6': 'TCP6: inuse 2\nUDP6: inuse 9\n',
      // In the range twice the same port; a listener; one below the range.
      '/proc/net/tcp': `head\n${row('9C40', '01')}${row('9C40', '06')}${row('9C41', '0A')}${row('1F91', '01')}`,
      '/proc/net/tcp6': `head\n 0: 00000000000000000000000001000000:9C42 x 01 x\n`,
    };
    const taken = (): number | null | undefined =>
      values(new HostSampler(textTree(tree), process).takeWindow(1e9))['localPortsTaken'];
    expect(taken()).toBe(2);
    tree['/proc/sys/net/ipv4/ip_local_port_range'] = '40000\t40099\n';
    // 3 + 2 + 5 sockets of 100 ports: no table is read.
    expect(taken()).toBe(10);
  });

  it('with very many sockets the table is not listed: all of them count as ports taken', () => {
    const tree = { ...files(), '/proc/net/sockstat': 'TCP: inuse 2000 orphan 0 tw 9000 alloc 3 mem 1\n' };
    expect(values(new HostSampler(textTree(tree), process).takeWindow(1e9))['localPortsTaken']).toBe(11_000);
  });

  it('version 1: the quota and the throttling of the cpu hierarchy', () => {
    const tree = {
      ...files(),
      '/proc/self/cgroup': '4:cpu,cpuacct:/job\n0::/\n',
      '/proc/self/mountinfo': '32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n',
      '/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us': '20000\n',
      '/sys/fs/cgroup/cpu/job/cpu.cfs_period_us': '100000\n',
      '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
      '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      '/sys/fs/cgroup/cpu/job/cpu.stat': 'nr_periods 9\nnr_throttled 2\nthrottled_time 70000000\n',
    };
    const sampler = new HostSampler(textTree(tree), process);
    sampler.begin();
    tree['/sys/fs/cgroup/cpu/job/cpu.stat'] = 'nr_periods 9\nnr_throttled 5\nthrottled_time 170000000\n';
    const read = values(sampler.takeWindow(1e9));
    expect([read['cgroupQuotaCores'], read['cgroupThrottledPeriods'], read['cgroupThrottledNs']]).toEqual([
      0.2, 3, 1e8,
    ]);
    expect(readHostLimits(textTree(tree), 4).quotaCores).toBe(0.2);
  });
});

describe('the limits of a host', () => {
  it('null for what cannot be read', () => {
    expect(readHostLimits(textTree({}), 2)).toEqual({
      cores: 2,
      fileHandles: null,
      fileHandlesOpen: null,
      localPorts: null,
      quotaCores: null,
    });
  });

  it('reads this host without a throw, whatever it is', () => {
    const hostFiles = new HostFiles();
    const { fileHandlesOpen } = readHostLimits(hostFiles, 2);
    if (fileHandlesOpen !== null) expect(fileHandlesOpen).toBeGreaterThan(0);
    expect(hostFiles.text('/no/such/file')).toBeNull();
    expect(hostFiles.entryCount('/no/such/folder')).toBeNull();
  });

  it('reads a file anew each time, from its beginning, and whole', () => {
    const folder = mkdtempSync(join(tmpdir(), 'loadfleet-test-'));
    const path = join(folder, 'text');
    const source = new HostFiles();
    expect(source.text(path)).toBeNull();
    for (const text of ['first', 'x'.repeat(200_000), '2']) {
      writeFileSync(path, text);
      expect(source.text(path)).toBe(text);
    }
    rmSync(folder, { recursive: true });
  });
});
