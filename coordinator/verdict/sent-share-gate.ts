/** Did the target get the load of the plan (R005)? What was sent against what fell due, of a run, a phase or an agent. */
import { FAILURE_CLASSES } from '../../shared/metrics/outcome.ts';
import { type Accounting, failedTotal } from '../merge/accounting.ts';
import { notMeasured, percentText } from './gate-making.ts';
import { GATES } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/**
 * Judges the books. Where attempts were made on time and the target refused them, it only warns: the generator did its part. `heldBack`:
 * attempts that a limit of the plan held back until they were given up; they are as good as dropped at that limit. `sentAfter`: sends in
 * the drain, when the phase and the grace were over: the target had less than the plan's rate, if all of it in the end.
 */
export function sentShareGate(books: Accounting, heldBack: number, sentAfter = 0): Gate {
  const { failBeyond: limit, unit } = GATES['sent-share'];
  const due = books.scheduled - books.cancelled;
  if (due === 0) return notMeasured('sent-share', unit, limit, 'nothing fell due');
  if (books.issued === books.scheduled) {
    return notMeasured(
      'sent-share',
      unit,
      limit,
      'a closed loop schedules no arrivals: it sends when the target has answered',
    );
  }
  const measured = books.sent / due;
  const gate = (kind: 'pass' | 'warn' | 'fail', reason: string): Gate => ({
    kind,
    name: 'sent-share',
    measured,
    limit,
    unit,
    reason,
  });
  const numbers = `sent ${books.sent} of ${due} that fell due (${percentText(measured)})`;
  if (measured >= limit) {
    if ((books.sent - sentAfter) / due >= limit) return gate('pass', numbers);
    const after = `${sentAfter} of them only when their phase was over`;
    return gate('warn', `${numbers}, but ${after}: the target did not have the rate of the plan`);
  }
  // Nobody was ahead of them at a target that took no request at all: they waited for connections that it did not make.
  const held = books.sent === 0 ? 0 : heldBack;
  const offered = (books.attempted - books.failed.generator - held) / due;
  if (offered >= limit) {
    const classes = FAILURE_CLASSES.filter((name) => books.failed[name] > 0).map(
      (name) => `${name} ${books.failed[name]}`,
    );
    const why = failedTotal(books) > 0 ? `failed: ${classes.join(', ')}` : 'still waiting for a connection at the end';
    return gate('warn', `${numbers}: attempts were made on time, but ended before a byte left (${why})`);
  }
  const heldText = held > 0 ? `, ${held} were held back by limits of the plan until they were given up` : '';
  return gate(
    'fail',
    `${numbers}${heldText}, the limit is 99 %: generator-limited, the target saw another load than the plan`,
  );
}
