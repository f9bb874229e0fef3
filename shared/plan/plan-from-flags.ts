/**
 * Flags and environment variables written into the tree of a plan: flag over environment over file over default (design §11). A run
 * by flags alone is the same tree with one request and one phase. Nothing is typed here: the one parser reads the result, so
 * a flag's value is judged by the same rule as the file's. Pure.
 */

import { FleetError } from '../fleet-error.ts';
import { nearestName } from '../nearest-name.ts';
import { type FlagValues, PLAN_FLAGS, type PlanFlag, variableOfFlag } from './plan-flags.ts';
import { createScalar, type MappingNode, type ScalarNode, withoutValue, withValue } from './plan-node.ts';
import { emptyPlan, inMainPhase, inRequest, inSection, withList, withWarmup } from './plan-edits.ts';

/** The tree of a plan with what flags and environment say written into it. */
export interface MergedPlan {
  readonly root: MappingNode;
  /** Variables that look like ones of ours, but are none. */
  readonly warnings: readonly string[];
}

/**
 * @param file the plan file's tree, or null for a run by flags alone.
 * @throws FleetError 'plan' where a flag cannot be applied to this plan.
 */
export function applyFlags(
  file: MappingNode | null,
  flags: FlagValues,
  environment: Readonly<Record<string, string | undefined>>,
): MergedPlan {
  if (flags.has('body') && flags.has('body-file')) {
    throw new FleetError('usage', '--body and --body-file are both given; give one');
  }
  let root = file ?? emptyPlan();
  // The path of an LLM request is that of its API, behind what the URL names: as with `target.url` in a file.
  const splitsUrl = file === null && !flags.has('llm') && (environment[variableOfFlag('llm')] ?? '') === '';
  for (const flag of PLAN_FLAGS) {
    const given = flags.get(flag.name);
    if (given !== undefined) {
      root = applyFlag(root, flag, given, `--${flag.name}`, splitsUrl);
      continue;
    }
    const variable = variableOfFlag(flag.name);
    const value = environment[variable];
    if (flag.repeats || value === undefined || value === '') continue;
    // A value of the environment is text to the end: a dollar sign in it is no variable.
    root = applyFlag(root, flag, [value.replaceAll('$', '$$$$')], variable, splitsUrl);
  }
  return { root, warnings: [...variablesOfNoFlag(environment), ...misspeltVariables(environment)] };
}

function applyFlag(
  root: MappingNode,
  flag: PlanFlag,
  values: readonly string[],
  source: string,
  splitsUrl: boolean,
): MappingNode {
  const [first = ''] = values;
  if (!flag.repeats && values.length > 1)
    throw new FleetError('usage', `${source} is given ${values.length} times; give it once`);
  const text = flag.argument === null ? presenceOf(first, source) : first;
  const value = createScalar(text, source);
  switch (flag.name) {
    case 'url':
      return splitsUrl
        ? withUrl(root, value)
        : inSection(root, 'target', (target) => withValue(withoutValue(target, 'reference'), 'url', value));
    case 'method':
    case 'body':
      return inRequest(root, source, (request) => withValue(withoutBody(request, flag.name), flag.name, value));
    case 'body-file':
      return inRequest(root, source, (request) => withValue(withoutBody(request, 'body'), 'bodyFile', value));
    case 'header':
      return values.reduce(
        (tree, header) => inRequest(tree, source, (request) => withHeader(request, header, source)),
        root,
      );
    case 'llm':
    case 'model':
    case 'prompt':
    case 'max-tokens':
    case 'ignore-eos':
    case 'stream':
    case 'extra-body':
    case 'api-key-env':
      return inRequest(root, source, (request) =>
        inSection(request, 'llm', (llm) => withValue(llm, LLM_KEYS[flag.name] as string, value)),
      );
    case 'rate':
    case 'duration':
    case 'count':
    case 'arrivals':
    case 'mode':
      return inMainPhase(root, source, (phase) => withValue(phase, flag.name, value));
    case 'warmup':
      return withWarmup(root, value);
    case 'slo':
      return withSlos(root, values, source);
    case 'threshold': {
      const items = values.map((threshold) => createScalar(threshold, source));
      return withValue(root, 'thresholds', { kind: 'sequence', items, origin: value.origin });
    }
    case 'scrape':
      return withScrapes(root, values, source);
    case 'insecure':
      return inSection(root, 'target', (target) =>
        inSection(target, 'tls', (tls) => withValue(tls, 'insecure', value)),
      );
    default:
      return atPath(root, flag.name, value);
  }
}

/** Keys of the `llm` section by flag. */
const LLM_KEYS: Readonly<Record<string, string>> = {
  llm: 'api',
  model: 'model',
  prompt: 'prompt',
  'max-tokens': 'maxTokens',
  'ignore-eos': 'ignoreEos',
  stream: 'stream',
  'extra-body': 'extraBody',
  'api-key-env': 'apiKeyEnv',
};

/** Where the flags go that set one value. */
const PATHS: Readonly<Record<string, readonly [section: string, key: string] | readonly [key: string]>> = {
  agents: ['fleet', 'agents'],
  workers: ['fleet', 'workers'],
  pacing: ['fleet', 'pacing'],
  'on-agent-loss': ['fleet', 'onAgentLoss'],
  connections: ['limits', 'connections'],
  'max-in-flight': ['limits', 'maxInFlight'],
  timeout: ['limits', 'timeout'],
  drain: ['limits', 'drain'],
  client: ['target', 'client'],
  http: ['target', 'http'],
  identify: ['target', 'identify'],
  out: ['output', 'dir'],
  'per-request': ['output', 'perRequest'],
  quiet: ['output', 'quiet'],
  seed: ['seed'],
  'fail-on': ['failOn'],
};

