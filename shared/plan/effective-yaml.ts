/**
 * The plan as it runs, as YAML: everything the user gave by file, environment and flags, and every default, secrets redacted by
 * value and by name (R106). It is a plan again: what is not redacted reads back to the same plan.
 */

import { formatDuration } from '../time/duration.ts';
import { formatLatePolicy } from './late-policy.ts';
import type { Plan } from './plan.ts';
import { hideSecretsOfUrl } from './find-secrets.ts';
import { type PlanNode, type ScalarNode, isNothing, type MappingNode } from './plan-node.ts';
import { REDACTED, type Redact } from './redact-secrets.ts';
import { isSecretName } from './secret-names.ts';
import { BareWord, formatYaml } from './yaml-document.ts';

/** Sections in the order they are written. */
const ORDER = [
  ...[
    'name',
    'seed',
    'lanes',
    'target',
    'workload',
    'data',
    'load',
    'limits',
    'fleet',
    'slo',
    'thresholds',
    'failOn',
    'scrape',
    'output',
  ],
];

/**
 * @param root the tree after substitution, with flags and environment in it.
 * @param plan the typed plan: the source of defaults.
 */
export function formatEffectiveYaml(root: MappingNode, plan: Plan, redact: Redact): string {
  const given = plainOf(root, '', redact) as Record<string, unknown>;
  const merged: Record<string, unknown> = {
    ...given,
    name: escapeDollars(redact(plan.name)),
    // Above 2^53 a YAML number would lose digits elsewhere.
    seed: plan.seed <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(plan.seed) : String(plan.seed),
    lanes: plan.laneCount,
    target: { ...defaultTarget(plan), ...sectionOf(given, 'target') },
    limits: { ...limitsOf(plan), ...sectionOf(given, 'limits') },
    fleet: { ...fleetOf(plan), ...sectionOf(given, 'fleet') },
    failOn: plan.failOn,
    output: { quiet: plan.output.quiet, ...sectionOf(given, 'output') },
  };
  const ordered = ORDER.filter((section) => merged[section] !== undefined).map((section) => [section, merged[section]]);
  return formatYaml(Object.fromEntries(ordered));
}

function sectionOf(given: Record<string, unknown>, name: string): Record<string, unknown> {
  return (given[name] ?? {}) as Record<string, unknown>;
}

function defaultTarget({ target }: Plan): Record<string, unknown> {
  return { client: target.client, identify: target.identify, http: target.httpVersion };
}

function limitsOf({ limits }: Plan): Record<string, unknown> {
  return {
    maxInFlight: limits.maxInFlight,
    ...(limits.maxQueue === null ? {} : { maxQueue: limits.maxQueue }),
    connections: limits.connections,
    connectionAge: limits.connectionAgeNs === null ? 'none' : formatDuration(limits.connectionAgeNs),
    timeout: formatDuration(limits.timeoutNs),
    idleTimeout: limits.idleTimeoutNs === null ? 'none' : formatDuration(limits.idleTimeoutNs),
    drain: formatDuration(limits.drainNs),
    phaseGrace: formatDuration(limits.phaseGraceNs),
    late: formatLatePolicy(limits.late),
  };
}

function fleetOf({ fleet }: Plan): Record<string, unknown> {
  return {
    agents: fleet.agents,
    ...(fleet.workers === null ? {} : { workers: fleet.workers }),
    pacing: fleet.pacing,
    lease: formatDuration(fleet.leaseNs),
    onAgentLoss: fleet.onAgentLoss,
    ...(fleet.startLeadNs === null ? {} : { startLead: formatDuration(fleet.startLeadNs) }),
    armTimeout: formatDuration(fleet.armTimeoutNs),
  };
}

/** The tree as plain data, secrets redacted. `key` is the key that `node` is the value of. */
function plainOf(node: PlanNode, key: string, redact: Redact, isInJson = false): unknown {
  const isJson = isInJson || JSON_KEYS.has(key);
  if (node.kind === 'sequence') return node.items.map((item) => plainOf(item, key, redact, isJson));
  if (node.kind === 'scalar') return scalarOf(node, key, redact, isJson);
  return Object.fromEntries(
    node.entries.map((entry) => {
      const hidesAll = key === 'headers' && isSecretName(entry.key);
      return [entry.key, hidesAll ? REDACTED : plainOf(entry.value, entry.key, redact, isJson)];
    }),
  );
}

function scalarOf(node: ScalarNode, key: string, redact: Redact, isInJson: boolean): unknown {
  if (isNothing(node)) return null;
  if (key === 'url') return escapeDollars(hideSecretsOfUrl(redactNode(node, redact), REDACTED));
  const text = escapeDollars(redactNode(node, redact));
  // Where the tree is sent as JSON, `"1"` is another thing than `1`; elsewhere quotes say nothing.
  return BARE_WORD.test(text) && (node.plain || !isInJson) ? new BareWord(text) : text;
}

/** Keys whose trees become JSON. */
const JSON_KEYS = new Set(['extraBody', 'messages']);

/** What YAML takes for a number or a boolean, and what stays as it was written. */
const BARE_WORD = /^(?:[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|True|TRUE|false|False|FALSE)$/;

/** A secret that is too short to be found by value hides its whole text. */
function redactNode(node: ScalarNode, redact: Redact): string {
  const clean = redact(node.text);
  return node.secret && clean === node.text ? REDACTED : clean;
}

/** So that the text reads back as itself: `$` before `{` or `$` is written twice. */
function escapeDollars(text: string): string {
  return text.replace(/\$(?=[${])/g, '$$$$');
}
