/** From the arguments of `run` and `plan explain` to a plan ready to run: file, environment and flags together. */

import { basename, dirname, relative, resolve } from 'node:path';
import { applyFlags } from '../shared/plan/plan-from-flags.ts';
import type { FlagValues } from '../shared/plan/plan-flags.ts';
import { planToJson } from '../shared/plan/plan-json.ts';
import { type ParsedPlan, parsePlan } from '../shared/plan/parse-plan.ts';
import { PLAN_BYTES_MAX, parseYaml } from '../shared/plan/yaml-document.ts';
import { FleetError } from '../shared/fleet-error.ts';
import { parseServiceLaw } from '../target/service-law.ts';
import { createPlanSources, readWholeFile } from './plan-sources.ts';

/** What the user gave. */
export interface PlanArguments {
  /** Plan file, or null for a run by flags. */
  readonly file: string | null;
  readonly flags: FlagValues;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
}

/**
 * Loads the plan. `referenceUrl` is where the plan's reference target listens, once it does.
 * @throws FleetError 'plan' or 'usage'.
 */
export function loadPlan(given: PlanArguments, referenceUrl: string | null): ParsedPlan {
  const { file, environment, workingFolder } = given;
  if (file === null && !given.flags.has('url') && (environment['LOADFLEET_URL'] ?? '') === '') {
    throw new FleetError('usage', 'needs a plan file, or --url with --rate and --duration');
  }
  const path = file === null ? null : resolve(workingFolder, file);
  const folder = path === null ? workingFolder : dirname(path);
  const tree = path === null || file === null ? null : parseYaml(readWholeFile(path, file, PLAN_BYTES_MAX), file);
  const { root, warnings } = applyFlags(tree, filesFromFolder(given.flags, workingFolder, folder), environment);
  const parsed = parsePlan(root, createPlanSources(folder, environment), {
    source: file ?? 'the command line',
    defaultName: file === null ? 'command line' : basename(file).replace(/\.(?:ya?ml|json)$/i, ''),
    referenceUrl,
  });
  if (parsed.reference !== null) checkServiceLaw(parsed.reference);
  checkSize(parsed, file ?? 'the command line');
  return { ...parsed, warnings: [...warnings, ...parsed.warnings] };
}

/** The law belongs to the reference target, which the plan's own parser does not know. @throws FleetError 'plan'. */
function checkServiceLaw(law: string): void {
  try {
    parseServiceLaw(law);
  } catch (error) {
    if (!(error instanceof FleetError)) throw error;
    throw new FleetError('plan', `target.reference: ${error.message}`, { cause: error });
  }
}

/** A small file can make a large plan (knots, long texts): it must still cross the wire to the agents (design §8). */
function checkSize({ plan }: ParsedPlan, source: string): void {
  const { length } = planToJson(plan);
  if (length <= PLAN_BYTES_MAX) return;
  throw new FleetError(
    'plan',
    `${source}: the plan has ${length} bytes as JSON, the limit is ${PLAN_BYTES_MAX}; put bodies into files (bodyFile) or use fewer rate points`,
  );
}

/** Files named by a flag start at the working folder, those of the plan at the plan's. */
function filesFromFolder(flags: FlagValues, workingFolder: string, folder: string): FlagValues {
  const files = flags.get('body-file');
  if (files === undefined || workingFolder === folder) return flags;
  const moved = files.map((name) => relative(folder, resolve(workingFolder, name)));
  return new Map([...flags, ['body-file', moved]]);
}
