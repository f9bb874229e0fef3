/** Parses plans from text with files in memory, for tests of the plan. */

import { createHash } from 'node:crypto';
import { FleetError } from '../../shared/fleet-error.ts';
import { type ParsedPlan, parsePlan } from '../../shared/plan/parse-plan.ts';
import { applyFlags } from '../../shared/plan/plan-from-flags.ts';
import type { PlanSources } from '../../shared/plan/plan-sources.ts';
import { parseYaml } from '../../shared/plan/yaml-document.ts';

/** What surrounds a plan. */
export interface PlanSurroundings {
  readonly environment?: Readonly<Record<string, string>>;
  /** Files by name. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly flags?: Readonly<Record<string, readonly string[]>>;
  readonly referenceUrl?: string;
}

/** Sources over memory; the chosen seed is 7. */
function sourcesOf({ environment = {}, files = {} }: PlanSurroundings): PlanSources {
  const readFile = (path: string): Uint8Array => {
    const content = files[path];
    if (content === undefined) throw new FleetError('plan', `${path} cannot be read: no such file`);
    return typeof content === 'string' ? new TextEncoder().encode(content) : content;
  };
  return {
    environment,
    readFile,
    readSecretFile: (path) => new TextDecoder().decode(readFile(path)),
    sha256: (bytes) => createHash('sha256').update(bytes).digest('hex'),
    chooseSeed: () => 7n,
  };
}

/** Parses YAML text as `plan.yaml`. @throws FleetError as the command line would. */
export function planOfText(text: string | null, surroundings: PlanSurroundings = {}): ParsedPlan {
  const { environment = {}, flags = {}, referenceUrl = null } = surroundings;
  const tree = text === null ? null : parseYaml(new TextEncoder().encode(text), 'plan.yaml');
  const { root } = applyFlags(tree, new Map(Object.entries(flags)), environment);
  const options = { source: 'plan.yaml', defaultName: 'plan', referenceUrl };
  return parsePlan(root, sourcesOf(surroundings), options);
}

/** The message that parsing ends with. @throws when it does not throw a FleetError 'plan' or 'usage'. */
export function planErrorOf(text: string | null, surroundings: PlanSurroundings = {}): string {
  try {
    planOfText(text, surroundings);
  } catch (error) {
    if (error instanceof FleetError && (error.code === 'plan' || error.code === 'usage')) return error.message;
    throw error;
  }
  throw new Error('the plan was accepted');
}

/** A plan with one phase and one request; `lines` are added at the top level, `load` replaces the phase. */
export function smallPlan(lines = '', load = '{rate: 100, duration: 10s}'): string {
  return `target: {url: "http://127.0.0.1:8080"}\nload: [${load}]\n${lines}\n`;
}
