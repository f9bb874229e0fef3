/**
 * Counts of one network card, from /sys/class/net. Of all processes of its network namespace, not only of ours. Frames that a host drops
 * because it does not know their protocol are everyday and are not counted; those that it had no room for are.
 */
import type { TextSource } from './text-source.ts';

/** Cumulative counts; null = could not be read. */
export interface CardCounts {
  readonly bytesReceived: number | null;
  readonly bytesSent: number | null;
  /** Frames that were damaged, or dropped for want of room, in either direction. */
  readonly problems: number | null;
}

const PROBLEMS = ['rx_errors', 'rx_missed_errors', 'tx_errors', 'tx_dropped'] as const;

/** Reads the counts of `card`. */
export function readCardCounts(source: TextSource, card: string): CardCounts {
  const count = (name: string): number | null => wholeOf(source.text(`/sys/class/net/${card}/statistics/${name}`));
  const problems = PROBLEMS.map(count);
  return {
    bytesReceived: count('rx_bytes'),
    bytesSent: count('tx_bytes'),
    problems: problems.reduce<number | null>((sum, one) => (sum === null || one === null ? null : sum + one), 0),
  };
}

/** What `card` can carry in one direction, bits per second; null where the system does not tell (virtual cards, clouds). */
export function readCardSpeed(source: TextSource, card: string): number | null {
  const megabits = wholeOf(source.text(`/sys/class/net/${card}/speed`));
  return megabits === null || megabits <= 0 ? null : megabits * 1e6;
}

function wholeOf(text: string | null): number | null {
  return text === null || !/^-?\d+\s*$/.test(text) ? null : Number(text);
}
