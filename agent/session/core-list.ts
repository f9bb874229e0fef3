/** Lists of processor cores as text, in the form of Linux' cpusets: `0-3,8`. */

/** Highest core number that is read. */
const CORE_MAX = 4095;

/** The cores of `text` in the order written, each once; null when it is no such list. */
export function parseCoreList(text: string): readonly number[] | null {
  const cores = new Set<number>();
  for (const part of text.split(',')) {
    const [, first, last = first] = /^([0-9]{1,4})(?:-([0-9]{1,4}))?$/.exec(part) ?? [];
    if (first === undefined) return null;
    const [from, to] = [Number(first), Number(last)];
    if (from > to || to > CORE_MAX) return null;
    for (let core = from; core <= to; core += 1) {
      if (cores.has(core)) return null;
      cores.add(core);
    }
  }
  return [...cores];
}

/** The list as text, cores that follow each other as a range. */
export function coreListText(cores: readonly number[]): string {
  const ranges: { readonly first: number; last: number }[] = [];
  for (const core of cores) {
    const range = ranges.at(-1);
    if (range !== undefined && core === range.last + 1) range.last = core;
    else ranges.push({ first: core, last: core });
  }
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}
