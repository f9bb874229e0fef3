/**
 * When a plan cannot be read as a whole, the requests and phases that can be are still put together, so that their faults are
 * in the same list as the others and the user is not sent round again.
 */

import { laneCountMax } from '../schedule/deal.ts';
import { buildPhases } from './build-phases.ts';
import { buildRequests } from './build-requests.ts';
import { phaseField } from './load-grammar.ts';
import { planKeys } from './plan-grammar.ts';
import { requestField } from './request-grammar.ts';
import { type Field, INVALID } from './plan-field.ts';
import { type MappingNode, pathOf, type PlanNode, valueAt } from './plan-node.ts';
import type { BlobCollector } from './plan-sources.ts';
import { ProblemList } from './problem-list.ts';

/** Stands for a target whose own URL is the problem. */
const ANY_TARGET = 'http://127.0.0.1:1';

/** Adds the problems of requests and phases that read well by themselves. */
export function addFurtherProblems(tree: MappingNode, blobs: BlobCollector, problems: ProblemList): void {
  buildPhases(readable(tree, 'load', phaseField), {
    blobs,
    problems,
    laneCount: laneCountMax,
    datasetInstants: 'unknown',
    warnings: [],
  });
  // With a data file the columns would have to be known.
  if (valueAt(tree, 'data') !== null) return;
  const targetUrl = targetUrlOf(tree);
  buildRequests(readable(tree, 'workload', requestField), {
    targetUrl,
    columns: [],
    hasLaterTurns: false,
    blobs,
    problems,
    environment: null,
    secrets: new Set(),
  });
}

function targetUrlOf(tree: MappingNode): string {
  const node = valueAt(tree, 'target');
  const target = node === null ? INVALID : planKeys.target.field.read(node, 'target', new ProblemList());
  return target === INVALID ? ANY_TARGET : (target.value.url?.value ?? ANY_TARGET);
}

/** Items of a list that read without a problem; those with one have been listed. */
function readable<T>(tree: MappingNode, key: string, field: Field<T>): T[] {
  const list: PlanNode | null = valueAt(tree, key);
  if (list?.kind !== 'sequence') return [];
  return list.items.flatMap((item, index) => {
    const value = field.read(item, pathOf(key, index), new ProblemList());
    return value === INVALID ? [] : [value];
  });
}
