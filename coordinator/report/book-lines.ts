/** The books of the measured phases as the summary shows them: intended, sent and dropped first (R005), each with its rate and why. */
import { DROP_REASONS, FAILURE_CLASSES } from '../../shared/metrics/outcome.ts';
import { type Accounting, droppedTotal, failedTotal } from '../merge/accounting.ts';
import type { ResultValue } from './result-value.ts';
import { perSecondOver } from './scope-data.ts';
import { countText, rateText, shareText, spanText, table, withNotes } from './text-format.ts';

/** The lines, one per count. */
export function bookLines(value: ResultValue): readonly string[] {
  const { accounting } = value.measured;
  const { rate } = value;
  const dropped = droppedTotal(accounting);
  const due = accounting.scheduled - accounting.cancelled;
  const rows: string[][] = [
    ['intended', countText(accounting.scheduled), rateText(rate.intendedPerSecond), ''],
    [
      'sent',
      countText(accounting.sent),
      rateText(rate.sentPerSecond),
      `${ratio(accounting.sent, due)} of what fell due${untilStop(value, accounting.sent)}`,
    ],
    ...(accounting.issued === 0 || accounting.issued === accounting.scheduled ? [] : [issuedRow(accounting)]),
    ['dropped', countText(dropped), '', details(DROP_REASONS, accounting.dropped)],
  ];
  if (accounting.cancelled > 0) rows.push(['cancelled', countText(accounting.cancelled), '', 'not released: stopped']);
  if (accounting.lost > 0) rows.push(['lost', countText(accounting.lost), '', 'their agent or worker died']);
  rows.push(
    ['ok', countText(accounting.ok), rateText(rate.okPerSecond), untilStop(value, accounting.ok).replace(/^, /, '')],
    ['failed', countText(failedTotal(accounting)), '', details(FAILURE_CLASSES, accounting.failed)],
    ['unfinished', countText(accounting.unfinished), '', accounting.unfinished > 0 ? 'still open at the end' : ''],
    ['failure share', shareText(value.failureShare), '', '(failed + dropped + unfinished) / (attempted + dropped)'],
  );
  const numbers = rows.map((row) => row.slice(0, 3));
  return withNotes(
    table(numbers, '  '),
    rows.map((row) => row[3] ?? ''),
  );
}

/** The rate that there was while the load ran, where it was stopped: the column of rates is over all that was planned. */
function untilStop({ measured: { ranNs, lengthNs }, rate }: ResultValue, count: number): string {
  if (ranNs === 0 || ranNs >= lengthNs || rate.sentPerSecond === null) return '';
  return `, ${rateText(perSecondOver(count, ranNs))} in the ${spanText(ranNs)} until it was stopped`;
}

/** What of the intended requests no schedule holds. */
function issuedRow({ issued, followUps }: Accounting): string[] {
  const closed = issued - followUps;
  const parts = [
    ...(closed > 0 ? [`${countText(closed)} in closed loops`] : []),
    ...(followUps > 0 ? [`${countText(followUps)} later turns`] : []),
  ];
  return ['of intended, issued', countText(issued), '', parts.join(', ')];
}

function ratio(part: number, whole: number): string {
  return shareText(whole === 0 ? null : part / whole);
}

function details<Name extends string>(names: readonly Name[], counts: Readonly<Record<Name, number>>): string {
  return names
    .filter((name) => counts[name] > 0)
    .map((name) => `${name} ${countText(counts[name])}`)
    .join(', ');
}
