/**
 * The folders of the cgroups that can throttle this process's CPU: its own and all its ancestors that are visible here, own first
 * (M§9.2). Version 1 and 2; where both are mounted, the one that carries the cpu controller.
 */

/** Where to look, and in which dialect. */
export interface CgroupFolders {
  readonly version: 1 | 2;
  readonly folders: readonly string[];
}

interface Mount {
  readonly root: string;
  readonly point: string;
}

/** From the texts of /proc/self/cgroup and /proc/self/mountinfo; null when there is no cgroup of the cpu here. */
export function parseCgroupFolders(cgroup: string, mountinfo: string): CgroupFolders | null {
  const lines = cgroup.split('\n').map((line) => line.split(':'));
  const ofCpu = lines.find(([, controllers]) => controllers?.split(',').includes('cpu') === true);
  const unified = lines.find(([id, controllers]) => id === '0' && controllers === '');
  const version = ofCpu === undefined ? 2 : 1;
  const path = (ofCpu ?? unified)?.slice(2).join(':');
  const mount = findMount(mountinfo, version);
  if (path === undefined || mount === null) return null;
  return { version, folders: foldersUp(mount, path) };
}

function findMount(mountinfo: string, version: 1 | 2): Mount | null {
  for (const line of mountinfo.split('\n')) {
    const [before, after] = line.split(' - ');
    if (before === undefined || after === undefined) continue;
    const [, , , root, point] = before.split(' ');
    const [type, , options] = after.split(' ');
    const fits = version === 2 ? type === 'cgroup2' : type === 'cgroup' && options?.split(',').includes('cpu') === true;
    if (fits && root !== undefined && point !== undefined) return { root, point };
  }
  return null;
}

/** The folder of `path` and those above it, down to the mount point. A path outside the mounted part is seen as the mount's root. */
function foldersUp({ root, point }: Mount, path: string): string[] {
  const below = root === '/' ? path : path === root || path.startsWith(`${root}/`) ? path.slice(root.length) : '/';
  const names = below.split('/').filter((name) => name !== '' && name !== '..');
  const folders: string[] = [];
  for (let depth = names.length; depth >= 0; depth -= 1) folders.push([point, ...names.slice(0, depth)].join('/'));
  return folders;
}
