/** A host made of texts: what the telemetry reads instead of /proc and /sys. Folders are given by their number of entries. */
import type { TextSource } from '../../agent/telemetry/text-source.ts';

/** A source over `files`, which the test may change between readings. */
export function textTree(files: Record<string, string>, entries: Record<string, number> = {}): TextSource {
  return { text: (path) => files[path] ?? null, entryCount: (path) => entries[path] ?? null };
}
