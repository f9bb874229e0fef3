/** What a run leaves behind when it is over: all that a report is made from. */
import type { BlobStore } from '../../shared/plan/blob-ref.ts';
import type { ProbeParts } from '../merge/probe-parts.ts';
import type { RunMerge } from '../merge/run-merge.ts';
import type { RunRecord } from './run-record.ts';

/** A run that is over: its facts, its sums, and the files of its plan, from which the report counts what was planned. */
export interface EndedRun {
  readonly record: RunRecord;
  readonly merge: RunMerge;
  readonly blobs: BlobStore;
  /** The sums of the probe and of the others apart; null without a probe. */
  readonly parts: ProbeParts | null;
}
