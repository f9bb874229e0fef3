/** What is worth a word about a run's own course, and only known when all is over. */
import { durationText } from '../../shared/time/duration-text.ts';
import { LOADFLEET_VERSION } from '../../shared/version.ts';
import type { RunEnd } from './run-record.ts';
import type { RunRoster } from './run-roster.ts';

/** The coordinator's own lateness is worth a word above this, ns: the progress line and T0's lead begin to notice it. */
const OWN_LAG_NOTED_NS = 250_000_000;

/** Warnings about the agents' versions, clocks and starts, and about the coordinator's own loop, which was up to `ownLagNs` late. */
export function endWarnings(roster: RunRoster, end: RunEnd, ownLagNs: number): string[] {
  const warnings = [...roster.versionWarnings(LOADFLEET_VERSION), ...roster.driftWarnings()];
  if (end.kind === 'finished') {
    for (const agentId of roster.unconfirmedStarts()) {
      warnings.push(`agent ${agentId} never confirmed that it was started in time`);
    }
  }
  if (ownLagNs > OWN_LAG_NOTED_NS) {
    warnings.push(
      `the coordinator's own loop was up to ${durationText(ownLagNs)} late; agents keep their own time, the load is not affected`,
    );
  }
  return warnings;
}
