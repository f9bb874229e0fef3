/** From the arguments of `run` and `plan explain` to a plan ready to run: file, environment and flags together. */

import { basename, dirname, relative, resolve } from 'node:path';
import { applyFlags } from '../shared/plan/plan-from-flags.ts';
import type { FlagValues } from '../shared/plan/plan-flags.ts';
import { type ParsedPlan, parsePlan } from '../shared/plan/parse-plan.ts';
import { PLAN_BYTES_MAX, parseYaml } from '../shared/plan/yaml-document.ts';
import { FleetError } from '../shared/fleet-error.ts';
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
  return { ...parsed, warnings: [...warnings, ...parsed.warnings] };
}

/** Files named by a flag start at the working folder, those of the plan at the plan's. */
function filesFromFolder(flags: FlagValues, workingFolder: string, folder: string): FlagValues {
  const files = flags.get('body-file');
  if (files === undefined || workingFolder === folder) return flags;
  const moved = files.map((name) => relative(folder, resolve(workingFolder, name)));
  return new Map([...flags, ['body-file', moved]]);
}
