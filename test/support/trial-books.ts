/** The books of a trial, held against each other. */
import { expect } from 'vitest';
import { DROP_REASONS, FAILURE_CLASSES } from '../../shared/metrics/outcome.ts';
import type { TrialSimulation } from './trial-simulation.ts';

/** P4 in integers over everything handed over. */
export function expectBalanced(run: TrialSimulation): void {
  for (const book of [run.book.bind(run), run.namedBook.bind(run)]) {
    const dropped = DROP_REASONS.reduce((sum, reason) => sum + book(`dropped:${reason}`), 0);
    const failed = FAILURE_CLASSES.reduce((sum, failure) => sum + book(`failed:${failure}`), 0);
    expect(book('decided')).toBe(book('attempted') + dropped + book('cancelled'));
    expect(book('attempted')).toBe(book('ok') + failed + book('unfinished'));
    expect(book('sent')).toBeLessThanOrEqual(book('attempted'));
  }
}
