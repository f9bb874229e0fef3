/**
 * What cgroups do to this process's CPU: the quota that binds, and how often and how long it was throttled, over its own cgroup and
 * all ancestors (M§9.2): a default period is 100 ms, so one throttle can be tens of ms of lag.
 */
import type { CgroupFolders } from './cgroup-folders.ts';
import type { TextSource } from './text-source.ts';

/** Cumulative throttling that one file counts; null = it does not count that. */
export interface ThrottlingCounts {
  readonly periods: number | null;
  readonly throttledNs: number | null;
}

/** Cumulative throttling of a cgroup and its ancestors together. */
export interface Throttling extends ThrottlingCounts {
  /** How long the own cgroup stood still, whichever ancestor was the cause, one that is not visible here included. */
  readonly localNs: number | null;
}

/** Reads `cpu.stat` of either version, or `cpu.stat.local`; null when it does not count throttling. */
export function parseThrottling(text: string): ThrottlingCounts | null {
  const values = new Map(text.split('\n').map((line) => line.split(' ') as [string, string | undefined]));
  const numberOf = (name: string): number | null => {
    const value = Number(values.get(name) ?? Number.NaN);
    return Number.isFinite(value) ? value : null;
  };
  const usec = numberOf('throttled_usec');
  const throttledNs = numberOf('throttled_time') ?? (usec === null ? null : usec * 1000);
  const periods = numberOf('nr_throttled');
  if (periods === null && throttledNs === null) return null;
  return { periods, throttledNs };
}

/** Cores that `cpu.max` allows (`"50000 100000"`); Infinity for `max`, null for a text that is none. */
export function parseCpuMax(text: string): number | null {
  const [quota, period] = text.trim().split(/\s+/);
  if (quota === 'max') return Infinity;
  return coresOf(Number(quota ?? Number.NaN), Number(period ?? 100_000));
}

/** Cores that `cpu.cfs_quota_us` and `cpu.cfs_period_us` allow; Infinity for a quota of -1. */
export function parseCfsQuota(quota: string, period: string): number | null {
  const quotaUs = Number(quota.trim() === '' ? Number.NaN : quota);
  return quotaUs === -1 ? Infinity : coresOf(quotaUs, Number(period));
}

function coresOf(quotaUs: number, periodUs: number): number | null {
  return quotaUs > 0 && periodUs > 0 ? quotaUs / periodUs : null;
}

/** Cores that the tightest quota of `cgroup` allows; Infinity = none is set, null = no quota could be read. */
export function readQuotaCores(source: TextSource, cgroup: CgroupFolders): number | null {
  const found = cgroup.folders.flatMap((folder) => {
    const cores = cgroup.version === 2 ? quotaOfV2(source, folder) : quotaOfV1(source, folder);
    return cores === null ? [] : [cores];
  });
  // The root of version 2 has no cpu.max and no quota; it can be the only folder there is.
  if (found.length === 0)
    return cgroup.version === 2 && source.text(`${cgroup.folders.at(-1) ?? ''}/cpu.stat`) !== null ? Infinity : null;
  return Math.min(...found);
}

function quotaOfV2(source: TextSource, folder: string): number | null {
  const text = source.text(`${folder}/cpu.max`);
  return text === null ? null : parseCpuMax(text);
}

function quotaOfV1(source: TextSource, folder: string): number | null {
  const quota = source.text(`${folder}/cpu.cfs_quota_us`);
  const period = source.text(`${folder}/cpu.cfs_period_us`);
  return quota === null || period === null ? null : parseCfsQuota(quota, period);
}

/** Throttling of `cgroup` and its ancestors together; null when none of them counts it. */
export function readThrottling(source: TextSource, cgroup: CgroupFolders): Throttling | null {
  const read = (path: string): ThrottlingCounts | null => {
    const text = source.text(path);
    return text === null ? null : parseThrottling(text);
  };
  const counted = cgroup.folders.flatMap((folder) => read(`${folder}/cpu.stat`) ?? []);
  // Newer kernels only.
  const local = read(`${cgroup.folders[0] ?? ''}/cpu.stat.local`);
  if (counted.length === 0 && local === null) return null;
  return {
    periods: sumOfKnown(counted.map(({ periods }) => periods)),
    throttledNs: sumOfKnown(counted.map(({ throttledNs }) => throttledNs)),
    localNs: local?.throttledNs ?? null,
  };
}

function sumOfKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}