function atPath(root: MappingNode, flag: string, value: ScalarNode): MappingNode {
  const path = PATHS[flag];
  if (path === undefined) throw new FleetError('internal', `flag --${flag} has no place in the plan`);
  const [section, key] = path;
  return key === undefined
    ? withValue(root, section, value)
    : inSection(root, section, (mapping) => withValue(mapping, key, value));
}

function presenceOf(text: string, source: string): string {
  if (text === 'true' || text === 'false') return text;
  throw new FleetError('usage', `${source}: "${text.slice(0, 60)}" is neither true nor false`);
}

/** Scheme, host and port are the target; the rest is the one request's URL, byte for byte. */
function withUrl(root: MappingNode, url: ScalarNode): MappingNode {
  const [, base = url.text, rest = ''] = /^(https?:\/\/[^/?#]*)(.*)$/is.exec(url.text) ?? [];
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  const withTarget = inSection(root, 'target', (target) => withValue(target, 'url', { ...url, text: base }));
  return inRequest(withTarget, '--url', (request) => withValue(request, 'url', { ...url, text: path }));
}

function withoutBody(request: MappingNode, flag: string): MappingNode {
  return flag === 'body' ? withoutValue(withoutValue(request, 'bodyFile'), 'body') : request;
}

/** Adds `Name: value`, in the place of a header of the same name if there is one. */
function withHeader(request: MappingNode, header: string, source: string): MappingNode {
  const [, name = '', text = ''] = /^([^:]*):[ \t]*(.*?)[ \t]*$/s.exec(header) ?? [];
  // The value may be a secret, so it is not repeated.
  if (name === '') throw new FleetError('usage', `${source}: a header is written "Name: value"`);
  return inSection(request, 'headers', (headers) => {
    const same = headers.entries.find((entry) => entry.key.toLowerCase() === name.toLowerCase());
    const value = createScalar(text, source);
    if (same === undefined || same.value.origin.source !== source) {
      return withValue(same === undefined ? headers : withoutValue(headers, same.key), name, value);
    }
    // Given twice as a flag: sent twice.
    const before = same.value.kind === 'sequence' ? same.value.items : [same.value];
    return withValue(headers, same.key, { kind: 'sequence', items: [...before, value], origin: value.origin });
  });
}

/** Pages given by flag take the place of those of the file. */
function withScrapes(root: MappingNode, urls: readonly string[], source: string): MappingNode {
  const items = urls.map((url): MappingNode => {
    const value = createScalar(url, source);
    return withValue({ kind: 'mapping', entries: [], origin: value.origin }, 'url', value);
  });
  return withList(root, 'scrape', items);
}

/** Two bounds on one metric contradict each other: neither is taken for the other without a word (R089). */
function withSlos(root: MappingNode, lists: readonly string[], source: string): MappingNode {
  const bounds = lists.flatMap((list) => list.split(','));
  const metrics = bounds.map((bound) => bound.split(':')[0]?.trim() ?? '');
  const twice = metrics.find((metric, index) => metrics.indexOf(metric) < index);
  if (twice !== undefined)
    throw new FleetError('plan', `${source}: "${twice.slice(0, 60)}" is bounded twice; give one`);
  return bounds.reduce((tree, bound) => withSlo(tree, bound, source), root);
}

function withSlo(root: MappingNode, bound: string, source: string): MappingNode {
  const colon = bound.indexOf(':');
  if (colon < 1) {
    throw new FleetError(
      'plan',
      `${source}: "${bound.slice(0, 60)}" is not METRIC:DURATION; write for example response:200ms`,
    );
  }
  const value = createScalar(bound.slice(colon + 1).trim(), source);
  return inSection(root, 'slo', (slo) => withValue(slo, bound.slice(0, colon).trim(), value));
}

/** Flags of `run` that say how and where, not what: they have no variable either. */
const NOT_OF_THE_PLAN = ['coordinator', 'repeat', 'worker-cores', 'recheck-calibration'];

/** Variables named like a flag of ours that has none, and set: a bound that nobody checks would pass without a word (R089). */
function variablesOfNoFlag(environment: Readonly<Record<string, string | undefined>>): string[] {
  const repeated = PLAN_FLAGS.filter((flag) => flag.repeats).map((flag) => flag.name);
  return [...repeated, ...NOT_OF_THE_PLAN]
    .filter((name) => (environment[variableOfFlag(name)] ?? '') !== '')
    .map((name) => `the environment variable ${variableOfFlag(name)} is not used: --${name} has none`);
}

/**
 * Variables close to one of ours, but none: said, not refused, because others set LOADFLEET_... too (Kubernetes does so for a
 * service of that name).
 */
function misspeltVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = PLAN_FLAGS.filter((flag) => !flag.repeats).map((flag) => variableOfFlag(flag.name));
  return Object.keys(environment)
    .filter(
      (name) => name.startsWith('LOADFLEET_') && !known.includes(name) && !/_(?:SERVICE_HOST|PORT|PORT_.*)$/.test(name),
    )
    .flatMap((name) => {
      const nearest = nearestName(
        name.slice('LOADFLEET_'.length),
        known.map((each) => each.slice('LOADFLEET_'.length)),
      );
      return nearest === null
        ? []
        : [`the environment variable ${name} is not used; did you mean LOADFLEET_${nearest}?`];
    });
}
