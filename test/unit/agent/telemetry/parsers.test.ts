/** Every parser on texts as kernels write them, and on texts that are not what they should be. */
import { describe, expect, it } from 'vitest';
import { parseCfsQuota, parseCpuMax, parseThrottling } from '../../../../agent/telemetry/cgroup-cpu.ts';
import { parseCgroupFolders } from '../../../../agent/telemetry/cgroup-folders.ts';
import { parseCpuTimes } from '../../../../agent/telemetry/cpu-times.ts';
import { parseFileHandleLimit } from '../../../../agent/telemetry/file-handles.ts';
import { collectLocalPorts, parsePortRange, portsIn } from '../../../../agent/telemetry/local-ports.ts';
import { parseSockstat } from '../../../../agent/telemetry/socket-counts.ts';
import { parseTcpSegments } from '../../../../agent/telemetry/tcp-segments.ts';

describe('/proc/stat', () => {
  it('has steal as its eighth column, and guest time inside user time', () => {
    const text =
      'cpu  671153 10363 116735 193269 661 0 4233 3101 50 7\ncpu0 335199 5051 58689 97186 89 0 2097 1537 0 0\nintr 5\n';
    expect(parseCpuTimes(text)).toEqual({
      total: 671153 + 10363 + 116735 + 193269 + 661 + 4233 + 3101,
      busy: 671153 + 10363 + 116735 + 4233 + 3101,
      steal: 3101,
    });
  });

  it('of an old kernel does not know steal: not measured, not 0', () => {
    expect(parseCpuTimes('cpu  100 0 50 800 10 0 5\ncpu0 1 2 3 4\n')).toEqual({ total: 965, busy: 155, steal: null });
    expect(parseCpuTimes('cpu  100 0 50 800\n')).toEqual({ total: 950, busy: 150, steal: null });
  });

  it.each(['', 'cpu0 1 2 3 4\n', 'cpu  \n', 'cpu  1 2\n', 'cpu  a b c d\n'])('is null for %j', (text) => {
    expect(parseCpuTimes(text)).toBeNull();
  });
});

describe('/proc/self/cgroup and mountinfo', () => {
  const v2 = '24 1 0:22 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n';
  const v1 =
    '31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n' +
    '36 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n' +
    '32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n';

  it('version 2: the own folder, then every ancestor', () => {
    expect(parseCgroupFolders('0::/user.slice/user-0.slice/run.scope\n', v2)).toEqual({
      version: 2,
      folders: [
        '/sys/fs/cgroup/user.slice/user-0.slice/run.scope',
        '/sys/fs/cgroup/user.slice/user-0.slice',
        '/sys/fs/cgroup/user.slice',
        '/sys/fs/cgroup',
      ],
    });
  });

  it('version 1: the hierarchy that carries cpu, under whatever name', () => {
    const text = '12:memory:/other\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/x\n0::/x\n';
    expect(parseCgroupFolders(text, v1)).toEqual({
      version: 1,
      folders: [
        '/sys/fs/cgroup/cpu,cpuacct/docker/abc',
        '/sys/fs/cgroup/cpu,cpuacct/docker',
        '/sys/fs/cgroup/cpu,cpuacct',
      ],
    });
  });

  it('cpuset is not cpu', () => {
    expect(parseCgroupFolders('3:cpuset:/a\n', v1)).toBeNull();
  });

  it('in a container the mount begins at its own cgroup: the path is taken from there', () => {
    const mount = v1.replace('0:29 / /sys', '0:29 /docker/abc /sys');
    expect(parseCgroupFolders('4:cpu,cpuacct:/docker/abc\n', mount)?.folders).toEqual(['/sys/fs/cgroup/cpu,cpuacct']);
    expect(parseCgroupFolders('4:cpu,cpuacct:/docker/abc/inner\n', mount)?.folders).toEqual([
      '/sys/fs/cgroup/cpu,cpuacct/inner',
      '/sys/fs/cgroup/cpu,cpuacct',
    ]);
    // A cgroup namespace shows paths outside of it with dots.
    expect(parseCgroupFolders('4:cpu,cpuacct:/../other\n', mount)?.folders).toEqual(['/sys/fs/cgroup/cpu,cpuacct']);
  });

  it('is null where there is nothing to read', () => {
    expect(parseCgroupFolders('', '')).toBeNull();
    expect(parseCgroupFolders('0::/a\n', v1)).toBeNull();
  });
});

