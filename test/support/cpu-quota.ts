/** A cgroup with a CPU quota, where this process may make one; version 1 or 2. */
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HostFiles } from '../../agent/telemetry/text-source.ts';
import { parseCgroupFolders } from '../../agent/telemetry/cgroup-folders.ts';

/** The kernel's own default. */
const PERIOD_US = 100_000;

/** A cgroup of the test's own. */
export interface QuotaGroup {
  /** Write a process id here to put the process under the quota. */
  readonly procs: string;
  /** Changes the quota to `share` of one core. @throws what the kernel says against it. */
  limit(share: number): void;
  /** @throws EBUSY while a process is still in it. */
  remove(): void;
}

/** Makes a cgroup that may use `share` of one core; the reason why not, where it cannot. */
export function createQuotaGroup(share: number): QuotaGroup | { readonly reason: string } {
  const files = new HostFiles();
  const found = parseCgroupFolders(files.text('/proc/self/cgroup') ?? '', files.text('/proc/self/mountinfo') ?? '');
  if (found === null) return { reason: 'no cgroup of the cpu is mounted' };
  const folder = join(found.folders.at(-1) ?? '', `loadfleet-test-${process.pid}`);
  try {
    mkdirSync(folder);
  } catch (error) {
    return { reason: `no cgroup can be made: ${String(error)}` };
  }
  const remove = (): void => rmdirSync(folder);
  const limit = (wanted: number): void => {
    const quotaUs = Math.round(wanted * PERIOD_US);
    if (found.version === 1) writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quotaUs));
    else writeFileSync(join(folder, 'cpu.max'), `${quotaUs} ${PERIOD_US}`);
  };
  try {
    limit(share);
  } catch (error) {
    remove();
    return { reason: `no quota can be set: ${String(error)}` };
  }
  return { procs: join(folder, 'cgroup.procs'), limit, remove };
}
