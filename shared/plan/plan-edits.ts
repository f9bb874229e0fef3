/**
 * Changes to the tree of a plan that flags make: in a section, in the one request, in the one phase that is no warm-up. A change that
 * could mean several places is refused; what is no mapping or list is left alone, for the parser to refuse.
 */

import { FleetError } from '../fleet-error.ts';
import {
  createScalar,
  type MappingNode,
  type Origin,
  type PlanNode,
  type ScalarNode,
  type SequenceNode,
  valueAt,
  withValue,
} from './plan-node.ts';

const COMMAND_LINE: Origin = { source: 'command line', line: null, column: null };

/** The tree of a run by flags alone, before any flag: one request, one phase. */
export function emptyPlan(): MappingNode {
  const empty: MappingNode = { kind: 'mapping', entries: [], origin: COMMAND_LINE };
  const list: SequenceNode = { kind: 'sequence', items: [empty], origin: COMMAND_LINE };
  return ['target', 'workload', 'load'].reduce(
    (root, key) => withValue(root, key, key === 'target' ? empty : list),
    empty,
  );
}

/** Sets the warm-up's length, or puts a warm-up with the load's rate and law in front. A length of 0 takes warm-ups out. */
export function withWarmup(root: MappingNode, duration: ScalarNode): MappingNode {
  const phases = listAt(root, 'load');
  const warmups = phases.filter(isWarmup);
  if (/^0+(?:\.0+)?[a-z]+$/.test(duration.text))
    return withList(
      root,
      'load',
      phases.filter((phase) => !isWarmup(phase)),
    );
  if (warmups.length > 1) {
    throw new FleetError(
      'plan',
      `${duration.origin.source}: the plan has ${warmups.length} warm-up phases; change them in the file`,
    );
  }
  const [warmup] = warmups;
  if (warmup?.kind === 'mapping') {
    return withList(
      root,
      'load',
      phases.map((phase) => (phase === warmup ? withValue(warmup, 'duration', duration) : phase)),
    );
  }
  const main = phases.find((phase) => phase.kind === 'mapping');
  const rate = main === undefined ? null : valueAt(main, 'rate');
  const isClosed = main !== undefined && isClosedLoop(main);
  if (rate?.kind !== 'scalar' && !isClosed) {
    throw new FleetError(
      'plan',
      `${duration.origin.source}: a warm-up needs a load with a constant rate, or a closed loop; write it as a phase of the plan`,
    );
  }
  const same = ['arrivals', 'mode'].flatMap((key): [string, PlanNode][] => {
    const node = main === undefined ? null : valueAt(main, key);
    return node !== null && (node.kind === 'scalar' || isClosed) ? [[key, node]] : [];
  });
  const fields: [string, PlanNode][] = [
    ['warmup', createScalar('true', duration.origin.source)],
    ...(rate?.kind === 'scalar' ? [['rate', rate] as [string, PlanNode]] : []),
    ['duration', duration],
    ...same,
  ];
  const empty: MappingNode = { kind: 'mapping', entries: [], origin: duration.origin };
  const phase = fields.reduce((mapping, [key, value]) => withValue(mapping, key, value), empty);
  return withList(root, 'load', [phase, ...phases]);
}

function isClosedLoop(phase: MappingNode): boolean {
  const arrivals = valueAt(phase, 'arrivals');
  const mode = valueAt(phase, 'mode');
  if (arrivals === null) return mode?.kind === 'scalar' && mode.text === 'single-stream';
  return arrivals.kind === 'scalar'
    ? arrivals.text.startsWith('closed:')
    : arrivals.kind === 'mapping' && valueAt(arrivals, 'closed') !== null;
}

function isWarmup(phase: PlanNode): boolean {
  if (phase.kind !== 'mapping') return false;
  const warmup = valueAt(phase, 'warmup');
  return warmup?.kind === 'scalar' && warmup.text === 'true';
}

/** Changes the section `key`, made if it is missing; what is no mapping is left for the parser to refuse. */
export function inSection(root: MappingNode, key: string, change: (section: MappingNode) => MappingNode): MappingNode {
  const section = valueAt(root, key) ?? { kind: 'mapping', entries: [], origin: COMMAND_LINE };
  return section.kind === 'mapping' ? withValue(root, key, change(section)) : root;
}

/** Changes the one request of the workload, made if there is no workload. @throws FleetError 'plan' where there are several. */
export function inRequest(
  root: MappingNode,
  source: string,
  change: (request: MappingNode) => MappingNode,
): MappingNode {
  const withOne = valueAt(root, 'workload') === null ? withValue(root, 'workload', emptyList()) : root;
  const requests = listAt(withOne, 'workload');
  if (requests.length !== 1) {
    throw new FleetError(
      'plan',
      `${source}: the plan has ${requests.length} requests; only that of a plan with one can be changed by a flag`,
    );
  }
  return withList(
    withOne,
    'workload',
    requests.map((request) => (request.kind === 'mapping' ? change(request) : request)),
  );
}

/** Changes the one phase that is no warm-up, made if there is no load. @throws FleetError 'plan' where there are several. */
export function inMainPhase(
  root: MappingNode,
  source: string,
  change: (phase: MappingNode) => MappingNode,
): MappingNode {
  const withOne = valueAt(root, 'load') === null ? withValue(root, 'load', emptyList()) : root;
  const phases = listAt(withOne, 'load');
  const main = phases.filter((phase) => !isWarmup(phase));
  if (main.length !== 1) {
    throw new FleetError(
      'plan',
      `${source}: the plan has ${main.length} phases besides warm-ups; only that of a plan with one can be changed by a flag`,
    );
  }
  return withList(
    withOne,
    'load',
    phases.map((phase) => (phase === main[0] && phase.kind === 'mapping' ? change(phase) : phase)),
  );
}

function emptyList(): SequenceNode {
  return { kind: 'sequence', items: [{ kind: 'mapping', entries: [], origin: COMMAND_LINE }], origin: COMMAND_LINE };
}

function listAt(root: MappingNode, key: string): readonly PlanNode[] {
  const list = valueAt(root, key);
  return list?.kind === 'sequence' ? list.items : [];
}

/** The tree with the list `key` holding `items`. */
export function withList(root: MappingNode, key: string, items: readonly PlanNode[]): MappingNode {
  const list = valueAt(root, key);
  return withValue(root, key, { kind: 'sequence', items, origin: list?.origin ?? COMMAND_LINE });
}