describe('cpu.stat', () => {
  it('of version 2 counts µs', () => {
    const text =
      'usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\nnr_periods 40\nnr_throttled 7\nthrottled_usec 350000\nnr_bursts 0\nburst_usec 0\n';
    expect(parseThrottling(text)).toEqual({ periods: 7, throttledNs: 350_000_000 });
  });

  it('of version 1 counts ns', () => {
    expect(parseThrottling('nr_periods 40\nnr_throttled 3\nthrottled_time 123456789\n')).toEqual({
      periods: 3,
      throttledNs: 123_456_789,
    });
  });

  it('cpu.stat.local has time only', () => {
    expect(parseThrottling('throttled_usec 15\n')).toEqual({ periods: null, throttledNs: 15_000 });
  });

  it('of a root cgroup counts no throttling: not measured', () => {
    expect(parseThrottling('usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\n')).toBeNull();
    expect(parseThrottling('')).toBeNull();
  });
});

describe('quotas', () => {
  it.each([
    ['50000 100000\n', 0.5],
    ['max 100000\n', Infinity],
    ['300000', 3],
    ['', null],
    ['x y', null],
  ])('cpu.max %j leaves %s cores', (text, cores) => {
    expect(parseCpuMax(text)).toBe(cores);
  });

  it.each([
    ['-1\n', '100000\n', Infinity],
    ['150000\n', '100000\n', 1.5],
    ['', '100000', null],
    ['100000', '0', null],
  ])('cfs quota %j of period %j leaves %s cores', (quota, period, cores) => {
    expect(parseCfsQuota(quota, period)).toBe(cores);
  });
});

describe('sockets, ports, segments, handles', () => {
  it('sockstat', () => {
    const text =
      'sockets: used 150\nTCP: inuse 131 orphan 2 tw 593 alloc 131 mem 201\nUDP: inuse 9 mem 0\nFRAG: inuse 0 memory 0\n';
    expect(parseSockstat(text)).toEqual({ inUse: 131, orphan: 2, timeWait: 593 });
    expect(parseSockstat('sockets: used 150\n')).toBeNull();
    expect(parseSockstat('TCP: inuse 131\n')).toBeNull();
  });

  it('port range, both ends included', () => {
    const range = parsePortRange('32768\t60999\n');
    expect(range).toEqual({ low: 32_768, high: 60_999 });
    expect(portsIn(range as NonNullable<typeof range>)).toBe(28_232);
    expect(parsePortRange('')).toBeNull();
    expect(parsePortRange('60999 32768')).toBeNull();
  });

  it('local ports: each once, none of listeners, none outside the range, IPv6 too', () => {
    const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
    const row = (local: string, state: string): string =>
      `   0: ${local} 0100007F:1F90 ${state} 00000000:00000000 00:0 0 0 0 1\n`;
    const ports = new Set<number>();
    const range = { low: 0x8000, high: 0xee47 };
    collectLocalPorts(
      head +
        row('0100007F:9C40', '01') +
        row('0200007F:9C40', '06') +
        row('00000000:9C41', '0A') +
        row('0100007F:0050', '01'),
      range,
      ports,
    );
    collectLocalPorts(head + row('00000000000000000000000001000000:9C42', '01'), range, ports);
    collectLocalPorts('', range, ports);
    expect([...ports]).toEqual([0x9c40, 0x9c42]);
  });

  it('segments: the values stand under the names, wherever a kernel puts them', () => {
    const text =
      'Ip: Forwarding DefaultTTL\nIp: 1 64\nTcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens AttemptFails EstabResets CurrEstab InSegs OutSegs RetransSegs InErrs OutRsts InCsumErrors\nTcp: 1 200 120000 -1 12314 11551 584 4873 3 8937799 8925315 389 0 3638 0\n';
    expect(parseTcpSegments(text)).toEqual({ sent: 8_925_315, retransmitted: 389 });
    expect(parseTcpSegments('Tcp: RetransSegs OutSegs\nTcp: 1 2\n')).toEqual({ sent: 2, retransmitted: 1 });
    expect(parseTcpSegments('Tcp: OutSegs\nTcp: 2\n')).toBeNull();
    expect(parseTcpSegments('')).toBeNull();
  });

  it('handle limit', () => {
    const text =
      'Limit                     Soft Limit           Hard Limit           Units     \nMax open files            1024                 524288               files     \n';
    expect(parseFileHandleLimit(text)).toBe(1024);
    expect(parseFileHandleLimit('Max open files            unlimited            unlimited            files\n')).toBe(
      Infinity,
    );
    expect(parseFileHandleLimit('')).toBeNull();
  });
});
