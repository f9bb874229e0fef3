/** The limit on open file handles of this process: each connection is one (R032). */

/** Reads the soft limit from the text of /proc/self/limits; Infinity for `unlimited`, null when it is not there. */
export function parseFileHandleLimit(text: string): number | null {
  const soft = /^Max open files\s+(\S+)/m.exec(text)?.[1];
  if (soft === undefined) return null;
  if (soft === 'unlimited') return Infinity;
  const limit = Number(soft);
  return Number.isFinite(limit) ? limit : null;
}
