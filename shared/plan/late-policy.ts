/** The late policy as text: `send` or `drop-after:2s` (design §6). */

import { formatDuration, parseDuration } from '../time/duration.ts';
import type { LatePolicy } from './plan.ts';
import { valueError } from './plan-field.ts';
import { quoted } from './problem-list.ts';

/** Reads a late policy. @throws FleetError 'plan'. */
export function parseLatePolicy(text: string): LatePolicy {
  if (text === 'send') return { kind: 'send' };
  const duration = /^drop-after:\s*(.*)$/s.exec(text)?.[1];
  if (duration === undefined)
    throw valueError(`${quoted(text)} is neither send nor drop-after:DURATION, e.g. drop-after:2s`);
  return { kind: 'drop-after', lateNs: parseDuration(duration) };
}

/** Writes a late policy as `parseLatePolicy` reads it. */
export function formatLatePolicy(policy: LatePolicy): string {
  return policy.kind === 'send' ? 'send' : `drop-after:${formatDuration(policy.lateNs)}`;
}
